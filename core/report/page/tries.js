// Tries of searches over parameters: over time, and against their parameters.
"use strict";

const triesText = count => `${count.toLocaleString("en")} ${count === 1 ? "try" : "tries"}`;
const valueText = value => value === null || value === undefined ? "–" : compact(value);
/** Compares numbers by value; other values follow, by name. */
function byValue(a, b) {
  const numbers = isNumber(a) + isNumber(b);
  return numbers === 2 ? a - b : numbers === 1 ? (isNumber(a) ? -1 : 1) : String(a).localeCompare(String(b), "en", {numeric: true});
}

const searches = data.tuning.map((one, place) => {
  const positions = one.names.map(name => data.params.indexOf(name));
  const tries = one.tries.map((row, k) => {
    const r = results[row], time = one.times[k];
    return {r, number: k + 1, time, end: one.ends[k], values: positions.map(p => r.params[p] ?? null),
      kind: r.state === "dropped" ? "dropped" : r.ok && isNumber(time) ? "ok" : "failed"};
  });
  const of = kind => tries.filter(t => t.kind === kind);
  const axes = one.names.map((name, p) => ({name, p, share: one.shares[p], count: one.values[p],
    values: [...new Set(tries.map(t => t.values[p]))].sort(byValue)}));
  const {r} = tries[0], others = data.params.map((_, k) => k).filter(k => !positions.includes(k));
  return {...one, key: `search-${place + 1}`, tries, axes, variant: r.variant, name: r.name, workload: r.workload, file: data.files[r.of.file],
    words: paramsAt(r.of, others), ok: of("ok").sort((a, b) => a.time - b.time), dropped: of("dropped"), failed: of("failed"),
    timed: tries.filter(t => isNumber(t.time)).sort((a, b) => a.time - b.time)};
});

const configuration = (search, t) => search.axes.map(({name, p}) => `${name}=${valueText(t.values[p])}`).join("  ");
const rangeText = r => isNumber(r.low) && isNumber(r.high) ? `${seconds(r.low)} … ${seconds(r.high)}` : "";
const shortened = (text, most) => text && text.length > most ? `${text.slice(0, most - 1)}…` : text ?? "";
function tryTip(search, t) {
  const outcome = t.kind === "ok" ? `${seconds(t.time)} ${intervalText(t.r)}`
    : t.kind === "dropped" ? `dropped after one sample${isNumber(t.time) ? ` of ${seconds(t.time)}` : ""}`
      : [t.r.state, shortened(t.r.reason, 160)].filter(Boolean).join(": ");
  return [`Try ${t.number.toLocaleString("en")}`, configuration(search, t), outcome,
    isNumber(t.end) ? `ended ${duration(t.end)} after the start` : null].filter(Boolean).join("\n");
}
const tryColumns = search => [
  {name: "Try", number: true, value: t => t.number},
  ...search.axes.map(({name, p}) => ({name, number: true, value: t => t.values[p], text: t => valueText(t.values[p])})),
  {name: "Status", value: t => t.r.state, cell: t => stateCell(t.r)},
  {name: "Time", number: true, unit: "s", value: t => t.time, text: t => seconds(t.time)},
  {name: "Ended after", number: true, unit: "s", value: t => t.end, text: t => duration(t.end)},
  {name: "Why", wide: true, value: t => t.r.reason}];

/** Unit for the times of a search, by the longest. */
const longUnit = most => most >= 7200 ? ["h", 3600] : most >= 120 ? ["min", 60] : ["s", 1];
function duration(value) {
  if (!isNumber(value)) return "";
  const [unit, factor] = longUnit(value);
  return factor === 1 ? seconds(value) : `${digits(value / factor)} ${unit}`;
}
/** A scale of times: logarithmic if they differ by much. */
function timeScale(times, from, to) {
  const low = Math.min(...times), high = Math.max(...times), room = high > low ? (high - low) * 0.06 : high * 0.02;
  return high / low > 3 ? scale(low / 1.08, high * 1.08, from, to, {log: true}) : scale(low - room, high + room, from, to);
}

/** A try's outcome as shape and colour. */
const kindNames = {ok: "ok", dropped: "dropped: one sample was enough", failed: "failed"};
function sign(kind, x, y, size) {
  if (kind === "ok") return s("circle", {cx: x, cy: y, r: size, class: "ok-try", fill: "var(--c1)"});
  if (kind === "dropped") return s("path", {d: `M${x - size} ${y + size * 0.8}h${2 * size}l${-size} ${-1.8 * size}z`, class: "dropped-try",
    fill: "var(--panel)", stroke: "var(--c2)", "stroke-width": 1.5});
  return s("path", {d: `M${x - size} ${y - size}l${2 * size} ${2 * size}m0 ${-2 * size}l${-2 * size} ${2 * size}`, class: "failed-try",
    fill: "none", stroke: "var(--bad)", "stroke-width": 1.8, "pointer-events": "all"});
}
const signBox = (...shapes) => s("svg", {class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true"}, ...shapes);
const lineSign = (stroke, dashes = "none") => signBox(s("path", {d: "M-8 0H8", stroke, "stroke-width": 3, "stroke-dasharray": dashes}));
const kindsOf = search => Object.keys(kindNames).filter(kind => search.tries.some(t => t.kind === kind));

/** Evenly spaced elements of a list. */
const evenly = (list, most) => list.length <= most ? list
  : Array.from({length: most}, (_, k) => list[Math.floor(k * list.length / most)]);
const drawnOf = (drawn, all, more = "") => drawn < all
  ? h("p.note.thinned", {}, `${drawn.toLocaleString("en")} of ${triesText(all)} are drawn${more}.`) : null;

/** Best so far, against the number of tries or the time since the first started. */
function progressFigure(search, isByTime) {
  const most = 500, at = isByTime ? t => t.end : t => t.number;
  const tries = search.tries.filter(t => isNumber(at(t))).sort((a, b) => at(a) - at(b)), steps = [];
  for (const t of tries) if (t.kind === "ok" && !(steps.length && t.time >= steps[steps.length - 1].time)) steps.push(t);
  const kept = new Set(evenly(steps, most / 2)), rest = tries.filter(t => !kept.has(t));
  for (const t of evenly(rest, most - kept.size)) kept.add(t);
  const drawn = tries.filter(t => kept.has(t)), height = 380, left = 84, right = chartWidth() - 20, top = 40, bottom = height - 60;
  const last = Math.max(...tries.map(at)), [unit, factor] = isByTime ? longUnit(last) : ["", 1];
  const x = isByTime ? scale(0, last / factor, left + 8, right - 8) : scale(1, last, left + 8, right - 8), place = t => x.position(at(t) / factor);
  if (!isByTime) x.ticks = x.ticks.filter(tick => Number.isInteger(tick) && tick >= 1);
  const y = timeScale(search.timed.map(t => t.time), bottom - 16, top);
  const best = steps[steps.length - 1];
  return h("div", {}, figure({title: `Best so far of ${search.name} ${search.words}, against ${isByTime ? "time" : "tries"}`, height,
    summary: `${triesText(tries.length)}. ${best ? `The best, ${seconds(best.time)}, was try ${best.number}` +
      `${isNumber(best.end) ? `, after ${duration(best.end)}` : ""}.` : "None is correct."}`,
    legend: [...(best ? [{name: "best so far", sign: lineSign("var(--text)")}] : []),
      ...kindsOf(search).map(kind => ({name: kindNames[kind], sign: signBox(sign(kind, 0, 0, 5))}))],
    draw: plot => {
      axes(plot, {x, y, left, right, top, bottom, xName: isByTime ? `time since the first try started, ${unit}` : "tries",
        yName: "time of a try", yText: seconds});
      if (best) plot.add(s("path", {d: steps.map((t, k) => k ? `H${place(t)}V${y.position(t.time)}` : `M${place(t)} ${y.position(t.time)}`).join("") +
        `H${right - 8}`, class: "best-so-far", fill: "none", stroke: "var(--text)", "stroke-width": 2}));
      for (const t of drawn)
        plot.mark(sign(t.kind, place(t), isNumber(t.time) ? y.position(t.time) : bottom, drawn.length > 150 ? 3 : 4.5), tryTip(search, t));
    }, rows: tries, columns: tryColumns(search)}),
  drawnOf(drawn.length, tries.length, ", including each that was the best so far; the line includes all"),
  tries.length < search.tries.length ? h("p.note", {}, `The end of ${triesText(search.tries.length - tries.length)} is unknown.`) : null);
}

const fifths = ["fastest fifth", "second", "third", "fourth", "slowest fifth"];

/** Parallel coordinates: a line for each try, through its parameter values to its time. */
function parallelFigure(search) {
  // Tries with equal times have the same rank.
  const rank = new Map(), fifth = t => Math.floor(5 * rank.get(t) / search.timed.length);
  search.timed.forEach((t, k) => rank.set(t, k && t.time === search.timed[k - 1].time ? rank.get(search.timed[k - 1]) : k));
  const failed = search.tries.filter(t => !rank.has(t)), best = search.timed.slice(0, 60);
  // Slowest first, so that the fastest are drawn on top.
  const lines = [...evenly(failed, 60), ...[...best, ...evenly(search.timed.slice(60), 240)].reverse()];
  const width = chartWidth(), left = 70, right = width - 84, step = (right - left) / search.axes.length;
  const names = search.axes.map(({name}) => shortened(name, 24)), room = 7.4 * Math.max(...names.map(name => name.length)) + 8;
  const rows = Math.min(names.length, Math.max(1, Math.ceil(room / step)));
  const top = 24 + 16 * rows, bottom = top + 300, height = bottom + 14;
  const y = timeScale(search.timed.map(t => t.time), bottom, top + (failed.length ? 30 : 0));
  const across = k => left + k * step, placeOf = search.axes.map(({values}) => new Map(values.map((value, k) =>
    [value, values.length > 1 ? bottom - k / (values.length - 1) * (bottom - top) : (top + bottom) / 2])));
  const rangeOf = k => {
    const of = search.timed.filter(t => fifth(t) === k).map(t => seconds(t.time));
    return [...new Set(of.length ? [of[0], of[of.length - 1]] : [])].join(" … ");
  };
  return h("div", {}, figure({title: `All tries of ${search.name} ${search.words}`, height,
    summary: `${plural(lines.length, "line")} through the values of ${names.join(", ")} to the time; blue: fastest, orange: slowest.`,
    legend: [...fifths.map((name, k) => ({name: `${name}: ${rangeOf(k)}`, sign: lineSign(`var(--s${k})`)})).filter((_, k) => rangeOf(k)),
      ...(search.dropped.length ? [{name: "dropped", sign: lineSign("var(--soft)", "5 2")}] : []),
      ...(failed.length ? [{name: "without a time", sign: lineSign("var(--bad)", "2 3")}] : [])],
    draw: plot => {
      for (let k = 0; k <= search.axes.length; ++k) plot.line(across(k), top, across(k), bottom, "axis");
      for (const t of lines) {
        const isTimed = rank.has(t), points = search.axes.map(({p}, k) => `${across(k)} ${placeOf[p].get(t.values[p])}`);
        points.push(`${across(search.axes.length)} ${isTimed ? y.position(t.time) : top}`);
        plot.mark(s("path", {d: `M${points.join("L")}`, class: `try-line ${t.kind}-line`, fill: "none", stroke: isTimed ? `var(--s${fifth(t)})` : "var(--bad)",
          "stroke-width": t === search.ok[0] ? 3.5 : 1.4, "stroke-opacity": isTimed && fifth(t) === 0 ? 1 : 0.65,
          "stroke-dasharray": t.kind === "ok" ? "none" : t.kind === "dropped" ? "5 2" : "2 3"}), tryTip(search, t));
      }
      search.axes.forEach(({values, p}, k) => {
        const isWide = 3.7 * names[k].length > across(k);
        plot.text(isWide ? 0 : across(k), 14 + 16 * (k % rows), names[k], {anchor: isWide ? "start" : "middle", strong: true});
        const every = values.length > 16 ? Math.ceil(values.length / 8) : 1, most = Math.max(4, Math.floor((k ? step : left) / 7.4) - 1);
        values.forEach((value, j) => {
          if (j % every) return;
          plot.text(across(k) - 6, placeOf[p].get(value) + 4, shortened(valueText(value), most), {anchor: "end", strong: true});
        });
      });
      const end = across(search.axes.length);
      plot.text(end, 14 + 16 * (search.axes.length % rows), "time", {anchor: "middle", strong: true});
      for (const tick of y.ticks) plot.text(end + 8, y.position(tick) + 4, seconds(tick));
      if (failed.length) plot.text(end + 8, top + 4, "no time");
    }, rows: search.tries, columns: tryColumns(search)}),
  drawnOf(lines.length, search.tries.length, ", including the 60 fastest"));
}
