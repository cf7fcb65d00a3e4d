// The WebSocket: reconnects by itself and loses nothing.

import { narrow } from "./common.js";

const EVERY = 20000, SOON = 5000;       // milliseconds between pings, and until an unanswered message triggers one
const SILENCE = 6000, OPENING = 10000;  // until an unanswered ping, or a socket that doesn't open, counts as a lost connection
const RESTART = 1012;                   // why a socket was closed: the server leaves, and another one (or itself) is back in a moment
const THINKING = 60000;                 // how long a hint may take: the server answers messages one at a time

export class Wire {
  /** `hear(message)` gets every message that isn't an answer; `line(up)` is called when the connection comes up or goes down; `drawn` is the fingerprint of the picture that the page came with. */
  constructor(table, hear, line, drawn = "") {
    this.table = table;
    this.drawn = drawn;
    this.hear = hear;
    this.line = line;
    this.waiting = new Map();
    this.number = 0;
    this.delay = 300;
    this.dead = false;
    this.socket = null;
    this.open();
    setInterval(() => this.probe(), EVERY);
    addEventListener("offline", () => this.lost());
    addEventListener("online", () => this.wake());
    narrow.addEventListener("change", () => this.ask("layout", { narrow: narrow.matches }).catch(() => {}));
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.wake(); });
  }

  get up() { return this.socket?.readyState === WebSocket.OPEN; }

  open() {
    this.forget();
    if (this.dead) return;
    const socket = this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/tables/${this.table}?${narrow.matches ? "narrow=1&" : ""}drawn=${this.drawn}`);
    const on = (kind, act) => socket.addEventListener(kind, (event) => { if (socket === this.socket) act(event); });
    on("open", () => {
      clearTimeout(this.timer);
      this.delay = 300;
      this.line(true);
      // Send unanswered requests again. Moves and chat carry a key, undo carries its position, so each happens only once.
      for (const id of this.waiting.keys()) this.put(id);
    });
    on("message", (event) => this.got(JSON.parse(event.data)));
    on("close", (event) => {
      if (event.code === RESTART) this.delay = 500 + Math.random() * 2500;  // everybody is sent away at once, and should not come back at once
      if (event.code === 4401 || event.code === 4404) { this.dead = true; this.forget(); this.line(false, event.reason); } else this.lost();
    });
    this.timer = setTimeout(() => this.lost(), OPENING);
  }

  /** Drop the socket. A broken one can take minutes to close; anything it still sends is ignored. */
  forget() {
    const old = this.socket;
    this.socket = null;
    clearTimeout(this.timer);
    old?.close();
  }

  /** The connection is down: try again soon. */
  lost() {
    if (this.dead) return;
    this.forget();
    this.line(false);
    this.timer = setTimeout(() => this.open(), this.delay * (0.8 + Math.random() * 0.4));
    this.delay = Math.min(4000, this.delay * 1.7);
  }

  wake() { if (this.up) this.probe(); else this.open(); }

  put(id) {
    const asked = this.waiting.get(id);
    asked.since = Date.now();
    if (this.up) this.socket.send(JSON.stringify({ ...asked.message, id }));
  }

  /** Send a request. Resolves with the answer, rejects with {code, text}. */
  ask(verb, body = {}) {
    const id = ++this.number;
    if (verb !== "ping") setTimeout(() => { if (this.waiting.has(id)) this.probe(); }, SOON);
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { message: { do: verb, ...body }, resolve, reject });
      this.put(id);
    });
  }

  got(message) {
    const asked = this.waiting.get(message.id);
    if ((message.t === "ok" || message.t === "refused") && asked) {
      this.waiting.delete(message.id);
      if (message.t === "ok") asked.resolve(message); else asked.reject(message);
    } else {
      if (message.t === "state") this.drawn = "";  // from now on the picture is another one
      this.hear(message);
    }
  }

  /** Check the connection with a ping; reconnect if there is no answer. */
  probe() {
    const thinks = [...this.waiting.values()].some(({ message, since }) => message.do === "hint" && Date.now() - since < THINKING);
    if (!this.up || thinks) return;
    const { socket } = this;
    const timer = setTimeout(() => { if (socket === this.socket) this.lost(); }, SILENCE), done = () => clearTimeout(timer);
    this.ask("ping").then(done, done);
  }
}
