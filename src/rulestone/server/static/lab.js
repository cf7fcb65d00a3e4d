// The lab: start a study, watch its results come in, open a record.
import { $, call, make } from "./common.js";

const form = $("study"), percent = (share) => `${(100 * share).toFixed(1)}\u00a0%`;
let watching = 0;

form.game.addEventListener("change", () => { location.href = `/lab?game=${encodeURIComponent(form.game.value)}`; });
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  $("problem").textContent = "";
  const body = { game: form.game.value, games: Number(form.games.value), bots: form.bots.value, vary: form.vary?.value ?? "" };
  if (form.players) body.players = Number(form.players.value);
  try { watch((await call("POST", "/api/studies", body)).id); } catch (problem) { $("problem").textContent = problem.message; }
});

async function watch(id) {
  const ticket = ++watching;
  $("told").hidden = false;
  $("told").scrollIntoView({ block: "nearest" });
  $("report").hidden = true;
  $("stop").disabled = false;
  $("stop").onclick = async () => {
    $("stop").disabled = true;
    try { await call("POST", `/api/studies/${id}/stop`); } catch (problem) { $("problem").textContent = problem.message; }
  };
  while (ticket === watching) {
    let told;
    try { told = await call("GET", `/api/studies/${id}`); } catch (problem) { $("problem").textContent = problem.message; return; }
    show(told, id);
    if (told.state === "done" || told.state === "failed") return;
    await new Promise((done) => setTimeout(done, 700));
  }
}

function say(id, words) {  // screen readers announce only what has changed
  if ($(id).textContent !== words) $(id).textContent = words;
}

function show(told, id) {
  const ended = told.state === "done" || told.state === "failed", played = told.cells[0].games;
  const words = {
    waiting: "Waiting for another study to finish…", preparing: told.seconds < 3 ? "Getting ready…" : "Compiling the rules…", playing: "Playing…",
    done: !played ? "Stopped before the first game" : told.stopped ? `Stopped: results of ${played.toLocaleString("en")} games` : "Results",
    failed: `The study failed: ${told.text}`,
  };
  say("state", words[told.state]);
  const slow = told.state === "preparing" && told.seconds >= 3;
  $("about").hidden = !slow;
  if (slow) $("about").textContent = `This happens only once and takes about 20 seconds for a large game: ${told.seconds} s so far.`;
  if (told.state === "playing") $("progress").value = told.done / told.total;
  else $("progress").removeAttribute("value");  // a bar without a value shows that something is going on
  $("progress").hidden = ended;
  $("stop").hidden = ended;
  $("findings").replaceChildren(...told.findings.map((sentence) => make("li", {}, sentence)));
  $("numbers").closest("table").hidden = !played;
  $("numbers").replaceChildren(...told.cells.flatMap((cell) => cell.seats.map((seat) => make("tr", {},
    make("td", {}, cell.label), make("td", {}, cell.games.toLocaleString("en")), make("td", {}, seat.name),
    make("td", {}, percent(seat.share)), make("td", {}, `${percent(seat.low)} … ${percent(seat.high)}`)))));
  $("report").hidden = !ended || !told.report;  // the report is ready just before the study ends
  $("report").href = `/api/studies/${id}/report`;
}

$("record").addEventListener("change", async (event) => {
  // Send the file unparsed: JavaScript would lose digits of its 64-bit numbers.
  const body = await event.target.files[0].text();
  const answer = await fetch("/api/records", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const told = await answer.json();
  if (answer.ok) location.href = `/t/${told.id}/replay#${Number($("ply").value) || 0}`;
  else $("record-problem").textContent = told.text || "This file isn't the record of a game.";
});
