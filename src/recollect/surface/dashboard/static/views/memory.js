// One memory: its text, its code, its links, its history; and everything that can be done with it.

import { get, post } from "../api.js";
import { ask, back } from "../app.js";
import { announce, el, fill, icon } from "../dom.js";
import { age, count, day, moment, project, short } from "../format.js";
import { fresh, kind, KINDS, meter } from "./search.js";

const HISTORY = 20;
// Fields of a change that people recognise, in this order.
const FIELDS = ["content", "title", "memory_type", "importance", "confidence", "tags", "namespace", "superseded_by", "valid_to", "expires_at"];
const NAMES = { memory_type: "type", namespace: "project", superseded_by: "superseded by", valid_to: "valid until", expires_at: "archived" };

export async function show(page) {
  const view = new MemoryPage(page, page.parts[0] || "");
  await view.load();
  return { keys: { e: () => view.edit(), u: () => view.undoLast() } };
}

class MemoryPage {
  constructor(page, id) {
    this.page = page;
    this.id = id;
    this.mayWrite = page.session.scope === "admin";
  }

  async load() {
    this.memory = await get("get_memory", { memory_id: this.id }, this.page);
    this.id = this.memory.id;
    const [links, history, use] = await Promise.all([
      get("graph_traverse", { start_id: this.id, max_depth: 1, limit: 60 }, this.page).catch(none),
      get("list_changes", { memory_id: this.id, limit: HISTORY }, this.page).catch(none),
      this.mayWrite ? post("memory_usefulness", { memory_id: this.id }, this.page).catch(none) : null]);
    this.links = (links?.nodes || []).filter((row) => row.via);
    this.history = history || { changes: [], total: 0 };
    this.use = use?.memories?.[0] || null;
    this.draw();
  }

  draw() {
    const { memory } = this;
    const replaces = this.links.filter((row) => row.via.relationship === "SUPERSEDES");
    document.title = `${(memory.title || memory.content).slice(0, 60)} · recollect`;
    fill(this.page.root,
      el("div.row.crumbs", null, el("button.plain", { type: "button", onclick: back, "aria-label": "Back" }, icon("back"), "Back"), el("span.grow"), kind(memory), fresh(memory.freshness), archived(memory) && el("span.badge", null, "archived")),
      el("div.split", null,
        el("article", null,
          el("h1.memory-title", memory.title ? null : { class: "sr" }, memory.title || "Memory"),
          el("p.memory-text", null, memory.content),
          this.superseded(replaces),
          this.actions(),
          this.code(), this.linked(replaces), this.changes()),
        this.facts()));
    this.fillCode();
  }

  superseded(replaces) {
    const link = (row) => el("a", { href: `#/memory/${row.node.memory_id}`, data: { item: "" } }, row.node.label);
    const older = replaces.filter((row) => row.via.forwards);
    const newer = replaces.filter((row) => !row.via.forwards);
    return [newer.length > 0 && el("p.note.warn", null, "Superseded by: ", newer.map(link)), older.length > 0 && el("p.note", null, "Replaces: ", older.map(link))];
  }

  facts() {
    const { memory } = this;
    const used = this.use ? this.use.told : "not injected yet";
    const rows = [
      ["Project", project(memory.namespace)],
      ["Stored", el("time", { title: moment(memory.created_at * 1000) }, age(memory.created_at * 1000))],
      memory.updated_at !== memory.created_at && ["Changed", el("time", { title: moment(memory.updated_at * 1000) }, age(memory.updated_at * 1000))],
      ["Importance", [meter(memory.importance), memory.importance.toFixed(2)]],
      ["Confidence", [meter(memory.confidence), memory.confidence.toFixed(2)]],
      ["Helped", this.mayWrite ? used : "run without --read-only to see"],
      ["Read", count(memory.access_count, "time")],
      ["Source", [memory.source, memory.author && ` (${memory.author})`]],
      memory.session_id && ["Session", el("a", { href: `#/sessions/${encodeURIComponent(memory.session_id)}` }, short(memory.session_id))],
      memory.branch && ["Branch", el("code", null, memory.branch)],
      memory.tags.length > 0 && ["Tags", el("span.row", null, memory.tags.map((tag) => el("span.badge", null, tag)))],
      ["Id", el("code", { title: memory.id }, short(memory.id))],
    ].filter(Boolean);
    return el("aside", { "aria-label": "Facts" }, el("dl.fact-list", null, rows.map(([name, value]) => [el("dt", null, name), el("dd", null, value)])),
      el("a.small", { href: `#/graph?node=${encodeURIComponent(`mem:${memory.id}`)}` }, "Show in graph"));
  }

  actions() {
    if (!this.mayWrite) return null;
    const button = (label, act, kindOf = "") => el(kindOf ? `button.${kindOf}` : "button", { type: "button", onclick: act }, label);
    const doubtful = ["changed", "gone", "unverified", "moved"].includes(this.memory.freshness.verdict);
    return el("div.row.actions", { role: "group", "aria-label": "Actions" },
      button("Edit", () => this.edit()), button("Supersede", () => this.supersede()),
      doubtful && button("Still true", () => this.settle("keep")), doubtful && button("Correct", () => this.correct()), doubtful && button("Retire", () => this.settle("retire")),
      archived(this.memory) ? button("Restore", () => this.run("restore_memory", { memory_id: this.id }, "Restored")) : button("Archive", () => this.run("archive_memory", { memory_id: this.id }, "Archived: searches leave it out")),
      el("span.grow"), button("Delete", () => this.remove(), "danger"), button("Purge", () => this.purge(), "danger"));
  }

  async run(operation, args, said) {
    const answer = await post(operation, args);
    announce(said);
    await this.load();
    this.page.root.querySelector(".actions button")?.focus();
    return answer;
  }

  async edit() {
    if (!this.mayWrite) return;
    const { memory } = this;
    const content = el("textarea", { rows: 7, "aria-label": "Text", required: true });
    content.value = memory.content;
    const title = el("input", { type: "text", "aria-label": "Title", value: memory.title || "" });
    const type = el("select", { "aria-label": "Kind" }, KINDS.map((name) => el("option", { value: name, selected: name === memory.memory_type }, name)));
    const weight = el("input", { type: "range", min: 0, max: 1, step: 0.05, value: memory.importance, "aria-label": "Importance" });
    const tags = el("input", { type: "text", "aria-label": "Tags, separated by commas", value: memory.tags.join(", ") });
    const form = el("div.form", null, field("Text", content), field("Title", title), field("Kind", type), field("Importance", weight), field("Tags", tags));
    if (await ask("Edit memory", form, [["Cancel", ""], ["Save", "save", "primary"]]) !== "save") return;
    const changed = { memory_id: this.id };
    if (content.value !== memory.content) changed.content = content.value;
    if (title.value !== (memory.title || "")) changed.title = title.value;
    if (type.value !== memory.memory_type) changed.type = type.value;
    if (Number(weight.value) !== memory.importance) changed.importance = Number(weight.value);
    const list = tags.value.split(",").map((tag) => tag.trim()).filter(Boolean);
    if (list.join() !== memory.tags.join()) changed.tags = list;
    if (Object.keys(changed).length > 1) await this.run("update_memory", changed, "Saved");
  }

  async correct() {
    const text = await this.written("Correct memory", "The text that is true for the code as it is now.", this.memory.content);
    if (text) await this.settle("update", { content: text });
  }

  async settle(action, more = {}) {
    const said = { keep: "Kept: compared with the present code from now on", update: "Corrected", retire: "Retired: it ranks lower and is not packed" }[action];
    await this.run("settle_drift", { memory_id: this.id, action, ...more }, said);
  }

  async supersede() {
    const text = await this.written("Supersede memory", "The new memory replaces this one. This one stays, marked as superseded.", "");
    if (!text) return;
    const { memory } = this;
    const answer = await post("store_memory", { content: text, type: memory.memory_type, project: memory.namespace || undefined, global: !memory.namespace, importance: memory.importance, tags: memory.tags, supersedes: memory.id });
    announce("Superseded");
    location.hash = `#/memory/${answer.memory.id}`;
  }

  async written(title, note, start) {
    const box = el("textarea", { rows: 6, "aria-label": "New text", required: true });
    box.value = start;
    const told = await ask(title, el("div.form", null, el("p.quiet", null, note), box), [["Cancel", ""], ["Save", "save", "primary"]]);
    return told === "save" ? box.value.trim() : "";
  }

  async remove() {
    const told = await ask("Delete memory?", el("p", null, "Its links and its vector are deleted with it. Undo brings them back."), [["Cancel", ""], ["Delete", "delete", "danger"]]);
    if (told !== "delete") return;
    const answer = await post("delete_memory", { memory_id: this.id });
    const undo = el("button", { type: "button", onclick: async () => { await post("undo", { batch: answer.batch }); announce("Restored"); await this.load(); } }, icon("undo"), "Undo");
    fill(this.page.root, el("div.empty", null, el("h1", null, "Deleted"), el("p.row.center", null, undo, el("a", { href: "#/search" }, "Back to search"))));
    undo.focus();
  }

  async purge() {
    const plan = await post("purge_memories", { memory_ids: [this.id], dry_run: true });
    const facts = [["memory", plan.memories.length, "memories"], ["part or summary", plan.along.length, "parts and summaries"], ["log entry", plan.changes, "log entries"]];
    const content = el("div", null, el("p", null, "This removes every trace from the database, for good. It cannot be undone. Exports and backups are not touched."),
      el("ul", null, facts.filter(([, number]) => number).map(([one, number, many]) => el("li", null, count(number, one, many)))), plan.notes.map((note) => el("p.note.small", null, note)));
    if (await ask("Purge memory for good?", content, [["Cancel", ""], ["Purge", "purge", "danger"]]) !== "purge") return;
    const done = await post("purge_memories", { memory_ids: [this.id] });
    fill(this.page.root, el("div.empty", null, el("h1", null, "Purged"), el("p.quiet", null, done.scrubbed ? "No byte of it is left in the database files." : done.notes.join(" ")), el("a", { href: "#/search" }, "Back to search")));
  }

  // --- code ---

  code() {
    const { anchors } = this.memory.freshness;
    if (!anchors.length) return null;
    return el("section", { "aria-label": "Code" }, el("h2", null, "Code"), this.memory.freshness.note && el("p.quiet.small", null, this.memory.freshness.note),
      anchors.slice(0, 8).map((anchor, place) => el("div.anchor", { data: { place } },
        el("div.row", null, el("code.grow", null, (anchor.now_path || anchor.path) + (anchor.symbol ? `::${anchor.now_symbol || anchor.symbol}` : "")), fresh({ verdict: anchor.verdict, note: anchor.since ? `since ${moment(anchor.since * 1000)}` : "" }),
          anchor.different > 0 && el("span.small.quiet", null, `${Math.round(100 * anchor.different)} % different`)),
        el("div.source"))));
  }

  async fillCode() {
    const { anchors } = this.memory.freshness;
    for (const node of this.page.root.querySelectorAll(".anchor")) {
      const anchor = anchors[Number(node.dataset.place)];
      if (!anchor.symbol || anchor.verdict === "gone") continue;
      const symbol = `${anchor.now_path || anchor.path}::${anchor.now_symbol || anchor.symbol}`;
      const found = await get("get_symbol_info", { symbol, project: this.memory.namespace, with_source: this.mayWrite }, this.page).catch(none);
      const text = found?.source || found?.symbol?.signature;
      if (text) fill(node.querySelector(".source"), source(text, found.symbol.start_line));
    }
  }

  // --- links and history ---

  linked(replaces) {
    const others = this.links.filter((row) => !replaces.includes(row));
    if (!others.length) return null;
    return el("section", { "aria-label": "Links" }, el("h2", null, "Links"), el("ul.links", null, others.map((row) => {
      const verb = row.via.relationship.toLowerCase().replaceAll("_", " ");
      const where = row.node.memory_id ? `#/memory/${row.node.memory_id}` : `#/graph?node=${encodeURIComponent(row.node.id)}`;
      return el("li", null, el("span.small.quiet", null, row.via.forwards ? verb : `← ${verb}`), el("a", { href: where, data: { item: "" } }, row.node.label), !row.node.memory_id && el("span.kind", null, row.node.kind));
    })));
  }

  changes() {
    const { changes, total } = this.history;
    if (!changes.length) return null;
    return el("section", { "aria-label": "History" }, el("h2", null, "History"), el("ol.history", null, changes.map((change, place) => this.change(change, place))),
      total > changes.length && el("p.quiet.small", null, `The latest ${changes.length} of ${total} changes.`));
  }

  change(change, place) {
    // What a field was before is in the change; what it became, in the change after it, or in the memory now.
    const after = (name) => { for (let next = place - 1; next >= 0; next -= 1) if (this.history.changes[next].before) return this.history.changes[next].before[name]; return this.memory[name]; };
    const rows = change.before ? FIELDS.filter((name) => JSON.stringify(change.before[name]) !== JSON.stringify(after(name))).map((name) => [name, change.before[name], after(name)]) : [];
    const verb = { insert: "stored", delete: "deleted", update: "changed" }[change.action];
    return el("li", null,
      el("div.row", null, el("span", null, verb), el("span.small.quiet", null, `by ${change.operation.split(" ")[0].replaceAll("_", " ")}`), el("time.small.quiet", { title: moment(change.at * 1000) }, age(change.at * 1000)), el("span.grow"),
        this.mayWrite && change.action !== "insert" && el("button.plain.small", { type: "button", "aria-label": `Undo this change of ${moment(change.at * 1000)}`, onclick: () => this.undo(change.batch) }, icon("undo"), "Undo")),
      rows.length > 0 && el("dl.diff", null, rows.map(([name, before, now]) => [el("dt", null, NAMES[name] || name), el("dd", null, el("del", null, told(name, before)), " ", el("ins", null, told(name, now)))])));
  }

  async undo(batch) {
    const { changes } = await get("list_changes", { batch, limit: 1000 });
    const others = new Set(changes.filter((row) => row.entity_id !== this.id && row.entity === "memories").map((row) => row.entity_id)).size;
    if (others && await ask("Undo the whole batch?", el("p", null, `This change was part of a batch that also changed ${count(others, "other memory", "other memories")}.`), [["Cancel", ""], ["Undo all", "undo", "primary"]]) !== "undo") return;
    await this.run("undo", { batch }, "Undone");
  }

  undoLast() {
    const last = this.history.changes.find((change) => change.action !== "insert");
    if (last && this.mayWrite) this.undo(last.batch);
  }
}

const none = () => null;
const archived = (memory) => Boolean(memory.expires_at && memory.expires_at * 1000 <= Date.now());
const field = (label, input) => el("label.field", null, el("span", null, label), input);

function told(name, value) {
  if (value === null || value === undefined || value === "") return "nothing";
  if (name === "valid_to" || name === "expires_at") return day(value * 1000);
  return Array.isArray(value) ? value.join(", ") || "nothing" : String(value);
}

// Source with line numbers. The numbers are not selected with the text.
export function source(text, first = 1) {
  const lines = text.split("\n");
  return el("pre.code", { tabindex: 0, "aria-label": "Source" }, lines.map((line, place) => el("span.code-line", null, el("span.number", { "aria-hidden": "true", data: { n: first + place } }), el("code", null, `${line}\n`))));
}
