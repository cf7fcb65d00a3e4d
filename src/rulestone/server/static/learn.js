// A lesson: step after step, each a position with a sentence and a move to find.
import { inWords } from "./aloud.js";
import { $, call, laidOut, make, narrow, sentence, settings, toast } from "./common.js";
import { Chooser } from "./choose.js";
import { explain } from "./hover.js";
import { quickTable } from "./quick.js";
import { Stage } from "./stage.js";

const root = $("main"), game = root.dataset.game, path = `/api/games/${game}/lesson`;
const stage = new Stage(root.querySelector("svg.scene"));
const hideCard = explain(stage, game);
const ANSWER_STAYS = 6000;  // milliseconds until the answer to a wrong click gives way to the step's text again
stage.pace = 0.8;
stage.keep(settings.get("still", "off") === "on");
const made = new Map();  // the learner's right moves, by step
let step = null, done = true, answered = 0, ticket = 0;

/** The address of a step, as it continues after the moves just before it. */
function at(number, more = "", query = "") {
  const before = [];
  for (let k = number - 1; made.has(k); k--) before.unshift(`made=${encodeURIComponent(made.get(k))}`);
  return `${path}/${number}${more}?${[query, ...before].filter(Boolean).join("&")}`;
}

const say = (text, kind = "") => { $("prompt").replaceChildren(...sentence(text, game)); $("prompt").className = kind; };
const answer = (text) => { say(text, "wrong"); clearTimeout(answered); answered = setTimeout(() => { if (!done) say(step.text); }, ANSWER_STAYS); };
const chooser = new Chooser(stage, { choices: $("choices"), list: $("movelist"), back: $("back") }, {
  name: (thing) => stage.data?.cards[thing]?.[0] ?? thing.replaceAll(/[-_]/g, " "),
  prompt: (text) => { if (text) say(text); else if (!done) say(step.text); },
  why: async (thing) => { try { answer((await call("GET", at(step.step, "/why", `thing=${encodeURIComponent(thing)}`))).why); } catch { /* only a courtesy */ } },
  play,
});

/** What is on the board, in words; the list of moves is read there as well. */
let shown = null;
const words = await inWords(async () => shown.parts, () => { if (step) go(step.step); });
const show = (frame) => { shown = frame; words()?.update(); };
const speak = (said) => words()?.speak(said) ?? said;

/** Offer the step's moves, until one was right. */
function choices() {
  chooser.set(done ? [] : step.frame.moves, step.frame.any_order);
  light();
}

/** Light up what the step is about, besides what can be clicked. */
function light() {
  for (const element of stage.svg.querySelectorAll(".hinted")) element.classList.remove("hinted");
  if (!done && step.button !== null) chooser.hint({ action: step.button, picks: [] });
  if (!done || !step.waits) for (const id of step.glow) stage.thing(id)?.classList.add("hinted");
}

async function play(move) {
  hideCard();
  let given;
  try { given = speak(await call("POST", laidOut(at(step.step)), { move: move.action })); } catch (problem) { toast(problem.message); choices(); return; }
  if (!given.right) { choices(); answer(given.says); return; }
  made.set(step.step, move.move);
  done = true;
  clearTimeout(answered);
  light();
  say(given.says, "right");
  const story = [];
  for (const frame of given.follows) { show(speak(frame)); story.push(...frame.story.lines); tell(story); await stage.show(frame.scene, frame.steps); }
  offer();
}

function tell(lines) {
  $("story").replaceChildren(...lines.map((line) => make("li", { class: "told" }, make("p", {}, ...sentence(line, game)))));
}

/** The way on is open. */
function offer() {
  const last = step.step + 1 === step.of;
  $("next").hidden = !done || last;
  $("real").hidden = !last || !done;
  $("before").hidden = step.step === 0;
  if (done && last) settings.set(`learned-${game}`, "yes");
  if (done) $(last ? "real" : "next").focus({ preventScroll: true });
}

async function go(number) {
  const mine = ++ticket;
  let next;
  try { next = await call("GET", laidOut(at(number))); } catch (problem) { toast(problem.message); return; }
  if (mine !== ticket) return;
  clearTimeout(answered);
  step = speak(next);
  speak(step.frame);
  done = !step.waits;
  history.replaceState(null, "", `#${number + 1}`);
  $("step").textContent = `Step ${step.step + 1} of ${step.of}`;
  $("way").value = step.step + 1;
  tell([]);
  stage.patch(step.frame.scene);
  show(step.frame);
  choices();
  say(step.text);
  offer();
}

narrow.addEventListener("change", () => { stage.data = null; go(step.step); });
$("next").addEventListener("click", () => go(step.step + 1));
$("before").addEventListener("click", () => go(step.step - 1));
for (const button of [$("real"), $("skip")]) button.addEventListener("click", () => quickTable(button));
const asked = Number(/^#(\d+)$/.exec(location.hash)?.[1] ?? 1);
await go(0);
if (asked > 1 && asked <= step.of) await go(asked - 1);
