// My games: kept up to date, with the number of games that wait for me in the title.
import { $ } from "./common.js";
import { bind } from "./notify.js";
import { tell } from "./times.js";

const EVERY = 20000;  // milliseconds

async function refresh() {
  let text;
  try {
    const answer = await fetch("/my/games");
    if (!answer.ok) return;
    text = await answer.text();
  } catch { return; }  // next time
  const fresh = new DOMParser().parseFromString(text, "text/html");
  document.title = fresh.title;
  const now = fresh.querySelector("#mine");
  tell(now);
  if (now.innerHTML !== $("mine").innerHTML && !$("mine").contains(document.activeElement)) $("mine").replaceWith(document.adoptNode(now));
}
tell(document);
bind($("notify"));
setInterval(refresh, EVERY);
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });
