// The stage keeps an SVG in sync with scenes. Things are matched by id: one with a new place travels, one with a new face flips.

const SVG = "http://www.w3.org/2000/svg";
const EASE = "cubic-bezier(.3,.1,.25,1)";
const APPEAR = new Set(["roll", "flip"]);  // motions of things that steps bring into the picture and remove again
const RUSH = 0.3;  // share of the usual time
const calmer = matchMedia("(prefers-reduced-motion: reduce)");
const parser = new DOMParser();

const wait = (ms) => new Promise((done) => setTimeout(done, ms));

/** An SVG transform attribute as a CSS transform. */
function css(transform) {
  return (transform || "").replace(/(translate|rotate|scale)\(([^)]*)\)/g, (_, name, given) => {
    const [a, b] = given.trim().split(/[\s,]+/);
    if (name === "translate") return `translate(${a}px, ${b ?? 0}px)`;
    return name === "rotate" ? `rotate(${a}deg)` : `scale(${a}${b ? `, ${b}` : ""})`;
  }) || "none";
}

/** Whether something waits outside the picture, far to the left, until a step brings it in. */
const outside = (transform) => /^translate\(-\d{4}/.test(transform || "");

const down = (element) => new DOMMatrix(css(element.getAttribute("transform"))).f;

export class Stage {
  constructor(svg) {
    this.svg = svg;
    this.data = null;
    this.pace = 1;      // 1 calm, 0.5 brisk, 0 instant
    this.rush = 1;      // less when moves arrive faster than they can be shown
    this.skipping = false;
    this.still = false;  // whether boards that turn are kept still
    this.running = new Set();
    this.turned = new Set();   // places where a step has flipped something
    this.strayed = new Set();  // what steps have moved, so the next scene must put it back
  }

  get speed() { return calmer.matches || this.skipping ? 0 : this.pace * this.rush; }

  /** Speed up while many moves are waiting to be shown. */
  hurry(on) {
    if (on && this.rush === 1) for (const motion of this.running) motion.updatePlaybackRate(1 / RUSH);
    this.rush = on ? RUSH : 1;
  }

  /** The whole scene after a message, which has a full scene, the difference from the previous one, or only what isn't on the page already. */
  merge(scene, isDifference) {
    if (!scene.parts) {
      const parts = [...this.svg.children].map((part) => [part.id, new XMLSerializer().serializeToString(part)]);
      return { ...scene, parts: Object.fromEntries(parts), order: parts.map(([id]) => id), drawn: !this.still };
    }
    if (!isDifference || !this.data) return scene;
    const merged = { ...this.data, ...scene };
    for (const name of ["parts", "cards"]) {
      merged[name] = { ...this.data[name] };
      for (const [id, value] of Object.entries(scene[name] ?? {})) if (value === null) delete merged[name][id]; else merged[name][id] = value;
    }
    return merged;
  }

  /** Show a scene: first the steps that lead there, then the scene itself. `lit(event)` is called with the sentence to highlight. */
  async show(scene, steps = [], lit = () => {}) {
    const travels = steps.some((step) => Object.keys(step.go).length || step.flash.length || step.show);
    if (travels && this.speed) {
      for (const step of steps) await this.step(step, lit);
      this.patch(scene);
      await this.rest(120);
    } else {
      this.patch(scene);
      for (const step of steps) {
        if (step.event !== null) lit(step.event);
        await this.rest(Math.min(step.ms, 1400 / steps.length));
      }
      await this.settled();
    }
    lit(null);
    this.skipping = false;
  }

  async rest(ms) {
    const until = performance.now() + ms * this.speed;
    while (!this.skipping && performance.now() < until) await wait(Math.min(40, until - performance.now()));
  }

  async settled() {
    await Promise.race([Promise.allSettled([...this.running].map((motion) => motion.finished)), wait(900)]);
  }

  /** On a click or space: jump to the end of the animation. */
  skip() {
    this.skipping = true;
    for (const motion of this.running) motion.finish();
  }

  async step(step, lit) {
    if (step.event !== null) lit(step.event);
    for (const text of step.show ?? []) this.reveal(this.parse(text));
    const flashed = step.flash.map((id) => this.thing(id)).filter(Boolean);
    for (const element of flashed) element.classList.add("flash");
    for (const [id, place] of Object.entries(step.go)) {
      const element = this.thing(id);
      if (!element) continue;
      const from = element.getAttribute("transform");
      element.setAttribute("transform", place);
      element.parentNode.append(element);
      this.strayed.add(element);
      this.travel(element, from, place, step.ms);
    }
    await this.rest(step.ms);
    for (const element of flashed) element.classList.remove("flash");
  }

  /** A thing as it looks until the next scene: it may show what neither the scene before nor the next one does. */
  reveal(fresh) {
    const element = this.thing(fresh.id);
    if (element) { this.morph(element, fresh); this.strayed.add(element); } else { this.svg.append(fresh); this.enter(fresh); }
  }

  thing(id) {
    return this.svg.querySelector(`#${CSS.escape(id)}`);
  }

  /** The part of the scene that an element belongs to. */
  part(element) {
    while (element?.parentNode && element.parentNode !== this.svg) element = element.parentNode;
    return element;
  }

  /** A part from its text. If the board is kept still, turning things get their other place, and things further back come first. */
  parse(text) {
    const element = document.importNode(parser.parseFromString(`<svg xmlns="${SVG}">${text}</svg>`, "image/svg+xml").documentElement.firstElementChild, true);
    if (!this.still) return element;
    const all = [element, ...element.querySelectorAll("[data-still], .deep")];
    for (const part of all) if (part.dataset.still !== undefined) part.setAttribute("transform", part.dataset.still);
    for (const part of all) if (part.classList.contains("deep")) part.append(...[...part.children].sort((a, b) => down(a) - down(b)));
    return element;
  }

  /** Keep turning boards still, or let them turn. */
  keep(still) {
    this.still = still;
    this.svg.classList.toggle("still", still);
    for (const [id, text] of Object.entries(this.data?.parts ?? {})) {
      const element = text.includes("data-still") && this.thing(id);
      if (element) this.morph(element, this.parse(text));
    }
  }

  // ---- matching ---------------------------------------------------------------------------------------------------------

  patch(scene) {
    const old = this.data;
    const strayed = new Set([...this.strayed].map((element) => this.part(element)));
    this.strayed.clear();
    this.data = scene;
    this.svg.setAttribute("viewBox", `0 0 ${scene.size[0]} ${scene.size[1]}`);
    this.svg.setAttribute("aria-label", scene.title);
    this.svg.style.setProperty("--ratio", scene.size[1] / scene.size[0]);
    const table = this.svg.closest(".table");
    table?.classList.toggle("tall", scene.size[0] < 1.2 * scene.size[1]);
    table?.classList.toggle("panels", Boolean(scene.panels));
    const has = new Map([...this.svg.children].map((child) => [child.id, child]));
    for (const [id, element] of has) if (!(id in scene.parts)) this.leave(element);
    let place = this.svg.firstElementChild;
    const skipGone = () => { while (place && (place.dataset.gone || !(place.id in scene.parts))) place = place.nextElementSibling; };
    for (const id of scene.order) {
      skipGone();
      let element = has.get(id);
      if (element?.dataset.gone) element = undefined;
      if (!element) {
        element = this.parse(scene.parts[id]);
        this.svg.insertBefore(element, place);
        if (old) this.enter(element);
      } else {
        if (old ? strayed.has(element) || old.parts[id] !== scene.parts[id] : !scene.drawn) this.morph(element, this.parse(scene.parts[id]), Boolean(old));
        if (element === place) place = place.nextElementSibling; else this.svg.insertBefore(element, place);
      }
    }
    this.turned.clear();
    if (!old) for (const element of this.svg.querySelectorAll("[data-motion=roll], [data-motion=late]")) this.enter(element);  // shown at the start as well
  }

  morph(element, fresh, moving = true) {
    const before = { place: element.getAttribute("transform"), face: element.dataset.face, again: element.dataset.again };
    const flips = moving && this.speed && before.face !== undefined && fresh.dataset.face !== before.face && ![...this.turned].some((turned) => before.place?.startsWith(turned));
    const back = flips ? this.ghost(element) : null;
    for (const { name } of [...element.attributes]) if (!fresh.hasAttribute(name)) element.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes]) if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    this.children(element, fresh, moving);
    if (!moving) return;
    const place = element.getAttribute("transform");
    if (place !== before.place) for (const moved of [element, back]) if (moved) this.travel(moved, before.place, place, 380);
    if (element.dataset.again !== undefined && element.dataset.again !== before.again) this.shake(element);
    if (back) this.flip(element, back);
  }

  children(element, fresh, moving) {
    if (!fresh.querySelector("[id]") && !element.querySelector("[id]")) {
      if (element.innerHTML !== fresh.innerHTML) element.replaceChildren(...fresh.childNodes);
      return;
    }
    const has = new Map([...element.children].filter((child) => child.id).map((child) => [child.id, child]));
    const next = [...fresh.children].map((child) => {
      const known = child.id && has.get(child.id);
      if (!known) { if (child.id && moving) queueMicrotask(() => this.enter(child)); return child; }
      this.morph(known, child, moving);
      has.delete(child.id);
      return known;
    });
    if (moving) for (const child of has.values()) this.leave(child);
    element.replaceChildren(...next, ...[...element.children].filter((child) => child.dataset.gone));
  }

  // ---- motion -----------------------------------------------------------------------------------------------------------

  run(element, frames, options) {
    const motion = element.animate(frames, { easing: EASE, ...options, duration: options.duration * this.speed, delay: (options.delay ?? 0) * this.speed });
    this.running.add(motion);
    motion.finished.catch(() => {}).finally(() => this.running.delete(motion));
    return motion;
  }

  travel(element, from, to, ms) {
    if (!this.speed || element.dataset.motion === "still") return;
    const [a, b] = [css(from), css(to)];
    if (APPEAR.has(element.dataset.motion) && outside(to)) return;
    if (element.dataset.motion === "roll" && (from === to || outside(from))) { this.shake(element); return; }
    if (element.dataset.motion === "flip" && (from === to || outside(from))) {
      this.turned.add(to);
      this.run(element, [{ transform: "scaleX(0.02)" }, { transform: "scaleX(1)" }], { duration: Math.min(ms, 300), easing: "ease-out", composite: "add" });
    } else if (element.dataset.motion === "hop") {
      this.run(element, [{ transform: a }, { transform: `translate(0px, -34px) ${b}`, offset: 0.55 }, { transform: b }], { duration: ms });
    } else {
      this.run(element, [{ transform: a }, { transform: b }], { duration: ms });
    }
  }

  placeOf(where, own) {
    if (!where) return null;
    if (/^-?[\d.]/.test(where)) { const [x, y] = where.split(" "); return `translate(${x} ${y})`; }
    const other = this.thing(where);
    return other && other !== own ? other.getAttribute("transform") : null;
  }

  enter(element) {
    if (!this.speed) return;
    for (const inner of element.querySelectorAll("[data-come]")) this.enter(inner);
    const here = css(element.getAttribute("transform"));
    const from = this.placeOf(element.dataset.come, element);
    const motion = element.dataset.motion;
    if (motion === "still" || (APPEAR.has(motion) && outside(element.getAttribute("transform")))) return;
    if (motion === "late") { this.run(element, [{ opacity: 0 }, { opacity: 1 }], { duration: 300, delay: 1100, fill: "backwards" }); return; }
    if (motion === "roll") {
      this.run(element, [{ transform: from ? css(from) : here }, { transform: here }], { duration: 900 });
      this.run(element, [{ transform: "rotate(-900deg)" }, { transform: "rotate(0deg)" }], { duration: 900, composite: "add" });
      return;
    }
    if (motion === "flip") this.run(element, [{ transform: "scaleX(0.02)" }, { transform: "scaleX(1)" }], { duration: 240, delay: from ? 300 : 0, easing: "ease-out", composite: "add", fill: "backwards" });
    if (from && motion === "drop") this.fall(element, css(from), here);
    else if (from) this.run(element, [{ transform: css(from), opacity: 0.2 }, { opacity: 1, offset: 0.3 }, { transform: here, opacity: 1 }], { duration: 420 });
    else this.run(element, [{ opacity: 0, offset: 0 }], { duration: 260 });
  }

  /** Gravity, and one bounce. */
  fall(element, from, here) {
    const height = Math.abs(new DOMMatrix(here).f - new DOMMatrix(from).f);
    const bounce = Math.min(26, height * 0.06);
    this.run(element, [
      { transform: from, easing: "cubic-bezier(.5,0,.9,.6)" },
      { transform: here, offset: 0.66, easing: "cubic-bezier(.1,.5,.5,1)" },
      { transform: `translate(0px, ${-bounce}px) ${here}`, offset: 0.82, easing: "cubic-bezier(.5,0,.9,.5)" },
      { transform: here },
    ], { duration: 330 + height * 0.55, easing: "linear" });
  }

  leave(element) {
    if (element.dataset.gone) return;
    if (!this.speed) { element.remove(); return; }
    const to = this.placeOf(element.dataset.go, element);
    this.forsake(element);
    const here = css(element.getAttribute("transform"));
    const frames = to ? [{ transform: here, opacity: 1 }, { opacity: 1, offset: 0.7 }, { transform: css(to), opacity: 0 }] : [{ opacity: 0, offset: 1 }];
    this.run(element, frames, { duration: to ? 420 : 220 }).finished.catch(() => {}).finally(() => element.remove());
  }

  /** No longer a thing of the scene: it can't be found by id or clicked. */
  forsake(element) {
    for (const part of [element, ...element.querySelectorAll("[id]")]) part.removeAttribute("id");
    element.classList.remove("glow", "chosen", "hinted", "meant");
    element.querySelector(":scope > .halo")?.remove();
    element.setAttribute("pointer-events", "none");
    element.dataset.gone = "1";
  }

  /** A copy of a thing as it looks now, shown while the thing itself already has its new look. */
  ghost(element) {
    const copy = element.cloneNode(true);
    this.forsake(copy);
    element.after(copy);
    return copy;
  }

  /** The old face narrows, then the new one widens; both on top of any other motion. */
  flip(element, back) {
    const [wide, thin] = [{ transform: "scaleX(1)" }, { transform: "scaleX(0.02)" }];
    this.run(back, [wide, thin], { duration: 150, easing: "ease-in", composite: "add" }).finished.catch(() => {}).finally(() => back.remove());
    this.run(element, [thin, wide], { duration: 190, delay: 150, easing: "ease-out", composite: "add", fill: "backwards" });
  }

  shake(element) {
    if (!this.speed) return;
    const turn = (degrees, up) => ({ transform: `translate(0px, ${-up}px) rotate(${degrees}deg)` });
    this.run(element, [turn(0, 0), turn(-140, 18), turn(70, 6), turn(-25, 3), turn(0, 0)], { duration: 520, composite: "add" });
  }
}
