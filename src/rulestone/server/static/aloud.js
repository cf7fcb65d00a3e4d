// What screen readers hear at the table, and where the focus goes when the thing that had it disappears.
import { $, make, settings, toast } from "./common.js";

const SIGNS = { "↑": "up", "↗": "up-right", "→": "right", "↘": "down-right", "↓": "down", "↙": "down-left", "←": "left", "↖": "up-left", "↻": "clockwise", "↺": "counter-clockwise" };
const KEPT = 12;  // lines of the story that a screen reader can still go back to in the live region

/** A sentence without signs that screen readers pass over. */
export const spoken = (text) => text && text.replaceAll(/[↑↗→↘↓↙←↖↻↺]/g, (sign) => SIGNS[sign]);

/** Read out what has happened. */
export function readOut(lines) {
  const log = $("heard");
  log.append(...lines.map((line) => make("p", {}, spoken(line.replaceAll(/\s*\[[^\]]*\]/g, "")))));
  while (log.children.length > KEPT) log.firstChild.remove();
}

/** The board in words, loaded once somebody wants to read it: `read()` and `changed()` as in words.js. Returns what knows them by then. */
export async function inWords(read, changed) {
  let words = null;
  const doors = document.querySelectorAll("[data-do=words]");
  const load = async () => { const { Words } = await import("./words.js"); words ??= new Words($("board"), read, changed); };
  const home = $("movelist")?.parentElement;
  if (home) keepFocus((list) => (words?.on ? words.title : list === $("movelist") ? home : null));
  for (const door of doors) door.addEventListener("click", () => load().then(() => words.turn(), () => toast("The server can't be reached. Please try again.")));
  if (doors.length && settings.get("words", "off") === "on") await load().then(() => words.set(true), () => {});
  return () => words;
}

/** Nobody loses the focus with a button that goes: `refuge(list)` is where those go who were in that list of buttons. */
function keepFocus(refuge) {
  let last = null;
  addEventListener("focusin", (event) => { last = event.target; });
  const rest = (mutations) => {
    const on = document.activeElement, gone = last && !last.isConnected && mutations.some(({ removedNodes }) => [...removedNodes].some((node) => node.contains(last)));
    if (gone && (!on || on === document.body)) refuge(mutations[0].target)?.focus({ preventScroll: true });
  };
  for (const name of ["movelist", "choices"]) new MutationObserver(rest).observe($(name), { childList: true });
}
