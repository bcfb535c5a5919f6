"""The commits of a repository, newest first, read from one stream of git; one commit at a time is in memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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

_FORMAT = "%x01%H%x02%at%x02%aN%x02%B"


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


def commits(root: Path, since: int | None, *, most: int = MAX_COMMITS, notes: list[str]) -> Iterator[Commit]:
    """Yield the commits of the checkout, newest first, without merges; none without a repository.

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


def _words(since: int | None) -> list[str]:
    words = [
        "log", "-z", "--no-merges", "--no-show-signature", "--no-color", "--no-ext-diff", "--no-textconv",
        "--name-status", f"-l{RENAMES}", f"--format={_FORMAT}",
    ]  # fmt: skip
    return [*words, f"--since={since}"] if since is not None else words


def count(root: Path, since: int | None, *, notes: list[str]) -> int:
    """Return the number of commits to read; if 0, `notes` says why."""
    words = ["rev-list", "--count", "--no-merges", f"--max-count={MAX_COMMITS}"]
    told = git.run(root, *words, *([f"--since={since}"] if since is not None else []), "HEAD", "--")
    if told.problem:
        # Git names HEAD where nothing was committed yet.
        notes.append(
            f"no commits were read: {told.problem if ' HEAD' not in told.problem else 'the repository has none'}"
        )
    return int(told.output) if told.output.strip().isdigit() else 0


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
            head, files = text[1:].split("\x02", 3), []
        elif text and len(files) < MAX_FILES:
            if text[0] in "RC" and text[1:].isdigit():
                before = next(pieces, "")
                files.append(ChangedFile(text[0], next(pieces, ""), before if text[0] == "R" else ""))
            elif len(text) == 1:
                files.append(ChangedFile(text, next(pieces, "")))
    if head:
        yield _commit(head, files)


def _commit(head: Sequence[str], files: Sequence[ChangedFile]) -> Commit:
    sha, at, author, message = (*head, "", "", "")[:4]
    return Commit(sha, int(at) if at.isdigit() else 0, author, message[:MAX_MESSAGE].strip(), tuple(files))
