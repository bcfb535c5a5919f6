"""Recall: the memories that answer a question, best first, each with its reason."""

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from recollect.engine import accept
from recollect.engine.memories import memory_filter
from recollect.model import Limit, MemoryType, Packed, Ratio, Recall, Tokens
from recollect.operations import operation
from recollect.recall import PACK_RELEVANCE as PACK_RELEVANCE
from recollect.store.protocol import Filter

if TYPE_CHECKING:
    from recollect.engine.root import Engine


# Whoever asks gets to see what may be relevant; below this, hits are noise that any question would find.
SEARCH_RELEVANCE = 0.05


class Asked(NamedTuple):
    """A checked question: its words, how many hits, the least relevance, which memories, as of when.

    near: what the caller named the project by; a folder of it says from which work tree the question is asked
    archived: whether what is archived or has expired may answer
    unasked: whether it is put before an assistant that did not ask: relevance is then how likely it is worth telling
    pool: how many passages each arm of the search contributes at least; None: as many as a long list of hits needs
    """

    text: str
    limit: int
    least: float
    where: Filter | None
    as_of: int | None
    explain: bool
    near: str | None = None
    archived: bool = False
    unasked: bool = False
    pool: int | None = None


class Recalls:
    """Questions and their answers."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        # Signals that do not count: how a benchmark finds out what each one earns.
        self.leave_out: frozenset[str] = frozenset()

    @operation("recall_memory", "search", read_only=True)
    def search(
        self,
        query: str,
        *,
        limit: Limit = 10,
        namespace: str | None = None,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] = (),
        branch: str | None = None,
        min_score: Ratio = SEARCH_RELEVANCE,
        as_of: int | str | None = None,
        explain: bool = False,
        judge: bool | None = None,
        code: bool | None = None,
        archived: bool = False,
    ) -> Recall:
        """Recall memories: search by words and by meaning. Ask before exploring: what was learnt earlier is here.

        query: the question, in words; names of files, functions and errors help
        limit: how many memories at most
        namespace: only of this project, as a path or a name; none: of all
        memory_type: only of this kind
        tags: only those that have all of these tags
        branch: only written on this branch; none: of all, those of the one checked out first
        min_score: leave out hits that are less likely to be relevant, 0 to 1
        as_of: answer as of this moment, Unix time or ISO date: only what held then, later changes undone
        explain: show what each signal added to each hit
        judge: let the configured language model judge the best hits; none: as the setting judge says
        code: show places in indexed code, too; none: where the question clearly leads to some
        archived: search what is archived, too
        """
        where = memory_filter(memory_type=memory_type, namespace=namespace, tags=tags)
        where |= self._engine.branches.filter(branch, namespace)
        asked = Asked(
            text=accept.query(query),
            limit=accept.whole("limit", limit, least=1, most=1000),
            least=accept.ratio("min_score", min_score),
            where=where or None,
            as_of=accept.moment("as_of", as_of),
            explain=explain,
            near=namespace,
            archived=archived,
        )
        found = self._found(asked, judge=self._engine.settings.judge if judge is None else judge, code=code)
        self._engine.access.found(hit.memory for hit in found.hits)
        return found

    def _found(self, asked: Asked, *, judge: bool, code: bool | None) -> Recall:
        """Return the answer to a question, after what was seen a moment ago is taken in."""
        self._engine.capture.catch_up()
        # Here, not above: listing the operations must not load the stages of a recall.
        if judge:
            from recollect.engine.judge import judged

            found = judged(self._engine, asked, least=SEARCH_RELEVANCE, leave_out=self.leave_out)
        else:
            from recollect.engine.answer import answer

            found = answer(self._engine, asked, leave_out=self.leave_out)
        self._engine.centrality.settle()
        return self._with_places(found, asked, asked.near, wanted=code)

    def _with_places(self, found: Recall, asked: Asked, namespace: str | None, *, wanted: bool | None) -> Recall:
        """Return a recall with the places in the code that its question leads to, if any."""
        from recollect.engine.places import places

        shown, notes = places(self._engine, asked, namespace, wanted=wanted)
        if not shown and not notes:
            return found
        return msgspec.structs.replace(found, places=shown, notes=(*found.notes, *notes))

    @operation("pack_context", "pack", read_only=True)
    def pack(
        self,
        task: str,
        *,
        tokens: Tokens = 1000,
        namespace: str | None = None,
        min_score: Ratio = PACK_RELEVANCE,
        code: bool = False,
    ) -> Packed:
        """Pack the best context for a task into a budget of tokens: what the memory knows, with sources.

        The whole text stays within the budget. Of a long memory the passage that matched is taken, "yesterday" has its
        date beside it, what was said already is left out, and replies are added while there is room.

        task: what is about to be done, in words
        tokens: the budget
        namespace: only of this project, as a path or a name; none: of all
        min_score: leave out what is less likely to be relevant, 0 to 1
        code: add the places in indexed code that the task concerns
        """
        from recollect.engine.pack import CANDIDATES, packed

        budget = accept.whole("tokens", tokens, least=1, most=1_000_000)
        asked = Asked(
            text=accept.query(task),
            limit=CANDIDATES,
            least=accept.ratio("min_score", min_score),
            where=memory_filter(namespace=namespace) or None,
            as_of=None,
            explain=False,
            near=namespace,
        )
        # What is put before an assistant must not wait for a language model.
        found = self._found(asked, judge=False, code=code)
        made = packed(found, budget)
        taken = {source.memory_id for source in made.sources}
        self._engine.access.found(hit.memory for hit in found.hits if hit.memory.id in taken)
        return made
