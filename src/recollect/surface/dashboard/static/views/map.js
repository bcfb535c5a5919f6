// The map of meaning: memories in three dimensions by the principal components of their vectors.

import { isDark } from "../app.js";
import { el, fill } from "../dom.js";
import { count, day, digits, project } from "../format.js";
import { Drawing, sizes, swatch } from "./drawing.js";
import { blend, colour, token } from "./scene.js";

const LIMITS = [1000, 2000, 5000, 20000];
// The distance of the eye from the middle; points lie within 1 of it.
const EYE = 3.2;
// All but this share of the points fill the drawing: outliers may lie outside.
const FILLED = 0.97;
const NEAREST = 12;

const MAP = {
  title: "Map", operation: "embedding_map", busy: "Computing the map…", counted: "points",
  about: "Map of memories. Arrow keys turn it, plus and minus zoom, 0 shows all. The list beside it has the same memories.",
  colours: { cluster: "Cluster", type: "Type", project: "Project", age: "Age" },
  defaults: { project: "", colours: "cluster", flat: false, limit: 2000, observed: false },
  camera: { eye: EYE }, options: { depth: true },
};

export const show = (page) => new MapView(page, MAP).start();

class MapView extends Drawing {
  controls() {
    this.camera.turns = !this.state.flat;
    this.cluster = -1;
    this.flat = el("button", { type: "button", "aria-pressed": String(this.state.flat), onclick: () => this.flatten() }, "2-D");
    return [this.projects, this.colouring, this.select("Memories at most", "limit", LIMITS.map((value) => [value, `${digits(value)} at most`])), this.flat,
      el("label.row", null, el("input", { type: "checkbox", checked: this.state.observed, onchange: (event) => this.reload({ observed: event.target.checked }) }), "Observed")];
  }

  args() {
    const { project: name, limit, observed } = this.state;
    return { project: name, all_projects: name ? "" : true, limit, observed: observed || "" };
  }

  prepare() {
    this.cluster = -1;
    this.types = [...new Set(this.data.types)];
    this.span = [Math.min, Math.max].map((most) => this.data.created_at.reduce((a, b) => most(a, b), this.data.created_at[0]));
  }

  empty() {
    return [el("h2", null, "Nothing to show"), el("p", null, "The map shows memories that are embedded."), this.data.missing
      ? el("p", null, this.data.notes.join(" "), " ", el("a", { href: "#/health" }, "Health"), " shows what to do.") : el("p", null, el("a", { href: "#/welcome" }, "First steps"))];
  }

  summary() {
    const { ids, total, explained, notes } = this.data;
    return [ids.length < total ? `${digits(ids.length)} of ${count(total, "memory", "memories")}, an even sample` : count(total, "memory", "memories"),
      ` · ${Math.round(100 * explained.slice(0, this.state.flat ? 2 : 3).reduce((sum, part) => sum + part, 0))} % of the variance`, notes.length > 0 && ` · ${notes.join(" ")}`];
  }

  // --- look ---

  group(number) {
    const { colours } = this.state;
    if (colours === "type") return this.types.indexOf(this.data.types[number]);
    return colours === "project" ? this.data.projects[number] : this.data.clusters[number];
  }

  tint(number) {
    if (this.state.colours !== "age") return super.tint(number);
    const share = (this.data.created_at[number] - this.span[0]) / Math.max(this.span[1] - this.span[0], 1);
    return isDark() ? blend("#3d4266", "#c8ceff", share) : blend("#cfd3ee", "#2b38a8", share);
  }

  look(number) {
    const total = this.data.ids.length, base = (total > 8000 ? 6 : total > 2500 ? 8 : total > 300 ? 10 : 14) * EYE;
    const isOut = this.cluster >= 0 && this.data.clusters[number] !== this.cluster;
    return { size: base * (number === this.chosen ? 2 : isOut ? 0.6 : 1), tint: this.tint(number), strength: isOut ? 45 : 230 };
  }

  places() {
    const at = this.state.flat ? this.at.map((value, place) => (place % 3 === 2 ? 0 : value)) : this.at;
    this.middles = this.data.cluster_names.map((_, cluster) => this.nearest(this.centre(this.members(cluster), at), this.members(cluster), 1, at)[0] ?? -1);
    return at;
  }

  members(cluster) {
    return [...this.data.clusters.keys()].filter((number) => cluster < 0 || this.data.clusters[number] === cluster);
  }

  centre(members, at) {
    const sum = [0, 0, 0];
    for (const number of members) for (const axis of [0, 1, 2]) sum[axis] += at[number * 3 + axis] / members.length;
    return sum;
  }

  // The members that are nearest to a place.
  nearest(place, members, most, at = this.at) {
    const away = new Map(members.map((number) => [number, Math.hypot(...place.map((value, axis) => at[number * 3 + axis] - value))]));
    return members.sort((a, b) => away.get(a) - away.get(b)).slice(0, most);
  }

  *labels() {
    const dark = isDark(), { labels, cluster_names: names } = this.data;
    for (const number of [this.hovered, this.chosen]) if (number >= 0) yield [number, labels[number], { strong: true, always: true }];
    for (const [cluster, number] of this.middles.entries()) {
      const isOut = this.cluster >= 0 && this.cluster !== cluster;
      if (number >= 0 && !isOut) yield [number, names[cluster], { strong: true, centre: true, colour: this.state.colours === "cluster" ? colour(cluster, dark) : "" }];
    }
  }

  radius() {
    const away = this.data.ids.map((_, number) => Math.hypot(...this.at.subarray(number * 3, number * 3 + 3))).sort((a, b) => a - b);
    return Math.max(0.25, away[Math.floor(away.length * FILLED)] || 1);
  }

  flatten() {
    this.state.flat = !this.state.flat;
    this.camera.turns = !this.state.flat;
    this.flat.setAttribute("aria-pressed", String(this.state.flat));
    this.remember();
    if (this.data?.ids.length) { this.fit(); this.paint(); }
  }

  tell(number) {
    const { types, projects, project_names: spaces, created_at: created } = this.data;
    return `${types[number]} · ${project(spaces[projects[number]])} · ${day(created[number] * 1000)}`;
  }

  // --- choosing ---

  async open(id) {
    const number = this.data.ids.indexOf(id.replace(/^mem:/, ""));
    if (number >= 0) this.choose(number);
  }

  pick(row) {
    this.choose(row.number);
  }

  choose(number) {
    this.chosen = number;
    this.remember();
    this.paint();
    this.drawPanel();
  }

  showCluster(cluster) {
    this.chosen = -1;
    this.cluster = cluster === this.cluster ? -1 : cluster;
    this.paint();
    this.drawPanel();
  }

  clear() {
    if (!this.data?.ids.length) return;
    if (this.chosen < 0) this.cluster = -1;
    this.choose(-1);
  }

  // --- the lists beside the drawing ---

  drawPanel() {
    const { cluster_names: names, clusters } = this.data, dark = isDark();
    if (this.chosen >= 0) { this.drawChosen(); return; }
    const totals = new Map(sizes(clusters));
    const paint = (cluster) => (this.state.colours === "cluster" ? colour(cluster, dark) : token("--line-strong"));
    fill(this.panel, el("h2", null, count(names.length, "cluster")),
      this.legend(names.map((name, cluster) => [cluster, name, totals.get(cluster) || 0]), paint, (cluster) => this.showCluster(cluster), this.cluster),
      this.meaning(dark),
      el("h2", null, this.cluster >= 0 ? `Memories of ${names[this.cluster]}` : "Memories"), this.list(this.members(this.cluster).map((number) => this.row(number))));
  }

  row(number) {
    return { number, label: this.data.labels[number] };
  }

  drawChosen() {
    const { ids, types, projects, project_names: spaces, created_at: created, clusters, cluster_names: names } = this.data, number = this.chosen, id = encodeURIComponent(ids[number]);
    const others = this.nearest([...this.at.subarray(number * 3, number * 3 + 3)], this.members(-1).filter((other) => other !== number), NEAREST);
    fill(this.panel, this.chosenHead(types[number], [["Project", project(spaces[projects[number]])], ["Stored", day(created[number] * 1000)], ["Cluster", names[clusters[number]]]],
      [el("a.button", { href: `#/memory/${id}` }, "Open memory"), el("a", { href: `#/graph?node=mem:${id}` }, "Show in graph")]),
    el("h2", null, "Nearest on the map"), this.list(others.map((other) => this.row(other))));
  }

  // The meaning of the colours, where they do not stand for clusters.
  meaning(dark) {
    const { colours } = this.state;
    if (colours === "cluster") return null;
    if (colours === "age") return [el("h2", null, "Age"), el("p.small.quiet", null, `${day(this.span[0] * 1000)} (pale) to ${day(this.span[1] * 1000)} (strong)`)];
    const names = colours === "type" ? this.types : this.data.project_names.map(project), groups = sizes(this.data.ids.map((_, number) => this.group(number)));
    return [el("h2", null, MAP.colours[colours]), el("ul.list.meaning", null, groups.slice(0, 12).map(([group, total]) => el("li.row.small", null, swatch(colour(group, dark)), el("span.grow", null, names[group]), el("span.quiet", null, digits(total)))))];
  }
}
