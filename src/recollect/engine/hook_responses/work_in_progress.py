"""Work in progress: the branch, and files that differ from the default branch or were edited lately.

    git    files changed in the work tree, staged, or committed on the branch      no file content is read by git
    hooks  files that the last sessions edited

Memories that mention one of them come first in the briefing of a session.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import git
from recollect.engine.records.checkout import Checkout, checkout, tip, work_tree
from recollect.engine.records.memory_rows import batches
from recollect.model import Anchor, AnchorState, Memory, Observed
from recollect.text.terms import query_terms

if TYPE_CHECKING:
    from recollect.store.sql import Store
    from recollect.store.store_values import Filter

# Files that count: of a larger change the paths say little.
FILES = 40
# Memories found by the names of files and by the branch.
FOUND = 40
# How closely a memory is about the work at hand: it mentions a file, was written on the branch, shares all words with
# the name of the branch, or comes from a session that used files of the same folder.
NAMED, SAME_BRANCH, BRANCH_WORDS, SAME_FOLDER = 1.0, 0.8, 0.6, 0.5
# Tools that use files.
USING = ("edit", "write", "patch", "read")
# A repository on a drive that hangs must not hang the start of a session.
GIT_S = 1.0
# Parts of branch names that say nothing about the work.
_GENERIC = frozenset(
    "feature feat fix bugfix hotfix bug chore wip dev develop test tests issue task release main master update "
    "refactor docs branch claude codex copilot gemini opencode cursor".split()
)
# Names that many files share: such a file counts as mentioned by its whole path.
_SHARED = frozenset("__init__.py index.js index.ts index.tsx main.py main.go main.rs mod.rs lib.rs README.md".split())
_NAME = re.compile(r"[\w.@+/-]+")
_PATH = re.compile(r"[\w.@+-]+/[\w.@+/-]*\.[a-z]{1,5}")
_SPACE = re.compile(r"[\W_\d]+")


class WorkInProgress(NamedTuple):
    """The work at hand. words: search terms of the branch's name, none of the default one; files: from the root."""

    branch: str = ""
    words: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    found: Checkout | None = None

    def concerns(self, memory: Memory, anchored: Collection[str], beside: Collection[str]) -> float:
        """Return how closely a memory is about this work: up to 1, 0 if it is general, -1 if about other files.

        anchored: files that it is tied to. beside: files that were used in the session that it comes from
        """
        named = {word.rstrip(".") for word in _NAME.findall(memory.content)}
        named |= {word.rpartition("/")[2] for word in named} - _SHARED
        is_named = any(path in named or path.rpartition("/")[2] in named for path in self.files)
        if is_named or not set(self.files).isdisjoint(anchored):
            return NAMED
        if self.branch and memory.branch == self.branch:
            return SAME_BRANCH
        shared = self.words.intersection(query_terms(memory.content)) if self.words else frozenset()
        by_words = BRANCH_WORDS * len(shared) / len(self.words) if shared else 0.0
        if not set(map(_folder, beside)).isdisjoint(map(_folder, self.files)):
            return max(by_words, SAME_FOLDER)
        is_elsewhere = anchored or beside or any(_PATH.fullmatch(word) for word in named)
        return by_words or (-1.0 if is_elsewhere and self.files else 0.0)


def names_file(memory: Memory) -> bool:
    """Tell whether a memory names a file."""
    return _PATH.search(memory.content) is not None


def _folder(path: str) -> str:
    """Return the folder of a file; the file itself at the root and among tests, where folders say little."""
    folder = path.rpartition("/")[0]
    return path if not folder or folder.startswith(("test", "docs")) else folder


def work_in_progress(folder: str, used: Sequence[str], *, asks_git: bool) -> WorkInProgress:
    """Return the work at hand in a folder.

    used: files that the last sessions changed or read, the latest first. asks_git: find the files that differ, too
    """
    found: Checkout | None = None
    with suppress(OSError, ValueError, RuntimeError):  # a folder that is gone, or an unknown user
        found = checkout(work_tree(folder)) if folder else None
    if found is None:
        return WorkInProgress(files=tuple(used[:FILES]))
    name = "" if found.is_default else found.branch.lower()
    words = query_terms(" ".join(word for word in _SPACE.split(name) if word not in _GENERIC))
    files = dict.fromkeys((*(_changed(found) if asks_git else ()), *used))
    return WorkInProgress(found.branch, frozenset(words), tuple(files)[:FILES], found)


def is_committed(found: Checkout | None, files: Sequence[str], after: int) -> bool:
    """Tell whether some of these files were committed after a time, and none has other changes now."""
    if found is None or not found.head or (where := git.folders(found.root)) is None:
        return False
    from recollect.code.diff.work_tree import changed_files

    inside = (path.removeprefix(f"{found.root}/") for path in files)
    paths = [path for path in inside if not path.startswith("/")]
    newer = ("log", "--format=%H", "--max-count=1", f"--max-age={after + 1}", "--branches", found.head, "--", *paths)
    with git.opened(where) as repository:
        if not (paths and repository.run(*newer, timeout_s=GIT_S).text):
            return False
        tracked = repository.run("ls-tree", "-r", "-z", "--name-only", found.head, "--", *paths, timeout_s=GIT_S).text
    if any((Path(found.root) / path).exists() for path in set(paths).difference(tracked.split("\0"))):
        return False
    return set(paths).isdisjoint(changed_files(where, found.head, timeout_s=GIT_S))


def _changed(found: Checkout) -> tuple[str, ...]:
    from recollect.code.diff.work_tree import changed_files  # most of what it costs to load is of no use elsewhere

    where = git.folders(found.root)
    base = tip(found.common, found.default) or found.head
    return changed_files(where, base, timeout_s=GIT_S) if where is not None and base else ()


def beside(store: Store, memories: Iterable[Memory], namespace: str | None) -> dict[str, set[str]]:
    """Return the files that were used in the sessions that memories come from, by session."""
    found: dict[str, set[str]] = {}
    for sessions in batches(sorted({memory.session_id for memory in memories if memory.session_id})):
        where = {"session_id": sessions, "tool": USING}
        for session, path in store.columns(Observed, ("session_id", "target"), where):
            found.setdefault(session, set()).add(path.removeprefix(f"{namespace}/"))
    return found


def related(store: Store, work: WorkInProgress, where: Filter) -> list[str]:
    """Return the ids of memories that may be about the work at hand."""
    found: dict[str, None] = {}
    for kind in (Anchor, AnchorState):
        rows = store.columns(kind, ("memory_id",), {"path": work.files}, limit=FOUND)
        found |= dict.fromkeys(memory_id for (memory_id,) in rows)
    # The last term of a name is the name as a whole.
    names = {query_terms(path.rpartition("/")[2])[-1] for path in work.files if path.rpartition("/")[2]}
    if terms := sorted(names | work.words):
        found |= dict.fromkeys(match.id for match in store.search_text(terms, where, FOUND))
    return list(found)
