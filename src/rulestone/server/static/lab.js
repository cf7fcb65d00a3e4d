// The lab: set up a study, see how long it would take, watch its results come in, keep and compare studies, open a record.
import { $, call, make } from "./common.js";
import { address, join, opened } from "./variant.js";

const form = $("study"), known = JSON.parse(form.dataset.known), count = (n) => n.toLocaleString("en");
const percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
const spell = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;
const OVER = ["done", "failed"];

function time(seconds) {
  if (seconds < 5) return "a few seconds";
  if (seconds < 90) return `${Math.ceil(seconds / 5) * 5} seconds`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3600)} hours`;
}

function say(id, words) {  // screen readers announce only what has changed
  if ($(id).textContent !== words) $(id).textContent = words;
}

// ---- constants and options ----------------------------------------------------------------------------------------------

const constants = [...form.querySelectorAll(".constant")].map((box) => {
  const number = box.querySelector("[type=number]"), slider = box.querySelector("[type=range]"), back = box.querySelector("[data-back]");
  const fit = () => {
    const changed = number.value !== number.dataset.usual;
    box.classList.toggle("changed", changed);
    back.hidden = !changed;
    if (number.value !== "") slider.value = number.value;
  };
  const set = (value) => { number.value = value; fit(); form.dispatchEvent(new Event("change")); };
  slider.addEventListener("input", () => { number.value = slider.value; fit(); });
  number.addEventListener("input", fit);
  back.addEventListener("click", () => { set(number.dataset.usual); number.focus(); });
  return { name: number.name.slice("constant:".length), number, set, changed: () => number.value !== "" && number.value !== number.dataset.usual };
});
const options = [...form.querySelectorAll("[name^='option:']")].map((field) => ({ name: field.name.slice("option:".length), field }));

function counts() {
  const changed = { constant: constants.filter((one) => one.changed()).length, option: options.filter((one) => one.field.value !== "").length };
  for (const [kind, n] of Object.entries(changed)) {
    const box = form.querySelector(`[data-count=${kind}]`);
    if (box) box.textContent = n ? `${n} changed` : "";
  }
  const { game, changes, options: set, players } = body();
  $("play").href = address(join(game, changes), set, players);
}

// ---- what to vary -------------------------------------------------------------------------------------------------------

const factors = [...form.querySelectorAll("[data-values]:not(form)")].map((box) => ({ box, field: form[`factor${box.dataset.values}`] }));

function choicesOf(name) {
  if (name === "players") return Array.from({ length: known.players[1] - known.players[0] + 1 }, (_, k) => [known.players[0] + k, known.players[0] + k]);
  if (name === "bots") return Object.entries(known.bots);
  const option = known.options.find((one) => one.name === name);
  return option && typeof option.choices !== "string" ? option.choices.map((choice) => [choice, option.said[choice]]) : null;
}

function offer({ box, field }, chosen) {
  const name = field.value, choices = choicesOf(name), most = Number(form.dataset.values);
  box.replaceChildren();
  if (!name) return;
  if (choices) {
    const usual = name === "bots" ? [form.bots.value] : choices.map(([value]) => value);
    const ticked = (chosen ?? usual.slice(0, most)).map(String);
    box.append(...choices.map(([value, label]) => make("label", { class: "pick" },
      make("input", { type: "checkbox", value, checked: ticked.includes(String(value)) }), String(label).split(":")[0])));
    return;
  }
  const one = known.constants.find((other) => other.name === name), option = known.options.find((other) => other.name === name);
  const range = one ? `${one.low} to ${one.high}; ${one.value} in the rules` : option.choices.replace("..", " to ");
  const near = one ? [one.value, one.value - one.step, one.value + one.step].filter((value) => value >= one.low && value <= one.high) : Object.values(option.default).slice(0, 1);
  const input = make("input", { type: "text", value: (chosen ?? near).map((value) => +(+value).toFixed(4)).join(", "), "aria-label": `Values of ${name}, separated by commas`, inputmode: "text" });
  box.append(make("label", { class: "text" }, input, make("small", {}, `Values, separated by commas (${range})`)));
}

function picked({ box, field }) {
  if (!field.value) return null;
  const text = box.querySelector("[type=text]");
  if (text) return text.value.split(/[,;\s]+/).filter(Boolean).map((word) => (Number.isNaN(Number(word)) ? word : Number(word)));
  return [...box.querySelectorAll(":checked")].map((one) => (field.value === "players" ? Number(one.value) : one.value));
}

for (const one of factors) one.field.addEventListener("change", () => offer(one));

// ---- the study as data --------------------------------------------------------------------------------------------------

function body() {
  const vary = Object.fromEntries(factors.map((one) => [one.field.value, picked(one)]).filter(([name]) => name));
  const made = { game: form.game.value, games: Number(form.games.value), bots: form.bots.value, name: form.name.value.trim(), vary };
  if (form.players && !("players" in vary)) made.players = Number(form.players.value);
  if (form.others?.value && !("bots" in vary) && !("players" in vary)) {
    made.bots = [form.bots.value, ...Array(Number(form.players?.value ?? known.players[1]) - 1).fill(form.others.value)];
  }
  made.options = Object.fromEntries(options.filter((one) => one.field.value !== "" && !(one.name in vary)).map((one) => [one.name, one.field.value]));
  made.changes = Object.fromEntries(constants.filter((one) => one.changed() && !(one.name in vary)).map((one) => [one.name, Number(one.number.value)]));
  return made;
}

/** Fill in the form as a study was asked for. */
function fill(asked) {
  const pick = (field, value) => { if (field && value !== undefined && value !== null) field.value = value; };
  const bots = [].concat(asked.bots);
  pick(form.bots, bots[0]);
  pick(form.others, bots[1] === bots[0] ? "" : bots[1]);
  pick(form.players, asked.players);
  if (![...form.games.options].some((option) => Number(option.value) === asked.games)) form.games.append(make("option", { value: asked.games }, count(asked.games)));
  form.games.value = asked.games;
  form.name.value = asked.name ?? "";
  for (const one of options) pick(one.field, asked.options[one.name]);
  for (const one of constants) if (one.name in asked.changes) one.set(asked.changes[one.name]);
  const set = [...constants.filter((one) => one.changed()).map((one) => one.number), ...options.map((one) => one.field).filter((field) => field.value !== "")];
  for (const field of set) for (let box = field.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  Object.entries(asked.vary).forEach(([name, values], k) => { factors[k].field.value = name; offer(factors[k], values); });
}

// ---- how long it would take ---------------------------------------------------------------------------------------------

let asking = 0, timer = 0;

function ask(soon = 600) {
  counts();
  clearTimeout(timer);
  timer = setTimeout(estimate, soon);
}

async function estimate() {
  const ticket = ++asking;
  if (!form.checkValidity()) { say("estimate", ""); return; }
  let told;
  try { told = await call("POST", "/api/studies/estimate", body()); } catch (problem) {
    if (ticket === asking) say("estimate", problem.message);
    return;
  }
  if (ticket !== asking) return;
  const size = told.settings === 1 ? spell(told.games, "game") : `${told.settings} settings, ${spell(told.games, "game")} in all`;
  if (told.seconds === null) {
    say("estimate", `${size}. The rules are being compiled; then the time can be estimated.`);
    timer = setTimeout(estimate, 4000);
    return;
  }
  const compiling = told.compiling ? `, and up to ${time(told.compiling)} to compile the changed rules` : "";
  const late = told.seconds > told.most ? ` A study stops after ${time(told.most)} and reports what was played until then.` : "";
  say("estimate", `${size}: about ${time(told.seconds)}${compiling}.${late}`);
}

// "input" comes with every keystroke and every step of a slider; an estimate waits until it's quiet
for (const kind of ["input", "change"]) form.addEventListener(kind, () => ask());
form.game.addEventListener("change", () => { location.href = `/lab?game=${encodeURIComponent(form.game.value)}`; });

// ---- running a study ----------------------------------------------------------------------------------------------------

let watching = 0;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("[type=submit]");
  $("problem").textContent = "";
  button.disabled = true;
  try {
    const { id } = await call("POST", "/api/studies", body());
    if (form.dataset.study) { location.href = `/lab/${id}`; return; }
    history.pushState(null, "", `/lab/${id}`);
    watch(id, true);
  } catch (problem) { $("problem").textContent = problem.message; }
  button.disabled = false;
});
addEventListener("popstate", () => location.reload());

async function watch(id, jump) {
  const ticket = ++watching;
  $("told").hidden = false;
  $("report").hidden = true;
  $("stop").disabled = false;
  $("stop").onclick = async () => {
    $("stop").disabled = true;
    try { await call("POST", `/api/studies/${id}/stop`); } catch (problem) { $("problem").textContent = problem.message; }
  };
  if (jump) $("told").scrollIntoView({ block: "start" });
  let state = "";
  while (ticket === watching) {
    let told;
    try { told = await call("GET", `/api/studies/${id}`); } catch (problem) { $("problem").textContent = problem.message; return; }
    if (ticket !== watching) return;
    show(told, id);
    if (state !== told.state) list();
    state = told.state;
    if (OVER.includes(state)) return;
    await new Promise((done) => setTimeout(done, 700));
  }
}

function show(told, id) {
  const ended = OVER.includes(told.state), played = told.cells.reduce((sum, cell) => sum + cell.games, 0);
  const words = {
    waiting: "Waiting for another study to finish…", preparing: told.seconds < 3 ? "Getting ready…" : "Compiling the rules…", playing: "Playing…",
    done: !played ? "Stopped before the first game" : told.stopped ? `Stopped: results of ${count(told.cells[0].games)} games` : "Results",
    failed: `The study failed: ${told.text}`,
  };
  say("state", words[told.state]);
  const slow = told.state === "preparing" && told.seconds >= 3, note = told.state === "done" ? told.text : "";
  $("about").hidden = !slow && !note;
  if (slow) $("about").textContent = `This happens only once for each change to the rules and takes about 20 seconds for a large game: ${told.seconds} s so far.`;
  else $("about").textContent = note;
  if (told.state === "playing") $("progress").value = told.done / told.total;
  else $("progress").removeAttribute("value");  // a bar without a value shows that something is going on
  $("progress").hidden = ended;
  $("left").hidden = ended || told.left === null || told.left === undefined;
  if (!$("left").hidden) $("left").textContent = `${Math.round(100 * told.done / told.total)} % played; about ${time(told.left)} left`;
  $("stop").hidden = ended || told.mine === false;
  $("findings").replaceChildren(...told.findings.map((sentence) => make("li", {}, sentence)));
  $("numbers").closest("table").hidden = !played;
  $("numbers").replaceChildren(...told.cells.flatMap((cell) => [...cell.seats.map((seat) => row(cell, seat.name, seat)), ...(cell.line_up ?? []).map((one) => row(cell, one.bot, one))]));
  matrix(told, played);
  $("report").hidden = !ended || !told.report;  // the report is ready just before the study ends
  $("report").href = `/api/studies/${id}/report`;
  $("link").hidden = false;
  $("link").onclick = async () => {
    const link = `${location.origin}/lab/${id}`;
    try { await navigator.clipboard.writeText(link); } catch { prompt("The link to this study:", link); return; }
    $("link").textContent = "Link copied";
    setTimeout(() => { $("link").textContent = "Copy link"; }, 3000);
  };
}

function row(cell, name, one) {
  return make("tr", {}, make("td", {}, cell.label), make("td", {}, count(cell.games)), make("td", {}, name),
    make("td", {}, percent(one.share)), make("td", {}, `${percent(one.low)} … ${percent(one.high)}`));
}

/** Two factors as a table of rows and columns, for one quantity at a time. */
function matrix(told, played) {
  const [down, across] = Object.keys(told.factors ?? {}), chooser = $("shown");
  $("grid").hidden = !played || !across;
  if ($("grid").hidden) return;
  const seats = told.cells[0].seats.map((seat) => seat.name);
  const shown = [...seats.map((name, k) => [`${name} wins`, (cell) => cell.seats[k]]), ["Decisions in a game", (cell) => cell.decisions], ["Draws", (cell) => cell.draws]];
  if (chooser.options.length !== shown.length) {
    chooser.replaceChildren(...shown.map(([name], k) => make("option", { value: k }, name)));
    chooser.onchange = () => matrix(chooser.told, true);
  }
  chooser.told = told;
  const number = (one) => (one === undefined ? "–" : "share" in one ? percent(one.share) : one.mean.toFixed(1));
  const reach = (one) => (one === undefined ? "" : "share" in one ? `${percent(one.low)} … ${percent(one.high)}` : `${one.low.toFixed(1)} … ${one.high.toFixed(1)}`);
  const cellAt = (left, top) => told.cells.find((cell) => cell.set[down] === left && cell.set[across] === top);
  const title = (name) => told.words?.[name]?.title ?? name, said = (name, value) => told.words?.[name]?.values[value] ?? String(value);
  const head = make("tr", {}, make("th", { scope: "col" }, `${title(down)} ↓ ${title(across)} →`), ...told.factors[across].map((value) => make("th", { scope: "col" }, said(across, value))));
  const rows = told.factors[down].map((left) => make("tr", {}, make("th", { scope: "row" }, said(down, left)), ...told.factors[across].map((top) => {
    const one = shown[chooser.value || 0][1](cellAt(left, top));
    return make("td", {}, number(one), make("small", {}, reach(one)));
  })));
  $("grid").querySelector("table").replaceChildren(make("thead", {}, head), make("tbody", {}, ...rows));
}

// ---- studies that are kept ----------------------------------------------------------------------------------------------

const STATES = { waiting: "waiting", preparing: "getting ready", playing: "playing", done: "", failed: "failed" };

async function list() {
  let studies;
  try { studies = await call("GET", "/api/studies"); } catch { return; }
  const ticked = new Set(chosen().map((box) => box.value));
  $("kept").hidden = !studies.length;
  $("mine").replaceChildren(...studies.map((study) => item(study, ticked.has(study.id))));
  fitCompare();
}

const titleOf = (study) => study.name || `${study.title}${study.factors.length ? `: ${study.factors.join(" and ")}` : ""}`;

function item(study, ticked) {
  const when = new Date(1000 * study.made).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
  const facts = [study.name ? study.title : "", [...new Set(study.bots)].join(" against "), study.games ? spell(study.games, "game") : "", when, STATES[study.state]];
  const name = titleOf(study);
  const what = make("div", { class: "what" }, make("a", { href: `/lab/${study.id}` }, name), make("small", {}, facts.filter(Boolean).join(" · ")));
  const box = make("input", { type: "checkbox", value: study.id, "data-game": study.game, checked: ticked, disabled: !study.games, "aria-label": `Compare ${name}`, onchange: fitCompare });
  const rename = make("button", { type: "button", class: "quiet small", "aria-label": `Rename ${name}`, onclick: () => renamed(study, what) }, "Rename");
  const drop = make("button", { type: "button", class: "quiet small", "aria-label": `Delete ${name}`, onclick: () => dropped(study, drop) }, "Delete");
  return make("li", {}, box, what, rename, drop);
}

function renamed(study, what) {
  const field = make("input", { value: titleOf(study), maxlength: 80, "aria-label": "Name of the study" });
  let over = false;  // a field that is removed loses the focus, too
  const finish = (keep) => {
    if (over) return;
    over = true;
    if (keep) change("PUT", study.id, { name: field.value.trim() });
    else list();
  };
  what.replaceChildren(field);
  field.addEventListener("keydown", (event) => { if (["Enter", "Escape"].includes(event.key)) finish(event.key === "Enter"); });
  field.addEventListener("blur", () => finish(true));
  field.select();
}

function dropped(study, button) {
  if (button.dataset.sure) { change("DELETE", study.id); return; }
  button.dataset.sure = "1";
  button.textContent = "Delete for good?";
  button.setAttribute("aria-label", `Delete ${titleOf(study)} for good?`);
  button.addEventListener("blur", () => { list(); }, { once: true });
}

async function change(method, id, data) {
  $("kept-problem").textContent = "";
  try { await call(method, `/api/studies/${id}`, data); } catch (problem) { $("kept-problem").textContent = problem.message; }
  list();
}

const chosen = () => [...$("mine").querySelectorAll(":checked")];

function fitCompare() {
  const [first, second, ...more] = chosen(), other = first && second && first.dataset.game !== second.dataset.game;
  $("compare").disabled = !second || more.length > 0 || other;
  $("kept-problem").textContent = other ? "These studies are about different games." : more.length ? "Tick only two." : "";
}
$("compare").addEventListener("click", () => {
  const [second, first] = chosen();  // the older one first
  location.href = `/lab/compare?a=${first.value}&b=${second.value}`;
});

// ---- records ------------------------------------------------------------------------------------------------------------

$("record").addEventListener("change", async (event) => {
  // Send the file unparsed: JavaScript would lose digits of its 64-bit numbers.
  const body = await event.target.files[0].text(), rules = opened(body);
  if (rules) { location.href = rules; return; }
  const answer = await fetch("/api/records", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const told = await answer.json();
  if (answer.ok) location.href = `/t/${told.id}/replay#${Number($("ply").value) || 0}`;
  else $("record-problem").textContent = told.text || "This file isn't the record of a game.";
});

if (form.dataset.asked) fill(JSON.parse(form.dataset.asked));
if (form.dataset.study) watch(form.dataset.study, false);
else list();
ask(0);
