// What can be pasted into the game's files: a test, a lesson's step, a picture for the rules.
import { make, toast } from "./common.js";

const HOME = { test: "Paste it into a test file in the game's folder.", refusal: "Paste it into a test file in the game's folder.", step: "Paste it into STEPS in lesson.py.", picture: "Paste it into RULES.md." };
let last = null;

/** Copy something, and show it in the panel so that it can be copied by hand. */
export async function copied(studio, what, query = {}) {
  let text;
  try { ({ text } = await studio.get(`copy/${what}`, query)); } catch { return; }
  let done = "Copied.";
  try { await navigator.clipboard.writeText(text); } catch { done = "Your browser doesn't let pages copy: mark the text and copy it."; document.querySelector("[data-panel=copy]").open = true; }
  last = { text, says: `${done} ${HOME[what]}` };
  studio.say("copied");
  toast(last.says);
}

export function mount(box, studio) {
  const about = make("p", { class: "muted" }), said = make("p", { role: "status" });
  const text = make("textarea", { class: "copied", readonly: true, rows: 10, spellcheck: "false", hidden: true, "aria-label": "What was copied" });
  const button = (what, label) => make("button", { type: "button", class: "small", "data-copy": what, onclick: () => copied(studio, what) }, label);
  box.append(about, make("p", { class: "buttons" }, button("test", "Scenario test"), button("step", "Lesson step"), button("picture", "Rules picture")), said, text);
  const show = () => {
    const { moments, at } = studio.table.line, now = moments[at];
    about.textContent = now.player === null ? "Copies this position. Play a move first to copy the position with the move and what it did." : `Copies the position before “${now.label}”, that move, and what was seen.`;
  };
  studio.on("table", show);
  studio.on("copied", () => { text.hidden = false; text.value = last.text; said.textContent = last.says; });
  if (last) studio.say("copied");
  show();
}
