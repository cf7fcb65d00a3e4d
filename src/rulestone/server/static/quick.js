// A table against bots with one click.
import { call, settings, toast } from "./common.js";

/** Open the table that a button's data describe. */
export async function quickTable(button) {
  const { game, players, bot } = JSON.parse(button.dataset.quick);
  const seats = Array.from({ length: players }, (_, n) => (n ? { kind: "bot", bot } : { kind: "me", name: settings.get("name", "") }));
  button.disabled = true;
  try {
    const { begin } = await import("./dice.js");
    location.href = `/t/${await begin((pledge) => call("POST", "/api/tables", { game, seats, pledge }))}`;
  } catch (problem) {
    button.disabled = false;
    toast(problem.message);
  }
}
