// The replay of a game: slider, keys, views of other players, the curve of chances, continuing from here.
import { inWords, spoken } from "./aloud.js";
import { $, MARKS, call, laidOut, make, narrow, sentence, settings, toast } from "./common.js";
import { explain } from "./hover.js";
import { Marks, compared, offer } from "./review.js";
import { Stage } from "./stage.js";

const root = $("main"), table = root.dataset.table, game = root.dataset.game, api = root.dataset.api ?? `/api/tables/${table}`;
const stage = new Stage(root.querySelector("svg.scene"));
explain(stage, game);
stage.pace = 0.7;
const marks = new Marks($("board"), stage.svg);
stage.keep(settings.get("still", "off") === "on");
const frames = new Map();
const names = JSON.parse(root.dataset.names), hues = JSON.parse(root.dataset.hues);
let index = 0, count = 0, running = false, wanted = 0, words = () => null;

async function frame(at) {
  const path = laidOut(`${api}/frames/${at}?eyes=${$("eyes").value}${words()?.on ? "&words=true" : ""}`);
  if (!frames.has(path)) frames.set(path, await call("GET", path));
  if (frames.size > 400) frames.delete(frames.keys().next().value);
  return frames.get(path);
}

async function go(at) {
  at = Math.max(0, Math.min(count, at));
  const ticket = ++wanted;
  let shown;
  try { shown = await frame(at); } catch (problem) { toast(problem.message); return; }
  if (ticket !== wanted) return;
  count = shown.count;
  marks.clear();
  const forward = at === index + 1;
  index = at;
  $("where").max = count;
  $("where").value = at;
  $("where").setAttribute("aria-valuetext", `move ${at} of ${count}`);
  $("prompt").textContent = shown.ending ? `${shown.ended ? shown.ending.join(" ") : shown.ending[0]} ${count} moves.` : `Move ${at} of ${count}: ${names[shown.to_move]} to move.`;
  light();
  $("fork")?.toggleAttribute("disabled", at >= count);
  needle();
  history.replaceState(null, "", `#${at}`);
  words()?.update();
  if (forward) await stage.show(shown.scene, shown.steps); else stage.patch(shown.scene);
  if (at < count) frame(at + 1).catch(() => {});
}

/** The whole story as this viewer saw it. A click on a sentence goes to its move. */
async function tell() {
  const list = $("story"), eyes = $("eyes").value, items = [];
  if (!list) return;
  for (let at = 0; at <= count;) {
    let told;
    try { told = await call("GET", `/api/tables/${table}/story?eyes=${eyes}&start=${at}`); } catch (problem) { toast(problem.message); return; }
    if (eyes !== $("eyes").value || !told.length) return;
    for (const lines of told) {
      const here = at++;
      if (lines.length) items.push(make("li", { class: "told", "data-at": here, onclick: () => lead(here) }, ...lines.map((line) => make("p", {}, ...sentence(words()?.on ? spoken(line) : line, game)))));
    }
  }
  list.replaceChildren(...items);
  light();
}

/** Highlight the sentences of the current move. */
function light() {
  const list = $("story");
  if (!list) return;
  let shown = null;
  for (const item of list.children) { item.classList.toggle("lit", Number(item.dataset.at) === index); if (Number(item.dataset.at) <= index) shown = item; }
  if (shown) list.scrollTop = shown.offsetTop - list.offsetTop - list.clientHeight / 2;
}

async function run() {
  running = !running;
  if (running && index >= count) await go(0);
  const say = () => { $("run").textContent = running ? "Pause" : "Play"; };
  say();
  while (running && index < count) { await go(index + 1); await new Promise((done) => setTimeout(done, 450)); }
  running = false;
  say();
}

/** Go to a move by hand, which stops a running replay. What is asked for before the replay has loaded waits until it has. */
async function lead(at) { running = false; await ready; return go(at); }
$("first").addEventListener("click", () => lead(0));
$("last").addEventListener("click", () => lead(Infinity));
$("before").addEventListener("click", () => lead(index - 1));
$("next").addEventListener("click", () => lead(index + 1));
$("run").addEventListener("click", run);
$("where").addEventListener("input", () => lead(Number($("where").value)));
function look() { stage.data = null; stage.svg.replaceChildren(); tell(); }
$("eyes").addEventListener("change", () => { look(); go(index); });
narrow.addEventListener("change", () => { stage.data = null; go(index); });
addEventListener("pageshow", () => $("fork")?.toggleAttribute("disabled", index >= count));  // after coming back from the new table
addEventListener("keydown", (event) => {
  if (event.target.matches?.("select, input:not([type=range])")) return;
  const step = { ArrowRight: 1, ArrowLeft: -1, Home: -Infinity, End: Infinity }[event.key];
  if (step) { event.preventDefault(); lead(index + step); } else if (event.key === " " && event.target === document.body) { event.preventDefault(); run(); }
});
async function fork(index) {
  $("fork").disabled = true;
  try {
    const { begin } = await import("./dice.js");
    location.href = `/t/${await begin((pledge) => call("POST", `/api/tables/${table}/fork`, { index, name: settings.get("name", ""), pledge }))}`;
  } catch (problem) { toast(problem.message); $("fork").disabled = false; }
}
if ($("proof")) import("./verify.js").then(({ seal }) => seal(table, names, $("proof")), () => {});
$("fork")?.addEventListener("click", () => fork(index));
$("share")?.addEventListener("click", async () => (await import("./share.js")).share(table));

/** A turning point of the review, as its player saw it. */
async function turn(one) {
  if ($("eyes").value !== String(one.player)) { $("eyes").value = String(one.player); look(); }
  await lead(one.index);
  if (index !== one.index) return;
  marks.show([{ picks: one.played.picks, name: "played" }, { picks: one.best.picks, name: "better" }]);
  $("prompt").replaceChildren(...compared(one));
  if (matchMedia("(max-width:639px)").matches) $("board").scrollIntoView({ block: "start" });
}

// ---- the curve of chances ---------------------------------------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg", WIDE = 300, HIGH = 110;
const draw = (tag, attributes, text) => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text) element.textContent = text;
  return element;
};

async function curve() {
  const box = $("curve");
  if (!box) return;
  box.textContent = "Calculating the chances…";
  let data;
  try { data = await call("GET", `/api/tables/${table}/curve`); } catch (problem) { box.textContent = problem.message; return; }
  const last = data.at.at(-1) || 1;
  const x = (at) => 4 + (at / last) * (WIDE - 18), y = (value) => HIGH / 2 - value * (HIGH / 2 - 8);
  const svg = draw("svg", { viewBox: `0 0 ${WIDE} ${HIGH + 14}`, class: "scene", role: "img", "aria-label": "Chances move by move" });
  svg.append(draw("path", { d: `M4 ${HIGH / 2}H${WIDE - 4}`, class: "s-line f-none" }));
  const together = names.length > 1 && data.payoff.every((values) => values.every((value) => value === values[0]));  // one line for everyone
  names.slice(0, together ? 1 : names.length).forEach((_, seat) => {
    const points = data.at.map((at, k) => `${x(at).toFixed(1)} ${y(data.payoff[k][seat]).toFixed(1)}`);
    svg.append(draw("path", { d: `M${points.join("L")}`, class: `f-none ${together ? "s-ink" : `s-seat${hues[seat]}`}`, "stroke-width": 2 }));
    if (together) return;
    svg.append(draw("path", { d: MARKS[hues[seat]], transform: `translate(${points.at(-1)}) scale(0.45)`, class: `f-seat${hues[seat]}` }));
  });
  svg.append(draw("path", { id: "needle", d: "", class: "f-none s-gold", "stroke-width": 2 }));
  for (const [place, words] of [[8, "sure to win"], [HIGH - 6, "sure to lose"]]) svg.append(draw("text", { x: 4, y: place, "font-size": 9, class: "f-muted start" }, words));
  svg.append(draw("text", { x: WIDE / 2, y: HIGH + 7, "font-size": 10, class: "f-muted" }, `a bot's estimate for ${together ? "everyone" : "each seat"}, move by move`));
  svg.addEventListener("click", (event) => { const at = svg.getBoundingClientRect(); lead(Math.round(((event.clientX - at.left) / at.width) * last)); });
  box.replaceChildren(svg);
  curve.x = x;
  needle();
}
function needle() { document.getElementById("needle")?.setAttribute("d", `M${curve.x(index).toFixed(1)} 4V${HIGH - 4}`); }

const end = location.hash === "#end" || root.dataset.start === "end";
const start = end ? Infinity : /^#\d+$/.test(location.hash) ? Number(location.hash.slice(1)) : null;
const ready = go(0);
await ready;
if (start !== null) await go(start);
tell();
curve();
words = await inWords(async () => (await frame(index)).parts, () => { tell(); go(index); });
if ($("review")) offer($("review"), table, turn, (one) => fork(one.index));
