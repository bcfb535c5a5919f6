"""Checkout: branch and commit of a work tree, read from git's own files; no program is run.

    .git ─► folder of this work tree ─► HEAD ─► branch
                       ├─ logs/HEAD ─► branch and commit of an earlier time
                       └─ commondir ─► refs, packed-refs ─► the branch's commit, the default branch

The default branch is the one the remote calls so, else the first of the usual names that exists, else the only one
there is. During a rebase HEAD is detached; git keeps the name of the branch in another file.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from recollect.files import open_file
from recollect.git import folders, line, read
from recollect.text.redaction.name_redaction import holds_secret

# Names of default branches, in the order of how many repositories have them.
USUAL = ("main", "master", "trunk", "default", "develop")
# A name that is longer than this is none that git could keep as a file.
MAX_NAME = 200
# The names of all refs of the largest repositories take some 10 MB.
MAX_PACKED_BYTES = 32 * 1024 * 1024
# The end of the reflog of HEAD that is read: some 400 checkouts and commits.
MAX_LOG_BYTES = 64 * 1024

_COMMIT = re.compile("[0-9a-f]{40}|[0-9a-f]{64}")
_BRANCH = "refs/heads/"
# Where a rebase keeps the name of the branch that it works on.
_REBASING = ("rebase-merge/head-name", "rebase-apply/head-name")
# A line of a reflog: the commit before it, its time, and the branch that a checkout left.
_LOGGED = re.compile(r"([0-9a-f]{40,64}) .*> ([0-9]{1,11}) [+-][0-9]{4}\t(?:checkout: moving from (\S+) to )?")


class Checkout(NamedTuple):
    """Branch and commit of a work tree. branch: "" where HEAD is detached; head: "" before the first commit.

    common: the folder that all work trees of the repository share. default: "" where it is unknown
    """

    root: str
    common: Path
    branch: str
    head: str
    default: str

    @property
    def is_default(self) -> bool:
        return self.branch == self.default


def work_tree(path: str) -> str:
    """Return the root of the work tree around a folder; the folder itself outside of any."""
    absolute = Path(os.path.realpath(Path(path).expanduser()))
    for folder in (absolute, *absolute.parents):
        if os.path.lexists(folder / ".git"):
            return str(folder)
    return str(absolute)


def checkout(root: str, at_ns: int | None = None) -> Checkout | None:
    """Return branch and commit of the work tree at `root`, now or at a time; None without a readable repository."""
    found = folders(root)
    head = line(found.own / "HEAD") if found is not None else ""
    if found is None or not head:
        return None
    folder, common = found.own, found.common
    branch = _named(head) or next((name for place in _REBASING if (name := _named(f"ref: {line(folder / place)}"))), "")
    if head == "ref: refs/heads/.invalid":  # the refs are kept in tables, which only git reads
        return None
    commit = head if _COMMIT.fullmatch(head) else tip(common, branch)
    default = _default(common, branch)
    if at_ns is not None:
        branch, commit = _earlier(folder / "logs/HEAD", at_ns, branch, commit)
    return Checkout(root, common, branch, commit, default)


def tip(common: Path, branch: str) -> str:
    """Return the commit that a branch is at; "" where there is no such branch."""
    return _ref(common, _BRANCH + branch) if branch else ""


def _named(head: str) -> str:
    """Return the branch that HEAD names; "" for none, or an invalid one."""
    name = head.removeprefix(f"ref: {_BRANCH}") if head.startswith(f"ref: {_BRANCH}") else ""
    is_odd = len(name) > MAX_NAME or ".." in name or name.startswith(("/", ".")) or "\0" in name
    return "" if is_odd or holds_secret(name) else name


def _earlier(log: Path, at_ns: int, branch: str, commit: str) -> tuple[str, str]:
    """Return branch and commit of a time by the reflog of HEAD, beginning with those of now."""
    logged, written_ns = b"", 0
    with suppress(OSError), open_file(log) as file:
        status = os.fstat(file.fileno())
        file.seek(max(0, status.st_size - MAX_LOG_BYTES))
        logged, written_ns = file.read(MAX_LOG_BYTES), status.st_mtime_ns
    for entry in reversed(logged.decode("utf-8", "replace").split("\n")):
        if (found := _LOGGED.match(entry)) is None:
            continue
        # A reflog has seconds only; the time of its file says when the last line was written.
        logged_ns = int(found[2]) * 10**9
        if (written_ns if 0 <= written_ns - logged_ns < 2 * 10**9 else logged_ns) <= at_ns:
            break
        written_ns = 0
        commit = found[1] if found[1].strip("0") else ""
        if found[3] is not None:
            branch = "" if _COMMIT.fullmatch(found[3]) else _named(f"ref: {_BRANCH}{found[3]}")
    return branch, commit


def _default(common: Path, current: str) -> str:
    remote = line(common / "refs/remotes/origin/HEAD")
    if remote.startswith("ref: refs/remotes/origin/"):
        return remote.removeprefix("ref: refs/remotes/origin/")
    for name in USUAL:
        if tip(common, name):
            return name
    known = _branches(common)
    return current if not known or known == {current} else ""


def _branches(common: Path) -> set[str]:
    """Return the names of some branches: enough to tell whether there is more than one."""
    names = {line[41:].removeprefix(_BRANCH) for line in _packed(common).splitlines() if f" {_BRANCH}" in line}
    folder = common / _BRANCH
    for place, _, files in os.walk(folder):
        names |= {os.path.relpath(Path(place) / name, folder) for name in files}
        if len(names) > 1:
            break
    return names


def _ref(common: Path, name: str) -> str:
    loose = line(common / name)
    if _COMMIT.fullmatch(loose):
        return loose
    found = re.search(rf"^([0-9a-f]+) {re.escape(name)}$", _packed(common), re.MULTILINE)
    return found[1] if found and _COMMIT.fullmatch(found[1]) else ""


def _packed(common: Path) -> str:
    """Return the refs that git has packed into one file."""
    content = read(common / "packed-refs", MAX_PACKED_BYTES)
    return content.decode("utf-8", "replace") if content and len(content) <= MAX_PACKED_BYTES else ""
