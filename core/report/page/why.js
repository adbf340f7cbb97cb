// Why results take their time: what limits each, and the parts of a difference in time.
"use strict";

for (const {result, class: kind, evidence, counted, matrix, values} of rowsOf(data.reasons, data.reason_columns))
  results[result].why = {kind: data.classes[kind], evidence, counted, matrix,
    values: new Map(data.quantities.map(([name], k) => [name, values[k]]).filter(([, value]) => isNumber(value)))};
const gaps = rowsOf(data.gaps, data.gap_columns).map(gap => ({...gap, slow: results[gap.slow], fast: results[gap.fast]}));

/** A quantity of a reason as text; without a unit, its name distinguishes shares from ratios. */
function quantityText(name, unit, value) {
  if (!isNumber(value)) return "";
  if (unit === "s") return seconds(value);
  if (unit === "byte") return value === 0 ? "0 B" : rate(value, "B");
  if (unit === "1") return Number.isInteger(value) && Math.abs(value) < 1e6 ? String(value) : digits(value);
  if (name.endsWith("_time")) return times(value);
  return /share|occupancy/.test(name) ? percent(value) : digits(value);
}

/** A sentence with typographic units and no line break before a unit. */
const sentenceText = text => text.replace(/(\d) us\b/g, "$1 µs").replace(/(\d) (?=%|[kMGT]?(?:B|FLOP)\b|[mµn]?s\b)/g, "$1\u00a0");

let hatches = 0;
/** Hatching for the unexplained part: a fill, and its definition in the drawing. */
function hatch(plot) {
  const id = `hatch-${++hatches}`;
  plot.add(s("pattern", {id, width: 7, height: 7, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)"},
    s("rect", {width: 7, height: 7, fill: "var(--sunk)"}), s("rect", {width: 2.5, height: 7, fill: "var(--bar)"})));
  return `url(#${id})`;
}

/** A difference in time as one bar: the explained parts, largest first, and the rest. */
function gapBar(gap) {
  const parts = gap.shares.map(([what, time, share], k) => ({what, time, share, fill: `var(--p${k % 3})`}));
  if (gap.unexplained >= 0.005)
    parts.push({what: "unexplained", time: gap.unexplained * gap.seconds, share: gap.unexplained, fill: null});
  const words = part => `${percent(part.share)} (${seconds(part.share * gap.seconds)}): ${sentenceText(part.what)}`;
  const width = chartWidth(), bar = 20, height = bar + 20;
  const plot = drawing({width, height, label: `Parts of the ${seconds(gap.seconds)} by which ${gap.slow.name} is slower than ` +
    `${gap.fast.name}: ${parts.map(words).join("; ")}. Arrow keys read the parts.`});
  plot.svg.classList.add("gap-bar");
  const fill = hatch(plot);
  let from = 1;
  for (const part of parts) {
    const wide = part.share * (width - 2), inside = Math.max(2, wide - 2), middle = from + inside / 2;
    plot.mark(s("rect", {x: from, y: 1, width: inside, height: bar - 2, rx: 2, fill: part.fill ?? fill,
      class: part.fill ? "part" : "unexplained", ...(part.fill ? {} : {stroke: "var(--bar)"})}),
      `${words(part)}\nof the ${seconds(gap.seconds)} between ${gap.slow.name} and ${gap.fast.name}`);
    const [long, short] = [`${percent(part.share)}, ${seconds(part.share * gap.seconds)}${part.fill ? "" : " unexplained"}`, percent(part.share)];
    const text = [long, short].find(each => each.length * 6.6 < wide - 6);
    if (text) plot.text(middle, bar + 15, text, {anchor: "middle"});
    from += wide;
  }
  return plot.svg;
}

/** All known quantities of these results, created when opened. */
function quantitiesOf(all, caption) {
  const details = h("details", {}, h("summary", {}, "Quantities"));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const rows = data.quantities.filter(([name]) => all.some(r => r.why.values.has(name)));
    details.append(table(rows, [{name: "Quantity", value: ([name]) => name.replaceAll("_", " ")},
      ...all.map(r => ({name: r.label, number: true, value: ([name]) => r.why.values.get(name),
        text: ([name, unit]) => quantityText(name, unit, r.why.values.get(name))}))],
      {caption, page: data.quantities.length, filter: false}));
  });
  return details;
}

function reasonsOfCase(all) {
  const one = all[0], devices = new Set(all.map(r => r.on));
  for (const r of all) r.label = devices.size > 1 ? `${r.name}, ${r.on}` : r.name;
  const name = [one.workload, paramText(one.of)].filter(Boolean).join("  ");
  const slower = gaps.filter(gap => gap.slow.case === one.case);
  return h("article.reasons", {"aria-label": name},
    h("h3", {}, one.workload, " ", h("span.of", {}, paramText(one.of))),
    h("ul.plain.variants", {}, ...all.map(r => h("li.reason", {}, h("div", {}, dot(r.variant), h("b", {}, r.label), " ",
      h("span.time", {}, seconds(r.median)), " ", h("span.class", {}, r.why.kind)), h("p", {}, sentenceText(r.why.evidence))))),
    slower.length ? h("ul.plain.gaps", {}, ...slower.map(gap => h("li.gap", {}, h("p", {}, sentenceText(gap.sentence)),
      gap.shares.length ? gapBar(gap) : null))) : null,
    quantitiesOf(all, `Known quantities of each variant: ${name}`));
}

function why() {
  const list = [...groups(results.filter(r => r.why), r => r.case).values()].map(inPlanOrder);
  if (!list.length) return;
  const names = [...new Set(list.map(all => all[0].workload))], most = 6;
  const several = names.length > 1, {place, control} = chooser("why.workload", "Workload", several ? ["all", ...names] : names, which => {
    const shown = which ? list.filter(all => all[0].workload === names[which - 1]) : list;
    const pages = Math.ceil(shown.length / most);
    const inner = chooser("why.cases", "Cases", Array.from({length: pages}, (_, k) =>
      `${k * most + 1}–${Math.min(shown.length, (k + 1) * most)} of ${shown.length}`), page =>
      h("div", {}, ...shown.slice(page * most, (page + 1) * most).map(reasonsOfCase)));
    return h("div", {}, inner.control, inner.place);
  });
  const notes = data.counter_notes.map(note => h("p.note.absent", {}, `${note[0].toUpperCase()}${note.slice(1)}`));
  if (!data.has_evidence) notes.unshift(h("p.note.absent", {}, "These results contain only timings. For evidence, set ",
    h("code", {}, "measure.counters: auto"), " and ", h("code", {}, "measure.twins: auto"), " in the job, or with ",
    h("code", {}, "measure.preset: standard"), "."));
  if (data.cases_unexplained) notes.push(h("p.note", {}, `${plural(data.cases_unexplained, "more case")} not shown here: `,
    h("code", {}, "kernelbatch explain"), " lists them."));
  section("why", "Why", "What limits each variant, and why some are slower than the fastest of their case. A bar is such a difference in " +
    "time: its explained parts in the order of the sentence; hatched: the unexplained part.",
    h("div", {}, ...notes, place), control);
}
