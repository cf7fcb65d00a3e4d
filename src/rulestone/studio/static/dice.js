// A new game from a seed, and the dice of the next move.
import { call, make } from "./common.js";

export async function mount(box, studio) {
  const game = await call("GET", "/api/studio/game");
  const seed = make("input", { name: "seed", autocomplete: "off", placeholder: "a new one", "aria-label": "Seed" });
  const [least, most] = game.players;
  const players = make("select", { name: "players", "aria-label": "Players" }, ...Array.from({ length: most - least + 1 }, (_, k) => make("option", { value: least + k }, least + k)));
  const options = game.options.map((option) => ({ option, field: typeof option.choices === "string"
    ? make("input", { inputmode: "numeric", placeholder: option.choices.replace("..", " to "), "data-option": option.name })
    : make("select", { "data-option": option.name }, ...option.choices.map((choice) => make("option", { value: choice }, option.said[choice] ?? choice))) }));
  const line = (name, field, title) => make("label", { class: "line", title }, make("span", {}, name), field);

  /** Fill in what the game on the table was dealt from. */
  function fill() {
    const { start } = studio.table;
    seed.value = start.seed;
    players.value = start.players;
    for (const { option, field } of options) field.value = start.options[option.name] ?? "";
    studio.note("dice", `seed ${start.seed}`);
  }
  function deal(again) {
    const chosen = Object.fromEntries(options.filter(({ field }) => field.value !== "").map(({ option, field }) => [option.name, field.value]));
    return studio.change("new", { seed: again ? seed.value : "", players: Number(players.value), options: chosen });
  }

  const rng = make("input", { name: "rng", inputmode: "numeric", pattern: "\\d*", autocomplete: "off", placeholder: "from the seed", "aria-label": "Generator of the next move", oninput: () => { studio.dice = /^\d+$/.test(rng.value.trim()) ? Number(rng.value) : null; told(); } });
  const note = make("p", { class: "muted" });
  const told = () => { note.textContent = studio.dice === null ? "The next move's dice follow from the seed." : `The next move starts with the generator ${studio.dice}. Step back and try other numbers.`; };
  box.append(
    make("form", { onsubmit: (event) => { event.preventDefault(); deal(true); } },
      line("Seed", seed), least === most ? "" : line("Players", players),
      ...options.map(({ option, field }) => line(option.title || option.name, field, option.sentence)),
      make("p", { class: "buttons" }, make("button", { class: "primary small" }, "Deal from this seed"), make("button", { type: "button", class: "small", onclick: () => deal(false) }, "Deal from a new seed"))),
    line("Dice of the next move", rng), make("p", { class: "buttons" }, make("button", { type: "button", class: "small", onclick: () => { rng.value = Math.floor(Math.random() * 1e6); rng.dispatchEvent(new Event("input")); } }, "Other dice")), note);
  let start = null;
  const show = () => {
    if (start !== JSON.stringify(studio.table.start)) { start = JSON.stringify(studio.table.start); fill(); }
    if (studio.dice === null && rng.value) rng.value = "";
    told();
  };
  studio.on("table", show);
  studio.on("version", async () => { box.replaceChildren(); await mount(box, studio); });
  show();
}
