// A series at the table: the running score, and what comes after a game.
import { make, mark } from "./common.js";

/** A seat's points, for its plate. */
export function score({ series }, seat) {
  if (!series) return null;
  const points = series.points[seat];
  return make("span", { class: "score", title: "Points in this series" }, String(points), make("span", { class: "unseen" }, points === 1 ? " point" : " points"));
}

/** A line about the series, for the list of players. */
export function about({ series }) {
  return series ? [make("p", { class: "watchers" }, make("a", { href: `/series/${series.id}` }, `Game ${series.game} · ${series.terms}`))] : [];
}

/** After a game: the score of the series and, after the last game, who has won it. */
export function result({ series, seats }) {
  if (!series) return [];
  const best = Math.max(...series.points);
  const ranked = [...seats].sort((a, b) => series.points[b.seat] - series.points[a.seat]);
  const ranks = make("span", { class: "ranks" }, ...ranked.map((seat) => make("span", { class: series.points[seat.seat] === best ? "rank first" : "rank" }, mark(seat.hue), `${seat.name} ${series.points[seat.seat]}`)));
  return [series.result ? make("span", { class: "series-end" }, make("strong", {}, series.result), ranks) : ranks];
}

/** Buttons after a game: the next one, or everything again. `again()` asks for it. */
export function onwards(info, plays, again) {
  const { series, rematch } = info;
  const next = series && !series.over, [go, ask] = next ? ["Go to the next game", "Next game"] : series ? ["Go to the new series", "Play another series"] : ["Go to the rematch", "Rematch"];
  return [
    rematch ? make("a", { class: "button primary", href: `/t/${rematch}` }, go) : plays ? make("button", { type: "button", class: "primary", onclick: again }, ask) : null,
    series ? make("a", { class: "button", href: `/series/${series.id}` }, "All games") : null,
  ].filter(Boolean);
}
