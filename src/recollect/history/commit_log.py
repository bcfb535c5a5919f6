"""The commits of a repository, newest first, read from one stream of git; one commit at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from recollect import git

# The newest commits that are read: ten years of a busy project.
MAX_COMMITS = 30_000
# Longer messages and lists of files are generated.
MAX_MESSAGE = 20_000
MAX_FILES = 500
# Renames are detected among so many files of a commit; git recognises moved folders anyway.
RENAMES = 200
TIMEOUT_S = 120.0
# Commits of one pull request, and tags: more are not made by people.
MAX_BRANCH = 200
MAX_TAGS = 5_000
# Paths of all commits together, where only paths are read.
MAX_PATHS = 100_000

_FORMAT = "%x01%H%x02%at%x02%P%x02%aN%x02%B"


class ChangedFile(NamedTuple):
    """A file of a commit: how it was changed (A, M, D, R, …), its path, and its path before a rename."""

    status: str
    path: str
    before: str = ""


class Commit(NamedTuple):
    """A commit: who wrote it when, its message, and what it changed."""

    sha: str
    at: int
    author: str
    message: str
    files: tuple[ChangedFile, ...]
    parents: tuple[str, ...] = ()


def commits(root: Path, since: int | None, *, most: int = MAX_COMMITS, notes: list[str]) -> Iterator[Commit]:
    """Yield the commits of the checkout, newest first, merges without files; none without a repository.

    notes: receives why git could not give everything
    """
    where = git.folders(root)
    if where is None:
        return
    seen = 0
    with git.opened(where) as repository:
        # Recognising a renamed file that was edited needs its content, which a partial clone may lack.
        for renames in ("--find-renames", "--find-renames=100%"):
            words = [*_words(since), renames, f"--max-count={most - seen}", f"--skip={seen}", "HEAD", "--"]
            problems: list[str] = []
            for commit in _parsed(_pieces(repository.stream(*words, timeout_s=TIMEOUT_S), problems)):
                seen += 1
                yield commit
            if not problems:
                return
            if not problems[0].startswith(git.UNREADABLE):
                notes.append(f"the git log was read only up to commit {seen:,}: {problems[0]}")
                return
            notes.append(f"renames with edits were not detected: {problems[0]}")


def changed_paths(root: Path, most: int) -> list[tuple[str, list[str]]]:
    """Return the subject and the changed paths of the newest commits, newest first; none without a repository."""
    where = git.folders(root)
    if where is None:
        return []
    form = ("-z", "--no-merges", "--name-only", "--no-renames", "--format=%x01%s", f"--max-count={most}")
    found: list[tuple[str, list[str]]] = []
    with git.opened(where) as repository:
        for piece in islice(_pieces(repository.stream("log", *form, "HEAD", "--"), []), MAX_PATHS):
            if piece.startswith("\x01"):
                found.append((piece[1:], []))
            elif found:
                found[-1][1].append(piece.removeprefix("\n"))
    return found


def _words(since: int | None) -> list[str]:
    words = [
        "log", "-z", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv",
        "--name-status", f"-l{RENAMES}", f"--format={_FORMAT}",
    ]  # fmt: skip
    return [*words, f"--since={since}"] if since is not None else words


def parents(root: Path, since: int | None, *, notes: list[str]) -> dict[str, tuple[str, ...]]:
    """Return the parents of each commit to read, newest first; if there is none, `notes` says why."""
    words = ["rev-list", "--parents", f"--max-count={MAX_COMMITS}"]
    told = git.run(root, *words, *([f"--since={since}"] if since is not None else []), "HEAD", "--")
    if told.problem:
        # Git names HEAD where nothing was committed yet.
        why = told.problem if " HEAD" not in told.problem else "the repository has none"
        notes.append(f"no commits were read: {why}")
    rows = (line.split() for line in told.text.splitlines())
    return {row[0]: tuple(row[1:]) for row in rows if row}


def branch_commits(merge: str, parents: Mapping[str, Sequence[str]], children: Mapping[str, int]) -> Iterator[str]:
    """Yield the commits that a merge brought, newest first: from its second parent down to where the branch began."""
    sha = next(iter(parents.get(merge, ())[1:]), "")
    for _ in range(MAX_BRANCH):
        if sha not in parents or children[sha] > 1:
            return
        yield sha
        sha = next(iter(parents[sha]), "")


class Tag(NamedTuple):
    """A release tag: its commit and time."""

    sha: str
    at: int


def tags(root: Path) -> dict[str, Tag]:
    """Return the tags of a repository by name."""
    form = "%(refname:short)%00%(*objectname)%00%(objectname)%00%(creatordate:unix)"
    told = git.run(root, "for-each-ref", f"--count={MAX_TAGS}", f"--format={form}", "refs/tags")
    rows = (line.split("\0") for line in told.text.splitlines())
    return {row[0]: Tag(row[1] or row[2], int(row[3])) for row in rows if len(row) == 4 and row[3].isdigit()}


def released(tags: Mapping[str, Tag], parents: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the oldest tag that holds each commit."""
    found: dict[str, str] = {}
    for name, tag in sorted(tags.items(), key=lambda row: (row[1].at, row[0])):
        left = [tag.sha]
        while left:
            sha = left.pop()
            if sha in parents and sha not in found:
                found[sha] = name
                left += parents[sha]
    return found


def tracked(root: Path) -> frozenset[str]:
    """Return the paths of the files that are checked in."""
    told = git.run(root, "ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD")
    return frozenset(filter(None, told.text.split("\0")))


def _pieces(stream: Iterator[git.Answer], problems: list[str]) -> Iterator[str]:
    """Yield the pieces between NUL characters; errors go to `problems`."""
    begun: list[bytes] = []  # joined once: a message may be as long as its author likes
    for block, problem in stream:
        if problem:
            problems.append(problem)
        first, *others = block.split(b"\0")
        begun.append(first)
        for piece in others:
            yield b"".join(begun).decode("utf-8", "replace")
            begun = [piece]
    if rest := b"".join(begun):
        yield rest.decode("utf-8", "replace")


def _parsed(pieces: Iterator[str]) -> Iterator[Commit]:
    head: list[str] = []
    files: list[ChangedFile] = []
    for piece in pieces:
        text = piece.lstrip("\n")
        if text.startswith("\x01"):
            if head:
                yield _commit(head, files)
            head, files = text[1:].split("\x02", 4), []
        elif text and len(files) < MAX_FILES:
            if text[0] in "RC" and text[1:].isdigit():
                before = next(pieces, "")
                files.append(ChangedFile(text[0], next(pieces, ""), before if text[0] == "R" else ""))
            elif len(text) == 1:
                files.append(ChangedFile(text, next(pieces, "")))
    if head:
        yield _commit(head, files)


def _commit(head: Sequence[str], files: Sequence[ChangedFile]) -> Commit:
    sha, at, above, author, message = (*head, "", "", "", "")[:5]
    when = int(at) if at.isdigit() else 0
    return Commit(sha, when, author, message[:MAX_MESSAGE].strip(), tuple(files), tuple(above.split()))
