// The context that an assistant gets: at the start of a session, or for a prompt; with the reason of each line.

import { get, post } from "../api.js";
import { announce, el, fill, icon } from "../dom.js";
import { count, digits, project } from "../format.js";
import { meter } from "./search.js";

export async function show(page) {
  const spaces = await get("list_namespaces", {}, page);
  return new Briefing(page, spaces.namespaces.filter((row) => row.namespace).slice(0, 300)).open();
}

class Briefing {
  constructor(page, spaces) {
    this.page = page;
    this.names = spaces.map((row) => row.namespace);
    const folder = this.names.find((name) => page.session.folder === name || page.session.folder.startsWith(`${name}/`));
    this.state = { project: page.params.get("project") || folder || this.names[0] || "", prompt: page.params.get("prompt") || "" };
    this.dismissed = new Map();
  }

  async open() {
    if (!this.names.length) {
      fill(this.page.root, el("h1", null, "Briefing"), el("div.empty", null, el("p", null, "An assistant gets nothing yet: no project has memories."), el("a", { href: "#/welcome" }, "First steps")));
      return null;
    }
    const select = el("select", { "aria-label": "Project", onchange: () => this.change({ project: select.value }) },
      this.names.map((name) => el("option", { value: name, selected: name === this.state.project }, project(name))));
    this.prompt = el("textarea", { rows: 2, "aria-label": "Prompt", placeholder: "Type a prompt, or leave it empty for the start of a session", value: this.state.prompt,
      oninput: () => { clearTimeout(this.timer); this.timer = setTimeout(() => this.change({ prompt: this.prompt.value.trim() }), 250); } });
    this.prompt.value = this.state.prompt;
    this.body = el("div");
    fill(this.page.root,
      el("h1", null, "Briefing"),
      el("p.lead", null, "What an assistant gets, word for word, and why. Looking at it records nothing."),
      el("div.ask", null, this.prompt, el("div.row", null, el("label", null, "Project "), select)),
      this.body);
    await this.draw();
    return { close: () => clearTimeout(this.timer) };
  }

  change(part) {
    Object.assign(this.state, part);
    this.page.setParams(this.state);
    this.draw().catch((problem) => { if (problem.name !== "AbortError") announce(problem.message, "bad"); });
  }

  async draw() {
    this.asking?.abort();
    const asking = this.asking = new AbortController();
    const answer = await get("preview_context", { project: this.state.project, prompt: this.state.prompt }, asking);
    if (asking.signal.aborted || this.page.signal.aborted) return;
    const when = this.state.prompt ? "For this prompt" : "At the start of a session";
    if (!answer.lines.length) {
      fill(this.body, el("div.empty", null, el("p", null, `${when} the assistant gets nothing.`),
        el("p.quiet", null, this.state.prompt ? "No memory is clearly about this prompt. Silence is better than noise." : "This project has no memories that are worth a line.")));
      return;
    }
    fill(this.body,
      el("div.row.size", null, el("h2", null, when), el("span.grow"), meter(answer.tokens / Math.max(1, answer.budget), "share of the token budget"),
        el("span.small.quiet", null, `${digits(answer.tokens)} of ${count(answer.budget, "token")}`)),
      el("div.brief", null, this.sections(answer.lines)),
      el("details", null, el("summary", null, "Exact text"), el("pre.raw", { tabindex: 0 }, answer.text)));
  }

  sections(lines) {
    const parts = [];
    for (const line of lines) {
      if (!parts.length || parts.at(-1).title !== line.section) parts.push({ title: line.section, lines: [] });
      parts.at(-1).lines.push(line);
    }
    return parts.map((part) => [part.title && el("h3", null, part.title), el("ul", null, part.lines.map((line) => this.line(line)))]);
  }

  line(line) {
    const text = line.text.replace(/^- /, "");
    if (!line.memory_id) return el("li.line", null, el("span.grow", null, text));
    const about = line.why && el("span.why.small", null, line.why);
    const useless = this.page.session.scope === "admin" && el("button.plain.small.useless", { type: "button", "aria-label": `Useless: ${text.slice(0, 80)}`, title: "Do not inject it again unless it is used", onclick: () => this.teach(line) }, icon("close"), el("span", null, "Useless"));
    return el("li.line", null, el("a.grow", { href: `#/memory/${line.memory_id}`, data: { item: "" } }, text, about), useless);
  }

  async teach(line) {
    const done = await post("memory_usefulness", { memory_id: line.memory_id, useless: true });
    await this.draw();
    const undo = el("button.plain.small", { type: "button", onclick: async () => { await post("undo", { batch: done.batch }); bar.remove(); await this.draw(); announce("Undone"); } }, icon("undo"), "Undo");
    const bar = el("p.note.row", { role: "status" }, el("span.grow", null, "It is not injected again until it is used, and similar memories count a little less."), undo);
    this.body.prepend(bar);
    undo.focus();
  }
}
