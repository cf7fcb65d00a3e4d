// Setting up a table.
import { $, call, keepName, mark, settings, toast } from "./common.js";
import { begin } from "./dice.js";
import { address, opened, save } from "./variant.js";

const form = $("new");
form.me.value = settings.get("name", "");
const lines = [...form.querySelectorAll(".seat-line")];

const options = [...form.querySelectorAll("[data-usual]")];

function count() { return form.players ? Number(form.players.value) : lines.length; }
const names = JSON.parse(form.dataset.names), hues = JSON.parse(form.dataset.hues);
function fit() {
  lines.forEach((line, n) => {
    line.hidden = n >= count();
    if (!line.hidden) line.querySelector(".seat-name").replaceChildren(mark(hues[count()][n]), names[count()][n]);
  });
  for (const field of options) {  // the default can depend on the number of players
    const usual = JSON.parse(field.dataset.usual)[count()];
    if (field.dataset.range) { field.placeholder = `${usual} (${field.dataset.range} is possible)`; continue; }
    field.options[0].text = field.closest(".more") ? `${usual} (usual)` : usual;
    for (const choice of [...field.options].slice(1)) {  // some choices are made for a number of players
      choice.hidden = choice.disabled = choice.text === usual || choice.dataset.players?.split(" ").includes(String(count())) === false;
      if (choice.hidden && choice.selected) field.value = "";
    }
  }
  form.time.closest("label").hidden = !form.clock.value;
  const people = lines.slice(0, count()).filter((line, n) => !form[`seat${n}`].value.startsWith("bot:")).length;
  const friends = lines.slice(0, count()).some((line, n) => form[`seat${n}`].value === "open");
  form.hints.options[0].text = friends ? "off (two or more people play)" : `on (${people > 1 ? "you share a screen" : "you play alone"})`;
  form.undo.options[0].text = friends ? "if everybody else agrees" : "your own moves, freely";
  if (form.aid) {  // here it depends on how many people play
    form.aid.options[0].text = `default (${people === 1 ? form.aid.dataset.alone : form.aid.dataset.together})`;
  }
}
function fitSeries() {
  const kind = form.series.value, points = kind === "target";
  $("series-many").hidden = !kind;
  form.many.disabled = !kind;
  if (!kind) return;
  $("series-many").firstElementChild.textContent = points ? "Points to win the series" : "Games in the series";
  [form.many.min, form.many.max, form.many.value] = [points ? 1 : 2, points ? 100000 : 99, form.series.selectedOptions[0].dataset.many];
}
form.series.addEventListener("change", fitSeries);
fitSeries();
form.addEventListener("change", fit);
fit();

// ---- a variant as a link and as a file: what the link sets is filled in ---------------------------------------------------

for (const [name, value] of new URLSearchParams(location.search)) {
  const field = name === "players" ? form.players : form.elements[`option:${name}`];
  if (!field) continue;
  field.value = value;
  for (let box = field.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
}
fit();
const chosenOptions = () => Object.fromEntries(options.filter((field) => field.value !== "").map((field) => [field.name.slice("option:".length), field.value]));
const variant = () => [form.dataset.game, chosenOptions(), form.players?.value];
$("copy-variant").addEventListener("click", async () => {
  const link = new URL(address(...variant()), location.href).href;
  try { await navigator.clipboard.writeText(link); toast("Link copied. Whoever opens it sets up a table with these rules."); } catch { toast(link); }
});
$("save-variant").addEventListener("click", () => save(...variant()));
$("open-variant").addEventListener("change", async (event) => {
  const link = opened(await event.target.files[0].text());
  if (link) location.href = link;
  else $("problem").textContent = "This file holds no rules of a game.";
});

const button = form.querySelector("[type=submit]");
addEventListener("pageshow", () => { button.disabled = false; });  // after coming back from the new table
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = form.me.value.trim();
  if (name !== settings.get("name", "")) keepName(name).catch(() => {});
  const seats = lines.slice(0, count()).map((line, n) => {
    const [kind, ...rest] = form[`seat${n}`].value.split(":");  // bot:level:3
    return kind === "bot" ? { kind, bot: rest.join(":") } : kind === "me" ? { kind, name } : { kind };
  });
  const [kind, seconds] = form.clock.value.split(":");
  const body = { game: form.dataset.game, name: form.title.value.trim(), seats, options: chosenOptions(), spectators: form.spectators.checked, listed: form.listed.checked };
  body.fair = { hints: form.hints.value, undo: form.undo.value, time: form.time.value };
  if (kind) body.clock = { kind, seconds: Number(seconds) };
  if (form.aid?.value) body.aid = form.aid.value;
  if (form.series.value) body.series = { [form.series.value]: Number(form.many.value) };
  button.disabled = true;
  try {
    location.href = `/t/${await begin((pledge) => call("POST", "/api/tables", { ...body, pledge }))}`;
  } catch (problem) {
    $("problem").textContent = problem.message;
    button.disabled = false;
  }
});
