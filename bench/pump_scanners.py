"""The scanners of outside text: a name, the modules behind it, and a function of a text.

Each function is the entry that the product uses, or the nearest one below it that needs no store. `pump.py` repeats
fragments in its text and compares the time of n and 2n.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from recollect import git
from recollect.capture import compress as compressed
from recollect.capture import (
    difference,
    error_fingerprint,
    extract,
    filter,
    fixes,
    injection_evidence,
    invocation,
    outcome,
    payload,
    session_llm_prompt,
    statements,
    summary,
    transcript_tail,
)
from recollect.capture.extract import file_tools, shell_tool
from recollect.capture.observation import BadPayload
from recollect.capture.transcripts.table import BY_NAME as TRANSCRIPTS
from recollect.capture.transcripts.turn import Line, Reading
from recollect.code.anchors import code_sketch, find, mention, normalised_file
from recollect.code.diff import runner_commands
from recollect.code.diff import unified_diff as diff_parse
from recollect.code.index import (
    card,
    chunks,
    doc_comments,
    endpoints,
    exclusions,
    file_reader,
    fixture_uses,
    ignore_rules,
    import_lines,
    import_statements,
    languages,
    page,
    python_outline,
    source_entities,
)
from recollect.code.index.extract import outline
from recollect.code.manifests import families, package_resolution, version_ranges
from recollect.code.resolve import facts, translate
from recollect.code.search import question, report
from recollect.code.snippets import analyse, concepts, language_guess, snippet_prompts
from recollect.consolidate import extract as summaries
from recollect.consolidate import tell
from recollect.engine.hook_responses import briefing, context_block, work_in_progress
from recollect.engine.review import diff_memories
from recollect.engine.sessions import hook_ingest
from recollect.episodic import boundary
from recollect.episodic.chunker import ContextualChunker
from recollect.errors import RecollectError
from recollect.hierarchy import designs, saying, stack
from recollect.history import code_notes, commit_log, commit_message, project_documents
from recollect.history import commits as history_git
from recollect.history.history_record import Text
from recollect.importing import basic_memory, import_records, markdown_pages
from recollect.importing import fields as migrate_fields
from recollect.model import Memory, Observed
from recollect.patterns import project_lessons, usage_patterns
from recollect.recall import amend, changes, judge, query, statement, supersede, tag
from recollect.render import untrusted
from recollect.surface.assistants import jsonc, toml
from recollect.surface.mcp import jsonrpc
from recollect.text import (
    dates,
    display,
    embedding_text,
    identifiers,
    llm_answers,
    paraphrases,
    passage_features,
    passages,
    questions,
    terms,
    time_arguments,
    token_count,
)
from recollect.text.redaction import redact  # fmt: skip

AT = 1_767_571_200
PLACE = Place("/p", "/p")


class Scanner(NamedTuple):
    """A function of a text, and the modules whose patterns and loops it runs.

    start, end: put around the text, so that it gets past what is looked at first
    parsed_as: the language whose tree it reads
    """

    name: str
    modules: tuple[str, ...]
    scan: Callable[[str], object]
    start: str = ""
    end: str = ""
    parsed_as: str = ""

    def scan_safely(self, text: str) -> None:
        """Scan a text; the scanner may refuse it."""
        with contextlib.suppress(REFUSED):
            self.scan(text)


def scanners() -> Iterator[Scanner]:
    """Yield every scanner."""
    for name, modules, function, *around in (*TEXT, *CAPTURE, *HISTORY, *CODE, *RECALL, *OUTSIDE):
        yield Scanner(name, tuple(modules.split()), function, *around)
    for assistant in TRANSCRIPTS.values():
        if assistant.turns is not None:
            modules = (f"capture.transcripts.{assistant.name}", "capture.transcripts.transcript_turn")
            yield Scanner(f"transcript {assistant.name}", modules, _transcript(assistant.name))
    for family in families.FAMILIES:
        path = MANIFESTS[family.reader]
        module = f"code.manifests.{family.reader.split('.')[0]}"
        yield Scanner(f"manifest {path}", (module, *MANIFEST), _manifest(path))
    for language in languages.LANGUAGES:
        path = language.files[0] if not language.extensions else f"a{language.extensions[0]}"
        yield Scanner(f"code {language.name}", READERS, _indexed(path), parsed_as=language.name)
        if language.name not in translate.WITHOUT_PROGRAM:
            yield Scanner(f"links {language.name}", LINKS, _linked(path), parsed_as=language.name)


def _transcript(assistant: str) -> Callable[[str], object]:
    turns = TRANSCRIPTS[assistant].turns
    assert turns is not None
    rows = ROWS[assistant]

    def scan_rows(text: str) -> None:
        reading = Reading(assistant, "s", "/p")
        for row in rows:
            raw = row.replace("%", json.dumps(text)[1:-1]).encode()
            for turn in turns(Line(raw, 1, 0, len(raw)), reading):
                if turn.role != "tool":
                    statements.statements(turn.seen.text, turn.role)

    return scan_rows


# What assistants write: one row each of somebody's words and of the assistant's; % stands for the text.
ROWS = {
    "claude": (
        '{"type":"user","timestamp":"2026-01-01T00:00:00Z","uuid":"1","message":{"role":"user","content":"always %"}}',
        '{"type":"assistant","uuid":"2","message":{"role":"assistant","content":[{"type":"text","text":"decided %"}]}}',
    ),
    "codex": (
        (
            '{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text",'
            '"text":"always %"}]}}'
        ),
    ),
    "gemini": ('{"id":"1","type":"user","content":"always %"}', '{"id":"2","type":"gemini","content":"decided %"}'),
    "copilot": (
        '{"type":"user.message","id":"1","data":{"content":"always %"}}',
        '{"type":"assistant.message","id":"2","data":{"content":"decided %"}}',
    ),
}

MANIFESTS = {
    "cargo.cargo": "Cargo.toml",
    "json_manifests.package": "package.json",
    "json_manifests.pnpm": "pnpm-workspace.yaml",
    "python_manifests.pyproject": "pyproject.toml",
    "python_manifests.setup_cfg": "setup.cfg",
    "python_manifests.setup_py": "setup.py",
    "python_manifests.pipfile": "Pipfile",
    "python_manifests.requirement_file": "requirements.txt",
    "go_mod.module": "go.mod",
    "go_mod.work": "go.work",
    "xml_manifests.pom": "pom.xml",
    "gradle.build": "build.gradle",
    "gradle.settings": "settings.gradle",
    "gradle.catalog": "gradle/libs.versions.toml",
    "json_manifests.composer": "composer.json",
    "gem.gemspec": "a.gemspec",
    "gem.gemfile": "Gemfile",
    "xml_manifests.project": "a.csproj",
    "xml_manifests.versions": "Directory.Packages.props",
    "xml_manifests.config": "packages.config",
}

MANIFEST = tuple(f"code.manifests.{name}" for name in ("families", "manifest"))
LINKS = tuple(
    f"code.links.{name}" for name in ("generic_reader", "interface_summary", "program", "javascript_functions")
)
# What reads a source file, whatever its language.
READERS = tuple(
    f"code.index.{name}"
    for name in (
        "definitions", "doc_comments", "endpoints", "exclusions", "extract", "import_statements", "languages",
        "markdown_outline", "normal_form", "page", "python_outline", "references", "symbol_properties",
    )
)  # fmt: skip


def _manifest(path: str) -> Callable[[str], object]:
    return lambda text: families.read(path, text.encode("utf-8", "replace"))


def _indexed(path: str) -> Callable[[str], object]:
    return lambda text: file_reader.indexed(path, text.encode("utf-8", "replace"))


def _linked(path: str) -> Callable[[str], object]:
    return lambda text: file_programs.translated(path, text.encode("utf-8", "replace"))


def _notes(text: str) -> object:
    return list(code_notes._notes(Text("a.py", text, AT)))


def _observed(text: str) -> list[Observed]:
    cut = text[: payload.TEXT_CHARACTERS]
    return [
        Observed(id="1", mark="1", at=AT, session_id="s", event="prompt", told=cut),
        Observed(id="2", mark="2", at=AT + 1, session_id="s", event="tool", tool="shell", target=cut, outcome="failed"),
        Observed(id="3", mark="3", at=AT + 2, session_id="s", event="tool", tool="search", target=cut, outcome="ok"),
    ]


def _patterns(text: str) -> None:
    rows = _observed(text)
    for row in rows:
        list(project_lessons._rules(row)), list(usage_patterns.searched(row)), list(usage_patterns.chosen(row))
    fixes.pairs(rows), fixes.unresolved(rows)
    offer = injection_evidence.Offer("m", (AT, ""), text, frozenset(), frozenset())
    injection_evidence.evidence(offer, injection_evidence.sitting(rows), (text,))


def _payloads(text: str) -> None:
    for row in (
        {"hook_event_name": "UserPromptSubmit", "prompt": text},
        {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": text},
         "tool_response": {"stdout": text, "stderr": ""}},
        {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash", "tool_input": {"command": "a"}, "error": text},
        {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/p/a.txt",
         "old_string": text, "new_string": text + "x"}, "tool_response": {"originalFile": text}},
        {"hook_event_name": "PostToolUse", "tool_name": "apply_patch", "tool_input": {"input": text}},
        {"hook_event_name": "PostToolUse", "tool_name": "Read", "tool_input": {"file_path": "/p/a.txt"},
         "tool_response": {"type": "text", "file": {"filePath": "/p/a.txt", "content": text}}},
        {"hook_event_name": "PostToolUse", "tool_name": "Grep", "tool_input": {"pattern": text},
         "tool_response": {"mode": "content", "content": text}},
        {"hook_event_name": "PostToolUse", "tool_name": "WebFetch", "tool_input": {"url": text}, "tool_response": text},
    ):  # fmt: skip
        raw = json.dumps({"session_id": "s", "cwd": "/p", **row}).encode()
        seen = filter.cleaned(payload.read(raw, assistant="claude", at=AT))
        filter.is_noise(seen), filter.memory_ids(seen), filter.mark(seen)
        extract.lesson(seen, PLACE, hook_ingest.outline)


def _raw_payload(text: str) -> None:
    with contextlib.suppress(BadPayload):
        payload.read(text.encode("utf-8", "replace"), assistant="claude", at=AT)


def _edits(text: str) -> object:
    return difference.difference("a.txt", text, text.replace("a", "b", 1) + "x", lambda _path, _text: ())


def _memory(text: str) -> Memory:
    return Memory(id="m", content=text, created_at=AT, updated_at=AT)


def _commit(text: str) -> None:
    read_message = commit_message.read(text)
    commit_message.noise(commit_log.Commit("0", AT, text, text, ()), read_message)
    commit_message.kind(read_message), commit_message.told(read_message)
    history_git._why(read_message), history_git._name(text)


def _log(text: str) -> object:
    raw = text.encode("utf-8", "replace")
    blocks = [git.Answer(raw[start : start + 512], "") for start in range(0, len(raw), 512)]
    return list(commit_log._parsed(commit_log._pieces(iter(blocks), [])))


def _sections(text: str) -> object:
    return [list(project_documents.pieces(part.text)) for part in project_documents.sections(text)]


def _markdown(text: str) -> None:
    fields, rest = markdown_pages.split(text)
    found = markdown_pages.Page("a.md", fields, rest, AT)
    _ = found.title
    list(markdown_pages.targets_of(found)), markdown_pages.tags(migrate_fields.Fields(fields))


def _jsonc(text: str) -> None:
    try:
        root = jsonc.parse(text)
        jsonc.style(text, root)
    except jsonc.Malformed:
        return


def _toml(text: str) -> None:
    try:
        toml.append(text, ("mcp_servers", "recollect"), {"command": "a"})
        toml._lines_of(text, ("a",))
    except (toml.Malformed, RecursionError):
        return


def _jsonrpc(text: str) -> None:
    try:
        jsonrpc.decode(text.encode("utf-8", "replace"))
    except jsonrpc.ProtocolError:
        return


def _ignored(text: str) -> None:
    rules_found = ignore_rules.rules([text.encode("utf-8", "replace")], "", None)
    for path in ("a/b/c/d.py", "a" * 200, "/".join("a" * 100)):
        ignore_rules.is_ignored(path, rules_found)


def _ignored_path(text: str) -> None:
    path = text.replace("\n", "").strip("/")[:4096] or "a"
    ignore_rules.is_ignored(path, ignore_rules.rules([b"*.pyc\nbuild/\n**/a/**/b\n*a*b*c\n"], "", None))


def _amend(text: str) -> None:
    found = parsed_statement.statements(text, whole=True)
    # A sentence of any length is read, though only short ones are compared.
    one = parsed_statement.statement(text)
    for other in found[:1]:
        amend.may_amend(one), amend.amends(one, other, 1.0), amend.contradicts(one, other)


def _supersede(text: str) -> None:
    asked = query.understand("where are the sessions kept")
    version = supersede.Version(1, AT, 1.0, asked.terms, lambda: text)
    newer = version._replace(place=2, at=AT + 1, cosine=1.0)
    supersede.supersede(asked, dict.fromkeys(asked.terms, 1.0), [version, newer])
    changes.changes(asked, dict.fromkeys(asked.terms, 1.0), [version._replace(cosine=1.0), newer])


def _query(text: str) -> None:
    asked = query.understand(text, now=AT)
    query.neutral(asked, {"a"})


def _chunker(text: str) -> object:
    return ContextualChunker().chunk_conversation(text + ".", text + ".")  # it refuses empty texts


def _fixtures(text: str) -> object:
    return fixture_uses.parameters(text)


def _ask(text: str) -> None:
    snippet = analyse.analyse(text)
    snippet_prompts.analysed(text, text, snippet), snippet_prompts.proposed(text, [(text, snippet)])


def _tsconfig(text: str) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "tsconfig.json").write_text(text, encoding="utf-8", errors="replace")
        manifest_facts._read(folder, "tsconfig.json")


def _at_hand(text: str) -> None:
    work_in_progress.AtHand("main", frozenset({"a"}), ("a/b.py",)).concerns(Memory(id="m", content=text), set(), ())


def _left(text: str) -> None:
    for part in summary.SENTENCE.split(text):
        summary._LEFT.search(part), summary._NOTHING_LEFT.search(part), summary._LABEL.sub("", part)
    summary._CODE.search(text), briefing._shortened(text, 200)


def _versions(text: str) -> None:
    import re

    for row in stack.VERSIONS:
        re.search(row.pattern, text)


REDACTION = " ".join(
    f"text.redaction.{name}"
    for name in ("redact", "scanning", "tabular_secrets", "ascii_fold", "token_formats", "token_search",
                 "assigned_secrets", "secret_carriers")
)  # fmt: skip
# (name, modules below recollect, function, start?, end?)
TEXT: tuple[Any, ...] = (
    ("dates", "text.dates text.days", lambda text: dates.resolved(text, AT)),
    ("asked times", "text.dates", lambda text: dates.asked_times(text, AT)),
    ("as of times", "text.time_arguments text.dates", lambda text: time_arguments.without_as_of(text, AT)),
    ("identifiers", "text.identifiers", lambda text: identifiers.code_terms(text)),
    ("name terms", "text.identifiers", lambda text: identifiers.name_terms(text)),
    ("code words", "text.identifiers", lambda text: identifiers.joined_terms(identifiers.words(text.encode()))),
    ("passages", "text.passages", passages.passages),
    ("own words", "text.llm_answers", llm_answers.own_words),
    (
        "invented names",
        "text.llm_answers",
        lambda text: (llm_answers.names(text), llm_answers.invented(text, "a"), llm_answers.repeats(text, text)),
    ),
    ("sameness", "text.paraphrases", paraphrases.statements),
    ("shape", "text.passage_features", passage_features.shape),
    ("terms", "text.terms", terms.terms),
    ("query terms", "text.terms", terms.query_terms),
    ("enrich", "text.embedding_text", lambda text: embedding_text.enrich_memory_text(_memory(text), (), text)),
    ("token budget", "text.token_count", token_count.tokens),
    ("harmless", "text.display", display.visible),
    ("redaction", REDACTION, redact.redact),
    ("redaction of sources", REDACTION, lambda text: redact.masked(text.encode("utf-8", "replace"))),
)
CAPTURE: tuple[Any, ...] = (
    ("payload of hooks", ("capture.payload capture.filter capture.extract capture.extract.shell_tool "
     "capture.extract.file_tools capture.error_fingerprint capture.difference"), _payloads),
    ("raw payload", "capture.payload", _raw_payload),
    ("difference", "capture.difference", _edits),
    ("failure", "capture.error_fingerprint", lambda text: error_fingerprint.failure(text, text)),
    ("outcome", "capture.outcome",
     lambda text: (outcome.by_output("make", text), outcome.by_output("cat a", text), outcome.is_misuse(text))),
    ("outcome of a command line", "capture.outcome capture.invocation",
     lambda text: (outcome.by_output(text, "done"), outcome.by_exit_code(text, 0), outcome.by_exit_code(text, 1))),
    ("session file of Codex", "capture.transcript_tail",
     lambda text: transcript_tail.code_in(text.encode("utf-8", "replace"), "a")),
    ("same command", "capture.error_fingerprint capture.extract.shell_tool",
     lambda text: (shell_tool.program(text), shell_tool.is_looking(text), invocation.invocation.__wrapped__(text))),
    ("patterns", "patterns.project_lessons patterns.usage_patterns capture.fixes capture.injection_evidence",
     _patterns),
    ("memory evidence", "capture.injection_evidence",
     lambda text: (injection_evidence.files_of(_memory(text), ()), injection_evidence.commands_of(_memory(text)))),
    ("purpose", "capture.extract.file_tools", lambda text: file_tools.purpose("a.py", text)),
    ("retold", "capture.session_llm_prompt text.llm_answers", lambda text: session_llm_prompt.accepted(text, text)),
    ("compressed", "capture.compress text.llm_answers", lambda text: compressed.accepted(text, text)),
    ("statements", "capture.prose capture.statement_cues", lambda text: statements.statements(text, "user")),
    ("long statement", "capture.prose capture.statement_cues",
     lambda text: (statements.statements(text, "user"), statements.statements(text, "assistant")), "We always use "),
    ("command kind", "capture.invocation", lambda text: (invocation.kind(text), invocation.parts(text))),
    ("lessons section", "patterns.project_lessons",
     lambda text: (project_lessons.with_lessons(text, ["use `a`"]), project_lessons.unsaid(text, ["never use `a`"]))),
)  # fmt: skip
HISTORY: tuple[Any, ...] = (
    ("commit message", "history.commit_message history.commits", _commit),
    ("git log", "history.commit_log", _log),
    ("git log rows", "history.commit_log", _log, "\x01a\x021\x02a\x02a\x00"),
    ("sections", "history.project_documents", _sections),
    ("sections of rst", "history.project_documents", lambda text: list(project_documents.sections(text, is_rst=True))),
    ("decision record", "history.project_documents",
     lambda text: list(project_documents._decision(Text("docs/adr/1.md", text, AT)))),
    ("notes", "history.code_notes", _notes),
    ("frontmatter", "importing.markdown_pages importing.fields", markdown_pages.split, "---\n", "\n---\n"),
    ("frontmatter value", "importing.markdown_pages", lambda text: markdown_pages.split(text), "---\na: ", "\n---\n"),
    ("markdown", "importing.markdown_pages", _markdown),
    ("basic memory", "importing.basic_memory", basic_memory.taken_apart),
    ("basic memory item", "importing.basic_memory", basic_memory.taken_apart, "- [a] "),
    ("relation", "importing.import_records", import_records.relation),
)  # fmt: skip
CODE: tuple[Any, ...] = (
    ("comment", "code.index.doc_comments", doc_comments.comment),
    ("decorator text", "code.index.doc_comments code.index.endpoints",
     lambda text: (doc_comments.decorated([text]), *(endpoints.decorated(row.name, (text,), "", is_type=False)
                                            for row in languages.LANGUAGES))),
    ("entities", "code.index.source_entities",
     lambda text: source_entities.entities(text.encode(), "a.py", languages.BY_NAME["python"])),
    ("card", "code.index.card", lambda text: card.as_words(text)),
    ("chunks", "code.index.chunks", lambda text: chunks.chunks(text.encode(), ())),
    ("fixtures", "code.index.fixture_uses", _fixtures),
    ("grammar query", "code.index.page", lambda text: page.outlined(text)),
    ("git settings", "git", lambda text: git._KEPT.findall(text)),
    ("ignore rules", "code.index.ignore_rules", _ignored),
    ("ignored path", "code.index.ignore_rules", _ignored_path),
    ("import lines", "code.index.import_lines",
     lambda text: list(import_lines.imported("a.py", text.encode(), import_lines.Paths("p", ["a.py", "b/a.py"])))),
    ("import tree", "code.index.import_statements", lambda text: import_statements.tree(text, "::", 1)),
    ("import tree of braces", "code.index.import_statements",
     lambda text: import_statements.tree(text, "::", 1), "use a::{"),
    ("detect header", "code.index.languages", lambda text: languages.detect("a.h", text.encode())),
    ("detect script", "code.index.languages", lambda text: languages.detect("a", text.encode()), "#!"),
    ("marks", "code.index.exclusions",
     lambda text: (exclusions.mark("a.js", text.encode()), exclusions.is_minified(text.encode(), "javascript"))),
    ("marks of a path", "code.index.exclusions code.index.symbol_properties code.diff.runner_commands",
     lambda text: (exclusions.left_out(text[:4096]), *(file_reader.path_terms(text[:4096]),))),
    ("test runner", "code.diff.runner_commands",
     lambda text: runner_commands.commands((runner_commands.Trial(text[:4096], "python", text),), frozenset())),
    ("python outline", "code.index.python_outline",
     lambda text: python_outline.scan(page.Page(text.encode()), languages.BY_NAME["python"])),
    ("outline", "code.index.extract", lambda text: outline(text.encode(), "a.ts", languages.BY_NAME["typescript"])),
    ("diff", "code.diff.unified_diff", diff_parse.parse),
    ("diff header", "code.diff.unified_diff", diff_parse.parse, "diff --git "),
    ("diff times", "code.diff.unified_diff", diff_parse.parse, "--- a", "\n+++ a\n@@ -1 +1 @@\n-a\n+b\n"),
    ("diff hunk", "code.diff.unified_diff", diff_parse.parse, "--- a\n+++ a\n@@ -1,99999 +1,99999 @@\n"),
    ("mentions", "code.anchors.mention", mention.mentions),
    ("given place", "code.anchors.find", find.parted),
    ("form", "code.anchors.normalised_file code.anchors.code_sketch code.index.normal_form",
     lambda text: (normalised_file.form("a.py", text.encode()).sketch_of(None),
                   code_sketch.sketch([text.encode()], "a"))),
    ("ranges", "code.manifests.version_ranges code.manifests.python_manifests",
     lambda text: [version_ranges.span(ecosystem, text)
                   for ecosystem in ("npm", "pypi", "maven", "gem", "cargo", "nuget")]),
    ("member patterns", "code.manifests.package_resolution",
     lambda text: package_resolution._is_member("a/" * 60 + "b", [text])),
    ("tsconfig", "code.resolve.facts", _tsconfig),
    ("search question", "code.search.question code.search.report", question.understand),
    ("bug report", "code.search.report", report.read),
    ("snippet", "code.snippets.analyse code.snippets.language_guess code.snippets.concepts",
     lambda text: (analyse.analyse(text), language_guess.recognise(text),
                   concepts.concepts(text), concepts.errors(text))),
    ("snippet answer", "code.snippets.snippet_prompts", _ask),
    ("bases", "hierarchy.designs", lambda text: (designs._BASES.search(text[:400]), list(designs._base_names(text)))),
    ("opening comment", "hierarchy.saying", saying.of_code),
    ("opening of a document", "hierarchy.saying", lambda text: (saying.of_document(text), saying.paragraph(text, 200))),
    ("versions", "hierarchy.stack", _versions),
)  # fmt: skip
RECALL: tuple[Any, ...] = (
    ("work at hand", "engine.hook_responses.work_in_progress", _at_hand),
    ("work left", "capture.summary engine.hook_responses.recent_sessions engine.hook_responses.briefing", _left),
    ("only asks", "text.asking", lambda text: [asking._asks(part) for part in asking._SENTENCE.split(text)]),
    ("recall query", "recall.query", _query),
    ("amendments", "recall.amend recall.parsed_statement recall.stated_values", _amend),
    ("supersession", "recall.supersede recall.changes", _supersede),
    ("verdict", "recall.llm_judge_prompt", lambda text: llm_judge_prompt.verdict(text, "a")),
    ("excerpt", "recall.llm_judge_prompt", lambda text: llm_judge_prompt.excerpt(text, ("a", "b"))),
    ("tags", "recall.lexical", lambda text: lexical.named_tags((text,), frozenset({"a"}))),
    ("extracted summary", "consolidate.group_summary", lambda text: group_summary._SENTENCE.split(text)),
    ("summary of a cluster", "consolidate.group_summary", lambda text: group_summary.accepted(text, text)),
)
OUTSIDE: tuple[Any, ...] = (
    ("fence", "render.untrusted", lambda text: (untrusted.fence(text), untrusted.inline(text))),
    ("context block", "engine.hook_responses.context_block",
     lambda text: (context_block.flat(text, 300), list(context_block.quoted(text, 300)), context_block.harmless(text))),
    ("rule about", "engine.review.diff_memories", lambda text: diff_memories.rule_about(text, ("a", "b"))),
    ("json-rpc", "surface.jsonrpc", _jsonrpc),
    ("jsonc", "surface.assistants.jsonc", _jsonc),
    ("jsonc object", "surface.assistants.jsonc", _jsonc, '{"a": '),
    ("toml", "parsing surface.assistants.toml", _toml),
    ("toml header", "surface.assistants.toml", lambda text: toml._keys(text), "["),
    ("boundary", "episodic.boundary", lambda text: boundary.find(text, len(text) // 2, 400)),
    ("chunker", "episodic.chunker episodic.boundary", _chunker),
)  # fmt: skip

# Modules with patterns and without a row: why. All patterns are measured one by one as well (`--patterns`).
NAMES = "it matches single names, paths and ids, which are bounded where they come from"
WITHOUT_ROW = {
    **dict.fromkeys(
        (
            "code.diff.git", "code.diff.work_tree", "code.lookup", "code.manifests.provided", "code.resolve.modules",
            "code.search.kinds", "code.search.report_signals", "code.search.span", "code.walk",
            "engine.admin.archive", "engine.code.implicit_uses", "engine.code.repo_map",
            "engine.importing.memory_import", "engine.records.branches", "engine.records.checkout",
            "engine.records.identity", "engine.sessions.decision_history", "hierarchy.looking",
            "surface.assistants.entry", "text.naming", "text.short_id",
        ),
        NAMES,
    ),
    "capture.transcripts.transcript_files": "it looks at the first kilobytes of a file",
    "expected": "it matches at most 41 characters of a number, at one place",
    "text.moment": "it refuses more than 60 characters first",
    "engine.memory.stated_memories": "it looks at statements, which have at most 400 characters",
    "engine.code.import_cycles": "it looks at single lines of indexed files",
    "engine.code.dead_code": "it splits text into words, and looks at signatures of 400 characters",
    "hierarchy.entries": "it looks for targets at the beginning of lines",
    "hierarchy.fill": "it splits a description into words",
    "hierarchy.knowledge": "it splits a query into words",
    "hierarchy.placing": "it splits a description into words",
    "memory_lib.codebase.code_memory_system": "it replaces four fixed words in a template",
    "operations": "it reads our own docstrings and errors",
    "render.markdown": "it looks for runs of one sign",
    "surface.assistants.proof": "it reads files that we wrote",
}  # fmt: skip

# A text that a scanner refuses is read, too; anything else that is raised is a finding.
REFUSED: tuple[type[Exception], ...] = (RecollectError,)
