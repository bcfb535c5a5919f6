"""Module finder: which files an import means, by the rules of each language, from paths and declared packages.

    python       a.b → a/b.py, a/b/__init__.py below a source root; leading dots count folders
    javascript   ./a → a.ts, a/index.js …; tsconfig paths; packages of the same repository by their name
    java, …      a package is all files that declare it, a class the one that defines it
    go           module of go.mod + folder: all files of the folder
    rust         crate::a, super::a, self::a, mod a → a.rs, a/mod.rs; crates of the same repository
    c, c++       the included path beside the file, else the only file whose path ends so
    ruby, lua    by path; php by namespace or PSR-4; elixir, haskell by module name; bash by path

What no file of the tree answers is external. Some languages see names without importing them (a package, a namespace, a
program linked as a whole): `visible` says which files offer such a name.
"""

from __future__ import annotations

import posixpath
import sys
from collections.abc import Callable, Iterable, Mapping
from functools import cache, cached_property
from typing import NamedTuple, TypeVar

from recollect.code.manifests.typescript_paths import Alias

JS_EXTENSIONS = (".ts", ".tsx", ".d.ts", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".vue", ".svelte", ".json")
# What is built to here is written there: a package's entry seldom is in the repository itself.
BUILT = ("dist/", "build/", "lib/", "out/", "esm/", "cjs/")
# Files with one path ending; more (`util.h` hundreds of times) mean nothing.
MOST_BY_ENDING = 8

FAMILIES: dict[str, str] = {
    "typescript": "javascript", "tsx": "javascript", "html": "javascript",
    "kotlin": "java", "scala": "java",
    "cpp": "c",
}  # fmt: skip
# Between a module and a module in it, by language.
SEPARATORS = {"python": ".", "rust": "::"}


def family(language: str | None) -> str:
    """Return the family that a language belongs to: those that import each other."""
    return FAMILIES.get(language or "", language or "")


class Declared(NamedTuple):
    """A file as a module: language, package, names at its top level."""

    language: str
    package: str = ""
    names: tuple[str, ...] = ()


class Provided(NamedTuple):
    """A package of the repository: import name, folder, entry file ("" if unknown).

    family: npm, go, cargo, composer, pypi
    """

    family: str
    name: str
    folder: str
    entry: str = ""


class Facts(NamedTuple):
    """Packages and aliases from manifests."""

    provided: tuple[Provided, ...] = ()
    aliases: tuple[Alias, ...] = ()


K = TypeVar("K")

Finder = Callable[["Modules", str, str, int], tuple[str, ...]]


class Modules:
    """The files of a tree as modules."""

    def __init__(self, files: Mapping[str, Declared], facts: Facts = Facts()) -> None:  # noqa: B008 - a constant
        self.files = files
        self.facts = facts
        # Folders that Python packages begin in, by custom or manifest.
        self.python_folders = ("src", "lib", *sorted({row.folder for row in facts.provided if row.family == "pypi"}))
        self._found: dict[tuple[str, str, int], tuple[str, ...]] = {}
        self._python_roots: dict[str, str] = {}

    def find(self, importer: str, module: str, level: int = 0) -> tuple[str, ...]:
        """Return the files of a module; none if it is external."""
        asked = (importer, module, level)
        if asked not in self._found:
            finder = FINDERS.get(self.family(importer))
            self._found[asked] = finder(self, *asked) if finder else ()
        return self._found[asked]

    def inside(self, importer: str, module: str, name: str, level: int = 0) -> tuple[str, ...]:
        """Return the files of a module in a module, where an imported name may be one."""
        joint = SEPARATORS.get(self.family(importer))
        inner = f"{module}{joint}{name}" if module else name
        return self.find(importer, inner, level) if joint and inner else ()

    def visible(self, importer: str, name: str) -> tuple[str, ...]:
        """Return the other files whose name is visible here without an import."""
        family = self.family(importer)
        candidates, rule = self.offering.get((family, name), ()), VISIBLE.get(family)
        if rule is None and importer not in candidates:
            return candidates
        return tuple(path for path in candidates if path != importer and (rule is None or rule(self, importer, path)))

    def family(self, path: str) -> str:
        """Return the language family of a file."""
        declared = self.files.get(path)
        return family(declared.language) if declared else ""

    # --- indexes, each made when it is first needed ---

    @cached_property
    def offering(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The files that define a name at their top, by family and name, where others may see it without an import."""
        offering: dict[tuple[str, str], list[str]] = {}
        for path in sorted(self.files):
            family = self.family(path)
            if family in VISIBLE:
                for name in dict.fromkeys(self.files[path].names):
                    offering.setdefault((family, name), []).append(path)
        return {key: tuple(paths) for key, paths in offering.items()}

    @cached_property
    def folders(self) -> dict[str, list[str]]:
        """The files of every folder."""
        return _grouped((posixpath.dirname(path), path) for path in self.files)

    @cached_property
    def packages(self) -> dict[tuple[str, str], list[str]]:
        """The files that declare a package, by family and package."""
        return _grouped(((self.family(path), row.package), path) for path, row in self.files.items() if row.package)

    @cached_property
    def endings(self) -> dict[str, list[str]]:
        """The files by the last part of their path."""
        return _grouped((posixpath.basename(path), path) for path in self.files)

    @cached_property
    def stems(self) -> frozenset[str]:
        """The names of files without their endings, and of folders: no other name may be a module."""
        parts = {part for path in self.files for part in path.split("/")}
        return frozenset(part.partition(".")[0] for part in parts)

    @cached_property
    def dotted(self) -> dict[str, list[str]]:
        """Python files by dotted name from the folder of their outermost package."""
        found: list[tuple[str, str]] = []
        for path, row in self.files.items():
            if row.language == "python":
                stem = path[len(self.python_root(posixpath.dirname(path))) : path.rfind(".")].lstrip("/")
                found.append((stem.removesuffix("/__init__").replace("/", "."), path))
        return _grouped(found)

    def python_root(self, folder: str) -> str:
        """Return the nearest folder around that is no package."""
        known = self._python_roots
        if folder not in known:
            is_package = bool(folder) and (
                f"{folder}/__init__.py" in self.files or f"{folder}/__init__.pyi" in self.files
            )
            known[folder] = self.python_root(posixpath.dirname(folder)) if is_package else folder
        return known[folder]

    def ending(self, path: str, family: str) -> tuple[str, ...]:
        """Return the only file of a family with a path ending."""
        tail = "/" + path
        found = [
            each
            for each in self.endings.get(posixpath.basename(path), ())[:MOST_BY_ENDING]
            if (each == path or each.endswith(tail)) and self.family(each) == family
        ]
        return (found[0],) if len(found) == 1 else ()

    def provided(self, family: str, name: str, separator: str = "/") -> tuple[Provided, str] | None:
        """Return the package with the longest matching name, and the rest."""
        best: tuple[Provided, str] | None = None
        for row in self.facts.provided:
            is_it = row.family == family and (name == row.name or name.startswith(row.name + separator))
            if is_it and (best is None or len(row.name) > len(best[0].name)):
                best = (row, name[len(row.name) + len(separator) :])
        return best


def _grouped(pairs: Iterable[tuple[K, str]]) -> dict[K, list[str]]:
    found: dict[K, list[str]] = {}
    for key, path in pairs:
        found.setdefault(key, []).append(path)
    for paths in found.values():
        paths.sort()
    return found


def _first(modules: Modules, candidates: Iterable[str]) -> tuple[str, ...]:
    """Return the first of some paths that is a file of the tree."""
    for path in candidates:
        if path in modules.files:
            return (path,)
    return ()


@cache
def _up(path: str) -> tuple[str, ...]:
    """Return the folders around a path, innermost first, the root as ''."""
    folder = posixpath.dirname(path)
    return (folder, *_up(folder)) if folder else ("",)


def _join(folder: str, path: str) -> str:
    """Return a normalised path from the root; outside paths begin with dots."""
    joined = posixpath.normpath(posixpath.join(folder, path))
    return "" if joined == "." else joined.lstrip("/")


# --- python -----------------------------------------------------------------------------------------------------------


def _python(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    path = module.replace(".", "/")
    if level:
        folder = posixpath.dirname(importer)
        for _ in range(level - 1):
            folder = posixpath.dirname(folder)
        return _python_at(modules, f"{folder}/{path}")
    # Beside the file and the folders around it first: scripts, tests, and packages without __init__.
    for folder in _up(importer):
        # What lies in a package is not found by its bare name, not even by its neighbours.
        is_package = modules.python_root(folder) != folder
        found = () if is_package else _python_at(modules, f"{folder}/{path}")
        if found and found[0] != importer:
            return found
    # A file somewhere else that is called like a module of the standard library is not what is meant.
    known = [path for path in modules.dotted.get(module, ()) if path != importer]
    if known and module.partition(".")[0] not in sys.stdlib_module_names:
        # the one whose path shares the longest beginning with the importer's
        return (max(known, key=lambda path: (len(posixpath.commonprefix((path, importer))), -len(path))),)
    for folder in modules.python_folders:
        found = _python_at(modules, f"{folder}/{path}")
        if found:
            return found
    return ()


def _python_at(modules: Modules, path: str) -> tuple[str, ...]:
    """Return the Python file of a path without ending."""
    path = path.strip("/")
    endings = ("/__init__.py", ".py", ".pyi", "/__init__.pyi") if path else ("__init__.py",)
    return _first(modules, [path + ending for ending in endings])


# --- javascript -------------------------------------------------------------------------------------------------------


def _javascript(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    module = module.split("?", 1)[0]
    if module.startswith(("./", "../", "/")) or module in (".", ".."):
        return _script(modules, _join("" if module.startswith("/") else posixpath.dirname(importer), module))
    for alias in modules.facts.aliases:
        head, star, tail = alias.pattern.partition("*")
        is_named = module.startswith(head) and module.endswith(tail) if star else module == head
        if is_named and (not alias.folder or importer.startswith(alias.folder + "/")):
            middle = module[len(head) : len(module) - len(tail)]
            found = _script(modules, _join(alias.folder, alias.target.replace("*", middle, 1)))
            if found:
                return found
    package = modules.provided("npm", module)
    return _inside(modules, *package) if package else ()


def _script(modules: Modules, path: str) -> tuple[str, ...]:
    """Return the source file of a path without ending or with a compiled one."""
    stem, ending = posixpath.splitext(path)
    candidates = [path] if ending else []
    if ending in (".js", ".jsx", ".mjs", ".cjs"):
        candidates += [stem + each for each in (".ts", ".tsx", ".mts", ".cts")]
    candidates += [each + of for each in (path, posixpath.join(path, "index")) for of in JS_EXTENSIONS]
    return _first(modules, candidates)


def _inside(modules: Modules, package: Provided, rest: str) -> tuple[str, ...]:
    """Return a file of a local package: its entry, or a path below."""
    wanted = [rest] if rest else [package.entry, "src/index", "index", "src/main", "lib/index"]
    for plain in [path.removeprefix("./") for path in wanted if path]:
        tries = [plain, f"src/{plain}"]
        tries += [f"src/{plain[len(built) :]}" for built in BUILT if plain.startswith(built)]
        for each in tries:
            found = _script(modules, _join(package.folder, posixpath.splitext(each)[0] if each != plain else each))
            if found:
                return found
    return ()


# --- packages and namespaces ------------------------------------------------------------------------------------------


def _by_package(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    """Return the files of a package, or of a module or class by its whole name."""
    family = modules.family(importer)
    # Modules of Elixir are what files define; in other languages the name may be that of a class.
    named = modules.offering.get((family, module)) if family == "elixir" else None
    found = modules.packages.get((family, module)) or named
    if found:
        return tuple(found)
    # a.b.C, and C's own members: a.b.C.D
    parts = module.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        package, name = ".".join(parts[:cut]), parts[cut]
        files = modules.packages.get((family, package))
        if files:
            return _defining(modules, files, name)
    return ()


def _defining(modules: Modules, files: Iterable[str], name: str) -> tuple[str, ...]:
    defining = [path for path in files if name in modules.files[path].names]
    stem = [path for path in defining if posixpath.splitext(posixpath.basename(path))[0] == name]
    return tuple(stem or defining)


def _php(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    """Return the file of a path or class (PSR-4), or those of a namespace."""
    if "/" in module or module.endswith(".php"):
        plain = module.lstrip("./")
        return _first(modules, (_join(posixpath.dirname(importer), module), plain)) or modules.ending(plain, "php")
    name = module.strip("\\")
    known = modules.packages.get(("php", name))
    if known:
        return tuple(known)
    package = modules.provided("composer", name, "\\")
    if package:
        row, rest = package
        found = _first(modules, (_join(row.folder, rest.replace("\\", "/") + ".php"),))
        if found:
            return found
    namespace, _, short = name.rpartition("\\")
    return _defining(modules, modules.packages.get(("php", namespace), ()), short)


# --- go, rust ---------------------------------------------------------------------------------------------------------


def _go(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    """Return the files of the folder of an import path, without tests."""
    if module.startswith("."):
        folder = _join(posixpath.dirname(importer), module)
    else:
        package = modules.provided("go", module)
        if package is None:
            return ()
        folder = _join(package[0].folder, package[1])
    files = modules.folders.get(folder, ())
    return tuple(path for path in files if path.endswith(".go") and not path.endswith("_test.go"))


def _rust(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    root, own = _rust_place(modules, importer)
    parts = [part for part in module.split("::") if part]
    if not parts:
        return ()
    at, is_own = own, parts[0] in ("crate", "self", "super")
    while parts and parts[0] in ("crate", "self", "super"):
        word, *parts = parts
        at = [] if word == "crate" else at[:-1] if word == "super" else at
    # A module declared or used beside it, else a crate of the repository.
    found = _rust_file(modules, root, [*at, *parts])
    if found or is_own:
        return found
    crate = modules.provided("cargo", parts[0], "::")
    if crate is None:
        return _rust_file(modules, root, parts)
    folder = _join(crate[0].folder, posixpath.dirname(crate[0].entry) if crate[0].entry else "src")
    return _rust_file(modules, folder, parts[1:])


def _rust_place(modules: Modules, path: str) -> tuple[str, list[str]]:
    """Return the root folder of a file's crate, and its module path."""
    roots = (each for each in _up(path) if any(_join(each, name) in modules.files for name in ("lib.rs", "main.rs")))
    root = next(roots, posixpath.dirname(path))
    inner = path[len(root) + 1 :] if root else path
    parts = inner.removesuffix(".rs").split("/")
    if parts[-1] in ("mod", "lib", "main"):
        parts.pop()
    return root, parts


def _rust_file(modules: Modules, root: str, parts: list[str]) -> tuple[str, ...]:
    if not parts:
        return _first(modules, (f"{root}/{name}".strip("/") for name in ("lib.rs", "main.rs", "mod.rs")))
    path = f"{root}/{'/'.join(parts)}".strip("/")
    return _first(modules, (f"{path}.rs", f"{path}/mod.rs"))


# --- paths ------------------------------------------------------------------------------------------------------------


def _include(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
    """Return an included file: nearby, else the only one with that ending."""
    candidates = [_join(posixpath.dirname(importer), module)]
    candidates += [_join(folder, f"{place}{module}") for folder in _up(importer) for place in ("", "include/", "src/")]
    return _first(modules, candidates) or modules.ending(module.lstrip("./"), "c")


def _required(*endings: str, roots: tuple[str, ...] = ()) -> Finder:
    """Return the finder of languages that require a path."""

    def finder(modules: Modules, importer: str, module: str, level: int) -> tuple[str, ...]:
        plain = module.strip()
        if "$" in plain:  # "$DIR/lib.sh": what the variable holds is not known, the rest is
            plain = plain.rpartition("}")[2] if "}" in plain else plain[plain.rfind("$") :].partition("/")[2]
            plain = plain.lstrip("/")
        if not plain:
            return ()
        family = modules.family(importer)
        if family == "lua" and "/" not in plain:
            plain = plain.removesuffix(".lua").replace(".", "/")
        tries = [plain + ending for ending in endings]
        candidates = [_join(posixpath.dirname(importer), each) for each in tries]
        candidates += [_join(root, each) for root in ("", *roots) for each in tries]
        found = _first(modules, candidates)
        for each in () if found else tries:
            found = found or modules.ending(each.lstrip("./"), family)
        return found

    return finder


FINDERS: dict[str, Finder] = {
    "python": _python,
    "javascript": _javascript,
    **dict.fromkeys(("java", "csharp", "elixir", "haskell"), _by_package),
    "go": _go,
    "rust": _rust,
    "c": _include,
    "php": _php,
    "ruby": _required(".rb", "", roots=("lib", "app", "spec", "test")),
    "lua": _required(".lua", "/init.lua", "", roots=("src", "lua", "lib")),
    "bash": _required("", ".sh"),
    "zig": _required("", ".zig", roots=("src",)),
}


# --- what is seen without an import -----------------------------------------------------------------------------------


def _same_package(modules: Modules, importer: str, path: str) -> bool:
    return modules.files[importer].package == modules.files[path].package


def _same_folder(modules: Modules, importer: str, path: str) -> bool:
    """Tell whether a Go file sees another of its package."""
    is_beside = posixpath.dirname(importer) == posixpath.dirname(path) and _same_package(modules, importer, path)
    return is_beside and (importer.endswith("_test.go") or not path.endswith("_test.go"))


def _around(modules: Modules, importer: str, path: str) -> bool:
    """Tell whether a namespace is another one or encloses it."""
    own, other = modules.files[importer].package, modules.files[path].package
    return not other or own == other or own.startswith(other + ".")


# By family, which other files are seen; None: all of them.
VISIBLE: dict[str, Callable[[Modules, str, str], bool] | None] = {
    "java": _same_package,
    "php": _same_package,
    "go": _same_folder,
    "csharp": _around,
    **dict.fromkeys(("c", "ruby", "swift", "elixir")),
}
