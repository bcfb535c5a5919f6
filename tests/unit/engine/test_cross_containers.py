"""Uses of what a library returns in lists, loops, context managers and chains, or offers under a second name."""

# ruff: noqa: E501 - a table: a file is a row

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.trees import git, write

from recollect import Engine


class Pair(NamedTuple):
    """A library, a program that uses it, and by method of the library the functions that use it."""

    library: dict[str, str]
    app: dict[str, str]
    users: dict[str, str]


PAIRS = {
    "python": Pair(
        {
            "pyproject.toml": '[project]\nname = "acme-post"\nversion = "1"\n[build-system]\nrequires = []\n',
            "post/__init__.py": "from post.office import Letter, Office, Size\n",
            "post/office.py": "import enum\nfrom contextlib import contextmanager\n\n\nclass Size(enum.Enum):\n"
            "    SMALL = 1\n\n    @property\n    def price(self):\n        return 1\n\n\n"
            "class Letter:\n    def stamp(self) -> 'Letter':\n        return self\n\n    def weigh(self):\n"
            "        return 1\n\n\nclass Office:\n    def letters(self) -> list[Letter]:\n        return []\n\n"
            "    @contextmanager\n    def counter(self):\n        yield self\n\n    def close(self):\n        pass\n",
        },
        {
            "pyproject.toml": '[project]\nname = "acme-desk"\nversion = "1"\ndependencies = ["acme-post"]\n',
            "desk.py": "from post import Letter, Office, Size\n\n\ndef looped(office: Office):\n"
            "    for letter in office.letters():\n        letter.weigh()\n\n\ndef indexed(office: Office):\n"
            "    return office.letters()[0].weigh()\n\n\ndef listed(office: Office):\n"
            "    return [each.weigh() for each in office.letters()]\n\n\ndef stamped():\n    letter = Letter()\n"
            "    letter = letter.stamp()\n    return letter.weigh()\n\n\ndef entered(office: Office):\n"
            "    with office.counter() as counter:\n        counter.close()\n\n\n"
            "def members():\n    return [size.price for size in Size]\n",
        },
        {
            "post/office.py::Letter.weigh": "looped indexed listed stamped",
            "post/office.py::Office.close": "entered",
            "post/office.py::Size.price": "members",
        },
    ),
    "typescript": Pair(
        {
            "package.json": '{"name": "@acme/post", "version": "1.0.0", "main": "src/index.ts"}\n',
            "src/index.ts": "export class Letter {\n  weigh() { return 1; }\n}\n\nexport class Office {\n"
            "  letters(): Letter[] { return []; }\n}\n\n"
            "export async function fetched(): Promise<Letter[]> {\n  return [];\n}\n",
        },
        {
            "package.json": '{"name": "desk", "version": "1.0.0", "dependencies": {"@acme/post": "^1.0.0"}}\n',
            "src/desk.ts": 'import { Office, fetched } from "@acme/post";\n\nexport function looped(office: Office) {\n'
            "  for (const letter of office.letters()) letter.weigh();\n}\n\nexport async function destructured() {\n"
            "  const [first] = await fetched();\n  return first.weigh();\n}\n",
            "test/desk.test.ts": 'import { describe, it } from "vitest";\nimport { Letter } from "@acme/post";\n\n'
            'describe("desk", () => {\n  it("weighs", () => {\n    new Letter().weigh();\n  });\n'
            '  it("waits", () => {});\n});\n',
        },
        {"src/index.ts::Letter.weigh": "looped destructured desk.weighs !desk.waits !desk"},
    ),
    "rust": Pair(
        {
            "Cargo.toml": '[package]\nname = "acme-post"\nversion = "1.0.0"\n',
            "src/lib.rs": "mod office;\npub use office::*;\n\npub mod prelude {\n    pub use crate::Office;\n}\n",
            "src/office.rs": "pub struct Letter;\n\nimpl Letter {\n    pub fn weigh(&self) -> u32 {\n        1\n    }\n}\n\n"
            "pub trait Clerk {\n    fn serve(&self);\n}\n\npub struct Office<C> {\n    clerk: C,\n    held: Vec<Letter>,\n"
            "}\n\nimpl<C: Clerk> Office<C> {\n    pub fn new(clerk: C) -> Self {\n"
            "        Office { clerk, held: Vec::new() }\n    }\n\n    pub fn work(&self) {\n"
            "        self.clerk.serve();\n        for letter in &self.held {\n            letter.weigh();\n        }\n"
            "    }\n\n    pub fn letters(&self) -> &[Letter] {\n        &self.held\n    }\n}\n",
            "tests/whole.rs": "use acme_post::Office;\n\n#[test]\nfn works() {\n    Office::new(1).work();\n}\n",
        },
        {
            "Cargo.toml": '[package]\nname = "desk"\nversion = "1.0.0"\n[dependencies]\nacme-post = "1"\n',
            "src/lib.rs": "use acme_post as post;\nuse post::{Letter, Office};\n\npub struct Desk {\n    all: Vec<Letter>,\n"
            "}\n\nimpl Desk {\n    pub fn looped(&self) {\n        for letter in self.all.iter() {\n"
            "            letter.weigh();\n        }\n    }\n\n    pub fn mapped(&self) -> u32 {\n"
            "        self.all.iter().map(|letter| letter.weigh()).sum()\n    }\n\n"
            "    pub fn asked<C>(office: &Office<C>) {\n        for letter in office.letters() {\n"
            "            letter.weigh();\n        }\n    }\n}\n",
        },
        {
            "src/office.rs::Letter::weigh": "Office::work Desk::looped Desk::mapped Desk::asked",
            "src/office.rs::Clerk::serve": "Office::work",
            "src/office.rs::Office::work": "works",
        },
    ),
}


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    base = Path(os.path.realpath(tmp_path_factory.mktemp("containers")))
    with Engine(home=str(base / "home"), embed_provider="off", index_workers=1) as opened:
        for language, pair in PAIRS.items():
            for side, files in (("library", pair.library), ("app", pair.app)):
                root = base / language / side
                write(root, files)
                git(root, "init", "-q")
                opened.code.index(str(root))
        yield opened, base


@pytest.mark.parametrize("language", PAIRS)
def test_uses_of_what_a_library_returns_are_found(engine: tuple[Engine, Path], language: str) -> None:
    opened, base = engine
    for symbol, users in PAIRS[language].users.items():
        found = opened.links.impact(f"{base}/{language}/library/{symbol}", depth=1)
        names = {use.node.label for use in (*found.affected, *found.tests)}
        assert {name for name in users.split() if not name.startswith("!")} <= names, symbol
        assert names.isdisjoint(name[1:] for name in users.split() if name.startswith("!")), symbol
        assert not found.is_complete


OWN = (
    "from registry import shelf\n\n\nclass Book:\n    def _title(self):\n        return 1\n\n"
    "    def _page(self):\n        return 1\n\n    def _cover(self):\n        return 1\n\n\n"
    "shelf.add(Book)\n\n\ndef titled():\n    return shelf.first()._title()\n\n\n"
    "def paged():\n    for each in shelf.all():\n        each._page()\n\n\nprint(titled(), paged())\n"
)


def test_a_call_on_what_another_library_returns_may_be_a_use(tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "shop"
    write(root, {"shop.py": OWN})
    with Engine(home=str(tmp_path / "home"), embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(root))
        for name, line in (("_title", 19), ("_page", 24), ("_cover", None)):
            found = opened.links.impact(f"{root}/shop.py::Book.{name}")
            assert [doubt.line for doubt in found.doubts] == ([line] if line else [])
            assert found.is_complete == (line is None)
