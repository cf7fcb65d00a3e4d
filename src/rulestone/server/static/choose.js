// Choosing a move step by step. What can be clicked glows. A click keeps only the moves that include that thing; once one move is left,
// it is played. A click elsewhere, or Escape, cancels a half-made choice. A thing with a route (an end dot several moves away) becomes
// the aim: moves are played as long as only one leads there; if several do, they glow.
import { make } from "./common.js";

const MANY = 10, FEW = 6, FINGER = 28;
const SKIPPED = 400;  // milliseconds in which a space still means "skip the animation", not the thing that has just received focus
const NEXT = "choose a glowing place, or go back.";
const phone = matchMedia("(max-width: 639px)");

export class Chooser {
  /** `ask` = {play(move), prompt(text), why(id), name(id)}; `places` = {choices, list, back}. */
  constructor(stage, places, ask) {
    this.stage = stage;
    this.places = places;
    this.ask = ask;
    this.moves = [];
    this.chosen = [];
    this.anyOrder = false;
    this.sure = null;
    this.verb = null;
    this.hinted = [];
    this.aim = null;
    this.marked = new Set();
    this.byKeys = false;  // whether the last input came from the keyboard
    this.given = -Infinity;  // when a thing last received focus
    this.played = -Infinity;  // when a move was last played
    this.pressed = 0;  // when the first click of a single or double click came
    addEventListener("keydown", () => { this.byKeys = true; }, true);
    addEventListener("pointerdown", () => { this.byKeys = false; }, true);
    const svg = stage.svg;
    svg.addEventListener("click", (event) => {
      const again = event.detail > 1 && this.played >= this.pressed;  // the second click of a double click whose first one has played a move
      if (event.detail < 2) this.pressed = performance.now();
      if (this.drag !== "done" && !again) this.clicked(event.target);
      this.drag = null;
    });
    svg.addEventListener("pointerdown", (event) => this.grab(event));
    document.addEventListener("pointermove", (event) => this.pull(event));
    document.addEventListener("pointerup", (event) => this.release(event));
    svg.addEventListener("keydown", (event) => {
      if ((event.key === "Enter" || event.key === " ") && event.target.classList?.contains("glow")) { event.preventDefault(); if (!event.repeat && !(event.key === " " && performance.now() < this.given + SKIPPED)) this.clicked(event.target); }
    });
    for (const kind of ["pointerover", "focusin"]) svg.addEventListener(kind, (event) => { if (event.target !== svg || kind !== "focusin") this.pointed(event.target); });
    for (const kind of ["pointerleave", "focusout"]) svg.addEventListener(kind, () => this.pointed(null));
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") this.reset(); });
    document.addEventListener("click", (event) => { if (!event.target.closest("button, a, summary, input, select, .side, svg.scene")) this.reset(); });
    places.back.addEventListener("click", () => this.back());
  }

  set(moves, anyOrder) {
    this.moves = moves;
    this.anyOrder = anyOrder;
    this.chosen = [];
    this.sure = this.verb = this.hintedAction = null;
    this.hinted = [];
    if (moves.length && !this.towards(this.aim).length) this.aim = null;
    this.refresh();
    this.list();
    if (this.aim && moves.length) this.goOn();
  }

  /** The moves that lead towards a thing that is more than one move away. */
  towards(id) {
    const route = (id && this.stage.thing(id)?.dataset.route?.split("|")) || [];
    return this.moves.filter((move) => route.includes(move.move));
  }

  /** Play the next move towards the aim, or offer the choice if there are several. */
  goOn() {
    const ways = this.towards(this.aim);
    if (ways.length === 1) { this.decide(ways[0]); return; }
    this.refresh();
    this.ask.prompt(`Several routes lead there: ${NEXT}`);
  }

  /** What remains to be clicked for a move after these things; null if the move doesn't include them. */
  rest(move, chosen = this.chosen) {
    if (!this.anyOrder) return chosen.every((id, k) => move.picks[k] === id) ? move.picks.slice(chosen.length) : null;
    const rest = [...move.picks];
    for (const id of chosen) { const k = rest.indexOf(id); if (k < 0) return null; rest.splice(k, 1); }
    return rest;
  }

  /** The moves that include everything chosen so far. */
  left() { return this.moves.filter((move) => this.rest(move)); }

  /** What can be clicked next for a move. */
  next(move) { return this.anyOrder ? this.rest(move) : this.rest(move).slice(0, 1); }

  refresh() {
    for (const element of this.marked) { this.ring(element, false); element.classList.remove("glow", "chosen", "hinted"); element.removeAttribute("tabindex"); element.removeAttribute("role"); element.removeAttribute("aria-label"); }
    this.marked.clear();
    const left = this.left().filter((move) => !this.aim || this.towards(this.aim).includes(move));
    const glowing = new Map();
    if (!this.sure && !this.aim && !this.chosen.length) {
      for (const { id } of this.stage.svg.querySelectorAll("[data-route]:not(:empty)")) if (this.towards(id).length) glowing.set(id, []);
    }
    if (!this.sure) for (const move of left) for (const id of this.next(move)) glowing.set(id, [...(glowing.get(id) ?? []), move]);
    for (const [id, moves] of glowing) {
      const element = this.stage.thing(id);
      if (!element) continue;
      element.classList.add("glow");
      element.setAttribute("tabindex", "0");
      element.setAttribute("role", "button");
      element.setAttribute("aria-label", moves.length === 1 ? moves[0].label : this.ask.name(id));
      this.marked.add(element);
    }
    for (const [ids, name] of [[this.aim ? [...this.chosen, this.aim] : this.chosen, "chosen"], [this.hinted, "hinted"]]) {
      for (const id of ids) { const element = this.stage.thing(id); if (element) { element.classList.add(name); this.marked.add(element); } }
    }
    for (const element of this.marked) this.ring(element);
    this.glowing = glowing;
    this.places.back.hidden = !this.halfMade();
    this.buttons(left);
    this.pointed(null);
    this.focus();
  }

  /** A light line on the dark edge of a thing: a copy of its outline, or a box around it if its first part has none. */
  ring(element, on = true) {
    element.querySelector(":scope > .halo")?.remove();
    const outline = element.firstElementChild;
    if (!on || !outline) return;
    const halo = outline.isPointInFill ? outline.cloneNode() : document.createElementNS(outline.namespaceURI, "rect");
    if (halo.tagName === "rect" && halo.tagName !== outline.tagName) {
      const { x, y, width, height } = element.getBBox();
      for (const [name, value] of Object.entries({ x: x - 3, y: y - 3, width: width + 6, height: height + 6, rx: 8 })) halo.setAttribute(name, value);
    }
    halo.removeAttribute("id");
    halo.setAttribute("class", "halo");
    outline.after(halo);
  }

  /** Keep the focus on the board for players who use the keyboard, without ever taking it from anything else. */
  focus() {
    const on = document.activeElement;
    const nowhere = !on || on === document.body || (this.stage.svg.contains(on) && !on.classList.contains("glow"));
    const first = this.byKeys && nowhere && this.stage.svg.querySelector(".glow");
    if (!first) return;
    first.focus({ preventScroll: true });
    this.given = performance.now();
  }

  /** Moves that need no further click, as buttons; if there are many, grouped by verb first. */
  buttons(left) {
    const box = this.places.choices;
    if (this.sure) {
      this.ask.prompt(this.sure.sure);
      box.replaceChildren(
        make("button", { type: "button", class: "primary", onclick: () => { if (this.sure) this.play(this.sure); } }, this.sure.label),
        make("button", { type: "button", onclick: () => this.back() }, "No, go back"));
      if (this.byKeys) box.firstElementChild.focus({ preventScroll: true });
      return;
    }
    // On a phone, a few moves to small things also get buttons, unless something further away can be tapped.
    const offered = phone.matches && left.length <= FEW && ![...this.glowing.values()].some((moves) => !moves.length);
    const small = (id) => offered && this.stage.thing(id).getBoundingClientRect().height < FINGER;
    const asButton = (move) => this.next(move).some((id) => !this.stage.thing(id) || (this.rest(move).length === 1 && small(id)));
    let ready = left.filter((move) => !this.next(move).length || asButton(move));
    const verbs = [...new Set(ready.map((move) => move.move.split(" ")[0]))];
    if (ready.length > MANY && verbs.length > 1 && !this.verb) {
      box.replaceChildren(...verbs.map((verb) => {
        const same = ready.filter((move) => move.move.split(" ")[0] === verb);
        return same.length === 1 ? this.button(same[0]) : make("button", { type: "button", onclick: () => { this.verb = verb; this.refresh(); } }, `${words(verb)} … (${same.length})`);
      }));
      return;
    }
    if (this.verb) ready = ready.filter((move) => move.move.split(" ")[0] === this.verb);
    box.replaceChildren(...ready.map((move) => this.button(move)));
  }

  button(move) {
    return make("button", { type: "button", class: this.hinted.length === 0 && this.hintedAction === move.action ? "hinted" : "", "data-move": move.move, onclick: () => this.decide(move) }, move.label);
  }

  /** Every move as a labelled button, for keyboards and screen readers. */
  list() {
    this.places.list.replaceChildren(...(this.moves.length
      ? this.moves.map((move) => make("button", { type: "button", "data-move": move.move, onclick: () => this.decide(move) }, move.label))
      : [make("p", { class: "muted" }, "You have no moves right now.")]));
  }

  decide(move) {
    if (!this.moves.includes(move)) return;
    if (move.sure) { this.sure = move; this.chosen = [...move.picks]; this.refresh(); return; }
    this.play(move);
  }

  /** Play a move. There's nothing to choose until the answer arrives, so a second click plays nothing. */
  play(move) {
    this.played = performance.now();
    this.set([], false);
    this.ask.play(move);
  }

  /** Choose the nearest glowing thing around the clicked element. If there is none, cancel the half-made choice and look again. */
  clicked(target) {
    if (!this.moves.length) return;
    const ids = [];
    for (let element = target; element && element !== this.stage.svg; element = element.parentElement) if (element.id) ids.push(element.id);
    let glows = ids.find((id) => this.glowing.has(id));
    const of = !glows && target.closest?.("[data-hover]")?.dataset.hover;  // a button that appears while the mouse is over its thing
    if (of && this.glowing.has(of)) { this.choose(of); glows = ids.find((id) => this.glowing.has(id)); }
    const again = !of && ids.find((id) => this.chosen.includes(id));
    if (!glows && again) { this.back(); return; }
    const halfMade = this.reset(!glows);
    glows ??= ids.find((id) => this.glowing.has(id));
    if (glows) this.choose(glows); else if (ids.length && !halfMade) this.ask.why(ids[0]);
  }

  /** The nearest glowing thing around an element. */
  glowAt(target) {
    for (let element = target; element && element !== this.stage.svg; element = element.parentElement) if (this.glowing?.has(element.id)) return element;
    return null;
  }

  // Dragging one thing onto another (with a mouse or pen; fingers scroll) is the same as clicking both.

  grab(event) {
    const thing = event.pointerType === "touch" || this.chosen.length || event.button ? null : this.glowAt(event.target);
    this.drag = thing && { thing, x: event.clientX, y: event.clientY, copy: null };
  }

  pull(event) {
    const drag = this.drag;
    if (!drag?.thing || Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 12) return;
    const { id } = drag.thing;
    if (!drag.copy) {
      if (!this.left().some((move) => this.next(move).includes(id) && move.picks.length > 1)) { this.drag = null; return; }
      this.chosen = [id];
      this.refresh();
      drag.copy = this.stage.ghost(drag.thing);
      drag.copy.classList.add("dragged");
    }
    const turn = drag.thing.parentNode.getScreenCTM().inverse();
    const [from, to] = [[drag.x, drag.y], [event.clientX, event.clientY]].map(([x, y]) => new DOMPoint(x, y).matrixTransform(turn));
    drag.copy.style.translate = `${to.x - from.x}px ${to.y - from.y}px`;
    this.pointed(document.elementFromPoint(event.clientX, event.clientY));
  }

  release(event) {
    const copy = this.drag?.copy;
    if (!copy) return;
    copy.remove();
    this.drag = "done";  // the click that follows belongs to the drag
    setTimeout(() => { this.drag = null; });
    const goal = this.glowAt(document.elementFromPoint(event.clientX, event.clientY));
    if (goal) this.choose(goal.id); else this.reset();
  }

  choose(id) {
    if (this.glowing.get(id)?.length === 0) { this.aim = id; this.goOn(); return; }
    this.chosen.push(id);
    this.verb = null;
    const left = this.left();
    if (left.length === 1 && !this.rest(left[0]).some((other) => this.chosen.includes(other))) { this.decide(left[0]); return; }  // a thing named twice is clicked twice
    this.refresh();
    this.ask.prompt(`${this.ask.name(id)}: ${NEXT}`);
  }

  /** Go back one step. */
  back() {
    this.aim = null;
    if (this.sure) { this.sure = null; this.chosen = []; } else if (this.verb) this.verb = null; else this.chosen.pop();
    this.refresh();
    this.ask.prompt(null);
  }

  /** Whether a choice is half made. */
  halfMade() { return Boolean(this.chosen.length || this.sure || this.verb || this.aim); }

  /** Cancel the whole choice (if `really`). Returns whether one was half made. */
  reset(really = true) {
    const halfMade = this.halfMade();
    if (!halfMade || !really) return halfMade;
    this.chosen = [];
    this.sure = this.verb = this.aim = null;
    this.refresh();
    this.ask.prompt(null);
    return true;
  }

  hint(move) {
    this.chosen = [];
    this.aim = null;
    this.hinted = move.picks;
    this.hintedAction = move.action;
    this.refresh();
  }

  /** Previews: things shown only while the mouse is over another thing, or while it is chosen. */
  pointed(target) {
    const ids = new Set(this.chosen), at = this.glowAt(target), [only, ...others] = (at && this.glowing.get(at.id)) ?? [];
    const meant = new Set(only && !others.length ? this.rest(only).filter((id) => id !== at.id).map((id) => this.stage.thing(id)) : []);  // what one click would choose as well
    for (const old of this.stage.svg.querySelectorAll(".meant")) if (!meant.has(old)) { old.classList.remove("meant"); if (!this.marked.has(old)) this.ring(old, false); }
    for (const thing of meant) if (thing) { thing.classList.add("meant"); this.ring(thing); }
    for (let element = target; element && element !== this.stage.svg; element = element.parentElement) for (const id of [element.id, element.dataset.hover]) if (id) ids.add(id);
    for (const preview of this.stage.svg.querySelectorAll("[data-hover]")) {
      const id = preview.dataset.hover;
      preview.classList.toggle("shown", ids.has(id) && (this.glowing?.has(id) || this.chosen.includes(id)));
    }
  }
}

function words(verb) { const text = verb.replaceAll("_", " "); return text[0].toUpperCase() + text.slice(1); }
