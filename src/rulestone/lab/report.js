// Sorts and searches the report's tables, and opens everything for printing. The report can be read without it.
"use strict";
const value = (row, column) => {
  const text = row.cells[column] ? row.cells[column].textContent.trim() : "";
  const found = text.replace(/[,\u00a0]/g, (sign) => (sign === "," ? "" : " ")).replace("−", "-").match(/^[+-]?\d+(\.\d+)?/);
  return found ? Number(found[0]) : text ? text.toLowerCase() : null;
};
const compare = (one, other) =>
  one === null || other === null ? (one === null) - (other === null)
  : typeof one === typeof other ? (one < other ? -1 : one > other ? 1 : 0)
  : typeof one === "number" ? -1 : 1;
for (const table of document.querySelectorAll("table")) {
  const body = table.tBodies[0];
  if (!table.tHead || body.rows.length < 2) continue;
  for (const [column, head] of [...table.tHead.rows[0].cells].entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const way = head.getAttribute("aria-sort") === "descending" ? "ascending" : "descending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const rows = [...body.rows].map((row) => [value(row, column), row]);
      rows.sort(([one], [other]) => (one === null || other === null ? compare(one, other) : compare(one, other) * (way === "ascending" ? 1 : -1)));
      body.append(...rows.map(([, row]) => row));
    });
  }
  if (body.rows.length > 8) {
    const search = document.createElement("input");
    search.type = "search";
    search.placeholder = `Search ${body.rows.length} rows`;
    search.setAttribute("aria-label", "Search this table");
    search.addEventListener("input", () => {
      const wanted = search.value.trim().toLowerCase();
      for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    table.parentElement.before(search);
  }
}
const parts = [...document.querySelectorAll("details")];
const contents = document.querySelector("nav");
if (contents) {
  const button = document.createElement("button");
  button.type = "button";
  const say = () => { button.textContent = parts.every((part) => part.open) ? "Fold all sections" : "Open all sections"; };
  button.addEventListener("click", () => { const open = !parts.every((part) => part.open); for (const part of parts) part.open = open; say(); });
  say();
  contents.append(button);
}
let folded = [];
addEventListener("beforeprint", () => { folded = parts.filter((part) => !part.open); for (const part of folded) part.open = true; });
addEventListener("afterprint", () => { for (const part of folded) part.open = false; });
const reveal = () => {
  const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = target && target.closest("details"); part; part = part.parentElement.closest("details")) part.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("hashchange", reveal);
reveal();
