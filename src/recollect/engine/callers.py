"""Callers: who calls a symbol and what it calls, from the links of files alone.

A card about one symbol must not wait for a tree to be linked or for the whole graph to be read: what is linked is told,
and what is not is told to be unknown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from recollect.model import RELATIONS, File
from recollect.store.code_protocol import MAX_PLACES, symbol_keys
from recollect.store.link_protocol import Edges, target_node

if TYPE_CHECKING:
    from recollect.store.code_protocol import FoundSymbol
    from recollect.store.link_protocol import LinkStore

CALLS = RELATIONS.index("CALLS")
# Files whose links are looked through for callers.
MOST_FILES = 2_000


class Calls(NamedTuple):
    """The ids of symbols and files that call a symbol, and of those that it calls; surest first."""

    callers: list[str]
    callees: list[str]


def calls(store: LinkStore, found: FoundSymbol) -> Calls | None:
    """Return the calls of a symbol; None if its file is not linked."""
    root, file = found.tree.root, found.file
    rows = store.file_contents([file.id])[file.id][0]
    key = symbol_keys(rows)[found.id % MAX_PLACES]
    own = store.file_edges([file.id]).get(file.id)
    if own is None:
        return None
    target = f"s{file.path}::{key}"
    callees = [target_node(root, name) for source, name in _called(own) if source == key]
    callers: list[str] = []
    files = store.files_linking(found.tree.id, target, MOST_FILES)
    paths = {row.id: row.path for row in store.get(File, files)}
    for number, edges in store.file_edges(files).items():
        if number in paths:
            callers += [_node(root, paths[number], source) for source, name in _called(edges) if name == target]
    return Calls(list(dict.fromkeys(callers)), list(dict.fromkeys(callees)))


def _node(root: str, path: str, key: str) -> str:
    return f"sym:{root}/{path}::{key}" if key else f"file:{root}/{path}"


def _called(edges: Edges) -> list[tuple[str, str]]:
    """Return the calls of a file as (key of the caller, target), surest first."""
    import numpy as np

    places = np.flatnonzero(np.frombuffer(edges.relation, np.uint8) == CALLS)
    sure = np.frombuffer(edges.confidence, np.uint8)[places]
    places = places[np.argsort(-sure.astype(np.int16), kind="stable")]
    source, target = np.frombuffer(edges.source, np.int32)[places], np.frombuffer(edges.target, np.int32)[places]
    return [
        (edges.sources[one], edges.targets[other]) for one, other in zip(source.tolist(), target.tolist(), strict=True)
    ]
