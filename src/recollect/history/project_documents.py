"""Documents of a project, section by section, and its decision records (ADRs), one record each.

Files that instruct assistants hold preferences, all others context. A long section is cut between paragraphs.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from recollect.history.history_record import FileSource, Found, Text, clipped

# As much as is shown of a memory without being cut.
PIECE_CHARACTERS = 1_500
# Shorter sections are a heading and a link.
LEAST_CHARACTERS = 40

_KINDS = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")
_RULES = frozenset(
    {
        "agents.md",
        "claude.md",
        "gemini.md",
        "copilot-instructions.md",
        ".cursorrules",
        ".windsurfrules",
        "conventions.md",
    }
)
_TOP = re.compile(
    r"(?:readme|contributing|architecture|design|development|hacking|styleguide|style_guide)\b.*", re.IGNORECASE
)
_FOLDERS = frozenset({"docs", "doc", "documentation", ".github"})
_DECISIONS = re.compile(
    r"(?:^|/)(?:adrs?|decisions?|architecture[-_]decisions?|decision[-_]records?)/[^/]+\.(?:md|rst|txt|adoc)$"
)
# Changelogs repeat the commits, translations repeat documents, licences teach nothing.
_DULL = re.compile(
    r"(?:^|/)(?:change(?:s|log)|news|history|releases?|licen[cs]e|copying|authors|contributors|code_of_conduct|security"
    r"|requirements)\b|(?:^|/)(?:whatsnew|changelogs?|releases?|locale|i18n|translations|_?build|api)/",
    re.IGNORECASE,
)
_MARKDOWN_HEADING = re.compile(r"^ {0,3}(#{1,6})\s++(\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")


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


def sections(text: str, *, is_rst: bool = False) -> Iterator[Section]:
    """Yield the sections of a document."""
    above: list[tuple[int, str]] = []
    levels: dict[str, int] = {}
    lines: list[str] = []
    in_code = False
    rows = text.splitlines()
    place = 0
    while place < len(rows):
        line = rows[place]
        in_code ^= bool(_FENCE.match(line))
        heading = None if in_code else _heading(rows, place, levels, is_rst=is_rst)
        if heading is None:
            lines.append(line)
            place += 1
            continue
        depth, name, used = heading
        yield Section(tuple(title for _, title in above), "\n".join(lines).strip())
        above = [*(row for row in above if row[0] < depth), (depth, name)]
        lines = []
        place += used
    yield Section(tuple(title for _, title in above), "\n".join(lines).strip())


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
            cut = clipped(window, most).rstrip("…") or window[:most]  # punctuation alone has no word to cut at
            yield cut
            place += len(cut)
            place += len(part[place : place + most]) - len(part[place : place + most].lstrip())
        part = part[place:].strip()
    if part.strip():
        yield part


def _heading(rows: list[str], place: int, levels: dict[str, int], *, is_rst: bool) -> tuple[int, str, int] | None:
    """Return depth, title and number of lines of a heading at a line; None if there is none."""
    line, below = rows[place], rows[place + 1] if place + 1 < len(rows) else ""
    marked = None if is_rst else _MARKDOWN_HEADING.match(line)
    if marked:
        return len(marked[1]), marked[2].rstrip().rstrip("#").rstrip() or "#", 1
    under = _UNDERLINE.match(below)
    allowed = is_rst or (under is not None and under[1] in "=-")
    if (
        not under
        or not allowed
        or not line.strip()
        or line[:1].isspace()
        or _UNDERLINE.match(line)
        or len(below) < len(line.rstrip()) - 1
    ):
        return None
    return levels.setdefault(under[1], len(levels) + 1), line.strip(), 2


def _sections(file: Text) -> Iterator[Found]:
    is_rule = posixpath.basename(file.path).lower() in _RULES
    seen: dict[str, int] = {}
    for section in sections(file.text, is_rst=file.path.endswith(".rst")):
        if len(section.text) < LEAST_CHARACTERS:
            continue
        for piece in pieces(section.text):
            name = " › ".join(section.headings)
            # The same heading may come twice, and a long section has several pieces.
            number = seen[name] = seen.get(name, 0) + 1
            head = f"{file.path} › {name}" if name else file.path
            yield Found(
                key=f"{file.path}#{name}#{number}",
                rule="rule" if is_rule else "document",
                title=clipped(head, 200),
                content=f"{head}\n\n{piece}",
                memory_type="preference" if is_rule else "context",
                at=file.at,
                importance=0.6 if is_rule else 0.4,
                tags=("docs", *(("rules",) if is_rule else ())),
                metadata={"path": file.path},
            )


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
    parts = [part for part in sections(file.text, is_rst=file.path.endswith(".rst")) if part.text]
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
        at=_moment(day["day"]) or file.at if day else file.at,
        importance=0.5 if is_given_up else 0.75,
        tags=("adr", *(("given-up",) if is_given_up else ())),
        metadata={"path": file.path, "status": status},
    )


def _status(text: str, parts: list[tuple[tuple[str, ...], str]]) -> str:
    for headings, body in parts:
        if headings and headings[-1].strip().lower() in ("status", "state"):
            return clipped(body.splitlines()[0].strip(" *_`."), 80)
    found = _STATUS.search(text[:2_000])
    return found["status"].strip(" *_`.|") if found else ""


def _rank(headings: tuple[str, ...]) -> int:
    name = headings[-1].lower() if headings else ""
    return next((place for place, word in enumerate(_FIRST) if word in name), len(_FIRST))


def _moment(day: str) -> int:
    try:
        return int(datetime.fromisoformat(day).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0


class Documents(FileSource):
    """README, AGENTS.md, CLAUDE.md and the like, and docs/; `most` counts sections."""

    doing = "reading documents"

    def wanted(self, names: list[str]) -> list[str]:
        return sorted((name for name in names if is_document(name)), key=_order)

    def read(self, file: Text) -> Iterator[Found]:
        return _sections(file)


class Decisions(FileSource):
    """Decision records, the latest first."""

    doing = "reading decision records"

    def wanted(self, names: list[str]) -> list[str]:
        return sorted((name for name in names if is_decision(name)), reverse=True)[: self._most]

    def read(self, file: Text) -> Iterator[Found]:
        return _decision(file)
