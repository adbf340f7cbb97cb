// Rows as CSV (RFC 4180), and saving text as a file.
"use strict";

function saveAs(name, text, type) {
  const link = h("a", {href: URL.createObjectURL(new Blob([text], {type})), download: name.replace(/[\\/:*?"<>|\s]+/g, "-")});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/**
 * Numbers are unformatted. A column may be saved as other columns: csv: [[name, value(row)], …]. A unit
 * follows its column's name.
 */
function csvText(rows, columns) {
  const quoted = value => {
    const text = value === null || value === undefined ? "" : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const fields = columns.flatMap(column => column.csv ?? [[column.name + (column.unit ? ` (${column.unit})` : ""), column.value]]);
  return [fields.map(([name]) => name), ...rows.map(row => fields.map(([, value]) => value(row)))]
    .map(line => line.map(quoted).join(",")).join("\r\n") + "\r\n";
}
