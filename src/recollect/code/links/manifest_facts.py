"""Facts for the module finder from package manifests and TypeScript configurations."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.code.index.file_walk import real
from recollect.code.links.link_groups import Elsewhere
from recollect.code.links.module_finder import Alias, Facts, Provided
from recollect.code.manifests.importable_names import Names
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


def facts(names: Names, tree: int, configs: Iterable[Alias] = ()) -> Facts:
    """Return the facts of a tree, from its packages and configurations."""
    provided = [
        Provided(ecosystem, name, *_placed(ecosystem, place.folder, place.at))
        for (ecosystem, name), places in names.items()
        for place in places
        if place.tree == tree
    ]
    return Facts(tuple(sorted(dict.fromkeys(provided))), tuple(configs))


def _placed(ecosystem: str, folder: str, at: str) -> tuple[str, str]:
    """Return the folder of a package and its entry in it."""
    at = "" if at == "." else at
    if ecosystem in ("npm", "cargo"):
        folder = "" if folder == "." else folder
        return folder, at[len(folder) :].lstrip("/") if at.startswith(folder) else at
    if ecosystem == "pypi":
        return posixpath.dirname(at), ""
    return at, ""


# In which registry a family of languages looks for what it imports, and what separates the parts of a module there.
ECOSYSTEMS: dict[str, tuple[str, str]] = {
    "python": ("pypi", "."),
    "javascript": ("npm", "/"),
    "go": ("go", "/"),
    "rust": ("cargo", "::"),
    "java": ("maven", "."),
    "php": ("composer", "\\"),
    "ruby": ("gem", "/"),
    "csharp": ("nuget", "."),
}


def elsewhere(names: Names, tree: int, roots: Mapping[int, str], paths: Mapping[int, Collection[str]]) -> Elsewhere:
    """Return a finder of modules in other trees.

    A module means the file that its package begins with, or the one below it that the rest of the name leads to.
    """

    def found(family: str, module: str) -> str:
        ecosystem, separator = ECOSYSTEMS.get(family, ("", ""))
        parts = module.split(separator) if ecosystem else []
        for cut in range(len(parts), 0, -1):
            for place in names.get((ecosystem, separator.join(parts[:cut])), ()):
                if place.tree == tree or place.tree not in roots:
                    continue
                file = _file(paths[place.tree], place.at, parts[cut:], family)
                if file:
                    return f"file:{roots[place.tree]}/{file}"
        return ""

    return found


# How files are called that stand for their folder.
_HEADS = {
    "python": ("__init__.py", "__init__.pyi"),
    "javascript": ("index.ts", "index.tsx", "index.js", "index.mjs", "src/index.ts", "src/index.js"),
    "rust": ("lib.rs", "mod.rs"),
}
_ENDINGS = {
    "python": (".py", ".pyi"),
    "javascript": (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"),
    "rust": (".rs",),
    "php": (".php",),
    "ruby": (".rb",),
    "java": (".java", ".kt", ".scala"),
}


def _file(paths: Collection[str], at: str, rest: Sequence[str], family: str) -> str:
    """Return the file of a name below a place: with an ending, or a package file."""
    start = posixpath.dirname(at) if rest and at in paths else "" if at == "." else at
    stem = posixpath.join(start, *rest) if rest else start
    tries = [stem, *(stem + ending for ending in _ENDINGS.get(family, ()))]
    tries += [posixpath.join(stem, head) for head in _HEADS.get(family, ())]
    return next((path for path in tries if path in paths), at if at in paths else "")


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
