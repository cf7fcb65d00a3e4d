// The puzzle of the day: one move to find. The streak of days is kept in this browser.
import { inWords } from "./aloud.js";
import { $, call, laidOut, narrow, sentence, settings, toast } from "./common.js";
import { Chooser } from "./choose.js";
import { explain } from "./hover.js";
import { Marks } from "./review.js";
import { Stage } from "./stage.js";

const game = $("main").dataset.game, stage = new Stage($("main").querySelector("svg.scene"));
explain(stage, game);
const marks = new Marks($("board"), stage.svg);
const HARD = ["", "Very easy.", "Easy.", "Not so easy.", "Hard.", "Very hard."];
let puzzle, prompt = "", done = false;

const chooser = new Chooser(stage, { choices: $("choices"), list: $("movelist"), back: $("back") }, {
  name: (thing) => stage.data?.cards[thing]?.[0] ?? thing.replaceAll(/[-_]/g, " "),
  prompt: (text) => { $("prompt").textContent = text ?? prompt; },
  why: () => {},
  play: answer,
});

const words = await inWords(async () => puzzle.state.parts, () => { if (puzzle) lay(); });
function say(text) { prompt = text; $("prompt").replaceChildren(...sentence(text, game)); }

/** How many days in a row a puzzle was solved, up to today or yesterday. */
function streak() {
  const [last, count] = settings.get("puzzle-streak", "-2 0").split(" ").map(Number);
  return last >= puzzle.day - 1 ? { last, count } : { last, count: 0 };
}
function tell() {
  const { last, count } = streak();
  $("streak").textContent = count ? `${count === 1 ? "1 day" : `${count} days`} in a row${last === puzzle.day ? "" : " until yesterday"}.` : "";
}

async function answer(move) {
  let found;
  try { found = await call("POST", `/api/puzzles/${game}/${puzzle.id}`, { move: move?.move ?? "" }); } catch (problem) { toast(problem.message); offer(); return; }
  words()?.speak(found);
  if (!found.solution) { offer(); say(`${move.label}? ${found.says}`); return; }
  if (found.right && !done) {
    const { last, count } = streak();
    if (last !== puzzle.day) settings.set("puzzle-streak", `${puzzle.day} ${count + 1}`);
  }
  done = true;
  offer();
  $("show").hidden = true;
  marks.show([{ picks: found.solution.picks, name: "better" }]);
  say(`${found.right ? "Right! " : ""}${found.says}`);
  tell();
}
const offer = () => chooser.set(done ? [] : puzzle.state.moves, puzzle.state.any_order);
$("show").addEventListener("click", () => answer(null));

async function lay() {
  puzzle = await call("GET", laidOut(`/api/puzzles/${game}`));
  words()?.speak(puzzle.state);
  words()?.update();
  stage.data = null;
  stage.patch(puzzle.state.scene);
  marks.paint();
  offer();
}
narrow.addEventListener("change", lay);
await lay();
say(puzzle.state.prompt);
$("hard").textContent = HARD[puzzle.difficulty];
tell();
