"""Groups: the summaries that are there, each with what it sums up, so that what came since can join them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.consolidate.cluster import MOST_MEMBERS, Group
from recollect.engine.records.memory_rows import SUMMARY_MARK as WRITTEN
from recollect.engine.records.memory_rows import SUMMARY_SOURCE as MADE
from recollect.engine.records.memory_rows import is_own_summary as is_ours
from recollect.engine.records.memory_rows import summary_mark as written
from recollect.model import Edge, Memory

if TYPE_CHECKING:
    from recollect.consolidate.candidate import Candidate
    from recollect.store.protocol import Store

# What is noted with a summary: the member in the middle, how many there are, and a mark of the words it was given.
MIDDLE = "middle"
MEMBERS = "members"


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


__all__ = ["MADE", "MEMBERS", "MIDDLE", "WRITTEN", "covered", "is_ours", "open_groups", "written"]
