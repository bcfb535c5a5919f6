"""Coding memories: operations that store, find and evolve code snippets."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.errors import InvalidInput
from recollect.model import Limit, Ratio
from recollect.model.coding import CodingMemory, Evolution, EvolutionScope, EvolutionTrigger, RelevantMemories
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.snippets.evolution import SnippetEvolution
    from recollect.engine.snippets.snippets import Snippets

# Document 003 gives both defaults.
MAX_RESULTS = 5
MIN_RELEVANCE = 0.7
MAX_MEMORIES = 100

Memories = Annotated[int, msgspec.Meta(ge=1, le=10_000)]


class Coding(msgspec.Struct, eq=False):
    """Code snippets with their context and links.

    What stores and what evolves snippets is made on first use, since their modules are large.
    """

    context: "Context"
    snippets: "Callable[[], Snippets]"
    evolution: "Callable[[], SnippetEvolution]"

    @operation("store_coding_memory", "store-code", listed=("code_type", "context", "workspace_id"))
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
        """Store a coding memory: a solution, a fix or a snippet. It is analysed and linked to similar solutions,
        patterns and bugs.

        Its language, keywords, tags and a one-line context come from rules, or from the language model if one is
        configured. The same content is stored once per workspace.

        content: code, or a note about code
        workspace_id: workspace path or name; default: this project
        project_path: older name of workspace_id
        code_type: programming language; default: detected
        context: what the code does
        strict: fail if the language model or embedding fails
        """
        return self.snippets().store(
            input_checks.content(content, max_bytes=self.context.settings.max_content_bytes),
            namespace=workspace_id if workspace_id is not None else project_path,
            code_type=input_checks.label("code_type", code_type) or "",
            context=input_checks.text("context", context) if context and context.strip() else "",
            strict=strict,
        )

    @operation("retrieve_relevant_memories", "find-code", read_only=True, listed=("workspace_id", "limit"))
    def retrieve(
        self,
        query: str,
        *,
        workspace_id: str | None = None,
        max_results: Limit = MAX_RESULTS,
        project_filter: str | None = None,
        all_projects: bool = False,
        code_types: tuple[str, ...] = (),
        min_relevance: Ratio = MIN_RELEVANCE,
    ) -> RelevantMemories:
        """Retrieve relevant coding memories for a problem. The query may be words, an error or code. Each result says
        why it matched.

        query: problem, keywords or code
        workspace_id: workspace path or name; default: this project
        project_filter: older name of workspace_id
        code_types: only these programming languages
        min_relevance: minimum relevance, 0 to 1
        """
        return self.snippets().retrieve(
            query,
            namespace=workspace_id if workspace_id is not None else project_filter,
            all_projects=all_projects,
            limit=input_checks.whole("max_results", max_results, least=1, most=1000),
            code_types=input_checks.tags(code_types),
            least=input_checks.ratio("min_relevance", min_relevance),
        )

    @operation("evolve_memory_network", "evolve", listed=("scope", "limit"))
    def evolve(
        self,
        *,
        trigger_type: EvolutionTrigger = "manual",
        scope: EvolutionScope = "recent",
        max_memories: Memories = MAX_MEMORIES,
        project_path: str | None = None,
        strict: bool = False,
    ) -> Evolution:
        """Evolve the network of coding memories.

        It improves their contexts, tags and links. It compares ten memories at a time, by rules, or with the language
        model if one is configured. A change that would make a memory harder to find by its own words is not applied.
        `undo` takes back the whole run.

        trigger_type: reason for the run; noted with new links
        scope: recent, all (longest unchanged first) or project
        max_memories: maximum number of memories to compare
        project_path: workspace for scope project, path or name
        strict: fail if the language model fails
        """
        from recollect.engine.snippets.evolution import Wanted

        namespace = namespace_of(project_path)
        if input_checks.one_of("scope", scope, ("recent", "all", "project")) == "project" and namespace is None:
            raise InvalidInput("scope project needs project_path", hint="Give project_path.", field="project_path")
        wanted = Wanted(
            trigger=input_checks.one_of("trigger_type", trigger_type, ("manual", "scheduled", "event")),
            scope=scope,
            most=input_checks.whole("max_memories", max_memories, least=1, most=10_000),
            namespace=namespace if scope == "project" else None,
            strict=strict,
        )
        return self.evolution().evolve(wanted)
