// What every page has: sections with their links, places that change with a choice, two themes.
"use strict";
const main = document.getElementById("main"), nav = document.getElementById("nav");

function section(id, name, hint, content, controls = null, kind = "section") {
  nav.append(h(kind.includes("failures") ? "a.alarm" : "a", {href: `#${id}`}, name));
  main.append(h(kind, {id, "aria-labelledby": `${id}-title`},
    h("div.head", {}, h("h2", {id: `${id}-title`}, name), controls),
    hint ? h("p.hint", {}, hint) : null, content));
}
/** A place whose content changes with a choice. */
function switched(make) {
  const place = h("div");
  return {place, show: (...choice) => place.replaceChildren(make(...choice))};
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
