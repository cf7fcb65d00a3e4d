// The board in words, in place of the picture: for people who can't see it, and for everyone who would rather read. The words come from
// the server, and only while they are wanted; so does this script.
import { spoken } from "./aloud.js";
import { $, make, settings } from "./common.js";

/** What to do, without what only the picture shows. */
const unseen = (text) => spoken(text)?.replaceAll("glowing ", "").replaceAll(/\b([Cc])lick\b/g, (_, c) => `${c}hoose`);

export class Words {
  /** `read()` fetches the parts of the position on the board; `changed()` is called when the words are switched on or off. */
  constructor(board, read, changed = () => {}) {
    this.board = board;
    this.read = read;
    this.changed = changed;
    this.ticket = 0;
    this.on = false;
    this.title = make("h2", { tabindex: "-1" }, "Your moves");
    this.moves = make("section", { "aria-label": "Your moves" }, this.title);
    this.parts = make("div", {});
    this.box = make("section", { class: "in-words", id: "in-words", "aria-label": "Board in words", tabindex: "-1", hidden: true }, this.parts, this.moves);
    this.doors = [...document.querySelectorAll("[data-do=words]")];
    this.note = make("p", { class: "muted" }, "Your moves are listed with the board in words.");
    this.home = $("movelist")?.parentElement;
    board.prepend(this.box);
  }

  /** Switch between the picture and the words, for whoever pressed a button. */
  turn() {
    $("menu")?.removeAttribute("open");
    this.set(!this.on);
    if (this.on) this.box.focus();
  }

  set(on) {
    this.on = on;
    settings.set("words", on ? "on" : "off");
    for (const door of this.doors) door.setAttribute("aria-pressed", on);
    this.board.classList.toggle("worded", on);
    this.box.hidden = !on;
    if (this.home) {
      (on ? this.moves : this.home).append($("movelist"));
      (on ? this.home : this.moves).append(this.note);
    }
    this.moves.hidden = !this.home;
    this.note.hidden = !on;
    this.changed();
  }

  /** What the server says about a position, as it should be read aloud. */
  speak(said) {
    if (!this.on) return said;
    for (const name of ["prompt", "unaided", "goal", "text", "says"]) if (said[name]) said[name] = unseen(said[name]);
    if (said.story?.lines) said.story.lines = said.story.lines.map(spoken);
    for (const move of said.moves ?? []) { move.label = spoken(move.label); move.sure = spoken(move.sure); }
    return said;
  }

  /** The position has changed. */
  async update() {
    if (!this.on) return;
    const mine = ++this.ticket;
    let parts;
    try { parts = await this.read(); } catch { return; }  // the next position asks again
    if (mine === this.ticket) this.show(parts);
  }

  /** Show the parts, but leave those that are the same as they are, so that nobody loses their place in them. */
  show(parts) {
    const old = new Map([...this.parts.children].map((element) => [element.dataset.says, element]));
    const now = parts.map((part) => { const says = JSON.stringify(part); return old.get(says) ?? this.part(part, says); });
    for (const element of [...this.parts.children]) if (!now.includes(element)) element.remove();
    now.forEach((element, k) => { if (this.parts.children[k] !== element) this.parts.insertBefore(element, this.parts.children[k] ?? null); });
  }

  part({ title, lines, head, rows }, says) {
    const cells = (row, k) => make("tr", {}, ...row.map((cell, column) => make(k < 0 || !column ? "th" : "td", { scope: k < 0 ? "col" : column ? null : "row" }, cell)));
    const table = rows.length ? make("div", { class: "wide", tabindex: "0", role: "group", "aria-label": title }, make("table", {}, make("thead", {}, cells(head, -1)), make("tbody", {}, ...rows.map(cells)))) : null;
    return make("section", { "data-says": says }, make("h2", {}, title), lines.length ? make("ul", {}, ...lines.map((line) => make("li", {}, line))) : null, table);
  }
}
