"""What code uses and what uses it: links are made when they are asked about, and answers say what is not known."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import write

from recollect import Engine
from recollect.errors import AmbiguousName, NotFound
from recollect.model import Tree
from recollect.model.graph_answer import Dependencies, Impact
from recollect.render import to_text

FILES = {
    "shop/__init__.py": "",
    "shop/cart.py": """from shop.price import total


class Cart:
    def __init__(self):
        self.items = []

    def add(self, item):
        self.items.append(item)

    def sum(self):
        return total(self.items)


def _never():
    pass


def offer(cart: Cart):
    cart.add(1)
    return cart.sum()
""",
    "shop/price.py": """import json


def total(items):
    return json.dumps(items)
""",
    "shop/odd.py": """def pay(thing):
    thing.add(1)
    thing.sum()


class Purse:
    def add(self, coin):
        pass
""",
    "tests/test_cart.py": """from shop.cart import Cart, offer


def test_offer():
    offer(Cart())
""",
}


@pytest.fixture
def root(engine: Engine, tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    for path, content in FILES.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")
    engine.code.index(str(folder), namespace="shop")
    return folder


def uses(found: Dependencies | Impact) -> dict[str, tuple[str, int]]:
    rows = found.uses if isinstance(found, Dependencies) else found.affected
    return {row.node.label: (row.relationship, row.depth) for row in rows}


@pytest.mark.promise("E-get_dependencies")
def test_what_a_symbol_uses_comes_with_lines_and_confidence(engine: Engine, root: Path) -> None:
    found = engine.links.dependencies("Cart.sum")
    (use,) = found.uses
    assert (use.node.label, use.node.path, use.node.line) == ("total", "shop/price.py", 4)
    assert (use.relationship, use.lines, use.depth) == ("CALLS", (12,), 1)
    assert 0.9 < use.confidence <= 1
    assert use.how == "import"
    assert found.total == 1


def test_a_file_is_asked_about_with_all_it_holds(engine: Engine, root: Path) -> None:
    found = engine.links.dependencies("shop/cart.py", depth=2)
    assert uses(found)["total"] == ("CALLS", 1)
    assert ("IMPORTS", 1) in {(row.relationship, row.depth) for row in found.uses if row.node.path == "shop/price.py"}
    outside = engine.links.dependencies("shop/price.py").outside
    assert {row.name for row in outside} >= {"json"}


def test_a_file_is_found_by_the_end_of_its_path(engine: Engine, root: Path) -> None:
    assert engine.links.impact("price.py").node == engine.links.impact("shop/price.py").node
    with pytest.raises(NotFound, match=r"no symbol price\.py") as problem:
        engine.code.symbol("price.py")
    assert problem.value.hint.startswith("shop/price.py is a file")
    (root / "price.py").touch()
    (root / "lib").mkdir()
    (root / "lib/price.py").touch()
    engine.code.index(str(root), namespace="shop")
    assert engine.links.impact("price.py").node.path == "price.py"
    (root / "price.py").unlink()
    engine.code.index(str(root), namespace="shop")
    with pytest.raises(AmbiguousName, match="2 definitions"):
        engine.links.impact("price.py")


def test_all_definitions_of_a_name_are_listed_without_aliases(engine: Engine, tmp_path: Path) -> None:
    files = {
        "lib/std/testing.zig": "pub fn expect(ok: bool) !void {\n    if (!ok) return error.Failed;\n}\n",
        "lib/std/zig/parser.zig": "fn expect(p: *Parser, tag: u8) !u8 {\n    return tag;\n}\n",
        "lib/std/zig/lexer.zig": "const expect = std.testing.expect;\n",
        **{f"lib/std/more/n{number}.zig": "fn expect(p: u8) u8 {\n    return p;\n}\n" for number in range(25)},
    }
    write(tmp_path / "zig", files)
    engine.code.index(str(tmp_path / "zig"), namespace="zig")
    with pytest.raises(AmbiguousName, match="27 definitions") as problem:
        engine.links.impact("expect")
    first, *others = problem.value.details["definitions"]
    assert first == "lib/std/testing.zig::expect"  # the public one
    assert len(others) == 26
    assert "lexer" not in " ".join(others)
    assert problem.value.hint.endswith(" and 17 more.")


def test_files_that_were_read_in_part_are_named(engine: Engine, root: Path) -> None:
    assert not engine.code.symbol("total").notes
    (root / "shop/odd.py").write_text("def pay(thing:\n    total([])\n\n\ndef rest():\n    pass\n", encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    assert engine.code.symbol("total").notes == ("1 file of its language could be read only in part",)
    assert "1 file of its language could be read only in part" in engine.links.impact("total").verdict
    (note, *_) = engine.code.symbol("rest").notes
    assert note.startswith("part of its file could not be read (syntax error at line 1")
    assert note in to_text(engine.code.symbol("rest"))


def test_what_uses_a_symbol_is_the_other_direction(engine: Engine, root: Path) -> None:
    found = engine.links.dependencies("Cart.sum", direction="in", depth=2)
    assert uses(found) == {"offer": ("CALLS", 1), "test_offer": ("CALLS", 2)}


def test_only_links_of_some_relationships_are_followed(engine: Engine, root: Path) -> None:
    found = engine.links.dependencies("shop/cart.py", relationships=("IMPORTS",))
    assert {row.relationship for row in found.uses} == {"IMPORTS"}


@pytest.mark.promise("E-get_impact")
def test_impact_names_users_by_distance_tests_and_files(engine: Engine, root: Path) -> None:
    found = engine.links.impact("total")
    assert uses(found)["Cart.sum"] == ("CALLS", 1)
    assert uses(found)["offer"] == ("CALLS", 2)
    assert [row.node.label for row in found.tests] == ["test_offer"]
    assert found.by_depth[0] >= 1
    assert "tests/test_cart.py" in found.files


def test_what_helps_tests_is_listed_with_them_and_after_other_callers(engine: Engine, root: Path) -> None:
    helped = """from shop.cart import Cart


def _filled():
    cart = Cart()
    cart.sum()
    return cart


def test_filled():
    assert _filled()
"""
    (root / "tests/test_a_first.py").write_text(helped, encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    found = engine.links.impact("Cart.sum")
    assert [row.node.label for row in found.affected if row.depth == 1] == ["offer", "_filled"]
    assert [row.node.label for row in found.tests][-1] == "_filled"
    assert "offer" not in {row.node.label for row in found.tests}
    assert [name.rpartition("::")[2] for name in engine.code.symbol("Cart.sum").callers] == ["offer", "_filled"]


def test_the_confidence_of_impact_falls_along_the_way(engine: Engine, root: Path) -> None:
    found = {row.node.label: row.confidence for row in engine.links.impact("total").affected}
    assert found["test_offer"] <= found["offer"] <= found["Cart.sum"] < 1
    assert "test_offer" not in uses(engine.links.impact("total", min_confidence=found["Cart.sum"]))


def test_possible_uses_are_listed_apart_from_certain_ones(engine: Engine, root: Path) -> None:
    found = engine.links.impact("Cart.add")
    assert "pay" not in uses(found)
    assert ("shop/odd.py", 2) in {(doubt.path, doubt.line) for doubt in found.doubts}
    assert not found.is_complete


def test_a_name_in_another_language_is_no_use(engine: Engine, root: Path) -> None:
    (root / "Till.java").write_text("class Till {\n  void ring(Drawer d) { d.add(1); }\n}\n", encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    found = {doubt.path for doubt in engine.links.impact("Cart.add").doubts}
    assert "shop/odd.py" in found
    assert "Till.java" not in found


def test_no_users_says_whether_that_is_known(engine: Engine, root: Path) -> None:
    never = engine.links.impact("_never")
    assert (never.total, never.is_complete) == (0, True)
    assert "no indexed code uses it" in never.verdict
    unused = engine.links.impact("pay")
    assert (unused.total, unused.is_complete) == (0, False)
    assert "public" in unused.verdict


@pytest.mark.promise("E-get_dependencies")
def test_packages_and_their_files_are_part_of_the_same_graph(engine: Engine, root: Path) -> None:
    manifest = '[project]\nname = "shop"\nversion = "1"\ndependencies = ["httpx"]\n'
    (root / "pyproject.toml").write_text(manifest, encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    found = engine.links.dependencies("pypi:shop")
    assert uses(found)["pypi:httpx"] == ("DEPENDS_ON", 1)


@pytest.mark.promise("E-get_clusters")
def test_clusters_and_ranks_see_code(engine: Engine, root: Path) -> None:
    found = engine.graph.clusters(kinds=("Function", "Method", "Class", "Test"), relationships=("CALLS", "CONTAINS"))
    members = {node.label for cluster in found.clusters for node in cluster.members}
    assert {"Cart", "Cart.sum", "total"} <= members
    ranked = engine.graph.pagerank(kinds=("Function", "Method"), relationships=("CALLS",), limit=1)
    assert ranked.nodes[0].node.label == "total"


def test_memories_of_what_is_affected_are_named(engine: Engine, root: Path) -> None:
    memory = engine.memories.store("Totals are computed without tax", namespace="shop").memory
    symbol = engine.code.symbol("Cart.sum").symbol.id
    engine.memories.associate(memory.id, symbol, relationship="EXPLAINS")
    found = engine.links.impact("total")
    assert [node.memory_id for node in found.memories] == [memory.id]
    walked = engine.graph.traverse(memory.id)
    assert symbol in {visit.node.id for visit in walked.nodes}
    assert {visit.node.path for visit in walked.nodes if visit.node.id == symbol} == {"shop/cart.py"}


def test_links_follow_an_edit_of_either_side(engine: Engine, root: Path) -> None:
    engine.links.impact("total")
    (root / "shop/price.py").write_text("\n\n\ndef total(items):\n    return 1\n", encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    assert uses(engine.links.impact("total"))["Cart.sum"] == ("CALLS", 1)
    (root / "shop/cart.py").write_text("x = 1\n", encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    assert "Cart.sum" not in uses(engine.links.impact("total"))


def test_a_symbol_is_shown_with_its_callers_though_nothing_was_linked(engine: Engine, root: Path) -> None:
    card = engine.code.symbol("Cart.sum")
    assert (card.callers_total, card.callees_total) == (1, 1)
    assert card.callers[0].endswith("shop/cart.py::offer")
    assert card.callees[0].endswith("shop/price.py::total")


def test_callers_follow_an_edit(engine: Engine, root: Path) -> None:
    assert engine.code.symbol("total").callers_total == 1
    (root / "shop/price.py").write_text(
        "def total(items):\n    return 1\n\n\ndef twice():\n    total(2)\n", encoding="utf-8"
    )
    engine.code.index(str(root), namespace="shop")
    assert engine.code.symbol("total").callers_total == 2


def test_a_class_is_called_by_what_makes_instances_of_it(engine: Engine, root: Path) -> None:
    card = engine.code.symbol("Cart")
    assert [name.rpartition("::")[2] for name in card.callers] == ["test_offer"]


def test_linking_can_be_asked_for_with_the_index(engine: Engine, root: Path) -> None:
    assert engine.code.index(str(root), namespace="shop", link=True).linked == 5
    assert engine.code.index(str(root), namespace="shop", link=True).linked == 0


def test_a_tree_that_another_process_writes_to_is_answered_from_what_is_known(engine: Engine, root: Path) -> None:
    engine.links.refresh()
    (root / "shop/new.py").write_text("def fresh(): pass\n", encoding="utf-8")
    engine.code.index(str(root), namespace="shop")
    store = engine.store
    (tree,) = store.find(Tree)
    assert store.claim_tree(tree.root, "shop", owner="another", fingerprint=tree.fingerprint, lease_s=600)
    notes = engine.links.refresh(wait_s=0)
    assert len(notes) == 1
    assert "another process" in notes[0]


def test_what_is_not_there_is_an_error_with_a_hint(engine: Engine, root: Path) -> None:
    with pytest.raises(NotFound):
        engine.links.impact("nothing_of_the_kind")
    with pytest.raises(NotFound):
        engine.memories.associate("sym:/nowhere/a.py::f", "file:/nowhere/a.py")
