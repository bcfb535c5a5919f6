// Health: the store, its checks, index and models; drift to settle one by one; clean-up with preview, apply and undo.

import { get, post, send } from "../api.js";
import { ask } from "../app.js";
import { announce, el, fill, icon } from "../dom.js";
import { age, bytes, count, cut, digits, project } from "../format.js";
import { fresh, meter } from "./search.js";
import { source } from "./memory.js";

const CYCLES = {
  decay: ["Decay", "Unused memories lose importance."],
  creative: ["Links", "Similar memories of different kinds are linked."],
  cluster: ["Summaries", "A cluster of similar memories gets a summary."],
  forget: ["Forget", "Unimportant memories are archived, not deleted."],
};

export async function show(page) {
  const view = new Health(page);
  await view.open();
  return { keys: { K: () => view.settle("keep"), R: () => view.settle("retire") } };
}

class Health {
  constructor(page) {
    this.page = page;
    this.mayWrite = page.session.scope === "admin";
    this.skipped = 0;
  }

  async open() {
    const part = (name, id) => el("section", { id, "aria-label": name }, el("h2", null, name), el("div", null, el("p.quiet", null, "Loading…")));
    this.parts = { checks: el("div"), drift: part("Drift", "drift"), clean: part("Clean-up", "clean-up"), index: part("Indexed code", "indexed"), hooks: part("Assistants", "assistants"), models: part("Language models", "models") };
    fill(this.page.root, el("h1", null, "Health"), Object.values(this.parts));
    await Promise.all([this.drawChecks(), this.drawDrift(), this.drawClean(), this.drawModels()]);
    this.drawHooks();
  }

  into(name, ...children) {
    fill(this.parts[name].querySelector("h2 + div") || this.parts[name], children);
  }

  // --- store and checks ---

  async drawChecks() {
    const [health, stats] = await Promise.all([get("health", {}, this.page), get("stats", {}, this.page)]);
    const bad = health.checks.filter((check) => check.status !== "ok");
    const headline = { ok: "Everything works.", degraded: `Works, with ${count(bad.length, "limitation")}.`, failed: "Something is broken." }[health.status];
    const number = (name, value, note = "") => el("div", null, el("dt", null, name), el("dd", null, value), note && el("dd.small.quiet", null, note));
    const waiting = stats.pending_embeddings ? `${digits(stats.pending_embeddings)} wait` : "";
    fill(this.parts.checks,
      el("p.lead", null, dot(health.status), headline, el("span.quiet", null, ` recollect ${health.version}`)),
      el("dl.numbers.large", null, number("memories", digits(stats.memories), count(stats.namespaces, "project")), number("embedded", share(stats.embeddings, stats.memories), waiting),
        number("symbols of code", digits(stats.code_symbols), stats.pending_code_embeddings ? `${digits(stats.pending_code_embeddings)} chunks wait` : count(stats.code_files, "file")), number("sessions", digits(stats.sessions)),
        number("injected", digits(stats.offered), stats.offered ? `${share(stats.used, stats.offered)} used` : ""), number("on disk", bytes(stats.database_bytes), `schema ${stats.schema_version}`)),
      el("ul.checks", null, health.checks.map((check) => el("li", null, dot(check.status), el("strong", null, check.name), el("span.grow", null, check.detail, check.status !== "ok" && check.mend && el("span.mend", null, check.mend))))));
    this.drawIndex(stats);
  }

  drawIndex(stats) {
    if (!stats.indexed.length) { this.into("index", el("p.quiet", null, "No code is indexed. Run ", el("code", null, "recollect index ."), " in a project.")); return; }
    this.into("index", el("ul.rows", null, stats.indexed.slice(0, 12).map((row) => el("li", null, el("code.grow.clip", { title: row.root }, row.root), el("span.small.quiet", null, row.indexed_at ? `updated ${age(row.indexed_at * 1000)}` : "not finished"),
      this.mayWrite && el("button.small", { type: "button", onclick: (event) => this.index(row.root, event.currentTarget) }, "Update")))),
      stats.indexed.length > 12 && el("p.small.quiet", null, `and ${digits(stats.indexed.length - 12)} more`));
  }

  async index(root, button) {
    button.disabled = true;
    fill(button, "Indexing…");
    try {
      const done = await post("index_codebase", { path: root }, this.page);
      announce(`${project(root)}: ${count(done.read, "file")} read`);
    } finally {
      await this.drawChecks();
      await this.drawDrift();
    }
  }

  // --- drift ---

  async drawDrift() {
    const answer = await get("drift", { limit: 50 }, this.page);
    // What people and assistants stated comes before what hooks saw.
    this.drifted = answer.memories.sort((one, two) => one.memory.observed - two.memory.observed);
    this.total = answer.total;
    this.skipped = Math.min(this.skipped, Math.max(0, this.drifted.length - 1));
    if (!this.drifted.length) { this.into("drift", el("p.quiet", null, dot("ok"), "No memory needs a decision about changed code.")); return; }
    const { memory, freshness } = this.drifted[this.skipped];
    const anchor = freshness.anchors.find((row) => row.symbol && row.verdict !== "gone");
    const code = el("div.source");
    const button = (label, act, kind) => el(kind ? `button.${kind}` : "button", { type: "button", onclick: act }, label);
    this.into("drift",
      el("p.quiet.small", { role: "status" }, `${digits(this.skipped + 1)} of ${count(this.total, "memory", "memories")} whose code has changed or is gone.`),
      el("div.case", null,
        el("div.row", null, fresh(freshness), el("span.small.quiet.grow", null, freshness.note), el("a.small", { href: `#/memory/${memory.id}`, data: { item: "" } }, "Open")),
        el("p.memory-text", null, memory.content), code,
        el("div.row.actions", { role: "group", "aria-label": "Settle drift" },
          this.mayWrite && [button("Still true", () => this.settle("keep")), button("Correct", () => this.correct()), button("Retire", () => this.settle("retire"))],
          el("span.grow"), this.drifted.length > 1 && button("Next", () => { this.skipped = (this.skipped + 1) % this.drifted.length; this.drawDrift(); }, "plain"))));
    if (anchor) {
      const symbol = `${anchor.now_path || anchor.path}::${anchor.now_symbol || anchor.symbol}`;
      const found = await get("get_symbol_info", { symbol, project: memory.namespace, with_source: this.mayWrite }, this.page).catch(() => null);
      if (found?.source) fill(code, source(found.source, found.symbol.start_line));
    }
  }

  async settle(action, more = {}) {
    const row = this.drifted?.[this.skipped];
    if (!row || !this.mayWrite) return;
    const done = await post("settle_drift", { memory_id: row.memory.id, action, ...more });
    await this.drawDrift();
    this.undoable(this.parts.drift, { keep: "Kept.", update: "Corrected.", retire: "Retired." }[action], done.batch, () => this.drawDrift());
  }

  async correct() {
    const row = this.drifted[this.skipped];
    const box = el("textarea", { rows: 6, "aria-label": "New text", required: true });
    box.value = row.memory.content;
    if (await ask("Correct memory", el("div.form", null, box), [["Cancel", ""], ["Save", "save", "primary"]]) === "save" && box.value.trim()) await this.settle("update", { content: box.value.trim() });
  }

  // Say what was done above a section, with a button that takes it back.
  undoable(section, text, batch, redraw) {
    section.querySelector(".note")?.remove();
    const undo = async () => { await post("undo", { batch }); bar.remove(); announce("Undone"); await redraw(); };
    const bar = el("p.note.row", { role: "status" }, el("span.grow", null, text), batch && el("button.plain.small", { type: "button", onclick: undo }, icon("undo"), "Undo"));
    section.querySelector("h2").after(bar);
    bar.querySelector("button")?.focus();
  }

  // --- clean-up ---

  async drawClean() {
    const status = await get("consolidation_status", {}, this.page);
    this.into("clean",
      el("p.quiet.small", null, status.automatic ? "A running server does this by itself, except forgetting." : "It runs only on request.", status.archived > 0 && ` ${count(status.archived, "memory is", "memories are")} archived.`),
      el("ul.rows.cycles", null, Object.entries(CYCLES).map(([cycle, [title, text]]) => this.cycle(title, text, cycle, status.cycles.find((row) => row.cycle === cycle)))));
  }

  cycle(title, text, cycle, last) {
    const body = el("div.plan");
    const preview = async (note = "") => {
      fill(body, el("p.quiet", null, "Planning…"));
      this.plan(body, cycle, await post(`consolidate_${cycle}`, { preview: true, limit: 8 }, this.page), preview, note);
    };
    const ran = last?.last_run_at ? `last run ${age(last.last_run_at * 1000)}, ${count(last.last_affected, "memory", "memories")}${last.undone ? ", undone" : ""}` : "never run";
    return el("li", null, el("div.row", null, el("div.grow", null, el("strong", null, title), el("div.small.quiet", null, `${text} ${ran[0].toUpperCase()}${ran.slice(1)}.`)),
      this.mayWrite && last?.last_batch && !last.undone && el("button.plain.small", { type: "button", onclick: async () => { await post("undo", { batch: last.last_batch }); announce("Undone"); await this.drawClean(); } }, icon("undo"), "Undo last run"),
      this.mayWrite && el("button", { type: "button", "aria-label": `Preview ${title}`, onclick: () => preview().catch((problem) => fill(body, el("p.quiet", null, problem.message))) }, "Preview")), body);
  }

  plan(body, cycle, plan, preview, note) {
    if (!plan.affected) { fill(body, el("p.quiet.small", null, `Nothing to do: ${count(plan.considered, "memory was", "memories were")} considered.`, plan.notes.map((note) => ` ${note}`))); return; }
    const apply = async () => {
      const done = await post(`consolidate_${cycle}`, { plan: plan.plan }).catch((problem) => { if (problem.code !== "CONFLICT") throw problem; });
      if (!done) { await preview("Memories have changed since the preview. This is the new plan."); return; }
      await this.drawClean();
      this.undoable(this.parts.clean, `${CYCLES[cycle][0]}: ${count(done.affected, "memory", "memories")} changed.`, done.batch, () => this.drawClean());
    };
    fill(body, note && el("p.note.small", { role: "status" }, note), el("div.row", null, el("p.small.grow", null, `Would change ${count(plan.affected, "memory", "memories")} of ${digits(plan.considered)}.`),
      el("button.primary.small", { type: "button", onclick: apply }, "Apply"), el("button.small", { type: "button", onclick: () => fill(body) }, "Discard")),
      el("ol.steps-list", null, plan.steps.map((step) => el("li", null, el("a", { href: `#/memory/${step.memory_ids[0]}`, data: { item: "" } }, step.title || cut(step.label) || step.memory_ids[0]),
        el("span.small.quiet", null, [step.before !== null && step.after !== null && `importance ${step.before.toFixed(2)} → ${step.after.toFixed(2)}`, step.relationship && step.relationship.toLowerCase().replaceAll("_", " "), step.why].filter(Boolean).join(" · "))))),
      plan.steps_total > plan.steps.length && el("p.small.quiet", null, `and ${digits(plan.steps_total - plan.steps.length)} more`));
  }

  // --- assistants and models ---

  drawHooks() {
    if (!this.mayWrite) { this.into("hooks", el("p.quiet", null, "Checks start programs: run without --read-only, or use ", el("code", null, "recollect doctor"), ".")); return; }
    const check = async (event) => {
      event.currentTarget.disabled = true;
      const list = el("div", null, el("p.quiet", null, "Checking hooks and servers…"));
      this.into("hooks", list);
      const { checks } = await send("/doctor.json", { method: "POST", signal: this.page.signal });
      const tone = { ok: "ok", warning: "degraded", problem: "failed" };
      fill(list, el("ul.checks", null, checks.map((row) => el("li", null, dot(tone[row.status]), el("strong", null, `${row.subject} ${row.name}`), el("span.grow", null, row.found, row.remedy && el("span.mend", null, row.remedy))))));
    };
    this.into("hooks", el("p.quiet", null, "Checks that the hooks and the MCP server of each connected assistant work, as ", el("code", null, "recollect doctor"), " does."), el("button", { type: "button", onclick: check }, "Check now"));
  }

  async drawModels() {
    const answer = await get("model_spending", { days: 30 }, this.page);
    if (!answer.today.length && !answer.days.length) { this.into("models", el("p.quiet", null, "No language model is configured. recollect works without one.")); return; }
    const most = Math.max(1, ...answer.days.map((row) => row.tokens));
    this.into("models",
      answer.today.map((row) => el("p", null, el("strong", null, row.model), ` today: ${digits(row.calls)} of ${digits(row.max_calls)} calls, ${digits(row.tokens)} of ${digits(row.max_tokens)} tokens`, row.paused_s > 0 && el("span.badge.warn", null, `paused after a failure: ${row.last_failure}`))),
      Object.keys(answer.waiting).length > 0 && el("p.small.quiet", null, `Waiting: ${Object.entries(answer.waiting).map(([kind, value]) => `${digits(value)} to ${kind}`).join(", ")}`),
      el("ul.rows", null, answer.days.map((row) => el("li", null, el("span", null, row.day), el("span.small.quiet.grow", null, row.model), meter(row.tokens / most, `${digits(row.tokens)} tokens`), el("span.small", null, `${digits(row.tokens)} tokens, ${count(row.calls, "call")}`)))));
  }
}

const share = (part, whole) => (whole ? `${Math.round((100 * part) / whole)} %` : "0 %");
const dot = (status) => el(`span.dot.${{ ok: "good", degraded: "warn", failed: "bad" }[status]}`, { role: "img", "aria-label": { ok: "ok", degraded: "limited", failed: "failed" }[status] });
