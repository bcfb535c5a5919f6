// The frame: navigation, routes by the hash of the address, keys and theme.

import { send } from "./api.js";
import { add, announce, el, fill, icon } from "./dom.js";

// #/NAME/part?key=value. `key` is typed after g. A view's module is loaded when it is first shown.
const VIEWS = {
  search: { title: "Search", key: "s", load: () => import("./views/search.js") },
  briefing: { title: "Briefing", key: "b", load: () => import("./views/briefing.js") },
  graph: { title: "Graph", key: "g", load: () => import("./views/graph.js") },
  map: { title: "Map", key: "m", load: () => import("./views/map.js") },
  sessions: { title: "Sessions", key: "e", load: () => import("./views/sessions.js") },
  health: { title: "Health", key: "h", load: () => import("./views/health.js") },
  memory: { title: "Memory", under: "search", load: () => import("./views/memory.js") },
  welcome: { title: "Welcome", under: "search", load: () => import("./views/welcome.js") },
};

const main = document.getElementById("main");
let session = { scope: "read", folder: "", version: "" };
let shown = { closing: null, view: null };
let visited = 0;

function parsed() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [name, ...parts] = path.split("/").map(decoded);
  return { name: VIEWS[name] ? name : "search", parts, params: new URLSearchParams(query) };
}

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

async function route() {
  const { name, parts, params } = parsed();
  const view = VIEWS[name];
  visited += 1;
  shown.closing?.abort();
  shown.view?.close?.();
  const closing = new AbortController();
  shown = { closing, view: null, name };
  document.title = `${view.title} · recollect`;
  for (const link of document.querySelectorAll("#side a[data-view]")) {
    const here = link.dataset.view === (view.under || name);
    if (here) link.setAttribute("aria-current", "page"); else link.removeAttribute("aria-current");
  }
  const root = el(`section.view.view-${name}`, { "aria-label": view.title, "aria-busy": "true" });
  fill(main, root);
  const page = { root, parts, params, session, signal: closing.signal, setParams: (next) => rewrite(name, parts, next) };
  try {
    const module = await view.load();
    if (closing.signal.aborted) return;
    const opened = await module.show(page);
    if (closing.signal.aborted) opened?.close?.(); else shown.view = opened || null;
  } catch (problem) {
    if (problem.name !== "AbortError" && !closing.signal.aborted) failed(root, problem);
  }
  root.removeAttribute("aria-busy");
}

// Put the state of a view into the address without showing the view again.
function rewrite(name, parts, next) {
  const query = new URLSearchParams(Object.entries(next).filter(([, value]) => value !== "" && value !== null && value !== undefined));
  const path = [name, ...parts.map(encodeURIComponent)].join("/");
  history.replaceState(null, "", `#/${path}${query.size ? `?${query}` : ""}`);
}

// To the page before; from the first one, which a link or a bookmark opened, to the search.
export function back() {
  if (visited > 1) history.back(); else location.hash = "#/search";
}

export function failed(root, problem) {
  fill(root, el("div.empty", { role: "alert" }, el("h1", null, "That did not work"), el("p", null, problem.message), problem.hint && el("p.quiet", null, problem.hint)));
  if (!(problem.status >= 0)) console.error(problem);
}

// --- navigation and theme ---

function drawSide() {
  const links = Object.entries(VIEWS).filter(([, view]) => view.key).map(([name, view]) =>
    el("a", { href: `#/${name}`, data: { view: name }, title: `${view.title} (g ${view.key})` }, icon(name), el("span", null, view.title)));
  fill(document.getElementById("side"),
    el("a.brand", { href: "#/search", "aria-label": "recollect: search" }, el("img", { src: "/static/icon.svg", alt: "", width: 22, height: 22 }), el("span", null, "recollect")),
    el("nav", { "aria-label": "Views" }, links),
    el("div.tools", null,
      session.scope === "read" && el("span.badge", { title: "Started with --read-only" }, "read-only"),
      el("button.plain", { type: "button", "aria-label": "Keyboard shortcuts", title: "Keyboard shortcuts (?)", onclick: help }, icon("keys")),
      el("button.plain", { type: "button", "aria-label": "Switch between light and dark", title: "Light or dark", onclick: switchTheme }, icon("theme"))));
}

function theme() {
  try { return localStorage.getItem("theme") || ""; } catch { return ""; }
}

function applyTheme(wanted) {
  if (wanted) document.documentElement.dataset.theme = wanted; else delete document.documentElement.dataset.theme;
  window.dispatchEvent(new Event("themechange"));
}

function switchTheme() {
  const dark = isDark();
  try { localStorage.setItem("theme", dark ? "light" : "dark"); } catch { /* kept for this page only */ }
  applyTheme(dark ? "light" : "dark");
}

export function isDark() {
  return (document.documentElement.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

// --- dialogs ---

// Shows a dialog with a title, content and buttons; resolves to the value of the button, "" when it is dismissed.
export function ask(title, content, buttons) {
  return new Promise((resolve) => {
    const box = el("dialog", { "aria-label": title, onclose: () => { box.remove(); resolve(box.returnValue); } },
      el("form", { method: "dialog" }, el("h2", null, title), content,
        el("div.row.end", null, buttons.map(([label, value, kind = ""]) => el(kind ? `button.${kind}` : "button", { value, formnovalidate: value === "" }, label)))));
    document.body.append(box);
    box.returnValue = "";
    box.showModal();
  });
}

const KEYS = [["/", "search"], ["j, k", "next, previous in a list"], ["Enter", "open"], ["Esc", "back, or close"],
  ["e, u", "edit a memory, undo its last change"], ["K, R", "keep, retire a memory whose code changed (Health)"], ["+, -, 0", "zoom, show all (Graph, Map)"],
  ...Object.values(VIEWS).filter((view) => view.key).map((view) => [`g ${view.key}`, view.title]), ["?", "this help"]];

function help() {
  if (document.querySelector("dialog")) return;
  ask("Keyboard shortcuts", el("dl.keys", null, KEYS.map(([keys, what]) => [el("dt", null, keys.split(/[ ,]+/).map((key) => el("kbd", null, key))), el("dd", null, what)])), [["Close", ""]]);
}

// --- keys ---

let afterG = 0;
const GLOBAL = {
  "/": () => { if (!focusSearch()) { location.hash = "#/search"; setTimeout(focusSearch, 60); } },
  "?": help,
  j: () => step(1),
  k: () => step(-1),
  Escape: () => { if (document.activeElement?.matches("[data-item] , [data-item] *")) document.activeElement.blur(); else if (VIEWS[shown.name]?.under) back(); },
};

function focusSearch() {
  const box = main.querySelector("input[type=search]");
  box?.focus();
  box?.select();
  return Boolean(box);
}

// Items of a list have the attribute data-item and can take the focus.
function step(by) {
  const items = [...main.querySelectorAll("[data-item]")];
  const now = items.indexOf(document.activeElement?.closest("[data-item]"));
  const next = items[now < 0 ? (by > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, now + by))];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

function pressed(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
  const typing = event.target.closest?.("input, textarea, select");
  if (typing) {
    if (event.key === "Escape") typing.blur();
    return;
  }
  if (Date.now() - afterG < 1200 && afterG) {
    afterG = 0;
    const found = Object.entries(VIEWS).find(([, view]) => view.key === event.key);
    if (found) { event.preventDefault(); location.hash = `#/${found[0]}`; return; }
  }
  if (event.key === "g") { afterG = Date.now(); return; }
  const action = shown.view?.keys?.[event.key] || GLOBAL[event.key];
  if (action && action(event) !== false) event.preventDefault();
}

async function start() {
  applyTheme(theme());
  try {
    session = await send("/session.json", {});
  } catch (problem) {
    failed(main, problem);
    return;
  }
  drawSide();
  addEventListener("hashchange", route);
  // The hash of the address names the view: a plain link to #main would leave it.
  document.querySelector(".skip").addEventListener("click", (event) => { event.preventDefault(); main.focus(); });
  addEventListener("keydown", pressed);
  addEventListener("unhandledrejection", (event) => {
    if (event.reason?.name === "AbortError") event.preventDefault();
    else if (event.reason?.status !== undefined) { event.preventDefault(); announce(event.reason.message, "bad"); }
  });
  await route();
}

add(main, el("p.quiet.loading", null, "Loading…"));
start();
