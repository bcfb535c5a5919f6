"""Drift: memories whose code has changed since, and how they are settled."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

from recollect import clock
from recollect.engine.memory.freshness import WORTH, freshness_of
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.memory_rows import existing, is_learnt
from recollect.errors import InvalidInput
from recollect.model import (
    Anchor,
    AnchorState,
    Change,
    Drift,
    Drifted,
    Freshness,
    Limit,
    Memory,
    OlderCode,
    Settled,
    Settlement,
)
from recollect.operations import operation
from recollect.store.store_values import Range

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.memory.memories import Memories

SETTLEMENTS = ("keep", "update", "retire")
# Sources whose records say what was done at their date, which stays true. Code that changed in the last month may still
# contradict them; what changed before is counted by file.
PAST = ("git", "changelog", "threads")
RECENT_S = 30 * 86_400


class DriftReview:
    """Lists and settles memories whose code has changed."""

    def __init__(self, context: "Context", *, anchoring: "Anchoring", memories: "Memories") -> None:
        self._context = context
        self._anchoring = anchoring
        self._memories = memories

    @operation("drift", "drift", read_only=True, listed=("range", "project", "limit"))
    def drift(
        self,
        *,
        range: str | None = None,
        since: int | str | None = None,
        last: bool = False,
        namespace: str | None = None,
        limit: Limit = 20,
    ) -> Drift:
        """List drift: memories whose code has changed or is gone. Settle each with settle_drift.

        Without a range it lists what indexing found. With a range it shows what those commits change. Code that only
        moved is not listed. Memories imported from history come last, newest first; those of code that changed over a
        month ago are only counted by file, unless a range or since is given.

        range: commits: A..B, or A for everything since
        last: only what the last relevant change invalidated
        """
        most = input_checks.whole("limit", limit, least=1, most=1000)
        scope = namespace_of(namespace)
        if range is not None:
            from recollect.engine.review.commit_review import review

            trees = self._anchoring.trees(scope)
            fresh, notes = review(self._context.store, trees, input_checks.text("range", range))
        else:
            fresh, notes = self._noticed(input_checks.moment("since", since), last=last), ()
        memories = {memory.id: memory for memory in self._context.store.get(Memory, list(fresh))}
        waiting = [
            Drifted(memory=memory, freshness=fresh[memory.id])
            for memory in memories.values()
            if scope in (None, memory.namespace) and memory.holds(clock.now())
        ]
        all_told = range is not None or since is not None or last
        old = [row for row in waiting if not all_told and _is_old(row)]
        waiting = sorted((row for row in waiting if all_told or not _is_old(row)), key=_order)
        imported = sum(is_learnt(row.memory) for row in waiting)
        notes = notes or self._why_nothing([*waiting, *old])
        return Drift(
            memories=tuple(waiting[:most]), total=len(waiting), imported=imported, older=_by_file(old), notes=notes
        )

    @operation("settle_drift", "settle", listed=("content",))
    def settle(
        self, memory_id: str, action: Settlement, *, content: str | None = None, anchors: tuple[str, ...] | None = None
    ) -> Settled:
        """Settle drift: keep, update or retire a memory.

        keep: the memory is still true and is compared with the present code from now on. update: it gets a new text.
        retire: it no longer holds; it stays, marked, ranks lower and is not packed. `undo` takes it back.

        action: keep, update or retire
        content: new text, for update
        anchors: for update: path, path::symbol or path:line
        """
        chosen = cast(Settlement, input_checks.one_of("action", action, SETTLEMENTS))
        if (chosen == "update") != (content is not None):
            hint = "Give content with action update only."
            raise InvalidInput(f"action {chosen} {'needs' if chosen == 'update' else 'takes no'} content", hint=hint)
        if anchors is not None and chosen != "update":
            raise InvalidInput(f"action {chosen} takes no anchors", hint="Give anchors with action update only.")
        known = existing(self._context.store, memory_id)
        if chosen == "update":
            batch = self._update(known, content or "", anchors)
        else:
            batch = self._keep(known) if chosen == "keep" else self._retire(known)
        memory = existing(self._context.store, memory_id)
        fresh = freshness_of(self._context.store, [memory.id]).get(memory.id, Freshness())
        return Settled(memory=memory, action=chosen, freshness=fresh, batch=batch)

    # --- what was noticed ---

    def _noticed(self, since: int | None, *, last: bool) -> dict[str, Freshness]:
        """Return the freshness of memories that indexing found to have drifted."""
        store = self._context.store
        where: dict[str, object] = {"verdict": tuple(WORTH)}
        if since is not None:
            where["since"] = Range(since)
        rows = store.columns(AnchorState, ("memory_id", "since"), where)
        if last and rows:
            latest = max(row[1] for row in rows)
            rows = [row for row in rows if row[1] == latest]
        return freshness_of(store, [*dict.fromkeys(row[0] for row in rows)])

    def _why_nothing(self, found: Sequence[Drifted]) -> tuple[str, ...]:
        """Return a likely reason why nothing is listed."""
        store = self._context.store
        if found or store.count(AnchorState):
            return ()
        if not self._context.store.code_generation():
            return ("No code is indexed yet. Run `recollect index` in a project to compare memories with it.",)
        return ("No memory mentions indexed code by name.",)

    # --- settling ---

    def _keep(self, memory: Memory) -> str:
        anchoring, store = self._anchoring, self._context.store
        rows = store.find(Anchor, {"memory_id": memory.id})
        retaken = {row.id: anchoring.retaken(row, memory.namespace) for row in rows}
        with store.transaction("settle_drift") as transaction:
            for row in transaction.get(Anchor, list(retaken)):
                draft = retaken[row.id]
                if draft is None:
                    transaction.delete(Anchor, {"id": row.id})
                else:
                    anchoring.retake(transaction, row, draft)
            return transaction.batch

    def _update(self, memory: Memory, content: str, anchors: tuple[str, ...] | None) -> str:
        self._memories.update(memory.id, content=content, anchors=anchors)
        where = {"entity": "memories", "entity_id": memory.id}
        return self._context.store.find(Change, where, order="-seq", limit=1)[0].batch

    def _retire(self, memory: Memory) -> str:
        now = clock.now()
        with self._context.store.transaction("settle_drift") as transaction:
            current = existing(transaction, memory.id)
            if current.valid_to is None or current.valid_to > now:
                transaction.update(Memory, current.id, {"valid_to": now, "updated_at": now})
            return transaction.batch


def _order(row: Drifted) -> tuple[bool, int, bool, int]:
    """Return the key of the list: own memories by the time of the change, then imported ones, the newest first."""
    memory = row.memory
    if is_learnt(memory):
        return True, -memory.created_at, row.freshness.verdict != "gone", -memory.seq
    return False, -_noticed_at(row.freshness), row.freshness.verdict != "gone", -memory.seq


def _is_old(row: Drifted) -> bool:
    """Tell whether a memory is a dated record of code that changed long ago."""
    is_past = is_learnt(row.memory) and row.memory.metadata.get("from") in PAST
    return is_past and _noticed_at(row.freshness) < clock.now() - RECENT_S


def _by_file(rows: Sequence[Drifted]) -> tuple[OlderCode, ...]:
    """Return how many memories describe earlier code of each file, most first; each counts for one file."""
    files: dict[str, list[Drifted]] = {}
    for row in rows:
        path = next(anchor.now_path or anchor.path for anchor in row.freshness.anchors if anchor.verdict in WORTH)
        files.setdefault(path, []).append(row)
    told = (
        OlderCode(path=path, memories=len(some), gone=sum(row.freshness.verdict == "gone" for row in some))
        for path, some in files.items()
    )
    return tuple(sorted(told, key=lambda each: (-each.memories, each.path)))


def _noticed_at(fresh: Freshness) -> int:
    return max((row.since or 0 for row in fresh.anchors), default=0)
