"""Path aliases of TypeScript: what `paths` and `baseUrl` of its configurations say about imported modules."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect.code.index.file_walk import real
from recollect.errors import InvalidInput
from recollect.files import read_file
from recollect.parsing import parse_json

# Files that configure where TypeScript looks for modules.
CONFIGS = re.compile(r"(?:^|/)(?:tsconfig(?:\.[\w.]+)?|jsconfig)\.json$")
MOST_CONFIGS = 500
MAX_CONFIG_BYTES = 200_000
# Comments and commas at the end, which these files have and JSON has not; strings are left as they are.
_COMMENTS = re.compile(r'(?<!\\)("(?:\\.|[^"\\])*+")|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMAS = re.compile(r'(?<!\\)("(?:\\.|[^"\\])*+")|,(?=\s*+[}\]])')
# How far one configuration may extend another.
MOST_EXTENDED = 5


class Alias(NamedTuple):
    """An entry of `paths` of a tsconfig.json: folder, pattern with a star, target."""

    folder: str
    pattern: str
    target: str


def aliases(root: str, paths: Iterable[str]) -> tuple[Alias, ...]:
    """Return the path aliases of TypeScript configurations, deepest first."""
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
    """Return a path relative to a folder; absolute paths stay."""
    return path if posixpath.isabs(path) else posixpath.relpath(path, folder or ".")


def _read(root: str, path: str) -> dict[str, Any]:
    """Return a configuration; empty if it cannot be read."""
    try:
        file = Path(root) / real(path)
        if file.is_symlink():
            return {}
        text = read_file(file, most=MAX_CONFIG_BYTES, within=root).decode("utf-8-sig", "replace")
        plain = _COMMAS.sub(lambda match: match[1] or "", _COMMENTS.sub(lambda match: match[1] or "", text))
        content = parse_json(plain)
    except (OSError, InvalidInput):
        return {}
    return content if isinstance(content, dict) else {}
