// The lesson's steps and the pictures in the rules: each can be laid on the table.
import { make, sentence } from "./common.js";

export function mount(box, studio) {
  async function load() {
    if (!box.closest("details").open) return;
    let data;
    try { data = await studio.get("lesson"); } catch { return; }
    const list = (kind, found) => make("ol", { class: "taught" }, ...found.map(({ text, moves, wrong }, number) => make("li", {},
      make("span", {}, ...sentence(text, studio.game)), moves.length ? make("small", {}, ` (${moves.join(", ")})`) : null,
      wrong ? make("p", { class: "problem" }, wrong) : make("button", { type: "button", class: "small", onclick: () => studio.change("lesson", { kind, number }) }, "Lay it on the table"))));
    box.replaceChildren(
      make("h3", {}, "The lesson"), data.steps.length ? list("step", data.steps) : make("p", { class: "muted" }, "There is no lesson.py yet. “Copy as lesson step” gives you a first step."),
      make("h3", {}, "Pictures in RULES.md"), data.pictures.length ? list("picture", data.pictures) : make("p", { class: "muted" }, "There are none yet."));
    studio.note("taught", `${data.steps.length} steps, ${data.pictures.length} pictures`);
  }
  studio.on("version", load);
  box.closest("details").addEventListener("toggle", load);
  load();
}
