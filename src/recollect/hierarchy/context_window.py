"""Operations of the context window; each works on the stored window of one project."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from recollect.engine import input_checks
from recollect.hierarchy.model import Filled, LookedUp, Moved, WindowMoves, WindowView
from recollect.hierarchy.policies import ProfileChoice
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.hierarchy.project_window import MemoryManager

# Items and moves shown by default: one screen.
SHOWN = 20

Held = Literal[1, 2]
Shown = Annotated[int, msgspec.Meta(ge=0, le=1000)]


class ContextWindow:
    """The context window of a project: fill, look up, promote, demote and show."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("context_window_start", "context-window-start", destructive=True, listed=("files", "error"))
    def start(
        self,
        description: str,
        *,
        files: tuple[str, ...] = (),
        error: str = "",
        profile: ProfileChoice | None = None,
        limit: Shown = SHOWN,
        namespace: str = ".",
    ) -> Filled:
        """Start a task: fill the context window with likely files. Returns files, definitions, tests and memories, each
        with the reason. The project must be indexed.

        Candidates come from search, dependencies, git history, edits and memories. Level 1 (50 KB) gets the most likely
        files, large ones by their relevant symbols; level 2 (500 KB) the working set. `context_window` with level 1
        shows the texts.

        description: issue, error message or a sentence
        files: files known to matter; they come first
        error: current error; default: the last failure seen by hooks
        profile: standard, small, large, interactive, auto; default: the last one
        limit: maximum number of files and memories listed
        namespace: project path or name
        """
        most = input_checks.whole("limit", limit, least=0, most=1000)
        filled = self._window(namespace, profile).start_task(description, files, error=error)
        return msgspec.structs.replace(filled, items=filled.items[:most], left_out=filled.left_out[:most])

    @operation("context_window_look_up", "context-window-get", listed=())
    def look_up(self, query: str, *, namespace: str = ".") -> LookedUp:
        """Look up a path, symbol or question in the context window.

        It looks in level 1, then level 2, then in the archive. Items from the archive move to level 2 with what they
        use. Items read three times in five minutes move to level 1.

        query: file path, symbol, memory:ID or question
        namespace: project path or name
        """
        return self._window(namespace).look_up(query)

    @operation("context_window_set", "context-window-set", destructive=True, idempotent=True, listed=("name",))
    def set(self, content: str, *, name: str = "immediate", namespace: str = ".") -> WindowMoves:
        """Set a note in level 1 of the context window.

        It replaces the note of the same name.

        content: text of the note
        name: name of the note, such as error
        namespace: project path or name
        """
        window = self._window(namespace)
        return _moves(window, window.set_immediate_context(content, name))

    @operation("context_window_promote", "context-window-promote", idempotent=True, listed=("level",))
    def promote(self, path: str, *, level: Held = 2, namespace: str = ".") -> WindowMoves:
        """Promote a file or memory in the context window.

        The levels are 1 and 2. At level 1 it is what you edit now; the definitions that it uses come with it.

        path: path in the project, or memory:ID
        level: 1 or 2
        namespace: project path or name
        """
        window = self._window(namespace)
        return _moves(window, window.promote(path, level))

    @operation("context_window_demote", "context-window-demote", destructive=True, listed=())
    def demote(self, path: str, *, namespace: str = ".") -> WindowMoves:
        """Demote a file or memory: it leaves the context window. It stays in the archive.

        path: path in the project, or name in the window
        namespace: project path or name
        """
        window = self._window(namespace)
        return _moves(window, window.demote_to_archive(path))

    @operation("context_window_clean", "context-window-clean", destructive=True, idempotent=True, listed=())
    def clean(self, *, namespace: str = ".") -> WindowMoves:
        """Clean the context window of unused items and deleted files.

        An item is unused after 30 minutes by default.

        namespace: project path or name
        """
        window = self._window(namespace)
        return _moves(window, window.cleanup())

    @operation("context_window_complete", "context-window-complete", destructive=True, idempotent=True, listed=())
    def complete(self, *, namespace: str = ".") -> WindowMoves:
        """Complete the task and empty the context window. Statistics stay.

        namespace: project path or name
        """
        window = self._window(namespace)
        return _moves(window, window.complete_task())

    @operation("context_window", "context-window", read_only=True, listed=("level",))
    def show(self, *, level: Literal[1, 2, 4] | None = None, limit: Shown = SHOWN, namespace: str = ".") -> WindowView:
        """Show the context window: sizes, items and recent moves.

        level: show the text of level 1, 2 or 4
        limit: maximum number of items and moves
        namespace: project path or name
        """
        most = input_checks.whole("limit", limit, least=0, most=1000)
        if level is not None:
            input_checks.one_of("level", str(level), ("1", "2", "4"))
        window = self._window(namespace)
        items, events = window.items(), window.events()
        return WindowView(
            namespace=window.namespace,
            profile=window.policy().name,
            stats=window.get_memory_stats(),
            task=window.task(),
            items=items[:most],
            items_total=len(items),
            events=events[max(0, len(events) - most) :],
            text=_text(window, level),
        )

    def _window(self, namespace: str, profile: str | None = None) -> "MemoryManager":
        from recollect.hierarchy.project_window import MemoryManager

        return MemoryManager(self._engine, namespace, profile=profile)


def _moves(window: "MemoryManager", moved: "tuple[Moved, ...]") -> WindowMoves:
    return WindowMoves(moved=moved[:SHOWN], total=len(moved), levels=window.levels())


def _text(window: "MemoryManager", level: int | None) -> str:
    if level == 1:
        return window.get_immediate_context()
    if level == 2:
        return "\n".join(f"=== {name} ===\n{text}\n" for name, text in window.get_working_set().items())
    return window.query_global_knowledge() if level == 4 else ""
