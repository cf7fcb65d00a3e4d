// The lab: begin a study, watch its numbers grow, open a record.
import { $, call, make } from "./common.js";

const form = $("study"), percent = (share) => `${(100 * share).toFixed(1)} %`;
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

function say(id, words) {  // only news are read aloud
  if ($(id).textContent !== words) $(id).textContent = words;
}

function show(told, id) {
  const ended = told.state === "done" || told.state === "failed", played = told.cells[0].games;
  const words = {
    waiting: "Waiting for the lab…", preparing: told.seconds < 3 ? "Getting ready…" : "Compiling the rules…", playing: "Playing…",
    done: !played ? "Stopped before the first game" : told.stopped ? `Stopped: what ${played.toLocaleString("en")} games tell` : "What the games tell",
    failed: `That did not work: ${told.text}`,
  };
  say("state", words[told.state]);
  const slow = told.state === "preparing" && told.seconds >= 3;
  $("about").hidden = !slow;
  if (slow) $("about").textContent = `This takes some twenty seconds for a large game, and only once: ${told.seconds} s so far.`;
  if (told.state === "playing") $("progress").value = told.done / told.total;
  else $("progress").removeAttribute("value");  // a bar without a value moves by itself
  $("progress").hidden = ended;
  $("stop").hidden = ended;
  $("findings").replaceChildren(...told.findings.map((sentence) => make("li", {}, sentence)));
  $("numbers").closest("table").hidden = !played;
  $("numbers").replaceChildren(...told.cells.flatMap((cell) => cell.seats.map((seat) => make("tr", {},
    make("td", {}, cell.label), make("td", {}, cell.games.toLocaleString("en")), make("td", {}, seat.name),
    make("td", {}, percent(seat.share)), make("td", {}, `${percent(seat.low)} … ${percent(seat.high)}`)))));
  $("report").hidden = !ended || !told.report;  // it is written a moment before the study is over
  $("report").href = `/api/studies/${id}/report`;
}

$("record").addEventListener("change", async (event) => {
  // The file goes as it is: read and written again here, its 64-bit numbers would lose digits.
  const body = await event.target.files[0].text();
  const answer = await fetch("/api/records", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const told = await answer.json();
  if (answer.ok) location.href = `/t/${told.id}/replay#${Number($("ply").value) || 0}`;
  else $("record-problem").textContent = told.text || "That file is no record.";
});
