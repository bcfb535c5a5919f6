"""Names that can be imported from the packages of indexed trees, and their places.

    (ecosystem, first name of an import)  →  the places it may mean, best first

    pypi      top module           src/app             npm      package             its entry file, or its folder
    go        path of the module   folder              cargo    crate               src/lib.rs
    maven     package of Java      folder of sources   composer namespace           folder
    gem       word of a require    lib/name.rb         nuget    root namespace      folder

A Go module, an npm package and a namespace are prefixes: a path below the place follows.
"""

from __future__ import annotations

import posixpath
import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.manifests.python_manifests import ANY
from recollect.model import File
from recollect.store.code_rows import PackageRow

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Top folders that hold no module of a distribution, as in setuptools.
NO_MODULES = frozenset(
    """tests test docs doc examples example bench benchmarks benchmark build dist scripts tools tasks env venv
    requirements notebooks ci exercise exercises htmlcov node_modules""".split()
)
NO_FILES = frozenset("setup conftest noxfile tasks fabfile toxfile manage dodo wscript".split())
# Folders of modules by default: the first that has any.
PYTHON_ROOTS = ("src", "python", "lib", "")
SCRIPTS = (".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs", ".vue", ".svelte")
# Folders that a build writes.
BUILT = re.compile(r"^(?:dist|build|lib|out|esm|cjs|es)/(?:(?:esm|cjs|es|src|types|mjs)/)?")
JVM_SOURCES = re.compile(r"^src/\w*[mM]ain/(?:java|kotlin|scala|groovy)/(.+)/[^/]+$")


class Provided(NamedTuple):
    """The place of an import: its tree, the folder of its package, and its file or folder from the root."""

    tree: int
    folder: str
    at: str


Names = Mapping[tuple[str, str], tuple[Provided, ...]]


def provided(store: Store, trees: Sequence[int] | None = None) -> Names:
    """Return what can be imported from the packages of these trees; default: all trees."""
    packages = store.packages(trees)
    paths: dict[int, list[str]] = defaultdict(list)
    wanted = tuple(dict.fromkeys(row.tree for row in packages))
    if wanted:
        for tree, path in store.columns(File, ("tree", "path"), {"tree": wanted, "skipped": ""}):
            paths[tree].append(path)
    return names(packages, paths)


def names(packages: Iterable[PackageRow], paths: Mapping[int, Sequence[str]]) -> Names:
    """Return what can be imported from packages, given the paths of the files of each tree.

    Of several places own code precedes copied code, and places near the root precede deep ones, such as samples.
    """
    ordered = {tree: sorted(listed) for tree, listed in paths.items()}
    found: dict[tuple[str, str], list[Provided]] = defaultdict(list)
    for row in sorted(packages, key=_standing):
        inside = _below(ordered.get(row.tree, []), row.folder)
        for name, at in dict.fromkeys(IMPORTABLE[row.ecosystem](row, inside)):
            found[row.ecosystem, name].append(
                Provided(row.tree, row.folder, posixpath.normpath(f"{row.folder}/{at}".lstrip("/")))
            )
    return {key: tuple(places) for key, places in found.items()}


def _standing(row: PackageRow) -> tuple[bool, int, int, str]:
    return bool(row.mark), row.folder.count("/") + bool(row.folder), row.tree, row.folder


def _below(ordered: Sequence[str], folder: str) -> Sequence[str]:
    """Return the paths below a folder, from there."""
    if not folder:
        return ordered
    # Paths that begin with "a/" sort between "a/" and "a0", since "0" follows "/".
    first, last = bisect_left(ordered, f"{folder}/"), bisect_left(ordered, f"{folder}0")
    return [path[len(folder) + 1 :] for path in ordered[first:last]]


# --- one rule per ecosystem ---


def _as_said(row: PackageRow, _inside: Sequence[str]) -> Iterator[tuple[str, str]]:
    for name, at in row.provides:
        yield name, at or "."


def _crate(row: PackageRow, inside: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A crate without a library can be run, not imported."""
    there = set(inside)
    for name, at in row.provides:
        if at in there:
            yield name, at


def _npm(row: PackageRow, inside: Sequence[str]) -> Iterator[tuple[str, str]]:
    there = set(inside)
    for name in dict.fromkeys(name for name, _ in row.provides):
        said = [posixpath.normpath(entry) for other, entry in row.provides if other == name and entry]
        found = next(
            (path for entry in [*said, "index", "src/index"] for path in _sources(entry) if path in there), "."
        )
        yield name, found


def _sources(entry: str) -> Iterator[str]:
    """Yield the files that an entry may have been built from, itself first."""
    yield entry
    stem = re.sub(r"(?:\.d)?\.\w+$", "", entry)
    for place in (stem, BUILT.sub("src/", stem), BUILT.sub("", stem)):
        yield from (place + ending for ending in SCRIPTS)
        yield from (f"{place}/index{ending}" for ending in SCRIPTS)


def _gem(row: PackageRow, inside: Sequence[str]) -> Iterator[tuple[str, str]]:
    for _, at in row.provides:
        for path in inside:
            if path.startswith(f"{at}/") and path.endswith(".rb") and path.count("/") == at.count("/") + 1:
                yield path[len(at) + 1 : -3], path


def _jvm(_row: PackageRow, inside: Sequence[str]) -> Iterator[tuple[str, str]]:
    for path in inside:
        found = JVM_SOURCES.match(path)
        if found:
            yield found[1].replace("/", "."), path.rpartition("/")[0]


def _python(row: PackageRow, inside: Sequence[str]) -> Iterator[tuple[str, str]]:
    """A package without a name is not installed, so nothing imports it: a folder with a list of requirements."""
    if not row.name:
        return
    tops = {root: _modules(inside, root) for root in {*PYTHON_ROOTS, *(at for name, at in row.provides if name == ANY)}}
    said = False
    for name, at in row.provides:
        if name == ANY:
            yield from tops[at].items()
            said = said or bool(tops[at])
        elif (
            found := _module(inside, at)
            if at
            else next((tops[root][name] for root in PYTHON_ROOTS if name in tops[root]), "")
        ):
            yield name, found
            said = True
    if not said:
        yield from next((tops[root] for root in PYTHON_ROOTS if tops[root]), {}).items()


def _module(inside: Sequence[str], at: str) -> str:
    """Return the folder or file of a module at a declared place; empty if there is none."""
    at = posixpath.normpath(at)
    if f"{at}.py" in inside:
        return f"{at}.py"
    return at if any(path.startswith(f"{at}/") for path in inside) else ""


def _modules(inside: Sequence[str], root: str) -> dict[str, str]:
    """Return the modules directly below a folder and their places.

    At the top of a project only a folder with an __init__.py is a package.
    """
    root = "" if root in ("", ".") else posixpath.normpath(root)
    found: dict[str, str] = {}
    for path in inside if not root else _below(inside, root):
        name, slash, rest = path.partition("/")
        place = f"{root}/{name}" if root else name
        if slash:
            is_package = rest in ("__init__.py", "__init__.pyi") or (root and rest.endswith(".py"))
            if is_package and name.isidentifier() and name not in NO_MODULES:
                found.setdefault(name, place)
        elif name.endswith(".py") and name[:-3].isidentifier() and name[:-3] not in NO_FILES:
            found.setdefault(name[:-3], place)
    return found


Rule = Callable[[PackageRow, Sequence[str]], Iterator[tuple[str, str]]]

IMPORTABLE: Mapping[str, Rule] = {
    "cargo": _crate,
    "composer": _as_said,
    "gem": _gem,
    "go": _as_said,
    "maven": _jvm,
    "npm": _npm,
    "nuget": _as_said,
    "pypi": _python,
}
