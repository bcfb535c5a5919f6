"""Decisions about a file, a symbol or a topic, in order, and which superseded which.

subject ─► anchored to it · naming it · found by search ─► with everything they superseded or that superseded them
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.records.memory_rows import batches, headline, node_id
from recollect.graph.relation_semantics import MEANINGS
from recollect.model import Anchor, AnchorState, Decided, Edge, Memory, MemoryType
from recollect.patterns.decision_chains import ordered, since

if TYPE_CHECKING:
    from recollect.engine.retrieval.memory_search import MemorySearch
    from recollect.store.sql import Store

# Decisions that are searched for a name: those of ten years.
LOOKED_AT = 5_000
# Found by words and meaning where nothing is anchored to the subject or names it.
BY_TOPIC = 20
# Among them may be many changes that hooks saw, which are left out.
HITS = 200
# Hits with less than half of the best score are not about the topic.
NEAR = 0.5
# Stated decisions; hooks store edits as decisions, too, which show what was done but not why.
ON_PURPOSE = ("user", "assistant", "import", "consolidation")
SEEN = ("hook",)
# Long chains of replacements are followed this far.
STEPS = 50
TEXT_CHARACTERS = 240
# A title that begins like the text is its first line, perhaps shortened.
TITLE = 40

_REPLACING = tuple(name for name, meaning in MEANINGS.items() if meaning.newer)
_NAME = re.compile(r"[\w./:#\-]+")
_NUMBER = re.compile(r"\(#\d+\)")


def decisions(store: Store, namespace: str | None, sources: tuple[str, ...] = ON_PURPOSE) -> list[Memory]:
    """Return the latest decisions of a project, or of all projects."""
    where: dict[str, object] = {"memory_type": "decision", "source": sources}
    if namespace is not None:
        where["namespace"] = namespace
    return store.find(Memory, where, order="-created_at", limit=LOOKED_AT)


def anchored_paths(store: Store, memories: Sequence[Memory]) -> dict[str, set[str]]:
    """Return, by memory, the files it is anchored to, at their current paths."""
    found: dict[str, set[str]] = defaultdict(set)
    for kind in (Anchor, AnchorState):
        for ids in batches([memory.id for memory in memories]):
            for memory_id, path in store.columns(kind, ("memory_id", "path"), {"memory_id": ids}):
                found[memory_id].add(path)
    return dict(found)


def replacements(store: Store, memories: Iterable[Memory]) -> set[tuple[str, str]]:
    """Return pairs of memories, the newer first, of which one superseded the other."""
    known = {memory.id: memory for memory in memories}
    pairs = {(memory.superseded_by, memory.id) for memory in known.values() if memory.superseded_by is not None}
    nodes = {node_id(name): name for name in known}
    for end in ("src", "dst"):
        for ids in batches(list(nodes)):
            where = {end: ids, "relationship": _REPLACING}
            for src, dst, relation in store.columns(Edge, ("src", "dst", "relationship"), where):
                one, other = _memory(src), _memory(dst)
                if one and other and one != other:
                    pairs.add((one, other) if MEANINGS[relation].newer == "source" else (other, one))
    return pairs


def about(
    store: Store, search: MemorySearch, subject: str, namespace: str | None, sources: tuple[str, ...] = ON_PURPOSE
) -> dict[str, tuple[Memory, str]]:
    """Return the decisions about a subject by their ids, each with why it is one of them."""
    rows = decisions(store, namespace, sources)
    path, _, symbol = subject.partition("::")
    places = _placed(store, rows, path, symbol)
    found = {row.id: (row, f"anchored to {places[row.id]}") for row in rows if row.id in places}
    if _NAME.fullmatch(subject):
        named = re.compile(rf"(?<![\w/]){re.escape(symbol or path)}(?![\w])", re.IGNORECASE)
        for row in rows:
            if row.id not in found and named.search(f"{row.title or ''}\n{row.content}"):
                found[row.id] = (row, f"mentions {symbol or path}")
    return found or _by_topic(store, search, subject, namespace, sources)


def _by_topic(
    store: Store, search: MemorySearch, subject: str, namespace: str | None, sources: tuple[str, ...]
) -> dict[str, tuple[Memory, str]]:
    """Return the decisions that a search finds, and their near-duplicates."""
    kind: MemoryType = "decision"
    recall = search.search(
        subject,
        limit=HITS,
        namespace=namespace,
        all_projects=namespace is None,
        memory_type=kind,
        judge=False,
        code=False,
    )
    hits = [hit for hit in recall.hits if hit.memory.source in sources]
    near = [hit for hit in hits if hit.score >= NEAR * hits[0].score][:BY_TOPIC]
    folded = store.get(Memory, [name for hit in near for name in hit.folded])
    found = {hit.memory.id: (hit.memory, hit.reason) for hit in near}
    return found | {row.id: (row, "near-duplicate") for row in folded if row.source in sources}


def chain(store: Store, found: dict[str, tuple[Memory, str]]) -> list[Decided]:
    """Return decisions and everything they superseded or that superseded them, in order of time."""
    found = dict(found)
    pairs: set[tuple[str, str]] = set()
    for _ in range(STEPS):
        pairs |= replacements(store, [row for row, _ in found.values()])
        missing = list(dict.fromkeys(name for pair in sorted(pairs) for name in pair if name not in found))
        more = {row.id: (row, "supersedes or is superseded by one of them") for row in store.get(Memory, missing)}
        if not more:
            break
        found |= more
    pairs = {(newer, older) for newer, older in pairs if newer in found and older in found}
    linked = {name for pair in pairs for name in pair}
    rows = ordered(row for row, _ in found.values())
    # A commit that was picked onto several branches decided once; the latest stands for all.
    latest = {_called(row): row.id for row in rows}
    kept = [row for row in rows if row.id in linked or latest[_called(row)] == row.id]
    return [_decided(row, found[row.id][1], pairs) for row in kept]


def _called(row: Memory) -> str:
    """Return the title of a decision without the number of its pull request, to compare."""
    return _NUMBER.sub("", headline(row)).strip(" .").casefold()


def _decided(row: Memory, why: str, pairs: set[tuple[str, str]]) -> Decided:
    ended = row.valid_to is not None and row.valid_to <= clock.now()
    # The title is the first line of most memories, which would be said twice.
    body = " ".join(row.content.split())
    text = body if not row.title or body.startswith(row.title[:TITLE]) else f"{row.title}: {body}"
    return Decided(
        memory_id=row.id,
        at=since(row),
        text=text if len(text) <= TEXT_CHARACTERS else text[: TEXT_CHARACTERS - 1] + "…",
        why=why,
        memory_type=row.memory_type,
        author=row.author,
        supersedes=tuple(sorted(older for newer, older in pairs if newer == row.id)),
        superseded_by=tuple(sorted(newer for newer, older in pairs if older == row.id)),
        holds=row.superseded_by is None and not ended,
    )


def _placed(store: Store, rows: Sequence[Memory], path: str, symbol: str) -> dict[str, str]:
    """Return, by memory, its anchor that the subject names: a file by the end of its path, or a symbol."""
    found: dict[str, str] = {}
    for kind in (Anchor, AnchorState):
        for ids in batches([row.id for row in rows]):
            for memory_id, file, name in store.columns(kind, ("memory_id", "path", "symbol"), {"memory_id": ids}):
                is_file = file == path or file.endswith(f"/{path}")
                wanted = symbol or path
                is_symbol = name is not None and (name == wanted or re.split(r"::|[.#/]", name)[-1] == wanted)
                if (is_file and (not symbol or is_symbol)) or (not symbol and is_symbol):
                    found[memory_id] = f"{file}::{name}" if name else file
    return found


def _memory(node: str) -> str:
    """Return the memory of a node; empty for other nodes."""
    prefix = node_id("")
    return node.removeprefix(prefix) if node.startswith(prefix) else ""
