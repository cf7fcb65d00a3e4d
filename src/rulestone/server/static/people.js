// The people at a table: chat, quick words, muting, reporting, and what the host can do.
import { $, keepName, make, mark, settings, toast } from "./common.js";

const REASONS = ["Rude or hateful", "Advertising or spam", "Gives the game away", "Something else"];
const BUBBLE_STAYS = 6000;  // milliseconds that a plate shows what its player said while the chat is closed

/** The style sheet of all this. What it styles is shown once it is here, or can't be had. */
await new Promise((done) => {
  document.head.append(make("link", { rel: "stylesheet", href: new URL("./people.css", import.meta.url), onload: done, onerror: done }));
});

/** `table` gives what the page knows: `info()`, `ask(verb, body)` and `try(verb, body)` (which toasts refusals), `key()`, `news()`, `plates()`. */
export class People {
  constructor(table) {
    this.table = table;
    this.bubbles = new Map();
    this.muted = new Set(JSON.parse(settings.get("muted", "[]")));
    this.box = make("dialog", { class: "ask people", "aria-labelledby": "people-title" });
    document.body.append(this.box);
  }

  get info() { return this.table.info(); }
  get sits() { return this.info?.seats.some((seat) => seat.mine) ?? false; }

  /** Everything that was said. After the end of a game this comes again, with what spectators said. */
  all({ chats, me }) {
    this.lines = chats;
    this.me = me;
    this.draw();
  }

  heard(line) {
    this.lines.push(line);
    this.draw();
    if (line.who === this.me || this.muted.has(line.who) || $("pane-chat").checkVisibility({ checkVisibilityCSS: true })) return;
    this.table.news();
    if (line.seat === null) return;
    this.bubbles.set(line.seat, line.text);
    this.table.plates();
    setTimeout(() => { if (this.bubbles.get(line.seat) === line.text) { this.bubbles.delete(line.seat); this.table.plates(); } }, BUBBLE_STAYS);
  }

  /** What the player in a seat has just said, for their plate. */
  bubble(seat) { return this.bubbles.has(seat) ? make("span", { class: "bubble" }, this.bubbles.get(seat)) : null; }

  draw() {
    const shown = this.lines.filter((line) => !this.muted.has(line.who));
    $("chat").replaceChildren(...shown.map((line) => this.item(line)));
    $("chat").scrollTop = $("chat").scrollHeight;
    this.refresh();
  }

  item(line) {
    const hue = line.seat !== null && this.info ? this.info.seats[line.seat].hue : null;
    const author = [hue !== null ? mark(hue) : null, make("strong", {}, line.name), line.apart ? make("small", {}, " watching") : null];
    const other = line.who && line.who !== this.me;
    return make("li", {}, other
      ? make("button", { type: "button", class: "author", title: "Mute or report", onclick: () => this.person(line, line.text) }, ...author)
      : make("span", {}, ...author), ` ${line.text}`);
  }

  /** The table has changed: who reads what, whether the chat is open. */
  refresh() {
    const { info } = this;
    if (!info) return;
    const apart = !this.sits && info.started && !info.over;
    const notes = [info.hushed ? "The host has closed the chat." : apart ? "Only spectators read what you write, until the game is over." : "Everybody at the table reads this."];
    const silent = new Set(this.lines.filter((line) => this.muted.has(line.who)).map((line) => line.who)).size;
    if (silent) notes.push(silent === 1 ? "You have muted 1 person." : `You have muted ${silent} people.`);
    $("chat-note").textContent = notes.join(" ");
    for (const control of [...$("quick").children, $("words"), $("say").querySelector("[type=submit]")]) control.disabled = info.hushed;
  }

  /** Say something. What a person has written themselves goes back into the field if it is refused. */
  async say(text, written = false) {
    try { await this.table.ask("chat", { text, name: settings.get("name", ""), key: this.table.key() }); } catch (refusal) {
      if (refusal.code === "name-taken") this.rename(refusal.text, text); else toast(refusal.text);
      if (refusal.code !== "name-taken" && written && !$("words").value) $("words").value = text;
    }
  }

  // ---- the dialog ------------------------------------------------------------------------------------------------------

  show(title, ...children) {
    this.box.replaceChildren(make("h2", { id: "people-title" }, ...title), ...children);
    if (!this.box.open) this.box.showModal();
    (this.box.querySelector("[autofocus]") ?? this.box.querySelector("button"))?.focus();
  }

  close() { this.box.close(); }
  button(text, onclick, look = null) { return make("button", { type: "button", class: look, onclick }, text); }

  /** A spectator has the name of a player: ask for another one. */
  rename(why, text) {
    const name = make("input", { id: "chat-name", maxlength: 24, autocomplete: "nickname", autofocus: true });
    this.show(["Your name"], make("form", { onsubmit: (event) => {
      event.preventDefault();
      keepName(name.value.trim()).catch(() => {});
      this.close();
      this.say(text);
    } }, make("label", {}, why, name), make("p", { class: "buttons" }, make("button", { class: "primary" }, "Use this name"), this.button("Cancel", () => this.close()))));
  }

  mute(who, on) {
    if (on) this.muted.add(who); else this.muted.delete(who);
    this.bubbles.clear();
    this.table.plates();
    settings.set("muted", JSON.stringify([...this.muted].slice(-200)));
    this.draw();
  }

  /** What you can do about one person, and about a line they said. */
  person({ who, name, seat }, text = null) {
    const silent = this.muted.has(who), hue = seat !== null ? this.info.seats[seat].hue : null;
    this.show([hue !== null ? mark(hue) : "", name],
      text !== null ? make("blockquote", {}, text) : "",
      make("p", { class: "choices-down" },
        this.button(silent ? "Unmute" : "Mute", () => { this.mute(who, !silent); this.close(); toast(silent ? `You can read ${name} again.` : `You no longer see what ${name} writes.`); }),
        text !== null ? this.button("Report this message", () => this.report({ who, name }, text)) : null,
        this.info.host ? this.button("Remove from the table", () => this.remove({ who, name })) : null,
        this.button("Cancel", () => this.close(), "quiet")));
  }

  report({ who, name }, text) {
    const reason = make("select", { id: "report-reason", autofocus: true }, ...REASONS.map((said) => make("option", {}, said)));
    this.show([`Report ${name}`], make("blockquote", {}, text),
      make("label", {}, "What is wrong with it?", reason),
      make("p", { class: "muted" }, "The report goes to whoever runs this server."),
      make("p", { class: "buttons" }, this.button("Send report", async () => {
        this.close();
        if (await this.table.try("report", { who, text, reason: reason.value })) toast("Thank you. Your report was sent.");
      }, "primary"), this.button("Cancel", () => this.close())));
  }

  remove({ who, name }) {
    this.show([`Remove ${name}?`], make("p", {}, "They can't come back to this table, nor to a rematch."),
      make("p", { class: "buttons" }, this.button("Remove", async () => {
        this.close();
        if (await this.table.try("remove", { who })) toast(`${name} was removed.`);
      }, "primary"), this.button("Cancel", () => this.close())));
  }

  /** Everybody who is here or has said something. */
  list() {
    const { info } = this, known = new Map();
    for (const seat of info.seats) if (seat.who && !known.has(seat.who)) known.set(seat.who, { who: seat.who, name: seat.name, seat: seat.seat, mine: seat.mine });
    for (const line of this.lines) if (line.who && !known.has(line.who)) known.set(line.who, { who: line.who, name: line.name, seat: null, mine: line.who === this.me });
    for (const who of info.guests ?? []) if (!known.has(who)) known.set(who, { who, name: "A spectator", seat: null, mine: who === this.me });
    const rows = [...known.values()].map((one) => make("li", {},
      one.seat !== null ? mark(info.seats[one.seat].hue) : null,
      make("span", {}, one.name, make("small", {}, one.mine ? " you" : one.seat === null ? " watching" : "", this.muted.has(one.who) ? " · muted" : "")),
      one.mine ? null : make("button", { type: "button", class: "small", "aria-label": `${one.name}: ${this.muted.has(one.who) ? "unmute" : "mute"}${info.host ? ", remove" : ""}`, onclick: () => this.person(one) }, "…")));
    this.show(["People"], make("ul", { class: "people-list" }, ...rows),
      make("p", { class: "buttons" },
        this.button("Close", () => this.close(), "primary"),
        info.host ? this.button(info.hushed ? "Open the chat" : "Close the chat for everybody", () => { this.close(); this.table.try("hush", { on: !info.hushed }); }) : null));
  }
}
