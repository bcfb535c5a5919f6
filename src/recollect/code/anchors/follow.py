"""Find the new places of symbols that an update moved or renamed.

    before ─┬─ there before and not now ──► lost ─┐
            │                                     ├─► pairs of the same content, then of similar content
    after ──┴─ there now and not before ──► new ──┘

A lost symbol can only move to a new symbol, and each new symbol takes one lost symbol at most. All lost symbols are
paired, anchored or not: otherwise a deleted function could be mistaken for a similar one that moved.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.code.anchors.code_sketch import likeness, size
from recollect.code.anchors.normalised_file import TELLING_BYTES, Spot, overlap, spots
from recollect.model import File

if TYPE_CHECKING:
    from recollect.store.code_rows import IndexedFile, Touched
    from recollect.store.sql import Store

# Symbols of a file by qualified name, by path.
Symbols = Mapping[str, Mapping[str, Spot]]
Key = tuple[str, str]

# A sketch of fewer pairs is no evidence of similarity by itself.
TELLING_PAIRS = 12
# Symbols of one content that are paired; more are boilerplate.
MAX_TWINS = 200
# Required similarity of a lost and a new symbol, by other evidence. The same name in another file, or another name in
# the same file, is typical of a refactoring; otherwise more than two thirds must be equal.
SAME_FILE_RENAMED = 0.2
SAME_SYMBOL = 0.35
SAME_NAME = 0.5
SAME_FILE = 0.5
ELSEWHERE = 0.7
# Share of symbols that a renamed file keeps.
SAME_FILE_OVERLAP = 0.5
# Symbols compared for similarity; more would take longer than indexing.
MAX_COMPARED = 2_000

# Kinds that turn into each other in a refactoring.
FAMILIES = {
    **dict.fromkeys(("Function", "Method", "Endpoint", "Test"), "callable"),
    **dict.fromkeys(("Class", "Interface", "Type"), "type"),
}


class Lost(NamedTuple):
    """An anchored symbol that is no longer at its place, and its last sketch."""

    spot: Spot
    sketch: str


class Went(NamedTuple):
    """The new place of a symbol, and its similarity: 1 means equal but for its name."""

    spot: Spot
    likeness: float


class Difference(NamedTuple):
    """Symbols of the updated files before and after, and renames that git knows."""

    before: Symbols
    after: Symbols
    renamed: Mapping[str, str] = {}

    def new(self) -> dict[Key, Spot]:
        """Return the symbols that were not there before, by path and qualified name."""
        return _without(self.after, self.before)

    def lost(self) -> dict[Key, Spot]:
        """Return the symbols that are not there any more."""
        return _without(self.before, self.after)

    def renames(self) -> dict[str, str]:
        """Return the new path of each renamed file, by git or by its symbols."""
        gone = [path for path in self.before if path not in self.after]
        fresh = [path for path in self.after if path not in self.before]
        found = {old: new for old, new in self.renamed.items() if old in gone and new in self.after}
        shares = sorted(
            (
                (-overlap(self.before[old], self.after[new]), _basename(old) != _basename(new), old, new)
                for old, new in _plausible(self.before, self.after, gone, fresh)
            ),
        )
        for share, _, old, new in shares:
            if -share >= SAME_FILE_OVERLAP and old not in found and new not in found.values():
                found[old] = new
        return found


def _without(these: Symbols, those: Symbols) -> dict[Key, Spot]:
    return {
        (path, symbol): spot
        for path, symbols in these.items()
        for symbol, spot in symbols.items()
        if symbol not in those.get(path, ())
    }


def _plausible(before: Symbols, after: Symbols, gone: Sequence[str], fresh: Sequence[str]) -> Iterable[tuple[str, str]]:
    """Yield the pairs of files that share a symbol: few of thousands do."""
    holders: dict[tuple[str, str], list[str]] = {}
    for path in fresh:
        for spot in after[path].values():
            holders.setdefault((spot.name, spot.hash), []).append(path)
    for old in gone:
        near = {
            path
            for spot in before[old].values()
            if len(found := holders.get((spot.name, spot.hash), ())) <= MAX_TWINS
            for path in found
        }
        yield from ((old, new) for new in sorted(near))


def follow(lost: Mapping[str, Lost], difference: Difference, sketch_of: Callable[[Spot], str]) -> dict[str, Went]:
    """Return the new places of lost symbols by key, without those that have none.

    lost: anchored symbols that are gone since this update or one before
    sketch_of: the sketch of a present symbol, empty if it cannot be read
    """
    if not lost:
        return {}
    renames = difference.renames()
    new = difference.new()
    everything = {**difference.lost(), **{(row.spot.path, row.spot.symbol): row.spot for row in lost.values()}}
    pairs = _same(everything.values(), new, renames)
    found = {
        key: Went(new[pairs[where]], 1.0)
        for key, row in lost.items()
        if (where := (row.spot.path, row.spot.symbol)) in pairs
    }
    taken = set(pairs.values())
    left = {key: spot for key, spot in new.items() if key not in taken}
    missing = {key: row for key, row in lost.items() if key not in found}
    claimed = {spot.symbol for key, spot in everything.items() if key not in pairs}
    return {**found, **_alike(missing, left, renames, claimed, sketch_of)}


def copies(difference: Difference) -> list[Spot]:
    """Return the new symbols that replace no lost one: possible copies."""
    new = difference.new()
    taken = set(_same(difference.lost().values(), new, difference.renames()).values())
    return [spot for key, spot in new.items() if key not in taken]


def original(one: Spot, copied: Sequence[Spot]) -> Spot | None:
    """Return the copy that replaces a symbol which is gone since: the best supported one, if one is best."""
    ranked = sorted(((_support(one, other, {}), other) for other in copied), key=lambda row: -row[0])
    if not ranked or (not ranked[0][0] and ranked[0][1].size_bytes < TELLING_BYTES):
        return None
    return ranked[0][1] if len(ranked) == 1 or ranked[0][0] > ranked[1][0] else None


def _same(lost: Iterable[Spot], new: Mapping[Key, Spot], renames: Mapping[str, str]) -> dict[Key, Key]:
    """Pair lost and new symbols of the same content, the best supported first."""
    by_hash: dict[str, list[Spot]] = {}
    for spot in new.values():
        by_hash.setdefault(spot.hash, []).append(spot)
    twins: dict[str, list[Spot]] = {}
    for spot in lost:
        if spot.hash in by_hash:
            twins.setdefault(spot.hash, []).append(spot)
    found: dict[Key, Key] = {}
    for content, group in twins.items():
        others = by_hash[content]
        if len(group) > MAX_TWINS or len(others) > MAX_TWINS:
            continue
        ranked = sorted(
            (-support, abs(one.order - other.order), (one.path, one.symbol), (other.path, other.symbol))
            for one in group
            for other in others
            if (support := _support(one, other, renames)) or min(one.size_bytes, other.size_bytes) >= TELLING_BYTES
        )
        taken: set[Key] = set()
        for _, _, one, other in ranked:
            if one not in found and other not in taken:
                found[one] = other
                taken.add(other)
    return found


def _support(one: Spot, other: Spot, renames: Mapping[str, str]) -> int:
    """Return the evidence besides the content that one symbol became the other.

    The same file counts more than the same name elsewhere.
    """
    same_file = other.path in (one.path, renames.get(one.path))
    same_folder = one.path.rpartition("/")[0] == other.path.rpartition("/")[0]
    return (
        8 * same_file
        + 4 * (one.symbol == other.symbol)
        + 2 * (one.name == other.name)
        + (same_folder and one.name == other.name)
    )


def _alike(
    lost: Mapping[str, Lost],
    new: Mapping[Key, Spot],
    renames: Mapping[str, str],
    claimed: Container[str],
    sketch_of: Callable[[Spot], str],
) -> dict[str, Went]:
    """Return the new places of lost symbols that were also edited, the most similar first.

    claimed: qualified names of lost symbols: a new symbol of such a name is reserved for it
    """
    sketches: dict[Key, str] = {}
    ranked: list[tuple[float, str, Key]] = []
    for key, row in lost.items():
        # Symbols of a similar size first: only some of thousands are compared.
        candidates = [
            (_least(row.spot, spot, renames), abs(row.spot.size_bytes - spot.size_bytes), where)
            for where, spot in new.items()
            if _family(row.spot) == _family(spot) and (spot.symbol == row.spot.symbol or spot.symbol not in claimed)
        ]
        candidates.sort()
        for least, _, where in candidates[:MAX_COMPARED]:
            if where not in sketches:
                sketches[where] = sketch_of(new[where])
            alike = likeness(row.sketch, sketches[where])
            telling = least < ELSEWHERE or size(row.sketch) >= TELLING_PAIRS
            if alike >= least and telling:
                ranked.append((alike - least, key, where))
    found: dict[str, Went] = {}
    taken: set[Key] = set()
    for _, key, where in sorted(ranked, reverse=True):
        if key not in found and where not in taken:
            found[key] = Went(new[where], likeness(lost[key].sketch, sketches[where]))
            taken.add(where)
    return found


def _least(one: Spot, other: Spot, renames: Mapping[str, str]) -> float:
    """Return the similarity that two symbols must have to be the same."""
    same_file = other.path in (one.path, renames.get(one.path))
    if same_file and one.symbol == other.symbol:
        return SAME_FILE_RENAMED
    if one.symbol == other.symbol:
        return SAME_SYMBOL
    if one.name == other.name:
        return SAME_NAME
    return SAME_FILE if same_file else ELSEWHERE


def _family(spot: Spot) -> str:
    return FAMILIES.get(spot.kind, spot.kind)


def _basename(path: str) -> str:
    return path.rpartition("/")[2]


class Remembering:
    """A code store for one update of one tree that remembers the symbols it replaces.

    Files that were read again without a change, as all are after an upgrade, have no new symbols. All but writing files
    is passed on to the store.
    """

    def __init__(self, store: Store, opened: Callable[[int], bool]) -> None:
        """Wrap a store.

        opened: called with the number of the tree before anything is written; tells whether any memory is anchored to
        code. Otherwise only the touched files are remembered
        """
        self._store = store
        self._opened = opened
        self.forget()

    def forget(self) -> None:
        """Reset."""
        self.before: dict[str, dict[str, Spot]] = {}
        self.touched: set[str] = set()
        self.reread: set[str] = set()
        self.tree: int | None = None
        self._remembers = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def write_files(
        self,
        tree: int,
        owner: str,
        *,
        files: Sequence[IndexedFile] = (),
        touched: Sequence[Touched] = (),
        gone: Sequence[str] = (),
        lease_s: int,
    ) -> None:
        """Remember what is about to be replaced, then write."""
        if self.tree is None and (files or gone):
            self._remembers = self._opened(tree)
            self.tree = tree
        self._remember(tree, {file.path: file.hash for file in files}, gone)
        self._store.write_files(tree, owner, files=files, touched=touched, gone=gone, lease_s=lease_s)

    def _remember(self, tree: int, files: dict[str, str], gone: Sequence[str]) -> None:
        paths = [*files, *gone]
        self.touched.update(paths)
        if not self._remembers:
            return
        for start in range(0, len(paths), 500):
            known = self._store.find(File, {"tree": tree, "path": tuple(paths[start : start + 500])})
            changed = [file for file in known if not file.skipped and file.hash != files.get(file.path)]
            self.reread.update(file.path for file in known if file.hash == files.get(file.path))
            contents = self._store.file_contents([file.id for file in changed])
            for file in changed:
                rows = contents.get(file.id, ([], []))[0]
                self.before.setdefault(file.path, spots(file.path, rows))
