"""Groups: the summaries that are there, each with what it sums up, so that what came since can join them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from recollect import clock
from recollect.consolidate.cluster import MOST_MEMBERS, Group
from recollect.engine.records.memory_rows import content_hash
from recollect.model import Edge, Memory

if TYPE_CHECKING:
    from recollect.consolidate.candidate import Candidate
    from recollect.store.protocol import Store

# The source of what cycles make: they do not link or sum it up again.
MADE: Final = "consolidation"
# What is noted with a summary: the member in the middle, how many there are, and a mark of the words it was given.
MIDDLE = "middle"
MEMBERS = "members"
WRITTEN = "written"


def covered(store: Store) -> Mapping[str, tuple[str, ...]]:
    """Return what each summary sums up, by the ids of both, the members in the order in which they joined."""
    members: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for src, dst, rev in store.columns(Edge, ("src", "dst", "rev"), {"relationship": "SUMMARIZES"}):
        members[src.removeprefix("mem:")].append((rev, dst.removeprefix("mem:")))
    return {summary: tuple(name for _, name in sorted(rows)) for summary, rows in members.items()}


def open_groups(
    store: Store, summed_up: Mapping[str, Sequence[str]], candidates: Sequence[Candidate]
) -> tuple[Group, ...]:
    """Return the groups with room for more, the member in the middle first, whose summary still has our words."""
    known = {row.id: row for row in candidates}
    found: list[Group] = []
    for summary in sorted(store.get(Memory, sorted(summed_up)), key=lambda row: row.seq):
        members = [known[name] for name in summed_up[summary.id] if name in known]
        if not members or len(members) >= MOST_MEMBERS or not is_ours(summary):
            continue
        middle = summary.metadata.get(MIDDLE)
        members.sort(key=lambda row: row.id != middle)
        found.append(Group(summary.id, tuple(members)))
    return tuple(found)


def is_ours(summary: Memory) -> bool:
    """Tell whether a summary is current and not edited by hand: an edited one is never replaced."""
    is_over = summary.expires_at is not None and summary.expires_at <= clock.now()
    if summary.source != MADE or summary.superseded_by is not None or is_over:
        return False
    given = summary.metadata.get(WRITTEN)
    # The first ones had no such mark, and were never written again by us.
    return given == written(summary.title, summary.content) if given else summary.updated_at == summary.created_at


def written(title: str | None, content: str) -> str:
    """Return the mark of the words that a summary was given."""
    return content_hash(f"{title or ''}\n{content}")[:16]
