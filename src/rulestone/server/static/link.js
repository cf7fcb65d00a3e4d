// Where a link leads: this device becomes one of the person who made it, if its owner agrees.
import { $, call, settings } from "./common.js";

const code = location.hash.slice(1);
history.replaceState(null, "", "/link");  // so that the code isn't kept in the history

function refused(problem) {
  [$("asks").textContent, $("says").textContent, $("no").textContent] = ["That didn't work", problem.message, "Home page"];
  $("use").hidden = true;
}

try {
  if (!code) throw new Error("This page needs a link from your other device: open My devices there.");
  const whose = await call("POST", "/api/me/links/look", { code });
  if (whose.already) throw new Error("This device is already linked.");
  if (whose.name) $("asks").textContent = `Play as ${whose.name} on this device?`;
  const own = whose.own_games === 1 ? "The game this device has now is" : `The ${whose.own_games} games this device has now are`;
  $("says").textContent = `This device gets the same games, seats and name as the one that showed you the link.${whose.own_games ? ` ${own} put aside until you sign it out again.` : ""}`;
  $("use").hidden = false;
} catch (problem) { refused(problem); }

$("use").addEventListener("click", async () => {
  $("use").disabled = true;
  try {
    const { name } = await call("POST", "/api/me/links/use", { code });
    if (name) settings.set("name", name);
    location.href = "/my/games";
  } catch (problem) { refused(problem); }
});
