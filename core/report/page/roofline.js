// Roofline: operations per byte against operations per second, with the measured limits of the device.
"use strict";

const precisions = ["float16", "float32", "float64"];

/** A result's point: operations and bytes of DRAM, counted if available, else declared. */
function rooflinePoint(r) {
  const of = name => r.why?.values.get(name);
  const done = precisions.map(name => ({name, count: of(`${name}_operations`) ?? 0}));
  const counted = r.why && !r.why.matrix ? done.reduce((sum, {count}) => sum + count, 0) : 0;
  const operations = counted > 0 ? counted : r.flop_rate * r.median;
  const bytes = of("dram_bytes") > 0 ? of("dram_bytes") : r.bandwidth * r.median;
  const dtype = r.params[data.params.indexOf("dtype")];
  return {r, workload: r.workload, variant: r.variant, x: operations / bytes, y: operations / r.median, countsOperations: counted > 0, countsBytes: of("dram_bytes") > 0,
    kind: r.why?.matrix ? "tensor" : counted > 0 ? done.reduce((a, b) => (b.count > a.count ? b : a)).name
      : precisions.includes(dtype) ? dtype : null};
}
const sourceOf = p => p.countsOperations === p.countsBytes ? (p.countsBytes ? "counted" : "as declared")
  : p.countsBytes ? "bytes counted, operations as declared" : "operations counted, bytes as declared";

/** At most `most` points, evenly distributed over workloads and variants, including the fastest of each. */
function thinned(list, most) {
  if (list.length <= most) return list;
  const all = [...groups(list, p => `${p.r.of.workload} ${p.r.variant}`).values()];
  const each = Math.max(1, Math.floor(most / all.length));
  return all.flatMap(one => {
    const sorted = [...one].sort((a, b) => b.y - a.y), step = Math.max(1, sorted.length / each);
    return Array.from({length: Math.min(each, sorted.length)}, (_, k) => sorted[Math.floor(k * step)]);
  });
}

/** Calibrated limits; the largest of several calibrations. */
function roofsOf(device) {
  const of = data.calibration.filter(c => c.device === device);
  return [["cache", "cache", true, "1 4"], ["read", "read", true, "none"], ["copy", "copy", true, "6 4"],
    ["tensor", "tensor", false, "none"], ["float16", "float16", false, "none"], ["float32", "float32", false, "none"],
    ["float64", "float64", false, "none"]].map(([name, key, slanted, dashes]) => {
    const value = Math.max(...of.map(c => c[key]).filter(isNumber), -Infinity);
    return {name, slanted, dashes, value, at: x => slanted ? value * x : value,
      text: `${name} ${rate(value, slanted ? "B/s" : "flop/s")}`};
  }).filter(roof => roof.value > 0);
}

/** The lowest roof above a point, among those that limit its kind of computation. Calibrations are measured, so a result may exceed a roof slightly. */
function roofAbove(point, roofs) {
  const mine = roofs.filter(roof => roof.slanted || !point.kind || roof.name === point.kind).sort((a, b) => a.at(point.x) - b.at(point.x));
  return mine.find(roof => roof.at(point.x) * 1.05 >= point.y) ?? mine[mine.length - 1];
}

/** Approximate width of a label's letter. */
const letter = 6.6;

/** Places line labels: each at the candidate position with the least overlap with other labels, lines and marks. */
function labeller(plot, {left, right, top, bottom}, lines, marks) {
  const boxes = [];
  const cost = box => {
    const within = (x, y, room = 0) => x > box.x1 - room && x < box.x2 + room && y > box.y1 - room && y < box.y2 + room;
    if (box.x1 < left || box.x2 > right || box.y1 < top - 6 || box.y2 > bottom) return 1e6;
    const crossed = lines.filter(({x1, y1, x2, y2}) => Array.from({length: 65}, (_, k) => k / 64)
      .some(k => within(x1 + k * (x2 - x1), y1 + k * (y2 - y1)))).length;
    return 1e3 * boxes.filter(b => b.x1 < box.x2 && b.x2 > box.x1 && b.y1 < box.y2 && b.y2 > box.y1).length +
      crossed + 3 * Math.min(5, marks.filter(([x, y]) => within(x, y, 6)).length);
  };
  return (text, places) => {
    const width = text.length * letter;
    const best = places.map(([x, y, anchor], k) => {
      const box = {x, y, anchor, x1: anchor === "end" ? x - width : x, x2: anchor === "end" ? x : x + width, y1: y - 11, y2: y + 3};
      return {...box, cost: cost(box) + k / 1000};
    }).reduce((a, b) => (b.cost < a.cost ? b : a));
    boxes.push(best);
    plot.text(best.x, best.y, text, {anchor: best.anchor, strong: true}).classList.add("roof-name");
  };
}

function drawRoofs(plot, roofs, {x, y, left, right, top, bottom}, marks) {
  const flat = roofs.filter(roof => !roof.slanted), slanted = roofs.filter(roof => roof.slanted);
  const highest = Math.min(y.high, Math.max(...flat.map(roof => roof.value), flat.length ? 0 : Infinity));
  const steepest = Math.max(...slanted.map(roof => roof.value), 0);
  const lines = roofs.map(roof => {
    // Slanted roofs end at the highest level roof; level roofs begin at the steepest slanted one.
    const from = roof.slanted ? Math.max(x.low, y.low / roof.value) : Math.max(x.low, steepest ? roof.value / steepest : x.low);
    const to = roof.slanted ? Math.min(x.high, highest / roof.value) : x.high;
    return {roof, from, to, x1: x.position(from), y1: y.position(roof.at(from)), x2: x.position(to), y2: y.position(roof.at(to))};
  }).filter(({from, to}) => from < to);
  for (const {roof, x1, y1, x2, y2} of lines)
    plot.add(s("line", {x1, y1, x2, y2, class: "roof", stroke: "var(--text)", "stroke-width": 1.5, "stroke-dasharray": roof.dashes}));
  const label = labeller(plot, {left, right, top, bottom}, lines, marks);
  // Level roofs first: they have fewer candidate positions.
  for (const {roof, x1, x2, y1, y2} of [...lines].sort((a, b) => a.roof.slanted - b.roof.slanted)) {
    const at = k => [x1 + k / 16 * (x2 - x1), y1 + k / 16 * (y2 - y1)];
    const above = ([px, py]) => [px - 8, py - 7, "end"], below = ([px, py]) => [px + 8, py + 16, "start"];
    // Slanted roofs: from the middle outwards. Level roofs: from the right end, as far as the line extends.
    const middle = [8, 9, 7, 10, 6, 11, 5, 12, 4, 13, 3, 14, 2].map(at);
    const level = Array.from({length: 12}, (_, k) => at(16 - k)).filter(([px], k) => !k || px - letter * roof.text.length >= x1);
    label(roof.text, !roof.slanted ? level.flatMap(([px, py]) => [[px, py - 6, "end"], [px, py + 15, "end"]])
      : roof.name === "copy" ? [...middle.map(below), ...middle.map(above)] : [...middle.map(above), ...middle.map(below)]);
  }
}

/** Source of the operations and bytes: counted or declared. */
function sourcesText(points) {
  const whole = points.filter(p => p.countsBytes && p.countsOperations).length, declared = points.filter(isDeclared).length;
  const partly = points.length - whole - declared;
  return whole === points.length ? "Operations and bytes of DRAM were counted by the device."
    : declared === points.length ? "Operations and bytes are as declared."
      : [`${plural(whole, "result")}: operations and bytes of DRAM were counted by the device.`,
        partly ? `${plural(partly, "result")}: one of the two was counted, the other is as declared.` : null,
        declared ? `${plural(declared, "result")} (hollow): both are as declared.` : null].filter(Boolean).join(" ");
}
const isDeclared = p => !p.countsBytes && !p.countsOperations;

function rooflineFigure(device, points, roofs) {
  for (const p of points) {
    p.roof = roofAbove(p, roofs);
    p.share = p.roof ? p.y / p.roof.at(p.x) : null;
  }
  const left = 64, right = chartWidth() - 20, top = 40, bottom = 430, xs = points.map(p => p.x), ys = points.map(p => p.y);
  const flat = roofs.filter(roof => !roof.slanted).map(roof => roof.value), slopes = roofs.filter(roof => roof.slanted).map(roof => roof.value);
  // Up to the start of the highest roof.
  const ridge = flat.length && slopes.length ? Math.max(...flat) / Math.min(...slopes) * 1.5 : 0, areHollow = !points.every(isDeclared);
  const x = scale(Math.min(...xs) / 2, Math.max(Math.max(...xs) * 2, ridge), left, right, {log: true});
  const y = scale(Math.min(...ys) / 3, Math.max(...ys, ...(flat.length ? flat : slopes.map(value => value * Math.max(...xs)))) * 2, bottom, top, {log: true});
  return figure({title: `Roofline of ${device}`, caption: sourcesText(points), height: 485,
    summary: `${plural(points.length, "result")}. Measured ceilings: ${roofs.map(roof => roof.text).join(", ") || "none"}.`, draw: plot => {
      axes(plot, {x, y, left, right, top, bottom, xName: "arithmetic intensity, flop per byte, logarithmic", yName: "floating-point rate, flop/s", yText: v => rate(v, "")});
      const places = points.map(p => [x.position(p.x), y.position(p.y)]);
      drawRoofs(plot, roofs, {x, y, left, right, top, bottom}, places);
      points.forEach((p, k) => plot.mark(marker(p.variant, ...places[k], 5.5, {"fill-opacity": areHollow && isDeclared(p) ? 0.15 : 0.75}),
        [describe(p.r), `${rate(p.y, "flop/s")} at ${digits(p.x)} flop/byte, ${sourceOf(p)}`,
          p.roof ? `${percent(p.share)} of the ${p.share > 1.05 ? "highest roof" : "roof above it"}: ${p.roof.text}` : null].filter(Boolean).join("\n")));
    }, rows: points, columns: [
      {name: "Workload", value: p => p.r.workload}, {name: "Variant", value: p => p.r.name, cell: p => variantCell(p.r)},
      {name: "Parameters", value: p => paramText(p.r.of)},
      {name: "Flop per byte", number: true, value: p => p.x, text: p => digits(p.x)},
      {name: "Flop/s", number: true, value: p => p.y, text: p => rate(p.y, "flop/s")},
      {name: "Share of roof", number: true, value: p => p.share, text: p => percent(p.share)},
      {name: "Roof", value: p => p.roof?.text}, {name: "Operations and bytes", value: sourceOf}]});
}

function roofline() {
  const list = good.map(rooflinePoint).filter(p => p.x > 0 && p.y > 0 && Number.isFinite(p.x));
  if (!list.length) return;
  const devices = [...new Set(list.map(p => p.r.on))].sort((a, b) =>
    data.calibration.some(c => c.device === b) - data.calibration.some(c => c.device === a));
  const workloads = workloadsOf(list.map(p => p.r)), options = workloads.length > 1 ? ["all", ...workloads] : workloads;
  const chosen = {device: keptPlace("roofline.device", devices), workload: keptPlace("roofline.workload", options)};
  const {place, show} = switched(() => {
    const device = devices[chosen.device], wanted = options[chosen.workload], roofs = roofsOf(device);
    const of = list.filter(p => p.r.on === device && (!chosen.workload || p.r.workload === wanted));
    if (!of.length) return h("p.note", {}, "This workload has no result on this device.");
    const points = thinned(of, 1500), note = text => h("p.note", {}, text);
    return h("div", {}, points.length < of.length ? note(`${points.length} of ${of.length.toLocaleString("en")} results are drawn, evenly distributed over workloads and variants.`) : null,
      !roofs.length ? note("This device was not calibrated, so there is no measured ceiling.")
        : roofs.every(roof => roof.slanted) ? note("This device's peak computing rate was not measured, so there is no level roof.") : null,
      ofShown(points, shown => rooflineFigure(device, shown, roofs)));
  });
  const set = key => value => { chosen[key] = value; show(); };
  show();
  section("roofline", "Roofline", "Work per byte against work per second. The lines are this device's calibrated limits: slanted lines are " +
    "bandwidths, level lines are computing rates.", place, h("div.controls", {}, ...[choice("Device", devices, set("device"), chosen.device, "roofline.device"),
    choice("Workload", options, set("workload"), chosen.workload, "roofline.workload")].filter(Boolean)), "section.half");
}
