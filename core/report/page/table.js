// Tables that sort by their headers, filter by text, and have pages.
"use strict";

/**
 * columns: {name, value(row) for sorting, text(row)?, cell(row)?, number?, unit? and csv? for saving}. Sorting is
 * by value, missing ones last; the first click on a number sorts downwards. `key`: its name in the address.
 */
function table(rows, columns, {caption, page = 25, filter = rows.length > page, sort = null, key = null} = {}) {
  let shown = rows, at = 0, order = sort, isWhole = isPrinted;
  const keyOf = what => key && `${key}.${what}`;
  const text = (column, row) => column.text ? column.text(row) : String(column.value(row) ?? "");
  const haystack = new Map();
  const words = row => {
    if (!haystack.has(row)) haystack.set(row, columns.map(column => text(column, row)).join(" ").toLowerCase());
    return haystack.get(row);
  };
  const body = h("tbody", {role: "rowgroup"});
  const count = h("span", {"aria-live": "polite"});
  const back = h("button", {type: "button", onclick: () => turn(-1)}, "Previous");
  const forth = h("button", {type: "button", onclick: () => turn(1)}, "Next");
  const save = h("button.csv", {type: "button", title: "Save all rows that match the filter, with unformatted numbers",
    onclick: () => saveAs(`${document.title} ${caption ?? "table"}.csv`, csvText(shown, columns), "text/csv;charset=utf-8")}, "CSV");
  const headers = columns.map((column, k) => h(column.number ? "th.num" : "th", {scope: "col", role: "columnheader"},
    h("button", {type: "button", onclick: () => sortBy(k)}, column.name)));

  function draw() {
    const size = isWhole ? Math.max(1, shown.length) : page, pages = Math.max(1, Math.ceil(shown.length / size));
    const from = isWhole ? 0 : at = Math.max(0, Math.min(at, pages - 1));
    body.replaceChildren(...shown.slice(from * size, (from + 1) * size).map(row => h("tr", {role: "row"},
      ...columns.map(column => h(column.number ? "td.num" : column.wide ? "td.wide" : "td", {role: "cell", "data-name": column.name},
        column.cell ? column.cell(row) : text(column, row))))));
    count.textContent = pages > 1 ? `${at * page + 1}–${Math.min(shown.length, (at + 1) * page)} of ${plural(shown.length, "row")}`
      : plural(shown.length, "row");
    back.disabled = at === 0;
    forth.disabled = at === pages - 1;
    back.hidden = forth.hidden = rows.length <= page;
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
    keep(keyOf("sort"), `${columns[column].name},${down ? "down" : "up"}`);
    keep(keyOf("page"), "");
    arrange();
  }
  function turn(step) {
    at += step;
    keep(keyOf("page"), String(at + 1), "1");
    draw();
  }

  const search = h("input", {type: "search", placeholder: "Filter", "aria-label": `Filter ${caption ?? "the table"}`,
    value: filter ? kept(keyOf("filter")) : "",
    oninput: () => { at = 0; keep(keyOf("filter"), search.value.trim()); keep(keyOf("page"), ""); arrange(); }});
  const pager = h("div.pager", {}, count, save, back, forth);
  const whole = h("div.table", {},
    filter ? h("div.controls", {}, search) : null,
    h("div.scroll", {tabindex: "0", role: "region", "aria-label": caption ?? "Table"},
      h(columns.length > 3 ? "table.cards" : "table", {role: "table"}, caption ? h("caption", {}, caption) : null,
        h("thead", {role: "rowgroup"}, h("tr", {role: "row"}, ...headers)), body)),
    pager);
  const [by, direction] = kept(keyOf("sort")).split(/,(?=\w+$)/), column = columns.findIndex(each => each.name === by);
  if (column >= 0) order = {column, down: direction === "down"};
  at = Math.max(0, (parseInt(kept(keyOf("page")), 10) || 1) - 1);
  arrange();
  printed(whole, isOnPaper => { isWhole = isOnPaper; draw(); });
  return whole;
}
