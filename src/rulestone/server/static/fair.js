// Fair play at the table: what was decided at set-up, requests and their answers, leaving, and ending a game early.
import { $, make } from "./common.js";

/** Ask before something that can't be taken back. */
export function sure(title, text, yes) {
  return new Promise((done) => {
    const box = make("dialog", { class: "ask", "aria-labelledby": "sure-title", "aria-describedby": "sure-text" }, make("form", { method: "dialog" },
      make("h2", { id: "sure-title" }, title), make("p", { id: "sure-text" }, text),
      make("p", { class: "buttons" }, make("button", { class: "primary", value: "yes" }, yes), make("button", { value: "no", autofocus: true }, "Cancel"))));
    box.addEventListener("close", () => { box.remove(); done(box.returnValue === "yes"); });
    document.body.append(box);
    box.showModal();
  });
}

const isIn = (seat) => seat.kind === "person" && !seat.out;

/** Show all of it. `ask` sends a request to the server. */
export function fairPlay(info, together, ask) {
  const mine = info.over ? [] : info.seats.filter((seat) => seat.mine && isIn(seat));
  request(info.request, ask);
  $("hint").hidden ||= !info.hints;
  $("undo").textContent = info.fair.undo === "ask" && !together && info.seats.some((seat) => isIn(seat) && !seat.mine && !seat.stand_in) ? "Ask to undo" : "Undo";
  $("leave").replaceChildren(...mine.flatMap((seat) => endings(seat, mine, info, ask)));
  if ($("fair").dataset.said !== info.fair.says.join(" ")) {
    $("fair").dataset.said = info.fair.says.join(" ");
    $("fair").replaceChildren(make("summary", {}, "Fair play"), make("ul", {}, ...info.fair.says.map((said) => make("li", {}, said))));
  }
}

/** The buttons to leave a seat, resign, offer a draw or call the game off. */
function endings(seat, mine, info, ask) {
  const several = mine.length > 1, first = seat === mine[0];
  const button = (verb, words, question, text, yes, body) => make("button", { type: "button", "data-end": verb, "data-seat": seat.seat, onclick: async () => {
    $("menu").open = false;
    if (await sure(question, text, yes)) ask(verb, body);
  } }, words);
  return [
    info.may.draw && first && button("draw", "Offer a draw", "Offer a draw?", info.may.draw, "Offer a draw"),
    info.may.call_off && first && button("call_off", "Call the game off", "Call the game off?", info.may.call_off, "Call it off"),
    info.may.resign && button("resign", several ? `Resign as ${seat.title}` : "Resign", several ? `Resign as ${seat.title}?` : "Resign?", info.may.resign, "Resign", { seat: seat.seat }),
    !seat.stand_in && button("leave", several ? `Leave ${seat.title}'s seat` : "Leave your seat", several ? `Leave ${seat.title}'s seat?` : "Leave your seat?",
      info.started ? "A bot plays for you until you come back. The game goes on." : "The seat becomes free, and anybody with the link can take it.", "Leave", { seat: seat.seat }),
  ].filter(Boolean);
}

/** What a player asks of the others, with the buttons to answer it. Spectators see it, too. */
function request(wish, ask) {
  const box = $("request"), key = wish ? `${wish.number} ${wish.asked}` : "";
  if (box.dataset.key === key) return;  // a button someone is about to press stays
  box.dataset.key = key;
  box.hidden = !wish;
  if (!wish) { box.replaceChildren(); return; }
  $("toast").hidden = true;
  const answer = (yes, words) => make("button", { type: "button", class: yes ? "primary" : null, onclick: () => ask("answer", { number: wish.number, yes }) }, words);
  box.replaceChildren(make("p", {}, wish.mine ? MINE[wish.kind] : wish.text), ...(wish.asked ? [answer(true, "Agree"), answer(false, "Decline")] : []),
    ...(wish.mine ? [make("button", { type: "button", onclick: () => ask("withdraw") }, "Withdraw")] : []));
}
const MINE = { undo: "You've asked to undo your last move.", draw: "You've offered a draw.", resign: "You've suggested giving up." };
