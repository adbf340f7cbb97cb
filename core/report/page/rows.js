// The data as objects, and texts that all sections share.
"use strict";

const rowsOf = (rows, columns) => rows.map(row => Object.fromEntries(columns.map((name, k) => [name, row[k]])));
const [cases, results] = [rowsOf(data.cases, data.case_columns), rowsOf(data.results, data.result_columns)];
cases.forEach((of, index) => { of.index = index; });
results.forEach((result, index) => {
  result.index = index;
  result.of = cases[result.case];
  result.workload = data.workloads[result.of.workload];
  result.name = data.variants[result.variant];
  result.state = data.statuses[result.status];
  result.on = data.devices[result.device];
  result.ok = result.state === "ok";
  result.params = result.of.params;
  result.note = isNumber(result.notes) ? data.notes[result.notes] : "";
});
const good = results.filter(result => result.ok && isNumber(result.median));
const paramsAt = (of, positions) => positions.filter(k => of.params[k] !== null)
  .map(k => `${data.params[k]}=${compact(of.params[k])}`).join("  ");
// Values that all cases share are shown once, above.
const [constant, varying] = [1, 2].map(kind => data.params.map((_, k) => k).filter(k => cases.length > 1 &&
  (new Set(cases.map(of => of.params[k])).size === 1) === (kind === 1)));
const paramText = of => paramsAt(of, cases.length > 1 ? varying : data.params.map((_, k) => k));
const notRun = state => state === "skipped";
// Tries of a search that were correct but too slow to be timed further.
const dropped = results.filter(result => result.state === "dropped");
const failed = results.filter(result => !result.ok && !notRun(result.state) && result.state !== "dropped");
const skipped = results.filter(result => notRun(result.state));
const workloadsOf = list => [...new Set(list.map(result => result.workload))];

const stateClass = result => result.ok ? "ok" : notRun(result.state) || result.state === "dropped" ? "not-run" : "no";
const stateCell = result => h(`span.${stateClass(result)}`, {}, result.state);
/** The status, with the reason and the limits of the measurement below. */
const statusCell = result => h("div.status", {}, stateCell(result),
  result.ok || !result.reason ? null : h("div.because", {}, result.reason),
  result.note ? h("div.because", {}, result.note) : null);
const statusColumn = {name: "Status", value: r => r.state, text: r => [r.state, r.reason, r.note].filter(Boolean).join(" "), cell: statusCell,
  csv: [["Status", r => r.state], ["Phase", r => r.phase], ["Reason", r => r.reason], ["Notes", r => r.note]]};
const intervalText = r => isNumber(r.low) && r.samples >= 6 ? `± ${digits(50 * (r.high - r.low) / r.median, 2)} %` : "";
const describe = r => [`${r.workload}  ${r.name}`, paramText(r.of),
  data.files.length > 1 ? data.files[r.of.file] : null, `${seconds(r.median)} ${intervalText(r)}`, isNumber(r.bandwidth) ? rate(r.bandwidth, "B/s") : null,
  isNumber(r.speedup) ? `speed-up ${times(r.speedup)} (${times(r.speedup_low)} … ${times(r.speedup_high)})` : null, r.on]
  .filter(Boolean).join("\n");
/** The file of a row, if there are several files. */
const fileColumns = data.files.length > 1 ? [{name: "File", value: r => data.files[r.of.file]}] : [];
