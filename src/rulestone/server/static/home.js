// The home page: "Play now" creates a table with bots in one click. Newcomers are shown where to learn.
import { $, settings } from "./common.js";
import { quickTable } from "./quick.js";
import { tell } from "./times.js";

tell(document);

for (const button of document.querySelectorAll("[data-quick]")) button.addEventListener("click", () => quickTable(button));

const lessons = [...document.querySelectorAll("[data-lesson]")];
for (const link of lessons) if (settings.get(`learned-${link.dataset.lesson}`)) link.classList.add("learned");
if ($("welcome") && !settings.get("welcomed") && !lessons.some((link) => link.classList.contains("learned"))) {
  $("welcome").hidden = false;
  $("welcomed").addEventListener("click", () => { settings.set("welcomed", "yes"); $("welcome").hidden = true; });
}
