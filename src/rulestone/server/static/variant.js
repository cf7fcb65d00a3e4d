// Variants: a game with other constants and options as a link, or as a small file.
const FORMAT = "rulestone.variant";

/** The page that sets up a table of a variant. */
export function address(game, options, players) {
  const asked = new URLSearchParams({ ...options, ...(players ? { players } : {}) }).toString();
  return `/new/${encodeURIComponent(game).replaceAll("%40", "@").replaceAll("%3D", "=")}${asked ? `?${asked}` : ""}`;
}

/** The page of a variant's file; null if the text isn't one. */
export function opened(text) {
  let data;
  try { data = JSON.parse(text); } catch { return null; }
  return data?.format === FORMAT ? address(String(data.game), data.options ?? {}, data.players) : null;
}

/** Save a variant as a file. */
export function save(game, options, players) {
  const data = { format: FORMAT, version: 1, game, options, ...(players ? { players } : {}) };
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${JSON.stringify(data, null, 1)}\n`], { type: "application/json" }));
  link.download = `${game.split("@")[0]}-variant.json`;
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A name with changed constants. */
export function join(game, changes) {
  const set = Object.entries(changes).map(([name, value]) => `${name}=${value}`);
  return set.length ? `${game}@${set.join(";")}` : game;
}
