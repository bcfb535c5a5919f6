// The graph of code and memories: islands of communities, and lists of everything that is drawn.

import { get } from "../api.js";
import { isDark } from "../app.js";
import { el, fill } from "../dom.js";
import { count, digits, project } from "../format.js";
import { Drawing, sizes } from "./drawing.js";
import { colour, rgb, short, token } from "./scene.js";

const MOST_NODES = 50000;
const FOUND = 12;
const LEGEND = 12;

const GRAPH = {
  title: "Graph", operation: "graph_layout", busy: "Computing the layout…", counted: "nodes",
  about: "Drawing of the graph. Arrow keys pan, plus and minus zoom, 0 shows all. The list beside it has the same nodes.",
  colours: { community: "Community", kind: "Kind", project: "Project" },
  defaults: { project: "", colours: "community", around: "", depth: 2 },
  options: { slides: true },
};

export const show = (page) => new GraphView(page, GRAPH).start();

class GraphView extends Drawing {
  controls() {
    Object.assign(this, { hidden: new Set(), least: 0, marked: new Map(), markedEdges: [], pathFrom: -1, extra: null });
    this.search = el("input.find", { type: "search", placeholder: "Find a node", "aria-label": "Find a node", autocomplete: "off",
      oninput: () => this.find(), onkeydown: (event) => this.findKey(event) });
    this.results = el("ul.results", { "aria-label": "Nodes found", hidden: true });
    this.kinds = el("div.kinds", { role: "group", "aria-label": "Kinds of nodes" });
    this.slider = el("input", { type: "range", min: 0, max: 100, step: 1, value: 0, "aria-label": "Least centrality", oninput: () => this.limit() });
    this.host.addEventListener("dblclick", () => { if (this.chosen >= 0) this.around(this.chosen); });
    return [el("div.finder", null, this.search, this.results), this.projects, this.colouring,
      el("details.choices", null, el("summary", null, "Filters"), el("div.sheet", null, el("h3", null, "Kinds"), this.kinds, el("h3", null, "Least centrality"), this.slider))];
  }

  // --- data ---

  args() {
    const { project: name, around, depth } = this.state;
    const kinds = this.isCut && this.hidden.size ? this.data.kind_names.filter((kind) => !this.hidden.has(kind)) : [];
    return { project: name, kinds, limit: MOST_NODES, start_id: around, max_depth: around ? depth : "" };
  }

  async reload(change) {
    await super.reload("project" in change ? { around: "", ...change } : change);
  }

  // The links of each node, and the most central node of each community.
  prepare() {
    const { ids, sources, targets, communities } = this.data, size = ids.length;
    this.isCut = !this.state.around && size < this.data.total_nodes;
    Object.assign(this, { marked: new Map(), markedEdges: [], extra: null });
    this.index = new Map(ids.map((id, number) => [id, number]));
    this.starts = new Uint32Array(size + 1);
    for (const ends of [sources, targets]) for (const end of ends) this.starts[end + 1] += 1;
    for (let number = 0; number < size; number += 1) this.starts[number + 1] += this.starts[number];
    const next = this.starts.slice();
    this.links = new Uint32Array(sources.length * 2);
    for (const ends of [sources, targets]) for (let edge = 0; edge < ends.length; edge += 1) this.links[next[ends[edge]]++] = edge;
    // Nodes come the most central first.
    const hubs = new Map();
    for (let number = size - 1; number >= 0; number -= 1) hubs.set(communities[number], number);
    this.sizes = new Map(sizes(communities));
    this.hubs = [...this.sizes.keys()].map((community) => hubs.get(community));
    this.drawFilters();
    this.drawBanner();
  }

  neighbours(number) {
    const found = [];
    for (let place = this.starts[number]; place < this.starts[number + 1]; place += 1) {
      const edge = this.links[place];
      const forwards = this.data.sources[edge] === number;
      const other = forwards ? this.data.targets[edge] : this.data.sources[edge];
      if (other !== number) found.push({ other, edge, forwards, relation: this.data.relation_names[this.data.relations[edge]] });
    }
    return found.sort((a, b) => a.other - b.other);
  }

  isShown(number) {
    return this.data.centrality[number] >= this.least && !this.hidden.has(this.data.kind_names[this.data.kinds[number]]);
  }

  // --- look ---

  group(number) {
    const { colours } = this.state;
    if (colours === "kind") return this.data.kinds[number];
    return colours === "project" ? this.data.projects[number] : this.data.communities[number];
  }

  look(number, dark) {
    const mark = this.marked.get(number), base = this.base;
    const size = this.isShown(number) ? (base + Math.sqrt(this.data.centrality[number] / 1000) * (base + 12)) * (mark ? 1.35 : 1) : 0;
    return { size, tint: mark === "chosen" ? this.accent : rgb(colour(this.group(number), dark)), strength: !this.marked.size || mark ? 235 : 38 };
  }

  paint() {
    const size = this.data.ids.length;
    this.base = size > 20000 ? 2 : size > 4000 ? 3 : size > 400 ? 5 : 8;
    this.accent = rgb(token("--accent"));
    this.scene.lineStrength = this.marked.size ? 0.05 : this.strength();
    const [inner, outer] = this.lines();
    const marked = new Uint32Array(this.markedEdges.flatMap((edge) => [this.data.sources[edge], this.data.targets[edge]]));
    for (const [kind, ends] of Object.entries({ inner, outer, marked })) this.scene.setLines(kind, ends);
    super.paint();
  }

  // Many lines are drawn fainter, so that the islands stay visible.
  strength() {
    const lines = this.data.sources.length;
    return Math.max(0.07, Math.min(0.55, 30 / Math.sqrt(lines + 1)));
  }

  // The ends of the visible lines inside communities and between them, in a mixed order: any beginning is a sample.
  lines() {
    const { sources, targets, communities } = this.data, total = sources.length;
    const ends = [new Uint32Array(total * 2), new Uint32Array(total * 2)], used = [0, 0];
    let stride = Math.max(1, Math.floor(total * 0.618));
    while (gcd(stride, total) > 1) stride += 1;
    for (let place = 0, edge = 0; place < total; place += 1, edge = (edge + stride) % total) {
      const from = sources[edge], to = targets[edge];
      if (from === to || !this.isShown(from) || !this.isShown(to)) continue;
      const side = communities[from] === communities[to] ? 0 : 1;
      ends[side][used[side]++] = from;
      ends[side][used[side]++] = to;
    }
    return ends.map((part, side) => part.slice(0, used[side]));
  }

  *labels() {
    const { labels } = this.data;
    for (const number of [this.hovered, this.chosen]) if (number >= 0) yield [number, labels[number], { strong: true, always: true }];
    for (const number of this.marked.keys()) if (this.isShown(number)) yield [number, labels[number]];
    if (this.marked.size) return;
    for (const number of this.hubs) if (this.isShown(number)) yield [number, labels[number], { strong: this.sizes.get(this.data.communities[number]) > 100 }];
    for (let number = 0; number < labels.length; number += 1) if (this.isShown(number)) yield [number, labels[number]];
  }

  tell(number) {
    const { kinds, kind_names: names, projects, project_names: spaces } = this.data;
    return `${names[kinds[number]]} · ${project(spaces[projects[number]])} · ${count(this.starts[number + 1] - this.starts[number], "link")}`;
  }

  // --- choosing ---

  choose(number, { move = false } = {}) {
    if (this.pathFrom >= 0 && number !== this.pathFrom) { this.showPath(this.pathFrom, number); return; }
    this.chosen = number;
    this.extra = null;
    const near = this.neighbours(number);
    this.mark([number], near.map((row) => row.other), near.map((row) => row.edge));
    if (move) {
      this.camera.look(this.at[number * 3], this.at[number * 3 + 1], Math.min(0.5, 2 / this.camera.zoom));
      this.scene.draw({ moving: true });
    }
    this.remember();
    this.drawPanel();
  }

  mark(chosen, others, edges) {
    this.marked = new Map([...others.map((number) => [number, "near"]), ...chosen.map((number) => [number, "chosen"])]);
    this.markedEdges = edges;
    this.paint();
  }

  clear() {
    if (this.search.value) { this.search.value = ""; this.find(); }
    Object.assign(this, { pathFrom: -1, chosen: -1, extra: null, marked: new Map(), markedEdges: [] });
    if (!this.data?.ids.length) return;
    this.paint();
    this.remember();
    this.drawBanner();
    this.drawPanel();
  }

  // Show a node by its id: in this drawing, or in one of its neighbourhood.
  async open(id) {
    for (const known of [id, `mem:${id}`]) if (this.index.has(known)) { this.choose(this.index.get(known), { move: true }); return; }
    await this.reload({ around: id });
    const number = this.index?.get(id) ?? this.index?.get(`mem:${id}`);
    if (number !== undefined) this.choose(number);
  }

  async around(number, depth = this.state.depth) {
    const id = this.data.ids[number];
    await this.reload({ around: id, depth });
    if (this.index.has(id)) this.choose(this.index.get(id));
  }

  startPath(number) {
    this.pathFrom = number;
    this.drawBanner();
    this.search.focus();
  }

  async showPath(from, to) {
    this.pathFrom = -1;
    this.drawBanner();
    const { ids } = this.data;
    const found = await get("graph_layout", { start_id: ids[from], target_id: ids[to], project: this.state.project }, { signal: this.page.signal });
    const way = found.path.map((place) => ({ id: found.ids[place], label: found.labels[place], number: this.index.get(found.ids[place]) ?? -1 }));
    const numbers = way.map((step) => step.number).filter((number) => number >= 0);
    const edges = [];
    for (let place = 1; place < numbers.length; place += 1) edges.push(...this.neighbours(numbers[place - 1]).filter((row) => row.other === numbers[place]).map((row) => row.edge));
    this.chosen = from;
    this.extra = { title: way.length ? `Path of ${count(way.length - 1, "link")}` : "No path", rows: way, note: way.length ? "" : "There is no path between the two nodes." };
    this.mark([from, to], numbers, edges);
    this.drawPanel();
  }

  async showImpact(number) {
    const found = await get("get_impact", { symbol: this.data.ids[number], depth: 3, limit: 1000 }, { signal: this.page.signal });
    const rows = found.affected.map((use) => ({ id: use.node.id, label: use.node.label, number: this.index.get(use.node.id) ?? -1,
      small: `${use.depth === 1 ? "direct" : `${use.depth} links away`} · ${Math.round(use.confidence * 100)} %` }));
    rows.push(...found.memories.map((node) => ({ id: node.id, label: node.label, number: this.index.get(node.id) ?? -1, small: "memory" })));
    const numbers = rows.map((row) => row.number).filter((place) => place >= 0);
    const inside = new Set([number, ...numbers]);
    const edges = [...inside].flatMap((place) => this.neighbours(place).filter((row) => row.forwards && inside.has(row.other)).map((row) => row.edge));
    this.extra = { title: `A change affects ${count(found.total, "symbol")}`, rows, note: found.verdict };
    this.mark([number], numbers, edges);
    this.drawPanel();
  }

  // --- finding ---

  find() {
    const asked = this.search.value.trim().toLowerCase();
    this.results.hidden = !asked;
    if (!asked || !this.data) return;
    const hits = [];
    for (let number = 0; number < this.data.labels.length && hits.length < 400; number += 1) {
      const label = this.data.labels[number].toLowerCase();
      const place = label.indexOf(asked);
      if (place >= 0 && this.isShown(number)) hits.push([label === asked ? 0 : label.endsWith(`.${asked}`) || place === 0 ? 1 : 2, number]);
    }
    hits.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    this.hits = hits.slice(0, FOUND).map(([, number]) => number);
    const rows = this.hits.map((number) => this.found(this.data.labels[number], this.tell(number), () => this.choose(number, { move: true })));
    fill(this.results, rows.length ? rows : el("li.quiet.small", null, "No node in the drawing has this name."));
    if (this.isCut && hits.length < FOUND) this.findMore(asked);
  }

  async findMore(asked) {
    const more = await get("search_symbols", { query: asked, limit: FOUND, project: this.state.project }, { signal: this.page.signal });
    if (this.search.value.trim().toLowerCase() !== asked) return;
    for (const hit of more.symbols || more.hits || []) {
      if (!this.index.has(hit.id)) this.results.append(this.found(hit.qualified || hit.name, `${hit.kind} · not in the drawing`, () => this.open(hit.id)));
    }
  }

  found(label, about, onclick) {
    const pick = () => { this.results.hidden = true; this.search.value = ""; onclick(); };
    return el("li", null, el("button.plain", { type: "button", onclick: pick, onkeydown: (event) => this.findKey(event) }, el("span.name", null, label), el("span.quiet.small", null, about)));
  }

  findKey(event) {
    const buttons = [...this.results.querySelectorAll("button")];
    const place = buttons.indexOf(document.activeElement);
    if (event.key === "Enter" && place < 0 && buttons.length) buttons[0].click();
    else if (event.key === "ArrowDown") (buttons[place + 1] || buttons[place])?.focus();
    else if (event.key === "ArrowUp") (buttons[place - 1] || this.search).focus();
    else if (event.key === "Escape") { this.search.value = ""; this.find(); this.search.focus(); }
    else return;
    event.preventDefault();
  }

  // --- filters and words ---

  drawFilters() {
    const { kinds, kind_names: names } = this.data;
    const counts = sizes(kinds).map(([kind, total]) => [names[kind], total]), there = new Set(counts.map(([kind]) => kind));
    fill(this.kinds, [...counts, ...[...this.hidden].filter((kind) => !there.has(kind)).map((kind) => [kind, 0])].map(([kind, total]) => el("label.row", null,
      el("input", { type: "checkbox", checked: !this.hidden.has(kind), onchange: (event) => this.toggle(kind, event.target.checked) }), kind, el("span.quiet.small", null, digits(total)))));
  }

  toggle(kind, shown) {
    if (shown) this.hidden.delete(kind); else this.hidden.add(kind);
    if (this.isCut) this.reload({}); else this.paint();
  }

  limit() {
    // A few nodes are very central: steps of equal size would hide nearly all at the first.
    this.least = Math.round((this.slider.value / 100) ** 3 * 1000);
    this.paint();
  }

  summary() {
    const { ids, sources, total_nodes: nodes, total_edges: edges, notes } = this.data;
    const shown = this.scene.size.reduce((sum, size) => sum + (size > 0), 0);
    const part = (some, all, noun) => (some < all ? `${digits(some)} of ${count(all, noun)}` : count(all, noun));
    return [`${part(shown, nodes, "node")}, ${part(shown < ids.length ? this.scene.lines.inner + this.scene.lines.outer : sources.length, edges, "edge")}`,
      this.isCut && ": the most central", notes.length > 0 && ` · ${notes.join(" ")}`];
  }

  drawBanner() {
    const { around, depth } = this.state;
    this.banner.hidden = !(around || this.pathFrom >= 0);
    if (this.pathFrom >= 0) {
      fill(this.banner, `Path from ${short(this.data.labels[this.pathFrom])}: choose the other end.`, el("button", { type: "button", onclick: () => { this.pathFrom = -1; this.drawBanner(); } }, "Cancel"));
    } else if (around) {
      const number = this.index.get(around) ?? this.index.get(`mem:${around}`);
      const name = number === undefined ? around : this.data.labels[number];
      fill(this.banner, el("span", null, "Around ", el("strong", null, short(name))),
        el("label.row", null, "Links", el("select", { onchange: (event) => this.reload({ depth: Number(event.target.value) }) }, [1, 2, 3, 4].map((step) => el("option", { value: step, selected: step === depth }, String(step))))),
        el("button", { type: "button", onclick: () => this.reload({ around: "" }) }, "Whole graph"));
    }
  }

  empty() {
    return [el("h2", null, "Nothing to draw"),
      el("p", null, this.state.around ? "This node has no links." : "The graph shows indexed code and linked memories. Index a project:"), !this.state.around && el("pre", null, "recollect index .")];
  }

  // --- the lists beside the drawing ---

  drawPanel() {
    if (this.chosen >= 0) this.drawNode(this.chosen); else this.drawOverview();
  }

  drawOverview() {
    const { community_names: names, labels, kind_names: kinds, project_names: spaces } = this.data, dark = isDark();
    const { colours } = this.state;
    const called = (group) => (colours === "kind" ? kinds[group] : colours === "project" ? project(spaces[group]) : names[group]);
    const groups = sizes(labels.map((_, number) => this.group(number)));
    const named = groups.map(([group, total]) => [group, called(group), total]).filter(([, name]) => name).slice(0, LEGEND);
    fill(this.panel,
      el("h2", null, `${this.colours[colours]}${named.length < groups.length ? `: ${named.length} of ${digits(groups.length)}` : ""}`),
      this.legend(named, (group) => colour(group, dark), (group, name) => this.showGroup(group, name)),
      el("h2", null, "Most central"), this.list(this.rows((number) => this.isShown(number))));
  }

  rows(fits) {
    const { labels, kinds, kind_names: names } = this.data, rows = [];
    for (let number = 0; number < labels.length; number += 1) if (fits(number)) rows.push({ number, label: labels[number], small: names[kinds[number]] });
    return rows;
  }

  showGroup(group, name) {
    const rows = this.rows((number) => this.group(number) === group && this.isShown(number));
    if (!rows.length) return;
    this.mark([], rows.map((row) => row.number), []);
    // Where all but the outermost nodes lie, as [least, most] of both axes.
    const [low, high] = [Math.floor(rows.length * 0.02), Math.ceil(rows.length * 0.98) - 1];
    const [x, y] = [0, 1].map((axis) => rows.map((row) => this.at[row.number * 3 + axis]).sort((a, b) => a - b)).map((all) => [all[low], all[high]]);
    this.camera.look((x[0] + x[1]) / 2, (y[0] + y[1]) / 2, Math.max(x[1] - x[0], y[1] - y[0], 0.05) * 1.4);
    this.scene.draw({ moving: true });
    fill(this.panel, el("h2.title", null, name), el("p.quiet.small", null, count(rows.length, "node")),
      el("div.row", null, el("button", { type: "button", onclick: () => this.clear() }, "Back")), this.list(rows));
  }

  drawNode(number) {
    const { ids, labels, kinds, kind_names: names, projects, project_names: spaces, communities, community_names: groups, centrality } = this.data;
    const id = ids[number], isCode = /^(sym|file):/.test(id), near = this.neighbours(number), group = groups[communities[number]];
    const button = (label, action) => el("button", { type: "button", onclick: action }, label);
    fill(this.panel, this.chosenHead(names[kinds[number]],
      [["Project", project(spaces[projects[number]])], group && ["Community", group], ["Centrality", (centrality[number] / 1000).toFixed(3)],
        isCode && ["Place", el("span.mono", null, id.replace(/^(sym|file):/, ""))]],
      [id.startsWith("mem:") && el("a.button", { href: `#/memory/${encodeURIComponent(id.slice(4))}` }, "Open memory"),
        button("Neighbourhood", () => this.around(number)), button("Path to…", () => this.startPath(number)),
        isCode && button("Impact", () => this.showImpact(number)), this.extra && button("Links", () => this.choose(number))]),
    this.extra ? [el("h2", null, this.extra.title), this.extra.note && el("p.small.quiet", null, this.extra.note), this.list(this.extra.rows)]
      : [el("h2", null, count(near.length, "link")), this.list(near.map((row) => ({ number: row.other, label: labels[row.other], small: row.forwards ? `${words(row.relation)} →` : `← ${words(row.relation)}` })))]);
  }

  pick(row) {
    if (row.number >= 0) this.choose(row.number, { move: !this.extra }); else this.open(row.id);
  }
}

const words = (relation) => relation.toLowerCase().replaceAll("_", " ");
const gcd = (a, b) => (b ? gcd(b, a % b) : a);
