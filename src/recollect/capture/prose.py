"""The sentences that a person wrote in a message, without code, quotations, logs and pasted documents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

# A longer message is mostly pasted.
READ_CHARACTERS = 20_000
# A longer line is data or minified code.
LINE_CHARACTERS = 2_000
# A longer message contains a document; its author wrote the beginning and the end.
LONG_CHARACTERS = 2_500
BEGINNING_CHARACTERS, END_CHARACTERS = 1_200, 500
# The line break after a shorter line ends a sentence.
WRAPPED_CHARACTERS = 60

_TAG = re.compile(r"<(\w[\w-]{0,40})(?: [^<>]{0,200})?>")
_CLOSER = re.compile(r"</(\w[\w-]{0,40})>")
_QUOTED = re.compile(r"`[^`\n]{1,300}`|\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|(?<![\w])'[^'\n]{1,100}'(?![\w])")
_ITEM = re.compile(r"\s*(?:[*•–-]|\d{1,2}[.)])\s")
_NUMBERED = re.compile(r"\s*\d{1,2}[.)]\s")
_HEADING = re.compile(r"#{1,6} \S|[=⸻-]{3,}\s*$")
# Lines of terminals, logs, stack traces, diffs, tables and code.
_PASTED = re.compile(
    r"(?: {4,}|\t)\S"
    r"|\s*(?:[>➜❯$%│┃┌└├┏┗┡|+✅❌⨯✖⏭♻✨📊💡✓╭╰·×{}\[]|---|\*\*\* |//|/\*|#!|at \S+ ?\(|\d+ ?[|│]|\d[\d:.,/TZ-]{5,}"
    r"|-(?!-[a-z][\w-]{0,40} [a-z]+ [a-z])\S|=>|[\w@./-]+(?::[\w./-]+)+:?\s)"
    r"|\s*(?:Traceback|File \"|npm ERR|npm error|fatal:|warning:|error:|\w*(?:Error|Exception):|query:|hint:"
    r"|[A-Z_]{4,}=)"
)
_CODE_ENDS = ("{", "}", ";", "=>", "->", "::", "\\")
# After one of these words and a colon the rest of a message is quoted.
_INTRODUCED = re.compile(
    r"\b(?:comments?|comments? from \w+|reviewed|work|errors?|output|warnings?|logs?|findings|issues|proposal|spec"
    r"|says"
    r"|following [\w ]{1,20}|address(?: this| these)?(?: \d+)?|here(?:'s| is| are) (?:the(?! thing| deal)|my|an?|what"
    r"|some)[^:\n]{0,60}"
    r"|(?:from|in) (?:this|the) (?:docs?|readme|article|issue|spec|pr)[^:\n]{0,40}) ?:(?!\w)",
    re.IGNORECASE,
)
# A question may follow a statement after a comma.
_END = re.compile(
    r"(?<=[.!?])[\"')\]*_]{0,3}\s+(?=\S)|(?<=[。！？])(?=\S)|(?<=\w)…\s+|\.{3,}\s+"
    r"|,\s+(?=(?:so |and )?(?:can|could|would|will) (?:you|u)\b)"
)
_ABBREVIATED = re.compile(r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl)\.|\be\.g\.,?)$", re.IGNORECASE)


class Sentence(NamedTuple):
    """A sentence; `plain` has the same length, with dots where the sentence quotes.

    is_answer: it is a numbered item, like the answer to a numbered question
    is_first: no sentence of its paragraph stands before it
    """

    text: str
    plain: str
    is_answer: bool
    is_first: bool


def sentences(text: str) -> list[Sentence]:
    """Return the sentences of a message that its author wrote."""
    found: list[Sentence] = []
    for paragraph in _own(list(_paragraphs(_without_blocks(text[:READ_CHARACTERS].replace("**", ""))))):
        is_first = True
        for unit in _unwrapped(paragraph):
            for sentence in _split(unit):
                found.append(Sentence(*sentence, bool(_NUMBERED.match(unit)), is_first))
                is_first = False
    return found


def _without_blocks(text: str) -> str:
    """Return a text without what stands between tags, which programs write."""
    kept: list[str] = []
    place = 0
    last_closed = {closer[1]: closer.start() for closer in _CLOSER.finditer(text)}
    while (tag := _TAG.search(text, place)) is not None:
        is_closed = last_closed.get(tag[1], -1) >= tag.end()
        end = text.find(f"</{tag[1]}>", tag.end()) if is_closed else -1
        if end < 0:
            kept.append(text[place : tag.end()])
            place = tag.end()
        else:
            kept += [text[place : tag.start()], "\n\n"]
            place = end + len(tag[1]) + 3
    return "".join([*kept, text[place:]])


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the paragraphs without pasted lines; an empty one marks a heading."""
    paragraph: list[str] = []
    is_fenced = False
    lines = text.splitlines()
    for place, line in enumerate(lines):
        is_fence = line.lstrip().startswith(("```", "~~~"))
        is_fenced ^= is_fence
        is_out = is_fence or is_fenced or len(line) > LINE_CHARACTERS
        # A line of a log may look like a sentence.
        is_within = 0 < place < len(lines) - 1 and all(
            _is_pasted(other) for other in lines[max(0, place - 1) : place + 2 : 2]
        )
        is_prose = not is_out and bool(line.strip()) and not is_within and not _is_pasted(line)
        is_heading = is_prose and bool(_HEADING.match(line))
        introduced = _INTRODUCED.search(line) if is_prose else None
        if is_prose and not is_heading:
            paragraph.append(line[: introduced.start()] if introduced else line)
        if paragraph and (not is_prose or is_heading or introduced):
            yield paragraph
            paragraph = []
        if introduced:
            return
        if is_heading:
            yield []
    if paragraph:
        yield paragraph


def _own(paragraphs: list[list[str]]) -> list[list[str]]:
    """Return the paragraphs before and after a pasted document."""
    reached = list(accumulate(sum(map(len, paragraph)) for paragraph in paragraphs))
    if not reached or reached[-1] <= LONG_CHARACTERS:
        return paragraphs
    heading = next((place for place, paragraph in enumerate(paragraphs) if not paragraph), None)
    before = [row for row, end in zip(paragraphs[:heading], reached, strict=False) if end <= BEGINNING_CHARACTERS]
    if heading is not None:  # a document with headings reaches to the end
        return before
    starts = zip(paragraphs[1:], reached, strict=False)
    return before + [row for row, start in starts if start >= max(reached[-1] - END_CHARACTERS, BEGINNING_CHARACTERS)]


def _is_pasted(line: str) -> bool:
    if _ITEM.match(line):
        return False
    is_aligned = line.strip().count("   ") > 1 or "....." in line
    return is_aligned or line.rstrip().endswith(_CODE_ENDS) or bool(_PASTED.match(line))


def _unwrapped(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a paragraph, wrapped lines joined."""
    unit = ""
    for line in lines:
        is_wrapped = len(unit) >= WRAPPED_CHARACTERS and not unit.rstrip().endswith((".", "!", "?", ":"))
        if unit and is_wrapped and line.lstrip()[:1].islower() and not _ITEM.match(line):
            unit = f"{unit} {line.strip()}"
            continue
        if unit:
            yield unit
        unit = line.rstrip()
    if unit:
        yield unit


def _split(unit: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences of a line, each also with its quotations masked."""
    plain = _QUOTED.sub(lambda found: "·" * len(found[0]), unit.replace("’", "'"))
    start = 0
    for end in _END.finditer(plain):
        if _ABBREVIATED.search(plain, max(0, end.start() - 12), end.start()):
            continue
        yield unit[start : end.start()], plain[start : end.start()]
        start = end.end()
    yield unit[start:], plain[start:]
