"""The context window as operations: each works on the window of one project, which is kept in the store."""

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec

from recollect.engine import accept
from recollect.hierarchy.model import Filled, LookedUp, WindowMoves, WindowView
from recollect.hierarchy.policies import ProfileChoice
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.hierarchy.model import Moved
    from recollect.hierarchy.window import MemoryManager

# Items and moves that are shown: as many as fit on a screen, and as an assistant reads.
SHOWN = 20

Held = Literal[1, 2]
Shown = Annotated[int, msgspec.Meta(ge=0, le=1000)]


class ContextWindow:
    """What is in the context window, what is at hand, and what can be fetched."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("context_window_start", "context-window-start", destructive=True)
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
        """Begin a task: fill the context window with the files, definitions, tests and memories that it will need.

        Found by search, by what uses what, by what was edited lately and by memories, and ranked. Level 1 (50 KB) gets
        the most likely files, large ones by the symbols that matter; level 2 (500 KB) the working set. Each comes with
        why it is there; `context_window` with level 1 gives the texts. The project has to be indexed.

        description: what is to be done: an issue, an error message, or a sentence
        files: files that are known to matter, from the root of the project; they come first
        error: what goes wrong at the moment; none: what hooks saw fail just now
        profile: sizes and times: standard, small, large, interactive, or auto by the size of the project; none: as last
        limit: how many files and memories are listed at most
        namespace: the project, as a path or a name
        """
        most = accept.whole("limit", limit, least=0, most=1000)
        filled = self._window(namespace, profile).start_task(description, files, error=error)
        return msgspec.structs.replace(filled, items=filled.items[:most], left_out=filled.left_out[:most])

    @operation("context_window_look_up", "context-window-get")
    def look_up(self, query: str, *, namespace: str = ".") -> LookedUp:
        """Look something up by path, symbol or question: in level 1, then 2, then by level 4 in the archive.

        What comes from the archive is promoted to level 2, with what it uses; what is read three times in five minutes
        to level 1.

        query: the path of a file, the name of a symbol, memory:ID, or a question
        namespace: the project, as a path or a name
        """
        return self._window(namespace).look_up(query)

    @operation("context_window_set", "context-window-set", destructive=True, idempotent=True)
    def set(self, content: str, *, name: str = "immediate", namespace: str = ".") -> WindowMoves:
        """Put a text into level 1, in the place of the last one of this name: a note, or the error of this moment.

        content: the text
        name: what it is, such as error
        namespace: the project, as a path or a name
        """
        window = self._window(namespace)
        return _moves(window, window.set_immediate_context(content, name))

    @operation("context_window_promote", "context-window-promote", idempotent=True)
    def promote(self, path: str, *, level: Held = 2, namespace: str = ".") -> WindowMoves:
        """Promote a file or a memory to level 2; or to level 1, as what is edited now, with the definitions it uses.

        path: from the root of the project, or memory:ID
        level: 1 or 2
        namespace: the project, as a path or a name
        """
        window = self._window(namespace)
        return _moves(window, window.promote(path, level))

    @operation("context_window_demote", "context-window-demote", destructive=True)
    def demote(self, path: str, *, namespace: str = ".") -> WindowMoves:
        """Let go of a file or a memory: it leaves levels 1 and 2 and stays in the archive.

        path: from the root of the project, or the name it has in the window
        namespace: the project, as a path or a name
        """
        window = self._window(namespace)
        return _moves(window, window.demote_to_archive(path))

    @operation("context_window_clean", "context-window-clean", destructive=True, idempotent=True)
    def clean(self, *, namespace: str = ".") -> WindowMoves:
        """Let go of what was not used for long (30 minutes by default), and of files that are gone.

        namespace: the project, as a path or a name
        """
        window = self._window(namespace)
        return _moves(window, window.cleanup())

    @operation("context_window_complete", "context-window-complete", destructive=True, idempotent=True)
    def complete(self, *, namespace: str = ".") -> WindowMoves:
        """End the task: everything in levels 1 and 2 goes back to the archive; statistics stay.

        namespace: the project, as a path or a name
        """
        window = self._window(namespace)
        return _moves(window, window.complete_task())

    @operation("context_window", "context-window", read_only=True)
    def show(self, *, level: Literal[1, 2, 4] | None = None, limit: Shown = SHOWN, namespace: str = ".") -> WindowView:
        """Show the context window: sizes, tokens and hit rate of its levels, what is in them, and what moved why.

        level: print what this level says: 1 the immediate context, 2 the working set, 4 the project as a whole
        limit: how many items, and how many of the last promotions and demotions, are listed at most
        namespace: the project, as a path or a name
        """
        most = accept.whole("limit", limit, least=0, most=1000)
        if level is not None:
            accept.one_of("level", str(level), ("1", "2", "4"))
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
        from recollect.hierarchy.window import MemoryManager

        return MemoryManager(self._engine, namespace, profile=profile)


def _moves(window: "MemoryManager", moved: "tuple[Moved, ...]") -> WindowMoves:
    return WindowMoves(moved=moved[:SHOWN], total=len(moved), levels=window.levels())


def _text(window: "MemoryManager", level: int | None) -> str:
    if level == 1:
        return window.get_immediate_context()
    if level == 2:
        return "\n".join(f"=== {name} ===\n{text}\n" for name, text in window.get_working_set().items())
    return window.query_global_knowledge() if level == 4 else ""
