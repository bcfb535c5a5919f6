"""The text of a memory that is embedded, enriched by what the memory belongs to.

    documented   [decision] [namespace:/home/me/app] [tags:rust,perf,ext:rs]
                 Related: -> Cache design (PART_OF); <- Config struct (RELATES_TO)
                 We keep the index in memory because …

    lean         Cache design; rust; perf
                 We keep the index in memory because …

    off          We keep the index in memory because …

Lean leaves out what a thousand memories share: type, namespace, markup, incoming links. docs/adr/0006 gives the default
and the numbers. Vectors of one enrichment are never compared with those of another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from recollect.model import Memory

# As in document 002.
MAX_RELATIONS = 8
# Links by similarity or order, not by subject.
COMPARED = frozenset({"SIMILAR_TO", "SHARES_THEME", "SUMMARIZES", "PRECEDED_BY"})


class Related(NamedTuple):
    """The other end of a link: its label, the relationship, and whether the link leads to it."""

    label: str
    relationship: str
    outgoing: bool


def enrich_memory_text(memory: Memory, relations: Sequence[Related], text: str) -> str:
    """Return a text behind the memory's type, namespace, tags and links, as in document 002."""
    marks = [f"[{memory.memory_type}]"]
    if memory.namespace:
        marks.append(f"[namespace:{memory.namespace}]")
    if memory.tags:
        marks.append(f"[tags:{','.join(memory.tags)}]")
    links = "; ".join(
        f"{'->' if each.outgoing else '<-'} {each.label} ({each.relationship})" for each in relations[:MAX_RELATIONS]
    )
    return "\n".join((" ".join(marks), *([f"Related: {links}"] if links else ()), text))


def name_memory_text(memory: Memory, relations: Sequence[Related], text: str) -> str:
    """Return a text behind the names of linked memories and tags.

    Links by similarity, and tags of tools (`ext:rs`), are left out.
    """
    links = [each.label for each in relations if each.outgoing and each.relationship not in COMPARED]
    names = dict.fromkeys((*links[:MAX_RELATIONS], *(tag for tag in memory.tags if ":" not in tag)))
    return f"{'; '.join(names)}\n{text}" if names else text


def plain_memory_text(_memory: Memory, _relations: Sequence[Related], text: str) -> str:
    """Return a text unchanged."""
    return text


class Enrichment(NamedTuple):
    """An enrichment: its function, the ends of a link whose text it changes, and ignored relationships."""

    enrich: Callable[[Memory, Sequence[Related], str], str]
    ends: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()


ENRICHMENTS: Mapping[str, Enrichment] = {
    "off": Enrichment(plain_memory_text),
    "lean": Enrichment(name_memory_text, ends=("src",), ignored=COMPARED),
    "documented": Enrichment(enrich_memory_text, ends=("src", "dst")),
}
