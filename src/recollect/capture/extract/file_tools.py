"""Lessons of file tools: reading, finding, searching, editing, writing and patching.

A read keeps what a file defines and is for, an edit what changed in words; neither keeps the text itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.capture import tools
from recollect.capture.difference import Difference, difference
from recollect.capture.extract.other_tools import failed_use
from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import Defined, Lesson, Outline, Place, code, file_tags, line, listed, tag
from recollect.text.lazy_patterns import compiled

SENTENCE_CHARACTERS = 200

_SKIPPED = compiled(
    r"\A(?:[ \t\r]*(?:#!.*|(?>#.*?coding[:=]).*+|<\?xml.*|<!DOCTYPE.*|[\"']use strict[\"'];?|package \w+;?)?\n)*",
    re.IGNORECASE,
)
_LEGAL = compiled(
    r"copyright|licen[cs]e|spdx|all rights reserved|@generated|eslint-|prettier-|noqa|pylint", re.IGNORECASE
)
_BLOCKS: tuple[re.Pattern[str], ...] = (
    compiled(r"\A[rRuU]?(\"\"\"|''')(.*?)\1", re.DOTALL),
    compiled(r"\A/\*()(.*?)\*/", re.DOTALL),
    compiled(r"\A<!--()(.*?)-->", re.DOTALL),
    compiled(r"\A()((?:[ \t]*(?://[/!]?|#(?!include|\[|!)|--|;;?)[^\n]*\n?)+)"),
)  # fmt: skip
_HEADING = compiled(r"\A\s*#{1,2} +(.+)")
_LEAD = compiled(r"^[ \t]*(?://[/!]?|#+|--+|;+|\*+(?!/)|=+$|-+$)?[ \t]?", re.MULTILINE)
_SENTENCE = compiled(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def purpose(path: str, text: str) -> str:
    """Return the first sentence of the comment, docstring or heading that a file begins with; "" without one."""
    head = text[:4_000]
    if path.lower().endswith((".md", ".markdown", ".mdx", ".rst")):
        heading = _HEADING.match(head)
        return _sentence(heading[1]) if heading else ""
    for _ in range(3):  # licences come first
        head = head[_SKIPPED.match(head).end() :].lstrip()  # type: ignore[union-attr]
        block = next((match for pattern in _BLOCKS if (match := pattern.match(head))), None)
        if block is None:
            return ""
        said = _LEAD.sub("", block[2]).strip()
        if said and not _LEGAL.search(said):
            return _sentence(said)
        head = head[block.end() :]
    return ""


def _sentence(text: str) -> str:
    paragraph = text.strip().split("\n\n")[0]
    first = _SENTENCE.match(paragraph)
    return line(first[1] if first else paragraph, SENTENCE_CHARACTERS)


# --- reading and searching ---

# Symbols and files that are named.
SYMBOLS = 16
MEMBERS = 6
FILES = 8

# The importance of reads and searches, which are cheap to repeat.
LOOKING = 0.3


class _Text(NamedTuple):
    """The text that was read, its first line, and the number of lines of the file; 0: unknown."""

    text: str
    first: int
    total: int


def read(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the purpose and symbols of a file, and which lines were read."""
    path = tools.text_field(seen.input, "path")
    if seen.failed or not path:
        return failed_use(seen, place, path, f"Reading {place.shown(path)}" if path else "Reading a file")
    got = _text(seen)
    shown = place.shown(path)
    span = _span(got)
    said = purpose(shown, got.text) if got.first == 1 else ""
    symbols = outline(shown, got.text) if got.text else ()
    told = f"Read {shown}{span}"
    sentences = [told + (f": {said}" if said else ".")]
    if symbols:
        sentences.append(f"It defines {_defined(symbols)}.")
    return Lesson(
        told=told,
        content=" ".join(sentences),
        importance=LOOKING,
        category="read",
        tags=file_tags(shown),
        metadata={"file": shown, **({"lines": span.strip(" ()")} if span else {})},
        target=place.absolute(path),
        paths=(place.absolute(path),),
    )


def _text(seen: Observation) -> _Text:
    """Return the text that was read, from any assistant's output."""
    output = seen.output if isinstance(seen.output, dict) else {}
    shown = output.get("file")
    file: Mapping[str, Any] = shown if isinstance(shown, dict) else {}
    display = output.get("metadata", {}).get("display") if isinstance(output.get("metadata"), dict) else None
    for holder, text, first, total in (
        (file, "content", "startLine", "totalLines"),
        (display if isinstance(display, dict) else {}, "text", "lineStart", "totalLines"),
    ):
        if isinstance(holder.get(text), str):
            return _Text(holder[text], _number(holder.get(first), 1), _number(holder.get(total), 0))
    offset = tools.field(seen.input, "offset")
    return _Text(tools.said(seen.output), max(1, _number(offset, 1)), 0)


def _number(value: object, default: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else default


def _span(got: _Text) -> str:
    """Return the lines that were read, if not all."""
    count = got.text.count("\n") + (not got.text.endswith("\n")) if got.text else 0
    last = got.first + count - 1
    if not count or (got.first == 1 and (not got.total or last >= got.total - 1)):
        return ""
    return f" (lines {got.first}–{last}{f' of {got.total}' if got.total else ''})"


def _defined(symbols: Sequence[Defined]) -> str:
    """Return the symbols at the top of a file, each with its members."""
    members: dict[int, list[str]] = {}
    for each in symbols:
        members.setdefault(each.parent, []).append(each.name)
    named = [
        f"{each.name} ({listed(members[number], MEMBERS)})" if number in members else each.name
        for number, each in enumerate(symbols)
        if each.parent < 0
    ]
    return listed(named or [each.name for each in symbols], SYMBOLS)


def find(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return which files a pattern found, or what a folder holds."""
    pattern = tools.text_field(seen.input, "pattern") or tools.text_field(seen.input, "path") or "*"
    if seen.failed:
        return failed_use(seen, place, pattern, f"Looking for files {code(pattern)}")
    return _listing(seen, place, pattern, f"Looked for files {code(pattern)}", (tag("glob", pattern), "discovery"))


def search(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the files in which a pattern was found."""
    pattern = tools.text_field(seen.input, "pattern")
    if seen.failed or not pattern:
        return failed_use(seen, place, pattern, f"Searching for {code(pattern)}")
    within = tools.text_field(seen.input, "path")
    where = f" in {place.shown(within)}" if within and within != "." else ""
    return _listing(seen, place, pattern, f"Searched for {code(pattern)}{where}", (tag("pattern", pattern), "search"))


def _listing(seen: Observation, place: Place, pattern: str, doing: str, tags: tuple[str, ...]) -> Lesson:
    names = _file_names(seen, place)
    count = f"{len(names)} file{'s' if len(names) != 1 else ''}: {listed(names, FILES)}" if names else "nothing found"
    told = f"{doing}: {count}"
    return Lesson(
        told=told,
        content=told + ".",
        memory_type="pattern",
        importance=LOOKING,
        category=seen.tool,
        tags=tags,
        metadata={"pattern": line(pattern), "files": len(names)},
        target=line(pattern),
    )


def _file_names(seen: Observation, place: Place) -> list[str]:
    """Return the distinct files of an answer: a list, or the paths that begin its lines."""
    output = seen.output if isinstance(seen.output, dict) else {}
    named = output.get("filenames")
    display = output.get("returnDisplay")
    matches = display.get("matches") if isinstance(display, dict) else None
    if isinstance(named, list) and named:
        found = [name for name in named if isinstance(name, str)]
    elif isinstance(matches, list):
        found = [str(row.get("filePath", "")) for row in matches if isinstance(row, dict)]
    else:
        found = [name for row in tools.said(seen.output).splitlines() if (name := _leading_path(row))]
    return list(dict.fromkeys(place.shown(name) for name in found if name))


def _leading_path(row: str) -> str:
    """Return the path that begins a line: `src/a.py`, `src/a.py:3: …`, `File: src/a.py`."""
    head = row.strip().removeprefix("File: ").partition(":")[0].strip()
    has_shape = "/" in head or "." in head[1:-1]
    return head if has_shape and " " not in head and len(head) < 300 and not head.startswith(("---", "(", "<")) else ""


# --- changing files ---

# Files of one patch that are described; the others are named.
PATCHED = 6


class _Change(NamedTuple):
    """A file before and after a change; before is None for a new file, after for a deleted one."""

    path: str
    before: str | None
    after: str | None


def edit(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what an edit changed, in words."""
    path = tools.text_field(seen.input, "path")
    if seen.failed or not path:
        return failed_use(seen, place, path, f"Editing {place.shown(path)}" if path else "Editing a file")
    return _changed(seen, place, outline, [_Change(path, *_edited(seen))])


def write(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the purpose of a written file, or what changed in it."""
    path = tools.text_field(seen.input, "path")
    if seen.failed or not path:
        return failed_use(seen, place, path, f"Writing {place.shown(path)}" if path else "Writing a file")
    content = tools.text_field(seen.input, "content")
    return _changed(seen, place, outline, [_Change(path, _original(seen.output), content)])


def patch(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a patch changed in every file it touches."""
    text = tools.text_field(seen.input, "patch")
    changes = list(_patched(text))
    if seen.failed or not changes:
        return failed_use(seen, place, changes[0].path if changes else "a patch", "Applying a patch")
    return _changed(seen, place, outline, changes)


def _changed(seen: Observation, place: Place, outline: Outline, changes: list[_Change]) -> Lesson:
    described = [_described(change, place, outline) for change in changes[:PATCHED]]
    shown = [place.shown(change.path) for change in changes]
    told = described[0][0] if len(changes) == 1 else f"Patched {listed(shown, PATCHED)}"
    why = line(str(seen.input.get("instruction") or seen.input.get("explanation") or ""))
    parts = [sentence for sentence, _ in described]
    if len(changes) > PATCHED:
        parts.append(f"Also changed: {listed(shown[PATCHED:], 2 * PATCHED)}.")
    if why:
        parts.append(f"Why: {why}")
    excerpts = [excerpt for _, excerpt in described if excerpt]
    content = "\n".join(parts) + (f"\n\n{excerpts[0]}" if len(excerpts) == 1 else "")
    paths = tuple(place.absolute(change.path) for change in changes)
    return Lesson(
        told=line(told),
        content=content,
        memory_type="decision",
        category=seen.tool,
        tags=tuple(dict.fromkeys(tag for path in shown[:PATCHED] for tag in file_tags(path))),
        metadata={"file": shown[0]} if len(shown) == 1 else {"files": shown},
        target=paths[0],
        paths=paths,
    )


def _described(change: _Change, place: Place, outline: Outline) -> tuple[str, str]:
    """Return a change as a sentence, and an excerpt of it."""
    shown = place.shown(change.path)
    if change.after is None:
        return f"Deleted {shown}.", ""
    if change.before is None:
        lines = change.after.count("\n") + (not change.after.endswith("\n")) if change.after else 0
        said = purpose(shown, change.after)
        symbols = [each.name for each in outline(shown, change.after) if each.parent < 0]
        defines = f" It defines {listed(symbols, 16)}." if symbols else ""
        told = f"Created {shown} ({lines} line{'s' if lines != 1 else ''})"
        return f"{told}: {said}{defines}" if said else f"{told}.{defines}", ""
    changed: Difference = difference(shown, change.before, change.after, outline)
    return f"Changed {shown} (+{changed.added} −{changed.removed}): {changed.told()}.", changed.excerpt


def _edited(seen: Observation) -> tuple[str, str]:
    """Return a file before and after an edit, or the replaced pieces if the file is unknown."""
    pairs = [pair for each in _edits(seen.input) if (pair := _pair(each)) is not None]
    whole = _original(seen.output)
    if whole is not None:
        after = whole
        for old, new in pairs:
            after = after.replace(old, new) if seen.input.get("replace_all") else after.replace(old, new, 1)
        written = _written(seen.output)
        if after != whole or written is not None:
            return whole, written if written is not None else after
    if pairs:
        return "\n".join(old for old, _ in pairs), "\n".join(new for _, new in pairs)
    return _sides(_diff_text(seen) or tools.text_field(seen.input, "patch"))


def _edits(given: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    several = given.get("edits")
    if isinstance(several, list):
        return [each for each in several if isinstance(each, dict)]
    return [given]


def _pair(given: Mapping[str, Any]) -> tuple[str, str] | None:
    old, new = tools.field(given, "old"), tools.field(given, "new")
    if old is None and new is None:
        return None
    return old if isinstance(old, str) else "", new if isinstance(new, str) else ""


def _original(output: Any) -> str | None:
    """Return the original file, if the tool's answer holds it."""
    if not isinstance(output, dict):
        return None
    display = output.get("returnDisplay")
    for holder, key in ((output, "originalFile"), (display, "originalContent")):
        text = holder.get(key) if isinstance(holder, dict) else None
        if isinstance(text, str) and text:
            return text
    return None


def _written(output: Any) -> str | None:
    display = output.get("returnDisplay") if isinstance(output, dict) else None
    text = display.get("newContent") if isinstance(display, dict) else None
    return text if isinstance(text, str) else None


def _diff_text(seen: Observation) -> str:
    metadata = seen.output.get("metadata") if isinstance(seen.output, dict) else None
    text = metadata.get("diff") if isinstance(metadata, dict) else None
    return text if isinstance(text, str) else ""


def _sides(diff: str) -> tuple[str, str]:
    """Return the old and new text of a unified diff or of SEARCH/REPLACE marks."""
    opened = re.search(r"[<\-]{5,40} ?SEARCH\n", diff)
    parted = compiled(r"\n?={5,40}\n").search(diff, opened.end()) if opened else None
    closed = compiled(r"\n?[>+]{5,40} ?REPLACE").search(diff, parted.end()) if parted else None
    if opened and parted and closed:
        return diff[opened.end() : parted.start()], diff[parted.end() : closed.start()]
    rows = [row for row in diff.splitlines() if not row.startswith(("---", "+++", "@@", "Index:", "===", "diff "))]
    before = [row[1:] for row in rows if row[:1] in ("-", " ")]
    after = [row[1:] for row in rows if row[:1] in ("+", " ")]
    return "\n".join(before), "\n".join(after)


_FILE = compiled(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)


def _patched(text: str) -> Iterator[_Change]:
    """Yield the files of a patch (*** Update File: …) or of a unified diff."""
    marks = list(_FILE.finditer(text))
    for number, found in enumerate(marks):
        body = text[found.end() : marks[number + 1].start() if number + 1 < len(marks) else len(text)]
        body = re.sub(r"(?m)^\*\*\* (?:End Patch|End of File|Move to:).*\n?", "", body).strip("\n")
        path = found[2].strip()
        if found[1] == "Delete":
            yield _Change(path, "", None)
        elif found[1] == "Add":
            yield _Change(path, None, "\n".join(row[1:] for row in body.splitlines() if row.startswith("+")) + "\n")
        else:
            yield _Change(path, *_sides(body))
    if marks:
        return
    for part in re.split(r"(?m)^(?=--- )", text):
        names = re.match(r"--- (?:a/)?(\S++).*+\n\+\+\+ (?:b/)?(\S+)", part)
        if names:
            before, after = _sides(part)
            old, new = names[1], names[2]
            yield _Change(old if new == "/dev/null" else new, None if old == "/dev/null" else before,
                          None if new == "/dev/null" else after)  # fmt: skip
