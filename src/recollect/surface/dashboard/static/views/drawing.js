// What the graph and the map share: a drawing with controls above it and lists beside it, moved by pointer and keys.

import { get } from "../api.js";
import { isDark } from "../app.js";
import { announce, el, fill, icon } from "../dom.js";
import { cut, digits, project } from "../format.js";
import { Camera } from "./camera.js";
import { colour, rgb, sceneIn, token } from "./scene.js";

const LISTED = 100;
// Pixels that an arrow key moves.
const STEP = 40;

// A view states what it draws: title, about (for screen readers), operation, busy, counted, colours, defaults, camera, scene.
// It has controls(), args(), prepare(), look(number), group(number), tell(number), choose(number), drawEmpty(), drawPanel(),
// labels() and summary().
export class Drawing {
  constructor(page, view) {
    Object.assign(this, view, { page, camera: new Camera(view.camera), hovered: -1, chosen: -1 });
    this.state = Object.fromEntries(Object.entries(view.defaults).map(([name, value]) => [name, read(page.params.get(name), value)]));
  }

  async start() {
    const { signal } = this.page;
    this.build();
    const restyle = () => { if (this.data?.ids.length) { this.paint(); this.drawPanel(); } };
    addEventListener("themechange", restyle, { signal });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", restyle, { signal });
    signal.addEventListener("abort", () => this.scene?.close());
    const wanted = this.page.params.get("node");
    await this.load();
    signal.throwIfAborted();
    if (wanted) await this.open(wanted);
    return { keys: this.keys() };
  }

  // --- frame ---

  build() {
    this.said = el("p.quiet.small", { role: "status" });
    this.projects = this.select("Project", "project", [["", "All projects"]]);
    this.colouring = el("select", { "aria-label": "Colour by", onchange: () => { this.state.colours = this.colouring.value; this.remember(); this.paint(); this.drawPanel(); } },
      Object.entries(this.colours).map(([value, label]) => el("option", { value, selected: value === this.state.colours }, `By ${label.toLowerCase()}`)));
    this.host = el("div.drawing", { tabindex: 0, role: "application", "aria-label": this.about });
    this.tip = el("div.tip", { "aria-hidden": "true", hidden: true });
    this.panel = el("aside.panel", { "aria-label": "List" });
    this.banner = el("div.banner.row", { hidden: true });
    fill(this.page.root, el("header.bar.row", null, el("h1", null, this.title), this.controls(), this.said), this.banner,
      el("div.split", null, el("div.stage", null, this.host, this.tip, zoomButtons(this)), this.panel));
    listen(this.host, this);
  }

  // A choice that is loaded when it changes.
  select(label, name, options) {
    return el("select", { "aria-label": label, onchange: (event) => this.reload({ [name]: read(event.target.value, this.defaults[name]) }) },
      options.map(([value, text]) => el("option", { value, selected: value === this.state[name] }, text)));
  }

  // Keys act on the drawing, unless the focus is in a list.
  keys() {
    const move = (x, y) => () => this.drag(this.camera.turns ? -x : x, this.camera.turns ? -y : y);
    const keys = { ArrowLeft: move(STEP, 0), ArrowRight: move(-STEP, 0), ArrowUp: move(0, STEP), ArrowDown: move(0, -STEP),
      "+": () => this.zoomBy(1.3), "=": () => this.zoomBy(1.3), "-": () => this.zoomBy(1 / 1.3), 0: () => this.fit() };
    const outside = ([name, act]) => [name, (event) => !this.panel.contains(event.target) && act()];
    return { ...Object.fromEntries(Object.entries(keys).map(outside)), Escape: () => this.clear() };
  }

  remember() {
    const changed = Object.entries(this.state).filter(([name, value]) => value !== this.defaults[name]).map(([name, value]) => [name, value === true ? 1 : value]);
    this.page.setParams({ ...Object.fromEntries(changed), node: this.chosen >= 0 ? this.data.ids[this.chosen] : "" });
  }

  // --- data ---

  async load() {
    fill(this.said, this.busy);
    this.host.setAttribute("aria-busy", "true");
    try {
      this.data = await get(this.operation, this.args(), this.page);
    } finally {
      this.host.removeAttribute("aria-busy");
    }
    const { ids, project_names: names } = this.data;
    this.chosen = this.hovered = -1;
    this.spaces = [...new Set([...(this.spaces || []), ...names, this.state.project])].filter(Boolean);
    fill(this.projects, el("option", { value: "" }, "All projects"), this.spaces.map((name) => el("option", { value: name, selected: name === this.state.project }, project(name))));
    this.at = new Float32Array(ids.length * 3);
    for (const [axis, values] of [this.data.x, this.data.y, this.data.z || []].entries()) for (let number = 0; number < values.length; number += 1) this.at[number * 3 + axis] = values[number] / 10000;
    this.prepare();
    this.page.root.classList.toggle("nothing", !ids.length);
    if (!ids.length) {
      this.scene?.close();
      this.scene = null;
      this.tip.hidden = true;
      fill(this.said);
      fill(this.panel, el("div.empty", null, this.empty()));
      return;
    }
    this.scene ||= sceneIn(this.host, this.camera, this.options);
    this.scene.labels = () => this.labels();
    this.fit();
    this.paint();
    this.drawPanel();
    this.scene.drawn = () => { this.scene.canvas.dataset[this.counted] = ids.length; performance.mark(`${this.counted} drawn`); this.scene.drawn = null; };
  }

  async reload(change) {
    Object.assign(this.state, change);
    try {
      await this.load();
      this.remember();
    } catch (problem) {
      if (problem.name !== "AbortError") announce(problem.hint ? `${problem.message} ${problem.hint}` : problem.message, "bad");
    }
  }

  // --- look ---

  tint(number) {
    return rgb(colour(this.group(number), isDark()));
  }

  paint() {
    const total = this.data.ids.length, sizes = new Float32Array(total), tints = new Uint8Array(total * 4), dark = isDark();
    for (let number = 0; number < total; number += 1) {
      const { size, tint, strength } = this.look(number, dark);
      sizes[number] = size;
      tints.set(tint, number * 4);
      tints[number * 4 + 3] = strength;
    }
    Object.assign(this.scene, { ground: [...rgb(token("--bg")).map((part) => part / 255), 1], inks: [token("--text"), token("--bg")] });
    this.scene.setPoints(this.places?.() || this.at, sizes, tints);
    fill(this.said, this.summary());
  }

  // --- camera and pointer ---

  fit() {
    this.camera.fit(this.radius?.());
    this.scene?.draw();
  }

  drag(x, y, isPan = false) {
    if (isPan) this.camera.pan(x, y); else this.camera.drag(x, y);
    this.scene?.draw({ moving: true });
  }

  zoomBy(factor, x, y) {
    this.camera.zoomBy(factor, x, y);
    this.scene?.draw({ moving: true });
  }

  click(x, y) {
    const hit = this.scene.hit(x, y);
    if (hit >= 0) this.choose(hit); else this.clear();
  }

  hover(x, y) {
    const hit = x < 0 || !this.scene || this.scene.moving ? -1 : this.scene.hit(x, y, 6);
    if (hit === this.hovered) return;
    this.hovered = hit;
    this.host.classList.toggle("over", hit >= 0);
    this.tip.hidden = hit < 0;
    if (hit >= 0) {
      const [left, top] = this.scene.place(hit);
      fill(this.tip, el("strong", null, this.data.labels[hit]), el("span", null, this.tell(hit)));
      this.tip.style.left = `${Math.max(0, Math.min(left + 14, this.scene.width - 260))}px`;
      this.tip.style.top = `${Math.max(0, Math.min(top + 14, this.scene.height - 80))}px`;
    }
    this.scene?.draw();
  }

  // --- the lists beside the drawing ---

  // rows: { number, id, label, small }; a row without a number is not in the drawing.
  list(rows, most = LISTED) {
    const list = el("ul.list", null, rows.slice(0, most).map((row) => el("li", null, el("button.plain", { type: "button", data: { item: "" }, onclick: () => this.pick(row) },
      swatch(row.number >= 0 ? `rgb(${this.tint(row.number).join(" ")})` : "transparent"), el("span.name", { title: row.label }, row.label), row.small && el("span.quiet.small", null, row.small)))));
    if (rows.length > most) list.append(el("li", null, el("button", { type: "button", onclick: () => list.replaceWith(this.list(rows, most * 10)) }, `Show more (${digits(rows.length - most)})`)));
    return list;
  }

  // rows: [group, name, number of members]; onclick(group, name).
  legend(rows, paint, onclick, pressed = -1) {
    return el("ul.list.legend", null, rows.map(([group, name, total]) => el("li", null, el("button.plain", { type: "button", data: { item: "" }, "aria-pressed": String(group === pressed), onclick: () => onclick(group, name) },
      swatch(paint(group)), el("span.name", { title: name }, name), el("span.quiet.small", null, digits(total))))));
  }

  // The head of the panel for the chosen one. facts: [name, value].
  chosenHead(kind, facts, actions) {
    return [el("div.row", null, el("span.badge.accent", null, kind), el("span.grow"), el("button.plain", { type: "button", "aria-label": "Close", onclick: () => this.clear() }, icon("close"))),
      el("h2.title", null, cut(this.data.labels[this.chosen])),
      el("dl.facts.small", null, facts.filter(Boolean).map(([name, value]) => [el("dt", null, name), el("dd", null, value)])),
      el("div.row.actions", null, actions)];
  }
}

// Members per group, the largest group first.
export function sizes(groups) {
  const found = new Map();
  for (const group of groups) found.set(group, (found.get(group) || 0) + 1);
  return [...found].sort((a, b) => b[1] - a[1]);
}

// The value of a setting in the address, as its default: a number, a yes or no, or text.
function read(given, value) {
  if (given === null) return value;
  if (typeof value === "boolean") return given === "1";
  return typeof value === "number" ? Number(given) || value : given;
}

export function swatch(paint) {
  const dot = el("span.swatch", { "aria-hidden": "true" });
  dot.style.background = paint;
  return dot;
}

function zoomButtons(view) {
  const button = (label, key, sign, action) => el("button.plain", { type: "button", "aria-label": label, title: `${label} (${key})`, onclick: action }, sign);
  return el("div.zoom", { role: "group", "aria-label": "Zoom" }, button("Zoom in", "+", "+", () => view.zoomBy(1.4)), button("Zoom out", "−", "−", () => view.zoomBy(1 / 1.4)), button("Show all", "0", "⤢", () => view.fit()));
}

// --- pointer ---

// Calls of `view` for what a pointer does on a host: drag(x, y, isPan), zoomBy(factor, x, y), click(x, y), hover(x, y).
function listen(host, view) {
  const pointers = new Map();
  let travelled = 0, spread = 0;
  const place = (event) => { const box = host.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const hold = (isHeld) => { if (view.scene) view.scene.held = isHeld; };
  host.addEventListener("pointerdown", (event) => {
    host.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, place(event));
    travelled = spread = 0;
    hold(true);
  });
  host.addEventListener("pointermove", (event) => {
    const [x, y] = place(event), before = pointers.get(event.pointerId);
    if (!before) { view.hover(x, y); return; }
    pointers.set(event.pointerId, [x, y]);
    travelled += Math.abs(x - before[0]) + Math.abs(y - before[1]);
    if (pointers.size !== 2) { view.drag(x - before[0], y - before[1], event.shiftKey); return; }
    view.drag((x - before[0]) / 2, (y - before[1]) / 2, true);
    const [one, two] = [...pointers.values()];
    const now = Math.hypot(one[0] - two[0], one[1] - two[1]);
    if (spread) view.zoomBy(now / spread, (one[0] + two[0]) / 2, (one[1] + two[1]) / 2);
    spread = now;
  });
  const up = (event) => {
    const isOurs = pointers.delete(event.pointerId);
    hold(pointers.size > 0);
    if (isOurs && event.type === "pointerup" && travelled <= 5 && view.scene) view.click(...place(event));
  };
  for (const name of ["pointerup", "pointercancel"]) host.addEventListener(name, up);
  host.addEventListener("pointerleave", () => view.hover(-1, -1));
  host.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoomBy(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), ...place(event));
  }, { passive: false });
}
