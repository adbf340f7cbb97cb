// Searches over parameters: results, importance of parameters, and failures.
"use strict";

/** Merges neighbouring values into at most `most` places. */
function placesOf(values, most) {
  const count = Math.min(values.length, Math.max(1, most));
  return Array.from({length: count}, (_, k) => {
    const part = values.slice(Math.floor(k * values.length / count), Math.floor((k + 1) * values.length / count));
    return {part, text: part.length > 1 ? `${valueText(part[0])}…${valueText(part[part.length - 1])}` : valueText(part[0])};
  });
}

/** Best time for each pair of values of two parameters, or for each value of a single one. */
function heatFigure(search, down, across) {
  const width = chartWidth(), rows = placesOf(down.values, 24);
  const left = labelWidth(rows.map(row => row.text)), right = width - 8, top = 44;
  const columns = across ? placesOf(across.values, Math.min(32, Math.floor((right - left) / 18))) : [{part: [], text: ""}];
  const rowOf = new Map(rows.flatMap(({part}, k) => part.map(value => [value, k])));
  const columnOf = new Map(columns.flatMap(({part}, k) => part.map(value => [value, k])));
  const cells = rows.flatMap((row, i) => columns.map((column, j) => ({i, j, row: row.text, column: column.text, tries: []})));
  for (const t of search.tries)
    cells[rowOf.get(t.values[down.p]) * columns.length + (across ? columnOf.get(t.values[across.p]) : 0)].tries.push(t);
  for (const cell of cells) {
    const fastest = kind => cell.tries.filter(t => t.kind === kind && isNumber(t.time)).reduce((a, b) => !a || b.time < a.time ? b : a, null);
    cell.best = fastest("ok") ?? fastest("dropped");
    cell.state = cell.best?.kind ?? (cell.tries.length ? "failed" : "untried");
  }
  const timed = cells.filter(cell => cell.best).map(cell => Math.log(cell.best.time)), low = Math.min(...timed), high = Math.max(...timed);
  const depth = cell => 0.06 + 0.44 * (high > low ? (high - Math.log(cell.best.time)) / (high - low) : 1);
  const first = search.ok[0] ?? search.timed[0], [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]].find(([f], k) => first.time >= f || k === 3);
  const cellWidth = (right - left) / columns.length, cellHeight = Math.max(24, Math.min(38, 340 / rows.length));
  const height = top + rows.length * cellHeight + 8;
  const has = state => cells.some(cell => cell.state === state);
  const square = look => signBox(s("rect", {x: -6, y: -6, width: 12, height: 12, ...look}));
  const words = cell => `${down.name}=${cell.row}${across ? `  ${across.name}=${cell.column}` : ""}`;
  const outcome = cell => cell.state === "untried" ? "not tried" : cell.state === "failed" ? "all failed"
    : `${seconds(cell.best.time)}${cell.state === "dropped" ? ", one sample: dropped" : ""}`;
  return figure({title: `Best time of ${search.name} ${search.words}, ${down.name}${across ? ` against ${across.name}` : ""}`, height,
    summary: `${plural(cells.length, "cell")}, of which ${cells.filter(cell => cell.state === "untried").length} were not tried.`,
    caption: `Best time in ${unit} of the tries with these values, over all other parameters` +
      `${cellHeight >= 34 ? "; below it the number of tries" : ""}. The deeper the blue, the faster.`,
    legend: [
      {name: "the best", isShown: search.ok.length > 0, sign: square({fill: "var(--c1)", "fill-opacity": 0.5, stroke: "var(--text)", "stroke-width": 2})},
      {name: "dropped: one sample", isShown: has("dropped"), sign: square({fill: "none", stroke: "var(--c2)", "stroke-dasharray": "3 2"})},
      {name: "all failed", isShown: has("failed"), sign: signBox(sign("failed", 0, 0, 5))},
      {name: "not tried", isShown: has("untried"), sign: signBox(s("path", {d: "M-6 6L6 -6M-6 0L0 -6M0 6L6 0", stroke: "var(--bar)", fill: "none"}))}]
      .filter(({isShown}) => isShown),
    draw: plot => {
      const empty = hatch(plot);
      plot.text(left, 14, across ? `${down.name} (down), ${across.name} (across)` : down.name, {strong: true});
      const every = Math.ceil((7.4 * Math.max(...columns.map(column => column.text.length)) + 8) / cellWidth);
      columns.forEach((column, j) => { if (j % every === 0) plot.text(Math.min(width - textWidth(column.text) / 2 - 1, left + (j + 0.5) * cellWidth), top - 8, column.text, {anchor: "middle"}); });
      rows.forEach((row, i) => plot.text(left - 8, top + (i + 0.5) * cellHeight + 4, row.text, {anchor: "end", room: left - 10}));
      for (const cell of cells) {
        const x = left + cell.j * cellWidth, y = top + cell.i * cellHeight, middle = x + cellWidth / 2;
        const isBest = search.ok.length > 0 && cell.best === search.ok[0];
        plot.mark(s("rect", {x: x + 1.5, y: y + 1.5, width: Math.max(1, cellWidth - 3), height: cellHeight - 3, rx: 2, class: `cell ${cell.state}`,
          ...(cell.best ? {fill: "var(--c1)", "fill-opacity": depth(cell)} : cell.state === "failed" ? {fill: "var(--sunk)"} : {fill: empty, "fill-opacity": 0.45}),
          ...(isBest ? {stroke: "var(--text)", "stroke-width": 2.5} : cell.state === "dropped" ? {stroke: "var(--c2)", "stroke-dasharray": "3 2"} : {})}),
          `${words(cell)}\n${outcome(cell)}${cell.tries.length ? `\n${triesText(cell.tries.length)}${cell.best ? `\n${configuration(search, cell.best)}` : ""}` : ""}`);
        const write = (text, dy, size) => {
          if (text.length * size * 0.62 > cellWidth - 6) return;
          const element = plot.text(middle, y + cellHeight / 2 + dy, text, {anchor: "middle", size});
          element.classList.add("in-cell");
        };
        if (cell.state === "failed") {
          const cross = sign("failed", middle, y + cellHeight / 2, Math.min(5, cellWidth / 3));
          cross.setAttribute("pointer-events", "none");
          plot.add(cross);
        }
        if (cell.best) write(digits(cell.best.time / factor), cellHeight >= 34 ? -1 : 4, 13);
        if (cell.best && cellHeight >= 34) write(cellWidth > 60 ? triesText(cell.tries.length) : `×${cell.tries.length}`, 13, 11);
      }
    }, rows: cells, columns: [{name: down.name, number: true, value: c => rows[c.i].part[0], text: c => c.row},
      ...(across ? [{name: across.name, number: true, value: c => columns[c.j].part[0], text: c => c.column}] : []),
      {name: "Best time", number: true, value: c => c.best?.time, text: c => seconds(c.best?.time)},
      {name: "Tries", number: true, value: c => c.tries.length}, {name: "Outcome", value: outcome}]});
}

/** The heat map with its two choices, initially the parameters with the largest shares. */
function heatMap(search) {
  const order = [...search.axes].sort((a, b) => (b.share ?? -1) - (a.share ?? -1) || b.values.length - a.values.length);
  const names = search.axes.map(({name}) => name), usual = [order[0].p, order[1]?.p], keys = [`${search.key}.down`, `${search.key}.across`];
  const chosen = usual.map((p, side) => p === undefined ? p : keptPlace(keys[side], names, p));
  const {place, show} = switched(() => heatFigure(search, search.axes[chosen[0]], search.axes[chosen[1]]));
  const pick = side => choice(side ? "Across" : "Down", names, p => {
    // If both choices would be equal, they are swapped.
    if (chosen[1 - side] === p) chosen[1 - side] = chosen[side];
    chosen[side] = p;
    controls.forEach((control, k) => {
      if (!control) return;
      control.querySelector("select").selectedIndex = chosen[k];
      keep(keys[k], names[chosen[k]], names[usual[k]]);
    });
    show();
  }, chosen[side], keys[side], usual[side]);
  const controls = [pick(0), pick(1)];
  show();
  return h("div", {}, h("div.controls", {}, ...controls.filter(Boolean)), place);
}

function sharesFigure(search) {
  const bars = search.axes.map(({name, share, count}) => ({name, share, count})).sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  const sum = bars.reduce((all, bar) => all + (bar.share ?? 0), 0);
  const isSame = search.timed[0].time === search.timed[search.timed.length - 1].time;
  if (!isSame && bars.every(bar => isNumber(bar.share)) && sum < 0.995) bars.push({name: "the rest", share: 1 - sum, count: null});
  const left = labelWidth(bars.map(bar => bar.name)), right = chartWidth() - 60, step = 26, height = 8 + bars.length * step + 46;
  const x = scale(0, 1, left, right), bottom = 8 + bars.length * step;
  const text = bar => isNumber(bar.share) ? percent(bar.share) : "unknown";
  const tipOf = bar => [bar.name, isNumber(bar.share) ? `${text(bar)} of the differences in time` : "too few tries of each value",
    bar.count === null ? "parameters together, and noise" : bar.count === 1 ? "only one value" : `${bar.count} values`].join("\n");
  const nothing = search.timed.length > 1 ? "Nothing to explain: all times are equal. " : "Nothing to explain: only one try has a time. ";
  return figure({title: `Share of each parameter of ${search.name} ${search.words}`, height,
    summary: bars.map(bar => `${bar.name} ${text(bar)}`).join(", ") + ".",
    caption: (isSame ? nothing : "") + "Share of the variance of log(time), over all tries with a time, between the values of " +
      "one parameter, less the share expected by chance. It is not the possible gain from that parameter and excludes interactions with others: these, and noise, are the rest. " +
      "A search concentrates on values near its best, and parameters changed together share the credit: treat the shares as hints.",
    draw: plot => {
      for (const tick of x.ticks) {
        plot.line(x.position(tick), 4, x.position(tick), bottom);
        plot.text(x.position(tick), bottom + 16, percent(tick), {anchor: "middle"});
      }
      bars.forEach((bar, k) => {
        const y = 8 + k * step, isRest = bar.count === null;
        plot.text(left - 10, y + step / 2 + 4, bar.name, {anchor: "end", room: left - 12});
        plot.mark(s("rect", {x: left, y: y + 4, width: Math.max(2, x.position(bar.share ?? 0) - left), height: step - 8, rx: 3, class: isRest ? "rest" : "share",
          fill: isRest ? hatch(plot) : "var(--c1)"}), tipOf(bar));
        plot.text(x.position(bar.share ?? 0) + 8, y + step / 2 + 4, text(bar), {strong: true});
      });
      plot.axisName((left + right) / 2, height - 8, "share of the variance of log(time)");
    }, rows: bars, columns: [{name: "Parameter", value: b => b.name}, {name: "Share", number: true, value: b => b.share, text},
      {name: "Values", number: true, value: b => b.count}]});
}

function bestTable(search) {
  const best = search.ok[0].time;
  return table(search.ok.slice(0, 10).map((t, k) => ({...t, rank: k + 1})), [
    {name: "#", number: true, value: t => t.rank},
    ...search.axes.map(({name, p}) => ({name, number: true, value: t => t.values[p], text: t => valueText(t.values[p])})),
    {name: "Median", number: true, value: t => t.time, text: t => seconds(t.time)}, {name: "95 %", number: true, value: t => t.r.low, text: t => rangeText(t.r)},
    {name: "Against the best", number: true, value: t => t.time / best, text: t => times(t.time / best)},
    {name: "Try", number: true, value: t => t.number}], {caption: "The ten best configurations", page: 10, filter: false});
}

/** Groups reasons that differ only in their numbers, with the values that all tries of a group share. */
function failureTable(search) {
  const rows = [...groups(search.failed, t => `${t.r.state} ${(t.r.reason ?? "").replace(/\d+(\.\d+)?/g, "#")}`).values()].map(list => ({list, r: list[0].r,
    example: configuration(search, list[0]), common: list.length > 1 ? search.axes.filter(({p, values}) => values.length > 1 &&
      list.every(t => t.values[p] === list[0].values[p])).map(({name, p}) => `${name}=${valueText(list[0].values[p])}`).join("  ") : ""}))
    .sort((a, b) => b.list.length - a.list.length);
  return table(rows, [{name: "Status", value: f => f.r.state, cell: f => stateCell(f.r)}, {name: "Tries", number: true, value: f => f.list.length},
    {name: "Why", wide: true, value: f => f.r.reason}, {name: "In common", value: f => f.common}, {name: "For example", value: f => f.example}],
  {caption: "Tries that failed, by reason", page: 10, filter: false});
}

function searchText(search) {
  const [first] = search.ok, last = search.ok[search.ok.length - 1], others = search.as_good - 1;
  const counts = `${triesText(search.tries.length)}: ${search.ok.length.toLocaleString("en")} ok, ` +
    `${search.dropped.length.toLocaleString("en")} dropped, ${search.failed.length.toLocaleString("en")} failed.`;
  if (!first) return `${counts} None is correct, so there is no best.`;
  return `${counts} The best, ${configuration(search, first)}, takes ${seconds(first.time)}, and was try ${first.number.toLocaleString("en")}` +
    `${isNumber(first.end) ? `, ${duration(first.end)} after the start` : ""}` +
    `${last.time > first.time ? `; the slowest that was timed to the end takes ${times(last.time / first.time)} as long` : ""}. ` +
    (others > 0 ? `${others === 1 ? "One other is" : `${others.toLocaleString("en")} others are`} as good: the intervals overlap.` : "No other is as good.");
}

function searchPart(search) {
  const title = [search.workload, search.name, search.words].filter(Boolean).join("  ");
  const parts = [h("h3", {}, dot(search.variant), search.name, " ", h("span.of", {}, [search.workload, search.words,
    data.files.length > 1 ? search.file : null].filter(Boolean).join("  "))), h("p.found", {}, searchText(search))];
  if (search.timed.length) {
    const isClocked = search.tries.some(t => isNumber(t.end));
    const progress = chooser(`${search.key}.against`, "Against", isClocked ? ["tries", "time"] : ["tries"], which => progressFigure(search, which === 1));
    parts.push(h("div.head", {}, h("h4", {}, "Best so far"),
      isClocked ? h("div.controls", {}, progress.control) : null), progress.place);
    if (search.ok.length) parts.push(h("h4", {}, "The best"), bestTable(search));
    parts.push(h("h4", {}, "Share of each parameter"), sharesFigure(search), h("h4", {}, search.axes.length > 1 ? "Two parameters" : "Each value"), heatMap(search),
      h("h4", {}, "All parameters"), parallelFigure(search));
  }
  if (search.failed.length) parts.push(h("h4", {}, "Failures"), failureTable(search));
  return h("article.search", {"aria-label": title}, ...parts);
}

function tuning() {
  if (!searches.length) return;
  const most = 3, pages = Math.ceil(searches.length / most);
  const {place, control} = chooser("tuning.searches", "Searches", Array.from({length: pages}, (_, k) => `${k * most + 1}–${Math.min(searches.length, (k + 1) * most)} of ${searches.length}`),
    page => h("div", {}, ...searches.slice(page * most, (page + 1) * most).map(searchPart)));
  section("tuning", "Tuning", "Results of searches over parameters. A dropped try is correct, but its first sample was too slow compared with the best try: " +
    "its time is that one sample, and it is not ranked.", place, control);
}
