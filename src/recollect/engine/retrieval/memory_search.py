"""Memory search: the memories that answer a question, best first, each with its reason."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.memory_rows import memory_filter
from recollect.engine.records.scope import Scope, noted, project_of
from recollect.engine.retrieval.query_arguments import ANSWERED, PACK_RELEVANCE, SEARCH_RELEVANCE, Asked
from recollect.model import CodeHit, Hit, Limit, Memory, MemoryType, Packed, Ratio, Recall, Tokens
from recollect.model.recall_answer import EVIDENCE, NEAREST
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.code.code_index import CodeIndex
    from recollect.engine.context import Context
    from recollect.engine.graph.centrality import Centrality
    from recollect.engine.memory.access_log import AccessLog
    from recollect.engine.models.llm import Language
    from recollect.engine.records.branches import Branches
    from recollect.engine.retrieval.recall_pipeline import RecallPipeline
    from recollect.engine.retrieval.team_recall import TeamRecall

# Beside memories a few places in the code are enough; `search_code` has more.
PLACES = 3
# What is shown unasked must be worth it. Over 19 projects, by words alone: 75 of 100 questions about the code get a
# place, 84 of 100 of those the right one first; of 1,159 everyday prompts one gets a place, of 1,121 questions about
# agreements and incidents elsewhere 18.
UNASKED_RELEVANCE = 0.7
# Observed memories that are read where nothing known answers: many may be prompts that ask the same.
ECHOES = 30
# Types of what the user wants.
STATED = ("preference", "style", "habit")


class MemorySearch(msgspec.Struct, eq=False):
    """Search, and packing of what was found.

    catch_up: ingests events that hooks left a moment ago
    shared: reads changed files of a project's shared memories, and returns notes
    leave_out: signals that do not count: how a benchmark finds out what each one earns
    """

    context: "Context"
    scope: Scope
    branches: "Branches"
    pipeline: "RecallPipeline"
    code: "CodeIndex"
    llm: "Language"
    access: "AccessLog"
    centrality: "Centrality"
    catch_up: Callable[[], object]
    shared: Callable[[str | None], tuple[str, ...]]
    team: "TeamRecall"
    leave_out: frozenset[str] = frozenset()

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
        since: int | str | None = None,
        until: int | str | None = None,
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
        namespace: project path or name; default: this project
        branch: only this git branch; default: all branches
        since: stored since a date, yesterday, or age like 30m (minutes)
        until: stored until a date (included), age like 2w, or yesterday
        min_score: minimum relevance, 0 to 1; default: hide weak answers
        explain: show how each score was computed
        judge: let the language model judge the results
        code: include places in indexed code; default: auto
        archived: include archived memories
        """
        where = memory_filter(memory_type=memory_type, tags=tags, since=since, until=until)
        where |= self.scope.where(namespace, all_projects=all_projects, asks=True)
        where |= self.branches.filter(branch, namespace)
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
            rerank=True,
            leave_out=self.leave_out,
        )
        team = None
        if branch is None:
            extra = {"type": memory_type, "tags": tags, "min_score": min_score, "observed": observed or None}
            team = self.team.ask(asked, explain=explain or None, **extra)
        found = self._found(asked, judge=self.context.settings.judge if judge is None else judge, code=code)
        found = self.team.merged(found, team, asked.limit)
        self.access.found(hit.memory for hit in found.hits if not hit.origin)
        return found if text == whole else _as_asked(found, whole, moment)

    def _found(self, asked: Asked, *, judge: bool, code: bool | None) -> Recall:
        """Return the answer to a question, after queued hook events and changed shared files are read."""
        self.catch_up()
        notes = self.shared(project_of(asked.where))
        found = self._stated_first(asked, self._known_first(asked, judge=judge), judge=judge)
        if all(hit.memory.observed for hit in found.hits):
            notes += self._matches_elsewhere(asked)
        self.centrality.settle()
        places, missing = self._places(asked, wanted=code)
        return msgspec.structs.replace(found, places=places, notes=(*found.notes, *notes, *missing))

    def _known_first(self, asked: Asked, *, judge: bool) -> Recall:
        """Return what known memories answer, or what observed ones do where no known one does."""
        if asked.observed or not self.context.store.columns(Memory, ("id",), {"observed": True}, limit=1):
            return self._hits(asked, judge=judge)
        where = asked.where or {}
        found = self._hits(asked._replace(where={**where, "observed": False}), judge=judge)
        if found.hits and NEAREST not in found.notes:
            return found
        from recollect.recall.explain import LOOSE

        wide = max(asked.limit, ECHOES)
        seen = self._hits(asked._replace(where={**where, "observed": True}, limit=wide), judge=judge)
        told = [hit for hit in seen.hits if hit.memory.observed and not _is_echo(hit.memory, asked.text)]
        if not told or (found.hits and all(hit.reason == LOOSE or hit.score <= found.hits[0].score for hit in told)):
            return found
        if asked.hides_weak and told[0] is not seen.hits[0] and told[0].score < ANSWERED:
            return found  # only the echo above it was no weak answer
        return msgspec.structs.replace(seen, hits=tuple(told[: asked.limit]), notes=(*seen.notes, EVIDENCE))

    def _stated_first(self, asked: Asked, found: Recall, *, judge: bool) -> Recall:
        """Return an answer with stated preferences first, if the question is about what the user wants.

        If it is about what should be done, they come first where nothing else answers better.
        """
        from recollect.recall.query import asks_preference, asks_rule

        where = {**(asked.where or {}), "memory_type": STATED, "observed": False}
        is_wish = asks_preference(asked.text)
        if not (is_wish or asks_rule(asked.text)) or "memory_type" in (asked.where or {}):
            return found
        from recollect.recall.score import RULE_COSINE, STATED_COSINE

        # By themselves: beside facts that share its words, a preference that shares none is not likely an answer.
        least, enough = max(asked.least, PACK_RELEVANCE), STATED_COSINE if is_wish else RULE_COSINE
        stated = self._hits(asked._replace(where=where, least=least, hides_weak=False, stated=enough), judge=judge)
        if not is_wish and stated.hits and found.hits and found.hits[0].score >= stated.hits[0].score:
            return found
        if not stated.hits or {EVIDENCE, NEAREST}.intersection(found.notes):
            return stated if stated.hits else found
        first, least = {hit.memory.id for hit in stated.hits}, stated.hits[-1].score
        rest = (hit for hit in found.hits if hit.memory.id not in first)
        rest = (msgspec.structs.replace(hit, score=min(hit.score, least)) for hit in rest)
        return msgspec.structs.replace(found, hits=(*stated.hits, *rest)[: asked.limit])

    def _hits(self, asked: Asked, *, judge: bool) -> Recall:
        # Here, not above: listing the operations must not load the stages of a recall.
        if judge:
            from recollect.engine.retrieval.rerank import Reranker

            reranker = Reranker(self.context, self.llm, self.pipeline)
            return reranker.answer(asked, least=SEARCH_RELEVANCE)
        if asked.rerank and self.context.settings.rerank:
            from recollect.engine.retrieval.rerank import RERANKED, reranked

            wide = self.pipeline.answer(asked._replace(limit=max(asked.limit, RERANKED)))
            return reranked(wide, self.context.settings.rerank, asked.limit)
        return self.pipeline.answer(asked)

    def _places(self, asked: Asked, *, wanted: bool | None) -> tuple[tuple[CodeHit, ...], tuple[str, ...]]:
        """Return the places in indexed code that answer a question, and notes.

        wanted: true includes uncertain places and says what is missing; None takes certain ones only, and none where
        the question is limited to memories of a kind or of another time
        """
        is_narrowed = asked.as_of is not None or not {"namespace"}.issuperset(asked.where or ())
        if wanted is False or (wanted is None and is_narrowed):
            return (), ()
        # One small query decides where nothing is indexed: an ordinary recall is not slower for it.
        is_indexed = self.context.store.code_generation() > 0
        if not is_indexed and not wanted:
            return (), ()
        scope = self.code.within({field: value for field, value in (asked.where or {}).items() if field == "namespace"})
        if not is_indexed or scope.trees == ():
            return (), self.code.why_nothing(scope) if wanted else ()
        from recollect.engine.code.code_search_pipeline import Sought

        least = asked.least if wanted else UNASKED_RELEVANCE
        sought = Sought(asked.text, scope, min(PLACES, asked.limit), least, explain=asked.explain)
        # Unasked, by words alone: a recall does not wait for vectors of code to be read.
        found = self.code.find(sought, by_meaning=bool(wanted))
        return found.hits, found.notes

    def _matches_elsewhere(self, asked: Asked) -> tuple[str, ...]:
        """Return a note if known memories of other projects answer a question about one. Libraries get none."""
        inside = (asked.where or {}).get("namespace")
        if not isinstance(inside, tuple):
            return ()
        where = {field: value for field, value in (asked.where or {}).items() if field != "namespace"}
        found = self.pipeline.answer(asked._replace(where={**where, "observed": False}, explain=False))
        return noted(sum(hit.memory.namespace not in inside for hit in found.hits), asked.limit)

    @operation("pack_context", "pack", read_only=True, listed=("tokens", "project"))
    def pack(
        self,
        task: str,
        *,
        tokens: Tokens = 1000,
        namespace: str | None = None,
        all_projects: bool = False,
        min_score: Ratio = PACK_RELEVANCE,
        code: bool | None = None,
        observed: bool = False,
    ) -> Packed:
        """Pack the context for a task into a token budget. Returns memories and places in the code as one text. Call it
        when a task starts.

        It takes the matching passage of a long memory and writes the real date beside relative dates. It leaves out
        repeated statements and adds replies while there is room.

        task: what you are about to do
        tokens: token budget
        namespace: project path or name; default: this project
        all_projects: pack from all projects
        code: include places in indexed code; default: auto
        """
        from recollect.engine.retrieval.pack import CANDIDATES, packed

        budget = input_checks.whole("tokens", tokens, least=1, most=1_000_000)
        asked = Asked(
            text=input_checks.query(task),
            limit=CANDIDATES,
            least=input_checks.ratio("min_score", min_score),
            where=self.scope.where(namespace, all_projects=all_projects, asks=True) or None,
            as_of=None,
            explain=False,
            near=namespace,
            observed=observed,
        )
        team = self.team.ask(asked, min_score=asked.least)
        # Packing context must not wait for a language model.
        found = self._of_parts(asked, self._found(asked, judge=False, code=code))
        found = self.team.merged(found, team, asked.limit)
        made = packed(found, budget)
        taken = {source.memory_id for source in made.sources}
        self.access.found(hit.memory for hit in found.hits if hit.memory.id in taken and not hit.origin)
        return made

    def _of_parts(self, asked: Asked, found: Recall) -> Recall:
        """Return an answer with what the parts of a task find: “add a column, with a test, and commit it”."""
        from recollect.engine.retrieval.pack import parts_of

        where = {**(asked.where or {}), "observed": False}
        of_parts = [self.pipeline.answer(asked._replace(text=part, where=where)) for part in parts_of(asked.text)]
        if not any(each.hits for each in of_parts):
            return found
        # What the parts find is closer than what hooks recorded, and than the nearest of what is loosely related.
        is_weak = bool({EVIDENCE, NEAREST}.intersection(found.notes))
        best: dict[str, Hit] = {}
        for hit in (hit for each in (*([] if is_weak else [found]), *of_parts) for hit in each.hits):
            if hit.memory.id not in best or best[hit.memory.id].score < hit.score:
                best[hit.memory.id] = hit
        hits = sorted(best.values(), key=lambda hit: -hit.score)[: asked.limit]
        notes = (note for note in found.notes if note not in (EVIDENCE, NEAREST))
        return msgspec.structs.replace(found, hits=tuple(hits), notes=tuple(notes))


def _is_echo(memory: Memory, query: str) -> bool:
    """Tell whether a memory is a prompt that asks or repeats the query, or a session of such prompts: no answer."""
    from recollect.text.questions import only_asks

    text = memory.content.partition("\nAsked for:")[2] if memory.category == "session" else memory.content
    return only_asks(text.replace("\n- ", "\n"), query)


def _as_asked(found: Recall, query: str, as_of: int | None) -> Recall:
    """Return an answer under its whole query, with the date that "as of March" means."""
    from recollect.text.dates import DAY
    from recollect.text.days import EPOCH, date_of

    notes = () if as_of is None else (f"state as of {date_of(as_of // DAY + EPOCH).isoformat()}",)
    return msgspec.structs.replace(found, query=query, notes=(*found.notes, *notes))
