// Shared by several pages: settings, calls to the server, toasts.

/** Find an element of the page by id. Things of a scene can have the same ids, so they are left out. */
export const $ = (id) => document.querySelector(`#${id}:not(svg *)`);

export const settings = {
  get(name, usual) { try { return localStorage.getItem(name) ?? usual; } catch { return usual; } },
  set(name, value) { try { localStorage.setItem(name, value); } catch { /* private mode */ } },
};

/** Whether the screen is narrow; scenes can have a layout of their own for such screens. */
export const narrow = matchMedia(`(max-width:${document.documentElement.dataset.narrow}px)`);
/** A path of the REST interface that answers with scenes, asking for the layout of this screen. */
export const laidOut = (path) => (narrow.matches ? `${path}${path.includes("?") ? "&" : "?"}narrow=true` : path);

/** Make an element: make("button", {class: "primary", onclick: f}, "Words", child…). Text is always text, never HTML. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Call the REST interface. Throws an Error with the server's message. */
export async function call(method, path, body) {
  const answer = await fetch(path, {
    method, keepalive: method === "PUT", headers: body === undefined ? {} : { "Content-Type": "application/json" }, body: body === undefined ? undefined : JSON.stringify(body),
  });
  const data = answer.status === 204 ? null : await answer.json();
  if (!answer.ok) throw new Error(data.text || "Something went wrong. Please try again.");
  return data;
}

/** Remember a name in this browser, and on the server for all of this person's devices. */
export function keepName(name) {
  settings.set("name", name);
  return call("PUT", "/api/me", { name });
}

let toastTimer = 0;
export function toast(text) {
  const box = $("toast");
  if (!box) return;
  box.textContent = text;
  box.hidden = false;
  clearTimeout(toastTimer);
  toastTimer = setTimeout(() => { box.hidden = true; }, 4500);
}

/** A sentence with its rule numbers as links to the rules page: "… [R17]". */
export function sentence(text, game) {
  const parts = [];
  let rest = text;
  for (let found; (found = /\s*\[((?:[RQ]\d+[, ]*)+)\]/.exec(rest)); rest = rest.slice(found.index + found[0].length)) {
    parts.push(rest.slice(0, found.index));
    for (const rule of found[1].match(/[RQ]\d+/g)) parts.push(make("a", { class: "rule", href: `/rules/${game}#${rule}`, target: "_blank", rel: "noopener", "aria-label": `rule ${rule}` }, rule));
  }
  parts.push(rest);
  return parts;
}

const SVG = "http://www.w3.org/2000/svg";
export const MARKS = ["M0-9A9 9 0 1 1 0 9A9 9 0 1 1 0-9Z", "M-8-8H8V8H-8Z", "M0-10L9.5 7.5H-9.5Z", "M0-11L9 0L0 11L-9 0Z", "M-3.5-10h7v6.5H10v7H3.5V10h-7V3.5H-10v-7h6.5Z", "M0-11L2.6-3.6L10.5-3.4L4.3 1.4L6.5 8.9L0 4.5L-6.5 8.9L-4.3 1.4L-10.5-3.4L-2.6-3.6Z"];

/** A seat's mark as a small SVG. */
export function mark(hue) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "-12 -12 24 24");
  svg.setAttribute("class", "mark");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", MARKS[hue % MARKS.length]);
  path.setAttribute("class", `f-seat${hue}`);
  svg.append(path);
  return svg;
}

document.addEventListener("click", (event) => {
  if (!event.target.closest?.("[data-do=theme]")) return;
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  settings.set("theme", root.dataset.theme);
});
