// Elements built from data. Text is always set as text: nothing in a memory becomes markup.

const SVG = "http://www.w3.org/2000/svg";

// el("button.primary", { onclick, "aria-label": "…" }, "text", child, [children], null)
// A dotted first part gives classes. Properties that start with "on" are listeners; true and false set and leave out.
export function el(kind, props, ...children) {
  const [tag, ...classes] = kind.split(".");
  const node = document.createElement(tag || "div");
  if (classes.length) node.className = classes.join(" ");
  for (const [name, value] of Object.entries(props || {})) set(node, name, value);
  return add(node, children);
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "value" || name === "checked" || name === "selected") node[name] = value;
  else if (name === "data") for (const [key, part] of Object.entries(value)) node.dataset[key] = part;
  else node.setAttribute(name, value === true ? "" : String(value));
}

export function add(node, ...children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : visible(String(child)));
  }
  return node;
}

export function fill(node, ...children) {
  node.replaceChildren();
  return add(node, children);
}

// Control characters and characters that reorder text are shown as symbols, so that what is read is what is stored.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

export function visible(text) {
  return text.replace(HIDDEN, (mark) => {
    const code = mark.codePointAt(0);
    if (code === 0x0d) return "";
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    return `\u27e8${code.toString(16).toUpperCase().padStart(4, "0")}\u27e9`;
  });
}

const ICONS = {
  search: "M7 2.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9M10.5 10.5 14 14",
  briefing: "M3.5 2.5h9v11h-9zM6 5.5h4M6 8h4M6 10.5h2.5",
  sessions: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2M8 5v3.2l2.2 1.6",
  graph: "M4 4.5a1.5 1.5 0 1 1 0-.1M12.7 5a1.5 1.5 0 1 1 0-.1M9 12.5a1.5 1.5 0 1 1 0-.1M5.2 4.6h4.6M4.8 5.8l2.2 5M10.6 6.2l-1.8 4.6",
  map: "M2.5 4.2 6 2.8l4 1.6 3.5-1.4v9L10 13.4l-4-1.6-3.5 1.4zM6 2.8v9M10 4.4v9",
  health: "M1.5 8.5H5l1.6-4.5 2.8 8 1.6-3.5h3.5",
  theme: "M8 2.2a5.8 5.8 0 1 0 5.8 5.8A4.4 4.4 0 0 1 8 2.2",
  keys: "M2 4.5h12v7H2zM4.5 7h.1M7 7h.1M9.5 7h.1M12 7h.1M5 9.3h6",
  back: "M10 3 5 8l5 5",
  next: "M6 3l5 5-5 5",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5 6.5 12 13 4.5",
  undo: "M5.5 3 2.5 6l3 3M2.5 6H9a4 4 0 0 1 0 8H6",
  copy: "M5.5 5.500h8v8h-8zM3 10.500h-.5v-8h8V3",
  link: "M6.5 9.5 9.5 6.5M7 4.5l1.6-1.6a3 3 0 0 1 4.3 4.3L11.300 8.800M9 11.500l-1.600 1.600a3 3 0 0 1-4.300-4.300L4.700 7.200",
};

export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name] || "");
  svg.append(path);
  return svg;
}

// A line for screen readers and, for a moment, for eyes.
let timer = 0;
export function announce(text, kind = "") {
  const node = document.getElementById("status");
  node.className = kind;
  fill(node, text);
  node.dataset.shown = "yes";
  clearTimeout(timer);
  timer = setTimeout(() => delete node.dataset.shown, kind === "bad" ? 8000 : 4000);
}
