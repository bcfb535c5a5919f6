"""The scanners of outside text: a name, the modules behind it, and a function of a text.

Each function is the entry that the product uses, or the nearest one below it that needs no store. `pump.py` repeats
fragments in its text and compares the time of n and 2n.
"""

# ruff: noqa: E501 - a table: a row is a line
from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy

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
from recollect.capture.observation_lesson import Place
from recollect.capture.transcripts.transcript_files import BY_NAME as TRANSCRIPTS
from recollect.capture.transcripts.transcript_turn import Line, Reading
from recollect.code.anchors import code_sketch, find, mention, normalised_file
from recollect.code.diff import (
    line_origins,
    runner_commands,  # fmt: skip
)
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
    lines_of_definitions,
    page,
    python_outline,
    source_entities,
)
from recollect.code.index.extract import outline
from recollect.code.links import file_programs
from recollect.code.manifests import families, package_resolution, typescript_paths, version_ranges
from recollect.code.search import question, report
from recollect.code.snippets import analyse, concepts, language_guess, snippet_prompts
from recollect.consolidate import group_summary
from recollect.consolidate import group_summary as summaries
from recollect.engine.hook_responses import briefing, context_block, work_in_progress
from recollect.engine.models import embedded_text
from recollect.engine.review import diff_memories
from recollect.engine.sessions import hook_ingest
from recollect.episodic import chunker
from recollect.episodic.chunker import ContextualChunker
from recollect.errors import RecollectError
from recollect.hierarchy import design_patterns, file_forms, header_comment, technology
from recollect.history import (
    change_worth,
    changelogs,
    commit_log,
    commit_message,
    history_record,
    history_selection,
    project_documents,
    thread_export,
)
from recollect.history import commits as history_git
from recollect.history import project_documents as records
from recollect.history.history_record import Text
from recollect.importing import basic_memory, import_records, markdown_pages
from recollect.importing import fields as migrate_fields
from recollect.model import Memory, Observed
from recollect.patterns import imperative_rule, known_commands, project_lessons, usage_patterns
from recollect.patterns import usage_patterns as searches
from recollect.providers import query_vector
from recollect.recall import amend, lexical, llm_judge_prompt, parsed_statement, query, supersede
from recollect.render import untrusted
from recollect.surface.assistants import jsonc, toml
from recollect.surface.mcp import jsonrpc
from recollect.text import (
    dates,
    display,
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
            modules = (
                f"recollect.capture.transcripts.{assistant.name}",
                "recollect.capture.transcripts.transcript_turn",
            )
            yield Scanner(f"transcript {assistant.name}", modules, _transcript(assistant.name))
    for family in families.FAMILIES:
        path = MANIFESTS[family.reader]
        module = f"recollect.code.manifests.{family.reader.split('.')[0]}"
        yield Scanner(f"manifest {path}", (module, *MANIFEST), _manifest(path))
    for language in languages.LANGUAGES:
        path = language.files[0] if not language.extensions else f"a{language.extensions[0]}"
        yield Scanner(f"code {language.name}", tuple(READERS), _indexed(path), parsed_as=language.name)
        if language.name not in file_programs.WITHOUT_PROGRAM:
            yield Scanner(f"links {language.name}", tuple(LINKS), _linked(path), parsed_as=language.name)


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

MANIFEST = ("recollect.code.manifests.families recollect.code.manifests.manifest").split()
LINKS = (
    "recollect.code.links.generic_reader recollect.code.links.line_types recollect.code.links.signature_types "
    "recollect.code.links.program recollect.code.links.named_uses"
).split()
# Modules that read a source file of any language.
READERS = (
    "recollect.code.index.doc_comments recollect.code.index.endpoints recollect.code.index.extract recollect.code.index.definitions "
    "recollect.code.index.markdown_outline recollect.code.index.import_statements recollect.code.index.languages recollect.code.index.python_outline "
    "recollect.code.index.exclusions recollect.code.index.definitions recollect.code.index.normal_form recollect.code.index.page recollect.code.index.references "
    "recollect.code.index.python_outline recollect.code.index.symbol_properties"
).split()


def _manifest(path: str) -> Callable[[str], object]:
    return lambda text: families.read(path, text.encode("utf-8", "replace"))


def _indexed(path: str) -> Callable[[str], object]:
    return lambda text: file_reader.indexed(path, text.encode("utf-8", "replace"))


def _linked(path: str) -> Callable[[str], object]:
    return lambda text: file_programs.translated(path, text.encode("utf-8", "replace"))


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
        list(project_lessons._rules(row)), list(searches.searched(row)), list(usage_patterns.chosen(row))
    fixes.pairs(rows), fixes.unresolved(rows)
    injection_evidence.evidence(
        injection_evidence.Offer("m", (AT, ""), text, frozenset(), frozenset()),
        injection_evidence.sitting(rows),
        (text,),
    )


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
    commit_message.is_noise(commit_log.Commit("0", AT, text, text, ()), read_message)
    (
        history_git.told(read_message),
        history_git._why(read_message),
        history_git._name(text),
    )


def _log(text: str) -> object:
    raw = text.encode("utf-8", "replace")
    blocks = [git.Answer(raw[start : start + 512], "") for start in range(0, len(raw), 512)]
    return list(commit_log._parsed(commit_log._pieces(iter(blocks), [])))


def _sections(text: str) -> object:
    found = []
    for part in project_documents.sections(text, "a.md"):
        parts = list(project_documents.pieces(project_documents.compact(part.text)))
        found += [project_documents.section_worth(part.headings, piece, is_ours=True) for piece in parts]
    return found


def _worth(text: str) -> object:
    message = commit_message.read(text)
    return (
        change_worth.kind(message),
        change_worth.worth(message, [text[:255]]),
        change_worth.line_worth(text, text[:200]),
    )


def _changelog(text: str) -> object:
    for path in ("CHANGES", "CHANGES.rst", "CHANGES.adoc"):
        list(changelogs.lines(text, path))
    return changelogs.cleaned(text), changelogs.version_of(text), changelogs.is_changelog(text[:255])


def _selected(text: str) -> object:
    found = history_record.Found("a", "reason", text, "decision", AT)
    return history_selection.select({"git": [found, found._replace(key="b")]}, 9, {})


_NO_TAGS = history_git.Releases.__new__(history_git.Releases)
_NO_TAGS._project, _NO_TAGS._tags, _NO_TAGS._of = "app", {}, {}


def _landed(text: str) -> object:
    return history_git.Releases.line(
        _NO_TAGS, commit_log.Commit("0" * 40, AT, "a", "", ()), commit_message.read(f"feat: {text}")
    )


def _thread(text: str) -> object:
    return thread_export._found(
        {"number": 1, "title": text[:300], "body": text, "mergedAt": text[:40], "comments": [{"body": text}]}
    )


def _markdown(text: str) -> None:
    fields, rest = markdown_pages.split(text)
    found = markdown_pages.Page("a.md", fields, rest, AT)
    _ = found.title
    list(markdown_pages.targets_of(found)), markdown_pages._tags(migrate_fields.Fields(fields))


def _reviewed(text: str) -> None:
    for sentence in diff_memories._SENTENCES.split(diff_memories._FOOTER.sub("", text)):
        diff_memories.RULES.search(sentence)
        diff_memories._CODE_LINE.match(sentence)
        diff_memories._OF_TEXT.search(sentence)
    diff_memories._CODE_NAME.fullmatch(text)
    diff_memories._SPECIAL.fullmatch(text)


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
    newer = version._replace(place=2, at=AT + 1)
    supersede.supersede(asked, dict.fromkeys(asked.terms, 1.0), [version, newer])
    near = supersede.Later(supersede.Note(2, None, (AT, 1), numpy.ones(1, numpy.float32)), 1.0, True, 1.0, False)
    supersede.version_points(text, text, "short", near, cosine=1.0, asked=1.0, share=1.0)


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
        typescript_paths._read(folder, "tsconfig.json")


def _at_hand(text: str) -> None:
    work_in_progress.WorkInProgress("main", frozenset({"a"}), ("a/b.py",)).concerns(
        Memory(id="m", content=text), set(), ()
    )


def _left(text: str) -> None:
    for part in summary.SENTENCE.split(text):
        summary._LEFT.search(part), summary._NOTHING_LEFT.search(part), summary._LABEL.sub("", part)
    summary._CODE.search(text), briefing._shortened(text, 200)


def _versions(text: str) -> None:
    import re

    for *_, pattern in technology.VERSIONS:
        re.search(pattern, text)


REDACTION = (
    "recollect.text.redaction.redact recollect.text.redaction.tabular_secrets recollect.text.redaction.ascii_fold recollect.text.redaction.token_formats "
    "recollect.text.redaction.token_search recollect.text.redaction.scanning recollect.text.redaction.assigned_secrets recollect.text.redaction.secret_carriers"
)
# (name, modules, function, start?, end?)
TEXT: tuple[Any, ...] = (
    ("dates", "recollect.text.dates recollect.text.days", lambda text: dates.resolved(text, AT)),
    ("asked times", "recollect.text.dates", lambda text: dates.asked_times(text, AT)),
    (
        "as of times",
        "recollect.text.time_arguments recollect.text.dates",
        lambda text: time_arguments.without_as_of(text, AT),
    ),
    ("identifiers", "recollect.text.identifiers", lambda text: identifiers.code_terms(text)),
    ("name terms", "recollect.text.identifiers", lambda text: identifiers.name_terms(text)),
    (
        "code words",
        "recollect.text.identifiers",
        lambda text: identifiers.joined_terms(identifiers.words(text.encode())),
    ),
    ("passages", "recollect.text.passages", passages.passages),
    ("own words", "recollect.text.llm_answers", llm_answers.own_words),
    (
        "invented names",
        "recollect.text.llm_answers",
        lambda text: (llm_answers.names(text), llm_answers.invented(text, "a"), llm_answers.repeats(text, text)),
    ),
    ("sameness", "recollect.text.paraphrases", paraphrases.statements),
    ("shape", "recollect.text.passage_features", passage_features.shape),
    ("terms", "recollect.text.terms", terms.terms),
    ("query terms", "recollect.text.terms", terms.query_terms),
    (
        "enrich",
        "recollect.engine.models.embedded_text",
        lambda text: embedded_text.enrich_memory_text(_memory(text), (), text),
    ),
    ("token budget", "recollect.text.token_count", token_count.tokens),
    ("harmless", "recollect.text.display", display.visible),
    ("redaction", REDACTION, redact.redact),
    ("redaction of sources", REDACTION, lambda text: redact.masked(text.encode("utf-8", "replace"))),
)
CAPTURE: tuple[Any, ...] = (
    ("payload of hooks",
     ("recollect.capture.payload recollect.capture.filter recollect.capture.extract recollect.capture.extract.shell_tool "
     "recollect.capture.extract.file_tools recollect.capture.error_fingerprint "
     "recollect.capture.difference"),
     _payloads),
    ("raw payload", "recollect.capture.payload", _raw_payload),
    ("difference", "recollect.capture.difference", _edits),
    ("failure", "recollect.capture.error_fingerprint", lambda text: error_fingerprint.failure(text, text)),
    ("outcome", "recollect.capture.outcome",
     lambda text: (outcome.by_output("make", text), outcome.by_output("cat a", text), outcome.is_misuse(text))),
    ("outcome of a command line", "recollect.capture.outcome recollect.capture.invocation",
     lambda text: (outcome.by_output(text, "done"), outcome.by_exit_code(text, 0), outcome.by_exit_code(text, 1))),
    ("session file of Codex", "recollect.capture.transcript_tail",
     lambda text: transcript_tail.code_in(text.encode("utf-8", "replace"), "a")),
    ("same command", "recollect.capture.error_fingerprint recollect.capture.extract.shell_tool",
     lambda text: (shell_tool.program(text), shell_tool.is_looking(text), invocation.invocation.__wrapped__(text))),
    ("patterns",
     ("recollect.patterns.project_lessons recollect.patterns.usage_patterns "
     "recollect.capture.fixes recollect.capture.injection_evidence"),
     _patterns),
    ("memory evidence", "recollect.capture.injection_evidence",
     lambda text: (injection_evidence.files_of(_memory(text), ()), injection_evidence.commands_of(_memory(text)))),
    ("purpose", "recollect.capture.extract.file_tools", lambda text: file_tools.purpose("a.py", text)),
    ("retold", "recollect.capture.session_llm_prompt recollect.text.llm_answers", lambda text: session_llm_prompt.accepted(text, text)),
    ("compressed", "recollect.capture.compress recollect.text.llm_answers", lambda text: compressed.accepted(text, text)),
    ("statements", "recollect.capture.prose recollect.capture.statement_cues recollect.capture.other_languages",
     lambda text: statements.statements(text, "user")),
    ("long statement", "recollect.capture.prose recollect.capture.statement_cues",
     lambda text: (statements.statements(text, "user"), statements.statements(text, "assistant")), "We always use "),
    ("command kind", "recollect.capture.invocation", lambda text: (invocation.kind(text), invocation.parts(text))),
    ("port of a command", "recollect.patterns.known_commands", lambda text: known_commands._PORT.sub("0", text)),
    ("lessons section", "recollect.patterns.project_lessons",
     lambda text: (project_lessons.with_lessons(text, ["use `a`"]), project_lessons.unsaid(text, ["never use `a`"]))),
)  # fmt: skip
HISTORY: tuple[Any, ...] = (
    ("commit message", "recollect.history.commit_message recollect.history.commits", _commit),
    ("git log", "recollect.history.commit_log", _log),
    ("git log rows", "recollect.history.commit_log", _log, "\x01a\x021\x02a\x02a\x00"),
    ("sections", "recollect.history.project_documents", _sections),
    ("sections of rst", "recollect.text.document_headings", lambda text: list(project_documents.sections(text, "a.rst"))),
    ("sections of asciidoc", "recollect.text.document_headings", lambda text: list(project_documents.sections(text, "a.adoc"))),
    ("worth of a change", "recollect.history.change_worth", _worth),
    ("changelog", "recollect.history.changelogs", _changelog),
    ("changelog item", "recollect.history.changelogs", _changelog, "## 1.0\n\n- "),
    ("selection", "recollect.history.history_selection", _selected),
    ("release line", "recollect.history.commits", _landed),
    ("thread", "recollect.history.thread_export", _thread),
    ("decision record", "recollect.history.project_documents", lambda text: list(records._decision(Text("docs/adr/1.md", text, AT)))),
    ("frontmatter", "recollect.importing.markdown_pages recollect.importing.fields",
     lambda text: markdown_pages.split(text), "---\n", "\n---\n"),
    ("frontmatter value", "recollect.importing.markdown_pages", lambda text: markdown_pages.split(text), "---\na: ", "\n---\n"),
    ("markdown", "recollect.importing.markdown_pages", _markdown),
    ("basic memory", "recollect.importing.basic_memory", basic_memory.taken_apart),
    ("basic memory item", "recollect.importing.basic_memory", basic_memory.taken_apart, "- [a] "),
    ("relation", "recollect.importing.import_records", import_records.relation),
)  # fmt: skip
CODE: tuple[Any, ...] = (
    ("comment", "recollect.code.index.doc_comments", doc_comments.comment),
    ("decorator text", "recollect.code.index.doc_comments recollect.code.index.endpoints",
     lambda text: (doc_comments.decorated([text]), *(endpoints.decorated(row.name, (text,), "", is_type=False)
                                            for row in languages.LANGUAGES))),
    ("entities", "recollect.code.index.source_entities",
     lambda text: source_entities.entities(text.encode(), "a.py", languages.BY_NAME["python"])),
    ("card", "recollect.code.index.card", lambda text: card.as_words(text)),
    ("chunks", "recollect.code.index.chunks", lambda text: chunks.chunks(text.encode(), ())),
    ("fixtures", "recollect.code.index.fixture_uses", _fixtures),
    ("grammar query", "recollect.code.index.page", lambda text: page.outlined(text)),
    ("guards of kotlin", "recollect.code.index.page", lambda text: page.GUARD.findall(text.encode()), "is A if "),
    ("git settings", "recollect.git", lambda text: re.findall(git._KEPT, text)),
    ("words of a prompt", "recollect.providers.query_vector", lambda text: query_vector._WORD.findall(text)),
    ("ignore rules", "recollect.code.index.ignore_rules", _ignored),
    ("ignored path", "recollect.code.index.ignore_rules", _ignored_path),
    ("import lines", "recollect.code.index.import_lines",
     lambda text: list(import_lines.imported("a.py", text.encode(), import_lines.Paths("p", ["a.py", "b/a.py"])))),
    ("import tree", "recollect.code.index.import_statements", lambda text: import_statements.tree(text, "::", 1)),
    ("import tree of braces", "recollect.code.index.import_statements", lambda text: import_statements.tree(text, "::", 1), "use a::{"),
    ("detect header", "recollect.code.index.languages", lambda text: languages.detect("a.h", text.encode())),
    ("detect script", "recollect.code.index.languages", lambda text: languages.detect("a", text.encode()), "#!"),
    ("marks", "recollect.code.index.exclusions",
     lambda text: (exclusions.mark("a.js", text.encode()), exclusions.is_minified(text.encode(), "javascript"))),
    ("marks of a path", "recollect.code.index.exclusions recollect.code.index.symbol_properties recollect.code.diff.runner_commands",
     lambda text: (exclusions.left_out(text[:4096]), *(file_reader.path_terms(text[:4096]),))),
    ("test runner", "recollect.code.diff.runner_commands",
     lambda text: runner_commands.commands((runner_commands.Trial(text[:4096], "python", text),), frozenset())),
    ("python outline", "recollect.code.index.python_outline",
     lambda text: python_outline.scan(page.Page(text.encode()), languages.BY_NAME["python"])),
    ("outline", "recollect.code.index.extract", lambda text: outline(text.encode(), "a.ts", languages.BY_NAME["typescript"])),
    ("definitions by lines", "recollect.code.index.lines_of_definitions",
     lambda text: lines_of_definitions.lost(page.Page(text.encode()), "cpp", (), ())),
    ("definitions by lines, functions", "recollect.code.index.lines_of_definitions",
     lambda text: lines_of_definitions.lost(page.Page(text.encode()), "kotlin", (), ()), "fun "),
    ("diff", "recollect.code.diff.unified_diff", diff_parse.parse),
    ("diff header", "recollect.code.diff.unified_diff", diff_parse.parse, "diff --git "),
    ("diff times", "recollect.code.diff.unified_diff", diff_parse.parse, "--- a", "\n+++ a\n@@ -1 +1 @@\n-a\n+b\n"),
    ("diff hunk", "recollect.code.diff.unified_diff", diff_parse.parse, "--- a\n+++ a\n@@ -1,99999 +1,99999 @@\n"),
    ("mentions", "recollect.code.anchors.mention", mention.mentions),
    ("given place", "recollect.code.anchors.find", find.parted),
    ("form",
     ("recollect.code.anchors.normalised_file recollect.code.anchors.code_sketch "
     "recollect.code.index.normal_form"),
     lambda text: ((form := normalised_file.form("a.py", text.encode())).sketch_of(None), form.words_of(None),
                   code_sketch.sketch([text.encode()], "a"))),
    ("ranges", "recollect.code.manifests.version_ranges recollect.code.manifests.python_manifests",
     lambda text: [version_ranges.span(ecosystem, text) for ecosystem in ("npm", "pypi", "maven", "gem", "cargo", "nuget")]),
    ("member patterns", "recollect.code.manifests.package_resolution", lambda text: package_resolution._is_member("a/" * 60 + "b", [text])),
    ("tsconfig", "recollect.code.manifests.typescript_paths", _tsconfig),
    ("search question", "recollect.code.search.question recollect.code.search.report", question.understand),
    ("bug report", "recollect.code.search.report", report.read),
    ("snippet", "recollect.code.snippets.analyse recollect.code.snippets.language_guess recollect.code.snippets.concepts",
     lambda text: (analyse.analyse(text), language_guess.recognise(text), concepts.concepts(text), concepts.errors(text))),
    ("snippet answer", "recollect.code.snippets.snippet_prompts", _ask),
    ("bases", "recollect.hierarchy.design_patterns",
     lambda text: (design_patterns._BASES.search(text[:400]), list(design_patterns._base_names(text)))),
    ("opening comment", "recollect.hierarchy.header_comment", header_comment.of_code),
    ("opening of a document", "recollect.hierarchy.header_comment",
     lambda text: (header_comment.of_document(text), header_comment.paragraph(text, 200))),
    ("imports of a file", "recollect.hierarchy.file_forms", lambda text: file_forms._imports(text.split("\n"), 100_000)),
    ("versions", "recollect.hierarchy.technology", _versions),
)  # fmt: skip
RECALL: tuple[Any, ...] = (
    ("work at hand", "recollect.engine.hook_responses.work_in_progress", _at_hand),
    (
        "work left",
        "recollect.capture.summary recollect.engine.hook_responses.recent_sessions recollect.engine.hook_responses.briefing",
        _left,
    ),
    (
        "only asks",
        "recollect.text.questions",
        lambda text: [questions._asks(part) for part in questions.SENTENCE.split(text)],
    ),
    ("recall query", "recollect.recall.query", _query),
    (
        "amendments",
        (
            "recollect.recall.amend recollect.recall.amend_signals recollect.recall.contrary "
            "recollect.recall.parsed_statement recollect.recall.stated_values"
        ),
        _amend,
    ),
    ("supersession", "recollect.recall.supersede", _supersede),
    ("verdict", "recollect.recall.llm_judge_prompt", lambda text: llm_judge_prompt.verdict(text, "a")),
    ("tags", "recollect.recall.lexical", lambda text: lexical.named_tags((text,), frozenset({"a"}))),
    ("extracted summary", "recollect.consolidate.group_summary", lambda text: summaries._SENTENCE.split(text)),
    ("summary of a cluster", "recollect.consolidate.group_summary", lambda text: group_summary.accepted(text, text)),
)
OUTSIDE: tuple[Any, ...] = (
    ("fence", "recollect.render.untrusted", lambda text: (untrusted.fence(text), untrusted.inline(text))),
    ("context block", "recollect.engine.hook_responses.context_block",
     lambda text: (context_block.flat(text, 300), list(context_block.quoted(text, 300)), context_block.harmless(text))),
    ("imperative rule", "recollect.patterns.imperative_rule", lambda text: imperative_rule.imperative(text)),
    ("reviewed memory", "recollect.engine.review.diff_memories", _reviewed),
    ("line origins", "recollect.code.diff.line_origins", lambda text: line_origins._counted("a", text.encode(), {})),
    ("json-rpc", "recollect.surface.mcp.jsonrpc", _jsonrpc),
    ("jsonc", "recollect.surface.assistants.jsonc", _jsonc),
    ("jsonc object", "recollect.surface.assistants.jsonc", _jsonc, '{"a": '),
    ("toml", "recollect.parsing recollect.surface.assistants.toml", _toml),
    ("toml header", "recollect.surface.assistants.toml", lambda text: toml._keys(text), "["),
    ("boundary", "recollect.episodic.chunker", lambda text: chunker.find_boundary(text, len(text) // 2, 400)),
    ("chunker", "recollect.episodic.chunker", _chunker),
)  # fmt: skip

# Modules with patterns and without a row: why. All patterns are measured one by one as well (`--patterns`).
NAMES = "it matches single names, paths and ids, which are bounded where they come from"
WITHOUT_ROW = {
    **dict.fromkeys(
        (
            "recollect.code.diff.git_diff", "recollect.code.diff.changed_symbols", "recollect.code.search.symbol_lookup", "recollect.code.manifests.importable_names",
            "recollect.code.search.pool", "recollect.code.search.file_ranking", "recollect.engine.code.code_links",
            "recollect.code.search.signals", "recollect.code.search.span", "recollect.code.index.file_walk",
            "recollect.engine.admin.archive",
            "recollect.engine.records.branches", "recollect.engine.records.checkout", "recollect.engine.sessions.decision_history",
            "recollect.engine.records.identity", "recollect.engine.importing.memory_import",
            "recollect.engine.code.implicit_uses", "recollect.engine.code.repo_map", "recollect.engine.review.removed_uses",
            "recollect.hierarchy.level_lookup", "recollect.surface.assistants.entry",
            "recollect.code.diff.work_tree", "recollect.text.redaction.name_redaction", "recollect.text.display",
            "recollect.surface.cli.help",
        ),
        NAMES,
    ),
    "recollect.capture.transcripts.transcript_files": "it looks at the first kilobytes of a file",
    "recollect.render.block": "it compares notes, most of which have one sentence, with three forms",
    "recollect.expected": "it matches at most 41 characters of a number, at one place",
    "recollect.text.time_arguments": "it refuses more than 60 characters first",
    "recollect.engine.memory.stated_memories": "it looks at statements, which have at most 400 characters",
    "recollect.engine.graph.cross_links": "it splits names of symbols, and looks for words in signatures",
    "recollect.engine.code.import_cycles": "it looks at single lines of indexed files",
    "recollect.engine.code.dead_code": "it splits text into words, and looks at signatures of 400 characters",
    "recollect.engine.code.excused_symbols": "it looks at names, signatures and paths of indexed symbols",
    "recollect.engine.review.test_order": "it splits test files of 500 KB at most into words",
    "recollect.hierarchy.entry_points": "it looks for targets at the beginning of lines",
    "recollect.hierarchy.task_candidates": "it splits a description into words",
    "recollect.hierarchy.global_knowledge": "it splits a query into words",
    "recollect.hierarchy.placement": "it splits a description into words",
    "memory_lib.codebase.code_memory_system": "it replaces four fixed words in a template",
    "recollect.operations": "it reads our own docstrings and errors",
    "recollect.engine.retrieval.pack": "it splits a task of 20,000 characters at most at single marks and words",
    "recollect.text.lazy_patterns": "it compiles the patterns of other modules",
    "recollect.text.redaction.secret_values": "the rows of the modules that redact use its patterns",
    "recollect.surface.assistants.probe": "it reads files that we wrote",
}  # fmt: skip

# A text that a scanner refuses is read, too; anything else that is raised is a finding.
REFUSED: tuple[type[Exception], ...] = (RecollectError,)
