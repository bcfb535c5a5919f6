"""Watch a tree and update its index after every change.

Changes within DEBOUNCE_MS belong together: an editor writes a copy, renames it, removes the old one. Only the changed
paths are updated. A change of ignore rules, or very many changes, update the whole tree.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.code.index import ignore_rules
from recollect.code.index.exclusions import DEPENDENCY_FOLDERS
from recollect.code.index.file_walk import shown
from recollect.code.index.update import Limits, Update, update, update_paths
from recollect.errors import ConfigError, RecollectError

if TYPE_CHECKING:
    from watchfiles import Change

    from recollect.code.index.project_root import Place
    from recollect.store.sql import Store

# Document 002. Changes are collected for at most this long, or until none comes for STEP_MS.
DEBOUNCE_MS = 50
STEP_MS = 10
# How often a watcher checks whether it should stop.
LOOK_MS = 200
# For more changed paths the whole tree is updated, which is faster: another branch was checked out.
MAX_PATHS = 500
# Files whose change may change which files are indexed.
RULES = frozenset({ignore_rules.GITS, ignore_rules.OURS, ".gitmodules"})

_log = logging.getLogger(__name__)


def watch(
    store: Store,
    where: Place,
    namespace: str | None,
    *,
    limits: Limits,
    stop: threading.Event,
    told: Callable[[Update], None],
) -> None:
    """Update the tree, then after every change until `stop` is set.

    told: called after every update, the first one included. A failing update is logged and repeated with the next
    change; nothing is lost, since files that were not indexed still differ from the index.
    """
    # Watching begins before the first update, so that no change is missed.
    changes = _changes(where.root, stop)
    next(changes)
    told(update(store, where, namespace, limits=limits))
    for paths in changes:
        try:
            if paths is None or len(paths) > MAX_PATHS:
                done = update(store, where, namespace, limits=limits)
            else:
                done = update_paths(store, where, namespace, sorted(paths), limits=limits)
        except RecollectError as problem:
            _log.warning("indexing a change failed: %s", problem.message)
            continue
        if done.read or done.gone:
            told(done)


def _changes(root: Path, stop: threading.Event) -> Iterator[set[str] | None]:
    """Yield once when watching has begun, then changed paths, relative to the root; None for the whole tree."""
    from watchfiles import watch as watch_files

    try:
        watching = watch_files(
            root,
            watch_filter=_Counts(root),
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            rust_timeout=LOOK_MS,
            yield_on_timeout=True,
            stop_event=stop,
            raise_interrupt=True,
        )
        for number, changes in enumerate(watching):
            if not changes and number:
                continue
            yield _paths(root, changes)
    except OSError as problem:
        raise ConfigError(
            f"{root} cannot be watched: {problem}",
            hint="On Linux, raise fs.inotify.max_user_watches, or run `recollect index` after changes.",
            path=str(root),
        ) from None


def _paths(root: Path, changes: set[tuple[Change, str]]) -> set[str] | None:
    paths = {os.path.relpath(path, root).replace(os.sep, "/") for _, path in changes}
    if any(path.rpartition("/")[2] in RULES for path in paths):
        return None
    return {shown(path) for path in paths if path != "."}


class _Counts:
    """A filter without changes inside of version control, caches and installed dependencies."""

    def __init__(self, root: Path) -> None:
        self._skip = len(os.fspath(root)) + 1

    def __call__(self, _change: Change, path: str) -> bool:
        return DEPENDENCY_FOLDERS.isdisjoint(path[self._skip :].replace(os.sep, "/").split("/"))
