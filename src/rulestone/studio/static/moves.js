// The moves: those that are possible, with how they can turn out, and why all others are not.
import { make, sentence } from "./common.js";
import { copied } from "./copy.js";

export function mount(box, studio) {
  const filter = make("input", { type: "search", placeholder: "Find a move", "aria-label": "Find a move", oninput: () => paint() });
  const list = make("div", { class: "moves" });
  box.append(filter, list);
  let data = null, open = new Set();

  /** The ways a move can turn out; a click makes it turn out so. */
  async function turnOuts(move, row) {
    const known = row.querySelector(".outcomes");
    if (known) { known.remove(); return; }
    const ways = await studio.get("outcomes", { move, player: data.player });
    row.append(make("div", { class: "outcomes" }, ...(ways.length === 1
      ? [make("p", { class: "muted" }, "No chance in it: it always turns out the same.")]
      : ways.map((way, outcome) => make("button", { type: "button", class: "small", onclick: () => studio.change("outcomes", { move, outcome, player: data.player }) }, make("strong", {}, way.share), ` ${way.story.join(" ")}`)))));
  }

  function paint() {
    const wanted = filter.value.trim().toLowerCase(), fits = (text) => !wanted || text.toLowerCase().includes(wanted);
    const legal = data.legal.filter(({ move, label }) => fits(move) || fits(label));
    const rows = legal.map(({ move, label }) => {
      const row = make("div", { class: "move" });
      row.append(make("button", { type: "button", class: "small", "data-move": move, onclick: () => studio.play({ move }) }, label), make("code", {}, move),
        make("button", { type: "button", class: "small quiet", onclick: () => turnOuts(move, row) }, "Outcomes"));
      return row;
    });
    const groups = data.refused.map(({ reason, moves, count }) => {
      const found = moves.filter(fits), all = wanted ? found.length : count;
      if (!found.length) return null;
      const group = make("details", { class: "refused" }, make("summary", {}, make("span", {}, ...sentence(reason, studio.game)), make("small", {}, ` ${all} move${all === 1 ? "" : "s"}`)),
        make("p", {}, ...found.map((move) => make("button", { type: "button", class: "small quiet", title: "Copy as a test that this isn't possible", onclick: () => copied(studio, "refusal", { move }) }, make("code", {}, move)))));
      group.open = Boolean(wanted) || open.has(reason);
      group.addEventListener("toggle", () => { if (group.open) open.add(reason); else open.delete(reason); });
      return group;
    }).filter(Boolean);
    list.replaceChildren(
      make("h3", {}, data.player === null ? "The game is over." : `${studio.table.names[data.player]} can`), ...rows,
      ...(groups.length ? [make("h3", {}, "and can’t, because"), ...groups] : []));
    studio.note("moves", data.player === null ? "" : `${data.legal.length} possible`);
  }

  async function load() {
    if (!box.closest("details").open) return;
    try { data = await studio.get("moves"); } catch { return; }
    paint();
  }
  studio.on("table", load);
  box.closest("details").addEventListener("toggle", load);
  load();
}
