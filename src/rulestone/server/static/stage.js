// The stage: keeps an SVG in step with scenes. Things are matched by id; what changed place travels, what changed face flips.

const SVG = "http://www.w3.org/2000/svg";
const EASE = "cubic-bezier(.3,.1,.25,1)";
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

function parse(text) {
  return document.importNode(parser.parseFromString(`<svg xmlns="${SVG}">${text}</svg>`, "image/svg+xml").documentElement.firstElementChild, true);
}

export class Stage {
  constructor(svg) {
    this.svg = svg;
    this.data = null;
    this.pace = 1;      // 1 calm, 0.5 brisk, 0 instant
    this.skipping = false;
    this.running = new Set();
  }

  get speed() { return calmer.matches || this.skipping ? 0 : this.pace; }

  /** The whole scene after a message: a full one, or the previous one with a difference. */
  merge(scene, isDifference) {
    if (!isDifference || !this.data) return scene;
    const merged = { ...this.data, ...scene };
    for (const name of ["parts", "cards"]) {
      merged[name] = { ...this.data[name] };
      for (const [id, value] of Object.entries(scene[name] ?? {})) if (value === null) delete merged[name][id]; else merged[name][id] = value;
    }
    return merged;
  }

  /** Show a scene: first the steps that lead there, then the scene itself. `lit(event)` is told which sentence lights up. */
  async show(scene, steps = [], lit = () => {}) {
    const travels = steps.some((step) => Object.keys(step.go).length || step.flash.length);
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

  /** A click or space: to the end at once. */
  skip() {
    this.skipping = true;
    for (const motion of this.running) motion.finish();
  }

  async step(step, lit) {
    if (step.event !== null) lit(step.event);
    const flashed = step.flash.map((id) => this.thing(id)).filter(Boolean);
    for (const element of flashed) element.classList.add("flash");
    for (const [id, place] of Object.entries(step.go)) {
      const element = this.thing(id);
      if (!element) continue;
      const from = element.getAttribute("transform");
      element.setAttribute("transform", place);
      element.parentNode.append(element);
      this.travel(element, from, place, step.ms);
    }
    await this.rest(step.ms);
    for (const element of flashed) element.classList.remove("flash");
  }

  thing(id) {
    const found = document.getElementById(id);
    return found && this.svg.contains(found) ? found : null;
  }

  // ---- matching ---------------------------------------------------------------------------------------------------------

  patch(scene) {
    const old = this.data;
    this.data = scene;
    this.svg.setAttribute("viewBox", `0 0 ${scene.size[0]} ${scene.size[1]}`);
    this.svg.setAttribute("aria-label", scene.title);
    const has = new Map([...this.svg.children].map((child) => [child.id, child]));
    for (const [id, element] of has) if (!(id in scene.parts)) this.leave(element);
    let place = this.svg.firstElementChild;
    const skipGone = () => { while (place && (place.dataset.gone || !(place.id in scene.parts))) place = place.nextElementSibling; };
    for (const id of scene.order) {
      skipGone();
      let element = has.get(id);
      if (element?.dataset.gone) element = undefined;
      if (!element) {
        element = parse(scene.parts[id]);
        this.svg.insertBefore(element, place);
        if (old) this.enter(element);
      } else {
        if (!old || old.parts[id] !== scene.parts[id]) this.morph(element, parse(scene.parts[id]), Boolean(old));
        if (element === place) place = place.nextElementSibling; else this.svg.insertBefore(element, place);
      }
    }
  }

  morph(element, fresh, moving = true) {
    const before = { place: element.getAttribute("transform"), face: element.dataset.face, again: element.dataset.again };
    for (const { name } of [...element.attributes]) if (!fresh.hasAttribute(name)) element.removeAttribute(name);
    for (const { name, value } of [...fresh.attributes]) if (element.getAttribute(name) !== value) element.setAttribute(name, value);
    const flips = moving && this.speed && before.face !== undefined && element.dataset.face !== before.face;
    if (flips) this.flip(element, fresh); else this.children(element, fresh, moving);
    if (!moving) return;
    const place = element.getAttribute("transform");
    if (place !== before.place) this.travel(element, before.place, place, 380);
    if (element.dataset.again !== before.again) this.shake(element);
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
      return known;
    });
    element.replaceChildren(...next);
  }

  // ---- motion -----------------------------------------------------------------------------------------------------------

  run(element, frames, options) {
    const motion = element.animate(frames, { easing: EASE, ...options, duration: options.duration * this.speed });
    this.running.add(motion);
    motion.finished.catch(() => {}).finally(() => this.running.delete(motion));
    return motion;
  }

  travel(element, from, to, ms) {
    if (!this.speed || element.dataset.motion === "still") return;
    const [a, b] = [css(from), css(to)];
    if (element.dataset.motion === "hop") {
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
    const here = css(element.getAttribute("transform"));
    const from = this.placeOf(element.dataset.come, element);
    const motion = element.dataset.motion;
    if (motion === "still") return;
    if (from && motion === "drop") this.fall(element, css(from), here);
    else if (from) this.run(element, [{ transform: css(from), opacity: 0.2 }, { opacity: 1, offset: 0.3 }, { transform: here, opacity: 1 }], { duration: 420 });
    else this.run(element, [{ opacity: 0 }, { opacity: 1 }], { duration: 260 });
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
    element.dataset.gone = "1";
    const id = element.id;
    element.removeAttribute("id");
    const to = this.placeOf(element.dataset.go, element);
    const here = css(element.getAttribute("transform"));
    const frames = to ? [{ transform: here, opacity: 1 }, { opacity: 1, offset: 0.7 }, { transform: css(to), opacity: 0 }] : [{ opacity: 1 }, { opacity: 0 }];
    this.run(element, frames, { duration: to ? 420 : 220 }).finished.catch(() => {}).finally(() => element.remove());
    element.dataset.was = id;
  }

  flip(element, fresh) {
    const here = css(element.getAttribute("transform"));
    this.run(element, [{ transform: here }, { transform: `${here} scaleX(0.02)` }], { duration: 150, easing: "ease-in" }).finished.catch(() => {}).then(() => {
      this.children(element, fresh, true);
      this.run(element, [{ transform: `${here} scaleX(0.02)` }, { transform: here }], { duration: 190, easing: "ease-out" });
    });
  }

  shake(element) {
    if (!this.speed) return;
    const here = css(element.getAttribute("transform"));
    const turn = (degrees, up) => ({ transform: `translate(0px, ${-up}px) ${here} rotate(${degrees}deg)` });
    this.run(element, [{ transform: here }, turn(-140, 18), turn(70, 6), turn(-25, 3), { transform: here }], { duration: 520 });
  }
}
