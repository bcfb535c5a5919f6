// The first page when nothing is stored yet: what to do, with commands to copy.

import { announce, el, fill, icon } from "../dom.js";

const STEPS = [
  ["Connect your assistant", "It stores what you decide and gets it back at the next session.", "recollect init"],
  ["Import what your projects already know", "Decisions and lessons from the git log, ADRs, documentation and transcripts.", "recollect import-history ."],
  ["Index your code", "Memories are then linked to code, and you see when that code changes.", "recollect index ."],
  ["Or store the first memory by hand", "One self-contained fact: a decision and its reason.", 'recollect store "We use tabs in Makefiles" --type decision'],
];

export async function show(page) {
  fill(page.root, el("div.welcome", null,
    el("h1", null, "Nothing is stored yet"),
    el("p.lead", null, "recollect keeps what you and your assistants decide and learn, on this machine. Run one of these in a project folder:"),
    el("ol.steps", null, STEPS.map(([title, text, command]) => el("li", null, el("h2", null, title), el("p.quiet", null, text), copyable(command)))),
    el("p.quiet.small", null, "Reload this page afterwards.", page.session.folder && ` The dashboard was started in ${page.session.folder}.`)));
}

function copyable(command) {
  const copy = () => navigator.clipboard.writeText(command).then(() => announce("Copied"), () => announce("Select the text to copy it"));
  return el("div.command", null, el("code", null, command), el("button.plain", { type: "button", "aria-label": `Copy: ${command}`, onclick: copy, data: { item: "" } }, icon("copy")));
}
