"""Identity: the project that a path belongs to, which is the namespace of its memories.

A path inside a git work tree belongs to the repository, and all work trees of a repository share its memories. Git is
not run; its files are read. A work tree shares memories only if the repository names it, too: otherwise any folder with
a `.git` file could claim the memories of another project.

    /home/me/app/src           → /home/me/app            (has .git)
    /home/me/app-feature       → /home/me/app            (.git file ↔ …/app/.git/worktrees/x → commondir)
    /home/me/app/vendored      → /home/me/app/vendored   (submodule: a repository of its own)
    algorithms-practice        → algorithms-practice     (a name, not a path)
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from recollect import git
from recollect.errors import InvalidWorkspace
from recollect.text.digest import digest
from recollect.text.redaction.name_redaction import holds_secret

_NAME = re.compile(r"\w[\w .:/@+\-]{0,199}")
# What the name of a person's own namespace begins with: only their tokens have it.
PRIVATE = "private:"
_PATH_STARTS = ("/", "~", "./", "../", ".\\", "..\\")


def namespace_of(identifier: str | None, *, directory: Path | None = None) -> str | None:
    """Return the namespace an identifier stands for; None and blank text stand for none.

    identifier: a path (absolute, or beginning with '.', '..' or '~') or a name.
    Raises InvalidWorkspace for anything else.
    """
    if identifier is None:
        return None
    if not isinstance(identifier, str):
        raise InvalidWorkspace("the workspace identifier must be text")
    if not identifier.strip():
        return None
    text = identifier.strip()
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InvalidWorkspace("the workspace identifier is not valid Unicode") from None
    if "\0" in text or len(text) > 4096:
        raise InvalidWorkspace("the workspace identifier contains a NUL character or is too long")
    found = project_root(_path(text, directory)) if is_path(text) else text
    if holds_secret(found):
        hint = "Give the project another name. Nothing was stored."
        raise InvalidWorkspace("the workspace identifier contains a secret", hint=hint)
    if found is text and not _NAME.fullmatch(text):
        raise InvalidWorkspace(f"{text!r} is neither a path nor a workspace name", identifier=text)
    return found


def private_namespace(person: str) -> str:
    """Return the namespace of one person; for a name that cannot be one, with a number made of it."""
    try:
        return namespace_of(f"{PRIVATE}{person}") or ""
    except InvalidWorkspace:
        return f"{PRIVATE}person-{int(digest(person, 16), 16) % 10**12}"


def is_path(identifier: str) -> bool:
    """Tell whether an identifier is a path, not a name."""
    text = identifier.strip()
    return text in (".", "..") or text.startswith(_PATH_STARTS)


def _path(text: str, directory: Path | None) -> Path:
    try:
        path = Path(text).expanduser()
        return path if path.is_absolute() else (directory or Path.cwd()) / path
    except (OSError, RuntimeError) as problem:  # the current folder is gone; there is no such user
        raise InvalidWorkspace(f"{text!r} is not a usable path: {problem}", identifier=text) from None


def project_root(path: Path) -> str:
    """Return the root of the project that `path` lies in, or the path itself outside of any."""
    return repository_root(path) or os.path.realpath(path)


def repository_root(path: Path) -> str | None:
    """Return the root of the repository whose work tree `path` lies in; None outside of any."""
    absolute = Path(os.path.realpath(path))
    for folder in (absolute, *absolute.parents):
        marker = folder / ".git"
        # Not Path.is_dir, which raises where we may not look or the name is too long.
        if os.path.isdir(marker):  # noqa: PTH112
            return str(folder)
        if os.path.isfile(marker):  # noqa: PTH113
            return str(_work_tree_root(folder))
    return None


def _work_tree_root(folder: Path) -> Path:
    """Return the repository that a work tree with a .git file belongs to; a submodule is its own.

    A stranger's folder may name any repository. It counts if that repository has made the work tree and names it back.
    """
    found = git.folders(folder)
    if found is None:
        return folder
    own, shared = Path(os.path.realpath(found.own)), Path(os.path.realpath(found.common))
    named = os.path.realpath(own / git.line(own / "gitdir"))
    if own.parent != shared / "worktrees" or named != str(folder / ".git"):
        return folder
    return shared.parent if shared.name == ".git" else shared
