"""The index entry and the program of a file come from one parse, and are those of two separate readings."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Engine
from recollect.code.index import page
from recollect.code.index.file_reader import Task, read
from recollect.code.links.file_programs import read_both, translate
from recollect.store.code_rows import IndexedFile

SOURCES = {
    "a.py": "import b\n\nclass A:\n    def run(self):\n        return b.go(self)\n",
    "a.ts": "import { go } from './b'\nexport class A { run(): void { go(this) } }\n",
    "A.java": "package p;\nclass A { int run(B b) { return b.go(this); } }\n",
    "a.go": "package p\n\ntype A struct{ b *B }\n\nfunc (a *A) Run() { a.b.Go() }\n",
    "a.rb": "class A\n  def run(b)\n    b.go(self)\n  end\nend\n",
    "a.rs": "use crate::b::go;\n\npub struct A;\n\nimpl A {\n    pub fn run(&self) { go(self) }\n}\n",
    "a.zig": 'const b = @import("b.zig");\n\npub fn run() void {\n    b.go();\n}\n',
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in SOURCES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("name", SOURCES)
def test_one_pass_finds_what_two_find(tree: Path, name: str) -> None:
    alone = read(str(tree), Task(name), 10_000)
    assert isinstance(alone, IndexedFile)
    program = translate(str(tree), Task(name, 0, alone.hash, alone.symbols), 10_000)
    file, touched, found = read_both(str(tree), Task(name), 10_000)
    assert touched is None
    assert file is not None
    assert file._replace(mtime_ns=0) == alone._replace(mtime_ns=0)
    assert found == program
    assert program.content


@pytest.mark.parametrize("name", SOURCES)
def test_one_pass_parses_a_file_once(tree: Path, name: str) -> None:
    page._parsed_text.cache_clear()
    read_both(str(tree), Task(name), 10_000)
    assert page._parsed_text.cache_info().misses <= 1  # Python has a parser of its own


def test_linking_with_the_index_reads_no_program_again(tree: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect.code.links import tree_linking

    read: list[str] = []
    original = tree_linking.read_all

    def counted(root: str, tasks: list[Task], **options: object) -> object:
        read.extend(task.path for task in tasks)
        return original(root, tasks, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(tree_linking, "read_all", counted)
    with Engine(home=str(home), embed_provider="off") as engine:
        done = engine.code.index(str(tree), link=True, force=True)
        assert done.linked == len(SOURCES)
        assert read == []
        (tree / "a.go").write_text(SOURCES["a.go"] + "\nfunc more() {}\n")
        engine.code.index(str(tree), force=True)
        assert engine.links.refresh() == ()
        assert read == ["a.go"]


def test_indexing_says_which_files_are_linked_by_names_alone(tmp_path: Path, home: Path) -> None:
    (tmp_path / "broken.py").write_text(
        "def used():\n    pass\n\n\ndef user():\n    used()\n\nx = = 1\n", encoding="utf-8"
    )
    with Engine(home=str(home), embed_provider="off") as engine:
        notes = engine.code.index(str(tmp_path), link=True, force=True).notes
        found = engine.links.dependencies("user")
    assert [note for note in notes if note.startswith("broken.py: Python 3.") and "by names alone" in note]
    assert [use.node.label for use in found.uses] == ["used"]
