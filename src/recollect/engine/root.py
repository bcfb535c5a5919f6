"""The composition root: settings in, nouns out. Cheap to make; nouns, store and embedder are opened when first used."""

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

# Attribute of the engine → the class of the noun that lives there, below this package, and what it takes besides the
# context, each an attribute or a callable of the engine, as name or name=attribute. A noun is loaded when it is first
# used: a hook needs a third of them. The operation table is read from these.
_NOUNS = {
    "memories": "memory.memories.Memories scope branches anchoring amendments embedding llm undo hooks team",
    "recall": "retrieval.memory_search.MemorySearch scope branches pipeline code llm access centrality "
    "catch_up shared team=team_recall",
    "graph": "retrieval.graph_queries.GraphQueries scope branches search=recall centrality links",
    "maps": "retrieval.map_queries.Maps scope links embedding",
    "scoring": "retrieval.scoring.Scoring",
    "namespaces": "admin.namespaces.Namespaces",
    "workspaces": "admin.namespaces.Workspaces",
    "coding": "snippets.coding_memories.Coding snippets=later_snippets evolution=later_evolution",
    "code": "code.code_index.CodeIndex scope embedding centrality tracking=anchor_tracking link link_later",
    "links": "code.code_links.Links code centrality",
    "survey": "review.survey.Survey code links",
    "packages": "code.package_queries.Packages code",
    "freshness": "review.drift.DriftReview anchoring memories",
    "capture": "sessions.capture.Capture updates=session_updates branches anchoring embedding access llm_jobs",
    "sessions": "sessions.sessions.Sessions scope capture embedding summaries",
    "presence": "hook_responses.responses.HookResponses scope branches pipeline counters capture "
    "updates=session_updates commands shared",
    "usefulness": "sessions.usefulness.MemoryUsefulness counters capture",
    "patterns": "sessions.patterns.Patterns capture search=recall",
    "commands": "sessions.working_commands.Commands capture",
    "archive": "admin.archive.Archive embedding anchor_tracking",
    "history": "importing.history_import.HistoryImport capture branches anchor_tracking embedding",
    "sharing": "importing.shared_memories.SharedMemories scope anchoring embedding",
    "consolidation": "consolidation.consolidation_cycles.Consolidator embedding calibration summaries evolve",
    "admin": "admin.admin.Admin embedding llm compressor llm_jobs centrality code "
    "anchor_tracking capture usefulness consolidation",
    "access_tokens": "admin.access_tokens.AccessTokens",
    "token_calls": "admin.token_calls.TokenCalls",
}
# The same for internal nouns.
_PARTS = {
    "scope": "records.scope.Scope",
    "calibration": "models.similarity_calibration.CalibrationCache embedding",
    "centrality": "graph.centrality.Centrality",
    "access": "memory.access_log.AccessLog",
    "anchoring": "memory.anchoring.Anchoring",
    "anchor_tracking": "memory.anchor_tracking.AnchorTracking anchoring",
    "amendments": "memory.amendments.Amendments embedding calibration branches",
    "team": "memory.team_outbox.TeamOutbox",
    "team_recall": "retrieval.team_recall.TeamRecall outbox=team",
    "counters": "retrieval.scoring.UseCounters",
    "pipeline": "retrieval.recall_pipeline.RecallPipeline embedding calibration amendments branches scoring counters",
    "summaries": "sessions.model_summaries.ModelSummaries llm compressor embedding",
    "llm_jobs": "sessions.llm_jobs.LlmJobs llm compressor summaries",
    "session_updates": "sessions.session_state.SessionUpdates anchoring amendments summaries llm_jobs",
    "snippets": "snippets.snippets.Snippets scope embedding llm memories pipeline",
    "snippet_evolution": "snippets.evolution.SnippetEvolution snippets embedding llm stopping",
}
# Nouns with a thread, a process or something to write, in the order in which closing stops them.
_STOPPED = "capture team code links embedding centrality llm_jobs schedule llm compressor".split()


def _class_of(path: str) -> type:
    module, _, kind = path.rpartition(".")
    found: type = getattr(import_module(f"recollect.engine.{module}"), kind)
    return found


def __getattr__(name: str) -> Any:
    """Return the nouns by attribute, or their operations; both load every noun."""
    if name == "NOUNS":
        return {noun: _class_of(made_of.split()[0]) for noun, made_of in _NOUNS.items()}
    if name == "OPERATIONS":
        return globals().setdefault(name, collect(__getattr__("NOUNS")))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


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

    memories: "Memories"
    recall: "MemorySearch"
    graph: "GraphQueries"
    maps: "Maps"
    scoring: "Scoring"
    namespaces: "Namespaces"
    workspaces: "Workspaces"
    coding: "Coding"
    code: "CodeIndex"
    links: "Links"
    survey: "Survey"
    packages: "Packages"
    freshness: "DriftReview"
    capture: "Capture"
    sessions: "Sessions"
    presence: "HookResponses"
    usefulness: "MemoryUsefulness"
    patterns: "Patterns"
    commands: "Commands"
    archive: "Archive"
    history: "HistoryImport"
    sharing: "SharedMemories"
    consolidation: "Consolidator"
    admin: "Admin"
    access_tokens: "AccessTokens"
    token_calls: "TokenCalls"
    scope: "Scope"
    calibration: "CalibrationCache"
    centrality: "Centrality"
    access: "AccessLog"
    anchoring: "Anchoring"
    anchor_tracking: "AnchorTracking"
    amendments: "Amendments"
    team: "TeamOutbox"
    team_recall: "TeamRecall"
    counters: "UseCounters"
    pipeline: "RecallPipeline"
    summaries: "ModelSummaries"
    llm_jobs: "LlmJobs"
    session_updates: "SessionUpdates"
    snippets: "Snippets"
    snippet_evolution: "SnippetEvolution"

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

    if not TYPE_CHECKING:  # a type checker refuses attributes that are not declared above

        def __getattr__(self, name: str) -> Any:
            """Make a noun when it is first used."""
            path, *takes = (_NOUNS.get(name) or _PARTS.get(name, "")).split() or [""]
            if not path:
                raise AttributeError(f"the engine has no attribute {name!r}")
            with self._making:
                if name not in self.__dict__:
                    names = {word.partition("=")[0]: word.rpartition("=")[2] for word in takes}
                    given = {key: self._calls.get(other) or getattr(self, other) for key, other in names.items()}
                    self.__dict__[name] = _class_of(path)(self.context, **given)
                return self.__dict__[name]

    @property
    def store(self) -> "Store":
        """The store, opened on first use."""
        return self.context.store

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
        return sorted([*_NOUNS, "settings", "start_background", "close"])

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
