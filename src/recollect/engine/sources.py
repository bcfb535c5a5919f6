"""Sources: the indexed files of a project as a library sees them: paths, texts, symbols, and who uses whom.

Nobody who asks who uses whom waits for a large project to be linked (50 CPU seconds for 3,000 files): until it is, the
answer is what the links found last say, or else the lines of imports (`file_uses`), and `notes` says so.

A namespace may have several trees, since work trees of a repository share it: meant is the one this process runs in, or
else the one that was indexed last.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from recollect.code.testing import is_test_file
from recollect.engine.trees import tree_at
from recollect.errors import Conflict, NotFound
from recollect.files import read_file
from recollect.model import File, Tree
from recollect.store.code_protocol import SymbolRow as SymbolRow
from recollect.text.display import plural
from recollect.text.redaction.redact import masked

if TYPE_CHECKING:
    from recollect.engine.file_uses import Use
    from recollect.engine.root import Engine
    from recollect.store.link_protocol import LinkStore

# Users of one file that are counted: what more files use is used everywhere.
MOST_USERS = 500
# A word that more pieces hold says nothing of the files that do. In the path of a file a word counts this much, and one
# of the headline this much more: of one to three the best on commits of three projects.
FREQUENT_PIECES = 6_000
CALLED, HEADLINE = 2.0, 2.0
# Linking is waited for where it takes about a second: in a project of no more bytes than this in all, and where no more
# files than this have changed, each of which concerns a group of a second at most.
AT_ONCE_BYTES = 500_000
AT_ONCE_FILES = 3


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
    """A file that holds words of a text, how much of them, and its symbols that do, best first."""

    path: str
    score: float
    symbols: tuple[str, ...]


class _Loose(NamedTuple):
    """Uses as far as they are known without linking, by the file that uses and by the one that is used; and a note."""

    used: dict[str, list[Use]]
    using: dict[str, list[Use]]
    notes: tuple[str, ...]


class Sources:
    """The files of one project, as they were when this was made."""

    def __init__(self, engine: Engine, namespace: str) -> None:
        self._engine = engine
        self.namespace = namespace

    @cached_property
    def tree(self) -> Tree | None:
        """The tree that is meant, None if nothing of the project is indexed."""
        trees = self._engine.store.find(Tree, {"namespace": self.namespace})
        return tree_at(trees, Path()) or max(trees, key=lambda tree: (tree.indexed_at, tree.id), default=None)

    @cached_property
    def files(self) -> dict[str, Source]:
        """Every indexed file by its path."""
        if self.tree is None:
            return {}
        fields = ("id", "path", "size_bytes", "language", "mtime_ns")
        rows = self._engine.store.columns(File, fields, {"tree": self.tree.id, "skipped": ""})
        found = (Source(row[0], row[1], row[2], row[3], row[4], is_test_file(row[3], row[1])) for row in rows)
        return {source.path: source for source in sorted(found, key=lambda source: source.path)}

    def meant(self, text: str) -> str | None:
        """Return the path of the one indexed file that a text names: from the root, absolute, from here, or its end."""
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
        """Return what a file holds now, secrets overwritten. Raises NotFound if it is not indexed or cannot be read."""
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
        return self._engine.code_store.file_contents([source.id])[source.id][0] if source is not None else []

    def worded(self, text: str) -> list[Worded]:
        """Return the files whose pieces hold the words of a text, tests among them, best first, each with its symbols.

        A file counts as much as its best few pieces; symbols come in the order of the pieces they begin in.
        """
        from recollect.code.search.pool import FIELDS, REPORT_PIECES, REPORT_POSTINGS, SUMMED
        from recollect.code.search.question import understand
        from recollect.store.code_protocol import PLACE_BITS, CodeScope

        terms = understand(text).terms
        if self.tree is None or not terms:
            return []
        store, scope = self._engine.code_store, CodeScope((self.tree.id,))
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
        """Return the files that hold words of a text, in them or in their path, those with the most and rarest first.

        A file counts as a whole, however far apart the words stand and however often: `worded` finds what is about a
        matter, this also what it touches.
        """
        from recollect.code.search.question import understand
        from recollect.store.code_protocol import PLACE_BITS, CodeScope
        from recollect.text.identifiers import code_terms

        asked = understand(text)
        if self.tree is None or not asked.terms:
            return []
        store, scope = self._engine.code_store, CodeScope((self.tree.id,))
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
        store, inside, itself = self._links, f"s{path}::", f"f{path}"
        numbers = {
            number for text in (inside, itself) for number in store.files_linking(self.tree.id, text, MOST_USERS)
        }
        found = self._targets([self._paths[number] for number in sorted(numbers) if number in self._paths])
        leading = {
            user: sum(target == itself or target.startswith(inside) for target in targets)
            for user, targets in found.items()
        }
        return _most_first(Counter({user: count for user, count in leading.items() if count and user != path}))

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know about the links, if anybody asked for them: nothing where they are all there."""
        loose = self.__dict__.get("_loose")
        return loose.notes if loose is not None else ()

    @cached_property
    def _loose(self) -> _Loose | None:
        """Who uses whom as far as it is known now; None where the code is linked, or is by now."""
        from recollect.code.resolve.link import is_linked, unlinked

        if self.tree is None or is_linked(self._links, self.tree):
            return None
        waiting = unlinked(self._links, self.tree)
        if waiting.size_bytes <= AT_ONCE_BYTES or waiting.waiting <= AT_ONCE_FILES:
            with suppress(Conflict):
                self._engine.links.link(self.tree.id)
                return None
            return self._as_known("another process is indexing this project")
        is_coming = self._engine.links.want(self.tree.id)
        how = "linking now" if is_coming else "run `recollect index --link`"
        return self._as_known(f"{plural(waiting.waiting, 'new or changed file')} not linked yet: {how}")

    def _as_known(self, why: str) -> _Loose:
        from recollect.engine.file_uses import file_uses

        found = file_uses(self._engine, self)
        by = "earlier links" if found.known_by == "links" else "import lines"
        loose = _Loose({}, {}, (f"{why}; dependencies are taken from {by}",))
        for use in found.uses:
            loose.used.setdefault(use.user, []).append(use)
            loose.using.setdefault(use.used, []).append(use)
        return loose

    @property
    def _links(self) -> LinkStore:
        return cast("LinkStore", self._engine.code_store)

    def _targets(self, paths: Sequence[str]) -> dict[str, list[str]]:
        """Return what the links of files lead to, once for each link."""
        numbers = [self.files[path].id for path in paths if path in self.files]
        return {
            self._paths[number]: [edges.targets[place] for place in memoryview(edges.target).cast("i").tolist()]
            for number, edges in self._links.file_edges(numbers).items()
        }

    def _used(self, path: str) -> dict[str, list[str]]:
        """Return the keys of the symbols that the links of a file lead to, by file; "" for the file as such."""
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


def _most_first(counts: Counter[str]) -> list[Neighbour]:
    return [Neighbour(path, count) for path, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]
