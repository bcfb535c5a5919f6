"""The composition root: settings in, nouns out. Cheap to make; store and embedder are opened when first used."""

from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from recollect.engine.admin.access_tokens import AccessTokens
from recollect.engine.admin.admin import Admin
from recollect.engine.admin.archive import Archive
from recollect.engine.admin.namespaces import Namespaces, Workspaces
from recollect.engine.admin.token_calls import TokenCalls
from recollect.engine.code.code_index import CodeIndex
from recollect.engine.code.code_links import Links
from recollect.engine.code.package_queries import Packages
from recollect.engine.consolidation.consolidation_cycles import Consolidator
from recollect.engine.context import Context
from recollect.engine.graph.centrality import Centrality
from recollect.engine.hook_responses.responses import HookResponses
from recollect.engine.importing.history_import import HistoryImport
from recollect.engine.importing.shared_memories import SharedMemories
from recollect.engine.memory.access_log import AccessLog
from recollect.engine.memory.amendments import Amendments
from recollect.engine.memory.anchor_tracking import AnchorTracking
from recollect.engine.memory.anchoring import Anchoring
from recollect.engine.memory.memories import Memories
from recollect.engine.memory.team_outbox import TeamOutbox
from recollect.engine.models.embedding_queue import Embedding
from recollect.engine.models.llm import Language
from recollect.engine.models.similarity_calibration import CalibrationCache
from recollect.engine.records.branches import Branches
from recollect.engine.records.scope import Scope
from recollect.engine.retrieval.graph_queries import GraphQueries
from recollect.engine.retrieval.map_queries import Maps
from recollect.engine.retrieval.memory_search import MemorySearch
from recollect.engine.retrieval.recall_pipeline import RecallPipeline
from recollect.engine.retrieval.scoring import Scoring
from recollect.engine.retrieval.team_recall import TeamRecall
from recollect.engine.retrieval.use_counters import UseCounters
from recollect.engine.review.drift import DriftReview
from recollect.engine.review.survey import Survey
from recollect.engine.sessions.capture import Capture
from recollect.engine.sessions.llm_jobs import LlmJobs
from recollect.engine.sessions.model_summaries import ModelSummaries
from recollect.engine.sessions.patterns import Patterns
from recollect.engine.sessions.session_state import SessionUpdates
from recollect.engine.sessions.sessions import Sessions
from recollect.engine.sessions.usefulness import MemoryUsefulness
from recollect.engine.sessions.working_commands import Commands
from recollect.engine.snippets.coding_memories import Coding
from recollect.operations import Operation, collect
from recollect.settings import Settings, load

if TYPE_CHECKING:
    from recollect.engine.code.indexed_project import Project, Sources
    from recollect.engine.snippets.evolution import SnippetEvolution
    from recollect.engine.snippets.snippets import Snippets
    from recollect.providers.provider_protocol import Embedder, Model
    from recollect.store.sql import Store

# Attribute of the engine → the noun that lives there. The operation table is read from these.
NOUNS: dict[str, type] = {
    "memories": Memories,
    "recall": MemorySearch,
    "graph": GraphQueries,
    "maps": Maps,
    "scoring": Scoring,
    "namespaces": Namespaces,
    "workspaces": Workspaces,
    "coding": Coding,
    "code": CodeIndex,
    "links": Links,
    "survey": Survey,
    "packages": Packages,
    "freshness": DriftReview,
    "capture": Capture,
    "sessions": Sessions,
    "presence": HookResponses,
    "usefulness": MemoryUsefulness,
    "patterns": Patterns,
    "commands": Commands,
    "archive": Archive,
    "history": HistoryImport,
    "sharing": SharedMemories,
    "consolidation": Consolidator,
    "admin": Admin,
    "access_tokens": AccessTokens,
    "token_calls": TokenCalls,
}

OPERATIONS: dict[str, Operation] = collect(NOUNS)


class Engine:
    """The memory engine. Use it as a context manager, or close it; threads can share it.

    memories        store, get, update, delete, list and link memories
    recall          search, and pack the best memories for a task into a token budget
    code            index source code; search code and symbols
    links           callers, callees and the impact of a change
    survey          map, cycles, dead code and the review of a diff
    sessions        sessions of assistants and their summaries
    history         import commits, documents and transcripts
    sharing         share memories through a repository; trust one that shares some
    archive         export and import memories as JSON lines
    namespaces      memories by project; `workspaces` name projects
    freshness       memories whose code has changed since
    graph           nodes and edges between memories, files and symbols; `maps` gives them positions
    packages        packages of indexed projects and their dependencies
    coding          code snippets that are linked and evolve
    patterns        recurring searches, files, errors and decisions; `commands` that worked
    usefulness      how often injected memories were used
    capture         events queued by hooks; `presence` answers hooks
    consolidation   decay, creative, cluster and forget, with preview and undo
    scoring         weights of the ranking
    admin           health, statistics, change log and undo
    access_tokens   create, list and revoke tokens for the HTTP server
    token_calls     who read and wrote what with a token
    settings        the settings in force

    `dir(engine)` lists these. The other attributes are internal and may change in any release.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        embedder: "Embedder | None" = None,
        model: "Model | None" = None,
        **arguments: Any,
    ) -> None:
        """Make an engine from settings, or from setting values by name (`Engine(home="/tmp/demo")`).

        embedder: makes the vectors instead of the configured provider
        model: the language model instead of the configured one
        """
        self.context = context = Context(settings or load(arguments))
        self.settings = context.settings
        # Records, models and the graph. Nouns that are made later are handed in as callables.
        self.scope = Scope(context)
        self.branches = Branches(self.settings)
        self.embedding = Embedding(context, embedder, embed_code=lambda limit: self.code.embed(limit))
        self.calibration = CalibrationCache(context, self.embedding)
        self.llm = Language(context, model)
        own = self.settings.compress_provider != "llm"
        self.compressor = Language(context, role="compress") if own else self.llm
        self.centrality = Centrality(context)
        # Memories and code.
        self.access = AccessLog(context)
        self.anchoring = Anchoring(context)
        self.anchor_tracking = AnchorTracking(context, self.anchoring)
        self.amendments = Amendments(context, self.embedding, self.calibration, self.branches)
        self.team = TeamOutbox(context)
        self.memories = Memories(
            context,
            scope=self.scope,
            branches=self.branches,
            anchoring=self.anchoring,
            amendments=self.amendments,
            embedding=self.embedding,
            llm=self.llm,
            undo=lambda batch: self.admin.undo(batch),
            hooks=lambda: self.capture,
            team=self.team,
        )
        self.code = CodeIndex(
            context,
            scope=self.scope,
            embedding=self.embedding,
            centrality=self.centrality,
            tracking=self.anchor_tracking,
            link=lambda tree: self.links.link(tree),
            link_later=lambda tree: self.links.want(tree),
        )
        self.links = Links(context, self.code, self.centrality)
        self.packages = Packages(context, self.code)
        # Retrieval.
        self.scoring = Scoring(context)
        self.counters = UseCounters(context)
        self.pipeline = RecallPipeline(
            context,
            embedding=self.embedding,
            calibration=self.calibration,
            amendments=self.amendments,
            branches=self.branches,
            scoring=self.scoring,
            counters=self.counters,
        )
        self.recall = MemorySearch(
            context,
            scope=self.scope,
            branches=self.branches,
            pipeline=self.pipeline,
            code=self.code,
            llm=self.llm,
            access=self.access,
            centrality=self.centrality,
            catch_up=lambda: self.capture.catch_up(),
            shared=lambda project: self.sharing.refresh(project),
            team=TeamRecall(self.team, deadline_ms=self.settings.team_deadline_ms),
        )
        self._add_sessions(context)
        self._add_tools(context)

    def _add_sessions(self, context: Context) -> None:
        """Make the nouns of sessions, consolidation and hooks."""
        self.summaries = ModelSummaries(context, llm=self.llm, compressor=self.compressor, embedding=self.embedding)
        self.llm_jobs = LlmJobs(context, llm=self.llm, compressor=self.compressor, summaries=self.summaries)
        self.session_updates = SessionUpdates(
            context,
            anchoring=self.anchoring,
            amendments=self.amendments,
            summaries=self.summaries,
            llm_jobs=self.llm_jobs,
        )
        self.capture = Capture(
            context,
            updates=self.session_updates,
            branches=self.branches,
            anchoring=self.anchoring,
            embedding=self.embedding,
            access=self.access,
            llm_jobs=self.llm_jobs,
        )
        self.sessions = Sessions(
            context, scope=self.scope, capture=self.capture, embedding=self.embedding, summaries=self.summaries
        )
        self.usefulness = MemoryUsefulness(context, counters=self.counters, capture=self.capture)
        self.patterns = Patterns(context, capture=self.capture, search=self.recall)
        self.commands = Commands(context, capture=self.capture)
        self.consolidation = Consolidator(
            context,
            embedding=self.embedding,
            calibration=self.calibration,
            summaries=self.summaries,
            evolve=lambda **when: self.snippet_evolution.evolve_scheduled(**when),
        )
        self.schedule = self.consolidation.schedule
        self.presence = HookResponses(
            context,
            scope=self.scope,
            branches=self.branches,
            pipeline=self.pipeline,
            counters=self.counters,
            capture=self.capture,
            updates=self.session_updates,
            commands=self.commands,
            shared=lambda project: self.sharing.refresh(project),
        )

    def _add_tools(self, context: Context) -> None:
        """Make the nouns of review, imports and administration."""
        self.graph = GraphQueries(
            context,
            scope=self.scope,
            branches=self.branches,
            search=self.recall,
            centrality=self.centrality,
            links=self.links,
        )
        self.maps = Maps(context, scope=self.scope, links=self.links, embedding=self.embedding)
        self.coding = Coding(context, snippets=lambda: self.snippets, evolution=lambda: self.snippet_evolution)
        self.sharing = SharedMemories(context, scope=self.scope, anchoring=self.anchoring, embedding=self.embedding)
        self.survey = Survey(context, code=self.code, links=self.links)
        self.freshness = DriftReview(context, anchoring=self.anchoring, memories=self.memories)
        self.history = HistoryImport(
            context,
            capture=self.capture,
            branches=self.branches,
            anchor_tracking=self.anchor_tracking,
            embedding=self.embedding,
        )
        self.access_tokens = AccessTokens(context)
        self.token_calls = TokenCalls(context)
        self.namespaces = Namespaces(context)
        self.workspaces = Workspaces(context)
        self.archive = Archive(context, embedding=self.embedding, anchor_tracking=self.anchor_tracking)
        self.admin = Admin(
            context,
            embedding=self.embedding,
            llm=self.llm,
            compressor=self.compressor,
            llm_jobs=self.llm_jobs,
            centrality=self.centrality,
            code=self.code,
            anchor_tracking=self.anchor_tracking,
            capture=self.capture,
            usefulness=self.usefulness,
            consolidation=self.consolidation,
        )

    @property
    def store(self) -> "Store":
        """The store, opened on first use."""
        return self.context.store

    @cached_property
    def snippets(self) -> "Snippets":
        """Coding memories: storing, linking and finding them."""
        from recollect.engine.snippets.snippets import Snippets

        return Snippets(
            self.context,
            scope=self.scope,
            embedding=self.embedding,
            llm=self.llm,
            memories=self.memories,
            pipeline=self.pipeline,
        )

    @cached_property
    def snippet_evolution(self) -> "SnippetEvolution":
        """The evolution of coding memories."""
        from recollect.engine.snippets.evolution import SnippetEvolution

        return SnippetEvolution(
            self.context,
            snippets=self.snippets,
            embedding=self.embedding,
            llm=self.llm,
            stopping=lambda: self.schedule.stopping,
        )

    def sources(self, namespace: str) -> "Sources":
        """Return the indexed files of a project, for libraries on the engine."""
        from recollect.engine.code.indexed_project import Sources

        return Sources(self.context, self.links, namespace)

    def project(self, namespace: str) -> "Project":
        """Return an indexed project, for libraries on the engine."""
        from recollect.engine.code.indexed_project import Project

        return Project(self.context, self.links, self.centrality, namespace)

    def start_background(self) -> None:
        """Keep derived state up to date in threads of this process until the engine is closed.

        What hooks leave, writes for a team server, vectors, centrality, cycles of consolidation that are due, and the
        code index of the project the process was started in, with its links, where `watch` is set.
        """
        self.capture.start()
        self.embedding.start()
        self.centrality.start()
        self.llm_jobs.start()
        self.schedule.start()
        self.team.start()
        if self.settings.watch:
            self.code.start()
            self.links.start()

    def close(self) -> None:
        """Stop background work and close the database."""
        self.capture.stop()
        self.team.stop()
        self.code.stop()
        self.links.stop()
        self.embedding.stop()
        self.centrality.stop()
        self.llm_jobs.stop()
        self.schedule.stop()
        self.llm.stop()
        self.compressor.stop()
        if self.context.is_open:
            self.access.flush()
            self.token_calls.flush()
        self.context.close()

    def __dir__(self) -> list[str]:
        return sorted([*NOUNS, "settings", "start_background", "close"])

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
