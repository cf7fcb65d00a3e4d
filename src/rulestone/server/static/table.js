// The table page.
import { inWords, readOut } from "./aloud.js";
import { $, call, keepName, make, mark, narrow, sentence, settings, toast } from "./common.js";
import { Chooser } from "./choose.js";
import { fairPlay } from "./fair.js";
import { explain } from "./hover.js";
import { about, onwards, result, score } from "./series.js";
import { Stage } from "./stage.js";
import { clock } from "./times.js";
import { Wire } from "./wire.js";
import { zoomable } from "./zoom.js";

const root = $("main"), id = root.dataset.table, game = root.dataset.game;
const stage = new Stage(root.querySelector("svg.scene"));
const hideCard = explain(stage, game);
zoomable($("board"), stage.svg);
const PACES = { calm: 1, brisk: 0.45, instant: 0 };
let info = null, state = null, saidPrompt = "", busy = false;
const queue = [], MANY_WAIT = 12;

// ---- settings ---------------------------------------------------------------------------------------------------------------

$("speed").value = settings.get("speed", "calm");
$("sound").checked = settings.get("sound", "off") === "on";
const setPace = () => { stage.pace = PACES[$("speed").value] ?? 1; settings.set("speed", $("speed").value); };
$("speed").addEventListener("change", setPace);
setPace();
let sounds = null;  // loaded when someone turns them on
const setSound = async () => { sounds = $("sound").checked ? await import("./sound.js").catch(() => null) : null; };
$("sound").addEventListener("change", () => { settings.set("sound", $("sound").checked ? "on" : "off"); setSound(); });
setSound();
for (const [id, apply] of [["still", (on) => stage.keep(on)], ["odds", (on) => root.classList.toggle("no-odds", !on)], ["aid", (on) => root.classList.toggle("own-aid", !on)], ["known", (on) => root.classList.toggle("no-known", !on)]]) {
  $(id).checked = settings.get(id, id === "still" ? "off" : "on") === "on";
  apply($(id).checked);
  $(id).addEventListener("change", () => { settings.set(id, $(id).checked ? "on" : "off"); apply($(id).checked); chooser.refresh(); if (!busy) offer(); });
}
$("copy").addEventListener("click", copyLink);

async function copyLink() {
  const local = ["localhost", "127.0.0.1", "[::1]"].includes(location.hostname);
  const copied = local ? "Link copied. It only works on this computer. To let friends in, start the server with “make play HOST=0.0.0.0”." : "Link copied. Send it to a friend.";
  try { await navigator.clipboard.writeText(location.href); toast(copied); } catch { toast(location.href); }
}

// ---- choosing -----------------------------------------------------------------------------------------------------------------

const ANSWER_STAYS = 4000;  // milliseconds until the prompt replaces the answer to a wrong click
let answered = null;
const cardName = (thing) => stage.data?.cards[thing]?.[0] ?? thing.replaceAll(/[-_]/g, " ");
const chooser = new Chooser(stage, { choices: $("choices"), list: $("movelist"), back: $("back") }, {
  name: cardName,
  prompt: (text) => { $("prompt").textContent = text ?? saidPrompt; },
  why: async (thing) => {
    let why;
    try { ({ why } = await wire.ask("why", { thing })); } catch { return; }  // nice to have, so no message if it fails
    $("prompt").replaceChildren(...sentence(why.replaceAll(/\(([RQ]\d+)\)/g, "[$1]"), game));
    const shown = $("prompt").textContent;
    clearTimeout(answered);
    answered = setTimeout(() => { if ($("prompt").textContent === shown) $("prompt").textContent = saidPrompt; }, ANSWER_STAYS);
  },
  play,
});

/** An id for a request, so that it happens only once even if it is sent again after a lost answer. */
const newKey = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

async function play(move) {
  const { at, moves } = state;
  hideCard();
  state.moves = chooser.moves;
  $("prompt").textContent = saidPrompt = `${move.label}…`;
  try {
    await wire.ask("move", { at, move: move.action, key: newKey(), seat: state.eyes });
    if (!settings.get("notify") && info.seats.some((seat) => seat.kind === "person" && !seat.mine)) notify().then(({ nudge }) => nudge(), () => {});
  } catch (refusal) {
    toast(refusal.text);
    chooser.aim = null;
    if (refusal.code !== "stale") { state.moves = moves; offer(); }
  }
}

const unreachable = () => toast("The server can't be reached. Please try again.");
const words = await inWords(async () => (await wire.ask("words")).words.parts, () => { if (state) wire.ask("fresh").catch(() => {}); });

// ---- messages from the server ---------------------------------------------------------------------------------------------------

const wire = new Wire(id, hear, (up, reason) => {
  $("offline").hidden = up;
  $("offline").firstElementChild.textContent = { private: "This table is private.", removed: "The host has removed you from this table.", "signed out": "This device is signed out." }[reason] ?? (wire?.dead ? "This table can't be found." : "Reconnecting…");
}, root.dataset.drawn);


function hear(message) {
  if (message.t === "state") { queue.push(message); next(); }
  else if (message.t === "table") { dice(info, info = message); wait(info); if (state && !busy && !queue.length) queueMicrotask(seats); }
  else if (message.t === "story") { stories.clear(); for (const part of message.story) stories.set(part.ply, part.lines); tellAll(); }
  else if (message.t === "notice") { if (!message.asks) toast(message.text); }
  else if (message.t === "chats") { chats = message; if (people) people.all(chats); else if (chats.chats.length) company().catch(() => {}); }
  else if (message.t === "chat") company().then(() => people.heard(message), () => {});
}

/** This browser's part in the dice: note the fingerprint, send what is missing until the game is dealt, and take part in a rematch. */
const ours = () => import("./dice.js");
let again = false;
function dice(before, now) {
  const key = `dice:${id}`;
  if (!now.over && !settings.get(key)) settings.set(key, JSON.stringify({ commitment: now.commitment, made: Date.now() }));
  if (now.dice.stage !== "dealt") ours().then(({ follow }) => follow(now, mine().length, (...sent) => wire.ask(...sent))).catch(() => {});
  if (before?.over && !before.rematch && now.rematch && !again && mine().length) ours().then(({ join }) => join(now.rematch)).catch(() => {});
}

/** Show positions one at a time, each with its steps. */
async function next() {
  if (busy) { stage.hurry(queue.length > 2); if (queue.length > MANY_WAIT) stage.skip(); return; }
  busy = true;
  while (queue.length) {
    const shifted = queue.shift(), message = words()?.speak(shifted) ?? shifted;
    stage.hurry(queue.length > 1);
    if (message.base !== undefined && message.base !== state?.version) { wire.ask("fresh").catch(() => {}); continue; }
    const scene = stage.merge(message.scene, message.base !== undefined);
    const quiet = message.at === state?.at && message.base === state?.version && !message.steps.length;  // only who is ready has changed
    const again = state && (message.version === state.version || quiet) && message.eyes === state.eyes;
    if (again && JSON.stringify(message.moves) === JSON.stringify(chooser.moves)) message.moves = chooser.moves;  // keep a half-made choice
    const first = !state || message.base === undefined;
    const mineBefore = state !== null && state.to_move === state.eyes;
    if (message.to_move !== message.eyes || message.to_move !== state?.to_move) chooser.aim = null;  // a new turn, perhaps for another of this person's seats
    const turned = state && message.narrow !== state.narrow;  // another layout: nothing travels between the two
    if (turned) stage.data = null;
    state = message;
    point(null);
    stories.set(message.story.ply, message.story.lines);
    if (!again && !first) { remember(message); readOut(message.story.lines); }
    if (!queue.length) words()?.update();
    tell(message.story.ply, message.story.lines);
    if (again || first) { stage.patch(scene); if (turned) chooser.refresh(); }
    else {
      chooser.set([], false);
      if (message.to_move !== message.eyes && message.to_move !== null) { prompt(message); around(); } else root.classList.remove("my-turn");
      sounds?.moved(stage, message);
      await stage.show(scene, message.steps, (event) => light(message.story.ply, event));
      if (message.ending) sounds?.play("end");
      around();
    }
    if (!queue.length) { busy = false; offer(); showChoices(); if (!mineBefore && myTurn() && !first) called(); }
  }
  busy = false;
}

const notify = () => import("./notify.js");  // loaded when it's needed
$("menu").addEventListener("toggle", async () => (await notify()).bind($("notify")), { once: true });
async function called() {
  sounds?.play("turn");
  if (settings.get("notify") === "on") (await notify()).tell(`It’s your turn in ${info.title}${info.name ? ` at table “${info.name}”` : ""}.`, location.pathname);
}

const mine = () => info?.seats.filter((seat) => seat.mine) ?? [];
const left = () => Boolean(info?.seats[state?.eyes]?.stand_in);  // a bot is playing for the seat this viewer sees from
const myTurn = () => state !== null && state.to_move !== null && state.to_move === state.eyes && info?.started && !left();
const NOTHING = [];

/** The position is on screen: offer what can be done. */
function offer() {
  if (!state) return;
  const moves = left() ? NOTHING : state.moves;
  if (chooser.moves !== moves) chooser.set(moves, state.any_order);
  if (state.ending) ending(); else if (!chooser.halfMade()) prompt(state);
  around();
  scrollStory();
}

/** On a phone the board may be higher than the space for it: scroll so that what can be tapped is in sight, as far as all of it fits. */
function showChoices() {
  const board = $("board"), frame = board.getBoundingClientRect();
  if (!narrow.matches || board.scrollHeight <= board.clientHeight) return;
  const boxes = [...stage.svg.querySelectorAll(".glow")].map((thing) => thing.getBoundingClientRect());
  const above = Math.min(...boxes.map((box) => box.top)) - frame.top, below = Math.max(...boxes.map((box) => box.bottom)) - frame.bottom;
  if (boxes.length) board.scrollTop += below > 0 ? Math.min(below, Math.max(0, above)) : Math.min(0, above);
}

const listed = (words, type = "conjunction") => new Intl.ListFormat("en-GB", { type }).format(words);
let inviting = false;
function prompt(said) {
  let text = $("known").checked ? said.prompt : said.unaided ?? said.prompt;
  if (left() && said.to_move === said.eyes) text = `A bot is playing for ${info.seats[said.eyes].title}.`;
  const curtain = info?.curtain ?? null;
  const free = info && !info.started && curtain === null ? info.seats.filter((seat) => seat.kind === "open") : [];
  if (curtain !== null) text = `It's ${info.seats[curtain].title}'s turn.`;
  if (info && !info.started && !free.length) text = "Shuffling…";
  if (inviting && !free.length) chooser.refresh();  // bring back its own buttons
  inviting = free.length > 0;
  root.classList.toggle("invites", inviting && !mine().length);
  if (inviting) {
    text = mine().length ? `Waiting for ${listed(free.map((seat) => seat.title))}: send ${free.length > 1 ? "your friends" : "a friend"} the link.` : `Take ${listed(free.map((seat) => `${seat.title}'s`), "disjunction")} seat, or watch.`;
    $("choices").replaceChildren(...(mine().length
      ? [make("button", { type: "button", class: "primary", onclick: copyLink }, "Copy link")]
      : free.map((seat) => make("button", { type: "button", class: "primary", onclick: () => sit(seat) }, mark(seat.hue), `Take ${seat.title}'s seat`))));
  }
  saidPrompt = text;
  $("prompt").textContent = text;
  $("goal").hidden = !said.goal || Boolean(said.ending);
  $("goal").textContent = said.goal;
  $("rule").hidden = !said.rule || inviting || curtain !== null;
  $("rule").href = `/rules/${game}#${said.rule}`;
  $("rule").setAttribute("aria-label", `Rule ${said.rule}: what you can do now`);
}

// ---- around the board -----------------------------------------------------------------------------------------------------------

function around() {
  if (!info || !state) return;
  plates();
  people?.refresh();
  const chairs = info.over ? [] : mine().filter((seat) => !seat.stand_in);
  $("undo").hidden = !chairs.length || !info.undo;
  $("hint").hidden = !myTurn();
  fairPlay(info, state.together, ask);
  $("still").closest("label").hidden = !stage.svg.querySelector("[data-still]");
  $("odds").closest("label").hidden &&= !stage.svg.querySelector(".odds");  // once shown, it stays
  $("aid").closest("label").hidden = !info.aid_all || !stage.svg.querySelector(".aid");
  $("aid-says").hidden = !info.aid;
  $("aid-says").textContent = `Memory aid ${info.aid}: ${info.aid_says}.`;
  $("known").closest("label").hidden &&= !stage.svg.querySelector(".known");
  $("proof").textContent = info.over ? `Seed ${info.seed}. Fingerprint shown before the first move: ${info.commitment.slice(0, 16)}…` : `Honest dice: the fingerprint of the server's secret is ${info.commitment}`;
  const best = state.ending ? Math.max(...state.payoff) : 0;
  const shown = state.ending ? info.seats.filter(({ seat }) => state.payoff[seat] === best && best >= 0) : info.started ? state.deciders.map((seat) => info.seats[seat]) : [];
  $("turn").replaceChildren(...shown.map(({ hue }) => mark(hue)));
  if ($("choices").childElementCount) root.classList.add("asks");  // from now on there is always room for buttons, so the board stays where it is
  root.classList.toggle("my-turn", Boolean(myTurn()));
  root.classList.toggle("ended", state.ending !== null);
  curtain();
  flashTitle();
}

/** Seats, presence or clocks have changed, but not the position. */
function seats() {
  if (busy || queue.length) return;
  if (chooser.halfMade()) around(); else offer();
}

/** Update a plate but keep its buttons, so that none disappears while someone presses it. */
function renew(old, fresh) {
  const [kept, same] = [old, fresh].map((plate) => plate.querySelector(".plate-do"));
  if (!kept || kept.textContent !== same?.textContent) return fresh;
  old.className = fresh.className;
  if (fresh.hasAttribute("aria-current")) old.setAttribute("aria-current", "true"); else old.removeAttribute("aria-current");
  for (const child of [...old.children]) if (child !== kept) child.remove();
  kept.before(...[...fresh.children].filter((child) => child !== same));
  return old;
}

let badged = false;  // once there has been a badge, every plate keeps a line for one
function plates() {
  badged ||= Boolean(stage.data?.plates.some((goods) => goods.badge));
  const before = [...$("players").querySelectorAll(".plate")];
  const after = info.seats.map((seat) => {
    const goods = stage.data?.plates[seat.seat] ?? { lines: [], badge: "" };
    const turn = state.deciders.includes(seat.seat) && info.started;
    const own = seat.seat === state.eyes || (seat.mine && !state.together);
    const flag = turn ? (seat.kind === "bot" || seat.stand_in ? "thinking" : own ? "your turn" : state.together ? "choosing" : "to move") : state.together && info.started ? "ready" : null;
    const who = seat.kind === "open" ? "free seat" : seat.kind === "bot" ? `bot · ${info.levels[seat.bot] ?? seat.bot}` : seat.mine ? (seat.name !== seat.title ? seat.name : "you") : seat.name !== seat.title ? seat.name : mine().length ? "a friend" : "a player";
    const plate = make("div", { class: `plate ${seat.kind} seat-${seat.hue}${turn ? " turn" : ""}${seat.kind === "person" && !seat.online && !seat.mine ? " away" : ""}`, "aria-current": turn ? "true" : null },
      mark(seat.hue),
      make("span", { class: "plate-name" }, make("strong", {}, seat.title), make("small", {}, seat.out ? `${seat.out === "time" ? "out of time" : seat.out} · bot` : seat.stand_in ? `bot for ${seat.mine ? "you" : seat.name}` : who, seat.mine && who === seat.name && !seat.stand_in ? make("span", { class: "own" }, " (you)") : null), score(info, seat.seat)),
      people?.bubble(seat.seat),
      flag ? make("span", { class: `turn-flag${turn ? "" : " ready"}` }, flag) : null,
      seat.clock !== null ? make("span", { class: `clock${dated(clock(seat.clock, turn))}`, "data-clock": seat.clock, "data-runs": turn ? "1" : null }, clock(seat.clock, turn)) : null,
      badged ? make("span", { class: "badge" }, goods.badge) : null,
      goods.lines.length ? make("span", { class: "goods" }, ...goods.lines.map((line) => make("span", {}, line))) : null);
    if (seat.kind === "open") {
      plate.append(make("span", { class: "plate-do" },
        make("button", { type: "button", class: "primary small", onclick: () => sit(seat) }, "Take this seat"),
        info.host ? make("button", { type: "button", class: "small", onclick: () => ask("bot", { seat: seat.seat, bot: info.helper }) }, "Add a bot") : null));
    } else if (seat.stand_in && seat.mine && !seat.out && !info.over) {
      plate.append(make("span", { class: "plate-do" }, make("button", { type: "button", class: "primary small", onclick: () => ask("return", { seat: seat.seat }) }, "I'm back")));
    } else if (seat.patience === 0 && !seat.stand_in && mine().length && !info.over && info.started) {
      plate.append(make("span", { class: "plate-do" }, make("button", { type: "button", class: "small", title: `${seat.name} has been away for a minute`, onclick: () => ask("substitute", { seat: seat.seat }) }, "Let a bot play")));
    }
    return before[seat.seat] ? renew(before[seat.seat], plate) : plate;
  });
  const shown = [...after, ...about(info), ...(info.watchers ? [make("p", { class: "watchers muted" }, watching(info.watchers - !mine().length))] : [])];
  for (const other of [...$("players").children]) if (!shown.includes(other)) other.remove();
  shown.forEach((element, k) => { if ($("players").children[k] !== element) $("players").insertBefore(element, $("players").children[k] ?? null); });
}

/** Once a player has been away long enough, their plate offers a bot. */
function wait(told) {
  for (const seat of told.seats) if (seat.patience) setTimeout(() => { seat.patience = 0; if (info === told && state) plates(); }, 1000 * seat.patience);
}

function watching(others) {
  if (mine().length) return others === 1 ? "1 spectator" : `${others} spectators`;
  return others ? `You and ${others === 1 ? "1 other person" : `${others} other people`} are watching` : "You're watching";
}

// On a phone the plates are chips; tap one to see what everyone has.
$("players").addEventListener("click", (event) => { if (!event.target.closest("button")) $("players").classList.toggle("open"); });

const dated = (text) => (text.startsWith("by ") ? " date" : "");  // a date gets a line of its own
setInterval(() => {
  for (const runs of document.querySelectorAll("[data-runs]")) {
    runs.dataset.clock = Math.max(0, runs.dataset.clock - 1);
    runs.textContent = clock(runs.dataset.clock, true);
    runs.className = `clock${dated(runs.textContent)}${runs.dataset.clock < 10 ? " short" : ""}`;
  }
}, 1000);

async function ask(verb, body = {}) { try { return await wire.ask(verb, body); } catch (refusal) { toast(refusal.text); return null; } }

/** Take a seat. Asks for a name first if none is saved in this browser. */
const take = async ({ seat }) => ask("sit", { seat, name: settings.get("name", ""), pledge: (await ours()).draw(id).pledge });
function sit(seat) {
  if (settings.get("name", "")) return take(seat);
  $("who-seat").replaceChildren(mark(seat.hue), `Take ${seat.title}'s seat`);
  $("who").onclose = () => {
    if ($("who").returnValue !== "sit") return;
    keepName($("who-name").value.trim()).catch(() => {});
    take(seat);
  };
  $("who").returnValue = "";
  return $("who").showModal();
}

$("undo").addEventListener("click", () => ask("undo", { at: state.at }));
const THINKS = "Looking for a good move…";
$("hint").addEventListener("click", async () => {
  const said = $("prompt").textContent;
  const slow = setTimeout(() => { if (myTurn() && state.moves.length) $("prompt").textContent = THINKS; }, 300);
  $("hint").disabled = true;
  const answer = await ask("hint");
  $("hint").disabled = false;
  clearTimeout(slow);
  if (answer?.hint.at === state.at && state.moves.length) { chooser.hint(answer.hint); $("prompt").replaceChildren(...sentence(answer.hint.says, game)); }
  else if ($("prompt").textContent === THINKS) $("prompt").textContent = said;
});

/** The end of the game: below the board, show who won and why, and what to do next. Its dice are checked here. */
let sealed = null;
function ending() {
  sealed ??= import("./verify.js").then(({ seal }) => seal(id, info.seats.map((seat) => seat.title), root.querySelector(".helpers"))).catch(() => {});
  const [who, why] = state.ending;
  const told = why && why.replace(/\s*\[.*?\]/g, "") !== who ? sentence(why, game) : [];
  saidPrompt = who;
  $("goal").hidden = $("rule").hidden = true;
  $("prompt").replaceChildren(make("strong", {}, who), " ", ...told, ...result(info));
  $("goal").hidden = true;
  $("choices").replaceChildren(
    ...[...onwards(info, mine().length, rematch),
      make("a", { class: "button", href: `/t/${id}/replay` }, "Review"),
      make("button", { type: "button", onclick: async () => (await import("./share.js")).share(id) }, "Share")].filter(Boolean));
}

async function rematch() {
  again = true;
  try { location.href = `/t/${await (await ours()).begin((pledge) => wire.ask("rematch", { pledge }))}`; } catch (refusal) { toast(refusal.text); }
}

function curtain() {
  const box = $("curtain"), seat = info.curtain;
  box.hidden = seat === null || seat === undefined;
  if (box.hidden) return;
  const { title, hue } = info.seats[seat];
  box.replaceChildren(mark(hue), make("p", {}, `Pass the screen to ${title}.`), make("button", { type: "button", class: "primary large", onclick: () => ask("look", { seat }) }, `I'm ${title}`));
}

let flashing = 0;
const usualTitle = document.title;
function flashTitle() {
  clearInterval(flashing);
  document.title = usualTitle;
  if (!myTurn() || !document.hidden) return;
  let on = false;
  const flip = () => { on = !on; document.title = on ? "● Your turn" : usualTitle; };
  flashing = setInterval(flip, 900);
}
document.addEventListener("visibilitychange", flashTitle);

// ---- story and chat -----------------------------------------------------------------------------------------------------------

const stories = new Map();
function storyItem(ply, lines) {
  return make("li", { id: `ply-${ply}`, class: "told" }, ...lines.map((line, k) => make("p", { "data-event": k }, ...sentence(line, game))));
}
function tell(ply, lines) {
  const old = $(`ply-${ply}`), item = storyItem(ply, lines), list = $("story");
  for (const later of [...list.children]) if (Number(later.id.slice(4)) > ply) later.remove();
  if (old) old.replaceWith(item); else if (lines.length) list.append(item);
  scrollStory();
}
function tellAll() {
  $("story").replaceChildren(...[...stories].filter(([, lines]) => lines.length).map(([ply, lines]) => storyItem(ply, lines)));
  scrollStory();
}
function scrollStory() { const pane = $("pane-story"); pane.scrollTop = pane.scrollHeight; }
new ResizeObserver(scrollStory).observe($("pane-story"));  // keep the newest lines visible when a phone is rotated
function light(ply, event) {
  for (const lit of document.querySelectorAll(".story .lit")) lit.classList.remove("lit");
  if (event !== null) $(`ply-${ply}`)?.querySelector(`[data-event="${event}"]`)?.classList.add("lit");
}

/** What each sentence is about, so that pointing at it highlights the things on the board. */
const concerned = new Map();
function remember(message) {
  const things = message.story.lines.map((_, event) => message.steps.filter((step) => step.event === event).flatMap((step) => [...Object.keys(step.go), ...step.flash]));
  const changed = Object.entries(message.scene.parts).filter(([, part]) => part && !part.includes(" data-hover=")).map(([id]) => id);
  if (!things.flat().length && changed.length < 8) things.fill(changed);
  concerned.set(message.story.ply, things);
}
/** The same for what happened before this page was opened: fetched once, when someone points at the sentence. */
async function recall(ply) {
  concerned.set(ply, []);
  const frame = (at, more = "") => call("GET", `/api/tables/${id}/frames/${at}?noticed=true${more}&eyes=${state.eyes ?? "public"}`);
  const after = await frame(ply, "&ply=true");
  if (!after.index) return;
  const before = await frame(after.index - 1);
  const changed = Object.entries(after.scene.parts).filter(([part, text]) => before.scene.parts[part] !== text);
  remember({ ...after, scene: { parts: Object.fromEntries(changed) } });
}
let pointed = null;
async function point(target) {
  for (const lit of stage.svg.querySelectorAll(".flash")) lit.classList.remove("flash");
  const line = pointed = target?.closest?.("[data-event]") ?? null;
  if (!line || busy) return;
  const ply = Number(line.parentElement.id.slice(4));
  if (!concerned.has(ply)) { try { await recall(ply); } catch { return; } }
  if (line === pointed) for (const thing of concerned.get(ply)[line.dataset.event] ?? []) stage.thing(thing)?.classList.add("flash");
}
$("story").addEventListener("pointermove", (event) => { if (event.target.closest("[data-event]") !== pointed) point(event.target); });  // ignore lines that scroll under a resting mouse
$("story").addEventListener("pointerleave", () => point(null));

// The chat, loaded once somebody says something or opens it.
let people = null, talk = null, chats = null;
function company() {
  talk ??= import("./people.js").then(({ People }) => {
    people = new People({
      info: () => info, key: newKey, try: ask, ask: (verb, body) => wire.ask(verb, body), plates: () => { if (state) plates(); },
      news: () => { $("tab-chat").classList.add("news"); sounds?.play("tick"); },
    });
    people.all(chats ?? { chats: [], me: "" });
  });
  talk.catch(() => { talk = null; });  // try again next time
  return talk;
}
$("quick").addEventListener("click", ({ target }) => { if (target.matches("button")) company().then(() => people.say(target.textContent), unreachable); });
$("people").addEventListener("click", () => company().then(() => people.list(), unreachable));
$("say").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("words").value.trim();
  $("words").value = "";
  if (text) company().then(() => people.say(text, true), () => { $("words").value ||= text; unreachable(); });
});

const tabs = [...document.querySelectorAll("[role=tab]")], side = tabs[0].closest(".side");
/** Show a tab. On a phone it opens over the board; a second tap, a tap on the board or Escape closes it. */
function open(tab) {
  side.classList.toggle("open", !(side.classList.contains("open") && tab.getAttribute("aria-selected") === "true"));
  for (const other of tabs) {
    const on = other === tab;
    other.setAttribute("aria-selected", on);
    other.tabIndex = on ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !on;
  }
  tab.classList.remove("news");
  if (tab.id === "tab-chat") company().catch(unreachable);
}
for (const [k, tab] of tabs.entries()) {
  tab.addEventListener("click", () => open(tab));
  tab.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) { const other = tabs[(k + step + tabs.length) % tabs.length]; open(other); other.focus(); }
  });
}

// ---- things carried by the cursor until it is over a place where they fit --------------------------------

stage.svg.addEventListener("pointermove", (event) => {
  const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(stage.svg.getScreenCTM().inverse());
  for (const hung of stage.svg.querySelectorAll(".hangs")) {
    hung.setAttribute("transform", `translate(${at.x} ${at.y})`);
    hung.classList.toggle("carried", event.pointerType !== "touch" && !event.target.closest(".glow"));
  }
});
stage.svg.addEventListener("pointerleave", () => { for (const hung of stage.svg.querySelectorAll(".carried")) hung.classList.remove("carried"); });

// ---- skipping -----------------------------------------------------------------------------------------------------------------

addEventListener("keydown", (event) => { if (event.key === " " && busy && event.target === document.body) { event.preventDefault(); stage.skip(); } });
$("board").addEventListener("pointerdown", () => { if (busy) stage.skip(); });
addEventListener("click", (event) => {
  if ($("menu").open && !$("menu").contains(event.target)) $("menu").open = false;
  if (!event.composedPath().some((one) => one === side || one.tagName === "DIALOG")) side.classList.remove("open");
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  side.classList.remove("open");
  if ($("menu").open) { $("menu").open = false; $("menu").firstElementChild.focus(); }
});
