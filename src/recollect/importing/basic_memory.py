"""basic-memory: a folder of Markdown notes with observations and relations in their lists.

    - [decision] Sessions are kept in Redis #storage (since the outage)      an observation
    - depends_on [[Session Store]] (reads it)                                a relation

A note becomes a memory, each observation a memory that is part of it, and each relation or link a link. A relation to
a missing note stays in the metadata of its note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from recollect.errors import InvalidInput
from recollect.files import open_file
from recollect.importing import markdown_pages
from recollect.importing.import_records import Found, Left, Linked, Remembered
from recollect.importing.import_source import Reader, SourceFile, pages
from recollect.importing.markdown_pages import Page, split
from recollect.model import MemoryType
from recollect.parsing import limited

# Files that are searched for a permalink, which notes of other authors lack.
LOOKED_AT = 200

_LISTED = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]++(.*\S)[ \t]*+$")
_OBSERVATION = re.compile(r"\[([^\[\]()]+)\][ \t]+(\S.*)$")
_RELATION = re.compile(r"(?:\"([^\"]+)\"|'([^']+)'|([^\s\"'\[\]]+))[ \t]+\[\[([^\[\]]+)\]\][ \t]*(?:\((.*)\))?$")
_CONTEXT = re.compile(r"(.*\S)[ \t]+\(([^()]*)\)$")
_CLOCK = re.compile(r"\d{1,3}:\d{2}.*")
_TAG = re.compile(r"(?<!\S)#(\S+)")
_TASK = re.compile(r"\[[ xX-]\]")
_FENCE = re.compile(r"[ \t]*(```|~~~)")

# Our type of memory by category of observation; all others are insights.
TYPES: Mapping[str, MemoryType] = {
    **{kind: kind for kind in get_args(MemoryType)},
    "note": "context",
    "design": "decision",
    "convention": "style",
    "rule": "style",
    "lesson": "insight",
    "learning": "insight",
    "problem": "insight",
    "solution": "insight",
}


class Relation(NamedTuple):
    """A relation as it is written."""

    name: str
    target: str
    context: str | None


class Note(NamedTuple):
    """A parsed note: text, observations (as fields of a memory), relations."""

    text: str
    observations: list[dict[str, Any]]
    relations: list[Relation]


class BasicMemory(Reader):
    """A project of basic-memory."""

    source_name = "basic-memory"
    program = "basic-memory"

    @staticmethod
    def fits(source: SourceFile) -> bool:
        if source.kind == "page":
            return _has_permalink(source.path)
        looked = (file for file, _ in zip(pages(source.path), range(LOOKED_AT), strict=False))
        return source.kind == "folder" and any(_has_permalink(file) for file in looked)

    def read(self) -> Iterator[Found]:
        if next(iter(markdown_pages.files(self.source.path)), None) is None:
            raise InvalidInput(f"no notes in {self.source.path}", hint="Give the folder that contains the notes.")
        known: dict[str, str] = {}
        keys: dict[str, str] = {}
        met: set[str] = set()
        for page in markdown_pages.read(self.source.path):
            if isinstance(page, Page):
                # A permalink survives a move; a copied note has the same one.
                permalink = str(page.fields.get("permalink") or page.name)
                keys[page.name] = page.name if permalink in met else permalink
                met.add(permalink)
                known |= {name: keys[page.name] for name in markdown_pages.names(page) if name not in known}
        links: list[Linked] = []
        for page in markdown_pages.read(self.source.path):
            if isinstance(page, Left):
                yield page._replace(part="notes")
            else:
                yield from self._note(page, keys[page.name], known, links)
        yield from links

    def _note(self, page: Page, key: str, known: Mapping[str, str], links: list[Linked]) -> Iterator[Found]:
        note = taken_apart(page.text)
        loose: list[dict[str, Any]] = []
        links_of = markdown_pages.targets_of
        inline = Page(page.name, {}, "\n".join((note.text, *(each["content"] for each in note.observations))), 0)
        for relation in (*note.relations, *(Relation("links_to", each, None) for each in links_of(inline))):
            properties = {"context": relation.context} if relation.context else {}
            target = known.get(relation.target.strip().lower())
            if target is None:
                loose.append({"relation": relation.name, "target": relation.target, **properties})
            elif target != key or relation.name != "links_to":
                links.append(Linked("relations", key, target, relation.name, properties=properties))
        written = markdown_pages.memory(page, "notes", key, note.text)
        yield written._replace(metadata={**written.metadata, **({"relations": loose} if loose else {})})
        if loose:
            yield Left("relations", "its target note does not exist; kept in the metadata of the note", len(loose))
        for place, each in enumerate(note.observations):
            yield Remembered(
                part="observations",
                key=f"{key}\n{place}\n{each['content']}",
                at=written.at,
                updated_at=written.updated_at,
                title=written.title,
                parent=key,
                place=place,
                **each,
            )


def taken_apart(text: str) -> Note:
    """Return the text, observations and relations of a note."""
    kept: list[str] = []
    observations: list[dict[str, Any]] = []
    relations: list[Relation] = []
    fenced = False
    for line in text.splitlines():
        fenced ^= _FENCE.match(line) is not None
        item = None if fenced else _LISTED.match(line)
        if item and (relation := _RELATION.fullmatch(item[1])):
            name = relation[1] or relation[2] or relation[3]
            relations.append(Relation(name, relation[4], relation[5] or None))
        elif item and (found := _observation(item[1])):
            observations.append(found)
        else:
            kept.append(line)
    return Note(re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip(), observations, relations)


def _observation(item: str) -> dict[str, Any] | None:
    """Return the fields of an observation, which has a category or a tag; None for other items.

    Tasks and times of day are no categories.
    """
    found = _OBSERVATION.fullmatch(item)
    category = found[1].strip() if found else ""
    is_task = len(category) == 1 and (category in "xX" or not category.isalnum())
    if found is None or not category or is_task or _CLOCK.fullmatch(category):
        if _TASK.match(item) or not _TAG.search(item):
            return None
        category, told = "Note", item
    else:
        told = found[2]
    context = _CONTEXT.fullmatch(told)
    content = context[1] if context else told
    return {
        "content": content,
        "category": category,
        "memory_type": TYPES.get(category.lower(), "insight"),
        "tags": tuple(dict.fromkeys(tag for word in _TAG.findall(content) for tag in word.split("#") if tag)),
        "metadata": {"context": context[2]} if context else {},
    }


def _has_permalink(path: Path) -> bool:
    try:
        with open_file(path) as file:
            head = file.read(4096).decode("utf-8", "replace")
        return "permalink" in limited(lambda: split(head), path.name)[0]
    except (OSError, InvalidInput):
        return False
