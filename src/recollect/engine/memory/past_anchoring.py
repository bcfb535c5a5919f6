"""Past anchoring: link an imported memory to the code of its commit, and compare that with the code of today.

    text, files of the commit ─► places at the commit ─► renames ─► the place today ─► fresh, changed, moved, gone

A memory is anchored to the symbols that it mentions, else to the symbols that its commit changed, else to the files of
its commit if there are few. Documents are not compared. If git lacks the commit, or the commit lacks the mentioned
code, the anchors of today are unverified.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING

from recollect import clock
from recollect.code.anchors.code_sketch import NEARLY, likeness
from recollect.code.anchors.find import MAX_FILES as MAX_DEFINING
from recollect.code.anchors.find import Code, Place, find, is_code
from recollect.code.anchors.follow import Difference, Lost, follow
from recollect.code.anchors.past_code import Past, PastCode, edited, opened
from recollect.engine.memory.anchor_drafts import Compared, Draft, Prepared, distinct

if TYPE_CHECKING:
    from recollect.code.anchors.mention import Mentions
    from recollect.code.anchors.normalised_file import Form, Spot
    from recollect.model import File, Memory, Tree, Verdict

    FormOf = Callable[[Code, Tree, File], Form | None]

# A memory of the last hour that was not imported is about the files on disk, committed or not.
RECENT_S = 3_600
# Anchors of a memory, as when it is stored.
MOST = 8
# A commit of more code files is about none of them in particular.
MAX_FILES = 3
# A formatter changes no words: code whose words are less alike differs. Comparing words takes a tenth of the CPU time
# of a sketch, for which a whole file must be parsed.
SAME_WORDS = 0.9
SAME_FILE = 0.97

_HEX = frozenset("0123456789abcdef")


class PastAnchoring:
    """Anchors memories of one tree to its past; git is started when the first memory needs it."""

    def __init__(self, tree: Tree, today: Code, form_of: FormOf, *, max_bytes: int) -> None:
        self._tree = tree
        self._today = today
        self._form_of = form_of
        self._max_bytes = max_bytes
        self._stack = ExitStack()
        self._past: Past | None = None
        self._is_open = False

    def __enter__(self) -> PastAnchoring:
        return self

    def __exit__(self, *problem: object) -> None:
        self._stack.close()

    def prepared(self, memory: Memory, spoken: Mentions) -> Prepared | None:
        """Return the anchors of a memory of the past; None if it is about the files on disk."""
        is_imported = memory.source == "import"
        if memory.metadata.get("from") == "git" and not memory.head:
            return Prepared()  # statistics of many commits name files and are about none
        if not is_imported and memory.created_at > clock.now() - RECENT_S:
            return None
        past = self._opened()
        commit = self._commit(past, memory) if past is not None else ""
        if past is None or not commit:
            return self._unverified(spoken) if is_imported else None
        if not is_imported and commit == past.line.commits[0]:
            return None
        code = PastCode(self._today, past, commit, past.line.place(commit, memory.created_at))
        is_of_commit = memory.head == commit
        found = find(code, spoken).places
        if not found:
            return self._unverified(spoken)
        places, at = self._chosen(code, found, past, looks_inside=is_of_commit)[:MOST], memory.created_at
        return Prepared(tuple(distinct(self._compared(past, code, place, at) for place in places)))

    def _opened(self) -> Past | None:
        if not self._is_open:
            self._past = self._stack.enter_context(opened(self._tree, self._max_bytes))
            self._is_open = True
        return self._past

    def _commit(self, past: Past, memory: Memory) -> str:
        """Return the commit that a memory is about; empty where git has none of that time."""
        named = (memory.head or "").rstrip("+")
        if len(named) in (40, 64) and _HEX.issuperset(named) and past.knows(named):
            return named
        return past.line.current(memory.created_at)

    def _unverified(self, spoken: Mentions) -> Prepared:
        """Return the places of today that a text mentions."""
        drafts = [
            Draft(
                place.file.path,
                place.symbol,
                "found",
                hash="",
                compared=Compared("unverified", place.file.path, place.symbol),
            )
            for place in find(self._today, spoken).places
            if is_code(place.file)
        ]
        return Prepared(tuple(distinct(drafts))[:MOST])

    # --- what a memory is about ---

    def _chosen(self, code: PastCode, found: Sequence[Place], past: Past, *, looks_inside: bool) -> Sequence[Place]:
        """Return the most exact places: symbols, symbols that the commit changed, files."""
        if symbols := [place for place in found if place.symbol is not None]:
            return symbols
        files = [place for place in found if is_code(place.file) and not place.file.mark]
        files = [place for place in files if not _is_test(place.file.path)] or files
        if len(files) > MAX_FILES:
            return []
        changed = [each for place in files for each in _altered(code, place, past)] if looks_inside else []
        return changed if 0 < len(changed) <= MOST else files

    # --- comparing ---

    def _compared(self, past: Past, code: PastCode, place: Place, at: int) -> Draft:
        path = past.line.now(place.file.path, code.place)
        if place.symbol is None:
            return self._file(past, code, place, path, at)
        was = code.form(place.file)
        spot = was.spots()[place.symbol]
        there = [
            (file, now)
            for where in dict.fromkeys((path, place.file.path))
            if (file := self._file_now(where)) is not None and (now := self._today.spots(file).get(spot.symbol))
        ]
        seen = [(self._alike(was, spot, file, now), file, now) for file, now in there]
        seen = [row for row in seen if row[0][0] == 1.0] or seen[:1]
        if not seen:
            return self._lost(past, code, place, was, path, at)
        (alike, sketch), file, now = seen[0]
        return self._draft(past, spot, sketch, (file, now.symbol), alike, at)

    def _draft(self, past: Past, spot: Spot, sketch: str, where: tuple[File, str], alike: float, at: int) -> Draft:
        file, symbol = where
        is_same, is_there = alike == 1.0, (file.path, symbol) == (spot.path, spot.symbol)
        verdict: Verdict = ("fresh" if is_there else "moved") if is_same else "changed"
        since = past.line.changed_at(file.path)
        seen = Compared(verdict, file.path, symbol, at, since, round(1 - alike, 3))
        return Draft(spot.path, spot.symbol, "found", spot.kind, spot.hash, sketch, file.hash, seen)

    def _alike(self, was: Form, spot: Spot, file: File, now: Spot) -> tuple[float, str]:
        """Return how alike the code of a symbol then and now is, 1 but for its format, and the sketch of then."""
        form = self._form(file)
        if form is None:
            return float(spot.hash == now.hash), ""
        if spot.hash == now.hash:
            return 1.0, form.sketch_of(now.symbol)
        words = likeness(was.words_of(spot.symbol), form.words_of(now.symbol))
        if words < SAME_WORDS:
            return words, ""
        sketch = was.sketch_of(spot.symbol)
        return likeness(sketch, form.sketch_of(now.symbol)), sketch

    def _file(self, past: Past, code: PastCode, place: Place, path: str, at: int) -> Draft:
        """Return the anchor of a whole file."""
        file, blob = place.file, place.file.hash
        now = self._file_now(path) or self._file_now(file.path)
        form = self._form(now) if now is not None else None
        since = past.line.changed_at(path)
        if now is None or form is None:
            gone = Compared("gone", path, None, at, since)
            return Draft(file.path, None, "found", file.language or "", blob, compared=gone)
        share = 1.0
        if not past.has_content(blob, form.content):
            was = code.form(file)
            share = likeness(was.words_of(None), form.words_of(None))
            is_same = share >= SAME_FILE and (was.hash == form.hash or form.is_same(was, None))
            share = 1.0 if is_same else min(share, NEARLY)
        verdict: Verdict = "changed" if share < 1 else "fresh" if now.path == file.path else "moved"
        seen = Compared(verdict, now.path, None, at, since, round(1 - share, 3))
        if verdict == "changed":
            # No file of today has this hash.
            return Draft(file.path, None, "found", form.kind, blob, file_hash=form.file_hash, compared=seen)
        sketch = form.sketch_of(None)
        return Draft(file.path, None, "found", form.kind, form.hash, sketch, form.file_hash, seen)

    # --- what is not where it was ---

    def _lost(self, past: Past, code: PastCode, place: Place, was: Form, path: str, at: int) -> Draft:
        """Return the anchor of a symbol that is not in its file any more."""
        symbol = place.symbol or ""
        spot = was.spots()[symbol]
        went = self._followed(past, code, spot, was, path)
        file = self._file_now(went.path) if went is not None else None
        if went is None or file is None:
            gone = Compared("gone", path, symbol, at, past.line.changed_at(path))
            return Draft(spot.path, symbol, "found", spot.kind, spot.hash, compared=gone)
        alike, sketch = self._alike(was, spot, file, went)
        return self._draft(past, spot, sketch, (file, went.symbol), alike, at)

    def _followed(self, past: Past, code: PastCode, spot: Spot, was: Form, path: str) -> Spot | None:
        """Return the new place of a symbol: in its file, or in a file that defines its name today."""
        # A method is looked for in the files of its class, too: other classes have methods of its name.
        names = [spot.name, *spot.symbol.split(".")[-2:-1]]
        found = [row for name in names for row in self._today.defining(name, MAX_DEFINING) or ()]
        files = {row.file.path: row.file for row in found}
        if (own := self._file_now(path)) is not None:
            files[path] = own
        # As if files had been renamed before: each is compared under its path of today.
        before = {path: {name: row._replace(path=path) for name, row in was.spots().items()}}
        for other in files.keys() - {path}:
            old = past.line.then(other, code.place)
            for file in code.files_at([old])[old]:
                before[other] = {name: row._replace(path=other) for name, row in code.spots(file).items()}
        after = {each: self._today.spots(file) for each, file in files.items()}
        lost = {"": Lost(spot._replace(path=path), was.words_of(spot.symbol))}
        went = follow(lost, Difference(before, after), lambda row: self._words_at(files[row.path], row)).get("")
        return went.spot if went is not None else None

    def _words_at(self, file: File, spot: Spot) -> str:
        form = self._form(file)
        return form.words_of(spot.symbol) if form is not None else ""

    def _file_now(self, path: str) -> File | None:
        return next((file for file in self._today.files_at([path])[path] if not file.skipped), None)

    def _form(self, file: File) -> Form | None:
        return self._form_of(self._today, self._today.tree(file), file)


def _altered(code: PastCode, place: Place, past: Past) -> Iterator[Place]:
    """Yield the innermost symbols of a file in whose lines its commit added, changed or removed something."""
    before = past.blob(f"{code.commit}^", place.file.path)
    edits = edited(past.content(before), past.content(place.file.hash)) if before else []
    rows = code.rows([place.file])[place.file.id] if edits else []
    touched = [row for row in rows if any(row.start_line <= last and first <= row.end_line for first, last in edits)]
    owners = {row.parent for row in touched}
    for row in touched:
        if not any(rows[owner] is row for owner in owners if owner >= 0):
            yield place._replace(symbol=row.qualified)


def _is_test(path: str) -> bool:
    *folders, name = path.lower().split("/")
    return not {"test", "tests", "testsuite", "spec", "__tests__"}.isdisjoint(folders) or "test" in name
