// Setting up a table.
import { $, call, mark, settings } from "./common.js";

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
    if (field.dataset.range) field.placeholder = `default: ${usual} (${field.dataset.range})`; else field.options[0].text = `default (${usual})`;
  }
  if (form.aid) {  // here it depends on how many people play
    const people = lines.slice(0, count()).filter((line, n) => !form[`seat${n}`].value.startsWith("bot:")).length;
    form.aid.options[0].text = `default (${people === 1 ? form.aid.dataset.alone : form.aid.dataset.together})`;
  }
}
form.addEventListener("change", fit);
fit();

const button = form.querySelector("[type=submit]");
addEventListener("pageshow", () => { button.disabled = false; });  // after coming back from the new table
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = form.me.value.trim();
  settings.set("name", name);
  const seats = lines.slice(0, count()).map((line, n) => {
    const [kind, ...rest] = form[`seat${n}`].value.split(":");  // bot:level:3
    return kind === "bot" ? { kind, bot: rest.join(":") } : kind === "me" ? { kind, name } : { kind };
  });
  const chosen = Object.fromEntries(options.filter((field) => field.value !== "").map((field) => [field.name.slice("option:".length), field.value]));
  const [kind, seconds] = form.clock.value.split(":");
  const body = { game: form.dataset.game, name: form.title.value.trim(), seats, options: chosen, spectators: form.spectators.checked, listed: form.listed.checked };
  if (kind) body.clock = { kind, seconds: Number(seconds) };
  if (form.aid?.value) body.aid = form.aid.value;
  button.disabled = true;
  try {
    location.href = `/t/${(await call("POST", "/api/tables", body)).id}`;
  } catch (problem) {
    $("problem").textContent = problem.message;
    button.disabled = false;
  }
});
