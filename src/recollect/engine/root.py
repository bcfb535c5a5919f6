"""The composition root: settings in, nouns out. Cheap to make; nouns, store and embedder are opened when first used."""

from __future__ import annotations

import threading
from importlib import import_module
from types import TracebackType
from typing import TYPE_CHECKING, Any

from recollect.engine.context import Context
from recollect.engine.models.embedding_queue import Embedding
from recollect.engine.models.llm import Language
from recollect.engine.records.branches import Branches
from recollect.operations import Operation, collect
from recollect.settings import Settings, load

if TYPE_CHECKING:
    from recollect.engine.admin.access_tokens import AccessTokens
    from recollect.engine.admin.admin import Admin
    from recollect.engine.admin.archive import Archive
    from recollect.engine.admin.namespaces import Namespaces, Workspaces
    from recollect.engine.admin.token_calls import TokenCalls
    from recollect.engine.code.code_index import CodeIndex
    from recollect.engine.code.code_links import Links
    from recollect.engine.code.indexed_project import Project, Sources
    from recollect.engine.code.package_queries import Packages
    from recollect.engine.consolidation.consolidation_cycles import Consolidator
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
    from recollect.engine.models.similarity_calibration import CalibrationCache
    from recollect.engine.records.scope import Scope
    from recollect.engine.retrieval.graph_queries import GraphQueries
    from recollect.engine.retrieval.map_queries import Maps
    from recollect.engine.retrieval.memory_search import MemorySearch
    from recollect.engine.retrieval.recall_pipeline import RecallPipeline
    from recollect.engine.retrieval.scoring import Scoring, UseCounters
    from recollect.engine.retrieval.team_recall import TeamRecall
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
    from recollect.engine.snippets.evolution import SnippetEvolution
    from recollect.engine.snippets.snippets import Snippets
    from recollect.providers.provider_protocol import Embedder, Model
    from recollect.store.sql import Store

    NOUNS: dict[str, type]
    OPERATIONS: dict[str, Operation]

# Nouns with a thread, a process or something to write, in the order in which closing stops them.
_STOPPED = "capture team code links embedding centrality llm_jobs schedule llm compressor".split()


class _Noun:
    """An attribute of the engine that is made when it is first used: a hook needs a third of them."""

    def __init__(self, module: str, takes: str, *, is_public: bool) -> None:
        self._module, self._takes, self.is_public = module, takes, is_public

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def load(self) -> type:
        """Return the class of the noun, which is that of the annotation."""
        found: type = getattr(import_module(f"recollect.engine.{self._module}"), Engine.__annotations__[self._name])
        return found

    def __get__(self, engine: Engine, owner: type) -> Any:
        with engine._making:
            if self._name not in engine.__dict__:
                names = {word.partition("=")[0]: word.rpartition("=")[2] for word in self._takes.split()}
                given = {key: engine._calls.get(other) or getattr(engine, other) for key, other in names.items()}
                engine.__dict__[self._name] = self.load()(engine.context, **given)
            return engine.__dict__[self._name]


def _noun(module: str, takes: str = "", *, is_public: bool = True) -> Any:
    """Return a noun of a module below this package.

    takes: what it takes besides the context, each an attribute or a call of the engine, as name or name=attribute
    """
    return _Noun(module, takes, is_public=is_public)


def __getattr__(name: str) -> Any:
    """Return the nouns by attribute, or their operations; both load every noun."""
    if name == "NOUNS":
        return {attribute: row.load() for attribute, row in _public().items()}
    if name == "OPERATIONS":
        return globals().setdefault(name, collect(__getattr__("NOUNS")))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _public() -> dict[str, _Noun]:
    return {name: row for name, row in vars(Engine).items() if isinstance(row, _Noun) and row.is_public}


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

    memories: Memories = _noun("memory.memories", "scope branches anchoring amendments embedding llm undo hooks team")
    recall: MemorySearch = _noun(
        "retrieval.memory_search", "scope branches pipeline code llm access centrality catch_up shared team=team_recall"
    )
    graph: GraphQueries = _noun("retrieval.graph_queries", "scope branches search=recall centrality links")
    maps: Maps = _noun("retrieval.map_queries", "scope links embedding")
    scoring: Scoring = _noun("retrieval.scoring")
    namespaces: Namespaces = _noun("admin.namespaces")
    workspaces: Workspaces = _noun("admin.namespaces")
    coding: Coding = _noun("snippets.coding_memories", "snippets=later_snippets evolution=later_evolution")
    code: CodeIndex = _noun("code.code_index", "scope embedding centrality tracking=anchor_tracking link link_later")
    links: Links = _noun("code.code_links", "code centrality")
    survey: Survey = _noun("review.survey", "code links")
    packages: Packages = _noun("code.package_queries", "code")
    freshness: DriftReview = _noun("review.drift", "anchoring memories")
    capture: Capture = _noun("sessions.capture", "updates=session_updates branches anchoring embedding access llm_jobs")
    sessions: Sessions = _noun("sessions.sessions", "scope capture embedding summaries")
    presence: HookResponses = _noun(
        "hook_responses.responses", "scope branches pipeline counters capture updates=session_updates commands shared"
    )
    usefulness: MemoryUsefulness = _noun("sessions.usefulness", "counters capture")
    patterns: Patterns = _noun("sessions.patterns", "capture search=recall")
    commands: Commands = _noun("sessions.working_commands", "capture")
    archive: Archive = _noun("admin.archive", "embedding anchor_tracking")
    history: HistoryImport = _noun("importing.history_import", "capture branches anchor_tracking embedding")
    sharing: SharedMemories = _noun("importing.shared_memories", "scope anchoring embedding")
    consolidation: Consolidator = _noun("consolidation.consolidation_cycles", "embedding calibration summaries evolve")
    admin: Admin = _noun(
        "admin.admin",
        "embedding llm compressor llm_jobs centrality code anchor_tracking capture usefulness consolidation",
    )
    access_tokens: AccessTokens = _noun("admin.access_tokens")
    token_calls: TokenCalls = _noun("admin.token_calls")
    scope: Scope = _noun("records.scope", is_public=False)
    calibration: CalibrationCache = _noun("models.similarity_calibration", "embedding", is_public=False)
    centrality: Centrality = _noun("graph.centrality", is_public=False)
    access: AccessLog = _noun("memory.access_log", is_public=False)
    anchoring: Anchoring = _noun("memory.anchoring", is_public=False)
    anchor_tracking: AnchorTracking = _noun("memory.anchor_tracking", "anchoring", is_public=False)
    amendments: Amendments = _noun("memory.amendments", "embedding calibration branches", is_public=False)
    team: TeamOutbox = _noun("memory.team_outbox", is_public=False)
    team_recall: TeamRecall = _noun("retrieval.team_recall", "outbox=team", is_public=False)
    counters: UseCounters = _noun("retrieval.scoring", is_public=False)
    pipeline: RecallPipeline = _noun(
        "retrieval.recall_pipeline", "embedding calibration amendments branches scoring counters", is_public=False
    )
    summaries: ModelSummaries = _noun("sessions.model_summaries", "llm compressor embedding", is_public=False)
    llm_jobs: LlmJobs = _noun("sessions.llm_jobs", "llm compressor summaries", is_public=False)
    session_updates: SessionUpdates = _noun(
        "sessions.session_state", "anchoring amendments summaries llm_jobs", is_public=False
    )
    snippets: Snippets = _noun("snippets.snippets", "scope embedding llm memories pipeline", is_public=False)
    snippet_evolution: SnippetEvolution = _noun(
        "snippets.evolution", "snippets embedding llm stopping", is_public=False
    )

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        embedder: Embedder | None = None,
        model: Model | None = None,
        **arguments: Any,
    ) -> None:
        """Make an engine from settings, or from setting values by name (`Engine(home="/tmp/demo")`).

        embedder: makes the vectors instead of the configured provider
        model: the language model instead of the configured one
        """
        self.context = context = Context(settings or load(arguments))
        self.settings = context.settings
        self._making = threading.RLock()
        # What nouns ask of others that are made later.
        self._calls: dict[str, Any] = {
            "undo": lambda batch: self.admin.undo(batch),
            "hooks": lambda: self.capture,
            "catch_up": lambda: self.capture.catch_up(),
            "shared": lambda project: self.sharing.refresh(project),
            "link": lambda tree: self.links.link(tree),
            "link_later": lambda tree: self.links.want(tree),
            "evolve": lambda **when: self.snippet_evolution.evolve_scheduled(**when),
            "later_snippets": lambda: self.snippets,
            "later_evolution": lambda: self.snippet_evolution,
            "stopping": lambda: self.consolidation.schedule.stopping,
        }
        self.branches = Branches(self.settings)
        self.embedding = Embedding(context, embedder, embed_code=lambda limit: self.code.embed(limit))
        self.llm = Language(context, model)
        own = self.settings.compress_provider != "llm"
        self.compressor = Language(context, role="compress") if own else self.llm

    @property
    def store(self) -> Store:
        """The store, opened on first use."""
        return self.context.store

    def sources(self, namespace: str) -> Sources:
        """Return the indexed files of a project, for libraries on the engine."""
        from recollect.engine.code.indexed_project import Sources

        return Sources(self.context, self.links, namespace)

    def project(self, namespace: str) -> Project:
        """Return an indexed project, for libraries on the engine."""
        from recollect.engine.code.indexed_project import Project

        return Project(self.context, self.links, self.centrality, namespace)

    def start_background(self) -> None:
        """Keep derived state up to date in threads of this process until the engine is closed.

        What hooks leave, writes for a team server, vectors, centrality, cycles of consolidation that are due, and the
        code index of the project the process was started in, with its links, where `watch` is set.
        """
        cycles = self.consolidation.schedule
        always = (self.capture, self.embedding, self.centrality, self.llm_jobs, cycles, self.team)
        for noun in (*always, self.code, self.links) if self.settings.watch else always:
            noun.start()

    def close(self) -> None:
        """Stop background work and close the database."""
        made = dict(self.__dict__)
        if "consolidation" in made:
            made["schedule"] = self.consolidation.schedule
        for name in filter(made.__contains__, _STOPPED):
            made[name].stop()
        for name in filter(made.__contains__, ("access", "token_calls") if self.context.is_open else ()):
            made[name].flush()
        self.context.close()

    def __dir__(self) -> list[str]:
        return sorted([*_public(), "settings", "start_background", "close"])

    def __enter__(self) -> Engine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
