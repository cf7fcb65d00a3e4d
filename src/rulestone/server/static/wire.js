// The socket: comes back by itself, loses nothing.

const EVERY = 20000, SOON = 5000;       // milliseconds between pings; until a question without an answer makes one
const SILENCE = 6000, OPENING = 10000;  // until a ping without an answer, or a socket that does not open, counts as a lost line
const THINKING = 60000;                 // so long a hint may take: the server answers one message after the other

export class Wire {
  /** `hear(message)` gets every message that is no answer; `line(up)` is told when the connection comes and goes. */
  constructor(table, hear, line) {
    this.table = table;
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
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.wake(); });
  }

  get up() { return this.socket?.readyState === WebSocket.OPEN; }

  open() {
    this.forget();
    if (this.dead) return;
    const socket = this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/tables/${this.table}`);
    const on = (kind, act) => socket.addEventListener(kind, (event) => { if (socket === this.socket) act(event); });
    on("open", () => {
      clearTimeout(this.timer);
      this.delay = 300;
      this.line(true);
      // What was asked and not answered is asked again; moves and chat carry a key and undo its position, so each is done once.
      for (const id of this.waiting.keys()) this.put(id);
    });
    on("message", (event) => this.got(JSON.parse(event.data)));
    on("close", (event) => {
      if (event.code === 4401 || event.code === 4404) { this.dead = true; this.forget(); this.line(false, event.reason); } else this.lost();
    });
    this.timer = setTimeout(() => this.lost(), OPENING);
  }

  /** No more of the socket: a broken one closes only after minutes, and what it says then is not heard. */
  forget() {
    const old = this.socket;
    this.socket = null;
    clearTimeout(this.timer);
    old?.close();
  }

  /** The line is down: soon another one is tried. */
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

  /** Ask for something; resolves with the answer, rejects with {code, text}. */
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
    } else this.hear(message);
  }

  /** Is anybody there? If no answer comes, open anew. */
  probe() {
    const thinks = [...this.waiting.values()].some(({ message, since }) => message.do === "hint" && Date.now() - since < THINKING);
    if (!this.up || thinks) return;
    const { socket } = this;
    const timer = setTimeout(() => { if (socket === this.socket) this.lost(); }, SILENCE), done = () => clearTimeout(timer);
    this.ask("ping").then(done, done);
  }
}
