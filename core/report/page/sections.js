// The data as objects, and the first sections: failures, summary, speed-ups.
"use strict";

const [cases, results] = [data.cases, data.results].map((rows, which) => rows.map((row, index) =>
  ({index, ...Object.fromEntries(data[which ? "result_columns" : "case_columns"].map((name, k) => [name, row[k]]))})));
for (const result of results) {
  result.of = cases[result.case];
  result.workload = data.workloads[result.of.workload];
  result.name = data.variants[result.variant];
  result.state = data.statuses[result.status];
  result.on = data.devices[result.device];
  result.ok = result.state === "ok";
  result.params = result.of.params;
}
const good = results.filter(result => result.ok && isNumber(result.median));
const colour = variant => `var(--c${variant % 8})`;
const dot = variant => h("span.dot", {style: `background:${colour(variant)}`});
const paramsAt = (of, positions) => positions.filter(k => of.params[k] !== null)
  .map(k => `${data.params[k]}=${compact(of.params[k])}`).join("  ");
// What is the same in all cases is said once, above.
const [constant, varying] = [1, 2].map(kind => data.params.map((_, k) => k).filter(k => cases.length > 1 &&
  (new Set(cases.map(of => of.params[k])).size === 1) === (kind === 1)));
const paramText = of => paramsAt(of, cases.length > 1 ? varying : data.params.map((_, k) => k));
const notRun = state => state === "skipped" || state === "unsupported";
// Of a search: right, and too slow to be timed any longer.
const dropped = results.filter(result => result.state === "dropped");
const failed = results.filter(result => !result.ok && !notRun(result.state) && result.state !== "dropped");
const skipped = results.filter(result => notRun(result.state));
const workloadsOf = list => [...new Set(list.map(result => result.workload))];

function variantCell(result) { return h("span", {}, dot(result.variant), result.name); }
const stateCell = result => h(result.ok ? "span.ok" : notRun(result.state) || result.state === "dropped" ? "span.not-run" : "span.no", {}, result.state);
const intervalText = r => isNumber(r.low) && r.samples >= 6 ? `± ${digits(50 * (r.high - r.low) / r.median, 2)} %` : "";
const describe = r => [`${r.workload}  ${r.name}`, paramText(r.of),
  data.files.length > 1 ? data.files[r.of.file] : null, `${seconds(r.median)} ${intervalText(r)}`, isNumber(r.bandwidth) ? rate(r.bandwidth, "B/s") : null,
  isNumber(r.speedup) ? `speed-up ${times(r.speedup)} (${times(r.speedup_low)} … ${times(r.speedup_high)})` : null, r.on]
  .filter(Boolean).join("\n");

function header() {
  const jobs = data.jobs.join(", ");
  document.title = data.title;
  main.append(h("h1", {}, data.title), h("p.lead", {},
    `${plural(cases.length, "case")}, ${plural(results.length, "result")} of ${plural(data.workloads.length, "workload")}` +
    `${jobs && jobs !== data.title ? ` · ${jobs}` : ""} · ${data.devices.join(", ")} · ${data.date}` +
    `${constant.length ? ` · everywhere ${paramsAt(cases[0], constant)}` : ""}`));
  for (const problem of data.problems) main.append(h("p.note.no", {}, problem));
  for (const warning of data.warnings) main.append(h("p.note.no", {}, warning));
}

/** Which file a row is of, where there are several. */
const fileColumns = data.files.length > 1 ? [{name: "File", value: r => data.files[r.of.file]}] : [];

function failures() {
  if (!failed.length) return;
  section("failures", `Failures (${failed.length.toLocaleString("en")})`,
    "Results that are wrong or did not end. They have no time and take part in no comparison.",
    table(failed, [
      {name: "Workload", value: r => r.workload},
      {name: "Variant", value: r => r.name, cell: variantCell},
      {name: "Parameters", value: r => paramText(r.of)},
      {name: "Status", value: r => r.state, cell: stateCell}, ...fileColumns,
      {name: "Phase", value: r => r.phase},
      {name: "Why", wide: true, value: r => r.reason, cell: r => r.detail
        ? h("span", {}, r.reason, h("details", {}, h("summary", {}, "Last lines"), h("pre", {}, r.detail))) : r.reason ?? ""},
      {name: "Case", value: r => r.of.id, cell: r => h("code", {}, r.of.id)},
    ], {caption: "Results that are not right", page: 10}), null, "section.failures");
}

function summary() {
  const tile = (value, name, kind = "") => h(`div.tile${kind}`, {}, h("b", {}, value), h("span", {}, name));
  const speedups = good.filter(r => isNumber(r.speedup) && r.speedup !== 1);
  const rows = [];
  for (const [key, list] of groups(results, r => `${r.of.workload} ${r.variant}`)) {
    const right = list.filter(r => r.ok && isNumber(r.median)), one = list[0];
    const of = key => right.map(r => r[key]).filter(isNumber);
    rows.push({key, workload: one.workload, name: one.name, variant: one.variant, right: right.length, all: list.length,
      speedup: geometricMean(of("speedup").filter(x => x > 0)), best: Math.max(...of("bandwidth"), -Infinity),
      share: of("share").length ? Math.max(...of("share")) : null, time: right.length ? Math.min(...of("median")) : null,
      launches: of("launches").length ? median(of("launches")) : null});
  }
  const fastest = speedups.reduce((best, r) => !best || r.speedup > best.speedup ? r : best, null);
  section("summary", "Summary", null, h("div", {},
    h("div.tiles", {}, tile(cases.length.toLocaleString("en"), "cases"),
      tile(good.length.toLocaleString("en"), "right and timed", ".good"),
      tile(failed.length.toLocaleString("en"), "failed", failed.length ? ".bad" : ""),
      dropped.length ? tile(dropped.length.toLocaleString("en"), "dropped by a search") : null,
      skipped.length ? tile(skipped.length.toLocaleString("en"), "not run") : null,
      fastest ? tile(times(fastest.speedup), `largest speed-up: ${fastest.workload}, ${fastest.name}`) : null),
    table(rows, [
      {name: "Workload", value: r => r.workload},
      {name: "Variant", value: r => r.name, cell: variantCell},
      {name: "Right", number: true, value: r => r.right / r.all, text: r => `${r.right} of ${r.all}`},
      {name: "Mean speed-up", number: true, value: r => r.speedup, text: r => times(r.speedup)},
      {name: "Best bandwidth", number: true, value: r => isNumber(r.best) ? r.best : null, text: r => rate(r.best, "B/s")},
      {name: "Best share of ceiling", number: true, value: r => r.share, text: r => percent(r.share)},
      {name: "Shortest time", number: true, value: r => r.time, text: r => seconds(r.time)},
      {name: "Launches", number: true, value: r => r.launches, text: r => digits(r.launches)},
    ], {caption: "Each workload and variant over all of its cases; mean speed-ups are geometric", page: 40})));
}

function speedupFigure(title, bars) {
  const width = chartWidth(), left = labelWidth(bars.map(bar => bar.name)), right = width - 80, top = 34, step = 26;
  const labels = [...groups(bars, bar => bar.group)];
  const height = top + bars.length * step + labels.length * 26 + 46;
  const low = Math.min(0.5, ...bars.map(b => b.low)), high = Math.max(2, ...bars.map(b => b.high));
  const x = scale(low, high * 1.05, left, right, {log: true});
  return figure({title, height, summary: `${bars.length} bars.`, rows: bars, draw: plot => {
    for (const tick of x.ticks) {
      plot.line(x.position(tick), top, x.position(tick), height - 40);
      plot.text(x.position(tick), top - 10, `${digits(tick)}×`, {anchor: "middle"});
    }
    let y = top;
    for (const [group, list] of labels) {
      y += 22;
      plot.text(12, y - 4, group, {strong: true, size: 13});
      for (const bar of list) {
        const [from, to] = [x.position(1), x.position(bar.value)].sort((a, b) => a - b);
        const middle = y + step / 2;
        plot.text(left - 10, middle + 4, bar.name, {anchor: "end"});
        plot.mark(s("rect", {x: from, y: y + 4, width: Math.max(2, to - from), height: step - 8, rx: 3, fill: colour(bar.variant)}), bar.tip);
        plot.add(s("path", {d: `M${x.position(bar.low)} ${middle}H${x.position(bar.high)}M${x.position(bar.low)} ${middle - 4}v8M${x.position(bar.high)} ${middle - 4}v8`,
          stroke: "var(--text)", "stroke-width": 1.2, fill: "none", "pointer-events": "none"}));
        plot.text(width - 6, middle + 4, times(bar.value), {anchor: "end", strong: true});
        y += step;
      }
      y += 4;
    }
    plot.add(s("line", {x1: x.position(1), x2: x.position(1), y1: top, y2: height - 40, class: "axis", "stroke-dasharray": "4 3"}));
    plot.text((left + right) / 2, height - 12, "speed-up over the baseline, logarithmic", {anchor: "middle", strong: true});
  }, columns: [
    {name: "Of", value: b => b.group}, {name: "Variant", value: b => b.name, cell: variantCell},
    {name: "Speed-up", number: true, value: b => b.value, text: b => times(b.value)},
    {name: "From", number: true, value: b => b.low, text: b => times(b.low)},
    {name: "To", number: true, value: b => b.high, text: b => times(b.high)}]});
}

function speedups() {
  const list = good.filter(r => isNumber(r.speedup) && r.speedup > 0 && r.speedup !== 1);
  if (!list.length) return;
  const names = workloadsOf(list), most = 8;
  const bar = (r, group) => ({group, name: r.name, variant: r.variant, value: r.speedup,
    low: isNumber(r.speedup_low) ? r.speedup_low : r.speedup, high: isNumber(r.speedup_high) ? r.speedup_high : r.speedup, tip: describe(r)});
  const {place, show} = switched(which => {
    if (which === 0) {
      const bars = [];
      for (const name of names)
        for (const all of groups(list.filter(r => r.workload === name), r => r.variant).values()) {
          const values = all.map(r => r.speedup);
          if (all.length === 1) { bars.push(bar(all[0], name)); continue; }
          const value = geometricMean(values), low = Math.min(...values), high = Math.max(...values);
          bars.push({group: name, name: all[0].name, variant: all[0].variant, value, low, high,
            tip: `${name}  ${all[0].name}\ngeometric mean ${times(value)} of ${plural(all.length, "case")}\nfrom ${times(low)} to ${times(high)}`});
        }
      return speedupFigure("Speed-up of every workload", bars);
    }
    const byCase = [...groups(list.filter(r => r.workload === names[which - 1]), r => r.case)];
    const pages = Math.ceil(byCase.length / most);
    const inner = switched(page => speedupFigure(`Speed-up of ${names[which - 1]}`, byCase.slice(page * most, (page + 1) * most)
      .flatMap(([, all]) => all.map(r => bar(r, paramText(r.of))))));
    inner.show(0);
    return h("div", {}, choice("Cases", Array.from({length: pages}, (_, k) =>
      `${k * most + 1}–${Math.min(byCase.length, (k + 1) * most)} of ${byCase.length}`), inner.show), inner.place);
  });
  show(0);
  section("speed-ups", "Speed-ups", "Each bar is a speed-up over the case's baseline; its line is the 95 % interval that follows from both medians'. " +
    "Where a bar stands for several cases it is their geometric mean, and its line goes from the smallest to the largest.",
    place, choice("Workload", ["all", ...names], show));
}
