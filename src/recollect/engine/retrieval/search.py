"""Recall: the memories that answer a question, best first, each with its reason."""

from typing import TYPE_CHECKING

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.memory_rows import memory_filter
from recollect.engine.records.scope import noted
from recollect.engine.retrieval.query_arguments import EVIDENCE, PACK_RELEVANCE, SEARCH_RELEVANCE, Asked
from recollect.model import Limit, Memory, MemoryType, Packed, Ratio, Recall, Tokens
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.root import Engine


class Recalls:
    """Questions and their answers."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine
        # Signals that do not count: how a benchmark finds out what each one earns.
        self.leave_out: frozenset[str] = frozenset()

    @operation("recall_memory", "search", read_only=True, listed=("project", "limit"))
    def search(
        self,
        query: str,
        *,
        limit: Limit = 10,
        namespace: str | None = None,
        all_projects: bool = False,
        memory_type: MemoryType | None = None,
        tags: tuple[str, ...] = (),
        branch: str | None = None,
        min_score: Ratio | None = None,
        as_of: int | str | None = None,
        explain: bool = False,
        judge: bool | None = None,
        code: bool | None = None,
        archived: bool = False,
        observed: bool = False,
    ) -> Recall:
        """Search memories by words and meaning. Recall before planning or editing, when earlier decisions, preferences,
        errors or fixes may matter. Returns the best matches with id, age, and whether their code has changed since.

        query: question in words; file, symbol and error names help
        limit: maximum number of results
        namespace: project path or name; default: this project
        all_projects: search all projects
        memory_type: only this type
        tags: must have all of these tags
        branch: only this git branch; default: all branches
        min_score: minimum relevance, 0 to 1; default: hide weak answers
        as_of: state at the end of a date, or 2w ago
        explain: show how each score was computed
        judge: let the language model judge the results
        code: include places in indexed code; default: auto
        archived: include archived memories
        observed: include prompts, edits, commands and summaries
        """
        where = memory_filter(memory_type=memory_type, tags=tags)
        where |= self._engine.scope.where(namespace, all_projects=all_projects, asks=True)
        where |= self._engine.branches.filter(branch, namespace)
        whole = input_checks.query(query)
        text, moment = input_checks.question(whole, as_of)
        asked = Asked(
            text=text,
            limit=input_checks.whole("limit", limit, least=1, most=1000),
            least=SEARCH_RELEVANCE if min_score is None else input_checks.ratio("min_score", min_score),
            hides_weak=min_score is None,
            where=where or None,
            as_of=moment,
            explain=explain,
            near=namespace,
            archived=archived,
            observed=observed,
        )
        found = self._found(asked, judge=self._engine.settings.judge if judge is None else judge, code=code)
        self._engine.access.found(hit.memory for hit in found.hits)
        return found if text == whole else _as_asked(found, whole, moment)

    def _found(self, asked: Asked, *, judge: bool, code: bool | None) -> Recall:
        """Return the answer to a question, after what was seen a moment ago is taken in."""
        self._engine.capture.catch_up()
        found = self._known_first(asked, judge=judge)
        if all(hit.memory.observed for hit in found.hits):
            notes = (*found.notes, *_matches_elsewhere(self._engine, asked))
            found = msgspec.structs.replace(found, notes=notes)
        self._engine.centrality.settle()
        return self._with_places(found, asked, wanted=code)

    def _known_first(self, asked: Asked, *, judge: bool) -> Recall:
        """Return what known memories answer, or what observed ones do where no known one does."""
        if asked.observed or not self._engine.store.columns(Memory, ("id",), {"observed": True}, limit=1):
            return self._hits(asked, judge=judge)
        where = asked.where or {}
        found = self._hits(asked._replace(where={**where, "observed": False}), judge=judge)
        if found.hits:
            return found
        seen = self._hits(asked._replace(where={**where, "observed": True}), judge=judge)
        return msgspec.structs.replace(seen, notes=(*seen.notes, EVIDENCE)) if seen.hits else found

    def _hits(self, asked: Asked, *, judge: bool) -> Recall:
        # Here, not above: listing the operations must not load the stages of a recall.
        if judge:
            from recollect.engine.retrieval.llm_rerank import judged

            return judged(self._engine, asked, least=SEARCH_RELEVANCE, leave_out=self.leave_out)
        from recollect.engine.retrieval.recall_pipeline import answer

        return answer(self._engine, asked, leave_out=self.leave_out)

    def _with_places(self, found: Recall, asked: Asked, *, wanted: bool | None) -> Recall:
        """Return a recall with the places in the code that its question leads to, if any."""
        from recollect.engine.retrieval.code_pointers import places

        shown, notes = places(self._engine, asked, wanted=wanted)
        if not shown and not notes:
            return found
        return msgspec.structs.replace(found, places=shown, notes=(*found.notes, *notes))

    @operation("pack_context", "pack", read_only=True, listed=("tokens", "project"))
    def pack(
        self,
        task: str,
        *,
        tokens: Tokens = 1000,
        namespace: str | None = None,
        all_projects: bool = False,
        min_score: Ratio = PACK_RELEVANCE,
        code: bool = False,
        observed: bool = False,
    ) -> Packed:
        """Pack the context for a task into a token budget. Returns memories with sources as one text. Call it when a
        task starts.

        Of a long memory it takes the passage that matches. Relative dates get the real date beside them. Repeated
        statements are left out, and replies are added while there is room.

        task: what you are about to do
        tokens: token budget
        namespace: project path or name; default: this project
        all_projects: pack from all projects
        min_score: minimum relevance, 0 to 1
        code: include places in indexed code
        observed: include prompts, edits, commands and summaries
        """
        from recollect.engine.retrieval.pack import CANDIDATES, packed

        budget = input_checks.whole("tokens", tokens, least=1, most=1_000_000)
        asked = Asked(
            text=input_checks.query(task),
            limit=CANDIDATES,
            least=input_checks.ratio("min_score", min_score),
            where=self._engine.scope.where(namespace, all_projects=all_projects, asks=True) or None,
            as_of=None,
            explain=False,
            near=namespace,
            observed=observed,
        )
        # What is put before an assistant must not wait for a language model.
        found = self._found(asked, judge=False, code=code)
        made = packed(found, budget)
        taken = {source.memory_id for source in made.sources}
        self._engine.access.found(hit.memory for hit in found.hits if hit.memory.id in taken)
        return made


def _as_asked(found: Recall, query: str, as_of: int | None) -> Recall:
    """Return the answer to a query whose "as of March" was taken out, with the date that it was understood as."""
    from recollect.text.dates import DAY
    from recollect.text.days import EPOCH, date_of

    notes = () if as_of is None else (f"state as of {date_of(as_of // DAY + EPOCH).isoformat()}",)
    return msgspec.structs.replace(found, query=query, notes=(*found.notes, *notes))


def _matches_elsewhere(engine: "Engine", asked: Asked) -> tuple[str, ...]:
    """Return a note if known memories of other projects answer a question that was asked in one. Libraries get none."""
    from recollect.engine.retrieval.recall_pipeline import answer

    inside = (asked.where or {}).get("namespace")
    if not isinstance(inside, tuple):
        return ()
    where = {field: value for field, value in (asked.where or {}).items() if field != "namespace"}
    found = answer(engine, asked._replace(where={**where, "observed": False}, explain=False))
    return noted(sum(hit.memory.namespace not in inside for hit in found.hits), asked.limit)
