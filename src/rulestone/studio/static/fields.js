// The record: every field, editable, with the seats from which each value is hidden.
import { make, mark } from "./common.js";

const WIDE = 12;  // a list of more values goes over several rows

export function mount(box, studio) {
  const list = make("div", { class: "fields" });
  box.append(make("p", { class: "muted" }, "Change a value to lay a position. What follows from it is worked out again. The marks show from whom a value is hidden; ◉ is a spectator."), list);
  let shown = new Map(), open = new Set(), legend = [];

  const who = (viewer) => (viewer < 0 ? make("span", { class: "mark" }, "◉") : mark(studio.table.hues[viewer]));
  const name = (viewer) => (viewer < 0 ? "a spectator" : studio.table.names[viewer]);

  /** One value: a small box to write in. */
  function cell(field, place) {
    const value = field.values[place], secret = field.hidden[place] ?? [];
    const label = `${field.name}${field.shape.length ? ` ${index(field, place)}` : ""}`;
    const input = make("input", { inputmode: "numeric", autocomplete: "off", value, size: Math.max(2, String(value).length), "aria-label": secret.length ? `${label}, hidden from ${secret.map(name).join(", ")}` : label, title: label,
      onchange: () => write(field, place, input),
      onkeydown: (event) => { if (event.key === "Escape") { input.value = value; input.blur(); } } });
    return make("span", { class: `cell${secret.length ? " hidden-from" : ""}` }, input, secret.length ? make("span", { class: "from" }, ...secret.map(who)) : null);
  }
  function index(field, place) {
    const found = [];
    for (const size of [...field.shape].reverse()) { found.unshift(place % size); place = Math.floor(place / size); }
    return `[${found.join(", ")}]`;
  }
  async function write(field, place, input) {
    const value = Number(input.value.trim());
    if (input.value.trim() === "" || !Number.isFinite(value)) { input.value = field.values[place]; return; }
    await studio.change("fields", { field: field.name, place: field.shape.length ? place : null, value });
    list.querySelector(`[data-field="${field.name}"]`)?.querySelectorAll("input")[place]?.focus({ preventScroll: true });
  }

  function block(field) {
    if (!field.shape.length) return make("div", { class: "field", "data-field": field.name, title: field.about }, make("code", {}, field.name), cell(field, 0));
    const columns = field.shape.length > 1 ? field.shape.at(-1) : Math.min(WIDE, field.shape[0]);
    const rows = [];
    for (let first = 0; first < field.values.length; first += columns) {
      const places = Array.from({ length: Math.min(columns, field.values.length - first) }, (_, k) => first + k);
      rows.push(make("tr", {}, make("th", { scope: "row" }, index(field, first).replace(/, \d+\]$/, "]")), ...places.map((place) => make("td", {}, cell(field, place)))));
    }
    const details = make("details", { class: "field array", "data-field": field.name }, make("summary", { title: field.about }, make("code", {}, `${field.name}[${field.shape.join(", ")}]`), make("small", {}, ` ${field.about}`)), make("div", { class: "wide" }, make("table", {}, ...rows)));
    details.open = open.has(field.name);
    details.addEventListener("toggle", () => { if (details.open) open.add(field.name); else open.delete(field.name); });
    return details;
  }

  async function load() {
    if (!box.closest("details").open) return;
    let data;
    try { data = await studio.get("fields"); } catch { return; }
    const at = document.activeElement, home = at && list.contains(at) ? at.closest("[data-field]").dataset.field : null;
    const place = home && [...list.querySelector(`[data-field="${home}"]`).querySelectorAll("input")].indexOf(at);
    const parts = { game: [], base: [], option: [] };
    for (const field of data.fields) {
      const text = JSON.stringify(field), known = shown.get(field.name), same = known?.text === text && known.hues === studio.table.hues.join();
      const element = same ? known.element : block(field);
      shown.set(field.name, { text, element, hues: studio.table.hues.join() });
      parts[field.kind].push(element);
    }
    list.replaceChildren(...parts.game, make("h3", {}, "What every game has"), ...parts.base, ...(parts.option.length ? [make("h3", {}, "Options"), ...parts.option] : []), make("p", { class: "muted" }, "Generator after the last move: ", make("code", {}, data.rng)));
    if (home) list.querySelector(`[data-field="${home}"]`)?.querySelectorAll("input")[place]?.focus({ preventScroll: true });
  }
  studio.on("table", load);
  studio.on("version", () => { shown = new Map(); });
  box.closest("details").addEventListener("toggle", load);
  load();
}
