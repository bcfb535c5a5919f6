"""Coding memories: pieces of code with what they are about, linked to their neighbours, found by what they solve."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect.engine import accept
from recollect.engine.identity import namespace_of
from recollect.errors import InvalidInput
from recollect.model import Limit, Ratio
from recollect.model.coding import CodingMemory, Evolution, EvolutionScope, EvolutionTrigger, RelevantMemories
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.root import Engine

# Document 003 gives both defaults.
MAX_RESULTS = 5
MIN_RELEVANCE = 0.7
MAX_MEMORIES = 100

Memories = Annotated[int, msgspec.Meta(ge=1, le=10_000)]


class Coding:
    """Pieces of code worth having again."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("store_coding_memory", "store-code")
    def store(
        self,
        content: str,
        *,
        workspace_id: str | None = None,
        project_path: str | None = None,
        code_type: str | None = None,
        context: str | None = None,
        strict: bool = False,
    ) -> CodingMemory:
        """Remember a piece of code: a solution, a fix, a snippet. What it is about is found out, and it is linked.

        Its language, names, keywords, tags and a line about it are found by rules, or by the language model where one
        is configured; then it is linked to its neighbours: solutions of the same problem, the same pattern, technology
        or bug, the next step. The same content is kept once per workspace.

        content: the code, or what is to be remembered about it
        workspace_id: the workspace it belongs to, as a path or a name; none: the configured one
        project_path: the old name of workspace_id, which wins
        code_type: its programming language; none: it is recognised
        context: what it does or is for, in words
        strict: fail where the language model or the embedding fails, instead of doing without and saying so
        """
        from recollect.engine.snippets import store

        return store(
            self._engine,
            accept.content(content, max_bytes=self._engine.settings.max_content_bytes),
            namespace=workspace_id if workspace_id is not None else project_path,
            code_type=accept.label("code_type", code_type) or "",
            context=accept.text("context", context) if context and context.strip() else "",
            strict=strict,
        )

    @operation("retrieve_relevant_memories", "find-code", read_only=True)
    def retrieve(
        self,
        query: str,
        *,
        workspace_id: str | None = None,
        max_results: Limit = MAX_RESULTS,
        project_filter: str | None = None,
        code_types: tuple[str, ...] = (),
        min_relevance: Ratio = MIN_RELEVANCE,
    ) -> RelevantMemories:
        """Find coding memories for a problem, an error or a piece of code, with what each matched by.

        query: a description of the problem, words, or a piece of code
        workspace_id: only of this workspace, as a path or a name; none: of all
        max_results: how many at most
        project_filter: the old name of workspace_id, which wins
        code_types: only in these programming languages
        min_relevance: leave out what is less likely to be relevant, 0 to 1
        """
        from recollect.engine.snippets import retrieve

        return retrieve(
            self._engine,
            query,
            namespace=workspace_id if workspace_id is not None else project_filter,
            limit=accept.whole("max_results", max_results, least=1, most=1000),
            code_types=accept.tags(code_types),
            least=accept.ratio("min_relevance", min_relevance),
        )

    @operation("evolve_memory_network", "evolve")
    def evolve(
        self,
        *,
        trigger_type: EvolutionTrigger = "manual",
        scope: EvolutionScope = "recent",
        max_memories: Memories = MAX_MEMORIES,
        project_path: str | None = None,
        strict: bool = False,
    ) -> Evolution:
        """Let coding memories learn from each other: better contexts and tags, new links, stronger ones.

        Ten at a time, by rules, or by the language model where one is configured. What would make a memory harder to
        find by its own words is not applied; the rest is logged as one batch, which `undo` takes back.

        trigger_type: what set it off; it is noted with new links
        scope: recent: the newest; all: those that waited longest for it; project: the newest of one
        max_memories: how many to look at
        project_path: the workspace, as a path or a name; needed where scope is project
        strict: fail where the language model fails, instead of going on by rules and saying so
        """
        from recollect.engine.evolution import Wanted, evolve

        namespace = namespace_of(project_path)
        if accept.one_of("scope", scope, ("recent", "all", "project")) == "project" and namespace is None:
            raise InvalidInput("scope project needs project_path", hint="Name the workspace.", field="project_path")
        wanted = Wanted(
            trigger=accept.one_of("trigger_type", trigger_type, ("manual", "scheduled", "event")),
            scope=scope,
            most=accept.whole("max_memories", max_memories, least=1, most=10_000),
            namespace=namespace if scope == "project" else None,
            strict=strict,
        )
        return evolve(self._engine, wanted)
