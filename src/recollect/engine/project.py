"""Project: one indexed project as a whole, as a library sees it: its code, symbols, packages, uses and map.

Everything is what is known now: nothing is indexed and nothing linked for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.code.resolve.translate import has_program
from recollect.engine.file_uses import FileUses, file_uses
from recollect.engine.sources import Source, Sources, SymbolRow
from recollect.model import File
from recollect.store.code_protocol import PackageRow as PackageRow
from recollect.store.code_protocol import file_node

if TYPE_CHECKING:
    from recollect.code.record import RepoMap
    from recollect.engine.root import Engine
    from recollect.graph.project import Further

# Symbols of a file that stand for all of it where only the file is known to be used.
STANDING_FOR = 20


class Project:
    """An indexed project, as it was when this was made."""

    def __init__(self, engine: Engine, namespace: str) -> None:
        self._engine = engine
        self.namespace = namespace
        self.sources = Sources(engine, namespace)

    @property
    def is_indexed(self) -> bool:
        """Whether anything of it is indexed."""
        return bool(self.sources.files)

    @property
    def root(self) -> Path:
        """The folder it lies in; that of the namespace where nothing is indexed."""
        return Path(self.sources.tree.root if self.sources.tree is not None else self.namespace)

    @cached_property
    def code(self) -> dict[str, Source]:
        """The files of it that are programs, without what was copied in or generated."""
        tree = self.sources.tree
        rows = () if tree is None else self._engine.store.columns(File, ("path", "mark"), {"tree": tree.id})
        marked = {path for path, mark in rows if mark}
        files = self.sources.files.items()
        return {path: source for path, source in files if has_program(source.language) and path not in marked}

    @cached_property
    def symbols(self) -> dict[str, list[SymbolRow]]:
        """The symbols of its code, by path."""
        paths = {source.id: path for path, source in self.code.items()}
        found = self._engine.code_store.file_contents(list(paths))
        return {paths[number]: rows for number, (rows, _) in sorted(found.items(), key=lambda row: paths[row[0]])}

    @cached_property
    def packages(self) -> list[PackageRow]:
        """The packages that its manifests tell of."""
        tree = self.sources.tree
        return [] if tree is None else self._engine.code_store.packages([tree.id])

    @cached_property
    def uses(self) -> FileUses:
        """Which of its files use which."""
        return file_uses(self._engine, self.sources)

    def map(self, tokens: int) -> RepoMap:
        """Return a map of it, ranked by links or, where it is not linked, by what its files import."""
        from recollect.engine.repo_map import Asked, repo_map

        trees = [self.sources.tree] if self.sources.tree is not None else []
        part = self._engine.centrality.graph().code
        further = [] if self.uses.known_by == "links" else list(self._further())
        return repo_map(self._engine.code_store, part, Asked(trees, tokens), str(self.root), (), further)

    def _further(self) -> Iterator[Further]:
        """Yield the imports as links, to the names that are imported or else to what a file offers."""
        from recollect.graph.project import Further

        for use in self.uses.uses:
            rows = self.symbols.get(use.used, [])
            outer = [row.qualified for row in rows if row.parent < 0 and row.kind != "Module"]
            named = [name for name in use.names if name in outer] or outer[:STANDING_FOR]
            for name in named:
                target = f"sym:{self.root}/{use.used}::{name}"
                yield Further(file_node(str(self.root), use.user), target, "IMPORTS", 1 / len(named))
