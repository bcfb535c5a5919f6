"""Log: the commits of a repository, newest first, read from one stream of git.

However long a history is, one commit at a time is held. Nothing of the repository's own settings can run a program or
change what is printed.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, NamedTuple

# Commits that are read, the newest: ten years of a busy project, some seconds.
MAX_COMMITS = 30_000
# What is read of a message, and of the files of a commit: more is generated.
MAX_MESSAGE = 20_000
MAX_FILES = 500
# Renames are looked for among so many files of a commit; moving whole folders is told by git without comparing.
RENAMES = 200
BLOCK = 1 << 16

_FORMAT = "%x01%H%x02%at%x02%aN%x02%B"


class Touched(NamedTuple):
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
    files: tuple[Touched, ...]


def commits(root: Path, since: int | None, *, most: int = MAX_COMMITS) -> Iterator[Commit]:
    """Yield the commits of what is checked out, newest first, without merges; none where there is no repository."""
    words = [
        "log", "-z", "--no-merges", "--no-show-signature", "--no-color", "--no-ext-diff", "--name-status",
        "--find-renames", f"-l{RENAMES}", f"--max-count={most}", f"--format={_FORMAT}",
    ]  # fmt: skip
    if since is not None:
        words.append(f"--since={since}")
    command = _command(root, [*words, "HEAD", "--"])
    try:
        git = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)  # noqa: S603
    except OSError:  # no git here
        return
    with git:
        assert git.stdout is not None  # noqa: S101 - it was asked for
        try:
            yield from _parsed(_pieces(git.stdout))
        finally:
            git.kill()


def count(root: Path, since: int | None, *, most: int = MAX_COMMITS) -> int:
    """Return how many commits there are to read; 0 where there is no repository."""
    words = ["rev-list", "--count", "--no-merges", f"--max-count={most}"]
    told = said(root, [*words, *([f"--since={since}"] if since is not None else []), "HEAD", "--"])
    return int(told) if told.strip().isdigit() else 0


def tracked(root: Path) -> frozenset[str]:
    """Return the paths of the files that are checked in."""
    return frozenset(
        filter(None, said(root, ["ls-tree", "-r", "-z", "--name-only", "--full-tree", "HEAD"]).split("\0"))
    )


def said(root: Path, words: Sequence[str]) -> str:
    """Return what git prints; "" where it fails or is not there."""
    try:
        done = subprocess.run(_command(root, words), capture_output=True, check=False, timeout=120)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


def _command(root: Path, words: Sequence[str]) -> list[str]:
    quiet = ["-c", "core.fsmonitor=false", "-c", "core.quotePath=false", "-c", "log.showSignature=false"]
    return ["git", "-C", str(root), *quiet, "-c", "protocol.allow=never", *words]


def _pieces(stream: IO[bytes]) -> Iterator[str]:
    """Yield what stands between NUL characters."""
    rest = b""
    while block := stream.read(BLOCK):
        *whole, rest = (rest + block).split(b"\0")
        for piece in whole:
            yield piece.decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")


def _parsed(pieces: Iterator[str]) -> Iterator[Commit]:
    head: list[str] = []
    files: list[Touched] = []
    for piece in pieces:
        text = piece.lstrip("\n")
        if text.startswith("\x01"):
            if head:
                yield _commit(head, files)
            head, files = text[1:].split("\x02", 3), []
        elif text and len(files) < MAX_FILES:
            if text[0] in "RC" and text[1:].isdigit():
                before = next(pieces, "")
                files.append(Touched(text[0], next(pieces, ""), before if text[0] == "R" else ""))
            elif len(text) == 1:
                files.append(Touched(text, next(pieces, "")))
    if head:
        yield _commit(head, files)


def _commit(head: Sequence[str], files: Sequence[Touched]) -> Commit:
    sha, at, author, message = (*head, "", "", "")[:4]
    return Commit(sha, int(at) if at.isdigit() else 0, author, message[:MAX_MESSAGE].strip(), tuple(files))
