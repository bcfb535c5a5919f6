"""A code store that remembers the previous symbols of the files that an update replaces.

Only these tell which symbols are new. It also remembers files that were read again without a change, as all are after
an upgrade: none of their symbols is new.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from recollect.code.anchors.normalised_file import Spot, spots
from recollect.model import File
from recollect.store.code_protocol import CodeStore, IndexedFile, Touched

if TYPE_CHECKING:
    from collections.abc import Callable


class Remembering:
    """A code store for one update of one tree; all but writing files is passed on."""

    def __init__(self, store: CodeStore, opened: Callable[[int], bool]) -> None:
        """Wrap a store.

        opened: called with the number of the tree before anything is written; tells whether any memory is anchored to
        code. Otherwise only the touched files are remembered
        """
        self._store = store
        self._opened = opened
        self.forget()

    def forget(self) -> None:
        """Reset."""
        self.before: dict[str, dict[str, Spot]] = {}
        self.touched: set[str] = set()
        self.reread: set[str] = set()
        self.tree: int | None = None
        self._remembers = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write_files(
        self,
        tree: int,
        owner: str,
        *,
        files: Sequence[IndexedFile] = (),
        touched: Sequence[Touched] = (),
        gone: Sequence[str] = (),
        lease_s: int,
    ) -> None:
        """Remember what is about to be replaced, then write."""
        if self.tree is None and (files or gone):
            self._remembers = self._opened(tree)
            self.tree = tree
        self._remember(tree, {file.path: file.hash for file in files}, gone)
        self._store.write_files(tree, owner, files=files, touched=touched, gone=gone, lease_s=lease_s)

    def _remember(self, tree: int, files: dict[str, str], gone: Sequence[str]) -> None:
        paths = [*files, *gone]
        self.touched.update(paths)
        if not self._remembers:
            return
        for start in range(0, len(paths), 500):
            known = self._store.find(File, {"tree": tree, "path": tuple(paths[start : start + 500])})
            changed = [file for file in known if not file.skipped and file.hash != files.get(file.path)]
            self.reread.update(file.path for file in known if file.hash == files.get(file.path))
            contents = self._store.file_contents([file.id for file in changed])
            for file in changed:
                rows = contents.get(file.id, ([], []))[0]
                self.before.setdefault(file.path, spots(file.path, rows))
