// Times as people say them, in the reader's own time zone.

const HOUR = 3600, DAY = 24 * HOUR;
const plural = (n, word) => `${n} ${word}${n === 1 ? "" : "s"}`;

/** A length of time: "0:30", "1:05:00", "3 days". */
export function span(seconds) {
  if (seconds >= DAY) return plural(Math.round(seconds / DAY), "day");
  const parts = [Math.floor(seconds / HOUR), Math.floor((seconds % HOUR) / 60), Math.floor(seconds % 60)];
  if (!parts[0]) parts.shift();
  return parts.map((part, k) => (k ? String(part).padStart(2, "0") : part)).join(":");
}

/** When something is due: "by 14:00", "by tomorrow 14:00", "by Thursday 14:00" or "by 3 December 14:00". */
export function by(when, now = new Date()) {
  const at = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" }).format(when);
  const midnight = (date) => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate());
  const days = (midnight(when) - midnight(now)) / (DAY * 1000);
  const day = days === 0 ? "" : days === 1 ? "tomorrow " : days > 1 && days < 7 ? `${new Intl.DateTimeFormat("en-GB", { weekday: "long" }).format(when)} ` : `${new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" }).format(when)} `;
  return `by ${day}${at}`;
}

/** What a clock shows: the time left, or for hours and days the time by which one must decide. */
export const clock = (left, runs) => (left < HOUR || !runs ? span(left) : by(new Date(Date.now() + left * 1000)));

/** Fill in the times of a list of tables. */
export function tell(root) {
  for (const time of root.querySelectorAll("[data-due]")) {
    const when = new Date(time.dataset.due * 1000);
    time.dateTime = when.toISOString();
    time.textContent = by(when);
  }
}
