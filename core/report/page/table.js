// Tables that sort by their headers, filter by text, and have pages.
"use strict";

/**
 * columns: {name, value(row) for sorting, text(row)?, cell(row)?, number?}. Sorting is by value, missing ones
 * last; the first click on a number sorts downwards.
 */
function table(rows, columns, {caption, page = 25, filter = rows.length > page, sort = null} = {}) {
  let shown = rows, at = 0, order = sort;
  const text = (column, row) => column.text ? column.text(row) : String(column.value(row) ?? "");
  const haystack = new Map();
  const words = row => {
    if (!haystack.has(row)) haystack.set(row, columns.map(column => text(column, row)).join(" ").toLowerCase());
    return haystack.get(row);
  };
  const body = h("tbody");
  const count = h("span", {"aria-live": "polite"});
  const back = h("button", {type: "button", onclick: () => turn(-1)}, "Previous");
  const forth = h("button", {type: "button", onclick: () => turn(1)}, "Next");
  const headers = columns.map((column, k) => h(column.number ? "th.num" : "th", {scope: "col"},
    h("button", {type: "button", onclick: () => sortBy(k)}, column.name)));

  function draw() {
    const pages = Math.max(1, Math.ceil(shown.length / page));
    at = Math.max(0, Math.min(at, pages - 1));
    body.replaceChildren(...shown.slice(at * page, (at + 1) * page).map(row => h("tr", {},
      ...columns.map(column => h(column.number ? "td.num" : column.wide ? "td.wide" : "td", {},
        column.cell ? column.cell(row) : text(column, row))))));
    count.textContent = pages > 1 ? `${at * page + 1}–${Math.min(shown.length, (at + 1) * page)} of ${plural(shown.length, "row")}`
      : plural(shown.length, "row");
    back.disabled = at === 0;
    forth.disabled = at === pages - 1;
    pager.hidden = rows.length <= page;
    headers.forEach((header, k) => order && order.column === k
      ? header.setAttribute("aria-sort", order.down ? "descending" : "ascending")
      : header.removeAttribute("aria-sort"));
  }
  function arrange() {
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    shown = wanted.length ? rows.filter(row => wanted.every(word => words(row).includes(word))) : [...rows];
    if (order) {
      const {column, down} = order, value = columns[column].value, sign = down ? -1 : 1;
      const missing = x => x === null || x === undefined || x === "";
      shown.sort((a, b) => {
        const x = value(a), y = value(b);
        if (missing(x) || missing(y)) return missing(x) - missing(y);
        return sign * (typeof x === "number" && typeof y === "number" ? x - y
          : String(x).localeCompare(String(y), "en", {numeric: true}));
      });
    }
    draw();
  }
  function sortBy(column) {
    const down = order && order.column === column ? !order.down : Boolean(columns[column].number);
    order = {column, down};
    at = 0;
    arrange();
  }
  function turn(step) { at += step; draw(); }

  const search = h("input", {type: "search", placeholder: "Filter", "aria-label": `Filter ${caption ?? "the table"}`,
    oninput: () => { at = 0; arrange(); }});
  const pager = h("div.pager", {}, count, back, forth);
  const whole = h("div.table", {},
    filter ? h("div.controls", {}, search) : null,
    h("div.scroll", {tabindex: "0", role: "region", "aria-label": caption ?? "Table"},
      h("table", {}, caption ? h("caption", {}, caption) : null,
        h("thead", {}, h("tr", {}, ...headers)), body)),
    pager);
  arrange();
  return whole;
}
