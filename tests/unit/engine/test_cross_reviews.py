"""Reviews of a library that another repository uses: moved files, removed re-exports, methods of unknown objects."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.trees import git, write
from tests.unit.engine.test_cross_links import PAIRS, PYTHON

from recollect import Engine
from recollect.code.code_records import Review


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off", index_workers=1) as opened:
        yield opened


def committed(base: Path, files: dict[str, str]) -> Path:
    """Write a program and a library that it uses, commit the library, and return its folder."""
    write(base, files)
    root = base / "library"
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    return root


def index(engine: Engine, base: Path) -> None:
    for name in ("app", "library"):
        engine.code.index(str(base / name))


def broken(found: Review) -> set[str]:
    return {re.split(r"[.:]", row.place.symbol)[-1] for row in found.affected if row.why.startswith("broken: ")}


class Move(NamedTuple):
    """A moved file, edits that correct its library, code that names its old place, and the users that break."""

    old: str
    new: str
    edits: dict[str, tuple[str, str]]
    more: dict[str, str]
    broken: set[str]


JAVA_SOURCES = "library/src/main/java/com/acme"
MOVES = {
    "python": Move(
        "library/src/ledger/totals.py", "library/src/ledger/sums/totals.py",
        {"library/src/ledger/__init__.py": ("ledger.totals", "ledger.sums.totals"),
         "library/src/ledger/sums/totals.py": ("return sum(", "return 0 + sum(")},
        {"library/src/ledger/sums/__init__.py": "", "app/shop/old.py": "from ledger.totals import compute_total\n\n\n"
         "def old(cart):\n    return compute_total(cart)\n"},
        {"old"},
    ),
    "typescript": Move(
        "library/src/totals.ts", "library/src/sums/totals.ts",
        {"library/src/index.ts": ("./totals", "./sums/totals")},
        {"app/src/old.ts": 'import { computeTotal } from "@acme/ledger/src/totals";\n\n'
         "export function old(items: number[]) {\n  return computeTotal(items);\n}\n"},
        {"old"},
    ),
    "rust": Move(
        "library/src/totals.rs", "library/src/sums/totals.rs",
        {"library/src/lib.rs": (
            "mod totals;\npub use client::Client;\npub use ",
            "mod sums;\npub use client::Client;\npub use sums::",
        )},
        {"library/src/sums/mod.rs": "pub mod totals;\n", "app/src/old.rs": "pub fn old(items: &[u32]) -> u32 {\n"
         "    acme_ledger::totals::compute_total(items)\n}\n"},
        {"old"},
    ),
    "java": Move(
        f"{JAVA_SOURCES}/ledger/Totals.java", f"{JAVA_SOURCES}/sums/Totals.java",
        {f"{JAVA_SOURCES}/sums/Totals.java": ("package com.acme.ledger", "package com.acme.sums")},
        {f"{JAVA_SOURCES}/ledger/Near.java": "package com.acme.ledger;\n\npublic class Near {\n"
         "    int near(int[] items) {\n        return Totals.computeTotal(items);\n    }\n}\n"},
        {"checkout", "near"},
    ),
    "go": Move(
        "library/client/client.go", "library/user/client.go",
        {"library/user/client.go": ("package client", "package user")},
        {"library/client/more.go": "package client\n\nfunc More() *Client {\n\treturn nil\n}\n",
         "library/own.go": 'package ledger\n\nimport "example.com/acme/ledger/client"\n\nfunc Own() int {\n'
         "\tclient.More()\n\treturn client.New().Send(1)\n}\n"},
        {"Checkout", "More", "Own"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", MOVES)
def test_a_moved_file_breaks_only_what_names_its_old_place(engine: Engine, base: Path, language: str) -> None:
    move = MOVES[language]
    root = committed(base, {**PAIRS[language].files, **move.more})
    (base / move.new).parent.mkdir(exist_ok=True)
    (base / move.old).rename(base / move.new)
    for path, (before, after) in move.edits.items():
        write(base, {path: (base / path).read_text().replace(before, after)})
    git(root, "add", "-AN")
    index(engine, base)
    found = engine.survey.review(path=str(root))
    assert broken(found) == move.broken
    order = [row.why.startswith("broken: ") for row in found.affected]
    assert order == sorted(order, reverse=True)
    assert move.old.removeprefix("library/") in {row.was.partition("::")[0] for row in found.changes if row.was}


# Re-exports of the total, and code of the library that uses one.
EXPORTS = {
    "python": ("src/ledger/__init__.py", "from ledger import compute_total\n\n\ndef own():\n    compute_total([])\n"),
    "typescript": (
        "src/index.ts",
        'import { computeTotal } from ".";\n\nexport function own() {\n  computeTotal([]);\n}',
    ),
    "rust": ("src/lib.rs", "use crate::compute_total;\n\npub fn own() {\n    compute_total(&[]);\n}\n"),
}


# How a re-export names the total, and everything.
STARS = {
    "python": ("import compute_total", "import *"),
    "typescript": ("{ computeTotal }", "*"),
    "rust": ("compute_total;", "*;"),
}


@pytest.mark.parametrize("is_star", [False, True])
@pytest.mark.parametrize("language", EXPORTS)
def test_a_removed_export_breaks_what_imports_it_from_there(
    engine: Engine, base: Path, language: str, is_star: bool
) -> None:
    place, own = EXPORTS[language]
    name = PAIRS[language].total
    user = str(Path(place).with_name(f"own{Path(place).suffix}"))
    files = PAIRS[language].files
    text = files[f"library/{place}"].replace(*STARS[language] if is_star else "  ")
    root = committed(base, {**files, f"library/{user}": own, f"library/{place}": text})
    index(engine, base)
    (root / place).write_text("\n".join(line for line in text.split("\n") if ("*" if is_star else name) not in line))
    for expected in ({"checkout"}, {"checkout", "own"}):
        found = engine.survey.review(path=str(root))
        (change,) = [row for row in found.changes if row.change == "removed"]
        assert (change.symbol, change.why.partition(";")[0]) == (name, "re-export removed")
        assert broken(found) - {"own"} == {"checkout"}
        assert broken(found) >= expected
        index(engine, base)


def test_a_name_that_leaves_a_module_inside_of_a_file_breaks_what_imports_it_from_there(
    engine: Engine, base: Path
) -> None:
    files, place = PAIRS["rust"].files, "library/src/lib.rs"
    inner = "pub mod prelude {\n    pub use crate::compute_total;\n}\n"
    user = "use acme_ledger::prelude::*;\n\npub fn bill() {\n    compute_total(&[]);\n}\n"
    root = committed(base, {**files, place: files[place] + inner, "app/src/bill.rs": user})
    index(engine, base)
    write(base, {place: files[place] + inner.replace("    pub use crate::compute_total;\n", "")})
    for _ in ("before it is indexed", "after"):
        assert broken(engine.survey.review(path=str(root))) == {"bill"}
        index(engine, base)


@pytest.mark.parametrize("language", PAIRS)
def test_users_of_a_renamed_function_are_broken_before_and_after_it_is_indexed(
    engine: Engine, base: Path, language: str
) -> None:
    pair = PAIRS[language]
    root = committed(base, pair.files)
    index(engine, base)
    place = root / pair.place
    place.write_text(place.read_text().replace(pair.total, f"{pair.total}2"))
    for _ in ("before it is indexed", "after"):
        found = engine.survey.review(path=str(root))
        assert {name.lower() for name in broken(found) if name} >= {"checkout"}
        ours = {re.split(r"[.:]", row.place.symbol)[-1] for row in found.affected if pair.place in row.place.path}
        assert broken(found).isdisjoint(ours)  # they were renamed, too
        assert all(row.why.startswith("broken: ") for row in found.tests if row.depth == 1 and "calls" in row.why)
        index(engine, base)


def test_calls_on_unknown_objects_of_another_repository_are_possible_uses(engine: Engine, base: Path) -> None:
    keeping = "import ledger\n\n\ndef keep(thing):\n    return thing.send(1)\n"
    root = committed(base, {**PYTHON, "app/shop/keep.py": keeping})
    index(engine, base)
    place = root / "src/ledger/client.py"
    (doubt,) = engine.links.impact(f"{place}::Client.send").doubts
    assert doubt.path == f"{base}/app/shop/keep.py"
    place.write_text(place.read_text().replace("def send", "def send_all"))
    for gone in ("", ", which is gone"):
        (keep,) = (row for row in engine.survey.review(path=str(root)).affected if row.confidence < 0.5)
        assert (keep.place.symbol, keep.why) == ("keep", f"may call Client.send{gone}")
        index(engine, base)


def test_a_library_without_links_of_its_own_is_linked(engine: Engine, base: Path) -> None:
    root = committed(base, {path: text for path, text in PYTHON.items() if not path.endswith("__init__.py")})
    write(base, {"library/src/ledger/__init__.py": "", "app/shop/keep.py": "from ledger.totals import compute_total\n"})
    index(engine, base)
    place = root / "src/ledger/totals.py"
    place.write_text(place.read_text().replace("return sum(", "return 0 + sum("))
    found = engine.survey.review(path=str(root))
    assert not any("not linked" in note for note in found.notes)
    assert "callers unknown" not in found.changes[0].why
