"""Line shifts: the links of a file follow an edit that moves its lines, without being found again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect import Engine
from recollect.code.links import tree_linking
from recollect.code.links.file_programs import translated
from recollect.code.links.line_shifts import line_shift, shifted_sites
from recollect.model import File, Tree

SOURCE = """import lib

class Box:
    def go(self):
        return lib.make(self.missing())

def run(box: Box):
    box.go()
"""


def _shift(old: str, new: str) -> dict[int, int] | None:
    return line_shift(*[translated("a.py", text.encode()).content for text in (old, new)])


def test_a_comment_and_a_docstring_shift_lines() -> None:
    assert _shift(SOURCE, "# a comment\n" + SOURCE) == {0: 0, 1: 2, 3: 4, 4: 5, 5: 6, 7: 8, 8: 9}
    shifted = _shift(SOURCE, SOURCE.replace("(self):\n", '(self):\n        """Go."""\n'))
    assert shifted == {0: 0, 1: 1, 3: 3, 4: 4, 5: 6, 7: 8, 8: 9}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("lib.make(", "lib.made("),
        ("    box.go()\n", "    box.go()\n    box.go()\n"),
        ("    box.go()\n", "    if box: box.go()\n"),
        ("def run(box: Box)", "def run(box)"),
    ],
)
def test_any_other_edit_is_none(old: str, new: str) -> None:
    assert old in SOURCE
    assert _shift(SOURCE, SOURCE.replace(old, new)) is None


def test_lines_that_change_their_order_are_none() -> None:
    one, other = "def f():\n    g()\n", "def g():\n    f()\n"
    assert _shift(one + other, other + one) is None


def _kept(engine: Engine) -> tuple[Any, dict[str, Any]]:
    engine.links.refresh()
    store: Any = engine.store
    files = {file.id: file.path for file in store.find(File)}
    links = store.packed_links(list(files))
    return store.link_digests(store.find(Tree)[0].id), {files[number]: row[2:] for number, row in links.items()}


def test_only_the_file_whose_lines_move_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "lib.py").write_text("def make(of):\n    return of\n", encoding="utf-8")
    (tree / "a.py").write_text(SOURCE, encoding="utf-8")
    with Engine(home=str(tmp_path / "home"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(tree))
        digests, _ = _kept(engine)
        (tree / "a.py").write_text("# a comment\n" + SOURCE, encoding="utf-8")
        engine.code.index(str(tree))
        with monkeypatch.context() as patch:
            patch.setattr(tree_linking, "solve_all", lambda modules, tasks, count: iter(list(tasks) and 1 / 0))
            after, links = _kept(engine)
        assert after == digests
    with Engine(home=str(tmp_path / "other"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(tree))
        assert _kept(engine)[1] == links


def test_sites_of_another_program_stay() -> None:
    assert shifted_sites(b"\x91\xc4\x00", {}) is not None
    one = b"\x92\xc4\x00\xc4\x04\x01\x00\x00\x00"
    assert shifted_sites(one, {0: 0}) is None
    assert shifted_sites(one, {1: 3}) is not None
