// The home page: "Play now" creates a table with bots in one click.
import { call, settings } from "./common.js";

for (const button of document.querySelectorAll("[data-quick]")) {
  button.addEventListener("click", async () => {
    const { game, players, bot } = JSON.parse(button.dataset.quick);
    const seats = Array.from({ length: players }, (_, n) => (n ? { kind: "bot", bot } : { kind: "me", name: settings.get("name", "") }));
    button.disabled = true;
    try {
      location.href = `/t/${(await call("POST", "/api/tables", { game, seats })).id}`;
    } catch (problem) {
      button.disabled = false;
      button.textContent = problem.message;
    }
  });
}
