// Comparison of two files: faster and slower results, and differences between the environments.
"use strict";

const verdictColour = verdict => ({FASTER: "var(--good)", SLOWER: "var(--bad)"}[verdict] ?? "var(--bar)");
const changeText = pair => isNumber(pair.ratio) ? `${pair.ratio >= 1 ? "+" : "−"}${digits(100 * Math.abs(pair.ratio - 1), 2)} %` : "";
const pairName = pair => [pair.workload, pair.variant].filter(Boolean).join("  ");

function changeFigure(change, pairs) {
  const width = chartWidth(), left = labelWidth(pairs.map(pairName)), right = width - 84, top = 34, step = 24;
  const height = top + pairs.length * step + 46;
  const clip = value => Math.max(0.05, Math.min(20, value));
  const low = Math.min(0.95, ...pairs.map(p => clip(p.low))), high = Math.max(1.05, ...pairs.map(p => clip(p.high)));
  const x = scale(low / 1.02, high * 1.02, left, right, {log: high / low > 2});
  return figure({title: `${change.b} against ${change.a}`, height, summary: `${plural(pairs.length, "pair")}.`, rows: pairs,
    draw: plot => {
      for (const tick of x.ticks) {
        plot.line(x.position(tick), top, x.position(tick), height - 40);
        plot.text(x.position(tick), top - 10, `${digits(tick)}×`, {anchor: "middle"});
      }
      plot.add(s("line", {x1: x.position(1), x2: x.position(1), y1: top, y2: height - 40, class: "axis", "stroke-dasharray": "4 3"}));
      pairs.forEach((pair, k) => {
        const y = top + k * step + step / 2, fill = verdictColour(pair.verdict);
        plot.text(left - 10, y + 4, pairName(pair), {anchor: "end", room: left - 12});
        plot.add(s("path", {d: `M${x.position(clip(pair.low))} ${y}H${x.position(clip(pair.high))}`, stroke: fill, "stroke-width": 2, fill: "none"}));
        plot.mark(s("circle", {cx: x.position(clip(pair.ratio)), cy: y, r: 5, fill}),
          `${pairName(pair)}\n${pair.params}\n${seconds(pair.a)} → ${seconds(pair.b)}, ${changeText(pair)}\n` +
          `ratio ${digits(pair.low)} to ${digits(pair.high)} (95 %)\n${pair.verdict}${pair.note ? `: ${pair.note}` : ""}`);
        plot.text(width - 6, y + 4, changeText(pair), {anchor: "end", strong: pair.verdict === "SLOWER" || pair.verdict === "FASTER"});
      });
      plot.axisName((left + right) / 2, height - 12, `time in ${change.b} over time in ${change.a}`);
    }, columns: pairColumns(change)});
}

const pairColumns = change => [
  {name: "Workload", value: p => p.workload}, {name: "Variant", value: p => p.variant}, {name: "Parameters", value: p => p.params},
  {name: "Verdict", value: p => p.verdict, cell: p => h(p.verdict === "SLOWER" ? "span.no" : p.verdict === "FASTER" ? "span.ok" : "span", {}, p.verdict)},
  {name: "A", number: true, unit: "s", value: p => p.a, text: p => seconds(p.a)}, {name: "B", number: true, unit: "s", value: p => p.b, text: p => seconds(p.b)},
  {name: "Change", number: true, value: p => p.ratio, text: changeText},
  {name: "95 %", csv: [["From", p => p.low], ["To", p => p.high]], value: p => p.low, text: p => isNumber(p.low) ? `${digits(p.low)} … ${digits(p.high)}` : ""},
  {name: "Note", wide: true, value: p => p.note}];

function change() {
  const {change} = data;
  if (!change) return;
  const pairs = rowsOf(change.pairs, change.columns), shown = pairs.filter(pair => isNumber(pair.ratio)), most = 20;
  const pages = Math.ceil(shown.length / most);
  const {place, control} = chooser("change.pairs", "Pairs", Array.from({length: pages}, (_, k) => `${k * most + 1}–${Math.min(shown.length, (k + 1) * most)} of ${shown.length}`),
    page => shown.length ? changeFigure(change, shown.slice(page * most, (page + 1) * most)) : "");
  const tile = (value, name, kind = "") => h(`div.tile${kind}`, {}, h("b", {}, value), h("span", {}, name));
  const kinds = {SLOWER: ".bad", FASTER: ".good"};
  section("change", "Change", `B (${change.b}) compared with A (${change.a}), worst first. SAME: the whole interval is within the gap; ` +
    "UNSURE: the data do not decide.", h("div", {},
    h("div.tiles", {}, ...change.counts.filter(([, count]) => count).map(([name, count]) =>
      tile(count.toLocaleString("en"), name.toLowerCase(), kinds[name] ?? "")),
      isNumber(change.mean) ? tile(times(change.mean), "mean ratio of times") : null),
    change.environment.length ? table(change.environment.map(([name, a, b]) => ({name, a, b})), [
      {name: "Differs", value: r => r.name}, {name: "A", wide: true, value: r => r.a}, {name: "B", wide: true, value: r => r.b}],
      {caption: "What else differs", page: 20, filter: false}) : null,
    change.not_compared ? h("p.note", {}, `${change.not_compared}.`) : null,
    place, table(pairs, pairColumns(change), {caption: "Each pair", page: 15, key: "pairs"}),
    change.left_out ? h("p.note", {}, `${plural(change.left_out, "more pair")}: `, h("code", {}, "kernelbatch compare"), " has them.") : null),
    control);
}
