// After the end: does everything follow from what was fixed before? Loaded only then. `rulestone verify` checks the rules of the game, too.
import { call, make, toast } from "./common.js";
import { noted, pledgeOf } from "./dice.js";
import { sha256 } from "./sha256.js";

/** The seed that a server's secret and everybody's values make. */
export function mix({ secret, pledges, values }) {
  return sha256(["rulestone seed", `secret ${secret}`, ...pledges.map((pledge, n) => (values[n] ? `value ${values[n]}` : pledge ? `pledge ${pledge}` : "nothing"))].join("\n"));
}

/** The generator of a move, as 16 hexadecimal digits: the first 8 bytes of a hash, the last byte first. */
export const generator = (seed, name) => sha256(`rulestone ${typeof seed === "number" ? "int" : "str"} ${seed} ${name}`).slice(0, 16).match(/../g).reverse().join("");

/** The first move (0: the deal) whose generator doesn't follow from the seed; -1 if there is none. */
export function wrongMove(record, { generators, first }) {
  const made = {};
  return generators.findIndex((shown, move) => {
    const names = [move ? first + move : 0], by = record.by?.[move - 1];
    if (move && by !== undefined) { made[by] = (made[by] ?? -1) + 1; names.push(`player ${by} ${first} ${made[by]}`); }  // several may have decided at the same time
    return !names.some((name) => generator(record.seed, name) === shown);
  });
}

const GOOD = "good", OPEN = "open", BAD = "bad";

/** Check a record against what this browser noted: a list of [verdict, sentence]. `names` are the seats' names. */
export function check(record, dice, known, names) {
  const said = [], say = (verdict, text) => said.push([verdict, text]), parts = record.seed_parts;
  const secret = parts ? "server's secret" : "seed", shown = sha256(String(parts ? parts.secret : record.seed));
  if (!known.commitment) say(OPEN, `This browser noted no fingerprint during the game, so it can't tell whether the ${secret} was swapped.`);
  else if (known.commitment === shown) say(GOOD, `The ${secret} has the fingerprint that this browser noted during the game. It was not swapped.`);
  else say(BAD, `The ${secret} doesn't have the fingerprint that this browser noted during the game.`);
  if (parts) {
    const wrong = parts.values.findIndex((value, n) => value && pledgeOf(value) !== parts.pledges[n]);
    if (known.pledges && parts.values.includes(known.value)) say(GOOD, "Your browser's own random number is part of the seed. So nobody could choose the dice, not even the people who run this server.");
    else if (known.pledges && parts.pledges.includes(known.pledge)) say(OPEN, "Your browser's number came too late. Only its pledge is part of the seed.");
    else if (known.pledges) say(BAD, "Your browser's number is missing from the seed.");
    else say(OPEN, "Your browser's number is not part of the seed, so you rely on the server and the others.");
    if (wrong >= 0) say(BAD, `${names[wrong]}'s number is not the one that was pledged.`);
    else if (known.pledges && known.pledges.join() !== parts.pledges.join()) say(BAD, "Somebody's pledge was changed after your browser had sent its number.");
    else if (parts.values.some(Boolean)) say(GOOD, "Every number is the one that was pledged before anybody showed theirs.");
    parts.pledges.forEach((pledge, n) => { if (pledge && !parts.values[n] && pledge !== known.pledge) say(OPEN, `${names[n]}'s number never came, so its pledge was used. A server in league with ${names[n]} had a choice of two seeds.`); });
    if (mix(parts) === record.seed) say(GOOD, "The seed is made of exactly these numbers."); else say(BAD, "The seed is not made of these numbers.");
  }
  const move = record.dice ? -1 : wrongMove(record, dice), complete = dice.generators.length === record.moves.length + 1;
  if (record.laid) say(OPEN, "This game began in the middle of another one.");
  if (record.dice) say(OPEN, "Some dice were set by hand.");
  else if (move < 0 && complete) say(GOOD, `All dice and shuffles follow from the seed: the deal and ${record.moves.length} moves were checked.`);
  else say(BAD, move > 0 ? `The dice of move ${move} don't follow from the seed.` : move ? "The dice of some moves are missing." : "The deal doesn't follow from the seed.");
  return said;
}

const LABELS = { [GOOD]: "✓ Dice checked", [OPEN]: "Dice checked", [BAD]: "⚠ The dice are wrong" }, MARKS = { [GOOD]: "✓", [OPEN]: "–", [BAD]: "✗" };
const HEADS = { [GOOD]: "Honest dice", [OPEN]: "Honest dice, as far as your browser can tell", [BAD]: "These dice don't add up" };

/** Check a finished game and put a button into `box` that says what was checked. */
export async function seal(table, names, box) {
  let record, dice;
  try { [record, dice] = await Promise.all(["record", "dice"].map((what) => call("GET", `/api/tables/${table}/${what}`))); } catch (problem) { toast(problem.message); return; }
  const known = noted(table), said = check(record, dice, known, names), verdicts = said.map(([verdict]) => verdict);
  const verdict = [BAD, OPEN].find((one) => verdicts.includes(one)) ?? GOOD;
  document.head.append(make("link", { rel: "stylesheet", href: new URL("verify.css", import.meta.url).href }));
  const command = `rulestone verify FILE${known.commitment ? ` --commitment ${known.commitment}` : ""}${known.pledges ? ` --mine ${known.value}` : ""}`;
  const open = () => {
    const close = () => shown.close();
    const shown = make("dialog", { class: "ask checked", "aria-labelledby": "checked-title", onclose: () => shown.remove() },
      make("h2", { id: "checked-title" }, HEADS[verdict]),
      make("p", {}, "All luck in a game comes from one number, the seed. Your browser has just checked it:"),
      make("ul", { class: "checks" }, ...said.map(([one, text]) => make("li", { class: one }, make("span", { "aria-hidden": "true" }, MARKS[one]), make("span", {}, text)))),
      make("details", {}, make("summary", {}, "Check it yourself"), make("p", {}, "This page checks the numbers. To check every move by the rules as well, download the record and run:"), make("pre", {}, make("code", {}, command))),
      make("p", { class: "buttons" },
        make("button", { type: "button", class: "primary", onclick: close }, "Close"),
        make("a", { class: "button", href: `/api/tables/${table}/record`, download: `${table}.json` }, "Download record")));
    document.body.append(shown);
    shown.showModal();
  };
  box.append(make("button", { type: "button", class: `quiet seal ${verdict}`, onclick: open }, LABELS[verdict]));
}
