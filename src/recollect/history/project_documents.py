"""Documents of a project, section by section, and its decision records (ADRs), one record each.

Files that instruct assistants hold preferences, all others context. A long section is cut between paragraphs. Manuals
are left to the index.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.history.change_worth import FLOOR, is_reason, is_rejection
from recollect.history.history_record import FileSource, Found, Text, clipped, moment
from recollect.text.document_headings import form_of, headings

# With its headings, one passage.
PIECE_CHARACTERS = 1_100
# Fewer words of a README are badges, and of a section directives.
README_WORDS = 7
SECTION_WORDS = 12
# Lines that are kept of a block of code.
CODE_LINES = 12
# Shorter sections are a heading and a link.
LEAST_CHARACTERS = 40

_KINDS = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc", ".asciidoc")
_RULES = frozenset(
    "agents.md claude.md gemini.md copilot-instructions.md .cursorrules .windsurfrules conventions.md".split()
)
_TOP = re.compile(
    r"(?:readme|contributing|architecture|design|development|hacking|styleguide|style_guide)\b.*", re.IGNORECASE
)
_FOLDERS = frozenset({"docs", "doc", "documentation", ".github"})
_DECISIONS = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|architecture[-_]decisions?|decision[-_]records?)/[^/]+\.(?:md|rst|txt|adoc)$"
)
# Written for those who work on the project.
_OURS = re.compile(
    r"(?:^|/)(?:contributing|architecture|design|development|hacking|internals?|style_?guide|developer|maintain\w*"
    r"|principles"
    r"|conventions|philosophy|rfcs?|proposals?|governance)\b|(?:^|/)(?:internals?|design|dev|develop\w*|contributing"
    r"|rfcs?|architecture)/",
    re.IGNORECASE,
)
_WHY = re.compile(
    r"\bwhy\b|\bdecision|\brationale|\bphilosoph|\bdesign|\bprinciple|\btrade-?offs?\b|\blimitation|\bcaveat"
    r"|\bgotcha|\bpitfall|\bwarning"
    r"|\bsecurity\b|\bthread[- ]?safe|\bperformance\b|\bcompatib|\bnot supported\b|\bstability\b|\bdeprecat",
    re.IGNORECASE,
)
# Changelogs have a source of their own, tutorials and examples are for users, translations repeat documents.
_DULL = re.compile(
    r"(?:^|/)(?:change(?:s|log)|news|history|releases?|licen[cs]e|copying|authors|contributors|code_of_conduct|security"
    r"|requirements|quick-?start|getting[-_]started)\b|tutorial|(?:^|/)(?:whatsnew|changelogs?|releases?|locale|i18n"
    r"|translations|_?build|api|examples?|tests?|tests[-_]\w+|benchmarks?|benches|fixtures?|samples?)/",
    re.IGNORECASE,
)


_FENCE = re.compile(r"\s*+(?:```|~~~)")


class Section(NamedTuple):
    """A part of a document: its headings and its text."""

    headings: tuple[str, ...]
    text: str


def is_document(path: str) -> bool:
    """Tell whether a file describes the project; decision records do not count."""
    name = posixpath.basename(path).lower()
    if name in _RULES:
        return True
    if not name.endswith(_KINDS) or is_decision(path) or _DULL.search(path):
        return False
    return (
        ("/" not in path and bool(_TOP.fullmatch(name)))
        or path.split("/")[0].lower() in _FOLDERS
        or name.startswith("readme.")
    )


def is_decision(path: str) -> bool:
    """Tell whether a file is a decision record."""
    return bool(_DECISIONS.search(path.lower())) and not posixpath.basename(path).lower().startswith(
        ("readme", "index", "template")
    )


def sections(text: str, path: str) -> Iterator[Section]:
    """Yield the sections of a document; its name tells how headings are written."""
    rows = text.splitlines()
    above: list[tuple[int, str]] = []
    start = 0
    for heading in headings(rows, form_of(path)):
        yield Section(tuple(title for _, title in above), "\n".join(rows[start : heading.line]).strip("\n"))
        above = [*(row for row in above if row[0] < heading.depth), (heading.depth, heading.title)]
        start = heading.line + heading.lines
    yield Section(tuple(title for _, title in above), "\n".join(rows[start:]).strip("\n"))


def compact(text: str) -> str:
    """Return a text with short blocks of code, without blank lines in them, at which a piece would end."""
    kept: list[str] = []
    block: list[str] | None = None
    for line in text.splitlines():
        if _FENCE.match(line):
            if block is not None:
                kept += block if len(block) <= CODE_LINES else [*block[:CODE_LINES], "…"]
            block = [] if block is None else None
            kept.append(line)
        elif block is None:
            kept.append(line)
        elif line.strip():
            block.append(line)
    return "\n".join([*kept, *(block or [])[:CODE_LINES]])


def pieces(text: str, most: int = PIECE_CHARACTERS) -> Iterator[str]:
    """Yield a text in parts of so many characters at most, cut between paragraphs if possible."""
    part = ""
    for paragraph in re.split(r"\n\s*\n", text):
        if part and len(part) + len(paragraph) + 2 > most:
            yield part
            part = ""
        part = f"{part}\n\n{paragraph}" if part else paragraph
        place = 0
        while len(part) - place > most:
            window = part[place : place + most + 1]
            line = window.rfind("\n", most // 2)  # between the rows of a table
            cut = window[:line] if line > 0 else clipped(window, most).rstrip("…") or window[:most]
            yield cut
            place += len(cut)
            place += len(part[place : place + most]) - len(part[place : place + most].lstrip())
        part = part[place:].strip()
    if part.strip():
        yield part


def _sections(file: Text) -> Iterator[Found]:
    name = posixpath.basename(file.path).lower()
    is_rule = name in _RULES
    seen: dict[str, int] = {}
    is_ours = is_rule or bool(_OURS.search(file.path))
    for section in sections(file.text, file.path):
        if len(section.text) < LEAST_CHARACTERS:
            continue
        for piece in pieces(compact(section.text)):
            value = 1.0 if is_rule else section_worth(section.headings, piece, is_ours=is_ours)
            is_first = file.path.lower().startswith("readme") and not seen
            if is_first and len(" ".join(prose(piece)).split()) > README_WORDS:
                value = max(value, 0.6)  # it says what the project is
            if value < FLOOR:
                continue
            above = " › ".join(section.headings)
            # The same heading may come twice, and a long section has several pieces.
            number = seen[above] = seen.get(above, 0) + 1
            head = f"{file.path} › {above}" if above else file.path
            yield Found(
                key=f"{file.path}#{above}#{number}",
                rule="rule" if is_rule else "document",
                title=clipped(head, 200),
                content=f"{head}\n\n{piece}",
                memory_type="preference" if is_rule else "context",
                at=file.at,
                importance=0.6 if is_rule else 0.4,
                tags=("docs", *(("rules",) if is_rule else ())),
                metadata={"path": file.path},
                worth=value,
                head=file.sha,
            )


def section_worth(above: tuple[str, ...], text: str, *, is_ours: bool) -> float:
    """Return what a part of a document is worth as a memory; the index has the others.

    is_ours: written for those who work on the project. A manual is for its users, and the index finds it.
    """
    if not is_ours:
        return 0.0
    sentences = [sentence for block in prose(text) for sentence in re.split(r"(?<=[.!?])\s+", block)]
    reasons = sum(is_reason(sentence) for sentence in sentences)
    decides = bool(above and _WHY.search(above[-1])) or any(map(is_rejection, sentences))
    is_told = len(" ".join(sentences).split()) > SECTION_WORDS
    return 0.6 + 0.05 * min(reasons, 4) if is_told and (decides or reasons > 1) else 0.0


def prose(text: str) -> list[str]:
    """Return the paragraphs of a text that are neither code nor tables."""
    blocks = (block for block in re.split(r"\n[ \t]*\n", text) if not block.startswith(("    ", "```", "|", "..", "<")))
    return [" ".join(block.split()) for block in blocks]


def _order(path: str) -> tuple[int, int, str]:
    """Sort instructions first, then files at the top."""
    return (posixpath.basename(path).lower() not in _RULES, path.count("/"), path)


# --- decision records ---

# What is kept of a record; the decision comes before its context.
RECORD_CHARACTERS = 2_400
SECTION_CHARACTERS = 900

_FIRST = ("decision", "outcome", "status", "context", "consequence", "alternativ", "option", "rationale", "why")
_STATUS = re.compile(
    r"^[^\w\n]*+(?:status|state)\W*+(?P<status>[A-Za-z][\w ,.#\-\[\]()/]{2,80})", re.IGNORECASE | re.MULTILINE
)
_DATE = re.compile(r"\b(?P<day>(?:19|20)\d\d-\d\d-\d\d)\b")
_GIVEN_UP = re.compile(r"\b(?:supersed|replac|deprecat|reject|withdraw|abandon|obsolete)", re.IGNORECASE)


def _decision(file: Text) -> Iterator[Found]:
    parts = [part for part in sections(file.text, file.path) if part.text]
    title = next((part.headings[0] for part in parts if part.headings), file.path)
    status = _status(file.text, [(part.headings, part.text) for part in parts])
    day = _DATE.search(file.text[:2_000])
    is_given_up = bool(_GIVEN_UP.search(status))
    lines = [f"Decision record {file.path}: {title}" + (f" (status: {status})" if status else "")]
    room = RECORD_CHARACTERS
    for part in sorted(parts, key=lambda part: _rank(part.headings)):
        text = clipped(part.text, SECTION_CHARACTERS)
        if len(text) > room:
            break
        room -= len(text)
        lines.append(f"{part.headings[-1]}: {text}" if len(part.headings) > 1 else text)
    yield Found(
        key=file.path,
        rule="given up" if is_given_up else "decision",
        title=clipped(title, 200),
        content="\n\n".join(lines),
        memory_type="decision",
        at=moment(day["day"]) or file.at if day else file.at,
        importance=0.5 if is_given_up else 0.75,
        tags=("adr", *(("given-up",) if is_given_up else ())),
        metadata={"path": file.path, "status": status},
        worth=1.0,
        head=file.sha,
    )


def _status(text: str, parts: list[tuple[tuple[str, ...], str]]) -> str:
    for above, body in parts:
        if above and above[-1].strip().lower() in ("status", "state"):
            return clipped(body.splitlines()[0].strip(" *_`."), 80)
    found = _STATUS.search(text[:2_000])
    return found["status"].strip(" *_`.|") if found else ""


def _rank(headings: tuple[str, ...]) -> int:
    name = headings[-1].lower() if headings else ""
    return next((place for place, word in enumerate(_FIRST) if word in name), len(_FIRST))


class Documents(FileSource):
    """README, AGENTS.md, CLAUDE.md and the like, and what decides in docs/."""

    doing = "reading documents"

    def wanted(self, names: list[str]) -> list[str]:
        return sorted((name for name in names if is_document(name)), key=_order)

    def read(self, file: Text) -> Iterator[Found]:
        return _sections(file)


class Decisions(FileSource):
    """Decision records, the latest first."""

    doing = "reading decision records"

    def wanted(self, names: list[str]) -> list[str]:
        return sorted((name for name in names if is_decision(name)), reverse=True)

    def read(self, file: Text) -> Iterator[Found]:
        return _decision(file)
