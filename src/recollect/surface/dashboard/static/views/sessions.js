// Sessions of assistants: a list by day, and one session with its events and the memories that were injected.

import { get } from "../api.js";
import { el, fill, icon } from "../dom.js";
import { age, count, cut, day, digits, moment, project } from "../format.js";

const PAGE = 40;
const USED = ["cited", "ran", "fixed", "touched", "gone"];
const AGAINST = ["amended", "retired", "returned", "useless"];

export async function show(page) {
  const view = new Sessions(page);
  await view.open();
  return { close: () => {} };
}

class Sessions {
  constructor(page) {
    this.page = page;
    this.chosen = page.parts[0] || "";
    this.rows = [];
  }

  async open() {
    this.list = el("div.session-list", { role: "navigation", "aria-label": "Sessions" });
    this.detail = el("div.session-detail");
    this.page.root.classList.add("wide");
    fill(this.page.root, el("h1", null, "Sessions"), el("div.sessions", { class: this.chosen ? "sessions has-chosen" : "sessions" }, this.list, this.detail));
    await this.more();
    if (!this.total) {
      fill(this.page.root, el("h1", null, "Sessions"), el("div.empty", null, el("p", null, "No session was recorded yet."), el("p.quiet", null, "Connect an assistant with ", el("code", null, "recollect init"), ". Its hooks record sessions.")));
      return;
    }
    const first = this.chosen || (matchMedia("(min-width: 901px)").matches && this.rows[0].id);
    if (first) await this.show(first);
  }

  async more() {
    const answer = await get("list_sessions", { all_projects: true, limit: PAGE, offset: this.rows.length }, this.page);
    this.rows.push(...answer.sessions);
    this.total = answer.total;
    this.drawList();
  }

  drawList() {
    const days = [];
    for (const row of this.rows) {
      const name = day(row.started_at * 1000);
      if (!days.length || days.at(-1).name !== name) days.push({ name, rows: [] });
      days.at(-1).rows.push(row);
    }
    fill(this.list, el("p.quiet.small", null, `${count(this.total, "session")}, newest first`),
      days.map((part) => [el("h2.day", null, part.name), el("ul", null, part.rows.map((row) => el("li", null, this.entry(row))))]),
      this.rows.length < this.total && el("button", { type: "button", onclick: () => this.more() }, "Show more"));
  }

  entry(row) {
    const here = row.id === this.chosen;
    return el("a.session", { href: `#/sessions/${encodeURIComponent(row.id)}`, "aria-current": here ? "true" : null, data: { item: "", id: row.id } },
      el("span.row", null, assistant(row.assistant), el("span.small.quiet.grow", null, project(row.namespace)), el("time.small.quiet", null, moment(row.started_at * 1000).slice(11))),
      el("span.clip", null, row.summary ? row.summary.split("\n")[0] : row.ended_at ? "No summary" : "Not ended"));
  }

  async show(id) {
    const view = await get("get_session", { session_id: id, limit: 300 }, this.page);
    const { session } = view;
    this.chosen = session.id;
    for (const link of this.list.querySelectorAll("a.session")) {
      if (link.dataset.id === session.id) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
    }
    const used = view.injected.filter((row) => USED.includes(row.evidence));
    const tokens = (rows) => about(rows.reduce((sum, row) => sum + row.tokens, 0));
    const until = session.ended_at || session.seen_at;
    const minutes = Math.max(0, Math.round((until - session.started_at) / 60));
    fill(this.detail,
      el("a.small.only-narrow", { href: "#/sessions" }, icon("back"), "All sessions"),
      el("div.row", null, assistant(session.assistant), el("strong", null, moment(session.started_at * 1000)), el("span.quiet.small", null, age(session.started_at * 1000)), !session.ended_at && el("span.badge", null, "not ended")),
      el("dl.numbers", null, number("duration", minutes ? count(minutes, "minute") : "under a minute"), number("events", digits(view.total)), number("memories stored", digits(session.memory_count)),
        number("injected", digits(view.injected_total)), number("of them used", digits(used.length)), number("tokens injected", tokens(view.injected)), number("tokens of used memories", tokens(used))),
      session.summary && el("p.memory-text.summary", null, session.summary),
      el("h2", null, "Timeline"), el("ol.timeline", null, this.timeline(view)),
      view.total > view.observations.length && el("p.quiet.small", null, `The latest ${digits(view.observations.length)} of ${count(view.total, "event")}.`));
  }

  // Events, and after each the memories that were injected at it.
  timeline(view) {
    const events = view.observations.map((row) => ({ at: row.at, order: 0, row }));
    const groups = new Map();
    for (const row of view.injected) {
      const key = `${row.at} ${row.event}`;
      if (!groups.has(key)) groups.set(key, { at: row.at, order: 1, event: row.event, rows: [] });
      groups.get(key).rows.push(row);
    }
    const all = [...events, ...groups.values()].sort((one, two) => one.at - two.at || one.order - two.order);
    return all.map((part) => (part.rows ? this.injected(part) : event(part.row)));
  }

  injected(group) {
    const used = group.rows.filter((row) => USED.includes(row.evidence)).length;
    const why = { session_start: "at the start", prompt: "for the prompt", tool: "after a failure", recall: "asked for" }[group.event] || group.event;
    return el("li.injected", null, el("details", { open: group.rows.length <= 4 },
      el("summary", null, el("span", null, `${count(group.rows.length, "memory", "memories")} injected ${why}`), el("span.small.quiet", null, used ? ` · ${used} used` : "")),
      el("ul", null, group.rows.map((row) => el("li", null, el("a", { href: `#/memory/${row.memory_id}`, data: { item: "" } }, cut(row.label)), outcome(row), row.why && el("span.why.small", null, row.why))))));
  }
}

function event(row) {
  const what = row.tool || row.event.replaceAll("_", " ");
  const open = row.memory_id ? el("a", { href: `#/memory/${row.memory_id}`, data: { item: "" } }, row.told || row.target || what) : el("span", null, row.told || row.target || what);
  return el("li", { class: row.outcome === "failed" ? "failed" : null }, el("time.small.quiet", null, moment(row.at * 1000).slice(11)), el("span.what.small", null, what), open, row.outcome === "failed" && el("span.badge.bad", null, "failed"));
}

function outcome(row) {
  if (!row.evidence) return el("span.badge", null, "undecided");
  if (USED.includes(row.evidence)) return el("span.badge.good", { title: row.outcome }, row.outcome || "used");
  if (AGAINST.includes(row.evidence)) return el("span.badge.bad", { title: row.outcome }, row.outcome);
  return el("span.badge", null, row.evidence === "unused" ? "not used" : row.evidence === "again" ? "shown before" : "not judged");
}

const assistant = (name) => el("span.assistant", { data: { name: name || "unknown" } }, name || "unknown");
const about = (total) => (total ? `about ${digits(total)}` : "0");
const number = (name, value) => el("div", null, el("dt", null, name), el("dd", null, value));
