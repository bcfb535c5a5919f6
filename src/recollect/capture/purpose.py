"""Purpose: what a file says it is for, in its first sentence; nothing where it does not say."""

from __future__ import annotations

import re

SENTENCE_CHARACTERS = 200

_SKIPPED = re.compile(
    r"\A(?:[ \t\r]*(?:#!.*|(?>#.*?coding[:=]).*+|<\?xml.*|<!DOCTYPE.*|[\"']use strict[\"'];?|package \w+;?)?\n)*",
    re.IGNORECASE,
)
_LEGAL = re.compile(
    r"copyright|licen[cs]e|spdx|all rights reserved|@generated|eslint-|prettier-|noqa|pylint", re.IGNORECASE
)
_BLOCKS: tuple[re.Pattern[str], ...] = (
    re.compile(r"\A[rRuU]?(\"\"\"|''')(.*?)\1", re.DOTALL),
    re.compile(r"\A/\*()(.*?)\*/", re.DOTALL),
    re.compile(r"\A<!--()(.*?)-->", re.DOTALL),
    re.compile(r"\A()((?:[ \t]*(?://[/!]?|#(?!include|\[|!)|--|;;?)[^\n]*\n?)+)"),
)  # fmt: skip
_HEADING = re.compile(r"\A\s*#{1,2} +(.+)")
_LEAD = re.compile(r"^[ \t]*(?://[/!]?|#+|--+|;+|\*+(?!/)|=+$|-+$)?[ \t]?", re.MULTILINE)
_SENTENCE = re.compile(r"(.+?[.!?])(?:\s|$)", re.DOTALL)


def purpose(path: str, text: str) -> str:
    """Return the first sentence of the comment, docstring or heading that a file begins with; "" without one."""
    head = text[:4_000]
    if path.lower().endswith((".md", ".markdown", ".mdx", ".rst")):
        heading = _HEADING.match(head)
        return _sentence(heading[1]) if heading else ""
    for _ in range(3):  # licences come first, what the file is for then
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
    flat = " ".join((first[1] if first else paragraph).split())
    return flat if len(flat) <= SENTENCE_CHARACTERS else flat[: SENTENCE_CHARACTERS - 1].rstrip() + "…"
