"""Facts: what manifests say that paths do not, in the words of `modules`."""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.code.manifests.provided import Names
from recollect.code.resolve.modules import Alias, Facts, Provided
from recollect.code.walk import real

# Files that say where modules of TypeScript are looked for; those that only narrow what is checked say nothing new.
CONFIGS = re.compile(r"(?:^|/)(?:tsconfig(?:\.[\w.]+)?|jsconfig)\.json$")
MOST_CONFIGS = 500
MAX_CONFIG_BYTES = 200_000
# Comments and commas at the end, which these files have and JSON has not; strings are left as they are.
_COMMENTS = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')
# How far one configuration may extend another.
MOST_EXTENDED = 5


def facts(names: Names, tree: int, configs: Iterable[Alias] = ()) -> Facts:
    """Return the facts of a tree, from what its packages provide and from its configurations."""
    provided = [
        Provided(ecosystem, name, *_placed(ecosystem, place.folder, place.at))
        for (ecosystem, name), places in names.items()
        for place in places
        if place.tree == tree
    ]
    return Facts(tuple(sorted(dict.fromkeys(provided))), tuple(configs))


def _placed(ecosystem: str, folder: str, at: str) -> tuple[str, str]:
    """Return the folder that a package begins in and its entry from there, as the finders want them."""
    at = "" if at == "." else at
    if ecosystem in ("npm", "cargo"):
        folder = "" if folder == "." else folder
        return folder, at[len(folder) :].lstrip("/") if at.startswith(folder) else at
    if ecosystem == "pypi":
        return posixpath.dirname(at), ""
    return at, ""


def aliases(root: str, paths: Iterable[str]) -> tuple[Alias, ...]:
    """Return what the configurations of TypeScript in a tree say about paths; read from disk, the deepest first."""
    found: list[Alias] = []
    for path in sorted(filter(CONFIGS.search, paths), key=lambda path: (-path.count("/"), path))[:MOST_CONFIGS]:
        found += _aliases(root, path, posixpath.dirname(path), 0)
    return tuple(dict.fromkeys(found))


def _aliases(root: str, path: str, folder: str, depth: int) -> Iterator[Alias]:
    config = _read(root, path)
    options = config.get("compilerOptions")
    options = options if isinstance(options, dict) else {}
    base = options.get("baseUrl")
    at = posixpath.normpath(posixpath.join(posixpath.dirname(path), base if isinstance(base, str) else "."))
    patterns = options.get("paths")
    for pattern, targets in patterns.items() if isinstance(patterns, Mapping) else ():
        for target in targets if isinstance(targets, list) else ():
            if isinstance(target, str):
                yield Alias(folder, pattern, _from(folder, posixpath.join(at, target)))
    if isinstance(base, str):
        yield Alias(folder, "*", _from(folder, posixpath.join(at, "*")))
    extended = config.get("extends")
    if isinstance(extended, str) and extended.startswith(".") and depth < MOST_EXTENDED:
        other = posixpath.normpath(posixpath.join(posixpath.dirname(path), extended))
        if not other.startswith(".."):
            yield from _aliases(root, other if other.endswith(".json") else other + ".json", folder, depth + 1)


def _from(folder: str, path: str) -> str:
    """Return a path from the root as one from a folder."""
    return posixpath.relpath(path, folder or ".")


def _read(root: str, path: str) -> dict[str, Any]:
    """Return a configuration; whatever cannot be read says nothing."""
    try:
        file = Path(root) / real(path)
        if file.is_symlink() or file.stat().st_size > MAX_CONFIG_BYTES:
            return {}
        text = file.read_text(encoding="utf-8-sig", errors="replace")
        plain = _COMMAS.sub(lambda match: match[1] or "", _COMMENTS.sub(lambda match: match[1] or "", text))
        content = json.loads(plain)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}
