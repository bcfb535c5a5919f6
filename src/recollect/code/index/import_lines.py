"""Find which files of a tree a file imports, from its lines alone.

Linking is exact but takes long (14 CPU seconds for 1,600 files, 50 for django). This takes a fraction of a second and
finds nearly the same dependencies between files.

    line ─► words of the module ─► the file or folder of the tree whose path ends so
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

# Import lines of all languages but Go: a line of one is hardly ever an import of another. A line feed instead of `^`
# takes a sixth of the time.
_LINE = re.compile(
    rb"""\n[ \t]*(?=[fpu\#iecvl}rsoa])(?:
        from[ \t]+(?P<python>[.\w]+)[ \t]+import[ \t]+(?P<names>[^\n#]*)
      | (?:pub(?:\([^)]*\))?[ \t]+)?use[ \t]+(?P<use>[\w:\\]+)
      | \#[ \t]*include[ \t]*["<](?P<include>[^">]+)
      | (?:(?:import|export|const|let|var|local)\b|\})[^\n'"]*?\b(?:from|require|import)
        [ \t]*\(?[ \t]*['"](?P<quoted>[^'"\n]+)
      | (?:import|require|require_relative|load|source)[ \t(]+['"](?P<plain>[^'"\n]+)
      | (?:import|using|open|alias)[ \t]+(?:static[ \t]+|qualified[ \t]+|func[ \t]+)?(?P<dotted>[\w.]+)
    )""",
    re.VERBOSE,
)
# A line of Go may be only a path in quotes, which is no import elsewhere.
_GO_LINE = re.compile(rb'\n[ \t]*(?:import[ \t]+)?(?:[\w.]+[ \t]+)?"(?P<go>[\w.-]+(?:/[\w.-]+)+)"[ \t]*$', re.MULTILINE)
_NAME = re.compile(r"\w+")
# Languages whose files import each other.
FAMILIES = {"typescript": "javascript", "tsx": "javascript", "cpp": "c", "kotlin": "java", "scala": "java"}
# Files that represent their folder.
_FOLDERS = frozenset({"__init__", "index", "mod", "lib", "init", "package"})
# Folders of sources that no import names.
_SOURCES = frozenset({"src", "lib", "main", "source", "include"})
# The version in a Go path.
_VERSION = re.compile(r"v\d+")
# Words for the root of a crate or the file itself.
_HERE = frozenset({"crate", "self", "super"})
# A path suffix that more files share is ambiguous.
MOST_ALIKE = 3
# A single word means a file no deeper than this: `json` is hardly ever `tests/data/of/json.py`.
DEEPEST = 2


class Imported(NamedTuple):
    """An imported file, and the imported names if the line has them."""

    path: str
    names: tuple[str, ...] = ()


class Paths:
    """The files of a tree by the suffixes of their paths."""

    def __init__(self, name: str, paths: Iterable[str]) -> None:
        """Take the files of a tree that can be imported; name: of its folder, which imports may begin with."""
        self._files: dict[tuple[str, ...], list[str]] = {}
        self._folders: dict[tuple[str, ...], list[str]] = {}
        self._every = frozenset(paths)
        for path in sorted(self._every):
            for words in dict.fromkeys(_variants(name, path)):
                for start in range(len(words)):
                    _add(self._files, words[start:], path)
                for start in range(len(words) - 1):
                    _add(self._folders, words[start:-1], path, of_folder=True)

    def beside(self, path: str, module: str) -> str | None:
        """Return the file that a relative module means, seen from a file."""
        folder = PurePosixPath(path).parent
        words = [word for word in folder.joinpath(module).parts if word != "."]
        while ".." in words:
            at = words.index("..")
            if at == 0:
                return None
            del words[at - 1 : at + 1]
        exact = "/".join(words)
        if exact in self._every:
            return exact
        bare = "/".join(_bare(words))
        return _least_deep([other for other in self._at(_plain(_bare(words))) if other.startswith(bare)])

    def named(self, words: Sequence[str]) -> str | None:
        """Return the file whose path ends like a module; imported names may follow the module."""
        whole = _plain(words)
        for end in range(len(whole), 0, -1):
            for start in range(end):
                part = whole[start:end]
                if len(part) == 1 and len(whole) > 1 and start:
                    continue  # one word in the middle is ambiguous
                found = _least_deep(self._at(part))
                if found and (len(part) > 1 or found.count("/") <= DEEPEST):
                    return found
        return None

    def _at(self, words: tuple[str, ...]) -> list[str]:
        return self._files.get(words) or self._folders.get(words) or []


def _least_deep(found: list[str]) -> str | None:
    """Return the path that is least deep; None for too many."""
    if not found or len(found) > MOST_ALIKE:
        return None
    return min(found, key=lambda path: (path.count("/"), path))


def imported(path: str, source: bytes, paths: Paths) -> Iterator[Imported]:
    """Yield the files of a tree that a file imports, in the order of its lines."""
    lines = _GO_LINE if path.endswith(".go") else _LINE
    for match in lines.finditer(b"\n" + source):
        said = {key: value.decode("utf-8", "replace") for key, value in match.groupdict().items() if value}
        found = _meant(path, said, paths)
        if found is not None and found != path:
            yield Imported(found, tuple(_NAME.findall(said.get("names", ""))))


def _meant(path: str, said: Mapping[str, str], paths: Paths) -> str | None:
    """Return the file that an import line means; None for one outside of the tree."""
    if module := said.get("python"):
        bare = module.lstrip(".")
        if module != bare:
            up = "../" * (len(module) - len(bare) - 1)
            return paths.beside(path, up + bare.replace(".", "/")) or paths.beside(path, up or ".")
        return paths.named(bare.split("."))
    if module := said.get("quoted") or said.get("plain") or said.get("include"):
        near = paths.beside(path, module) if module.startswith(".") or "/" not in module else None
        return near or (None if module.startswith(".") else paths.named(_bare(module.split("/"))))
    if module := said.get("go"):
        words = [word for word in module.split("/") if not _VERSION.fullmatch(word)]
        return paths.named(words) or paths.named(words[-1:])
    words = re.split(r"::|\\|\.", said.get("use") or said.get("dotted") or "")
    return paths.named([word for word in words if word and word not in _HERE])


def _variants(name: str, path: str) -> Iterator[tuple[str, ...]]:
    """Yield the words that import a file: its path, and the project with its path without source folders.

    A file that represents its folder has the name of the folder.
    """
    words = list(_plain(_bare(PurePosixPath(path).parts)))
    if len(words) > 1 and words[-1] in _FOLDERS:
        words.pop()
    yield tuple(words)
    rest = [word for word in words if word not in _SOURCES]
    yield (*_plain([name]), *(rest[:-1] if len(rest) == 1 and rest[-1] in _FOLDERS else rest))


def _add(
    found: dict[tuple[str, ...], list[str]], words: tuple[str, ...], path: str, *, of_folder: bool = False
) -> None:
    """Add a path under some words; of_folder: only the first file of a folder."""
    known = found.setdefault(words, [])
    if path not in known[-1:] and not (of_folder and known and _folder(known[-1]) == _folder(path)):
        known.append(path)


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _plain(words: Iterable[str]) -> tuple[str, ...]:
    """Return words as they are compared: a package `a-b` is imported as `a_b`."""
    return tuple(word.replace("-", "_") for word in words)


def _bare(words: Sequence[str]) -> list[str]:
    """Return the words without the ending of the last one."""
    return [*words[:-1], words[-1].partition(".")[0] or words[-1]] if words else []
