// A table against bots with one click.
import { call, settings, toast } from "./common.js";

/** Open the table that a button's data describe. */
export async function quickTable(button) {
  const { game, players, bot } = JSON.parse(button.dataset.quick);
  const seats = Array.from({ length: players }, (_, n) => (n ? { kind: "bot", bot } : { kind: "me", name: settings.get("name", "") }));
  button.disabled = true;
  try {
    location.href = `/t/${(await call("POST", "/api/tables", { game, seats })).id}`;
  } catch (problem) {
    button.disabled = false;
    toast(problem.message);
  }
}
