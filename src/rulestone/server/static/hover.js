// Hover over a thing, press and hold it, or tap it with a finger where it can't be chosen, to see a small card with its name, what it does and a link to the rule.
import { $, make } from "./common.js";

export function explain(stage, game) {
  const box = $("hovercard");
  let timer = 0, shown = null, last = "", pressed = false, tapped = false;

  const secret = (element) => element.querySelector(".known") && element.closest(".no-known");  // its card would give it away
  const find = (target) => {
    for (let element = target; element && element !== stage.svg; element = element.parentElement) if (element.id && stage.data?.cards[element.id] && !secret(element)) return element;
    return null;
  };
  const hide = () => { clearTimeout(timer); box.hidden = true; shown = null; };
  const show = (element) => {
    const [name, text, rule] = stage.data?.cards[element.id] ?? [];
    if (!name) return;
    shown = element;
    box.replaceChildren(make("strong", {}, name), ...(text ? [make("span", {}, text)] : []), ...(rule ? [make("a", { class: "rule", href: `/rules/${game}#${rule}`, target: "_blank", rel: "noopener" }, rule)] : []));
    box.hidden = false;
    const at = element.getBoundingClientRect(), own = box.getBoundingClientRect();
    const above = at.top - own.height - 8;
    box.style.left = `${Math.max(8, Math.min(innerWidth - own.width - 8, at.left + at.width / 2 - own.width / 2))}px`;
    box.style.top = `${above > 8 ? above : Math.min(innerHeight - own.height - 8, at.bottom + 8)}px`;
  };
  const later = (element, ms) => { clearTimeout(timer); timer = setTimeout(() => show(element), ms); };

  stage.svg.addEventListener("pointerover", (event) => {
    const here = `${event.clientX} ${event.clientY}`;
    if (event.pointerType === "touch" || here === last) return;  // the board moved, not the mouse
    const element = find(event.target);
    if (element === shown) return;
    hide();
    if (element) later(element, 550);
  });
  stage.svg.addEventListener("pointermove", (event) => { last = `${event.clientX} ${event.clientY}`; });
  stage.svg.addEventListener("pointerleave", () => { clearTimeout(timer); timer = setTimeout(hide, 250); });
  box.addEventListener("pointerenter", () => clearTimeout(timer));
  box.addEventListener("pointerleave", hide);
  stage.svg.addEventListener("pointerdown", (event) => {
    hide();
    const element = find(event.target);
    pressed = false;
    tapped = event.pointerType === "touch" && !stage.running.size;  // a tap while things move skips the animation
    if (event.pointerType === "touch" && element) timer = setTimeout(() => { pressed = true; show(element); }, 480);
  });
  // A long press shows the card; it doesn't count as a click.
  stage.svg.addEventListener("click", (event) => { if (pressed) event.stopImmediatePropagation(); }, true);
  stage.svg.addEventListener("click", (event) => {
    const element = tapped && !event.target.closest(".glow, .chosen") && find(event.target);
    if (element) show(element);
  });
  stage.svg.addEventListener("contextmenu", (event) => { if (pressed) event.preventDefault(); });
  addEventListener("pointerdown", (event) => { if (!box.contains(event.target) && !stage.svg.contains(event.target)) hide(); });
  for (const kind of ["pointerup", "pointercancel"]) stage.svg.addEventListener(kind, () => clearTimeout(timer));
  addEventListener("keydown", (event) => { if (event.key === "Escape") hide(); });
  return hide;
}
