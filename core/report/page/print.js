// Printing shows everything in light colours: all rows of tables and all folded content.
"use strict";

const onPaper = new Set();
/** Calls `show(isPrinted)` before and after printing, as long as the element is on the page. */
function printed(element, show) { onPaper.add({element, show}); }

let isPrinted = false;
function setPrinted(value) {
  if (value === isPrinted) return;
  isPrinted = value;
  redraw();
  for (const each of onPaper)
    if (each.element.isConnected) each.show(value); else onPaper.delete(each);
  for (const details of document.querySelectorAll("details.printed")) {
    if (value) { details.dataset.was = details.open ? "open" : ""; details.open = true; } else details.open = details.dataset.was === "open";
  }
}
addEventListener("beforeprint", () => setPrinted(true));
addEventListener("afterprint", () => setPrinted(false));
matchMedia("print").addEventListener("change", event => setPrinted(event.matches));
