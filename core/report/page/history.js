// Times over months: a chart for each series, its changes, and what changed in the environment.
"use strict";

const {series} = data;
const dayOf = ns => new Date(ns / 1e6).toISOString().slice(0, 10);
const minuteOf = ns => new Date(ns / 1e6).toISOString().slice(0, 16).replace("T", " ");
const signed = (ratio, places = 1) => `${ratio >= 0 ? "+" : "−"}${Math.abs(100 * ratio).toFixed(places)} %`;
const shortCommit = commit => commit ? commit.slice(0, 7) + (commit.endsWith("-dirty") ? "-dirty" : "") : "";
const paramsOf = one => Object.entries(one.params).map(([name, value]) => `${name}=${compact(value)}`).join("  ");
for (const one of series) {
  one.name = [one.workload, one.variant].join("  ");
  one.words = paramsOf(one) + (one.ordinal ? `  (${one.ordinal + 1})` : "");
  one.last = one.points[one.points.length - 1];
  one.change = one.change_points[one.change_points.length - 1];
}
const causeText = cause => `${cause.name}: ${cause.before} → ${cause.after}`;
const changeWords = change => change ? `${signed(change.change)} since ${dayOf(change.start_ns)}` : "";

/** Environment values that differ from the previous run; commits, which always change, are left out. */
function turns(one) {
  const names = ["driver", "compiler", "nvrtc", "gpu_uuid", "host", "source"], found = [];
  for (let k = 1; k < one.points.length; ++k) {
    const [a, b] = [one.points[k - 1], one.points[k]].map(point => data.environments[point.environment] ?? {});
    const changed = names.filter(name => a[name] !== undefined && b[name] !== undefined && a[name] !== b[name]);
    const texts = changed.map(name => `${name}: ${a[name]} → ${b[name]}`);
    if (one.points[k - 1].kernel_hash !== one.points[k].kernel_hash) texts.push("the kernel's text");
    if (texts.length) found.push({k, text: texts.join("\n")});
  }
  return found;
}

function seriesFigure(one) {
  const width = chartWidth(), height = 360, left = 84, right = width - 24, top = 40, bottom = height - 64;
  const points = one.points, outliers = new Set(one.outliers);
  const lows = points.map(p => isNumber(p.low) ? p.low : p.median), highs = points.map(p => isNumber(p.high) ? p.high : p.median);
  const middle = median(points.map(p => p.median)), least = 0.02 * middle;
  const [low, high] = [Math.min(...lows), Math.max(...highs)], room = Math.max(least, high - low) * 0.08;
  const y = scale(low - room, high + room, bottom, top);
  const first = points[0].start_ns, end = Math.max(first + 1, one.last.start_ns), margin = (end - first) * 0.02 || 1;
  const x = scale(first - margin, end + margin, left + 8, right);
  const place = p => [x.position(p.start_ns), y.position(p.median)];
  return figure({title: `${one.name} ${one.words}`, height, summary: `${plural(points.length, "run")}, ${plural(one.change_points.length, "change")}.`,
    rows: points.map((p, k) => ({...p, k})), draw: plot => {
      for (const tick of y.ticks) {
        plot.line(left, y.position(tick), right, y.position(tick));
        plot.text(left - 8, y.position(tick) + 4, seconds(tick), {anchor: "end"});
      }
      const days = Math.max(2, Math.min(points.length, Math.floor((right - left) / 110)));
      for (let k = 0; k < days; ++k) {
        const at = first + (end - first) * k / (days - 1);
        const isLast = k === days - 1;
        plot.text(isLast ? Math.min(width - 2, x.position(at) + 30) : x.position(at), bottom + 20, dayOf(at), {anchor: isLast ? "end" : "middle"});
      }
      plot.line(left, bottom, right, bottom, "axis");
      plot.text(left, top - 16, "median time, with its 95 % interval", {strong: true});
      for (const each of one.segments) {
        if (!isNumber(each.mean)) continue;
        const from = x.position(points[each.begin].start_ns), to = x.position(points[each.end - 1].start_ns);
        if (isNumber(each.low))
          plot.add(s("rect", {x: from, width: Math.max(2, to - from), y: y.position(each.high), height: Math.max(1, y.position(each.low) - y.position(each.high)),
            fill: "var(--bar)", opacity: 0.25}));
        plot.add(s("line", {x1: from, x2: to, y1: y.position(each.mean), y2: y.position(each.mean), stroke: "var(--text)", "stroke-width": 1.5}));
      }
      points.forEach((p, k) => {
        const [cx] = place(p);
        if (isNumber(p.low)) plot.add(s("line", {x1: cx, x2: cx, y1: y.position(p.low), y2: y.position(p.high), stroke: "var(--c0)", "stroke-width": 1, opacity: 0.6}));
      });
      for (const each of one.change_points) {
        const at = x.position(points[each.index].start_ns), colour = each.change > 0 ? "var(--bad)" : "var(--good)";
        plot.add(s("line", {x1: at, x2: at, y1: top, y2: bottom, stroke: colour, "stroke-dasharray": "4 3"}));
        plot.mark(s("path", {d: `M${at - 6} ${top - 8}h12l-6 9z`, fill: colour, class: "change"}),
          `${signed(each.change)} on ${dayOf(each.start_ns)}\n${seconds(each.before)} → ${seconds(each.after)}\n` +
          (each.causes.length ? each.causes.map(causeText).join("\n") : "no known change of the environment"));
      }
      for (const {k, text} of turns(one)) {
        const at = x.position(points[k].start_ns);
        plot.mark(s("path", {d: `M${at - 5} ${bottom + 7}h10l-5 -7z`, fill: "var(--warn)", class: "turn"}), `${minuteOf(points[k].start_ns)}\n${text}`);
      }
      points.forEach((p, k) => {
        const [cx, cy] = place(p), file = data.files[p.file];
        const mark = s("circle", {cx, cy, r: points.length > 200 ? 2.5 : 4, class: "run", cursor: "pointer",
          ...(outliers.has(k) ? {fill: "var(--panel)", stroke: "var(--c0)", "stroke-width": 1.5} : {fill: "var(--c0)"})});
        // Opens the run's report if `kernelbatch report` created one next to its file.
        mark.addEventListener("click", () => { location.href = encodeURI(file.replace(/\.h5$/, ".html")); });
        plot.mark(mark, `${minuteOf(p.start_ns)}  ${shortCommit(p.commit)}\n${seconds(p.median)}` +
          `${isNumber(p.low) ? ` (${seconds(p.low)} to ${seconds(p.high)})` : ""}${outliers.has(k) ? "\noutlier" : ""}\n${file}`);
      });
    }, columns: [
      {name: "Run", value: p => p.start_ns, text: p => minuteOf(p.start_ns)}, {name: "Commit", value: p => shortCommit(p.commit)},
      {name: "Median", number: true, value: p => p.median, text: p => seconds(p.median)},
      {name: "From", number: true, value: p => p.low, text: p => seconds(p.low)}, {name: "To", number: true, value: p => p.high, text: p => seconds(p.high)},
      {name: "File", wide: true, value: p => data.files[p.file]}]});
}

function changesOf(one) {
  if (!one.change_points.length) return null;
  return table(one.change_points, [
    {name: "Since", value: c => c.start_ns, text: c => minuteOf(c.start_ns)}, {name: "Change", number: true, value: c => c.change, text: c => signed(c.change)},
    {name: "95 %", value: c => c.ratio_low, text: c => isNumber(c.ratio_low) ? `${signed(c.ratio_low - 1)} … ${signed(c.ratio_high - 1)}` : ""},
    {name: "Before", number: true, value: c => c.before, text: c => seconds(c.before)}, {name: "After", number: true, value: c => c.after, text: c => seconds(c.after)},
    {name: "What else changed", wide: true, value: c => c.causes.map(causeText).join("; ")}], {caption: "Changes", page: 10, filter: false});
}

document.title = data.title;
main.append(h("h1", {}, data.title), h("p.lead", {}, `${plural(series.length, "series")}`.replace("seriess", "series") +
  `, ${plural(data.files.length, "file")}${series.length ? ` · ${dayOf(Math.min(...series.filter(o => o.points.length).map(o => o.points[0].start_ns)))} to ` +
  dayOf(Math.max(...series.filter(o => o.points.length).map(o => o.last.start_ns))) : ""}`));
for (const problem of [...data.problems, ...data.notes]) main.append(h("p.note.no", {}, problem));
if (data.series_left_out) main.append(h("p.note", {}, `${data.series_left_out.toLocaleString("en")} more series are left out: name a workload or a variant.`));
const timed = series.filter(one => one.points.length);
const {place: seriesPlace, show: showSeries} = switched(k => k === undefined ? "" : h("div", {}, h("h3", {}, timed[k].name, " ", h("span.of", {}, timed[k].words), " ", h("span.of", {}, timed[k].device)),
  seriesFigure(timed[k]), changesOf(timed[k])));
const seriesNames = timed.map(one => `${one.name} ${one.words}`), firstSeries = keptPlace("series", seriesNames);
const pick = choice("Series", seriesNames, showSeries, firstSeries, "series");
if (timed.length) {
  showSeries(firstSeries);
  section("series", "Over time", "Each point is a run (hollow: an outlier); lines are the means between changes. Dashed lines are lasting changes; " +
    "triangles below mark changes of the environment. Click a run to open its report.", seriesPlace, pick);
}
section("all", "All series", null, table(series, [
  {name: "Workload", value: o => o.workload}, {name: "Parameters", value: o => o.words},
  {name: "Variant", value: o => o.variant, cell: o => o.points.length ? h("button.link", {type: "button", onclick: () => {
    const k = timed.indexOf(o);
    showSeries(k);
    keep("series", seriesNames[k], seriesNames[0]);
    if (pick) pick.querySelector("select").selectedIndex = k;
    document.getElementById("series").scrollIntoView();
  }}, o.variant) : o.variant},
  {name: "Device", value: o => o.device}, {name: "Runs", number: true, value: o => o.points.length},
  {name: "Last", number: true, value: o => o.last?.median, text: o => seconds(o.last?.median)},
  {name: "Last change", value: o => o.change?.start_ns ?? null, text: o => changeWords(o.change),
    cell: o => o.change ? h(o.change.change > 0 ? "span.no" : "span.ok", {}, changeWords(o.change)) : ""},
  {name: "Failed", number: true, value: o => o.failures.length, text: o => o.failures.length ? `${o.failures.length}, last ${dayOf(o.failures[o.failures.length - 1].start_ns)}` : ""},
], {caption: "Every series; those that changed last come first", page: 25, key: "all"}));
finish();
