"""Symbols are found the way people write their names."""

from __future__ import annotations

import pytest

from recollect.code.search.symbol_lookup import find_symbols, symbol_at
from recollect.store.code_rows import CodeScope
from recollect.store.sql import Store

from .conftest import Index

EVERYWHERE = CodeScope()

FILES = {
    "src/server.py": (
        "class Server:\n    def start(self):\n        pass\n\n    def stop(self):\n        pass\n\n\n"
        "def start_all():\n    pass\n\n\ndef getUserName():\n    pass\n"
    ),
    "src/client.py": "class Client:\n    def start(self):\n        pass\n\n\nSTARTED = 1\n",
    "tests/test_server.py": "class Server:\n    pass\n\n\ndef test_start():\n    pass\n",
    "vendor/server.py": "class Server:\n    pass\n",
}


@pytest.fixture
def indexed(index: Index, store: Store) -> Store:
    index(FILES)
    return store


def found(store: Store, query: str, **options: object) -> list[tuple[str, str, str]]:
    hits = find_symbols(store, query, EVERYWHERE, **options)  # type: ignore[arg-type]
    return [(hit.found.file.path, hit.found.symbol.qualified, hit.how) for hit in hits]


def test_the_exact_name_comes_first_and_what_begins_so_after_it(indexed: Store) -> None:
    hits = found(indexed, "start")
    assert {hit[:2] for hit in hits[:2]} == {("src/server.py", "Server.start"), ("src/client.py", "Client.start")}
    assert [how for *_, how in hits] == ["exact", "exact", "prefix", "prefix"]
    assert {name for _, name, how in hits if how == "prefix"} == {"STARTED", "start_all"}


def test_what_carries_the_project_comes_before_tests_and_copied_code(indexed: Store) -> None:
    assert [path for path, _, _ in found(indexed, "Server")] == [
        "src/server.py",
        "tests/test_server.py",
        "vendor/server.py",
    ]


@pytest.mark.parametrize("query", ["Client.start", "client.start", "Client::start", "client.py/start", "Client#start"])
def test_owners_may_be_written_before_a_name(indexed: Store, query: str) -> None:
    assert found(indexed, query)[0] == ("src/client.py", "Client.start", "exact")
    assert all(path == "src/client.py" for path, _, _ in found(indexed, query))


@pytest.mark.parametrize("query", ["gUN", "gun", "getUsNa", "gU"])
def test_humps_find_a_name(indexed: Store, query: str) -> None:
    assert ("src/server.py", "getUserName", "humps") in found(indexed, query)


@pytest.mark.parametrize("query", ["getUsreName", "getUserNme", "getUserNamee", "gteUserName"])
def test_a_misspelt_name_finds_its_like(indexed: Store, query: str) -> None:
    assert found(indexed, query) == [("src/server.py", "getUserName", "fuzzy")]


@pytest.mark.parametrize("query", ["getNothing", "xyz", "getUsXXXName", "...", "::", "a"])
def test_what_is_not_there_is_not_found(indexed: Store, query: str) -> None:
    assert found(indexed, query) == []


def test_kinds_and_limits_hold(indexed: Store) -> None:
    assert {name for _, name, _ in found(indexed, "start", kinds=("Function",))} == {"start_all"}
    assert len(found(indexed, "start", limit=2)) == 2


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        ("src/server.py:2", ["Server.start"]),
        ("src/server.py:1", ["Server"]),
        ("src/server.py:7", []),
        ("src/server.py:9999", []),
        ("src/server.py::Server.stop", ["Server.stop"]),
        ("src/nowhere.py::Server", []),
        ("Server", []),
        ("::", []),
    ],
)
def test_a_place_means_the_symbol_there(indexed: Store, reference: str, expected: list[str]) -> None:
    assert [hit.symbol.qualified for hit in symbol_at(indexed, reference, EVERYWHERE)] == expected


def test_an_id_means_its_symbol(indexed: Store) -> None:
    hit = find_symbols(indexed, "Client.start", EVERYWHERE)[0]
    assert symbol_at(indexed, hit.found.node, EVERYWHERE) == [hit.found]
    assert symbol_at(indexed, hit.found.node.removeprefix("sym:"), EVERYWHERE) == [hit.found]
    assert symbol_at(indexed, hit.found.node, CodeScope(trees=())) == []
