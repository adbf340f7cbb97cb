// Roofline, scaling and distributions.
"use strict";

/** At most `most` points: of each workload and variant evenly many, the fastest among them. */
function thinned(list, most) {
  if (list.length <= most) return list;
  const all = [...groups(list, r => `${r.of.workload} ${r.variant}`).values()];
  const each = Math.max(1, Math.floor(most / all.length));
  return all.flatMap(one => {
    const sorted = [...one].sort((a, b) => b.flop_rate - a.flop_rate), step = Math.max(1, sorted.length / each);
    return Array.from({length: Math.min(each, sorted.length)}, (_, k) => sorted[Math.floor(k * step)]);
  });
}

function roofline() {
  const list = good.filter(r => r.intensity > 0 && r.flop_rate > 0);
  if (!list.length) return;
  const devices = [...new Set(list.map(r => r.on))].sort((a, b) =>
    data.calibration.some(c => c.device === b) - data.calibration.some(c => c.device === a));
  const {place, show} = switched(which => {
    const of = list.filter(r => r.on === devices[which]), points = thinned(of, 1500);
    const roofs = data.calibration.filter(c => c.device === devices[which]).flatMap(c =>
      [["read", c.read], ["copy", c.copy]].filter(([, value]) => isNumber(value)).map(([name, value]) => ({name, value})));
    const left = 90, right = 960, top = 40, bottom = 430;
    const xs = points.map(r => r.intensity), ys = points.map(r => r.flop_rate);
    const x = scale(Math.min(...xs) / 2, Math.max(...xs) * 2, left, right, {log: true});
    const y = scale(Math.min(...ys) / 3, Math.max(...ys, ...roofs.map(r => r.value * Math.max(...xs))) * 2, bottom, top, {log: true});
    const kinds = [...new Set(points.map(r => r.variant))];
    return h("div", {}, points.length < of.length ? h("p.note", {}, `${points.length} of ${of.length.toLocaleString("en")} results are drawn, evenly of each workload and variant.`) : null,
      roofs.length ? null : h("p.note", {}, "This device was not calibrated, so there is no measured ceiling."),
      figure({title: `Roofline of ${devices[which]}`, height: 485, summary: `${points.length} results, ${roofs.length} measured ceilings.`,
        legend: kinds.map(k => ({name: data.variants[k], colour: colour(k)})), draw: plot => {
          axes(plot, {x, y, left, right, top, bottom, xName: "arithmetic intensity, flop per byte, logarithmic", yName: "floating-point rate, flop/s", yText: v => rate(v, "")});
          roofs.forEach(({name, value}, k) => {
            const [x1, x2] = [x.low, x.high];
            plot.add(s("line", {x1: x.position(x1), y1: y.position(value * x1), x2: x.position(x2), y2: y.position(value * x2),
              stroke: "var(--text)", "stroke-width": 1.5, "stroke-dasharray": k ? "6 4" : "none"}));
            plot.text(left + 14 + 0 * k, y.position(value * x.low) + (k ? 18 : -12), `${name}: ${rate(value, "B/s")}`, {strong: true});
          });
          for (const r of points)
            plot.mark(s("circle", {cx: x.position(r.intensity), cy: y.position(r.flop_rate), r: 5.5, fill: colour(r.variant), "fill-opacity": .75}),
              `${describe(r)}\n${rate(r.flop_rate, "flop/s")} at ${digits(r.intensity)} flop/byte${isNumber(r.share) ? `\n${percent(r.share)} of the ceiling` : ""}`);
        }, rows: points, columns: [
          {name: "Workload", value: r => r.workload}, {name: "Variant", value: r => r.name, cell: variantCell},
          {name: "Parameters", value: r => paramText(r.of)},
          {name: "Flop per byte", number: true, value: r => r.intensity, text: r => digits(r.intensity)},
          {name: "Flop/s", number: true, value: r => r.flop_rate, text: r => rate(r.flop_rate, "flop/s")},
          {name: "Of ceiling", number: true, value: r => r.share, text: r => percent(r.share)}]}));
  });
  show(0);
  section("roofline", "Roofline", "Work per byte against work per second. The lines are the bandwidths that calibration measured on this very device.",
    place, choice("Device", devices, show));
}

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
    const left = 100, right = 960, top = 40, bottom = 400, at = rows.map(r => r.at);
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
    const left = 190, right = 960, top = 24, step = 54, height = top + all.length * step + 62;
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

function launches() {
  if (!data.launches.length) return;
  const rows = data.launches.map(([result, order, kernel, grid, block, shared, registers, duration]) =>
    ({r: results[result], order, kernel: data.kernels[kernel], grid, block, shared, registers, duration}));
  section("launches", "Launches", `Every kernel launch of one run.${data.launches_left_out ? ` ${plural(data.launches_left_out, "more launch")}es are in the result file.` : ""}`,
    table(rows, [
      {name: "Workload", value: l => l.r.workload}, {name: "Variant", value: l => l.r.name, cell: l => variantCell(l.r)},
      {name: "Parameters", value: l => paramText(l.r.of)}, {name: "#", number: true, value: l => l.order},
      {name: "Kernel", value: l => l.kernel, cell: l => h("code", {}, l.kernel)},
      {name: "Grid", number: true, value: l => l.grid}, {name: "Block", number: true, value: l => l.block},
      {name: "Shared", number: true, value: l => l.shared, text: l => l.shared ? `${l.shared} B` : ""},
      {name: "Registers", number: true, value: l => l.registers}, {name: "Time", number: true, value: l => l.duration, text: l => seconds(l.duration)},
    ], {caption: "Launches", page: 15}));
}

function everything() {
  section("results", "All results", null, table(results, [
    {name: "Workload", value: r => r.workload}, {name: "Parameters", value: r => paramText(r.of)},
    {name: "Variant", value: r => r.name, cell: variantCell}, {name: "Status", value: r => r.state, cell: stateCell},
    {name: "Median", number: true, value: r => r.ok ? r.median : null, text: r => r.ok ? seconds(r.median) : ""},
    {name: "95 %", number: true, value: r => r.ok ? (r.high - r.low) / r.median : null, text: r => r.ok ? intervalText(r) : ""},
    {name: "Bandwidth", number: true, value: r => r.bandwidth, text: r => rate(r.bandwidth, "B/s")},
    {name: "Of ceiling", number: true, value: r => r.share, text: r => percent(r.share)},
    {name: "Speed-up", number: true, value: r => r.speedup, text: r => times(r.speedup)},
    {name: "Error", number: true, value: r => r.error, text: r => r.error === 0 ? "exact" : digits(r.error, 2)},
    {name: "Device", value: r => r.on}, {name: "Case", value: r => r.of.id, cell: r => h("code", {}, r.of.id)},
  ], {caption: "Every result", page: 25}));
}

function environment() {
  const rows = [...new Set(data.environments.flatMap(e => Object.keys(e)))].map(name => ({name, values: data.environments.map(e => e[name] ?? "")}))
    .filter(row => row.values.some(value => value !== "" && value !== -1));
  const parts = [];
  if (rows.length) parts.push(table(rows, [{name: "Name", value: r => r.name},
    ...data.environments.map((_, k) => ({name: data.environments.length > 1 ? `Environment ${k + 1}` : "Value", wide: true, value: r => r.values[k]}))],
    {caption: "Where it ran", page: 100, filter: false}));
  if (data.calibration.length) parts.push(h("h3", {}, "Calibration"), table(data.calibration, [
    {name: "Device", value: c => c.device}, {name: "Empty launch", number: true, value: c => c.launch, text: c => seconds(c.launch)},
    {name: "Copy", number: true, value: c => c.copy, text: c => rate(c.copy, "B/s")}, {name: "Read", number: true, value: c => c.read, text: c => rate(c.read, "B/s")},
    {name: "Noise floor", number: true, value: c => c.noise, text: c => percent(c.noise, 2)}], {caption: "What the devices can do, measured"}));
  parts.push(h("h3", {}, "Files"), h("ul", {}, ...data.files.map(file => h("li.mono", {}, file))));
  section("environment", "Environment", null, h("div", {}, ...parts));
}

function theme() {
  const button = document.getElementById("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const set = name => {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${name === "dark" ? "light" : "dark"} theme`);
  };
  set(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => set(dark.matches ? "dark" : "light"));
  button.addEventListener("click", () => set(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}

theme();
header();
failures();
summary();
speedups();
roofline();
scaling();
distributions();
launches();
everything();
environment();
document.documentElement.dataset.ready = "yes";
