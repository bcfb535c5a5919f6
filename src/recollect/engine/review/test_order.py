"""The tests of a review, those most likely to fail first, and a short list of them.

    confidence of the way to the test        calls are surer than imports
    + its lines contain a changed name       it was written for it, or at least looks at it
    + its name contains a changed name       test_static_url_path for static_url_path
    + its file is named after a changed one  test_blueprints.py, blueprints.test.ts

A long list becomes some tests by themselves, then whole files that hold the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from recollect.code.anchors.normalised_file import read
from recollect.code.code_records import Affected
from recollect.code.diff.changed_symbols import SymbolChange
from recollect.engine.graph.code_nodes import file_place
from recollect.text.display import plural

# What each sign adds to the confidence of the way: a name in its lines outweighs a doubtful call.
IN_LINES, IN_NAME, OF_FILE = 0.5, 0.3, 0.2
# Less likely tests, reached over doubtful calls or two imports, are not run. Of many, their files are listed.
LEAST_LIKELY = 0.06
# Names that more tests contain than this share say nothing: `get`, `app`.
MOST_CONTAIN = 0.3
# The share of a list that are single tests; the others are files. Of 20 broken functions of flask, 25 rows kept .96 of
# the failing tests that the whole list has; as many single tests kept .65.
SINGLE = 0.4
# Files that are read for names, how large they may be, and the lines of one test.
MOST_FILES, MOST_BYTES, MOST_LINES = 300, 500_000, 300
# Shorter names occur everywhere.
LEAST_NAME = 3

_WORD = re.compile(r"[A-Za-z_$][\w$]*")
# What is around the name of the tested file in that of a test file.
_TEST_STEM = re.compile(r"^(?:tests?[_\-.]?)|(?:[_\-.]?(?:tests?|spec))$", re.IGNORECASE)


class _Names(NamedTuple):
    """The names of changed symbols and the stems of changed files, in lower case."""

    symbols: frozenset[str]
    stems: frozenset[str]


def ranked(tests: Sequence[Affected], changes: Iterable[SymbolChange], root: str, most: int) -> list[Affected]:
    """Return the tests, changed ones first, then those most likely to fail; of many, files stand for the unlikely."""
    names = _names(changes)
    texts = _Texts(root)
    words = [texts.words(row) for row in tests]
    common = {name for name in names.symbols if sum(name in each for each in words) > max(MOST_CONTAIN * len(tests), 5)}
    telling = names._replace(symbols=names.symbols - common)
    likely = [_likelihood(row, words[number], telling) for number, row in enumerate(tests)]
    order = sorted(range(len(tests)), key=lambda number: (tests[number].depth > 0, -likely[number], number))
    rows = [tests[number] for number in order]
    if len(rows) <= SINGLE * most:
        return rows
    sure = sum(each >= LEAST_LIKELY for each in likely) or len(rows)
    return _shortened(rows, sure if sure <= most else max(round(SINGLE * most), 1), root)[:most]


def _shortened(tests: Sequence[Affected], single: int, root: str) -> list[Affected]:
    """Return so many tests by themselves, then the files of the others."""
    rest: dict[str, list[Affected]] = {}
    for row in tests[single:]:
        rest.setdefault(row.place.path, []).append(row)
    files = (rows[0] if len(rows) == 1 else _file(root, path, rows) for path, rows in rest.items())
    return [*tests[:single], *files]


def _file(root: str, path: str, rows: Sequence[Affected]) -> Affected:
    first = rows[0]
    why = f"{plural(len(rows), 'more test')}; {first.place.symbol or 'it'} {first.why}"
    return msgspec.structs.replace(first, place=file_place(root, path, 1), why=why)


def _names(changes: Iterable[SymbolChange]) -> _Names:
    symbols: set[str] = set()
    stems: set[str] = set()
    for change in changes:
        if change.how != "cosmetic":
            stems.add(_stem(change.path))
            symbols.update(row.name.lower() for row in (change.before, change.after) if row is not None)
    return _Names(frozenset(name for name in symbols if len(name) >= LEAST_NAME), frozenset(stems))


def _stem(path: str) -> str:
    return path.rpartition("/")[2].partition(".")[0].lower()


def _likelihood(row: Affected, words: frozenset[str], names: _Names) -> float:
    name = row.place.symbol.lower()
    likely = row.confidence + (IN_LINES if words & names.symbols else 0.0)
    likely += IN_NAME if any(symbol.strip("_") in name for symbol in names.symbols if name) else 0.0
    return likely + (OF_FILE if _TEST_STEM.sub("", _stem(row.place.path)) in names.stems else 0.0)


class _Texts:
    """The words in the lines of tests, in lower case; every file is read once."""

    def __init__(self, root: str) -> None:
        self._root = root
        self._lines: dict[str, list[str]] = {}

    def words(self, row: Affected) -> frozenset[str]:
        """Return the words of a test, or of a whole file."""
        path = row.place.path
        if path not in self._lines:
            content = read(self._root, path, MOST_BYTES) if len(self._lines) < MOST_FILES else None
            self._lines[path] = (content or b"").decode("utf-8", "replace").lower().split("\n")
        lines = self._lines[path]
        if row.place.symbol:
            lines = list(_block(lines[row.place.line - 1 : row.place.line - 1 + MOST_LINES]))
        return frozenset(_WORD.findall("\n".join(lines)))


def _block(lines: Iterable[str]) -> Iterator[str]:
    """Yield the first of some lines and those that are indented below it, as far as they go together."""
    least, is_inside = -1, False
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if line.strip() and line.strip()[0] not in ")]}":
            if least < 0:
                least = indent
            if is_inside and indent <= least:
                return
            is_inside = is_inside or indent > least
        yield line
