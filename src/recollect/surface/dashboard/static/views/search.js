// Search as you type; without words, the newest memories. Filters and the state of the view are in the address.

import { get } from "../api.js";
import { add, el, fill, icon } from "../dom.js";
import { age, count, day, digits, project } from "../format.js";

const PAGE = 30;
// A pause in typing, in milliseconds.
const PAUSE = 140;
export const KINDS = ["decision", "pattern", "preference", "style", "habit", "insight", "context"];
const TIMES = [["", "Any time"], ["1d", "Last day"], ["1w", "Last week"], ["1m", "Last month"], ["1y", "Last year"]];
const DAYS = { "1d": 1, "1w": 7, "1m": 30, "1y": 365 };
// Without words, only the memories whose code has changed can be listed.
const STATES = [["", "Any freshness"], ["doubt", "Code changed"], ["fresh", "Code unchanged"], ["unanchored", "No code"]];
const DOUBTFUL = ["changed", "gone", "moved", "unverified"];

export async function show(page) {
  const oldest = await get("list_memories", { all_projects: true, observed: true, order: "oldest", limit: 1 }, page);
  if (!oldest.total) {
    const welcome = await import("./welcome.js");
    return welcome.show(page);
  }
  return new Search(page, oldest.memories[0]).open();
}

class Search {
  constructor(page, oldest) {
    this.page = page;
    this.days = oldest ? Math.max(1, Math.ceil((Date.now() / 1000 - oldest.created_at) / 86400)) : 1;
    this.state = Object.fromEntries(["q", "kind", "project", "since", "state", "ago"].map((name) => [name, page.params.get(name) || ""]));
    this.shown = PAGE;
    this.timer = 0;
    this.asking = null;
  }

  open() {
    this.box = el("input.query", { type: "search", value: this.state.q, placeholder: "Search memories", "aria-label": "Search memories",
      autocomplete: "off", spellcheck: "false", oninput: () => this.changed("q", this.box.value, PAUSE), onkeydown: (event) => this.typed(event) });
    this.results = el("ol.hits", { "aria-label": "Results" });
    this.heading = el("p.found.quiet.small", { role: "status" });
    this.notes = el("div.notes");
    this.more = el("div.more");
    fill(this.page.root, el("h1.sr", null, "Search"), el("div.searchbox", { role: "search" }, icon("search"), this.box, el("kbd", { "aria-hidden": "true" }, "/")),
      this.filters(), this.heading, this.notes, this.results, this.more);
    // With an answer on the page j and k move through it; without one, typing comes first.
    if (!this.state.q && matchMedia("(min-width: 721px)").matches) this.box.focus();
    this.fillProjects();
    return this.ask().then(() => ({ close: () => clearTimeout(this.timer) }));
  }

  filters() {
    const select = (name, label, options) => el("select", { "aria-label": label, onchange: (event) => this.changed(name, event.target.value) },
      options.map(([value, text]) => el("option", { value, selected: value === this.state[name] }, text)));
    const chosen = this.state.project;
    this.projects = select("project", "Project", [["", "All projects"], ...(chosen ? [[chosen, project(chosen)]] : [])]);
    this.moment = el("output.small", null, "");
    this.slider = el("input", { type: "range", min: -this.days, max: 0, value: this.state.ago ? -Number(this.state.ago) : 0, "aria-label": "As of this day",
      oninput: () => { this.tellMoment(); this.changed("ago", Number(this.slider.value) ? String(-this.slider.value) : "", PAUSE); } });
    this.tellMoment();
    return el("div.filters", null,
      select("kind", "Kind", [["", "All kinds"], ...KINDS.map((kind) => [kind, kind])]),
      this.projects,
      select("since", "Time", TIMES), this.states = select("state", "Freshness", STATES),
      el("label.asof", { title: "Show what was known at the end of a day" }, el("span", null, "as of"), this.slider, this.moment));
  }

  // The list of projects may take long in a large store: results do not wait for it.
  async fillProjects() {
    const spaces = await get("list_namespaces", {}, this.page);
    const names = spaces.namespaces.map((row) => row.namespace).filter((name) => name && name !== this.state.project).slice(0, 300);
    add(this.projects, names.map((name) => el("option", { value: name }, project(name))));
  }

  tellMoment() {
    const ago = -Number(this.slider.value);
    const told = ago ? day(Date.now() - ago * 86400e3) : "now";
    fill(this.moment, told);
    this.slider.setAttribute("aria-valuetext", told);
  }

  typed(event) {
    if (event.key === "ArrowDown" || event.key === "Enter") {
      const first = this.results.querySelector("[data-item]");
      if (!first) return;
      event.preventDefault();
      if (event.key === "Enter") first.click(); else first.focus();
    }
  }

  changed(name, value, pause = 0) {
    this.state[name] = value.trim() === value ? value : value.trim();
    this.shown = PAGE;
    this.page.setParams(this.state);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask().catch((problem) => this.failed(problem)), pause);
  }

  failed(problem) {
    if (problem.name === "AbortError") return;
    fill(this.heading, problem.message, " ", problem.hint);
    fill(this.results);
    fill(this.more);
  }

  // Ask for what is on the page; an older question that is still open is cancelled.
  async ask(more = false) {
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    this.page.signal.addEventListener("abort", () => asking.abort(), { once: true });
    this.page.root.setAttribute("aria-busy", "true");
    const { q, kind, since, state } = this.state;
    for (const option of this.states.options) option.disabled = !q && ["fresh", "unanchored"].includes(option.value);
    const where = { project: this.state.project, all_projects: !this.state.project, type: kind, since };
    const until = this.state.ago ? day(Date.now() - Number(this.state.ago) * 86400e3) : "";
    const options = { signal: asking.signal };
    const before = more && !q ? this.rows : [];
    if (more && q) this.shown += PAGE;
    const answer = q
      ? this.hits(await get("recall_memory", { ...where, query: q, as_of: until, limit: state ? 200 : this.shown, code: false }, options))
      : state === "doubt" ? this.drifted(await get("drift", { project: this.state.project, limit: 200 }, options))
      : this.listed(await get("list_memories", { ...where, until, archived: false, limit: PAGE, offset: before.length }, options), before);
    if (asking.signal.aborted) return;
    this.page.root.removeAttribute("aria-busy");
    this.draw(answer);
  }

  hits(answer) {
    const { state } = this.state;
    const fits = (hit) => !state || (state === "doubt" ? DOUBTFUL.includes(hit.freshness.verdict) : hit.freshness.verdict === state);
    const found = answer.hits.filter(fits);
    const told = state ? `${count(found.length, "result")} of the best ${digits(answer.hits.length)}` : `${found.length === this.shown ? "Best " : ""}${count(found.length, "result")}`;
    return { rows: found.slice(0, this.shown), told, notes: answer.notes, more: found.length >= this.shown && this.shown < 200 };
  }

  listed(answer, before) {
    const rows = [...before, ...answer.memories.map((memory) => ({ memory }))];
    const told = this.state.state ? "Type words to filter by freshness." : `${count(answer.total, "memory", "memories")}, newest first`;
    return { rows, told, notes: [], more: answer.total > rows.length };
  }

  drifted(answer) {
    const { kind, since, ago } = this.state;
    const days = ({ created_at: at }) => (Date.now() / 1000 - at) / 86400;
    const rows = answer.memories.filter(({ memory }) => !memory.observed && (!kind || memory.memory_type === kind) && days(memory) <= (DAYS[since] || Infinity) && days(memory) >= Number(ago));
    return { rows, told: `${count(rows.length, "memory", "memories")} whose code has changed`, notes: answer.notes, more: false };
  }

  draw({ rows, told, notes, more }) {
    this.rows = rows;
    const held = this.results.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    fill(this.heading, told);
    fill(this.notes, notes.map((note) => el("p", null, note)));
    fill(this.results, rows.map((row) => el("li", null, hit(row, this.state.q))));
    if (!rows.length && this.state.q) add(this.results, el("li.empty", null, el("p", null, "Nothing matches."), el("p.quiet", null, "Try other words, or remove a filter.")));
    // A late answer must not take the focus away from the list.
    if (held) (this.results.querySelector(`[href="${CSS.escape(held)}"]`) || this.results.querySelector("[data-item]"))?.focus();
    fill(this.more, more && el("button", { type: "button", onclick: () => this.ask(true) }, "Show more"));
  }
}

// One result: text, and a line of facts. The words of the query are marked.
export function hit(row, query = "") {
  const { memory, freshness } = row;
  const terms = row.signals?.matched_terms || query.split(/\s+/);
  return el("a.hit", { href: `#/memory/${encodeURIComponent(memory.id)}`, data: { item: "" } },
    el("span.hit-text", null, memory.title && el("strong", null, marked(memory.title, terms)), el("span", null, marked(excerpt(row), terms))),
    el("span.facts", null, kind(memory), el("span", null, project(memory.namespace)), el("time", { datetime: new Date(memory.created_at * 1000).toISOString(), title: day(memory.created_at * 1000) }, age(memory.created_at * 1000)),
      freshness && fresh(freshness), memory.expires_at && memory.expires_at * 1000 <= Date.now() && el("span.badge", null, "archived"),
      (row.superseded_by || memory.superseded_by) && el("span.badge.warn", null, memory.superseded_by ? "superseded" : "may be replaced"), row.reason && el("span.why", null, row.reason)),
    row.score !== undefined && el("span.score", { title: `relevance ${row.score.toFixed(2)}` }, meter(row.score), el("span", null, row.score.toFixed(2))));
}

export function kind(memory) {
  return el("span.kind", { data: { kind: memory.memory_type } }, memory.observed ? `${memory.category || "event"}` : memory.memory_type);
}

export function fresh(freshness) {
  const { verdict, note } = freshness;
  if (verdict === "unanchored") return null;
  const tone = { fresh: ".good", moved: ".accent", unverified: "" }[verdict] ?? ".warn";
  return el(`span.badge${tone}`, { title: note }, verdict === "fresh" ? "code unchanged" : verdict === "unverified" ? "code not checked" : `code ${verdict}`);
}

export function meter(value, label = "") {
  const bar = el("span.meter", label ? { role: "img", "aria-label": label } : { "aria-hidden": "true" }, el("span"));
  bar.firstChild.style.width = `${Math.round(100 * Math.min(1, Math.max(0, value)))}%`;
  return bar;
}

function excerpt(row) {
  const { content, title } = row.memory;
  const begin = row.passage ? Math.max(0, row.passage.start) : 0;
  const start = !begin && title && content.startsWith(title) ? title.length : begin;
  const text = content.slice(start, start + 400);
  return (begin ? "… " : "") + text + (content.length > start + 400 ? " …" : "");
}

function marked(text, terms) {
  const wanted = terms.filter((term) => term.length > 1).map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  if (!wanted.length) return text;
  const pattern = new RegExp(`(${wanted.join("|")})`, "giu");
  return text.split(pattern).map((part, place) => (place % 2 ? el("mark", null, part) : part));
}
