// How outputs were checked, and the job's text.
"use strict";

function checks() {
  if (!data.checks.length) return;
  const name = k => isNumber(k) ? data.check_names[k] : "";
  const rows = rowsOf(data.checks, data.check_columns).map(row => ({...row, r: results[row.result], output: name(row.output), dtype: name(row.dtype),
    shape: name(row.shape), mode: name(row.mode), tolerance: name(row.tolerance), first: name(row.first)}));
  section("checks", "Checks", "Each output compared with the reference: method, tolerance, and largest difference.", h("div", {}, table(rows, [
    {name: "Workload", value: c => c.r.workload}, {name: "Parameters", value: c => paramText(c.r.of)},
    {name: "Variant", value: c => c.r.name, cell: c => variantCell(c.r)}, {name: "Output", value: c => c.output},
    {name: "Type", value: c => c.dtype, text: c => `${c.dtype} [${c.shape}]`, csv: [["Type", c => c.dtype], ["Shape", c => c.shape]]}, {name: "Compared", value: c => c.mode + (c.r.one_set ? ", one set" : "")},
    {name: "Tolerance", value: c => c.tolerance},
    {name: "Wrong", number: true, value: c => c.wrong, cell: c => h(c.wrong > 0 ? "span.no" : "span", {}, isNumber(c.wrong) ? c.wrong.toLocaleString("en") : "")},
    {name: "Absolute", number: true, value: c => c.absolute, text: c => digits(c.absolute, 2)},
    {name: "Relative", number: true, value: c => c.relative, text: c => digits(c.relative, 2)},
    {name: "ULP", number: true, value: c => c.ulp, text: c => digits(c.ulp, 2)},
    {name: "First that is wrong", wide: true, value: c => c.first},
  ].filter(column => rows.some(row => column.value(row) || column.value(row) === 0)), {caption: "Outputs and their tolerances", page: 15, key: "checks"}),
  data.checks_left_out ? h("p.note", {}, `${plural(data.checks_left_out, "more output")} are in the result file.`) : null));
}

function job() {
  const texts = data.job_texts.filter(each => each.written || each.resolved);
  if (!texts.length) return;
  const folded = (title, text) => text ? h("details.printed", {}, h("summary", {}, title), h("pre.source.text", {tabindex: "0", "aria-label": title}, text)) : null;
  section("job", texts.length > 1 ? "Jobs" : "Job", "The job file, and the job with all defaults.", h("div", {}, ...texts.map(each => h("div", {}, h("h3", {}, each.name),
    folded("The job as it was written", each.written), folded("The job with every default filled in", each.resolved)))));
}
