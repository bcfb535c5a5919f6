"""The code of a tree as it was at a commit: files from git, read when a text mentions them.

A name is looked up in three groups of files, under the paths that they had then: files that the same text mentions,
files that define the name today, and files that defined it at other commits. So deleted code is found, too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from recollect import git
from recollect.code.anchors.commit_line import CommitLine, read_line
from recollect.code.anchors.find import MAX_FILES, Code, is_code
from recollect.code.anchors.normalised_file import Form
from recollect.code.index.exclusions import mark
from recollect.code.index.file_walk import real
from recollect.code.index.languages import detect
from recollect.model import File, Tree
from recollect.store.code_rows import FoundSymbol, SymbolRow

# Forms in memory: those of a busy file are used one after the other.
MAX_FORMS = 256
# Paths with the same end that are looked for in a commit.
MAX_ENDINGS = 20
# Lines that are compared one by one to see what a commit changed in a file.
MAX_LINES = 1_000


class Past:
    """The history of one tree: its first-parent line, and the content of its files at any commit."""

    def __init__(self, tree: Tree, objects: git.Objects, line: CommitLine, max_bytes: int) -> None:
        self.tree = tree
        self.line = line
        self._objects = objects
        self._max_bytes = max_bytes
        self._blobs: dict[tuple[str, str], str] = {}
        self._contents: dict[str, bytes] = {}
        self._forms: dict[tuple[str, str], Form] = {}
        # Paths by the names that their files were seen to define.
        self.defined: dict[str, dict[str, None]] = {}

    def knows(self, commit: str) -> bool:
        """Tell whether git has the commit: a shallow clone lacks old ones."""
        return commit in self.line.places or self._objects.is_commit(commit)

    def blob(self, commit: str, path: str) -> str:
        """Return the blob of a file at a commit; empty where there is none, or a too large one."""
        key = (commit, path)
        if key not in self._blobs:
            found = self._objects.find(f"{commit}:{real(path)}")
            self._blobs[key] = found.id if found is not None and found.size_bytes <= self._max_bytes else ""
        return self._blobs[key]

    def content(self, blob: str) -> bytes:
        """Return the content of a blob; empty where git lacks it."""
        if blob not in self._contents:
            _make_room(self._contents)
            self._contents[blob] = self._objects.content(blob) or b""
        return self._contents[blob]

    def form(self, path: str, blob: str) -> Form:
        """Return a file as it was."""
        key = (path, blob)
        if key not in self._forms:
            _make_room(self._forms)
            self._forms[key] = Form(path, self.content(blob), registered=False)
        return self._forms[key]

    def has_content(self, blob: str, content: bytes) -> bool:
        """Tell whether a blob has this content."""
        kind = hashlib.sha256 if len(blob) == 64 else hashlib.sha1
        return kind(b"blob %d\0" % len(content) + content).hexdigest() == blob


def _make_room(cache: dict[Any, Any]) -> None:
    """Drop the oldest entry of a full cache."""
    if len(cache) >= MAX_FORMS:
        del cache[next(iter(cache))]


@contextmanager
def opened(tree: Tree, max_bytes: int) -> Iterator[Past | None]:
    """Yield the history of a tree; None without a repository."""
    where = git.folders(Path(tree.root))
    if where is None:
        yield None
        return
    with git.opened(where) as repository, repository.objects() as objects:
        yield Past(tree, objects, read_line(repository), max_bytes)


class PastCode(Code):
    """The code of a tree at a commit."""

    def __init__(self, today: Code, past: Past, commit: str, place: int) -> None:
        super().__init__(today.store, [past.tree])
        self._today = today
        self._past = past
        self.commit = commit
        self.place = place
        self._files: dict[str, File | None] = {}

    def files_at(self, paths: Sequence[str]) -> dict[str, list[File]]:
        """Return the files of the commit at paths."""
        return {path: [file] if (file := self._file(path)) is not None else [] for path in paths}

    def rows(self, files: Sequence[File]) -> dict[int, list[SymbolRow]]:
        """Return the symbols of files by the number of the file."""
        found = {file.id: list(self.form(file).rows) for file in files}
        for file in files:
            for row in found[file.id]:
                self._past.defined.setdefault(row.name, {})[file.path] = None
        return found

    def ending(self, path: str) -> list[str]:
        """Return the paths of the commit that end with these folders and this name."""
        tail = "/" + path
        known = [each for each in self._past.line.paths if each.endswith(tail)]
        return [each for each in known[:MAX_ENDINGS] if self._file(each) is not None]

    def may_define(self, file: File, name: str) -> bool:
        """Tell whether a file contains a name, in Python its definition: others need not be parsed."""
        text, word = self._past.content(file.hash), name.encode()
        if file.language != "python":
            return word in text
        return any(form % word in text for form in (b"def %b", b"class %b", b"%b =", b"%b:", b"%b="))

    def defining(self, name: str, most: int) -> list[FoundSymbol] | None:
        """Return the symbols of a name in the files that define it today or did at another commit."""
        now = self._today.defining(name, MAX_FILES)
        paths = {self._past.line.then(found.file.path, self.place): None for found in now or ()}
        paths |= self._past.defined.get(name, {})
        files = [file for path in paths if (file := self._file(path)) is not None]
        if len(files) > MAX_FILES or now == []:
            return []
        symbols = [
            FoundSymbol(0, "", row, file, self._past.tree)
            for file in files
            if is_code(file) and self.may_define(file, name)
            for row in self.form(file).rows
            if row.name == name
        ]
        return symbols or None

    def form(self, file: File) -> Form:
        """Return a file of the commit."""
        return self._past.form(file.path, file.hash)

    def _file(self, path: str) -> File | None:
        if path not in self._files:
            blob = self._past.blob(self.commit, path)
            language = detect(path, b"")
            self._files[path] = (
                File(
                    id=len(self._files) + 1,
                    tree=self._past.tree.id,
                    path=path,
                    hash=blob,
                    mtime_ns=0,
                    size_bytes=0,
                    language=language.name if language is not None else None,
                    mark=mark(path, b""),
                )
                if blob
                else None
            )
        return self._files[path]


def edited(old: bytes, new: bytes) -> list[tuple[int, int]]:
    """Return the first and last line of each edit of a text, by the numbers of its new lines."""
    one, other = old.splitlines(), new.splitlines()
    first = next((at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right), None)
    if first is None:
        return [(len(one) + 1, len(other))] if len(other) > len(one) else []
    one, other = one[first:], other[first:]
    last = next(
        (at for at, (left, right) in enumerate(zip(reversed(one), reversed(other), strict=False)) if left != right),
        min(len(one), len(other)),
    )
    one, other = one[: len(one) - last], other[: len(other) - last]
    if len(one) + len(other) > MAX_LINES:
        return []
    edits = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return [(first + row[3] + 1, first + max(row[3] + 1, row[4])) for row in edits if row[0] != "equal"]
