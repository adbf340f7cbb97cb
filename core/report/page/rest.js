// Sanitizer findings, launches, all results, the environment; then finishes the page.
"use strict";

/** Source lines with findings, in the style of compiler messages. */
function findings() {
  if (!data.findings.length) return;
  const rows = data.findings.map(([result, tool, check, harmless, kernel, place, text, words]) =>
    ({r: results[result], tool, check, harmless, kernel, place, text, words}));
  const parts = [];
  for (const [, list] of groups(rows, f => `${f.r.of.id} ${f.r.variant} ${f.r.on}`)) {
    const one = list[0].r;
    parts.push(h("h3", {}, variantCell(one), ` ${one.workload} ${paramText(one.of)}`));
    const sorted = [...list].sort((a, b) => a.place.localeCompare(b.place, "en", {numeric: true}));
    parts.push(h("div.source", {role: "list"}, ...sorted.map(f => h(f.harmless ? "div.finding.harmless" : "div.finding", {role: "listitem"},
      h("code.line", {}, h("span.place", {}, f.place), f.text || `kernel ${f.kernel}`),
      h("span.mark-of", {}, `${f.check}${f.harmless ? " (same value)" : ""}`), h("span.words", {}, f.words)))));
  }
  section("findings", `Findings (${rows.length.toLocaleString("en")})`,
    `What a sanitizer found in kernels.${data.findings_left_out ? ` ${plural(data.findings_left_out, "more finding")} are in the result file.` : ""}`,
    h("div", {}, ...parts), null, rows.some(f => !f.harmless) ? "section.failures" : "section");
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
      {name: "Shared", number: true, unit: "B", value: l => l.shared, text: l => l.shared ? `${l.shared} B` : ""},
      {name: "Registers", number: true, value: l => l.registers}, {name: "Time", number: true, unit: "s", value: l => l.duration, text: l => seconds(l.duration)},
    ], {caption: "Launches", page: 15, key: "launches"}));
}

const errorText = r => r.fault ? r.fault :
  (r.error === 0 ? "exact" : typeof r.error === "string" ? r.error : digits(r.error, 2)) + (r.one_set ? ", one set" : "");

/** A column of all results as the data describe it. */
const plainColumn = ({member, heading, units, number}) => ({
  name: heading[0].toUpperCase() + heading.slice(1), number, value: r => r[member], ...(units === "s" && {unit: "s"}), ...(number && {
    text: r => units === "s" ? seconds(r[member]) : units === "byte s-1" ? rate(r[member], "B/s") : digits(r[member])})});

function everything() {
  const own = {
    variant: [{name: "Variant", value: r => r.name, cell: variantCell}], status: [statusColumn],
    median: [{name: "Median", number: true, unit: "s", value: r => r.ok ? r.median : null, text: r => r.ok ? seconds(r.median) : ""},
      {name: "± 95 %", number: true, csv: [["From (s)", r => r.low], ["To (s)", r => r.high], ["Samples", r => r.samples]], value: r => r.ok ? (r.high - r.low) / r.median : null, text: r => r.ok ? intervalText(r) : ""}],
    bandwidth: [{name: "Bandwidth", number: true, unit: "B/s", value: r => r.bandwidth, text: r => rate(r.bandwidth, "B/s")}],
    share: [{name: "Of ceiling", number: true, value: r => r.share, text: r => percent(r.share)}],
    speedup: [{name: "Speed-up", number: true, value: r => r.speedup, text: r => times(r.speedup)}],
    device: [],
  };
  section("results", "All results", null, table(results, [
    {name: "Workload", value: r => r.workload}, {name: "Parameters", value: r => paramText(r.of)},
    ...data.result_table.flatMap(column => own[column.member] ?? [plainColumn(column)]), ...fileColumns,
    {name: "Error", number: true, value: r => r.error, csv: [["Error", r => r.error], ["One set", r => r.one_set], ["Fault", r => r.fault]], text: errorText},
    ...(data.devices.length > 1 ? [{name: "Device", value: r => r.on, csv: []}] : []),
    {name: "Case", value: r => r.of.id, cell: r => h("code.id", {}, r.of.id), csv: [["Device", r => r.on], ["Case", r => r.of.id]]},
  ], {caption: "Every result", page: 25, key: "results"}));
}

function environment() {
  const rows = [...new Set(data.environments.flatMap(e => Object.keys(e)))].map(name => ({name, values: data.environments.map(e => e[name] ?? "")}))
    .filter(row => row.values.some(value => value !== "" && value !== -1));
  const parts = [];
  if (rows.length) parts.push(table(rows, [{name: "Name", value: r => r.name},
    ...data.environments.map((_, k) => ({name: data.environments.length > 1 ? `Environment ${k + 1}` : "Value", wide: true, value: r => r.values[k]}))],
    {caption: "Environment of the run", page: 100, filter: false}));
  const ceilings = [["Cache", "cache", "B/s"], ["float32", "float32", "flop/s"], ["float64", "float64", "flop/s"], ["float16", "float16", "flop/s"],
    ["Tensor", "tensor", "flop/s"]].filter(([, key]) => data.calibration.some(c => isNumber(c[key])));
  if (data.calibration.length) parts.push(h("h3", {}, "Calibration"), table(data.calibration, [
    {name: "Device", value: c => c.device}, {name: "Empty launch", number: true, unit: "s", value: c => c.launch, text: c => seconds(c.launch)},
    {name: "Copy", number: true, unit: "B/s", value: c => c.copy, text: c => rate(c.copy, "B/s")}, {name: "Read", number: true, unit: "B/s", value: c => c.read, text: c => rate(c.read, "B/s")},
    ...ceilings.map(([name, key, unit]) => ({name, number: true, unit, value: c => c[key], text: c => rate(c[key], unit)})),
    {name: "Noise floor", number: true, value: c => c.noise, text: c => percent(c.noise, 2)}], {caption: "Measured device limits"}));
  parts.push(h("h3", {}, "Files"), h("ul", {}, ...data.files.map(file => h("li.mono", {}, file))));
  section("environment", "Environment", null, h("div", {}, ...parts));
}

header();
failures();
findings();
change();
timesSection();
speedups();
summary();
tuning();
why();
roofline();
scaling();
distributions();
launches();
everything();
checks();
job();
environment();
makeStripes();
finish();
