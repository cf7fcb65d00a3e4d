// This browser's part in the dice: a random value, pledged by its hash and sent once everybody's pledge is known (docs/server/dice.md).
import { call, settings } from "./common.js";
import { sha256 } from "./sha256.js";

const MOST = 200, AGAIN = 400, TRIES = 12;

/** What this browser has noted about a table's dice: its value and pledge, the server's commitment, and everybody's pledges. */
export const noted = (table) => JSON.parse(settings.get(`dice:${table}`, "{}"));
export function note(table, more) {
  settings.set(`dice:${table}`, JSON.stringify({ made: Date.now(), ...noted(table), ...more }));
  try {
    const all = Object.keys(localStorage).filter((key) => key.startsWith("dice:"));
    if (all.length > MOST) for (const old of all.sort((a, b) => (JSON.parse(localStorage[a]).made ?? 0) - (JSON.parse(localStorage[b]).made ?? 0)).slice(0, -MOST)) localStorage.removeItem(old);
  } catch { /* private mode */ }
}

export const pledgeOf = (value) => sha256(`rulestone pledge ${value}`);

/** A fresh value and its pledge; at a table where this browser has drawn one, the same again. */
export function draw(table = "") {
  const known = table ? noted(table) : {};
  if (known.value) return known;
  const value = [...crypto.getRandomValues(new Uint8Array(32))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  const drawn = { value, pledge: pledgeOf(value) };
  if (table) note(table, drawn);
  return drawn;
}

/** Once all pledges are known, note them and send the value with `send`. Returns whether nothing is left to do. */
async function reveal(table, { commitment, dice }, send, drawn = noted(table)) {
  if (dice.stage === "open") return false;
  const known = noted(table);
  if (dice.stage === "closed" && drawn.value && dice.pledges.includes(drawn.pledge) && (known.commitment ?? commitment) === commitment && !known.pledges) {
    note(table, { ...drawn, commitment, pledges: dice.pledges });
    await send(drawn.value);
  } else if (dice.stage === "closed" && known.pledges?.join() === dice.pledges.join()) await send(drawn.value);  // the answer was lost
  return true;
}

const over = (table) => (value) => call("POST", `/api/tables/${table}/reveal`, { value });

/** Make a table (or a rematch, or a game from a position) with this browser's pledge. `make(pledge)` returns what the server answers. */
export async function begin(make) {
  const drawn = draw(), made = await make(drawn.pledge), table = made.table ?? made.id;
  if (!noted(table).value) note(table, { ...drawn, commitment: made.commitment });
  await reveal(table, made, over(table), drawn).catch(() => {});  // the table's page tries again
  return table;
}

/** Take part in a table that this browser doesn't show: a rematch that somebody else has asked for. */
export async function join(table) {
  const { pledge } = draw(table);
  for (let k = 0; k < TRIES; k++) {
    const told = await call("POST", `/api/tables/${table}/pledge`, { pledge });
    note(table, { commitment: noted(table).commitment ?? told.commitment });
    if (await reveal(table, told, over(table))) return;
    await new Promise((done) => setTimeout(done, AGAIN));
  }
}

/** At the table: send what is missing. `seated`: whether this person plays here. */
export async function follow(info, seated, ask) {
  if (!seated) return;
  if (info.dice.stage === "open" && info.seats.some((seat) => seat.mine && !info.dice.pledged[seat.seat])) await ask("pledge", { pledge: draw(info.id).pledge });
  else await reveal(info.id, info, (value) => ask("reveal", { value }));
}
