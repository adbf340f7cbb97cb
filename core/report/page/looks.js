// Appearance and order of variants, and which of them are switched off.
"use strict";

/** Merges lists of names, preserving each list's order as far as possible: a new name goes before those that follow it. */
function mergedOrder(lists) {
  const order = [];
  for (const list of lists)
    list.forEach((one, k) => {
      if (order.includes(one)) return;
      const next = list.slice(k + 1).find(other => order.includes(other));
      order.splice(next === undefined ? order.length : order.indexOf(next), 0, one);
    });
  return order;
}
// Results are in plan order in the file. Cases of a workload need not have the same variants.
const planned = new Map([...groups(results, r => r.workload)].map(([workload, list]) =>
  [workload, mergedOrder([...groups(list, r => r.case).values()].map(all => all.map(r => r.variant).join(" "))
    .filter((text, k, all) => all.indexOf(text) === k).map(text => text.split(" ").map(Number)))]));
const inAll = mergedOrder([...planned.values()]);
/** Sorts results, or rows with `workload` and `variant`, by workload and plan order. */
const inPlanOrder = list => [...groups(list, r => r.workload)].flatMap(([workload, all]) => {
  const order = planned.get(workload) ?? inAll;
  return all.sort((a, b) => order.indexOf(a.variant) - order.indexOf(b.variant));
});
const variantsOf = list => { const found = new Set(list.map(r => r.variant)); return inAll.filter(variant => found.has(variant)); };

// Eight hues; stripes from the ninth variant on. With seven marker shapes, 56 variants differ.
const hues = 8;
const place = variant => inAll.indexOf(variant);
const colour = variant => `var(--c${place(variant) % hues})`;
const round = variant => Math.floor(place(variant) / hues);
const fillOf = variant => round(variant) ? `url(#look-${variant})` : colour(variant);
const dashesOf = variant => ["none", "7 3", "2 3", "9 3 2 3"][round(variant) % 4];
function makeStripes() {
  const striped = inAll.filter(round);
  if (!striped.length) return;
  document.body.append(s("svg", {width: 0, height: 0, style: "position:absolute", "aria-hidden": "true", class: "sign"}, s("defs", {}, ...striped.map(variant => {
    const size = 5 + round(variant);
    return s("pattern", {id: `look-${variant}`, width: size, height: size, patternUnits: "userSpaceOnUse", patternTransform: `rotate(${[45, -45, 90, 0, 20, -20][(round(variant) - 1) % 6]})`},
      s("rect", {width: size, height: size, fill: "var(--panel)"}), s("rect", {width: size, height: size, fill: colour(variant), "fill-opacity": 0.25}),
      s("rect", {width: size / 2, height: size, fill: colour(variant)}));
  }))));
}

/** A marker in the variant's shape, hue and stripes. */
function marker(variant, x, y, size, look = {}) {
  const k = size * 1.15, shape = [`M${x - size} ${y}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0z`,
    `M${x - size * .9} ${y - size * .9}h${size * 1.8}v${size * 1.8}h${-size * 1.8}z`, `M${x} ${y - k}L${x + k} ${y + k * .8}H${x - k}z`,
    `M${x} ${y - k * 1.1}L${x + k * 1.1} ${y}L${x} ${y + k * 1.1}L${x - k * 1.1} ${y}z`, `M${x} ${y + k}L${x + k} ${y - k * .8}H${x - k}z`,
    `M${x - k * .4} ${y - k}h${k * .8}v${k * .6}h${k * .6}v${k * .8}h${-k * .6}v${k * .6}h${-k * .8}v${-k * .6}h${-k * .6}v${-k * .8}h${k * .6}z`,
    `M${x - k * .5} ${y - k}h${k}L${x + k} ${y}L${x + k * .5} ${y + k}h${-k}L${x - k} ${y}z`];
  return s("path", {d: shape[place(variant) % shape.length], fill: fillOf(variant), stroke: colour(variant), "stroke-width": 1.2, ...look});
}
const dot = variant => s("svg", {class: "sign", viewBox: "-8 -8 16 16", "aria-hidden": "true"}, marker(variant, 0, 0, 5.5));
function variantCell(result) { return h("span.variant", {}, dot(result.variant), result.name); }

const off = new Set(kept("off").split(",").filter(Boolean).map(name => data.variants.indexOf(decoded(name))).filter(k => k >= 0));
function switchVariants(change) {
  change();
  keep("off", [...off].map(variant => data.variants[variant].replaceAll("%", "%25").replaceAll(",", "%2C")).join(","));
  redraw();
}
/** Buttons that switch variants on and off in all charts. */
function variantLegend(list) {
  const variants = variantsOf(list);
  if (variants.length < 2) return null;
  const buttons = variants.map(variant => h("button.key", {type: "button", "aria-pressed": String(!off.has(variant)), "data-again": `variant-${variant}`,
    title: `${data.variants[variant]}: switches it on or off in all charts`, onclick: () => switchVariants(() => { if (!off.delete(variant)) off.add(variant); })},
  dot(variant), data.variants[variant]));
  if (variants.some(variant => off.has(variant)))
    buttons.push(h("button.all", {type: "button", "data-again": "all-variants", onclick: () => switchVariants(() => off.clear())}, "Show all"));
  return h("div.legend.variants-legend", {role: "group", "aria-label": "Variants shown"}, ...buttons);
}
/** A chart of the rows whose variants are on, below a legend of switches. */
function ofShown(list, draw) {
  const shown = list.filter(r => !off.has(r.variant));
  return h("div.chart", {}, variantLegend(list), shown.length ? draw(shown) : h("p.note", {}, "All variants of this chart are switched off."));
}
