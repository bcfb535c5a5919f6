"""Indexed project, for libraries: files, symbols, packages, a map, and uses between files.

Uses between files come from the last links, even if files changed since, and from import lines where nothing is linked.
No caller waits for a large project to be linked (50 CPU seconds for 3,000 files); `notes` says what is missing. For
single uses, ask code_links. For the shape of a project, import lines are nearly as good and take half a CPU second
instead of 20. Recall and precision of uses between folders, in percent: recollect 99 and 99, gson 98 and 100, rack 98
and 98, redux 87 and 95, libuv 88 and 99. Languages whose names need no import have a lower recall: axum 46 and 99,
vapor 9 and 75.

Work trees of a repository share a namespace, so a namespace may have several trees. The project is then the tree that
this process runs in, or else the one that was indexed last.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from recollect.code.index.import_lines import FAMILIES, Paths, imported
from recollect.code.index.symbol_properties import is_test_file
from recollect.code.links.file_programs import has_program
from recollect.code.search.pool import FIELDS, REPORT_PIECES, REPORT_POSTINGS, SUMMED
from recollect.code.search.question import understand
from recollect.engine.code.code_index import tree_at
from recollect.errors import Conflict, NotFound
from recollect.files import read_file
from recollect.history.commit_log import changed_paths
from recollect.model import File, Tree
from recollect.store.code_rows import PLACE_BITS, CodeScope, file_node
from recollect.store.code_rows import PackageRow as PackageRow
from recollect.store.code_rows import SymbolRow as SymbolRow
from recollect.text.display import plural
from recollect.text.identifiers import code_terms
from recollect.text.redaction.redact import masked

if TYPE_CHECKING:
    from recollect.code.code_records import RepoMap
    from recollect.engine.code.code_links import Links
    from recollect.engine.context import Context
    from recollect.engine.graph.centrality import Centrality
    from recollect.graph.project import Further
    from recollect.store.link_rows import Edges
    from recollect.store.sql import Store

# Users of one file that are counted: what more files use is used everywhere.
MOST_USERS = 500
# A word that more pieces hold says nothing of the files that do. In the path of a file a word counts this much, and one
# of the headline this much more: of one to three the best on commits of three projects.
FREQUENT_PIECES = 6_000
CALLED, HEADLINE = 2.0, 2.0
# Commits that say which files change together; and the files of one that does.
RECENT_COMMITS, MOST_CHANGED = 1_000, 30
# Linking is waited for where it takes about a second: in a project of no more bytes than this in all, and where no more
# files than this have changed, each of which concerns a group of a second at most.
AT_ONCE_BYTES = 500_000
AT_ONCE_FILES = 3
# Symbols of a file that stand for all of it where only the file is known to be used.
STANDING_FOR = 20


class Use(NamedTuple):
    """A file that uses another: the number of links, and the qualified names used."""

    user: str
    used: str
    links: int
    names: tuple[str, ...]


class FileUses(NamedTuple):
    """The uses between all files of a project, and how they are known."""

    uses: tuple[Use, ...]
    known_by: Literal["links", "imports"]


class Source(NamedTuple):
    """An indexed file: path from the root of its tree."""

    id: int
    path: str
    size_bytes: int
    language: str | None
    mtime_ns: int
    is_test: bool


class Neighbour(NamedTuple):
    """A file that another uses or that uses it, by how many links."""

    path: str
    links: int


class Worded(NamedTuple):
    """A file that matches a text, its score, and its matching symbols, best first."""

    path: str
    score: float
    symbols: tuple[str, ...]


class _Loose(NamedTuple):
    """Uses known without linking, by the user and by the used file; and a note."""

    used: dict[str, list[Use]]
    using: dict[str, list[Use]]
    notes: tuple[str, ...]


class Sources:
    """The files of one project, as they were when this was made."""

    def __init__(self, context: Context, links: Links, namespace: str) -> None:
        self._context = context
        self._links = links
        self.namespace = namespace

    @cached_property
    def tree(self) -> Tree | None:
        """The tree that is meant, None if nothing of the project is indexed."""
        trees = self._context.store.find(Tree, {"namespace": self.namespace})
        return tree_at(trees, Path()) or max(trees, key=lambda tree: (tree.indexed_at, tree.id), default=None)

    @cached_property
    def files(self) -> dict[str, Source]:
        """Every indexed file by its path."""
        if self.tree is None:
            return {}
        fields = ("id", "path", "size_bytes", "language", "mtime_ns")
        rows = self._context.store.columns(File, fields, {"tree": self.tree.id, "skipped": ""})
        found = (Source(row[0], row[1], row[2], row[3], row[4], is_test_file(row[3], row[1])) for row in rows)
        return {source.path: source for source in sorted(found, key=lambda source: source.path)}

    def meant(self, text: str) -> str | None:
        """Return the path of the indexed file that a text names: relative, absolute, or its end."""
        if self.tree is None:
            return None
        name = text.strip().removeprefix(self.tree.root + "/").removeprefix("./")
        if name in self.files:
            return name
        try:
            place = Path(text.strip()).expanduser().resolve()
            inside = place.relative_to(self.tree.root).as_posix() if place.is_relative_to(self.tree.root) else ""
        except (OSError, RuntimeError, ValueError):
            inside = ""
        if inside in self.files:
            return inside
        ends = [path for path in self.files if path.endswith("/" + name)]
        return ends[0] if len(ends) == 1 else None

    def text(self, path: str) -> str:
        """Return the current text of a file, secrets overwritten. Raises NotFound."""
        if self.tree is None or path not in self.files:
            raise NotFound(
                f"{path} is not an indexed file of this project",
                hint="Check the path, or run `recollect index`.",
                path=path,
            )
        try:
            raw = read_file(Path(self.tree.root) / path, within=self.tree.root)
        except OSError as problem:
            hint = "It was moved or deleted: run `recollect index`."
            raise NotFound(f"{path} cannot be read: {problem.strerror}", hint=hint, path=path) from None
        return masked(raw).decode("utf-8", "replace")

    def symbols(self, path: str) -> list[SymbolRow]:
        """Return the symbols of a file as they were indexed, in order."""
        source = self.files.get(path)
        return self._context.store.file_contents([source.id])[source.id][0] if source is not None else []

    @staticmethod
    def terms(text: str) -> frozenset[str]:
        """Return the search terms of a text, as `code_terms` has those of code."""
        return frozenset(understand(text).terms)

    def worded(self, text: str) -> list[Worded]:
        """Return the files whose chunks match a text, best first, each with its symbols.

        A file counts as much as its best few pieces; symbols come in the order of the pieces they begin in.
        """
        terms = understand(text).terms
        if self.tree is None or not terms:
            return []
        store, scope = self._context.store, CodeScope((self.tree.id,))
        pieces: dict[int, list[tuple[int, float]]] = {}
        for piece, score in store.search_code_text(
            terms, scope, REPORT_PIECES, weights=FIELDS, postings=REPORT_POSTINGS
        ):
            pieces.setdefault(piece >> PLACE_BITS, []).append((piece & (1 << PLACE_BITS) - 1, score))
        contents = store.file_contents(list(pieces))
        found: list[Worded] = []
        for number, mine in pieces.items():
            if number not in self._paths or number not in contents:
                continue
            rows, spans = contents[number]
            places = [
                place for piece, _ in mine for place in spans[piece].symbols or (spans[piece].around,) if place >= 0
            ]
            symbols = dict.fromkeys(rows[place].qualified for place in places)
            found.append(Worded(self._paths[number], sum(score for _, score in mine[:SUMMED]), tuple(symbols)))
        return sorted(found, key=lambda row: (-row.score, row.path))

    def holding(self, text: str) -> list[str]:
        """Return the files with words of a text in content or path, the best match first.

        A file counts as a whole, however far apart the words stand and however often: `worded` finds what is about a
        matter, this also what it touches.
        """
        asked = understand(text)
        if self.tree is None or not asked.terms:
            return []
        store, scope = self._context.store, CodeScope((self.tree.id,))
        pieces = store.code_term_counts(asked.terms)[1]
        called: dict[str, list[str]] = {}
        for path in self.files:
            for term in set(code_terms(path)):
                called.setdefault(term, []).append(path)
        scores: dict[str, float] = {}
        for term in asked.terms:
            count = pieces.get(term, 0)
            found = store.search_code_text([term], scope, count) if 0 < count <= FREQUENT_PIECES else ()
            inside = {
                self._paths[number] for number in {match.id >> PLACE_BITS for match in found} & self._paths.keys()
            }
            for worth, paths in ((1.0, inside), (CALLED, called.get(term, ()))):
                rarity = math.log((1 + len(self.files)) / (1 + len(paths)))
                for path in paths:
                    more = worth * rarity * (HEADLINE if term in asked.lead else 1.0)
                    scores[path] = scores.get(path, 0.0) + more
        return sorted((path for path in scores if scores[path] > 0), key=lambda path: (-scores[path], path))

    def uses(self, path: str) -> list[Neighbour]:
        """Return the files that a file uses, most links first."""
        return _most_first(Counter({other: len(keys) for other, keys in self._used(path).items()}))

    @cached_property
    def changes(self) -> list[tuple[str, list[str]]]:
        """The subject of each of the newest commits and the indexed files it changed; without reformattings."""
        found = changed_paths(Path(self.tree.root), RECENT_COMMITS) if self.tree is not None else []
        known = (
            (subject, [path for path in paths if path in self.files])
            for subject, paths in found
            if len(paths) <= MOST_CHANGED
        )
        return [(subject, paths) for subject, paths in known if paths]

    def used_symbols(self, path: str) -> dict[str, tuple[str, ...]]:
        """Return, by file, the qualified names of the symbols that a file uses, most used first."""
        counted = {other: Counter(filter(None, keys)) for other, keys in self._used(path).items()}
        return {other: tuple(name for name, _ in keys.most_common()) for other, keys in counted.items()}

    def users(self, path: str) -> list[Neighbour]:
        """Return the files that use a file, most links first."""
        if self.tree is None or path not in self.files:
            return []
        if self._loose is not None:
            return _most_first(Counter({use.user: use.links for use in self._loose.using.get(path, ())}))
        store, inside, itself = self._context.store, f"s{path}::", f"f{path}"
        numbers = store.files_linking(self.tree.id, (inside, itself), MOST_USERS)
        found = self._targets([self._paths[number] for number in sorted(numbers) if number in self._paths])
        leading = {
            user: sum(target == itself or target.startswith(inside) for target in targets)
            for user, targets in found.items()
        }
        return _most_first(Counter({user: count for user, count in leading.items() if count and user != path}))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on missing links, if links were requested."""
        loose = self.__dict__.get("_loose")
        return loose.notes if loose is not None else ()

    @cached_property
    def _loose(self) -> _Loose | None:
        """Uses known without linking; None where the code is linked."""
        from recollect.code.links.tree_linking import is_linked, unlinked

        if self.tree is None or is_linked(self._context.store, self.tree):
            return None
        waiting = unlinked(self._context.store, self.tree)
        if waiting.size_bytes <= AT_ONCE_BYTES or waiting.waiting <= AT_ONCE_FILES:
            with suppress(Conflict):
                self._links.link(self.tree.id)
                return None
            return self._as_known("another process is indexing this project")
        is_coming = self._links.want(self.tree.id)
        how = "linking now" if is_coming else "run `recollect index --link`"
        return self._as_known(f"{plural(waiting.waiting, 'new or changed file')} not linked yet: {how}")

    def _as_known(self, why: str) -> _Loose:
        found = file_uses(self._context.store, self)
        by = "earlier links" if found.known_by == "links" else "import lines"
        loose = _Loose({}, {}, (f"{why}; dependencies are taken from {by}",))
        for use in found.uses:
            loose.used.setdefault(use.user, []).append(use)
            loose.using.setdefault(use.used, []).append(use)
        return loose

    def _targets(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return what the links of files lead to, once for each link."""
        numbers = [self.files[path].id for path in paths if path in self.files]
        return {
            self._paths[number]: [edges.targets[place] for place in memoryview(edges.target).cast("i").tolist()]
            for number, edges in self._context.store.file_edges(numbers).items()
        }

    def _used(self, path: str) -> dict[str, list[str]]:
        """Return the symbols that a file links to, by file; "" for the file itself."""
        if self._loose is not None:
            known = self._loose.used.get(path, ())
            return {use.used: [*use.names, *[""] * (use.links - len(use.names))] for use in known}
        found: dict[str, list[str]] = {}
        for target in self._targets([path]).get(path, []):
            name, _, key = target[1:].partition("::")
            if target[:1] in ("s", "f") and name != path and name in self.files:
                found.setdefault(name, []).append(key.partition("#")[0])
        return found

    @cached_property
    def _paths(self) -> dict[int, str]:
        return {source.id: path for path, source in self.files.items()}


class Project:
    """An indexed project, as it was when this was made."""

    def __init__(self, context: Context, links: Links, centrality: Centrality, namespace: str) -> None:
        self._context = context
        self._centrality = centrality
        self.namespace = namespace
        self.sources = Sources(context, links, namespace)

    @property
    def is_indexed(self) -> bool:
        """Whether anything of it is indexed."""
        return bool(self.sources.files)

    @property
    def root(self) -> Path:
        """The folder it lies in; that of the namespace where nothing is indexed."""
        return Path(self.sources.tree.root if self.sources.tree is not None else self.namespace)

    @cached_property
    def code(self) -> dict[str, Source]:
        """The files of it that are programs, without what was copied in or generated."""
        tree = self.sources.tree
        rows = () if tree is None else self._context.store.columns(File, ("path", "mark"), {"tree": tree.id})
        marked = {path for path, mark in rows if mark}
        files = self.sources.files.items()
        return {path: source for path, source in files if has_program(source.language) and path not in marked}

    @cached_property
    def symbols(self) -> dict[str, list[SymbolRow]]:
        """The symbols of its code, by path."""
        paths = {source.id: path for path, source in self.code.items()}
        found = self._context.store.file_contents(list(paths))
        return {paths[number]: rows for number, (rows, _) in sorted(found.items(), key=lambda row: paths[row[0]])}

    def text(self, path: str, most_bytes: int | None = None) -> str:
        """Return the text of a file below the root, or its first part; empty if it cannot be read."""
        try:
            return read_file(self.root / path, within=self.root)[:most_bytes].decode("utf-8", "replace")
        except OSError:
            return ""

    @cached_property
    def packages(self) -> list[PackageRow]:
        """The packages of its manifests."""
        tree = self.sources.tree
        return [] if tree is None else self._context.store.packages([tree.id])

    @cached_property
    def uses(self) -> FileUses:
        """Which of its files use which."""
        return file_uses(self._context.store, self.sources)

    def map(self, tokens: int) -> RepoMap:
        """Return a map of it, ranked by links, or by imports where it is not linked."""
        from recollect.engine.code.repo_map import Asked, repo_map

        trees = [self.sources.tree] if self.sources.tree is not None else []
        part = self._centrality.graph().code
        further = [] if self.uses.known_by == "links" else list(self._further())
        return repo_map(self._context.store, part, Asked(trees, tokens), str(self.root), (), further)

    def _further(self) -> Iterator[Further]:
        """Yield the imports as links, to the names that are imported or else to what a file offers."""
        from recollect.graph.project import Further

        for use in self.uses.uses:
            rows = self.symbols.get(use.used, [])
            outer = [row.qualified for row in rows if row.parent < 0 and row.kind != "Module"]
            named = [name for name in use.names if name in outer] or outer[:STANDING_FOR]
            for name in named:
                target = f"sym:{self.root}/{use.used}::{name}"
                yield Further(file_node(str(self.root), use.user), target, "IMPORTS", 1 / len(named))


def _most_first(counts: Counter[str]) -> list[Neighbour]:
    return [Neighbour(path, count) for path, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]


# --- uses between files ---


def file_uses(store: Store, sources: Sources) -> FileUses:
    """Return which files of a project use which."""
    if sources.tree is None:
        return FileUses((), "links")
    if store.linked_tree(sources.tree.id) is not None:
        paths = {source.id: path for path, source in sources.files.items()}
        edges = {paths[number]: found for number, found in sorted(store.file_edges(list(paths)).items())}
        if linked := tuple(_linked(edges, sources)):
            return FileUses((*linked, *_imported(sources, sources.files.keys() - edges.keys())), "links")
    return FileUses(tuple(_imported(sources, sources.files)), "imports")


def _linked(files: Mapping[str, Edges], sources: Sources) -> Iterator[Use]:
    for user, edges in files.items():
        found: dict[str, Counter[str]] = {}
        for place in memoryview(edges.target).cast("i").tolist():
            target = edges.targets[place]
            path, _, key = target[1:].partition("::")
            if target[:1] in ("s", "f") and path != user and path in sources.files:
                found.setdefault(path, Counter())[key.partition("#")[0]] += 1
        for used, names in sorted(found.items()):
            yield Use(user, used, names.total(), tuple(sorted(filter(None, names))))


def _imported(sources: Sources, users: Container[str]) -> Iterator[Use]:
    """Yield the uses in the lines of some files."""
    root = Path(sources.tree.root if sources.tree is not None else "")
    families: dict[str, list[str]] = {}
    for path, source in sources.files.items():
        if source.language is not None and has_program(source.language):
            families.setdefault(FAMILIES.get(source.language, source.language), []).append(path)
    for family in families.values():
        asked = [path for path in family if path in users]
        known = Paths(root.name, family if asked else ())
        for user in asked:
            try:
                text = read_file(root / user, within=root)
            except OSError:
                continue  # it is gone since it was indexed
            found: dict[str, list[str]] = {}
            for each in imported(user, text, known):
                found.setdefault(each.path, []).extend(each.names or ("",))
            for used, names in sorted(found.items()):
                yield Use(user, used, len(names), tuple(sorted(set(filter(None, names)))))
