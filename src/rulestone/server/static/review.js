// The review of a finished game: asked for once and kept. Its turning points open on the board, with both moves drawn.
import { $, call, make } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
const draw = (tag, attributes) => { const made = document.createElementNS(SVG, tag); for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value); return made; };
const percent = (share) => `${Math.round(100 * share)}\u00a0%`;
const points = (change) => { const whole = Math.round(100 * change); return whole > 0 ? `+${whole}` : whole < 0 ? `−${-whole}` : "0"; };

/** Marks on the board: a ring round everything a move clicks, and an arrow from the first to the last. */
export class Marks {
  constructor(board, scene) {
    this.board = board;
    this.scene = scene;
    this.moves = [];
    new ResizeObserver(() => this.paint()).observe(board);
  }

  show(moves) { this.moves = moves; this.paint(); }
  clear() { if (this.moves.length) this.show([]); }

  paint() {
    this.layer?.remove();
    this.layer = null;
    if (!this.moves.length) return;
    const frame = this.board.getBoundingClientRect();
    this.layer = draw("svg", { class: "marks", viewBox: `0 0 ${frame.width} ${frame.height}`, "aria-hidden": "true" });
    this.moves.forEach(({ picks, name }, layer) => {
      const boxes = picks.map((id) => this.scene.querySelector(`[id="${CSS.escape(id)}"]`)?.getBoundingClientRect()).filter((box) => box?.width);
      const spread = 3 + 4 * layer;  // both moves may begin with the same thing
      for (const box of boxes) this.layer.append(draw("rect", { class: name, x: box.left - frame.left - spread, y: box.top - frame.top - spread, width: box.width + 2 * spread, height: box.height + 2 * spread, rx: 9 }));
      if (boxes.length > 1) this.arrow(boxes[0], boxes.at(-1), frame, name);
    });
    this.board.append(this.layer);
  }

  arrow(from, to, frame, name) {
    const [x1, y1, x2, y2] = [from, to].flatMap((box) => [box.left + box.width / 2 - frame.left, box.top + box.height / 2 - frame.top]);
    const length = Math.hypot(x2 - x1, y2 - y1);
    if (length < 12) return;
    const [x, y] = [(x2 - x1) / length, (y2 - y1) / length];
    const head = [[-11, 7], [0, 0], [-11, -7]].map(([along, across]) => `${(x2 + along * x - across * y).toFixed(1)} ${(y2 + along * y + across * x).toFixed(1)}`);
    this.layer.append(draw("path", { class: name, d: `M${x1.toFixed(1)} ${y1.toFixed(1)}L${x2.toFixed(1)} ${y2.toFixed(1)}M${head.join("L")}` }));
  }
}

/** Offer the review in its box; `open(decision)` shows a turning point, `again(decision)` continues from there against bots. */
export async function offer(box, table, open, again) {
  const path = `/api/tables/${table}/review`;
  const ask = make("button", { type: "button", class: "primary", onclick: () => { ask.disabled = true; follow("POST"); } }, "Review this game");
  const said = make("p", { class: "muted", role: "status" });

  async function follow(how) {
    let found;
    try { found = await call(how, path); } catch (problem) { said.textContent = problem.message; ask.disabled = false; box.replaceChildren(ask, said); return; }
    if (found.state === "done") { show(found.review); return; }
    ask.disabled = found.state === "waiting" || found.state === "thinking";
    box.replaceChildren(ask, said);
    if (found.state === "failed") { said.textContent = "The review didn’t work out. Try again in a moment."; return; }
    if (!ask.disabled) return;
    said.textContent = found.state === "waiting" ? `Waiting for ${found.ahead === 1 ? "another review" : `${found.ahead} other reviews`}…` : found.total ? `Looking at decision ${found.done} of ${found.total}…` : "Getting ready…";
    setTimeout(() => follow("GET"), 1000);
  }

  function show(review) {
    const row = (kind, cells) => make("tr", {}, ...cells.map((cell) => make(kind, {}, cell)));
    const accounts = review.accounts.map((one) => row("td", [one.name, percent(one.start), points(one.own), points(one.others), points(one.luck), percent(one.result), one.accuracy === null ? "–" : String(Math.round(one.accuracy))]));
    const wanted = review.decisions.filter((one) => review.turning_points.includes(one.index));
    const items = wanted.map((one) => {
      const item = make("li", { class: `verdict ${one.verdict}` },
        make("button", { type: "button", class: "plain", onclick: () => { for (const other of item.parentNode.children) other.classList.toggle("lit", other === item); open(one); } },
          make("strong", {}, `${review.accounts[one.player].name}, ${one.verdict}. `), one.sentence.replaceAll(" %", "\u00a0%")),
        make("button", { type: "button", class: "quiet", onclick: () => again(one) }, "Try it again"));
      return item;
    });
    box.replaceChildren(
      make("h2", {}, "Review"),
      make("table", { class: "accounts" }, row("th", ["", "start", "own play", "others", review.chance === false ? "unclear" : "luck", "end", "accuracy"]), ...accounts),
      wanted.length ? make("ol", { class: "turning-points" }, ...items) : make("p", {}, "No decision lost so much that the search is sure of it."),
    );
  }

  await follow("GET");
}

/** A turning point in one sentence, with the colours of its marks. */
export function compared(one) {
  return [make("span", { class: "was-played" }, `Played: ${one.played.label}, ${percent(one.played.chance)}. `), make("span", { class: "was-better" }, `Better: ${one.best.label}, ${percent(one.best.chance)}.`)];
}
