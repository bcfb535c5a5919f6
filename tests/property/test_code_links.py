"""Links after any number of edits, renames and deletions are those of a tree that is linked afresh."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from recollect import Engine
from recollect.code.links import link_groups, tree_linking
from recollect.errors import Cancelled
from recollect.model import File, Tree
from recollect.progress import reporting_to

PATHS = st.sampled_from(["app/a.py", "app/b.py", "app/sub/c.py", "app/__init__.py", "main.py", "lib/d.go", "lib/e.go"])
NAMES = st.sampled_from(["run", "stop", "open", "shut", "Box"])
# Ways to a function or an attribute besides a plain call; what holds the place of a name is drawn.
WAYS = st.sampled_from(
    [
        "    def keep(self):\n        self.kept = {}()\n",
        "    def keep(self):\n        return self.kept.go()\n",
        "    def late(self):\n        return getattr(Box(), '{}')()\n",
        "    def {}(self):\n        return self\n",
        "    @{}\n    def dressed(self):\n        pass\n",
    ]
)


@st.composite
def sources(draw: Any) -> tuple[str, str]:
    """Draw a path and what stands in it: definitions, imports of others, and calls."""
    path = draw(PATHS)
    names = draw(st.lists(NAMES, min_size=0, max_size=3, unique=True))
    called = draw(st.lists(NAMES, max_size=2))
    if path.endswith(".go"):
        calls = "".join(f"\t{name}()\n" for name in called)
        return path, "package lib\n" + "".join(f"\nfunc {name}() {{\n{calls}}}\n" for name in names)
    imports = draw(
        st.lists(st.sampled_from(["app.a", "app.b", "app.sub.c", "app", "app.sub"]), max_size=2, unique=True)
    )
    lines = [f"from {module} import {draw(NAMES | st.sampled_from(['a', 'c']))}" for module in imports]
    for name in names:
        calls = "".join(f"        {other}()\n" for other in called) or "        pass\n"
        ways = "".join(way.format(draw(NAMES)) for way in draw(st.lists(WAYS, max_size=2)))
        given = draw(st.sampled_from(["        pass\n", "    return Box\n", f"    return {draw(NAMES)}()\n"]))
        is_class = name == "Box"
        head = f"class {name}:\n    def go(self):\n" if is_class else f"def {name}(*given):\n    if 1:\n"
        lines.append(head + calls + (ways if is_class else given))
    return path, "\n".join(lines) + "\n"


class EditedTree(RuleBasedStateMachine):
    """A tree that people work in, linked now and then, and sometimes stopped in the middle."""

    folder: Path

    def __init__(self) -> None:
        super().__init__()
        self.home = self.folder / str(len(list(self.folder.iterdir())))
        self.root = self.home / "tree"
        self.root.mkdir(parents=True)
        self.engine = Engine(home=str(self.home / "home"), embed_provider="off", index_workers=1)

    @rule(drawn=sources())
    def write(self, drawn: tuple[str, str]) -> None:
        file = self.root / drawn[0]
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(drawn[1], encoding="utf-8")

    @rule(path=PATHS)
    def delete(self, path: str) -> None:
        (self.root / path).unlink(missing_ok=True)

    @rule(one=PATHS, other=PATHS)
    def rename(self, one: str, other: str) -> None:
        if (self.root / one).exists() and one[-3:] == other[-3:]:
            (self.root / other).parent.mkdir(parents=True, exist_ok=True)
            (self.root / one).replace(self.root / other)

    @rule()
    def index(self) -> None:
        self.engine.code.index(str(self.root), rebuild=False)

    @rule(steps=st.integers(0, 4))
    def stopped_while_linking(self, steps: int) -> None:
        left = [steps]

        def listen(*_: object) -> None:
            left[0] -= 1
            if left[0] < 0:
                raise Cancelled("enough")

        self.engine.code.index(str(self.root))
        try:
            with reporting_to(listen):
                self.engine.links.refresh()
        except Cancelled:
            pass

    @invariant()
    def links_are_those_of_a_fresh_tree(self) -> None:
        self.engine.code.index(str(self.root))
        self.engine.links.refresh()
        fresh_home = self.home / "fresh"
        with Engine(home=str(fresh_home), embed_provider="off", index_workers=1) as fresh:
            fresh.code.index(str(self.root))
            fresh.links.refresh()
            expected = kept(fresh)
        shutil.rmtree(fresh_home)
        assert kept(self.engine) == expected

    def teardown(self) -> None:
        self.engine.close()


def kept(engine: Engine) -> dict[str, Any]:
    """Return the links of every file, by its path."""
    store: Any = engine.store
    files = {file.id: file.path for file in store.find(File)}
    assert all(tree_linking.is_linked(store, tree) for tree in store.find(Tree))
    edges, sites = store.file_edges(list(files)), store.file_sites(list(files))
    return {path: (edges.get(number), sites.get(number)) for number, path in files.items()}


@pytest.mark.parametrize("group_bytes", [link_groups.GROUP_BYTES, 400], ids=["whole", "in groups"])
def test_links_follow_every_change(group_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_groups, "GROUP_BYTES", group_bytes)
    machine = type("Machine", (EditedTree,), {"folder": tmp_path})
    run_state_machine_as_test(machine, settings=settings(max_examples=5, stateful_step_count=12))
