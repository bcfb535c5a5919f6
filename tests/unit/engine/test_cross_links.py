"""Pairs of repositories, one using the other: what a change reaches, what is unused, and who uses what across them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.trees import git, write

from recollect import Engine
from recollect.errors import AmbiguousName
from recollect.render import to_text

PYTHON = {
    "library/pyproject.toml": '[project]\nname = "acme-ledger"\nversion = "1.4.0"\n[build-system]\nrequires = []\n',
    "library/src/ledger/__init__.py": "from ledger.totals import compute_total\nfrom ledger.client import Client\n",
    "library/src/ledger/totals.py": "def compute_total(items):\n    return sum(_price(item) for item in items)\n\n\n"
    "def _price(item):\n    return item.price\n\n\ndef _unused_total(items):\n    return 0\n",
    "library/src/ledger/client.py": "class Base:\n    def close(self):\n        return None\n\n\n"
    "class Client(Base):\n    def send(self, total):\n        return total\n",
    "app/pyproject.toml": '[project]\nname = "acme-shop"\nversion = "1"\ndependencies = ["acme-ledger>=1.2,<2"]\n',
    "app/shop/checkout.py": "import ledger\nfrom ledger import Client\n\n\ndef checkout(cart):\n"
    "    total = ledger.compute_total(cart)\n    client = Client()\n    client.send(total)\n    client.close()\n"
    "    return total\n",
    "app/tests/test_checkout.py": "from shop.checkout import checkout\n\n\ndef test_checkout():\n    checkout([])\n",
}
TYPESCRIPT = {
    "library/package.json": '{"name": "@acme/ledger", "version": "1.4.0", "main": "dist/index.js"}',
    "library/src/index.ts": 'export { computeTotal } from "./totals";\nexport { Client } from "./client";\n',
    "library/src/totals.ts": "export function computeTotal(items: number[]): number {\n  return price(items[0]);\n"
    "}\n\nfunction price(item: number): number {\n  return item;\n}\n\nfunction unusedTotal(): number {\n"
    "  return 0;\n}\n",
    "library/src/client.ts": "export class Client {\n  send(total: number): number {\n    return total;\n  }\n}\n",
    "app/package.json": '{"name": "acme-shop", "dependencies": {"@acme/ledger": "^1.2.0"}}',
    "app/src/checkout.ts": 'import { computeTotal, Client } from "@acme/ledger";\n\n'
    "export function checkout(items: number[]): number {\n  const client = new Client();\n"
    "  return client.send(computeTotal(items));\n}\n",
    "app/test/checkout.test.ts": 'import { checkout } from "../src/checkout";\n\n'
    'it("adds prices", () => {\n  checkout([]);\n});\n',
}
RUST = {
    "library/Cargo.toml": '[package]\nname = "acme-ledger"\nversion = "1.4.0"\n',
    "library/src/lib.rs": "pub mod client;\npub mod totals;\npub use client::Client;\npub use totals::compute_total;\n",
    "library/src/totals.rs": "pub fn compute_total(items: &[u32]) -> u32 {\n    price(items[0])\n}\n\n"
    "fn price(item: u32) -> u32 {\n    item\n}\n\nfn unused_total() -> u32 {\n    0\n}\n",
    "library/src/client.rs": "pub struct Client {}\n\nimpl Client {\n    pub fn new() -> Self {\n"
    "        Client {}\n    }\n"
    "\n    pub fn send(&self, total: u32) -> u32 {\n        total\n    }\n}\n",
    "app/Cargo.toml": '[package]\nname = "acme-shop"\nversion = "0.1.0"\n\n[dependencies]\nacme-ledger = "1.2"\n',
    "app/src/main.rs": "use acme_ledger::{compute_total, Client};\n\nfn checkout(items: &[u32]) -> u32 {\n"
    "    let client = Client::new();\n    client.send(compute_total(items))\n}\n\nfn main() {\n"
    "    checkout(&[]);\n}\n\n"
    "#[test]\nfn adds_prices() {\n    checkout(&[]);\n}\n",
}
JAVA = {
    "library/pom.xml": "<project><groupId>com.acme</groupId><artifactId>ledger</artifactId><version>1.4.0</version>"
    "</project>",
    "library/src/main/java/com/acme/ledger/Totals.java": "package com.acme.ledger;\n\npublic class Totals {\n"
    "    public static int computeTotal(int[] items) {\n        return price(items[0]);\n    }\n\n"
    "    private static int price(int item) {\n        return item;\n    }\n\n"
    "    private static int unusedTotal() {\n        return 0;\n    }\n}\n",
    "library/src/main/java/com/acme/ledger/Client.java": "package com.acme.ledger;\n\npublic class Client {\n"
    "    public int send(int total) {\n        return total;\n    }\n}\n",
    "app/pom.xml": "<project><groupId>com.acme</groupId><artifactId>shop</artifactId><version>1</version><dependencies>"
    "<dependency><groupId>com.acme</groupId><artifactId>ledger</artifactId><version>1.4.0</version></dependency>"
    "</dependencies></project>",
    "app/src/main/java/com/acme/shop/Checkout.java": "package com.acme.shop;\n\nimport com.acme.ledger.Client;\n"
    "import com.acme.ledger.Totals;\n\npublic class Checkout {\n    public int checkout(int[] items) {\n"
    "        Client client = new Client();\n        return client.send(Totals.computeTotal(items));\n    }\n}\n",
    "app/src/main/java/com/acme/shop/Sale.java": "package com.acme.shop;\n\nimport com.acme.ledger.*;\n"
    "import java.util.*;\n\n"
    "public class Sale extends Client {\n    public int sell(List<Client> all) {\n"
    "        return new Client().send(1);\n    }\n\n"
    "    public int close() {\n        return send(2);\n    }\n}\n",
    "app/src/test/java/com/acme/shop/CheckoutTest.java": "package com.acme.shop;\n\nclass CheckoutTest {\n"
    "    @Test\n    void addsPrices() {\n        new Checkout().checkout(null);\n    }\n}\n",
}
GO = {
    "library/go.mod": "module example.com/acme/ledger\n\ngo 1.22\n",
    "library/totals.go": "package ledger\n\nfunc ComputeTotal(items []int) int {\n\treturn price(items[0])\n}\n\n"
    "func price(item int) int {\n\treturn item\n}\n\nfunc unusedTotal() int {\n\treturn 0\n}\n",
    "library/client/client.go": "package client\n\ntype Client struct{}\n\nfunc New() *Client {\n"
    "\treturn &Client{}\n}\n\n"
    "func (c *Client) Send(total int) int {\n\treturn total\n}\n",
    "app/go.mod": "module example.com/acme/shop\n\ngo 1.22\n\nrequire example.com/acme/ledger v1.4.0\n",
    "app/checkout.go": 'package shop\n\nimport (\n\t"example.com/acme/ledger"\n'
    '\t"example.com/acme/ledger/client"\n)\n\n'
    "func Checkout(items []int) int {\n\tc := client.New()\n\treturn c.Send(ledger.ComputeTotal(items))\n}\n",
    "app/checkout_test.go": 'package shop\n\nimport "testing"\n\nfunc TestCheckout(t *testing.T) {\n'
    "\tCheckout(nil)\n}\n",
}


# A public function that nothing uses, for each library.
SPARE = {
    "python": {"library/src/ledger/spare.py": "def spare():\n    return 0\n"},
    "typescript": {"library/src/spare.ts": "export function spare(): number {\n  return 0;\n}\n"},
    "rust": {"library/src/spare.rs": "pub fn spare() -> u32 {\n    0\n}\n"},
    "java": {
        "library/src/main/java/com/acme/ledger/Spare.java": "package com.acme.ledger;\n\npublic class Spare {\n"
        "    public int spare() {\n        return 0;\n    }\n}\n",
        "app/src/main/java/com/acme/shop/Main.java": "package com.acme.shop;\n\npublic class Main {\n"
        "    public static void main(String[] args) {\n    }\n}\n",
    },
    "go": {"library/spare.go": "package ledger\n\nfunc Spare() int {\n\treturn 0\n}\n"},
}


class Pair(NamedTuple):
    """A library and a program that uses it; names are those of the library, and the place of its function."""

    files: dict[str, str]
    total: str
    send: str
    price: str
    unused: str
    place: str


PAIRS = {
    "python": Pair(PYTHON, "compute_total", "send", "_price", "_unused_total", "src/ledger/totals.py"),
    "typescript": Pair(TYPESCRIPT, "computeTotal", "send", "price", "unusedTotal", "src/totals.ts"),
    "rust": Pair(RUST, "compute_total", "send", "price", "unused_total", "src/totals.rs"),
    "java": Pair(JAVA, "computeTotal", "send", "price", "unusedTotal", "src/main/java/com/acme/ledger/Totals.java"),
    "go": Pair(GO, "ComputeTotal", "Send", "price", "unusedTotal", "totals.go"),
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(os.path.realpath(tmp_path_factory.mktemp("pairs")))


@pytest.fixture(scope="module")
def engine(base: Path) -> Iterator[Engine]:
    """One engine that has indexed all pairs, the programs before the libraries they use."""
    with Engine(home=str(base / "home"), embed_provider="off", index_workers=1) as opened:
        for language, pair in PAIRS.items():
            write(base / language, {**pair.files, **SPARE[language]})
            for name in ("app", "library"):
                git(base / language / name, "init", "-q")
                git(base / language / name, "add", "-A")
                git(base / language / name, "commit", "-q", "-m", "first")
                opened.code.index(str(base / language / name))
        yield opened


@pytest.mark.parametrize("language", PAIRS)
def test_a_change_of_a_library_reaches_its_users_and_their_tests(engine: Engine, base: Path, language: str) -> None:
    pair, app = PAIRS[language], str(base / language / "app")
    where = f"{base}/{language}/library/{pair.place}::"
    for name in (pair.total, pair.price):
        found = engine.links.impact(f"{where}{qualified(language, name)}")
        used = [use for use in found.affected if use.node.namespace == app]
        assert any(use.node.label.lower().endswith("checkout") for use in used)
        assert any(use.node.id.partition(":")[2].startswith(app) for use in found.tests)
        # What only the library can see has no further users; what it exports may have some.
        assert found.is_complete == (name == pair.price)
    assert f"{app}/" in to_text(engine.links.impact(f"{where}{qualified(language, pair.total)}"))


def qualified(language: str, name: str) -> str:
    return f"com.acme.ledger.Totals.{name}" if language == "java" else name


@pytest.mark.parametrize("language", PAIRS)
def test_methods_of_a_library_are_linked_from_where_they_are_called(engine: Engine, base: Path, language: str) -> None:
    app, library = str(base / language / "app"), str(base / language / "library")
    name = "Checkout" if language == "go" else "checkout"
    found = engine.links.dependencies(name if language != "java" else "Checkout.checkout", namespace=app)
    across = {use.node.label for use in found.uses if use.node.namespace == library}
    assert {re.split(r"\W+", label)[-1] for label in across} >= {PAIRS[language].total, PAIRS[language].send}
    assert not [use for use in found.outside if "ledger" in use.name]
    assert all(use.lines for use in found.uses if use.node.namespace == library)


@pytest.mark.parametrize("language", PAIRS)
def test_a_symbol_has_callers_and_callees_of_other_repositories(engine: Engine, base: Path, language: str) -> None:
    pair, app, library = PAIRS[language], f"{base}/{language}/app/", f"{base}/{language}/library/"
    used = engine.code.symbol(f"{library}{pair.place}::{qualified(language, pair.total)}")
    (caller,) = used.callers
    assert caller.startswith(f"sym:{app}")
    assert used.callers_total == 1
    assert f"called by: {caller.removeprefix('sym:')}" in to_text(used)
    callees = engine.code.symbol(caller).callees
    assert f"sym:{library}{pair.place}::{qualified(language, pair.total)}" in callees
    direct = engine.links.dependencies(caller, relationships=("CALLS",)).uses
    assert set(callees) == {use.node.id for use in direct}


def test_a_class_of_java_is_linked_from_star_imports_subclasses_and_constructors(engine: Engine, base: Path) -> None:
    client = f"{base}/java/library/src/main/java/com/acme/ledger/Client.java::com.acme.ledger.Client"
    used = {(use.node.label, use.relationship) for use in engine.links.impact(client).affected if use.depth == 1}
    assert used >= {
        ("com.acme.shop.Sale", "INHERITS"),
        ("com.acme.shop.Sale.sell", "CALLS"),
        ("com.acme.shop.Checkout.checkout", "CALLS"),
    }
    callers = {use.node.label for use in engine.links.impact(f"{client}.send").affected}
    assert callers >= {f"com.acme.shop.{name}" for name in ("Sale.sell", "Sale.close", "Checkout.checkout")}


@pytest.mark.parametrize("language", PAIRS)
def test_what_another_repository_uses_is_not_dead(engine: Engine, base: Path, language: str) -> None:
    pair = PAIRS[language]
    found = engine.survey.dead_code(namespace=str(base / language / "library"), min_confidence=0.0)
    names = {row.symbol.name for row in found.symbols}
    assert pair.unused in names
    assert not names & {pair.total, pair.send, pair.price, "Client", "close"}


@pytest.mark.parametrize("language", PAIRS)
def test_what_is_public_in_a_library_is_listed_apart_in_every_language(
    engine: Engine, base: Path, language: str
) -> None:
    library = str(base / language / "library")
    found = engine.survey.dead_code(namespace=library)
    assert "spare" not in {row.symbol.name.lower() for row in found.symbols}
    assert found.excused["public in a library"]
    assert "other projects may use a library: min_confidence 0.25 lists them" in found.notes[-1]
    every = engine.survey.dead_code(namespace=library, min_confidence=0.25)
    assert {row.symbol.name.lower(): row.confidence for row in every.symbols}["spare"] == 0.25
    assert not every.notes


def test_a_class_with_an_entry_point_is_not_dead(engine: Engine, base: Path) -> None:
    found = engine.survey.dead_code(namespace=str(base / "java/app"), min_confidence=0.0)
    assert not {row.symbol.name.lower() for row in found.symbols} & {"main"}


@pytest.mark.parametrize("language", PAIRS)
def test_a_review_lists_callers_and_tests_of_other_repositories(engine: Engine, base: Path, language: str) -> None:
    pair, root = PAIRS[language], base / language / "library"
    before = (root / pair.place).read_text()
    (root / pair.place).write_text(before.replace("items[0]", "items[1]").replace("sum(", "max("))
    try:
        found = engine.survey.review(path=str(root))
    finally:
        (root / pair.place).write_text(before)
    app = f"{base}/{language}/app/"
    assert [row for row in found.affected if row.place.path.startswith(app)]
    assert [row for row in found.tests if row.place.path.startswith(app)]
    assert not found.commands  # the runners of the other repository are configured there
    (change,) = [row for row in found.changes if row.symbol]
    assert change.users and change.tests


@pytest.mark.parametrize("language", PAIRS)
def test_a_review_lists_code_that_still_uses_removed_names(engine: Engine, base: Path, language: str) -> None:
    pair, root = PAIRS[language], base / language / "library"
    before = (root / pair.place).read_text()
    after = re.sub(rf"\b(def|function|fn|int|func) ({pair.total}|{pair.price})\b", r"\1 \2_x", before)
    (root / pair.place).write_text(after)
    try:
        engine.code.index(str(root))
        found = engine.survey.review(path=str(root))
    finally:
        (root / pair.place).write_text(before)
        engine.code.index(str(root))
    removed = {row.symbol.rpartition(".")[2]: row for row in found.changes if row.change in ("removed", "renamed")}
    assert {name.removesuffix("_x") for name in removed} == {pair.total, pair.price}
    assert all(row.users for row in removed.values())
    broken = {row.place.path: row.why for row in found.affected if row.why.startswith("broken: ")}
    (across,) = [why for path, why in broken.items() if path.startswith(f"{base}/{language}/app/")]
    assert pair.total in across
    assert pair.price in broken[pair.place]
    assert [row for row in found.tests if row.place.path.startswith(f"{base}/{language}/app/")]


def test_a_removed_method_may_be_meant_where_others_have_its_name(home: Path, tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "one"
    other = (
        "class Other:\n    def line(self):\n        return 2\n\n\nclass Third:\n    def line(self):\n        return 3\n"
    )
    files = {
        "page.py": "class Page:\n    def line(self):\n        return 1\n",
        "reader.py": "import page\n\n\ndef read(text):\n    return text.line()\n",
        "other.py": other,
        "far/away.py": "def keep(thing):\n    return thing.line()\n",
    }
    write(root, files)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    write(root, {"page.py": files["page.py"].replace("def line", "def line_of")})
    with Engine(embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(root))
        found = {row.place.symbol: row for row in opened.survey.review(path=str(root)).affected}
    assert found["read"].why == "may call Page.line, which is gone"
    assert found["read"].confidence > found["keep"].confidence


def test_a_package_that_allows_no_indexed_version_is_less_certain(home: Path, tmp_path: Path) -> None:
    files = {**PYTHON, "app/pyproject.toml": PYTHON["app/pyproject.toml"].replace(">=1.2,<2", ">=2")}
    root = Path(os.path.realpath(tmp_path)) / "pair"
    write(root, files)
    with Engine(embed_provider="off", index_workers=1) as opened:
        for name in ("app", "library"):
            opened.code.index(str(root / name))
        (use, *_) = opened.links.impact("compute_total").affected
        assert use.confidence == 0.5
        # Without the dependency there is no link: another package may provide the name.
        write(root, {"app/pyproject.toml": '[project]\nname = "acme-shop"\nversion = "1"\n'})
        opened.code.index(str(root / "app"))
        assert not opened.links.impact("compute_total").affected


def test_a_name_with_several_definitions_lists_them(engine: Engine, base: Path) -> None:
    with pytest.raises(AmbiguousName) as problem:
        engine.links.impact("compute_total")
    assert f"{base}/rust/library/src/totals.rs::compute_total" in problem.value.hint
    assert f"{base}/python/library/src/ledger/totals.py::compute_total" in problem.value.hint
    with pytest.raises(AmbiguousName):
        engine.links.dependencies("acme-ledger")  # a package of Python and one of Rust


def test_a_package_name_means_the_package(engine: Engine) -> None:
    found = engine.links.impact("@acme/ledger")
    assert found.node.kind == "Package"
    assert {use.node.label for use in found.affected} >= {"checkout"}
    assert engine.links.impact("pkg:npm:@acme/ledger").node == found.node


def test_stats_count_nodes_and_links_of_code(engine: Engine) -> None:
    graph, _ = engine.links.graph()
    found = engine.admin.stats()
    assert (found.nodes, found.edges) == (graph.size, len(graph.src))
    assert found.nodes > found.code_symbols + found.code_files
