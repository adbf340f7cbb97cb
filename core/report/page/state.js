// The reader's choices, stored in the address: #section&key=value&… A link or a reload restores the view.
"use strict";

const decoded = text => { try { return decodeURIComponent(text); } catch { return text; } };
const encoded = text => encodeURIComponent(text).replace(/%20/g, "+").replace(/%(2C|3A|3D|2F|5E)/g, decodeURIComponent);
/** The section and the values in an address. */
function readAddress(hash) {
  const parts = hash.replace(/^#/, "").split("&").filter(Boolean);
  return {section: decoded(parts.find(part => !part.includes("=")) ?? ""),
    values: new Map(parts.filter(part => part.includes("=")).map(part => {
      const at = part.indexOf("=");
      return [decoded(part.slice(0, at)), decoded(part.slice(at + 1).replaceAll("+", " "))];
    }))};
}
const address = readAddress(location.hash);
const addressText = () => `#${[address.section, ...[...address.values].map(([key, value]) => `${encodeURIComponent(key)}=${encoded(value)}`)].join("&")}`;
function writeAddress() {
  // Browsers may refuse frequent changes, which is harmless.
  try { history.replaceState(null, "", addressText()); } catch { /* as it was */ }
}

/** The stored value of a key; `usual` if there is none. */
const kept = (key, usual = "") => key && address.values.has(key) ? address.values.get(key) : usual;
/** Stores a text; the default need not be stored. */
function keep(key, text, usual = "") {
  if (!key) return;
  if (text === usual) address.values.delete(key); else address.values.set(key, text);
  writeAddress();
}
/** Position of the stored name; `start` if it is unknown. */
function keptPlace(key, names, start = 0) {
  const at = names.indexOf(kept(key, names[start]));
  return at < 0 ? start : at;
}

// A link to a section keeps all choices; any other address is another view.
addEventListener("hashchange", () => {
  const next = readAddress(location.hash);
  const isOther = [...next.values].some(([key, value]) => address.values.get(key) !== value) || next.values.size !== address.values.size;
  address.section = next.section;
  if (next.values.size && isOther) location.reload(); else writeAddress();
});
function goToSection() { if (address.section) document.getElementById(address.section)?.scrollIntoView({behavior: "instant"}); }
