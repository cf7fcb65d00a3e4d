// What the last change did: a thousand games of both versions side by side, and sliders for the game's numbers.
import { make } from "./common.js";
import { address, join } from "./variant.js";

const SAYS = {
  nothing: "Save a change to the rules or move a slider: then a thousand games of both versions are played and compared here.",
  waiting: "A thousand games of both versions are about to be played.",
  compiling: "The rules are being compiled; then a thousand games of both versions are played.",
};

export async function mount(box, studio) {
  let data = await studio.get("measure"), timer = 0;
  const says = make("p", { class: "muted", role: "status" }), result = make("div", { class: "measured" }), more = make("p", { class: "buttons" });
  const against = make("select", { "aria-label": "Compare with", onchange: () => wish() }), compare = make("label", { class: "line" }, make("span", {}, "Compare with"), against);
  const sliders = make("div", { class: "sliders" }), keep = make("p", { class: "buttons" });
  box.append(says, result, more, compare, sliders, keep);

  const changes = () => Object.fromEntries([...sliders.querySelectorAll("[type=number]")].filter((one) => one.value !== "" && Number(one.value) !== Number(one.dataset.usual)).map((one) => [one.name, Number(one.value)]));
  async function wish() {
    try { data = await studio.post("measure", { changes: changes(), against: Number(against.value) }); paint(); } catch { /* the page has said why */ }
  }

  /** A slider and the number it stands at. */
  function slider({ name, title, value, low, high, step, about }) {
    const now = data.changes[name] ?? value;
    const number = make("input", { type: "number", name, value: now, step: step === 1 ? 1 : "any", "data-usual": value, "aria-label": title });
    const range = make("input", { type: "range", min: low, max: Math.max(high, now), step, value: now, "aria-label": `${title}, slider` });
    const row = make("div", { class: "slider", title: about }, make("code", {}, name), range, number);
    const set = () => { row.classList.toggle("changed", Number(number.value) !== value); clearTimeout(timer); timer = setTimeout(wish, 300); };
    range.addEventListener("input", () => { number.value = range.value; set(); });
    number.addEventListener("input", () => { range.value = number.value; set(); });
    row.classList.toggle("changed", now !== value);
    return row;
  }

  function paint() {
    const { state, sides, rows = [], never = [], games = 0, text } = data;
    studio.note("measure", state === "done" ? "" : state === "failed" ? "failed" : state === "nothing" ? "" : "…");
    says.textContent = SAYS[state] ?? (state === "failed" ? `The games can’t be played: ${text}` : `${games.toLocaleString("en")} games each, with the same deals${state === "playing" ? " so far" : ""}. Bold: surely different.`);
    const none = never.map((names) => (names.length ? names.join(", ") : "–"));
    result.replaceChildren(...(rows.length ? [make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": "Comparison" }, make("table", { class: "numbers" },
      make("thead", {}, make("tr", {}, make("th"), ...sides.map((side) => make("th", { scope: "col" }, side)), make("th", { scope: "col" }, "difference"))),
      make("tbody", {}, ...rows.map((row) => make("tr", { class: row.clear ? "clear" : "" }, make("th", { scope: "row" }, row.name), ...row.sides.map((side) => make("td", {}, side)), make("td", {}, row.difference))),
        none.some((names) => names !== "–") ? make("tr", {}, make("th", { scope: "row" }, "never happened"), ...none.map((names) => make("td", {}, names)), make("td")) : null)))] : []));
    more.replaceChildren(...(state === "done" ? [make("a", { class: "button small", href: "/studio/report", target: "_blank", rel: "noopener" }, "More"), make("a", { class: "button small", href: `/lab?game=${studio.game}`, target: "_blank", rel: "noopener" }, "More games in the lab")] : []));
    compare.hidden = data.versions.length < 2 || Object.keys(data.changes).length > 0;
    against.replaceChildren(make("option", { value: 0 }, "the last version that plays otherwise"), ...data.versions.map((number) => make("option", { value: number }, `version ${number}`)));
    against.value = data.against;
    const known = JSON.stringify(data.constants);
    if (sliders.dataset.known !== known) {
      sliders.dataset.known = known;
      const part = (group) => data.constants.filter((one) => one.group === group).map(slider), others = [...part("more"), ...part("bot")];
      sliders.replaceChildren(...(data.constants.length ? [make("h3", {}, "The game’s numbers"), ...part("rules")] : []), ...(others.length ? [make("details", {}, make("summary", {}, "Other numbers"), ...others)] : []));
    }
    const set = Object.entries(data.changes);
    keep.replaceChildren(...(set.length ? [
      make("button", { type: "button", class: "primary small", onclick: async () => { try { await studio.post("keep", {}); } catch { /* the page has said why */ } } }, `Keep ${set.map(([name, value]) => `${name} = ${value}`).join(", ")}`),
      make("a", { class: "button small", href: address(join(studio.game, data.changes), studio.table.start.options, studio.table.start.players), target: "_blank", rel: "noopener" }, "Play or share it"),
      make("button", { type: "button", class: "small", onclick: () => { sliders.dataset.known = ""; data.changes = {}; paint(); wish(); } }, "Back to the files")] : []));
  }
  studio.on("measure", (message) => { data = message; paint(); });
  studio.on("version", async () => { data = await studio.get("measure"); sliders.dataset.known = ""; paint(); });
  paint();
}
