// Charts as plain SVG: axes, marks with tips for pointer and keyboard, the same numbers as a table.
"use strict";

const svgSpace = "http://www.w3.org/2000/svg";
function s(name, attributes = {}, ...children) {
  const element = document.createElementNS(svgSpace, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** Width of the available space, so that text keeps its size. */
const chartWidth = () => Math.round(Math.max(400, Math.min(1840, room)));
const pen = document.createElement("canvas").getContext("2d");
function textWidth(text, {size = 12, bold = false} = {}) {
  pen.font = `${bold ? 600 : 400} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return pen.measureText(text).width;
}
/** The text, or the longest prefix that fits. */
function fitted(text, room, look) {
  if (textWidth(text, look) <= room) return text;
  let count = Math.min(text.length - 1, Math.floor(room / 4));
  while (count > 1 && textWidth(`${text.slice(0, count)}…`, look) > room) --count;
  return `${text.slice(0, Math.max(1, count))}…`;
}
/** Room for names at the left. */
const labelWidth = names => Math.max(70, Math.min(260, 0.4 * chartWidth(), 26 + Math.max(...names.map(name => textWidth(name)))));

/** Maps values to pixels. `log` scales have ticks at powers of ten, or of two for `binary` values. */
function scale(low, high, from, to, {log = false, binary = false} = {}) {
  if (!(high > low)) [low, high] = log ? [low / 2, high * 2] : [low - 1, high + 1];
  const f = log ? Math.log : x => x;
  const position = value => from + (f(value) - f(low)) / (f(high) - f(low)) * (to - from);
  const most = Math.max(2, Math.floor(Math.abs(to - from) / (log ? 56 : 64)));
  const ticks = [];
  if (log) {
    const base = binary ? 2 : 10;
    const first = Math.ceil(Math.log(low) / Math.log(base) - 1e-9), last = Math.floor(Math.log(high) / Math.log(base) + 1e-9);
    const step = Math.max(1, Math.ceil((last - first + 1) / most));
    for (let k = first; k <= last; k += step) ticks.push(base ** k);
    if (!binary && last - first < 2) {
      ticks.length = 0;
      for (let k = first - 1; k <= last; ++k)
        for (const part of last - first < 1 ? [1, 2, 3, 5] : [1, 2, 5])
          if (part * base ** k >= low * 0.999 && part * base ** k <= high * 1.001) ticks.push(part * base ** k);
    }
  } else {
    const raw = (high - low) / most, power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map(k => k * power).find(k => k >= raw);
    for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; ++k) ticks.push(Number((k * step).toPrecision(12)));
  }
  // Labels must not overlap: of two ticks closer than a label's width, the later one is dropped.
  const apart = Math.abs(to - from) < 1 ? ticks : ticks.reduce((kept, tick) => kept.length &&
    Math.abs(position(tick) - position(kept[kept.length - 1])) < (from < to ? 38 : 18) ? kept : [...kept, tick], []);
  return {position, ticks: apart, low, high};
}

/**
 * A drawing that answers pointer and arrow keys: plot.mark(shape, tip text) makes a shape do so. `label` is its text for
 * screen readers.
 */
function drawing({width, height, label}) {
  const marks = [];
  let chosen = -1;
  const svg = s("svg", {viewBox: `0 0 ${width} ${height}`, width, role: "img", tabindex: "0", "aria-label": label});
  const plot = {
    svg, width, height,
    add: (...children) => svg.append(...children),
    /** `room`: longer texts are truncated. */
    text: (x, y, content, {anchor = "start", strong = false, size = 12, room = Infinity, kind = null} = {}) => {
      const text = Number.isFinite(room) ? fitted(content, room, {size, bold: kind !== null}) : content;
      const element = s("text", {x, y, "text-anchor": anchor, "font-size": size, ...(kind ? {class: kind} : {})}, text);
      if (text !== content) element.append(s("title", {}, content));
      if (strong) element.classList.add("strong");
      svg.append(element);
      return element;
    },
    /** Axis title, centred at `x` and kept inside the drawing. */
    axisName: (x, y, content) => {
      const half = Math.min(width, textWidth(content)) / 2 + 1;
      plot.text(Math.max(half, Math.min(width - half, x)), y, content, {anchor: "middle", strong: true, room: width - 2});
    },
    line: (x1, y1, x2, y2, kind = "grid") => svg.append(s("line", {x1, y1, x2, y2, class: kind})),
    mark: (shape, tipText) => {
      shape.classList.add("mark");
      const index = marks.push({shape, tipText}) - 1;
      shape.addEventListener("pointermove", event => { choose(index); showTip(tipText, event.clientX, event.clientY); });
      shape.addEventListener("pointerleave", () => { choose(-1); hideTip(); });
      svg.append(shape);
      return shape;
    },
  };
  function choose(index) {
    if (chosen >= 0) marks[chosen].shape.classList.remove("on");
    chosen = index;
    if (chosen >= 0) marks[chosen].shape.classList.add("on");
  }
  svg.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.key === "Escape") { choose(-1); hideTip(); }
    if (!step || !marks.length) return;
    event.preventDefault();
    choose(((chosen < 0 && step < 0 ? 0 : chosen) + step + marks.length) % marks.length);
    const box = marks[chosen].shape.getBoundingClientRect();
    showTip(marks[chosen].tipText, box.x + box.width, box.y + box.height / 2);
  });
  svg.addEventListener("blur", () => { choose(-1); hideTip(); });
  return plot;
}

/** A figure: `draw(plot)` fills it. `rows` and `columns` hold the same numbers for the table below. */
function figure({title, summary, height, draw, rows, columns, legend = [], caption = null}) {
  const width = chartWidth();
  const plot = drawing({width, height, label: `${title}. ${summary} Arrow keys read the values.`});
  const {svg} = plot;
  draw(plot);
  const asSvg = () => {
    const copy = svg.cloneNode(true);
    const style = getComputedStyle(document.documentElement);
    copy.setAttribute("xmlns", svgSpace);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    const patterns = [...new Set(copy.outerHTML.match(/look-\d+/g) ?? [])].map(id => document.getElementById(id)?.cloneNode(true)).filter(Boolean);
    if (patterns.length) copy.prepend(s("defs", {}, ...patterns));
    const colours = [...new Set(copy.outerHTML.match(/var\(--[a-z0-9-]+\)/g) ?? [])];
    let text = new XMLSerializer().serializeToString(copy);
    for (const name of colours) text = text.replaceAll(name, style.getPropertyValue(name.slice(4, -1)).trim());
    const css = `text{fill:${style.getPropertyValue("--soft")};font:12px sans-serif}.strong{fill:${style.getPropertyValue("--text")}}` +
      `.grid{stroke:${style.getPropertyValue("--grid")}}.axis{stroke:${style.getPropertyValue("--bar")}}`;
    return text.replace(">", `><style>${css}</style>`);
  };
  const details = h("details", {}, h("summary", {}, "The numbers as a table"));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1)
      details.append(table(rows, columns, {caption: title}), h("div.controls", {},
        h("button", {type: "button", onclick: () => saveAs(`${title}.svg`, asSvg(), "image/svg+xml")}, "Save the chart as SVG")));
  });
  const element = h("figure", {}, caption ? h("figcaption.hint", {}, caption) : null,
    legend.length ? h("div.legend", {}, ...legend.map(({name, colour, sign}) => h("span", {},
      sign ?? h("span.dot", {style: `background:${colour}`}), name))) : null,
    svg, details);
  element.asSvg = asSvg;
  return element;
}

/** Grid lines and labels of both axes of a chart with the margins given. */
function axes(plot, {x, y, left, right, top, bottom, xName, yName, xText = digits, yText = digits}) {
  for (const tick of y.ticks) {
    plot.line(left, y.position(tick), right, y.position(tick));
    plot.text(left - 8, y.position(tick) + 4, yText(tick), {anchor: "end"});
  }
  for (const tick of x.ticks) {
    plot.line(x.position(tick), top, x.position(tick), bottom);
    plot.text(x.position(tick), bottom + 18, xText(tick), {anchor: "middle"});
  }
  plot.line(left, bottom, right, bottom, "axis");
  plot.axisName((left + right) / 2, bottom + 40, xName);
  plot.text(left, top - 12, yName, {anchor: "start", strong: true});
}
