"""Frontmatter: the fields between two lines of dashes at the head of a page.

The part of YAML that people and programs write there: texts, numbers, truth values, dates, lists in brackets or with
dashes. What is nested deeper is kept as the text it is.
"""

from __future__ import annotations

import re
from typing import Any

_HEAD = re.compile(r"\A\ufeff?---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$\n?", re.DOTALL | re.MULTILINE)
_FIELD = re.compile(r"([^\s#:'\"\-\[\]{}][^:]*+):(?:[ \t]++(.*))?$")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)$")
_COMMENT = re.compile(r"(?<![ \t])[ \t]++#.*$")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_NUMBER = re.compile(r"[+-]?\d{1,15}(\.\d+)?")


def split(text: str) -> tuple[dict[str, Any], str]:
    """Return the fields of a page and the text below them; {} where it has none."""
    head = _HEAD.match(text)
    if head is None:
        return {}, text
    return _fields(head[1].splitlines()), text[head.end() :]


def _fields(lines: list[str]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    held: list[str] = []
    name = ""
    for line in [*lines, "end:"]:
        found = _FIELD.match(line)
        if found is None:
            if name and line.strip() and not line.startswith("#"):
                held.append(line)
            continue
        if name and held:
            fields[name] = _below(held, fields[name])
        name, held = found[1].strip(), []
        fields[name] = _value(found[2] or "")
    fields.pop("end", None)
    return fields


def _below(held: list[str], beside: Any) -> Any:
    """Return what stands in the lines below a name: a list, or a text over several lines."""
    items = [_ITEM.match(line) for line in held]
    if beside is None and all(items):
        return [_value(item[1]) for item in items if item]
    text = "\n".join(line.strip() for line in held)
    return text if beside in (None, "|", ">", "|-", ">-") else f"{beside}\n{text}"


def _value(text: str, *, in_list: bool = False) -> Any:
    raw = text.strip()
    if raw[:1] in ("'", '"') and raw[-1:] == raw[:1] and len(raw) > 1:
        return raw[1:-1].replace("''", "'") if raw[0] == "'" else raw[1:-1].replace('\\"', '"')
    raw = _COMMENT.sub("", raw).strip()
    if raw.startswith("[") and raw.endswith("]") and not in_list:
        return [_value(part, in_list=True) for part in raw[1:-1].split(",") if part.strip()]
    if raw.lower() in _WORDS:
        return _WORDS[raw.lower()]
    if _NUMBER.fullmatch(raw):
        return float(raw) if "." in raw else int(raw)
    return raw
