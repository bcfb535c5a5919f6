"""Which files a tree asks us to leave alone, by the rules of .gitignore.

Inside a git work tree git itself answers that, faster and with all its exceptions; this is for folders without git, and
for `.recollectignore`, which git does not know. Rules of a deeper folder win over those above, and within one file the
last that matches wins. What lies in an ignored folder is ignored, whatever is said of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

OURS = ".recollectignore"
GITS = ".gitignore"

# A file of rules beyond this is none: 100 kB are some thousand rules.
MAX_RULES_BYTES = 1_000_000


class Rules:
    """The rules of a folder's files, on top of those of the folders above."""

    __slots__ = ("_above", "_prefix", "_spec")

    def __init__(self, spec: GitIgnoreSpec, prefix: str, above: Rules | None) -> None:
        self._spec = spec
        self._prefix = prefix
        self._above = above

    def decide(self, path: str) -> bool | None:
        """Tell whether a path from the root is ignored; None where no rule speaks of it. A folder ends with a slash."""
        verdict = self._spec.check_file(path[len(self._prefix) :]).include
        if verdict is None and self._above is not None:
            return self._above.decide(path)
        return verdict


def rules(texts: Iterable[bytes], prefix: str, above: Rules | None) -> Rules | None:
    """Return the rules in force in the folder `prefix` (from the root, with a final slash), given its rule files."""
    lines = [line for text in texts for line in text[:MAX_RULES_BYTES].decode("utf-8", "replace").splitlines()]
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return above
    from pathspec import GitIgnoreSpec

    try:
        return Rules(GitIgnoreSpec.from_lines(lines), prefix, above)
    except ValueError:
        # git ignores a line that it cannot read; the library refuses the whole file for it.
        return Rules(GitIgnoreSpec.from_lines([line for line in lines if _is_readable(line)]), prefix, above)


def _is_readable(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def is_ignored(path: str, decide: Rules | None) -> bool:
    """Tell whether a file is ignored itself or lies in an ignored folder."""
    if decide is None:
        return False
    end = path.find("/")
    while end >= 0:
        if decide.decide(path[: end + 1]):
            return True
        end = path.find("/", end + 1)
    return bool(decide.decide(path))
