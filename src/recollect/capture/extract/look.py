"""Looking: reading a file, finding files, searching in them. What was learnt is kept, not what was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.capture import tools
from recollect.capture.extract.failed import failed_use
from recollect.capture.lesson import Defined, Lesson, Outline, Place, code, file_tags, line, listed, tag
from recollect.capture.observation import Observation
from recollect.capture.purpose import purpose

# Symbols and files that are named; a memory is no directory.
SYMBOLS = 16
MEMBERS = 6
FILES = 8

# Looking around is cheap to do again: it matters less than what was decided.
IMPORTANCE = 0.3


class _Text(NamedTuple):
    """What was read of a file, where it began, and how many lines the file has; 0: not told."""

    text: str
    first: int
    total: int


def read(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return what a file defines and is for, and which lines of it were read."""
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
        memory_type="context",
        importance=IMPORTANCE,
        category="read",
        tags=file_tags(shown),
        metadata={"file": shown, **({"lines": span.strip(" ()")} if span else {})},
        target=place.absolute(path),
        paths=(place.absolute(path),),
    )


def _text(seen: Observation) -> _Text:
    """Return the text that was read, wherever the assistant puts it."""
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
    """Return which lines were read, if not all."""
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
    names = _file_names(seen, place)
    told = f"Looked for files {code(pattern)}: {_found(names)}"
    return Lesson(
        told=told,
        content=told + ".",
        memory_type="pattern",
        importance=IMPORTANCE,
        category="find",
        tags=(tag("glob", pattern), "discovery"),
        metadata={"pattern": line(pattern), "files": len(names)},
        target=line(pattern),
    )


def search(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return where a pattern was found."""
    pattern = tools.text_field(seen.input, "pattern")
    if seen.failed or not pattern:
        return failed_use(seen, place, pattern, f"Searching for {code(pattern)}")
    within = tools.text_field(seen.input, "path")
    where = f" in {place.shown(within)}" if within and within != "." else ""
    names = _file_names(seen, place)
    told = f"Searched for {code(pattern)}{where}: {_found(names)}"
    return Lesson(
        told=told,
        content=told + ".",
        memory_type="pattern",
        importance=IMPORTANCE,
        category="search",
        tags=(tag("pattern", pattern), "search"),
        metadata={"pattern": line(pattern), "files": len(names)},
        target=line(pattern),
    )


def _found(names: list[str]) -> str:
    return f"{len(names)} file{'s' if len(names) != 1 else ''}: {listed(names, FILES)}" if names else "nothing found"


def _file_names(seen: Observation, place: Place) -> list[str]:
    """Return the files that an answer names, in order, each once: as a list, or as paths that begin its lines."""
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
    """Return the path that a line of a tool's answer begins with: `src/a.py`, `src/a.py:3: …`, `File: src/a.py`."""
    head = row.strip().removeprefix("File: ").partition(":")[0].strip()
    has_shape = "/" in head or "." in head[1:-1]
    return head if has_shape and " " not in head and len(head) < 300 and not head.startswith(("---", "(", "<")) else ""
