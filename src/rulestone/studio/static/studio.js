// The studio: a game's table where every seat is yours, what is wrong with its files, and the panels of the workbench.
import { $, call, make, mark, narrow, sentence, settings, toast } from "./common.js";
import { Chooser } from "./choose.js";
import { explain } from "./hover.js";
import { Stage } from "./stage.js";

const root = $("main"), game = root.dataset.game;
const stage = new Stage(root.querySelector("svg.scene"));
explain(stage, game);
stage.pace = { calm: 1, brisk: 0.45, instant: 0 }[settings.get("speed", "brisk")] ?? 0.45;
const WHY_STAYS = 5000;  // milliseconds until the prompt replaces the answer to a wrong click
let busy = 0, heard = 0;  // requests under way, and the last change that the server has told of
let eyes = settings.get("studio-eyes", "turn"), table = null, answered = 0, ticket = 0;

/** The address of a call of the studio, with whose eyes the page looks. */
function at(path, query = {}) {
  const asked = new URLSearchParams({ eyes, ...(narrow.matches ? { narrow: true } : {}), ...query });
  return `/api/studio/${path}?${asked}`;
}

/**
 * What panels work with. `mount(box, studio)` of a panel is called when it is first opened.
 *
 * - `studio.table`: everything the page shows (as GET /api/studio/table answers)
 * - `studio.on(what, hear)`: call `hear(message)` when something has happened: "table" (the position, or anything else the page shows, has
 *   changed), "version" (a new version of the files is at the table), "files" (new files can't be played), or a word of your own that
 *   the server sends with `app.state.live.tell(word, …)`. A panel that is closed hears it too.
 * - `studio.get(path, query)`, `studio.post(path, body)`: calls below /api/studio/; errors are shown and thrown
 * - `studio.change(path, body)`: a call that changes the position and answers with the table, which is then shown
 * - `studio.note(panel, text)`: a few words beside a panel's title
 * - `studio.stage`, `studio.chooser`: the board, and what can be chosen on it
 */
export const studio = {
  game,
  stage,
  get table() { return table; },
  hearing: new Map(),
  on(what, hear) { this.hearing.set(what, [...(this.hearing.get(what) ?? []), hear]); },
  say(what, message = {}) { for (const hear of this.hearing.get(what) ?? []) hear(message); },
  async get(path, query) { try { return await call("GET", at(path, query)); } catch (problem) { toast(problem.message); throw problem; } },
  async post(path, body) { try { return await call("POST", at(path), body); } catch (problem) { toast(problem.message); throw problem; } },
  async change(path, body) {
    const mine = ++ticket;
    busy++;
    try { const next = await call("POST", at(path), body); if (mine === ticket) await show(next); } catch (problem) { toast(problem.message); await refresh(); } finally { busy--; }
    if (!busy && heard > table.change) await refresh();
  },
  note(panel, text) { document.querySelector(`[data-panel="${panel}"] [data-note]`).textContent = text; },
};

const chooser = studio.chooser = new Chooser(stage, { choices: $("choices"), list: make("div"), back: $("back") }, {
  name: (thing) => stage.data?.cards[thing]?.[0] ?? thing.replaceAll(/[-_]/g, " "),
  prompt: (text) => say(text ?? table.frame.prompt),
  why: async (thing) => {
    try { const { why } = await call("GET", at("why", { thing })); say(why); clearTimeout(answered); answered = setTimeout(() => say(table.frame.prompt), WHY_STAYS); } catch { /* only a courtesy */ }
  },
  play: (move) => studio.play(move.move),
});

/** Play a move, with the dice that the next move has been given. */
studio.dice = null;  // the generator of the next move, if it was set by hand
studio.play = (move) => { const rng = studio.dice; studio.dice = null; return studio.change("play", { move, player: table.frame.eyes, rng }); };

function say(text) { $("prompt").replaceChildren(...sentence(text, game)); }

/** Show what the server answered: after a move played or a step forth the way there, everything else at once. */
async function show(next) {
  const old = table;
  table = next;
  clearTimeout(answered);
  const forward = old && next.line.at === old.line.at + 1 && next.version === old.version && next.frame.narrow === old.frame.narrow;
  chooser.set([], false);
  seats();
  state();
  steps();
  studio.say("table");
  if (forward) await stage.show(next.frame.scene, next.frame.steps);
  else {
    if (old && (next.frame.narrow !== old.frame.narrow || next.version !== old.version)) stage.data = null;
    stage.patch(next.frame.scene);
  }
  if (table !== next) return;
  chooser.set(next.frame.moves, next.frame.any_order);
  seats();
  if (next.frame.ending) $("prompt").replaceChildren(make("strong", {}, next.frame.ending[0]), " ", ...sentence(next.frame.ending[1], game));
  else say(next.frame.prompt);
}

async function refresh() {
  const mine = ++ticket;
  try { const next = await call("GET", at("table")); if (mine === ticket) await show(next); } catch (problem) { toast(problem.message); }
}

// ---- whose eyes -------------------------------------------------------------------------------------------------------------

function look(who) { eyes = eyes === who ? "turn" : who; settings.set("studio-eyes", eyes); refresh(); }

function seats() {
  const { frame, names, hues } = table;
  const one = (who, face, name, flag, goods) => {
    const seen = who === String(frame.eyes ?? "public");
    return make("button", { type: "button", class: `eye${seen ? " seen" : ""}`, "aria-pressed": eyes === who ? "true" : "false", title: eyes === who ? "Follow the turn again" : `See it as ${name} does`, onclick: () => look(who) },
      face, make("strong", {}, name), flag ? make("span", { class: "turn-flag" }, flag) : null,
      goods?.badge ? make("span", { class: "badge" }, goods.badge) : null,
      goods?.lines.length ? make("span", { class: "goods" }, ...goods.lines.map((line) => make("span", {}, line))) : null);
  };
  const plates = frame.scene.plates ?? stage.data?.plates ?? [];
  $("players").replaceChildren(
    ...names.map((name, seat) => one(String(seat), mark(hues[seat]), name, frame.deciders.includes(seat) ? "to move" : null, plates[seat])),
    one("public", make("span", { class: "eye-mark", "aria-hidden": "true" }, "◉"), "A spectator", null, null));
}

// ---- the state of the files -----------------------------------------------------------------------------------------------------

const WHERE = { files: "These files can’t be played. The last version that worked is on the table.", table: "Something is wrong at the table.", check: "The checks found a problem." };

function state() {
  const { checks } = table;
  const checked = { waiting: "", fine: "All checks are fine.", broken: "", checking: `Checking: ${checks.doing}${checks.of ? ` (${checks.done + 1} of ${checks.of})` : ""}…` }[checks.state];
  $("said").replaceChildren(table.version > 1 ? `Version ${table.version}. ${table.said} ` : "Save a file of the game, and the change shows here. ", make("span", { class: "checks" }, checked));
  $("problems").replaceChildren(...table.problems.map((problem) => make("div", { class: "trouble-box" },
    make("p", {}, make("strong", {}, WHERE[problem.where])),
    problem.file ? make("p", { class: "place" }, make("code", {}, `${problem.file} line ${problem.line}`)) : null,
    make("p", { class: "says" }, problem.says),
    problem.lines.length ? make("pre", {}, ...problem.lines.map(([number, text]) => make("span", { class: number === problem.line ? "here" : "" }, `${String(number).padStart(4)}  ${text}\n`))) : null)));
  root.classList.toggle("broken", table.problems.some((problem) => problem.where === "files"));
}

// ---- steps ------------------------------------------------------------------------------------------------------------------------

function steps() {
  const { at: place, moments } = table.line, last = moments.length - 1;
  $("where").max = last;
  $("where").value = place;
  $("where").setAttribute("aria-valuetext", `${place} of ${last}: ${moments[place].label}`);
  for (const id of ["first", "before"]) $(id).disabled = place === 0;
  for (const id of ["next", "last"]) $(id).disabled = place === last;
}
studio.go = (place) => studio.change("go", { at: Math.max(0, Math.min(table.line.moments.length - 1, place)) });
$("first").addEventListener("click", () => studio.go(0));
$("before").addEventListener("click", () => studio.go(table.line.at - 1));
$("next").addEventListener("click", () => studio.go(table.line.at + 1));
$("last").addEventListener("click", () => studio.go(Infinity));
$("where").addEventListener("input", () => studio.go(Number($("where").value)));
addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.closest?.("input, select, textarea, [contenteditable]")) return;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step || !table) return;
  event.preventDefault();
  studio.go(table.line.at + step);
});

// ---- panels -----------------------------------------------------------------------------------------------------------------------

function panels() {
  for (const panel of document.querySelectorAll(".panel")) {
    const { panel: name } = panel.dataset, key = `studio-panel-${name}`;
    let mounted = false;
    const mount = async () => {
      if (mounted || !panel.open) return;
      mounted = true;
      try { (await import(`/studio/static/${name}.js`)).mount(panel.querySelector(".panel-box"), studio); } catch (problem) { mounted = false; toast(`The panel “${name}” can’t be opened: ${problem.message}`); }
    };
    panel.open = settings.get(key, panel.dataset.open === undefined ? "closed" : "open") === "open";
    panel.addEventListener("toggle", () => { settings.set(key, panel.open ? "open" : "closed"); mount(); });
    mount();
  }
}

// ---- live -------------------------------------------------------------------------------------------------------------------------

let waiting = 250;
function listen() {
  const socket = new WebSocket(`ws://${location.host}/studio/live`);
  socket.addEventListener("open", () => { waiting = 250; if (!$("offline").hidden) location.reload(); });
  socket.addEventListener("message", async (event) => {
    const message = JSON.parse(event.data);
    if (message.t === "checks") { table.checks = message.checks; table.problems = message.problems; state(); }
    else if (["version", "files", "table"].includes(message.t)) {
      heard = Math.max(heard, message.change);
      if (!busy && heard > table.change) await refresh();
    }
    if (message.t !== "table") studio.say(message.t, message);
  });
  socket.addEventListener("close", () => { $("offline").hidden = false; waiting = Math.min(4000, waiting * 1.6); setTimeout(listen, waiting); });
}

narrow.addEventListener("change", refresh);
await refresh();
panels();
listen();
