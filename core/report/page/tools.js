// Elements, number formatting, and the tooltip for pointer and focus.
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);

/** An element: h("td.num", {title: "x"}, child, …); null children are left out. */
function h(name, attributes = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value);
  }
  element.append(...children.filter(child => child !== null && child !== undefined));
  return element;
}

const isNumber = value => typeof value === "number" && Number.isFinite(value);
const digits = (value, count = 3) => {
  if (!isNumber(value)) return "";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e6)) return value.toExponential(Math.max(0, count - 1));
  return String(Number(value.toPrecision(Math.max(count, Math.ceil(Math.log10(size + 1))))));
};
function prefixed(value, unit, steps) {
  if (!isNumber(value)) return "";
  for (const [factor, prefix] of steps)
    if (Math.abs(value) >= factor * 0.9995) return `${(value / factor).toPrecision(3)} ${prefix}${unit}`;
  const [factor, prefix] = steps[steps.length - 1];
  return `${(value / factor).toPrecision(3)} ${prefix}${unit}`;
}
const seconds = value => prefixed(value, "s", [[1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]]);
const rate = (value, unit) => prefixed(value, unit, [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]]);
const percent = (value, places = 0) => isNumber(value) ? `${(100 * value).toFixed(places)} %` : "";
const times = value => isNumber(value) ? `${value >= 100 ? value.toFixed(0) : value.toPrecision(3)}×` : "";
const compact = value => {
  if (!isNumber(value)) return String(value);
  const power = Math.log2(value);
  if (value >= 4096 && Number.isInteger(power)) return `2^${power}`;
  return Math.abs(value) >= 1e5 ? value.toExponential().replace("e+", "e") : String(value);
};
const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
const mean = values => values.reduce((sum, value) => sum + value, 0) / values.length;
const geometricMean = values => values.length ? Math.exp(mean(values.map(Math.log))) : null;
function median(values) {
  const sorted = [...values].sort((a, b) => a - b), middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
/** Groups in order of first appearance. */
function groups(items, key) {
  const found = new Map();
  for (const item of items) {
    const name = key(item);
    if (!found.has(name)) found.set(name, []);
    found.get(name).push(item);
  }
  return found;
}

const tip = document.getElementById("tip");
function showTip(text, x, y) {
  tip.textContent = text;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.max(8, Math.min(x + 14, innerWidth - box.width - 8));
  const top = y + 18 + box.height > innerHeight ? y - box.height - 12 : y + 18;
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(8, top)}px`;
}
function hideTip() { tip.hidden = true; }
addEventListener("scroll", hideTip, {passive: true});

/** A labelled select; `change` is called with the chosen index. `key`: its optional name in the address. */
function choice(label, names, change, start = 0, key = null, usual = 0) {
  const select = h("select", {"aria-label": label, "data-again": key ?? label, onchange: () => {
    keep(key, names[select.selectedIndex], names[usual]);
    change(select.selectedIndex);
  }}, ...names.map(name => h("option", {}, name)));
  select.selectedIndex = start;
  return names.length > 1 ? h("label", {}, label, select) : null;
}
