// Scaling and distributions.
"use strict";

function scaling() {
  const axis = data.params.map((name, k) => ({name, k, values: new Set(cases.map(c => c.params[k]).filter(isNumber))}))
    .filter(a => a.values.size > 1 && [...a.values].every(v => v > 0));
  if (!axis.length) return;
  axis.sort((a, b) => (b.name === "n") - (a.name === "n") || b.values.size - a.values.size);
  const quantities = [
    {name: "time", of: r => r.median, text: seconds, unit: "median time"},
    {name: "bandwidth", of: r => r.bandwidth, text: v => rate(v, "B/s"), unit: "bandwidth"},
    {name: "speed-up", of: r => r.speedup, text: times, unit: "speed-up over the baseline"}]
    .filter(q => good.some(r => isNumber(q.of(r))));
  const names = workloadsOf(good);
  // Choices for the reader, with their names.
  const options = {workload: ["Workload", names], quantity: ["Shown", quantities.map(q => q.name)], axis: ["Against", axis.map(a => a.name)]};
  const chosen = Object.fromEntries(Object.entries(options).map(([key, [, of]]) => [key, keptPlace(`scaling.${key}`, of)]));
  const {place, show} = switched(() => {
    const q = quantities[chosen.quantity], {name, k} = axis[chosen.axis];
    const list = good.filter(r => r.workload === names[chosen.workload] && isNumber(r.params[k]) && q.of(r) > 0);
    if (!list.length) return h("p.note", {}, "No result of this workload has this parameter and quantity.");
    const rows = [...groups(inPlanOrder(list), r => `${r.variant} ${r.params[k]}`).values()].map(all => {
      const values = all.map(q.of);
      return {variant: all[0].variant, name: all[0].name, at: all[0].params[k], value: median(values),
        low: Math.min(...values), high: Math.max(...values), count: all.length};
    });
    return ofShown(rows, shown => scalingFigure(names[chosen.workload], name, q, shown));
  });
  const set = key => value => { chosen[key] = value; show(); };
  show();
  section("scaling", "Scaling", "How a quantity grows with a parameter. If several cases share a point, it is their median and the thin line is their range.",
    place, h("div.controls", {}, ...Object.entries(options).map(([key, [label, of]]) => choice(label, of, set(key), chosen[key], `scaling.${key}`)).filter(Boolean)),
    "section.half");
}

/** A line for each variant: `q` against the parameter `name`. */
function scalingFigure(workload, name, q, rows) {
  const left = 84, right = chartWidth() - 20, top = 40, bottom = 400, at = rows.map(r => r.at);
  const x = scale(Math.min(...at), Math.max(...at), left + 12, right - 12, {log: true, binary: at.every(v => Number.isInteger(Math.log2(v)))});
  const y = scale(Math.min(...rows.map(r => r.low)) / 1.3, Math.max(...rows.map(r => r.high)) * 1.3, bottom, top, {log: true});
  const lines = [...groups(rows, r => r.variant).values()].map(line => line.sort((a, b) => a.at - b.at));
  return figure({title: `${workload}: ${q.unit} against ${name}`, height: 455, summary: `${lines.length} lines.`,
    draw: plot => {
      axes(plot, {x, y, left, right, top, bottom, xName: `${name}, logarithmic`, yName: `${q.unit}, logarithmic`, xText: compact, yText: q.text});
      for (const line of lines) {
        plot.add(s("path", {d: line.map((r, j) => `${j ? "L" : "M"}${x.position(r.at)} ${y.position(r.value)}`).join(""),
          fill: "none", stroke: colour(line[0].variant), "stroke-width": 2, "stroke-dasharray": dashesOf(line[0].variant)}));
        for (const r of line) {
          if (r.count > 1) plot.add(s("line", {x1: x.position(r.at), x2: x.position(r.at), y1: y.position(r.low), y2: y.position(r.high),
            stroke: colour(r.variant), "stroke-width": 1, "stroke-opacity": .55}));
          plot.mark(marker(r.variant, x.position(r.at), y.position(r.value), 4.5),
            `${r.name}  ${name}=${compact(r.at)}\n${q.unit} ${q.text(r.value)}${r.count > 1 ? `\nmedian of ${r.count} cases, ${q.text(r.low)} … ${q.text(r.high)}` : ""}`);
        }
      }
    }, rows, columns: [
      {name: "Variant", value: r => r.name, cell: variantCell}, {name, number: true, value: r => r.at, text: r => compact(r.at)},
      {name: q.unit, number: true, value: r => r.value, text: r => q.text(r.value)},
      {name: "Smallest", number: true, value: r => r.low, text: r => q.text(r.low)},
      {name: "Largest", number: true, value: r => r.high, text: r => q.text(r.high)},
      {name: "Cases", number: true, value: r => r.count}]});
}

/** Ends of the sample axis in per cent: the boxes plus a multiple of the widest box. */
function sampleLimits(all) {
  const at = (r, share) => r.quantiles[Math.round(share * (r.quantiles.length - 1))] / 100, every = all.flatMap(r => r.quantiles).map(v => v / 100);
  const around = Math.max(0.5, 4 * Math.max(...all.map(r => at(r, .75) - at(r, .25))));
  return [Math.max(Math.min(-0.5, ...every), Math.min(...all.map(r => at(r, .25))) - around),
    Math.min(Math.max(0.5, ...every), Math.max(...all.map(r => at(r, .75))) + around)];
}
/** Number of samples beyond the axis; if there are many samples, an estimate from the dots. */
function beyondText(all, low, high) {
  const parts = all.map(r => {
    const dots = r.quantiles.filter(v => v / 100 < low || v / 100 > high).length, isEach = r.samples === r.quantiles.length;
    return {dots, isEach, count: isEach ? dots : Math.max(1, Math.round(dots / r.quantiles.length * r.samples))};
  }).filter(part => part.dots);
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return count ? `${parts.every(part => part.isEach) ? "" : "About "}${plural(count, "sample")} beyond the axis.` : null;
}

function samplesFigure(all) {
  const left = labelWidth(all.map(r => r.name)), right = chartWidth() - 30, top = 24, step = 54, height = top + all.length * step + 62;
  const [low, high] = sampleLimits(all), x = scale(low, high, left, right), detail = beyondText(all, low, high);
  const within = v => v / 100 >= low && v / 100 <= high, on = v => x.position(Math.max(low, Math.min(high, v / 100)));
  return figure({title: `Samples of ${all[0].workload}, ${paramText(all[0].of)}`, height, summary: `${plural(all.length, "variant")}.${detail ? ` ${detail}` : ""}`, caption: detail, draw: plot => {
    for (const tick of x.ticks) {
      plot.line(x.position(tick), top, x.position(tick), top + all.length * step);
      plot.text(x.position(tick), top + all.length * step + 18, `${tick > 0 ? "+" : ""}${digits(tick)} %`, {anchor: "middle"});
    }
    plot.axisName((left + right) / 2, height - 10, "time of a sample, relative to the variant's median");
    all.forEach((r, k) => {
      const middle = top + k * step + step / 2, q = r.quantiles.map(on), last = q.length - 1, at = share => q[Math.round(share * last)];
      plot.text(left - 12, middle, r.name, {anchor: "end", strong: true, room: left - 14});
      plot.text(left - 12, middle + 15, `${seconds(r.median)}`, {anchor: "end"});
      const ends = [[r.quantiles[0], q[0], 5], [r.quantiles[last], q[last], -5]].map(([v, px, back]) => within(v)
        ? `M${px} ${middle - 6}v12` : `M${px + back} ${middle - 5}L${px} ${middle}L${px + back} ${middle + 5}`).join("");
      plot.add(s("path", {d: `M${q[0]} ${middle}H${q[last]}${ends}`, stroke: colour(r.variant), "stroke-width": 1.5, fill: "none"}));
      plot.mark(s("rect", {x: at(.25), y: middle - 12, width: Math.max(3, at(.75) - at(.25)), height: 24, rx: 3, fill: fillOf(r.variant), "fill-opacity": .55, stroke: colour(r.variant)}),
        `${describe(r)}\n${plural(r.samples, "sample")}${r.stop ? `: ${data.stops[r.stop]}` : ""}`);
      plot.add(s("line", {x1: at(.5), x2: at(.5), y1: middle - 12, y2: middle + 12, stroke: "var(--text)", "stroke-width": 2, "pointer-events": "none"}));
      r.quantiles.forEach((v, j) => {
        if (within(v)) plot.add(s("circle", {cx: q[j], cy: middle, r: 1.8, fill: "var(--text)", "fill-opacity": .6, "pointer-events": "none"}));
      });
    });
  }, rows: all, columns: [
    {name: "Variant", value: r => r.name, cell: variantCell}, {name: "Median", number: true, unit: "s", value: r => r.median, text: r => seconds(r.median)},
    {name: "Smallest", number: true, unit: "%", value: r => r.quantiles[0] / 100, text: r => `${digits(r.quantiles[0] / 100)} %`},
    {name: "Largest", number: true, unit: "%", value: r => r.quantiles[r.quantiles.length - 1] / 100, text: r => `${digits(r.quantiles[r.quantiles.length - 1] / 100)} %`},
    {name: "Samples", number: true, value: r => r.samples}]});
}

function distributions() {
  const list = good.filter(r => Array.isArray(r.quantiles));
  if (!list.length) return;
  const byCase = [...groups(list, r => r.case).values()].map(inPlanOrder), names = workloadsOf(list);
  const {place, control} = chooser("samples.workload", "Workload", names, which => {
    const all = byCase.filter(([one]) => one.workload === names[which]);
    const inner = chooser("samples.case", "Case", all.map(([one]) => paramText(one.of) || one.of.id), k => ofShown(all[k], samplesFigure));
    return h("div", {}, inner.control, inner.place);
  });
  section("samples", "Samples", "Box: the middle half of a variant's samples; bar in it: the median; whiskers: the fastest and the slowest; dots: evenly spaced quantiles; " +
    "arrow: there are samples beyond the axis.", place, control, "section.half");
}
