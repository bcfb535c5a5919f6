"""Implicit uses: code that runs with other code although no link says so, and references to constants and types.

    test ── its framework calls ──► fixture, set-up
    function ──► function that is written inside of it          constructor ──► methods that the language calls
    code that imports a table ──► functions that only the table names
    method of a protocol ──► that of every class that has all of its methods
    call of one of several ──► each of them, the less surely the more there are
    call on something unknown ──► a method of what the test's fixtures make, or of what that holds, else of the name
    symbol that names a changed constant or type ──► that: its file and the files that use it are searched

None of it is certain, so none is stored: it is computed when a change is reviewed, where missing a failing test costs
more than listing one that passes.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from recollect.code.anchors.normalised_file import form, read
from recollect.code.diff.changed_symbols import SymbolChange
from recollect.code.index.fixture_uses import hidden_uses
from recollect.code.links.module_finder import family
from recollect.engine.graph.code_nodes import code_node_id
from recollect.graph.arrays import KIND_CODES, RELATION_CODES
from recollect.graph.impact import reach
from recollect.graph.project import USES, FileLinks, Further, Project, only
from recollect.graph.walk import neighbours
from recollect.model import File, Tree
from recollect.store.code_rows import SymbolRow, symbol_keys
from recollect.store.link_rows import Sites, target_node

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Less sure ways are not followed: a chain of guesses is none.
LEAST_SURE = 0.05
# How sure it is that a fixture or a set-up runs with its test; that a function inside of another runs with it; that a
# method of what a fixture makes is meant, or of what that holds; that one of several things is meant by a call that may
# mean all of them; and one of those that bear the name of an unknown one.
FRAMEWORK, INNER, MADE, HELD, MAYBE, BY_NAME = 0.95, 0.9, 0.8, 0.6, 0.5, 0.35
# That what imports a file runs a function that only a table of the file names; more such users say nothing.
LISTED, MOST_LISTED = 0.3, 120
# That what makes an instance runs a method of it which the language calls by itself.
SPECIAL = 0.6
# That a class is meant which has all methods of a protocol; more classes that do were not made for it.
SHAPED, MOST_SHAPED = 0.8, 12
ANY_NAME = "__getattr__"
PROTOCOLS = frozenset({"typing.Protocol", "typing_extensions.Protocol"})
# A name that more functions bear tells nothing; nor does one that every text, list and table has as a method.
MOST_BEARERS = 3
COMMON = frozenset(name for kind in (str, bytes, list, dict, set, int, float, Path) for name in dir(kind))
# Files whose open calls are read, and things one of them may mean that are looked at.
MOST_FILES, MOST_CANDIDATES = 20_000, 100

# Kinds whose uses are no links unless something is called or inherited from.
UNLINKED = frozenset({"Constant", "Type"})
# Changes after which a symbol no longer has its old name.
LEAVING = frozenset({"removed", "renamed", "moved"})
# Files that are looked through for one name, and how large they may be.
MOST_READ_FILES, MOST_BYTES = 60, 500_000
# A name in the same file is hardly ever something else; in one that imports the file it may be.
SAME, OTHER = 0.9, 0.7

CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__", "constructor", "initialize", "__construct", "init"})
OWNER = re.compile(r"^(.*)(?:::|\.)[^.:]+$")
_SEPARATOR = re.compile(r"::|->|[.#/\\]")
_CONSTRUCTED = re.compile(rf"^(.*)\.(?:{'|'.join(sorted(CONSTRUCTORS))})$")
_SPECIAL = re.compile(r"__\w+__|finalize|deinit|~\w+")
_CLASSES = [KIND_CODES["Class"], KIND_CODES["Interface"]]
_ACTS = [KIND_CODES["Function"], KIND_CODES["Method"], KIND_CODES["Test"], KIND_CODES["Endpoint"]]


def unseen(store: Store, tree: Tree, kept: Project, suites: Mapping[str, list[SymbolRow]]) -> list[Further]:
    """Return the uses in a tree that are no links.

    suites: the symbols of the files of tests of Python, by path
    """
    hidden = [(code_node_id(tree.root, *use.user), code_node_id(tree.root, *use.used)) for use in hidden_uses(suites)]
    found = [Further(user, used, "CALLS", FRAMEWORK) for user, used in hidden]
    found += [Further(outer, inner, "DEPENDS_ON", INNER) for outer, inner in _inner(kept)]
    found += [Further(maker, method, "CALLS", SPECIAL) for maker, method in _special(kept)]
    found += [Further(user, used, "CALLS", LISTED) for user, used in _listed(kept)]
    opened = _opened(store, tree)
    found += _shaped(kept, opened)
    found += _possible(kept, opened, _made(kept, hidden))
    return found


class _Opened(NamedTuple):
    """Unresolved uses of a tree: by file number its path, language family and uses."""

    tree: Tree
    paths: dict[int, str]
    families: dict[int, str]
    sites: Mapping[int, Sites]


def _opened(store: Store, tree: Tree) -> _Opened:
    rows = store.columns(File, ("id", "path", "language"), {"tree": tree.id, "skipped": ""})
    families = {number: family(language) for number, _, language in rows}
    paths = {number: path for number, path, _ in rows}
    return _Opened(tree, paths, families, store.file_sites(sorted(paths)[:MOST_FILES]))


def _inner(kept: Project) -> Iterator[tuple[str, str]]:
    """Yield functions with their inner functions, which are returned, passed on or called later."""
    graph = kept.graph
    acts = np.isin(graph.points.kinds, _ACTS)
    inside = (graph.relations == RELATION_CODES["CONTAINS"]) & acts[graph.src] & acts[graph.dst]
    ids = graph.points.ids
    yield from [(ids[one], ids[other]) for one, other in zip(graph.src[inside], graph.dst[inside], strict=True)]


def _listed(kept: Project) -> Iterator[tuple[str, str]]:
    """Yield functions that only a table of their file uses, each after those that may run it.

    These are the functions of the files that import the one with the table: what calls by a table that was joined,
    sorted or turned over on the way is not seen to call what is in it.
    """
    graph = kept.graph
    uses = only(graph, USES)
    is_file = graph.points.kinds == KIND_CODES["File"]
    acts = np.isin(graph.points.kinds, _ACTS)
    plain = ~is_file[uses.src] & (uses.src != uses.dst)
    used = set(uses.dst[plain].tolist())
    imports = uses.relations == RELATION_CODES["IMPORTS"]
    importers: dict[int, list[int]] = {}
    for one, other in zip(uses.src[imports].tolist(), uses.dst[imports].tolist(), strict=True):
        importers.setdefault(other, []).append(one)
    inside: dict[int, list[int]] = {}
    for number in np.flatnonzero(acts).tolist():
        inside.setdefault(int(kept.files[number]), []).append(number)
    listed = is_file[uses.src] & acts[uses.dst] & (uses.relations == RELATION_CODES["DEPENDS_ON"])
    for file, function in zip(uses.src[listed].tolist(), uses.dst[listed].tolist(), strict=True):
        if function not in used:
            users = [each for one in importers.get(file, ()) for each in inside.get(int(kept.files[one]), ())]
            for each in users if len(users) <= MOST_LISTED else ():
                yield graph.points.ids[each], graph.points.ids[function]


def _special(kept: Project) -> Iterator[tuple[str, str]]:
    """Yield constructors with the methods that the language calls by itself.

    `__getattr__`, `__bool__`, `__del__`: any user of an instance runs them, and no code names them.
    """
    graph = kept.graph
    used = set(only(graph, USES).dst.tolist())
    for number, methods in _methods(kept).items():
        makers = [graph.points.ids[number], *(methods[name] for name in CONSTRUCTORS if name in methods)]
        for name, method in methods.items():
            if _SPECIAL.fullmatch(name) and name not in CONSTRUCTORS and graph.index[method] not in used:
                yield from [(maker, method) for maker in makers]


# --- protocols ---


def _shaped(kept: Project, opened: _Opened) -> Iterator[Further]:
    """Yield links from methods of protocols to those of the classes that implement them."""
    graph = kept.graph
    protocols = {graph.index[name] for name in _protocols(opened) if name in graph.index}
    if not protocols:
        return
    every = _all_methods(kept)
    having: dict[tuple[str, str], list[int]] = {}  # by family and method, the classes that have it
    families = {number: opened.families.get(int(kept.files[number]), "") for number in every}
    for number, own in every.items():
        for name in own:
            having.setdefault((families[number], name), []).append(number)
    for number in sorted(protocols & every.keys()):
        wanted = every[number]
        rarest = min((having[families[number], name] for name in wanted), key=len)
        fitting = [each for each in rarest if each not in protocols and wanted.keys() <= every[each].keys()]
        fitting = fitting if len(fitting) <= MOST_SHAPED else []
        # What answers to any name stands for something else: whatever of the protocol it has itself is meant.
        fitting += [each for each in having.get((families[number], ANY_NAME), ()) if wanted.keys() & every[each].keys()]
        for each in fitting:
            for name, method in wanted.items():
                does = every[each].get(name) or every[each].get(ANY_NAME)
                if does is not None and does != method:
                    yield Further(method, does, "CALLS", SHAPED)


def _all_methods(kept: Project) -> dict[int, dict[str, str]]:
    """Return the methods of every class by name, its own before inherited ones."""
    graph = kept.graph
    own = _methods(kept)
    bases: dict[int, list[int]] = {}
    derived = np.isin(graph.relations, [RELATION_CODES[name] for name in ("INHERITS", "EXTENDS", "IMPLEMENTS")])
    for heir, base in zip(graph.src[derived].tolist(), graph.dst[derived].tolist(), strict=True):
        bases.setdefault(heir, []).append(base)
    found: dict[int, dict[str, str]] = {}
    for number in {*own, *bases}:
        line, seen = [number], {number}
        for each in line:  # grows as it goes: bases, then theirs
            line += [base for base in bases.get(each, ()) if base not in seen]
            seen.update(bases.get(each, ()))
        methods = {name: node for each in reversed(line) for name, node in own.get(each, {}).items()}
        if methods:
            found[number] = methods
    return found


def _methods(kept: Project) -> dict[int, dict[str, str]]:
    """Return the methods of every class by name."""
    graph = kept.graph
    inside = graph.relations == RELATION_CODES["CONTAINS"]
    inside &= np.isin(graph.points.kinds[graph.src], _CLASSES) & np.isin(graph.points.kinds[graph.dst], _ACTS)
    found: dict[int, dict[str, str]] = {}
    for of, method in zip(graph.src[inside].tolist(), graph.dst[inside].tolist(), strict=True):
        node = graph.points.ids[method]
        found.setdefault(of, {})[_SEPARATOR.split(node.partition("#")[0])[-1]] = node
    return found


def _protocols(opened: _Opened) -> Iterator[str]:
    """Yield the classes that say only what others have to be able to do."""
    for number, sites in opened.sites.items():
        for site in sites.outside:
            if site.relation in ("INHERITS", "IMPLEMENTS") and site.name in PROTOCOLS:
                yield code_node_id(opened.tree.root, opened.paths[number], site.source)


# --- calls that are open ---


def _possible(kept: Project, opened: _Opened, made: Mapping[str, _Made]) -> list[Further]:
    """Return links from ambiguous calls to all candidates, from unknown ones to all of the name."""
    tree = opened.tree
    bearers = _bearers(kept, opened.families)
    found: dict[tuple[str, str], float] = {}

    def add(user: str, used: str, sure: float) -> None:
        found[user, used] = max(sure, found.get((user, used), 0.0))

    for number, sites in opened.sites.items():
        path = opened.paths[number]
        for site in sites.ambiguous:
            user = code_node_id(tree.root, path, site.source)
            targets = [target_node(tree.root, target) for target in site.candidates[:MOST_CANDIDATES]]
            for used in targets:
                add(user, used, made.get(user, _NOTHING).sure(used) or MAYBE / max(site.total, len(targets), 1) ** 0.5)
        for loose in sites.unresolved:
            user, name = code_node_id(tree.root, path, loose.source), _SEPARATOR.split(loose.name)[-1]
            own = made.get(user, _NOTHING).methods(name, kept.graph.index)
            named = [] if own or name in COMMON else bearers.get((opened.families[number], name), [])
            for used, sure in own:
                add(user, used, sure)
            for used in named if len(named) <= MOST_BEARERS else ():
                add(user, used, BY_NAME / len(named))
    return [Further(user, used, "CALLS", sure) for (user, used), sure in found.items() if sure >= LEAST_SURE]


def _bearers(kept: Project, families: Mapping[int, str]) -> dict[tuple[str, str], list[str]]:
    """Return functions and methods by family of languages and name; those of one family call each other."""
    found: dict[tuple[str, str], list[str]] = {}
    for number in np.flatnonzero(np.isin(kept.graph.points.kinds, _ACTS)).tolist():
        node = kept.graph.points.ids[number]
        name = _SEPARATOR.split(node.partition("#")[0])[-1]
        found.setdefault((families.get(int(kept.files[number]), ""), name), []).append(node)
    return found


# --- what fixtures make ---


class _Made(NamedTuple):
    """Classes whose instances a test is given, with how surely a method of one is meant."""

    classes: dict[str, float]

    def sure(self, used: str) -> float:
        """Return how surely a function is meant: 0 where it is no method of these."""
        owner = OWNER.match(used)
        return self.classes.get(owner[1], 0.0) if owner else 0.0

    def methods(self, name: str, known: Container[str]) -> list[tuple[str, float]]:
        """Return the methods of a name that these classes have, with how surely each is meant."""
        return [(f"{owner}.{name}", sure) for owner, sure in self.classes.items() if f"{owner}.{name}" in known]


_NOTHING = _Made({})


def _made(kept: Project, hidden: Sequence[tuple[str, str]]) -> dict[str, _Made]:
    """Return by test the classes whose instances its fixtures make, and those that these hold."""
    making = only(kept.graph, ("CALLS", "DEPENDS_ON"))
    bases = only(kept.graph, ("INHERITS", "EXTENDS", "IMPLEMENTS"))
    graph = kept.graph

    def classes(users: Sequence[str]) -> list[int]:
        """Return the numbers of the classes that functions make or name, with their bases."""
        numbers = [graph.index[user] for user in users if user in graph.index]
        called = {each for number in numbers for each in neighbours(making, number, direction="out").tolist()}
        names = [graph.points.ids[each] for each in sorted(called)]
        owners = {match[1] if (match := _CONSTRUCTED.match(name)) else name for name in names}
        known = [graph.index[name] for name in sorted(owners) if name in graph.index]
        known = [number for number in known if graph.points.kinds[number] == KIND_CODES["Class"]]
        return reach(bases, known, direction="out").order.tolist() if known else []

    of_fixture: dict[str, _Made] = {}
    found: dict[str, dict[str, float]] = {}
    for user, fixture in hidden:
        if fixture not in of_fixture:
            direct = [graph.points.ids[each] for each in classes([fixture])]
            constructors = [f"{name}.{way}" for name in direct for way in CONSTRUCTORS]
            held = [graph.points.ids[each] for each in classes(constructors)]
            of_fixture[fixture] = _Made({**dict.fromkeys(held, HELD), **dict.fromkeys(direct, MADE)})
        known = found.setdefault(user, {})
        for name, sure in of_fixture[fixture].classes.items():
            known[name] = max(sure, known.get(name, 0.0))
    return {user: _Made(known) for user, known in found.items()}


# --- constants and types ---


# By file, where its functions and classes are, and its lines.
Texts = dict[str, tuple[list[tuple[int, int, str]], list[str]]]


def readers(tree: Tree, kept: Project, files: FileLinks, changes: Iterable[SymbolChange]) -> list[Further]:
    """Return links to changed constants and types, and to removed functions, from the symbols that name them."""
    texts: Texts = {}
    found: list[Further] = []
    for change in changes:
        row = change.before
        # A name that is imported or passed on is no link either once its function is gone.
        is_gone = change.how in LEAVING and not change.has_moved and row is not None and row.kind != "Method"
        if row is None or change.how == "cosmetic" or not (is_gone or row.kind in UNLINKED):
            continue
        # A function has no members: what looks so is a module of its name, as is a path in a text.
        before, after = ("", "") if row.kind in UNLINKED else (".", r"|\.|::|\s+import\b")
        before = ".:" if row.kind == "Module" else before
        pattern = re.compile(
            rf"""(?<![\w$/"'{before}]){re.escape(row.name)}(?![\w$]{after if row.kind == "Function" else ""})"""
        )
        target, moved = (code_node_id(tree.root, *place) for place in (change.was, change.now))
        target = moved if change.has_moved and moved in kept.graph.index else target
        # The lines of a file that pass names on do not use those that it passed on.
        own = {change.now, (change.path, "" if change.is_export else change.key)}
        for path in dict.fromkeys((change.path, *using_files(tree, files, change.path, change.old_path))):
            sure = SAME if path == change.path else OTHER
            keys = [key for key in naming(tree.root, path, row.name, pattern, texts) if (path, key) not in own]
            found += [Further(code_node_id(tree.root, path, key), target, "DEPENDS_ON", sure) for key in keys]
    return list(dict.fromkeys(found))


def naming(root: str, path: str, name: str, pattern: re.Pattern[str], texts: Texts) -> Iterator[str]:
    """Yield the keys of the symbols of a file that contain a name as in a pattern, "" for the file; no comments."""
    if path not in texts:
        texts[path] = _spans(root, path)
    spans, lines = texts[path]
    places = (number for number, text in enumerate(lines, 1) if name in text and pattern.search(text))
    yield from dict.fromkeys(_around(spans, number) for number in places)


def using_files(tree: Tree, files: FileLinks, *paths: str) -> Iterator[str]:
    """Yield the files that use some files."""
    for path in paths:
        number = files.graph.index.get(f"file:{tree.root}/{path}")
        for user in neighbours(files.graph, number, direction="in")[:MOST_READ_FILES] if number is not None else ():
            yield files.graph.points.ids[int(user)].removeprefix(f"file:{tree.root}/")


def _spans(root: str, path: str) -> tuple[list[tuple[int, int, str]], list[str]]:
    """Return where the functions and classes of a file are, innermost first, and its lines."""
    source = read(root, path, MOST_BYTES)
    if source is None:
        return [], []
    rows = form(path, source).rows
    spans = [
        (row.start_line, row.end_line, key)
        for key, row in zip(symbol_keys(rows), rows, strict=True)
        if row.kind not in UNLINKED and row.kind != "Module"
    ]
    return sorted(spans, key=lambda span: span[1] - span[0]), _without_comments(path, source)


def _without_comments(path: str, source: bytes) -> list[str]:
    """Return the lines of a file with blanks for its comments."""
    plain = source.replace(b"\r\n", b"\n")
    blob = form(path, source).blob
    is_same = len(blob) == len(plain)
    kept = bytes(new if old != 10 else old for old, new in zip(plain, blob, strict=True)) if is_same else plain
    return kept.decode("utf-8", "replace").split("\n")


def _around(spans: Sequence[tuple[int, int, str]], line: int) -> str:
    return next((key for first, last, key in spans if first <= line <= last), "")
