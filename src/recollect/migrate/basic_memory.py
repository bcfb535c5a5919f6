"""basic-memory: a folder of Markdown notes with observations and relations in their lists.

    - [decision] Sessions are kept in Redis #storage (since the outage)      an observation
    - depends_on [[Session Store]] (reads it)                                a relation

A note becomes a memory of its text, each observation a memory of its own that is part of it, in order, and each
relation a link; text that links in passing links too. What a relation names and no note is called stays with its note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, get_args

from recollect.errors import InvalidInput
from recollect.files import open_file
from recollect.migrate import markdown
from recollect.migrate.fields import Fields
from recollect.migrate.found import Found, Left, Linked, Remembered
from recollect.migrate.frontmatter import split
from recollect.migrate.look import Look, pages
from recollect.migrate.markdown import Page
from recollect.model import MemoryType
from recollect.parsing import limited

# Files to look at before a folder counts as somebody else's; notes that it did not write itself have no permalink.
LOOKED_AT = 200

_LISTED = re.compile(r"[ \t]*+(?:[-*+]|\d{1,9}[.)])[ \t]++(.*\S)[ \t]*+$")
_OBSERVATION = re.compile(r"\[([^\[\]()]+)\][ \t]+(\S.*)$")
_RELATION = re.compile(r"(?:\"([^\"]+)\"|'([^']+)'|([^\s\"'\[\]]+))[ \t]+\[\[([^\[\]]+)\]\][ \t]*(?:\((.*)\))?$")
_CONTEXT = re.compile(r"(.*\S)[ \t]+\(([^()]*)\)$")
_CLOCK = re.compile(r"\d{1,3}:\d{2}.*")
_TAG = re.compile(r"(?<!\S)#(\S+)")
_TASK = re.compile(r"\[[ xX-]\]")
_FENCE = re.compile(r"[ \t]*(```|~~~)")

# What categories of observations are in our words; the others are insights of their own kind.
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
    """A note taken apart: its text, its observations (as fields of a memory), its relations."""

    text: str
    observations: list[dict[str, Any]]
    relations: list[Relation]


class BasicMemory:
    """A project of basic-memory."""

    program = "basic-memory"
    kept_ids = False

    def __init__(self, found: Look) -> None:
        if found.kind not in ("folder", "page"):
            hint = "Give the folder of a basic-memory project; it contains Markdown notes."
            raise InvalidInput(f"{found.path} is not a folder of notes", hint=hint)
        self._root = found.path

    @staticmethod
    def fits(found: Look) -> bool:
        if found.kind == "page":
            return _has_permalink(found.path)
        looked = (file for file, _ in zip(pages(found.path), range(LOOKED_AT), strict=False))
        return found.kind == "folder" and any(_has_permalink(file) for file in looked)

    def read(self) -> Iterator[Found]:
        if next(iter(markdown.files(self._root)), None) is None:
            raise InvalidInput(f"no notes in {self._root}", hint="Give the folder that contains the notes.")
        known: dict[str, str] = {}
        keys: dict[str, str] = {}
        met: set[str] = set()
        for page in markdown.read(self._root):
            if isinstance(page, Page):
                # A permalink stays when the file moves; a copy of a note has that of its model.
                permalink = str(page.fields.get("permalink") or page.name)
                keys[page.name] = page.name if permalink in met else permalink
                met.add(permalink)
                known |= {name: keys[page.name] for name in markdown.names(page) if name not in known}
        links: list[Linked] = []
        for page in markdown.read(self._root):
            if isinstance(page, Left):
                yield page._replace(part="notes")
            else:
                yield from self._note(page, keys[page.name], known, links)
        yield from links

    def close(self) -> None:
        return

    def _note(self, page: Page, key: str, known: Mapping[str, str], links: list[Linked]) -> Iterator[Found]:
        note = taken_apart(page.text)
        loose: list[dict[str, Any]] = []
        inline = Page(page.name, {}, "\n".join((note.text, *(each["content"] for each in note.observations))), 0)
        for relation in (*note.relations, *(Relation("links_to", each, None) for each in markdown.targets_of(inline))):
            properties = {"context": relation.context} if relation.context else {}
            target = known.get(relation.target.strip().lower())
            if target is None:
                loose.append({"relation": relation.name, "target": relation.target, **properties})
            elif target != key or relation.name != "links_to":
                links.append(Linked("relations", key, target, relation.name, properties=properties))
        written = _written(page, key, note)
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
    """Return a note without the lines that are observations or relations, and those."""
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
    """Return the fields of an observation: an item with a category, or with a tag; None for any other.

    Tasks and times of day look like categories and are none.
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


def _written(page: Page, key: str, note: Note) -> Remembered:
    fields = Fields(page.fields)
    permalink, kind = fields.take("permalink"), fields.take("type")
    made, changed = fields.time("created"), fields.time("modified")
    fields.drop("title")
    return Remembered(
        part="notes",
        key=key,
        content=note.text or page.title,
        at=made if made is not None else page.changed_at,
        updated_at=changed if changed is not None else page.changed_at,
        title=page.title,
        category=str(kind) if kind else None,
        tags=markdown.tags(fields),
        metadata={"path": page.name, **({"permalink": permalink} if permalink else {})},
        beside=fields.rest(),
    )


def _has_permalink(path: Path) -> bool:
    try:
        with open_file(path) as file:
            head = file.read(4096).decode("utf-8", "replace")
        return "permalink" in limited(lambda: split(head), path.name)[0]
    except (OSError, InvalidInput):
        return False
