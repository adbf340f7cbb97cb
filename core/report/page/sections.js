// The first sections: warnings, failures, summary, speed-ups.
"use strict";

function header() {
  const jobs = data.jobs.join(", ");
  document.title = data.title;
  main.append(h("h1", {}, data.title), h("p.lead", {},
    `${plural(cases.length, "case")}, ${plural(results.length, "result")} of ${plural(data.workloads.length, "workload")}` +
    `${jobs && jobs !== data.title ? ` · ${jobs}` : ""} · ${data.devices.join(", ")} · ${data.date}` +
    `${constant.length ? ` · everywhere ${paramsAt(cases[0], constant)}` : ""}`));
  for (const problem of data.problems) main.append(h("p.note.no", {}, problem));
  if (data.warnings.length) main.append(banners());
}

/** Limitations of the measurements, most serious first. */
function banners() {
  const most = 5, all = data.warnings.map(([kind, text]) => h("p.banner", {"data-kind": kind}, text));
  return h("div.banners", {role: "region", "aria-label": "Warnings"}, ...all.slice(0, most),
    all.length > most ? h("details.printed", {}, h("summary", {}, plural(all.length - most, "more warning")), ...all.slice(most)) : null);
}

function failures() {
  if (!failed.length) return;
  const noted = failed.some(r => r.note);
  section("failures", `Failures (${failed.length.toLocaleString("en")})`,
    "Results that are wrong, did not finish, or have an invalid time. They have no time and are not compared.",
    table(failed, [
      {name: "Workload", value: r => r.workload},
      {name: "Variant", value: r => r.name, cell: variantCell},
      {name: "Parameters", value: r => paramText(r.of)},
      {name: "Status", value: r => r.state, cell: stateCell}, ...fileColumns,
      {name: "Phase", value: r => r.phase},
      {name: "Why", wide: true, value: r => r.reason, cell: r => r.detail
        ? h("span", {}, r.reason, h("details.printed", {}, h("summary", {}, "Last lines"), h("pre", {}, r.detail))) : r.reason ?? ""},
      ...(noted ? [{name: "Notes", wide: true, value: r => r.note}] : []),
      {name: "Case", value: r => r.of.id, cell: r => h("code.id", {}, r.of.id)},
    ], {caption: "Results that are not correct", page: 10, key: "failures"}), null, "section.failures");
}

function summary() {
  const tile = (value, name, kind = "") => h(`div.tile${kind}`, {}, h("b", {}, value), h("span", {}, name));
  const speedups = good.filter(r => isNumber(r.speedup) && r.speedup !== 1);
  const rows = [];
  for (const [key, list] of groups(inPlanOrder(results), r => `${r.of.workload} ${r.variant}`)) {
    const right = list.filter(r => r.ok && isNumber(r.median)), one = list[0];
    const of = key => right.map(r => r[key]).filter(isNumber);
    rows.push({key, workload: one.workload, name: one.name, variant: one.variant, right: list.filter(r => r.ok).length, all: list.length,
      speedup: geometricMean(of("speedup").filter(x => x > 0)), best: Math.max(...of("bandwidth"), -Infinity),
      share: of("share").length ? Math.max(...of("share")) : null, time: right.length ? Math.min(...of("median")) : null,
      launches: of("launches").length ? median(of("launches")) : null});
  }
  const fastest = speedups.reduce((best, r) => !best || r.speedup > best.speedup ? r : best, null);
  section("summary", "Summary", null, h("div", {},
    h("div.tiles", {}, tile(cases.length.toLocaleString("en"), "cases"),
      tile(good.length.toLocaleString("en"), "ok", ".good"),
      tile(failed.length.toLocaleString("en"), "failed", failed.length ? ".bad" : ""),
      dropped.length ? tile(dropped.length.toLocaleString("en"), "dropped by a search") : null,
      skipped.length ? tile(skipped.length.toLocaleString("en"), "not run") : null,
      fastest ? tile(times(fastest.speedup), `largest speed-up: ${fastest.workload}, ${fastest.name}`) : null),
    table(rows, [
      {name: "Workload", value: r => r.workload},
      {name: "Variant", value: r => r.name, cell: variantCell},
      {name: "Right", number: true, value: r => r.right / r.all, text: r => `${r.right} of ${r.all}`, csv: [["Right", r => r.right], ["Results", r => r.all]]},
      {name: "Mean speed-up", number: true, value: r => r.speedup, text: r => times(r.speedup)},
      {name: "Best bandwidth", number: true, unit: "B/s", value: r => isNumber(r.best) ? r.best : null, text: r => rate(r.best, "B/s")},
      {name: "Best share of ceiling", number: true, value: r => r.share, text: r => percent(r.share)},
      {name: "Shortest time", number: true, unit: "s", value: r => r.time, text: r => seconds(r.time)},
      {name: "Launches", number: true, value: r => r.launches, text: r => digits(r.launches)},
    ], {caption: "Each workload and variant over all of its cases; mean speed-ups are geometric", page: 40, key: "summary"})));
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
      plot.text(0, y - 4, group, {strong: true, size: 13, room: width - 10});
      for (const bar of list) {
        const [from, to] = [x.position(1), x.position(bar.value)].sort((a, b) => a - b);
        const middle = y + step / 2;
        plot.text(left - 10, middle + 4, bar.name, {anchor: "end", room: left - 12});
        plot.mark(s("rect", {x: from, y: y + 4, width: Math.max(2, to - from), height: step - 8, rx: 3, fill: fillOf(bar.variant), stroke: colour(bar.variant)}), bar.tip);
        plot.add(s("path", {d: `M${x.position(bar.low)} ${middle}H${x.position(bar.high)}M${x.position(bar.low)} ${middle - 4}v8M${x.position(bar.high)} ${middle - 4}v8`,
          stroke: "var(--text)", "stroke-width": 1.2, fill: "none", "pointer-events": "none"}));
        plot.text(width - 6, middle + 4, times(bar.value), {anchor: "end", strong: true});
        y += step;
      }
      y += 4;
    }
    plot.add(s("line", {x1: x.position(1), x2: x.position(1), y1: top, y2: height - 40, class: "axis", "stroke-dasharray": "4 3"}));
    plot.axisName((left + right) / 2, height - 12, "speed-up over the baseline, logarithmic");
  }, columns: [
    {name: "Of", value: b => b.group}, {name: "Variant", value: b => b.name, cell: variantCell},
    {name: "Speed-up", number: true, value: b => b.value, text: b => times(b.value)},
    {name: "From", number: true, value: b => b.low, text: b => times(b.low)},
    {name: "To", number: true, value: b => b.high, text: b => times(b.high)}]});
}

/** A bar for each variant of each workload: the geometric mean over its cases. */
function speedupBars(list, bar) {
  return [...groups(list, r => `${r.workload} ${r.variant}`).values()].map(all => {
    const [one] = all, values = all.map(r => r.speedup);
    if (all.length === 1) return bar(one, one.workload);
    const value = geometricMean(values), low = Math.min(...values), high = Math.max(...values);
    return {...bar(one, one.workload), value, low, high,
      tip: `${one.workload}  ${one.name}\ngeometric mean ${times(value)} of ${plural(all.length, "case")}\nfrom ${times(low)} to ${times(high)}`};
  });
}

function speedups() {
  const list = good.filter(r => isNumber(r.speedup) && r.speedup > 0 && r.speedup !== 1);
  if (!list.length) return;
  const names = workloadsOf(list), most = 8;
  const bar = (r, group) => ({group, name: r.name, workload: r.workload, variant: r.variant, value: r.speedup,
    low: isNumber(r.speedup_low) ? r.speedup_low : r.speedup, high: isNumber(r.speedup_high) ? r.speedup_high : r.speedup, tip: describe(r)});
  const {place, control} = chooser("speed-ups.workload", "Workload", ["all", ...names], which => {
    if (which === 0) return ofShown(inPlanOrder(list), shown => speedupFigure("Speed-up of every workload", speedupBars(shown, bar)));
    const byCase = [...groups(list.filter(r => r.workload === names[which - 1]), r => r.case).values()].map(inPlanOrder);
    const pages = Math.ceil(byCase.length / most);
    const inner = chooser("speed-ups.cases", "Cases", Array.from({length: pages}, (_, k) =>
      `${k * most + 1}–${Math.min(byCase.length, (k + 1) * most)} of ${byCase.length}`), page => ofShown(byCase.slice(page * most, (page + 1) * most).flat(),
      shown => speedupFigure(`Speed-up of ${names[which - 1]}`, shown.map(r => bar(r, paramText(r.of))))));
    return h("div", {}, inner.control, inner.place);
  });
  section("speed-ups", "Speed-ups", "Each bar is a speed-up over the case's baseline; its line is the 95 % interval that follows from both medians'. " +
    "A bar for several cases is their geometric mean; its line goes from the smallest to the largest.",
    place, control, "section.half");
}
