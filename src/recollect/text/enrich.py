"""Enrich: what is put before the text of a memory when it is embedded, so that its vector knows where it belongs.

    documented   [decision] [namespace:/home/me/app] [tags:rust,perf,ext:rs]
                 Related: -> Cache design (PART_OF); <- Config struct (RELATES_TO)
                 We keep the index in memory because …

    lean         Cache design; rust; perf
                 We keep the index in memory because …

    off          We keep the index in memory because …

Lean names what a memory belongs to and leaves out what says nothing of it: the type and the namespace that a thousand
others share, the markup, and those that point to it, which name it themselves. Which is the default, and why, is in
docs/adr/0006. Vectors of one enrichment never meet those of another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from recollect.model import Memory

# As many links as document 002 names; more would say more of the neighbours than of the memory.
MAX_RELATIONS = 8
# Links that come from comparing memories or from their order, not from what they are about.
COMPARED = frozenset({"SIMILAR_TO", "SHARES_THEME", "SUMMARIZES", "PRECEDED_BY"})


class Related(NamedTuple):
    """One end of a link, seen from the other: what it is called, how they relate, and whether the link leads to it."""

    label: str
    relationship: str
    outgoing: bool


def enrich_memory_text(memory: Memory, relations: Sequence[Related], text: str) -> str:
    """Return a text of a memory behind its type, namespace, tags and up to eight links, as document 002 prints it."""
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
    """Return a text of a memory behind the names of what it belongs to: what it links to, and its tags.

    Not links that come from comparing texts, whose other end says the same anyway, nor tags that a tool wrote
    (`ext:rs`): a thousand memories share them.
    """
    links = [each.label for each in relations if each.outgoing and each.relationship not in COMPARED]
    names = dict.fromkeys((*links[:MAX_RELATIONS], *(tag for tag in memory.tags if ":" not in tag)))
    return f"{'; '.join(names)}\n{text}" if names else text


def plain_memory_text(_memory: Memory, _relations: Sequence[Related], text: str) -> str:
    """Return a text of a memory as it is."""
    return text


class Enrichment(NamedTuple):
    """A way to enrich: what it makes of a text, which ends of a link it says something new to, and which links to none.

    ends: fields of an edge; none where links are not looked at
    """

    enrich: Callable[[Memory, Sequence[Related], str], str]
    ends: tuple[str, ...] = ()
    ignored: frozenset[str] = frozenset()


ENRICHMENTS: Mapping[str, Enrichment] = {
    "off": Enrichment(plain_memory_text),
    "lean": Enrichment(name_memory_text, ends=("src",), ignored=COMPARED),
    "documented": Enrichment(enrich_memory_text, ends=("src", "dst")),
}
