"""Gemfile and *.gemspec: Ruby code that is read, not run. Only literal names and versions are found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.code.manifests.manifest import Dependency, Manifest, Scope

DEVELOPMENT = frozenset({"development", "test", "ci", "lint", "docs", "doc"})

# Strings are kept and comments removed: a `#` in a string begins no comment.
_PIECE = re.compile(r"""(?<!\\)("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|#[^\n]*""")
_GEM = re.compile(r"""^[^\S\n]*+gem[\s(]++["']([^"'\n]+)["']([^\n]*(?:,\s*\n[^\n]*)*)""", re.MULTILINE)
_STRING = re.compile(r"""["']([^"'\n]+)["']""")
_LINE = re.compile(
    r"^[^\S\n]*+(group|path|end|if|unless|case|source|platforms?|git|github|install_if)\b([^\n]*)$", re.MULTILINE
)
_PATH = re.compile(r"""(?::path\s*=>|\bpath:)\s*["']([^"'\n]+)["']""")
_GROUPS = re.compile(r"""(?::groups?\s*=>|\bgroups?:)\s*(?:%\w)?(\[[^\[\]\n]*+\]|[:"'\w]+)""")
_OPTION = re.compile(r"""[:"']?(?<!\w)\w++["']?+\s*+(?:=>|:(?!:))""")

_FIELD = re.compile(r"""^[^\S\n]*+\w++\.(name|version)\s*+=\s*+["']([^"'\n]+)["']""", re.MULTILINE)
_NEEDS = re.compile(
    r"""\.add_(?:(runtime|development)_)?dependency[\s(]+["']([^"'\n]+)["']((?:\s*,\s*["'][^"'\n]+["'])*)"""
)


def gemfile(_path: str, source: str) -> Manifest:
    """Return the manifest of a Gemfile."""
    code = _without_comments(source)
    return Manifest("gem", dependencies=tuple(_gems(code)))


def gemspec(path: str, source: str) -> Manifest:
    """Return the manifest of a gemspec; a computed name is replaced by that of the file."""
    code = _without_comments(source)
    fields = {key: value for key, value in reversed(_FIELD.findall(code)) if "#{" not in value}
    name = fields.get("name") or path.rpartition("/")[2].removesuffix(".gemspec")
    needs = []
    for kind, needed, ranges in _NEEDS.findall(code):
        scope: Scope = "dev" if kind == "development" else "runtime"
        needs.append(Dependency(needed, ", ".join(_STRING.findall(ranges)), scope))
    return Manifest("gem", name, fields.get("version", ""), tuple(needs), provides=((name, "lib"),))


def _without_comments(source: str) -> str:
    return _PIECE.sub(lambda found: found[1] or "", source)


def _gems(code: str) -> Iterator[Dependency]:
    """Yield the gems of a Gemfile, each with the groups and the path of the blocks around it."""
    blocks: list[tuple[bool, str]] = []  # for development, path
    marks = [(found.start(), found) for pattern in (_GEM, _LINE) for found in pattern.finditer(code)]
    for _, found in sorted(marks, key=lambda mark: mark[0]):
        if found.re is _GEM:
            yield _gem(found[1], found[2], blocks)
        elif found[1] == "end":
            blocks[-1:] = []
        elif found[1] in ("if", "unless", "case") or re.search(r"\bdo\b", found[2]):
            names = set(re.findall(r"\w+", found[2])) - {"do", "optional", "true"} if found[1] == "group" else set()
            path = next(iter(_STRING.findall(found[2])), "") if found[1] == "path" else ""
            blocks.append((bool(names) and names <= DEVELOPMENT, path))


def _gem(name: str, rest: str, blocks: list[tuple[bool, str]]) -> Dependency:
    group, path = _GROUPS.search(rest), _PATH.search(rest)
    groups = set(re.findall(r"\w+", group[1])) if group else set()
    is_for_development = any(block[0] for block in blocks) or (bool(groups) and groups <= DEVELOPMENT)
    folder = path[1] if path else next((f"{block[1]}/{name}" for block in reversed(blocks) if block[1]), "")
    option = _OPTION.search(rest)
    ranges = _STRING.findall(rest[: option.start()] if option else rest)
    return Dependency(name, ", ".join(ranges), "dev" if is_for_development else "runtime", folder)
