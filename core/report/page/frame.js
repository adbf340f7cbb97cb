// Page frame: sections with links, switchable content, and two themes.
"use strict";
const main = document.getElementById("main"), nav = document.getElementById("nav");

/** `kind` may be "section.half": on a wide screen, two of these are side by side. */
function section(id, name, hint, content, controls = null, kind = "section") {
  nav.append(h(kind.includes("failures") ? "a.alarm" : "a", {href: `#${id}`}, name));
  main.append(h(kind, {id, "aria-labelledby": `${id}-title`},
    h("div.head", {}, h("h2", {id: `${id}-title`}, name), controls),
    hint ? h("p.hint", {}, hint) : null, content));
}

/** Drawings in page order. They are drawn once all sections exist, as wide as their space. */
const drawings = [];
let isStanding = false, room = 800;
const paperWidth = 1020;

/** An element whose content depends on a choice. */
function switched(make) {
  const place = h("div");
  let chosen = [];
  const draw = () => {
    const outer = room, folds = () => [...place.querySelectorAll("details")], wereOpen = folds().map(details => details.open);
    room = isPrinted ? paperWidth : place.clientWidth || room;
    place.replaceChildren(make(...chosen));
    room = outer;
    if (folds().length === wereOpen.length) folds().forEach((details, k) => { details.open = wereOpen[k]; });
  };
  if (!isStanding) drawings.push(draw);
  return {place, show: (...choice) => { chosen = choice; if (isStanding) draw(); }};
}
/** A choice and the element that shows the result; `key` is its name in the address. */
function chooser(key, label, names, make, start = 0) {
  const {place, show} = switched(make), at = keptPlace(key, names, start);
  show(at);
  return {place, control: choice(label, names, show, at, key, start)};
}

/** Redraws everything and keeps the reader's position. */
function redraw() {
  const active = document.activeElement, where = active?.closest("section")?.id, what = active?.dataset?.again;
  for (const draw of drawings) draw();
  if (what) document.querySelector(`#${CSS.escape(where)} [data-again="${CSS.escape(what)}"]`)?.focus({preventScroll: true});
}
/** Widens half sections without a neighbour, then draws everything. */
function finish() {
  const halves = [...main.children].map(element => element.classList.contains("half"));
  for (let k = 0; k < halves.length; ++k) {
    if (halves[k] && halves[k + 1]) ++k; else main.children[k].classList.remove("half");
  }
  isStanding = true;
  redraw();
  let width = innerWidth, timer = 0;
  addEventListener("resize", () => {
    if (isPrinted || innerWidth === width) return;
    width = innerWidth;
    clearTimeout(timer);
    timer = setTimeout(redraw, 150);
  });
  theme();
  goToSection();
  handOver();
  document.documentElement.dataset.ready = "yes";
}

/** For `kernelbatch report --svg SECTION`: page.html?svg=SECTION contains only the first chart's text, or the names of all. */
function handOver() {
  const wanted = new URLSearchParams(location.search).get("svg");
  if (wanted === null) return;
  const charts = new Map([...document.querySelectorAll("section")].map(each => [each.id, each.querySelector("figure")]).filter(([, found]) => found));
  document.body.replaceChildren(h("pre", {id: "svg"}, charts.get(wanted)?.asSvg() ?? [...charts.keys()].join(" ")));
}

function theme() {
  const button = document.getElementById("theme"), dark = matchMedia("(prefers-color-scheme: dark)");
  const set = name => {
    document.documentElement.dataset.theme = name;
    button.textContent = name === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", `Switch to the ${name === "dark" ? "light" : "dark"} theme`);
  };
  set(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => set(dark.matches ? "dark" : "light"));
  button.addEventListener("click", () => set(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
}
