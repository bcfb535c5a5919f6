"""Documents: what a project says about itself, section by section: its README, its docs, and its rules for assistants.

A section is one memory, under its heading and those above it; a long one is cut between paragraphs. Files that speak to
assistants hold what the people of a project want: preferences. All others describe it: context.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from recollect import progress
from recollect.history.files import Text, found_in, paths, texts
from recollect.history.found import Found, clipped

# A piece of a section: as much as is shown of a memory without being cut.
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
# Lists of what changed are told better by the commits, translations say it twice, licences are nobody's knowledge.
_DULL = re.compile(
    r"(?:^|/)(?:change(?:s|log)|news|history|releases?|licen[cs]e|copying|authors|contributors|code_of_conduct|security"
    r"|requirements)\b|(?:^|/)(?:whatsnew|changelogs?|releases?|locale|i18n|translations|_?build|api)/",
    re.IGNORECASE,
)
_MARKDOWN_HEADING = re.compile(r"^ {0,3}(#{1,6})\s++(\S.*)$")
_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")


class Section(NamedTuple):
    """A part of a document: the headings that lead to it, and what stands under them."""

    headings: tuple[str, ...]
    text: str


class Documents:
    """README, AGENTS.md, CLAUDE.md and the like, and docs/; `most`: how many sections at most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.left_out: list[str] = []
        self.notes: list[str] = []

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield the sections of a project's documents."""
        left = self._most
        wanted = sorted((path for path in paths(root, self.notes) if is_document(path)), key=_order)
        for number, file in enumerate(texts(root, wanted)):
            progress.report(number, len(wanted), "reading documents")
            if since is not None and file.at < since:
                continue
            for found in found_in(file, _sections, self.left_out):
                if left <= 0:
                    return
                left -= 1
                yield found


def is_document(path: str) -> bool:
    """Tell whether a file describes the project; records of decisions have a source of their own."""
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
    """Tell whether a file is the record of a decision."""
    return bool(_DECISIONS.search(path.lower())) and not posixpath.basename(path).lower().startswith(
        ("readme", "index", "template")
    )


def sections(text: str, *, is_rst: bool = False) -> Iterator[Section]:
    """Yield the parts of a document under its headings."""
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
    """Yield a text in parts of so many characters at most, cut between paragraphs where there are any."""
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
    """Return the depth and words of a heading at a line, and how many lines it takes; None where there is none."""
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
    """Rules first, then what lies at the top: what a project says first it means most."""
    return (posixpath.basename(path).lower() not in _RULES, path.count("/"), path)
