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
  const names = workloadsOf(good), chosen = {workload: 0, quantity: 0, axis: 0};
  const {place, show} = switched(() => {
    const q = quantities[chosen.quantity], {name, k} = axis[chosen.axis];
    const list = good.filter(r => r.workload === names[chosen.workload] && isNumber(r.params[k]) && q.of(r) > 0);
    const rows = [];
    for (const all of groups(list, r => `${r.variant} ${r.params[k]}`).values()) {
      const values = all.map(q.of);
      rows.push({variant: all[0].variant, name: all[0].name, at: all[0].params[k], value: median(values),
        low: Math.min(...values), high: Math.max(...values), count: all.length});
    }
    if (!rows.length) return h("p.note", {}, "No result of this workload has this parameter and quantity.");
    const left = 84, right = chartWidth() - 20, top = 40, bottom = 400, at = rows.map(r => r.at);
    const x = scale(Math.min(...at), Math.max(...at), left + 12, right - 12, {log: true, binary: at.every(v => Number.isInteger(Math.log2(v)))});
    const y = scale(Math.min(...rows.map(r => r.low)) / 1.3, Math.max(...rows.map(r => r.high)) * 1.3, bottom, top, {log: true});
    const lines = [...groups(rows, r => r.variant).values()].map(line => line.sort((a, b) => a.at - b.at));
    return figure({title: `${names[chosen.workload]}: ${q.unit} against ${name}`, height: 455, summary: `${lines.length} lines.`,
      legend: lines.map(line => ({name: line[0].name, colour: colour(line[0].variant)})), draw: plot => {
        axes(plot, {x, y, left, right, top, bottom, xName: `${name}, logarithmic`, yName: `${q.unit}, logarithmic`, xText: compact, yText: q.text});
        for (const line of lines) {
          plot.add(s("path", {d: line.map((r, j) => `${j ? "L" : "M"}${x.position(r.at)} ${y.position(r.value)}`).join(""),
            fill: "none", stroke: colour(line[0].variant), "stroke-width": 2}));
          for (const r of line) {
            if (r.count > 1) plot.add(s("line", {x1: x.position(r.at), x2: x.position(r.at), y1: y.position(r.low), y2: y.position(r.high),
              stroke: colour(r.variant), "stroke-width": 1, "stroke-opacity": .55}));
            plot.mark(s("circle", {cx: x.position(r.at), cy: y.position(r.value), r: 4.5, fill: colour(r.variant)}),
              `${r.name}  ${name}=${compact(r.at)}\n${q.unit} ${q.text(r.value)}${r.count > 1 ? `\nmedian of ${r.count} cases, ${q.text(r.low)} … ${q.text(r.high)}` : ""}`);
          }
        }
      }, rows, columns: [
        {name: "Variant", value: r => r.name, cell: variantCell}, {name, number: true, value: r => r.at, text: r => compact(r.at)},
        {name: q.unit, number: true, value: r => r.value, text: r => q.text(r.value)},
        {name: "Smallest", number: true, value: r => r.low, text: r => q.text(r.low)},
        {name: "Largest", number: true, value: r => r.high, text: r => q.text(r.high)},
        {name: "Cases", number: true, value: r => r.count}]});
  });
  const set = key => value => { chosen[key] = value; show(); };
  show();
  section("scaling", "Scaling", "How a quantity grows with a parameter. Where several cases share a point, it is their median and the thin line their range.",
    place, h("div.controls", {}, choice("Workload", names, set("workload")), choice("Shown", quantities.map(q => q.name), set("quantity")),
      choice("Against", axis.map(a => a.name), set("axis"))));
}

function distributions() {
  const list = good.filter(r => Array.isArray(r.quantiles));
  if (!list.length) return;
  const byCase = [...groups(list, r => r.case).values()], names = workloadsOf(list);
  const ofWorkload = name => byCase.filter(all => all[0].workload === name);
  const draw = all => {
    const relative = all.flatMap(r => r.quantiles).map(v => v / 100);
    const left = labelWidth(all.map(r => r.name)), right = chartWidth() - 30, top = 24, step = 54, height = top + all.length * step + 62;
    const x = scale(Math.min(-0.5, ...relative), Math.max(0.5, ...relative), left, right);
    return figure({title: `Samples of ${all[0].workload}, ${paramText(all[0].of)}`, height, summary: `${all.length} variants.`, draw: plot => {
      for (const tick of x.ticks) {
        plot.line(x.position(tick), top, x.position(tick), top + all.length * step);
        plot.text(x.position(tick), top + all.length * step + 18, `${tick > 0 ? "+" : ""}${digits(tick)} %`, {anchor: "middle"});
      }
      plot.text((left + right) / 2, height - 10, "time of a sample, relative to the variant's median", {anchor: "middle", strong: true});
      all.forEach((r, k) => {
        const middle = top + k * step + step / 2, q = r.quantiles.map(v => x.position(v / 100)), last = q.length - 1;
        const at = share => q[Math.round(share * last)];
        plot.text(left - 12, middle, r.name, {anchor: "end", strong: true});
        plot.text(left - 12, middle + 15, `${seconds(r.median)}`, {anchor: "end"});
        plot.add(s("path", {d: `M${q[0]} ${middle}H${q[last]}M${q[0]} ${middle - 6}v12M${q[last]} ${middle - 6}v12`, stroke: colour(r.variant), "stroke-width": 1.5, fill: "none"}));
        plot.mark(s("rect", {x: at(.25), y: middle - 12, width: Math.max(3, at(.75) - at(.25)), height: 24, rx: 3, fill: colour(r.variant), "fill-opacity": .55}),
          `${describe(r)}\n${plural(r.samples, "sample")}${r.stop ? `: ${data.stops[r.stop]}` : ""}`);
        plot.add(s("line", {x1: at(.5), x2: at(.5), y1: middle - 12, y2: middle + 12, stroke: "var(--text)", "stroke-width": 2, "pointer-events": "none"}));
        for (const position of q) plot.add(s("circle", {cx: position, cy: middle, r: 1.8, fill: "var(--text)", "fill-opacity": .6, "pointer-events": "none"}));
      });
    }, rows: all, columns: [
      {name: "Variant", value: r => r.name, cell: variantCell}, {name: "Median", number: true, value: r => r.median, text: r => seconds(r.median)},
      {name: "Smallest", number: true, value: r => r.quantiles[0], text: r => `${digits(r.quantiles[0] / 100)} %`},
      {name: "Largest", number: true, value: r => r.quantiles[r.quantiles.length - 1], text: r => `${digits(r.quantiles[r.quantiles.length - 1] / 100)} %`},
      {name: "Samples", number: true, value: r => r.samples}]});
  };
  const {place, show} = switched(which => {
    const all = ofWorkload(names[which]);
    const inner = switched(k => draw(all[k]));
    inner.show(0);
    return h("div", {}, choice("Case", all.map(one => paramText(one[0].of) || one[0].of.id), inner.show), inner.place);
  });
  show(0);
  section("samples", "Samples", "Box: the middle half of a variant's samples; bar in it: the median; whiskers: the fastest and the slowest; dots: evenly spaced quantiles.",
    place, choice("Workload", names, show));
}
