"""The composition root: settings in, nouns out. Cheap to make; store and embedder are opened when first used."""

import threading
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

from recollect.engine.access import Access
from recollect.engine.admin import Admin
from recollect.engine.anchoring import Anchoring
from recollect.engine.archive import Archive
from recollect.engine.branches import Branches
from recollect.engine.capture import Capture
from recollect.engine.centrality import Centrality
from recollect.engine.code import Code
from recollect.engine.coding import Coding
from recollect.engine.commands import Commands
from recollect.engine.consolidation import Consolidating
from recollect.engine.drift import Drifts
from recollect.engine.embedding import Embedding
from recollect.engine.errands import Errands
from recollect.engine.following import Following
from recollect.engine.graph import Graphs
from recollect.engine.history import Histories
from recollect.engine.language import Language
from recollect.engine.links import Links
from recollect.engine.memories import Memories
from recollect.engine.namespaces import Namespaces
from recollect.engine.packages import Packages
from recollect.engine.patterns import Patterns
from recollect.engine.presence import Presence
from recollect.engine.recall import Recalls
from recollect.engine.schedule import Schedule
from recollect.engine.scope import Scope
from recollect.engine.scoring import Scoring
from recollect.engine.sessions import Sessions
from recollect.engine.survey import Survey
from recollect.engine.usefulness import Useful
from recollect.engine.workspaces import Workspaces
from recollect.errors import Conflict
from recollect.model import Source
from recollect.operations import Operation, collect
from recollect.settings import Settings, load
from recollect.store.protocol import Store

if TYPE_CHECKING:
    from recollect.engine.rulers import Rulers
    from recollect.providers.provider_protocol import Embedder, Model
    from recollect.store.code_protocol import CodeStore

# Attribute of the engine → the noun that lives there. The operation table is read from these.
NOUNS: dict[str, type] = {
    "memories": Memories,
    "recall": Recalls,
    "graph": Graphs,
    "scoring": Scoring,
    "namespaces": Namespaces,
    "workspaces": Workspaces,
    "coding": Coding,
    "code": Code,
    "links": Links,
    "survey": Survey,
    "packages": Packages,
    "freshness": Drifts,
    "capture": Capture,
    "sessions": Sessions,
    "presence": Presence,
    "usefulness": Useful,
    "patterns": Patterns,
    "commands": Commands,
    "archive": Archive,
    "history": Histories,
    "consolidation": Consolidating,
    "admin": Admin,
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
    archive         export and import memories as JSON lines
    namespaces      memories by project; `workspaces` name projects
    freshness       memories whose code has changed since
    graph           nodes and edges between memories, files and symbols
    packages        packages of indexed projects and their dependencies
    coding          code snippets that are linked and evolve
    patterns        recurring searches, files, errors and decisions; `commands` that worked
    usefulness      how often injected memories were used
    capture         events queued by hooks; `presence` answers hooks
    consolidation   decay, creative, cluster and forget, with preview and undo
    scoring         weights of the ranking
    admin           health, statistics, change log and undo
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
        self.settings = settings or load(arguments)
        self.scope = Scope(self)
        self.memories = Memories(self)
        self.recall = Recalls(self)
        self.graph = Graphs(self)
        self.scoring = Scoring(self)
        self.namespaces = Namespaces(self)
        self.workspaces = Workspaces(self)
        self.coding = Coding(self)
        self.code = Code(self)
        self.links = Links(self)
        self.survey = Survey(self)
        self.packages = Packages(self)
        self.freshness = Drifts(self)
        self.capture = Capture(self)
        self.sessions = Sessions(self)
        self.presence = Presence(self)
        self.usefulness = Useful(self)
        self.patterns = Patterns(self)
        self.commands = Commands(self)
        self.archive = Archive(self)
        self.history = Histories(self)
        self.consolidation = Consolidating(self)
        self.admin = Admin(self)
        self.embedding = Embedding(self, embedder)
        self.centrality = Centrality(self)
        self.access = Access(self)
        self.anchoring = Anchoring(self)
        self.branches = Branches(self)
        self.following = Following(self)
        self.language = Language(self, model)
        own = self.settings.compress_provider != "llm"
        self.compressor = Language(self, role="compress") if own else self.language
        self.errands = Errands(self)
        self.schedule = Schedule(self)
        # The source of what is stored without one: the user of a program or command, or an assistant that calls a tool.
        self.writes_as: Source = "user"
        # Folders below which files are written that a caller names; None: anywhere.
        self.write_roots: tuple[str, ...] | None = None
        self._store: CodeStore | None = None
        self._closed = False
        self._opening = threading.Lock()

    @property
    def store(self) -> Store:
        """The store, opened on first use."""
        return self.code_store

    @property
    def code_store(self) -> "CodeStore":
        """The same store, as what works on source code sees it."""
        with self._opening:
            if self._closed:
                raise Conflict("this engine is closed", hint="Create a new Engine.")
            if self._store is None:
                from recollect.store.sql import SqlStore
                from recollect.store.sqlite import Sqlite

                self._store = SqlStore(
                    Sqlite(self.settings.database_path, busy_timeout_ms=self.settings.busy_timeout_ms)
                )
            return self._store

    @cached_property
    def rulers(self) -> "Rulers":
        """What the cosines of each embedding model mean."""
        from recollect.engine.rulers import Rulers

        return Rulers(self)

    def start_background(self) -> None:
        """Keep derived state up to date in threads of this process until the engine is closed.

        What hooks leave, vectors, centrality, cycles of consolidation that are due, and the code index of the project
        the process was started in, with its links, where `watch` is set.
        """
        self.capture.start()
        self.embedding.start()
        self.centrality.start()
        self.errands.start()
        self.schedule.start()
        if self.settings.watch:
            self.code.start()
            self.links.start()

    def close(self) -> None:
        """Stop background work and close the database."""
        self.capture.stop()
        self.code.stop()
        self.links.stop()
        self.embedding.stop()
        self.centrality.stop()
        self.errands.stop()
        self.schedule.stop()
        self.language.stop()
        self.compressor.stop()
        self._finish()
        with self._opening:
            self._closed = True
            store, self._store = self._store, None
        if store is not None:
            store.close()

    def _finish(self) -> None:
        """Write what was kept for later."""
        if self._store is not None:
            self.access.flush()

    def __dir__(self) -> list[str]:
        return sorted([*NOUNS, "settings", "start_background", "close"])

    def __enter__(self) -> "Engine":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
