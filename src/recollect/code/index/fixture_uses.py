"""Uses that a test framework adds: no call in the code shows them.

pytest     a parameter named like a fixture of the same file or of a conftest.py in a folder above; autouse
unittest   setUp, tearDown and similar methods of the test class
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.store.code_rows import SymbolRow, symbol_keys

SETUPS = frozenset(
    "setUp tearDown setUpClass tearDownClass asyncSetUp asyncTearDown setup_method teardown_method setup_class "
    "teardown_class".split()
)
MODULE_SETUPS = frozenset({"setup_module", "teardown_module", "setup_function", "teardown_function"})
_FIXTURE = re.compile(r"(?:\w+\.)*(?:fixture|yield_fixture)\b")
_NAMED = re.compile(r"""\bname\s*=\s*["'](\w+)["']""")
_AUTOUSE = re.compile(r"\bautouse\s*=\s*True\b")
_USED = re.compile(r"(?:\w+\.)*usefixtures\((.*)\)", re.DOTALL)
_WORDS = re.compile(r"""["'](\w+)["']""")
_PARAMETER = re.compile(r"[(,]\s*\*{0,2}(\w+)\s*(?=[,:=)])")
_NESTED = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|\"[^\"]*\"|'[^']*'")


class Hidden(NamedTuple):
    """A use without a call: the user and what it uses, each as path and key."""

    user: tuple[str, str]
    used: tuple[str, str]


class _Fixture(NamedTuple):
    name: str
    folder: str  # it can be used below this folder …
    path: str  # … or in this file alone, if it is in no conftest.py
    key: str
    is_automatic: bool


def hidden_uses(files: Mapping[str, Sequence[SymbolRow]]) -> Iterator[Hidden]:
    """Yield the uses that no call shows, of tests and fixtures in Python files.

    files: the symbols of test files by path. Of several fixtures with one name the nearest is used
    """
    keyed = {path: list(zip(symbol_keys(rows), rows, strict=True)) for path, rows in files.items()}
    fixtures: dict[str, list[_Fixture]] = {}
    for path, rows in keyed.items():
        for key, row in rows:
            found = _fixture(path, key, row)
            if found is not None:
                fixtures.setdefault(found.name, []).append(found)
    automatic = [each for named in fixtures.values() for each in named if each.is_automatic]
    for path, rows in keyed.items():
        for key, row in rows:
            if row.kind not in ("Function", "Method", "Test"):
                continue
            is_fixture = _fixture(path, key, row) is not None
            if row.test or is_fixture:
                yield from _requested(path, key, row, fixtures)
            if row.test:
                yield from (Hidden((path, key), (each.path, each.key)) for each in automatic if _reaches(each, path))
                yield from _prepared(path, key, row, rows)


def _requested(path: str, key: str, row: SymbolRow, fixtures: Mapping[str, list[_Fixture]]) -> Iterator[Hidden]:
    names = [*parameters(row.signature), *(name for text in row.decorators for name in _used(text))]
    for name in dict.fromkeys(names):
        usable = [
            each for each in fixtures.get(name, ()) if _reaches(each, path) and (each.path, each.key) != (path, key)
        ]
        if usable:
            nearest = max(usable, key=lambda each: (each.path == path, len(each.folder)))
            yield Hidden((path, key), (nearest.path, nearest.key))


def _prepared(path: str, key: str, row: SymbolRow, rows: Sequence[tuple[str, SymbolRow]]) -> Iterator[Hidden]:
    """Yield the functions that run before and after a test of a class, or of a file."""
    for other, candidate in rows:
        beside = candidate.parent == row.parent and candidate.name in SETUPS
        if other != key and (beside or (candidate.parent < 0 and candidate.name in MODULE_SETUPS)):
            yield Hidden((path, key), (path, other))


def parameters(signature: str) -> list[str]:
    """Return the parameter names of a Python signature."""
    text = signature.partition("->")[0]
    for _ in range(4):  # brackets of types lie in each other
        text, count = _NESTED.subn("", text)
        if not count:
            break
    return [name for name in _PARAMETER.findall(text) if name not in ("self", "cls")]


def is_fixture(row: SymbolRow) -> bool:
    """Tell whether a symbol is a fixture."""
    return any(_FIXTURE.match(text) for text in row.decorators)


def _fixture(path: str, key: str, row: SymbolRow) -> _Fixture | None:
    decorator = next((text for text in row.decorators if _FIXTURE.match(text)), None)
    if decorator is None:
        return None
    named = _NAMED.search(decorator)
    folder = posixpath.dirname(path) if posixpath.basename(path) == "conftest.py" else "\0"
    return _Fixture(named[1] if named else row.name, folder, path, key, bool(_AUTOUSE.search(decorator)))


def _reaches(fixture: _Fixture, path: str) -> bool:
    if fixture.folder == "\0":
        return fixture.path == path
    return not fixture.folder or path.startswith(fixture.folder + "/")


def _used(decorator: str) -> list[str]:
    match = _USED.match(decorator)
    return _WORDS.findall(match[1]) if match else []
