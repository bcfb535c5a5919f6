"""Trusted repositories: the list of repositories whose shared memories the user has agreed to read.

The list is a file in the home folder, not a table: the trust of another user of a shared database must not count. A
repository is identified by its folder, its first commit and its origin. If one of them changes, the repository is not
trusted until the user trusts it again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import msgspec

from recollect import clock, git
from recollect.errors import InvalidInput
from recollect.files import PRIVATE_FILE, private_folder, read_file, replace_file

FILE = "trusted.json"
MAX_FILE_BYTES = 4 * 1024 * 1024
# The first commit of a long history takes git a second or two.
ROOT_S = 30.0


class Trust(NamedTuple):
    """A trusted repository: its first commit, its origin ("" if it has none), and since when."""

    commit: str
    origin: str
    at: int


def trusted(home: Path) -> Mapping[str, Trust]:
    """Return the trusted repositories by folder; none if the file cannot be read."""
    try:
        return msgspec.json.decode(read_file(home / FILE, most=MAX_FILE_BYTES), type=dict[str, Trust])
    except (OSError, msgspec.MsgspecError):
        return {}


def is_trusted(home: Path, root: str) -> bool:
    """Tell whether a repository is the one that was trusted. Git is asked for one object."""
    known = trusted(home).get(root)
    if known is None or known.origin != origin(root):
        return False
    # Every clone and branch of the repository has its first commit; another repository cannot have it by accident.
    return not git.run(root, "cat-file", "-e", f"{known.commit}^{{commit}}").problem


def add(home: Path, root: str) -> Trust:
    """Trust a repository. Raises InvalidInput if it has no commit."""
    found = git.run(root, "rev-list", "--max-parents=0", "HEAD", timeout_s=ROOT_S)
    commits = found.text.split()
    if found.problem or not commits:
        hint = "Commit something first." if git.folders(root) else "Give the folder of a git repository."
        raise InvalidInput(f"{root} has no commit to know it by", hint=hint, path=root)
    known = trusted(home)
    trust = Trust(commits[-1], origin(root), clock.now())
    if root in known and known[root][:2] == trust[:2]:
        return known[root]
    _write(home, {**known, root: trust})
    return trust


def remove(home: Path, root: str) -> bool:
    """Stop trusting a repository; returns whether it was trusted."""
    known = dict(trusted(home))
    was = known.pop(root, None) is not None
    if was:
        _write(home, known)
    return was


def origin(root: str) -> str:
    """Return the address of the remote named origin, without a user name or password; "" if there is none."""
    where = git.folders(root)
    content = git.read(where.common / "config", git.MAX_CONFIG_BYTES) if where is not None else None
    section = ""
    for line in (content or b"").decode("utf-8", "replace").splitlines():
        name, _, value = (part.strip() for part in line.partition("="))
        if name.startswith("["):
            section = name
        elif section == '[remote "origin"]' and name.lower() == "url":
            scheme, mark, rest = value.partition("://")
            return f"{scheme}://{rest.rpartition('@')[2]}" if mark else value
    return ""


def _write(home: Path, rows: Mapping[str, Trust]) -> None:
    content = msgspec.json.format(msgspec.json.encode(rows), indent=1) + b"\n"
    try:
        private_folder(home)
        replace_file(home / FILE, content, mode=PRIVATE_FILE)
    except OSError as problem:
        raise InvalidInput(f"{home / FILE} cannot be written: {problem.strerror}", path=str(home / FILE)) from None
