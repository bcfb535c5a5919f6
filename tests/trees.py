"""Trees of source files for tests, with and without git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path


def write(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Write files by their path from the root; folders are made."""
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def put(root: Path, path: str, content: str) -> None:
    """Write one file at once, as editors do: a watcher of the root never sees a part of it."""
    whole = root.with_name(f"{root.name}.new")
    whole.write_text(content, encoding="utf-8")
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    whole.replace(root / path)


def git(root: Path, *words: str) -> None:
    """Run git in a folder, as somebody with a name and without settings of their own."""
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {**os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *words], cwd=root, env=environment, check=True, capture_output=True
    )
