"""Scope: which projects an operation reads, and for which one it stores.

    the caller gives        it reads                                    it stores
    project X               X; a question also what is for all          X
    all_projects            all projects
    global                                                              for all projects (no namespace)
    nothing, in project P   P, and what is stored for all projects      P
    nothing, elsewhere      all projects                                for all projects
    nothing, with a token   the token's projects, and what is for all   the only one, or the private namespace

Commands and servers work in a folder: P is the configured project, or else the git work tree around the folder, or the
nearest folder above it that memories, a workspace or an index belong to.

A program that uses the engine as a library names projects itself. A named project is then exactly that project. Without
a name it reads all projects and stores for the configured one, or for all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.engine.context import Context, is_confined
from recollect.engine.records.identity import is_path, namespace_of, repository_root
from recollect.errors import InvalidInput, InvalidWorkspace
from recollect.model import Memory, Tree, Workspace
from recollect.store.confinement import caller_projects
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.store.store_values import Filter


# The project of a caller that shares the engine with others, as those of an HTTP server do.
_here: ContextVar[str | None] = ContextVar("project", default=None)


class Scope:
    """The projects that an engine works on."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._folder: Path | None = None
        self._is_library = True
        self._known: dict[Path, str | None] = {}

    def enter(self, folder: str) -> None:
        """Work in a folder from now on, as commands and servers do. Empty: in none."""
        self._is_library = False
        self._folder = Path(folder) if folder else None

    @contextmanager
    def within(self, project: str) -> Iterator[None]:
        """Work in a project in this block, by name or path, for one of many callers. Empty: as before."""
        token = _here.set(namespace_of(project) if project else _here.get())
        try:
            yield
        finally:
            _here.reset(token)

    def current(self) -> str | None:
        """Return the project that is meant where none is named; None: there is none."""
        here = _here.get()
        if here is not None:
            return here
        configured = self._context.settings.namespace
        if configured or self._folder is None:
            return namespace_of(configured)
        if self._folder not in self._known:
            self._known[self._folder] = self._project(self._folder)
        return self._known[self._folder]

    def where(self, namespace: str | None, *, all_projects: bool = False, asks: bool = False) -> dict[str, object]:
        """Return the filter for what an operation reads; empty: all projects.

        asks: it answers a question, so that what holds for all projects belongs to a named project, too
        """
        named = namespace_of(namespace)
        if all_projects:
            _refuse_both(named, "all_projects")
            return {}
        if named is None and (own := caller_projects()):
            return {"namespace": (_here.get(), None) if _here.get() in own else (*own, None)}
        if self._is_library:
            return {} if named is None else {"namespace": named}
        self._refuse_folder_name(named)
        scope = self.current() if named is None else named
        if scope is None:
            return {}
        return {"namespace": scope if named is not None and not asks else (scope, None)}

    def target(self, namespace: str | None, *, everywhere: bool = False) -> str | None:
        """Return the project that a new memory belongs to; None: it is for all projects."""
        named = namespace_of(namespace)
        if everywhere:
            _refuse_both(named, "global")
            return None
        self._refuse_folder_name(named)
        return self.current() if namespace is None else named

    def is_known(self, project: str) -> bool:
        """Tell whether memories, a workspace or an index belong to a project."""
        return bool(self._known_of([project]))

    def _refuse_folder_name(self, named: str | None) -> None:
        """Raise InvalidInput for the folder name of a project that no project has as its name."""
        if named is None or self._is_library or is_confined.get() or is_path(named) or self.is_known(named):
            return
        store = self._context.store
        places = {name for name in (*store.tally(Memory, "namespace"), *store.tally(Tree, "namespace")) if name}
        if meant := sorted(place for place in places if Path(place).name == named):
            hint = (
                f"Give its path: {', '.join(meant)}. `recollect workspace create {named}` makes a project of this name."
            )
            raise InvalidInput(
                f'project: "{named}" is the name of a folder, not of a project', hint=hint, field="project"
            )

    def _project(self, folder: Path) -> str | None:
        """Return the project that a folder lies in; None: it lies in none."""
        try:
            root = repository_root(folder)
            return namespace_of(str(self._nearest_known(folder) if root is None else root))
        except (InvalidWorkspace, RuntimeError):  # a path that cannot be a namespace; there is no home folder
            return None

    def _nearest_known(self, folder: Path) -> str:
        """Return the nearest folder around this one that is a namespace; empty: there is none.

        A home folder or the root is a project only if a user names it.
        """
        never = (Path("~").expanduser(), Path(folder.anchor))
        around = [str(place) for place in (folder, *folder.parents) if place not in never]
        known = self._known_of(around)
        return next((place for place in around if place in known), "")

    def _known_of(self, places: list[str]) -> set[str]:
        """Return which of these namespaces have memories, a workspace or an index."""
        store = self._context.store
        known = {row.id for row in store.get(Workspace, places)}
        known |= {str(tree.namespace) for tree in store.find(Tree, {"namespace": tuple(places)})}
        return known | {place for place in places if store.columns(Memory, ("id",), {"namespace": place}, limit=1)}


def project_of(where: Filter | None) -> str | None:
    """Return the one project of a filter, global memories aside; None if there is no one."""
    scope = (where or {}).get("namespace")
    first = scope[0] if isinstance(scope, tuple) and scope else scope
    return first if isinstance(first, str) else None


def noted(count: int, limit: int) -> tuple[str, ...]:
    """Return the note on matches in other projects; none if there are none, or the caller may not know."""
    if not count or is_confined.get():
        return ()
    found = f"at least {count} matches" if count >= limit else plural(count, "match", "matches")
    return (f"{found} in other projects: all_projects=true",)


def _refuse_both(named: str | None, option: str) -> None:
    if named is not None:
        hint = f"Give project, or {option}."
        raise InvalidInput(f"{option} does not go with project {named}", hint=hint, argument=option)
