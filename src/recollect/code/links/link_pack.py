"""Pack: the links of one file as columns, as the store keeps them and the graph reads them.

site: who, what, how related, where, how found, how sure      one for every place in the file
edge: who, what, how related, how sure                        one for all that say the same, as sure as the surest
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

import msgspec

from recollect.model import RELATIONS
from recollect.store.link_rows import SURE, AmbiguousSite, Edges, OutsideSite, Sites, UnresolvedSite

# Places that did not become links are kept up to this many of each kind and file: generated code has thousands.
MOST_LOOSE = 5_000

RELATION_PLACES = {name: place for place, name in enumerate(RELATIONS)}

S = TypeVar("S", bound=msgspec.Struct)

_encode = msgspec.msgpack.Encoder().encode


class Site(NamedTuple):
    """A place in a file that links one of its symbols with something.

    source: key of the symbol, "" for the file; target: as of Edges.targets; confidence: 0 to 1
    """

    source: str
    target: str
    relation: str
    line: int
    column: int
    how: str
    confidence: float


class Loose(NamedTuple):
    """Uses that did not become links: outside of the tree, ambiguous, unresolved; and names as in `Sites.aliases`."""

    outside: list[OutsideSite]
    ambiguous: list[AmbiguousSite]
    unresolved: list[UnresolvedSite]
    aliases: list[tuple[str, str]] = []  # noqa: RUF012 - never added to


def pack(sites: Iterable[Site], loose: Loose) -> tuple[bytes, bytes]:
    """Return the edges and the sites of a file as bytes, in a fixed order."""
    sources: dict[str, int] = {}
    targets: dict[str, int] = {}
    hows: dict[str, int] = {}
    edges: dict[tuple[int, int, int], int] = {}
    source, target, edge, line, column = (array("i") for _ in range(5))
    relation, surest, how, confidence = bytearray(), bytearray(), bytearray(), bytearray()
    for user, used, relates, at_line, at_column, found, certainty in sorted(set(sites)):
        key = (
            sources.setdefault(user, len(sources)),
            targets.setdefault(used, len(targets)),
            RELATION_PLACES[relates],
        )
        sure = max(0, min(SURE, round(certainty * SURE)))
        place = edges.setdefault(key, len(edges))
        if place == len(relation):
            source.append(key[0])
            target.append(key[1])
            relation.append(key[2])
            surest.append(sure)
        surest[place] = max(surest[place], sure)
        edge.append(place)
        line.append(at_line)
        column.append(at_column)
        how.append(hows.setdefault(found, len(hows)))
        confidence.append(sure)
    columns = Edges(
        list(sources),
        list(targets),
        source=source.tobytes(),
        target=target.tobytes(),
        relation=bytes(relation),
        confidence=bytes(surest),
    )
    places = Sites(
        edge=edge.tobytes(),
        line=line.tobytes(),
        column=column.tobytes(),
        how=bytes(how),
        confidence=bytes(confidence),
        hows=tuple(hows),
        outside=_some(loose.outside),
        ambiguous=_some(loose.ambiguous),
        unresolved=_some(loose.unresolved),
        aliases=tuple(sorted(set(loose.aliases))),
    )
    return _encode(columns), _encode(places)


def _some(rows: Iterable[S]) -> tuple[S, ...]:
    return tuple(sorted(set(rows), key=msgspec.structs.astuple)[:MOST_LOOSE])
