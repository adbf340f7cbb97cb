// Times of the variants of one case.
"use strict";

/** Bars are cut off at this multiple of the overall median. */
const cutAt = 10;

/** What is compared: a case, or for a search over parameters, all cases that differ only in these. */
function problems() {
  const tuned = new Map(groups(searches, search => search.workload));
  for (const [workload, list] of tuned) tuned.set(workload, new Set(list.flatMap(search => search.names)));
  const names = k => data.params[k], found = new Map();
  for (const r of results) {
    const searched = tuned.get(r.workload), positions = data.params.map((_, k) => k).filter(k => !searched?.has(names(k)));
    const key = [r.of.file, r.workload, searched ? "" : r.case, ...positions.map(k => r.params[k])].join("\n");
    if (!found.has(key)) found.set(key, {workload: r.workload, file: r.of.file, searched, results: [],
      params: paramsAt(r.of, positions.filter(k => cases.length === 1 || varying.includes(k)))});
    found.get(key).results.push(r);
  }
  return [...found.values()];
}
const problemName = problem => [problem.workload, problem.params, data.files.length > 1 ? data.files[problem.file] : null].filter(Boolean).join("  ");

/** A bar for each variant: the fastest correct try, if there are several. */
function timeBars(problem) {
  const several = new Set(problem.results.map(r => r.on)).size > 1 && problem.results.some((r, k) =>
    problem.results.findIndex(other => other.variant === r.variant && other.case === r.case) !== k);
  return inPlanOrder([...groups(problem.results, r => `${r.variant} ${several ? r.on : ""}`).values()].map(all => {
    const right = all.filter(r => r.ok && isNumber(r.median));
    const r = right.reduce((best, one) => !best || one.median < best.median ? one : best, null) ?? all[0];
    return {r, workload: r.workload, variant: r.variant, name: several ? `${r.name}, ${r.on}` : r.name, tries: all.length, isTimed: right.length > 0,
      value: right.length ? r.median : null, low: isNumber(r.low) ? r.low : r.median, high: isNumber(r.high) ? r.high : r.median};
  }));
}

/** End of the axis, and the number of bars and intervals beyond it. */
function timeLimit(bars) {
  const timed = bars.filter(bar => bar.isTimed), most = cutAt * median(timed.map(bar => bar.value));
  const whole = timed.filter(bar => bar.value <= most), longest = Math.max(...whole.map(bar => bar.value));
  const isCut = whole.length < timed.length;
  const limit = isCut ? most : Math.min(1.6 * longest, Math.max(...whole.map(bar => bar.high)));
  return {limit, cut: timed.length - whole.length, beyond: whole.filter(bar => bar.high > limit).length};
}

function timesFigure(problem, bars) {
  const width = chartWidth(), left = labelWidth(bars.map(bar => bar.name)), step = 30, top = 12;
  const valueText = bar => bar.isTimed ? `${seconds(bar.value)} ${width > 600 ? intervalText(bar.r) : ""}`.trim() : bar.r.state;
  const right = width - 24 - Math.max(...bars.map(bar => bar.isTimed ? textWidth(valueText(bar)) : 0), 30);
  const isTimed = bars.some(bar => bar.isTimed), bottom = top + bars.length * step, height = bottom + (isTimed ? 52 : 8);
  const {limit, cut, beyond} = isTimed ? timeLimit(bars) : {limit: 1, cut: 0, beyond: 0};
  const [factor, unit] = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]].find(([f], k) => limit >= f || k === 3);
  const x = scale(0, limit / factor * 1.02, left, right), at = time => x.position(Math.min(time, limit * 1.02) / factor);
  const detail = [cut ? `${plural(cut, "bar")} cut at ${cutAt}× the median` : null,
    beyond ? `${plural(beyond, "interval")} ${beyond === 1 ? "continues" : "continue"} beyond the axis` : null].filter(Boolean).join(", ");
  return figure({title: `Times of ${problemName(problem)}`, height, rows: bars,
    summary: `${bars.map(bar => `${bar.name} ${valueText(bar)}`).join(", ")}.${detail ? ` ${detail}.` : ""}`,
    caption: detail ? `${detail[0].toUpperCase()}${detail.slice(1)}.` : null,
    draw: plot => {
      if (isTimed) {
        for (const tick of x.ticks) {
          plot.line(x.position(tick), top - 6, x.position(tick), bottom);
          plot.text(x.position(tick), bottom + 18, digits(tick), {anchor: "middle"});
        }
        plot.line(left, bottom, right, bottom, "axis");
        plot.axisName((left + right) / 2, height - 8, `median time, ${unit}`);
      }
      bars.forEach((bar, k) => {
        const y = top + k * step, middle = y + step / 2, tip = [describe(bar.r), bar.tries > 1 ? `the best of ${triesText(bar.tries)}` : null].filter(Boolean).join("\n");
        plot.text(left - 10, middle + 4, bar.name, {anchor: "end", room: left - 12});
        if (!bar.isTimed) {
          const words = [bar.r.state, bar.r.reason].filter(Boolean).join(": ");
          plot.text(left + 4, middle + 4, words, {room: width - left - 8, kind: stateClass(bar.r)});
          plot.mark(s("rect", {x: left, y: y + 4, width: width - left, height: step - 8, fill: "transparent"}), `${bar.r.workload}  ${bar.name}\n${words}`);
          return;
        }
        plot.mark(s("rect", {x: left, y: y + 5, width: Math.max(2, at(bar.value) - left), height: step - 10, rx: 2, fill: fillOf(bar.variant), stroke: colour(bar.variant)}), tip);
        const isBeyond = bar.high > limit, end = at(bar.high);
        // Arrow at the end of a bar or interval that continues beyond the axis.
        if (bar.value > limit) plot.add(s("path", {d: `M${at(limit) - 7} ${y + 2}l-5 ${step - 4}m5 ${4 - step}m6 0l-5 ${step - 4}`, class: "cut", stroke: "var(--panel)", "stroke-width": 2.5, "pointer-events": "none"}));
        else plot.add(s("path", {d: `M${at(bar.low)} ${middle}H${end}M${at(bar.low)} ${middle - 4}v8` + (isBeyond ? `M${end - 5} ${middle - 4}l5 4l-5 4` : `M${end} ${middle - 4}v8`),
          class: "interval", stroke: "var(--text)", "stroke-width": 1.2, fill: "none", "pointer-events": "none"}));
        plot.text(width - 4, middle + 4, valueText(bar), {anchor: "end", strong: true});
      });
    }, columns: [
      {name: "Variant", value: b => b.name, cell: b => variantCell({variant: b.variant, name: b.name})},
      {name: "Status", value: b => b.r.state, cell: b => stateCell(b.r)},
      {name: "Median", number: true, unit: "s", value: b => b.value, text: b => seconds(b.value)},
      {name: "From", number: true, unit: "s", value: b => b.isTimed ? b.low : null, text: b => b.isTimed ? seconds(b.low) : ""},
      {name: "To", number: true, unit: "s", value: b => b.isTimed ? b.high : null, text: b => b.isTimed ? seconds(b.high) : ""},
      ...(problem.searched ? [{name: "Tries", number: true, value: b => b.tries}, {name: "Parameters", value: b => b.isTimed ? paramText(b.r.of) : ""}] : [])]});
}

function timesSection() {
  if (!good.length) return;
  const all = problems();
  const {place, control} = chooser("times.case", "Case", all.map(problemName), k => ofShown(timeBars(all[k]), bars => timesFigure(all[k], bars)));
  section("times", "Times", "Time of one call, from zero: the bar is the median, the thin line its 95 % interval. " +
    `Variants are in plan order${searches.length ? "; each variant of a search shows its best try" : ""}.`, place, control, "section.half");
}
