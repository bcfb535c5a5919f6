"""A table in a TOML file, appended and cut as text, so that comments and the order of the others stay.

The result of an edit is parsed before it is written: if anything but our table changed, the edit is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.errors import InvalidInput
from recollect.parsing import parse_toml

_HEADER = re.compile(r"^[ \t]*\[")
_PART = re.compile(r"""\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_-]+)\s*(\.|$)""")


class Malformed(ValueError):
    """The text is not TOML, or our table has a form that cannot be edited; `line` counts from 1, 0: unknown."""

    def __init__(self, what: str, line: int = 0) -> None:
        self.line = line
        super().__init__(what)


def parse(text: str) -> dict[str, Any]:
    """Return the content of a document; raises Malformed."""
    try:
        return parse_toml(text.encode())
    except InvalidInput as problem:
        found = re.search(r"line (\d+)", problem.message)
        end = text.count("\n") + 1 if "end of document" in problem.message else 0
        raise Malformed(problem.message, int(found[1]) if found else end) from None


def at(value: Mapping[str, Any], path: Sequence[str]) -> Any:
    """Return the value at a path, or None."""
    found: Any = value
    for step in path:
        found = found.get(step) if isinstance(found, Mapping) else None
    return found


def block(path: Sequence[str], values: Mapping[str, Any], newline: str = "\n") -> str:
    """Return a table of texts, numbers and lists of texts, which are the same in JSON and TOML."""
    rows = [
        f"[{'.'.join(path)}]",
        *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in values.items()),
    ]
    return newline.join(rows) + newline


def append(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the text with one more table at its end; raises Malformed if that is invalid."""
    newline = "\r\n" if "\r\n" in text else "\n"
    before = parse(text)
    gap = "" if not text.strip() else newline if text.endswith("\n") else newline * 2
    after = text + gap + block(path, values, newline)
    _hold(after, _with(before, path, dict(values)))
    return after


def rewrite(text: str, path: Sequence[str], values: Mapping[str, Any]) -> str:
    """Return the text with these values in the table at `path`."""
    newline = "\r\n" if "\r\n" in text else "\n"
    before = parse(text)
    below = {key: row for key, row in at(before, path).items() if isinstance(row, dict)}  # tables of their own
    start, end = _lines_of(text, path)
    after = text[:start] + block(path, values, newline) + text[end:]
    _hold(after, _with(before, path, {**below, **values}))
    return after


def cut(text: str, path: Sequence[str]) -> str:
    """Return the text without the table at `path` and its subtables."""
    wanted, after = _without(parse(text), path), text
    while at(parse(after), path) is not None:
        start, end = _lines_of(after, path, below=True)
        lead = re.search(r"(?:\r?\n)[ \t]*(\r?\n)$", after[:start])
        after = after[: lead.start(1) if lead else start] + after[end:]
    _hold(after, wanted)
    return after


def _lines_of(text: str, path: Sequence[str], *, below: bool = False) -> tuple[int, int]:
    """Return the start and end of the lines of a table; comments before the next table belong to that one."""
    start = end = -1
    position = 0
    for line in text.splitlines(keepends=True):
        if _HEADER.match(line):
            if start >= 0:
                break
            keys = _keys(line)
            if keys == list(path) or (below and keys[: len(path)] == list(path)):
                start = position
        position += len(line)
        if start >= 0 and line.strip() and not line.lstrip().startswith("#"):
            end = position
    if start < 0:
        raise Malformed(f"{'.'.join(path)} is not written as a table of its own")
    return start, end


def _keys(header: str) -> list[str]:
    """Return the keys of a table header; empty for an array of tables or anything else."""
    inner = re.match(r"[ \t]*\[([^\[\]]+)\][ \t]*(?:#.*)?\r?\n?$", header)
    rest, keys = inner[1].strip() if inner else "", []
    place = 0
    while place < len(rest) and (found := _PART.match(rest, place)):
        word = found[1]
        keys.append(json.loads(word) if word[0] == '"' else word.strip("'"))
        place = found.end()
    return keys


def _with(value: Mapping[str, Any], path: Sequence[str], new: Any) -> dict[str, Any]:
    head, *rest = path
    below = value.get(head, {})
    return {**value, head: _with(below if isinstance(below, Mapping) else {}, rest, new) if rest else new}


def _without(value: Mapping[str, Any], path: Sequence[str]) -> dict[str, Any]:
    head, *rest = path
    left = {key: row for key, row in value.items() if key != head}
    below = _without(value[head], rest) if rest and isinstance(value.get(head), Mapping) else {}
    return {key: below if key == head else value[key] for key in value if key in left or below}


def _bare(value: Any) -> Any:
    """Return a value without empty tables: an empty header above ours has no meaning."""
    if not isinstance(value, Mapping):
        return value
    return {key: row for key, row in ((key, _bare(row)) for key, row in value.items()) if row != {}}


def _hold(text: str, wanted: Mapping[str, Any]) -> None:
    try:
        is_wanted = _bare(parse(text)) == _bare(wanted)
    except Malformed:
        is_wanted = False
    if not is_wanted:
        raise Malformed("the entry of recollect cannot be edited without changing others")
