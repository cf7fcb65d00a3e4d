// The socket: comes back by itself, loses nothing.

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
    this.open();
    setInterval(() => this.probe(), 20000);
    addEventListener("online", () => this.probe());
    document.addEventListener("visibilitychange", () => { if (!document.hidden) this.probe(); });
  }

  open() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/ws/tables/${this.table}`);
    this.socket.addEventListener("open", () => {
      this.delay = 300;
      this.line(true);
      // What was asked and not answered is asked again; moves and chat carry a key and undo its position, so each is done once.
      for (const [id, { message }] of this.waiting) this.put({ ...message, id });
    });
    this.socket.addEventListener("message", (event) => this.got(JSON.parse(event.data)));
    this.socket.addEventListener("close", (event) => {
      if (event.code === 4401 || event.code === 4404) { this.dead = true; this.line(false, event.reason); return; }
      this.line(false);
      setTimeout(() => this.open(), this.delay * (0.8 + Math.random() * 0.4));
      this.delay = Math.min(4000, this.delay * 1.7);
    });
  }

  put(message) { if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message)); }

  /** Ask for something; resolves with the answer, rejects with {code, text}. */
  ask(verb, body = {}) {
    const id = ++this.number;
    const message = { do: verb, ...body };
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { message, resolve, reject });
      this.put({ ...message, id });
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
    if (this.dead || this.socket.readyState !== WebSocket.OPEN) return;
    const timer = setTimeout(() => this.socket.close(), 6000);
    this.ask("ping").then(() => clearTimeout(timer), () => clearTimeout(timer));
  }
}
