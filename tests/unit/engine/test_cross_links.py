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
    assert every.total == found.total + found.excused["public in a library"]
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
    assert [run.command.partition(" && ")[0] for run in found.commands] == [f"cd {base}/{language}/app"]
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


def test_an_exact_name_and_the_number_of_an_overload_mean_one_definition(home: Path, tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "one"
    go = (
        "package one\n\ntype Sink interface {\n\tWrite(n int)\n}\n\ntype Nop struct{}\n\nfunc (Nop) Write(n int) {\n}\n"
    )
    java = "package one;\n\nclass Rule {\n    int check(int x) {\n        return x;\n    }\n\n"
    java += "    int check(long x) {\n        return 1;\n    }\n}\n"
    write(root, {"sink.go": go, "one/Rule.java": java})
    with Engine(embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(root))
        names = [opened.links.impact(name).node.id.partition("::")[2] for name in ("Sink.Write", "Rule.check#2")]
    assert names == ["Sink.Write", "one.Rule.check#2"]


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


# --- forms of use ---


class Forms(NamedTuple):
    """Files of a library and of a program, and by symbol of the library the place that uses it."""

    library: dict[str, str]
    program: dict[str, str]
    users: dict[str, str]


def functions(pattern: str, names: str) -> str:
    return "".join(pattern.replace("NAME", name) for name in names.split())


FORMS = {
    "python": Forms(
        {
            "pyproject.toml": '[project]\nname = "acme-money"\nversion = "1"\n[build-system]\nrequires = []\n',
            "acme/__init__.py": "from acme.inner import long_name as short\nfrom .types import Purse as Wallet\n",
            "acme/inner.py": functions(
                "def NAME(x):\n    return x\n\n\n", "long_name starred passed stored listed tested"
            ),
            "acme/types.py": "class Purse:\n    @classmethod\n    def make(cls):\n        return cls()\n\n"
            "    def add(self, x):\n        return self\n\n    def done(self):\n        return 1\n\n\n"
            "class Decoy:\n    def add(self, x):\n        return 0\n\n    def done(self):\n        return 0\n\n\n"
            "class Base:\n    def __init__(self, purse: Purse):\n        self.purse = purse\n\n\n"
            "class Listener(Protocol):\n    def quoted(self, x): ...\n",
        },
        {
            "pyproject.toml": '[project]\nname = "acme-shop"\nversion = "1"\ndependencies = ["acme-money"]\n',
            "shop/a.py": "import acme\nfrom acme import Wallet, short\n"
            "from acme.inner import listed, passed, stored\n\n"
            "X = stored\n\n\ndef u_short():\n    return short(1)\n\n\ndef u_module():\n    return acme.short(2)\n\n\n"
            "def u_passed(register):\n    register(passed)\n\n\ndef u_listed():\n    return [listed]\n\n\n"
            "def u_chain():\n    return Wallet.make().add(1).done()\n\n\n"
            "def u_long():\n    return Wallet.make().add(1).add(1).add(1).add(1).add(1).done()\n",
            "shop/c.py": "from acme.types import Base\n\n\nclass Sub(Base):\n    def u_field(self):\n"
            "        return self.purse.done()\n",
            "shop/b.py": "from acme.inner import *\n\n\ndef u_starred():\n    return starred(1)\n",
            "shop/desk.py": "from acme.types import Listener\n\n\n"
            "class Log:\n    def quoted(self, x):\n        pass\n\n\n"
            "class Desk:\n    def __init__(self, listener: Listener):\n        self.listener = listener\n\n"
            "    def u_told(self):\n        self.listener.quoted(3)\n\n\ndef main():\n    Desk(Log()).u_told()\n",
            "tests/test_a.py": "from acme.inner import tested\n\n\ndef test_it():\n    assert tested(1)\n",
        },
        {
            "acme/inner.py::long_name": "u_short u_module", "acme/inner.py::starred": "u_starred",
            "acme/inner.py::passed": "u_passed", "acme/inner.py::listed": "u_listed", "acme/inner.py::stored": "a.py",
            "acme/types.py::Purse.make": "u_chain", "acme/types.py::Purse.add": "u_chain",
            "acme/types.py::Purse.done": "u_chain u_long u_field", "acme/inner.py::tested": "test_it",
            "acme/types.py::Listener.quoted": "u_told",
        },
    ),
    "typescript": Forms(
        {
            "package.json": '{"name": "@acme/money", "version": "1.0.0", "main": "dist/index.js"}',
            "src/index.ts": 'export { longName as short, passed, listed } from "./inner";\nexport * from "./barrel";\n'
            'export { default } from "./main";\nexport { default as Purse } from "./purse";\n'
            'export { Memory as InMemory } from "./store";\n'
            'import { twoSteps } from "./inner";\nexport { twoSteps as steps };\n',
            "src/inner.ts": functions(
                "export function NAME(x: number) {\n  return x;\n}\n", "longName passed listed twoSteps deep"
            ),
            "src/barrel/index.ts": 'export { hidden as shown } from "./two";\n',
            "src/barrel/two.ts": "export function hidden(x: number) {\n  return x;\n}\n",
            "src/main.ts": "export default function mainThing(x: number) {\n  return x;\n}\n",
            "src/purse.ts": "export default class Purse {\n  add(x: number) {\n    return x;\n  }\n}\n",
            "src/store.ts": "export interface Store {\n  size(): number;\n}\nexport class Memory implements Store {\n"
            "  size(): number {\n    return 0;\n  }\n}\n",
            "src/decoy.ts": "export class Decoy {\n  add(x: number) {\n    return x;\n  }\n}\n",
            "lib/words.js": "function spoken(x) {\n  return x;\n}\nmodule.exports = { said: spoken };\n",
        },
        {
            "package.json": '{"name": "acme-shop", "dependencies": {"@acme/money": "^1.0.0"}}',
            "src/a.ts": 'import main, { short, passed, listed, shown, steps, InMemory, Purse } from "@acme/money";\n'
            'import { deep } from "@acme/money/src/inner";\n'
            "export function uShort() {\n  return short(1);\n}\nexport function uPassed(items: number[]) {\n"
            "  return items.map(passed);\n}\nexport function uListed() {\n  return { a: listed };\n}\n"
            "export function uShown() {\n  return shown(1) + steps(2);\n}\nexport function uMain() {\n"
            "  return main(1);\n}\nexport function uDeep() {\n  return deep(1);\n}\n"
            "export function uPurse(p: Purse) {\n  return p.add(1);\n}\n"
            "export class Service {\n  private readonly store = new InMemory();\n  uSize() {\n"
            "    return this.store.size();\n  }\n}\n",
            "src/b.js": 'const { said } = require("@acme/money/lib/words");\n\nfunction uSaid() {\n'
            "  return said(1);\n}\nmodule.exports = uSaid;\n",
        },
        {
            "src/inner.ts::longName": "uShort", "src/inner.ts::passed": "uPassed", "src/inner.ts::listed": "uListed",
            "src/barrel/two.ts::hidden": "u"
            "Shown", "src/inner.ts::twoSteps": "uShown", "src/main.ts::mainThing": "uMain",
            "src/inner.ts::deep": "uDeep", "src/purse.ts::Purse.add": "uPurse", "lib/words.js::spoken": "uSaid",
            "src/store.ts::Memory.size": "uSize",
        },
    ),
    "rust": Forms(
        {
            "Cargo.toml": '[package]\nname = "acme-money"\nversion = "1.0.0"\n',
            "src/lib.rs": "pub mod inner;\npub mod types;\npub use inner::long_name as short;\npub use types::Purse;\n",
            "src/inner.rs": functions(
                "pub fn NAME(x: u32) -> u32 {\n    x\n}\n\n",
                "long_name by_path starred passed stored in_macro typed tested",
            ),
            "src/types.rs": "pub struct Purse {}\n\nimpl Purse {\n    pub fn new() -> Self {\n        Purse {}\n    }\n"
            + functions(
                "    pub fn NAME(&self) -> u32 {\n        1\n    }\n", "given held returned starry bound"
            )
            + "}\n\npub struct Decoy {}\n\nimpl Decoy {\n"
            + functions("    pub fn NAME(&self) -> u32 {\n        0\n    }\n", "given held returned starry derived")
            + "}\n\n#[derive(Default)]\npub struct Sink {}\n\nimpl Sink {\n"
            + functions("    pub fn NAME(&self) -> u32 {\n        0\n    }\n", "derived")
            + "}\n\nimpl Default for Decoy {\n    fn default() -> Self {\n        Decoy {}\n    }\n"
            + "}\n\npub trait Account {\n    fn balance(&self) -> u32;\n}\n",
        },
        {
            "Cargo.toml": '[package]\nname = "acme-shop"\nversion = "1.0.0"\n[dependencies]\nacme-money = "1"\n',
            "src/main.rs": "mod stars;\n\nfn u_path() -> u32 {\n"
            "    acme_money::inner::by_path(acme_money::short(1))\n}\n\n"
            "fn u_passed(items: Vec<u32>) {\n    items.into_iter().map(acme_money::inner::passed);\n}\n\n"
            "fn u_stored() -> u32 {\n    let f = acme_money::inner::stored;\n    f(1)\n}\n\n"
            'fn u_macro() {\n    println!("{}", acme_money::inner::in_macro(1));\n}\n\n'
            "fn u_typed() -> u32 {\n    acme_money::inner::typed::<u32>(1)\n}\n\n"
            "struct Till {\n    purse: acme_money::Purse,\n}\n\nimpl Till {\n    fn u_held(&self) -> u32 {\n"
            "        self.purse.held()\n    }\n}\n\nfn u_given(p: &mut acme_money::Purse) -> u32 {\n"
            "    p.given()\n}\n\n"
            "fn open() -> acme_money::Purse {\n    acme_money::Purse::new()\n}\n\n"
            "fn u_returned() -> u32 {\n    open().returned()\n}\n\n"
            "fn u_bound<T: acme_money::types::Account>(a: &T) -> u32 {\n    a.balance()\n}\n\n"
            "fn u_derived() -> u32 {\n    let s = acme_money::types::Sink::default();\n    s.derived()\n}\n\n"
            "fn u_default() -> u32 {\n    acme_money::types::Decoy::default().given()\n}\n\nfn main() {}\n\n"
            "#[test]\nfn t_tested() {\n    assert_eq!(acme_money::inner::tested(1), 1);\n}\n",
            "src/stars.rs": "use acme_money::inner::*;\nuse acme_money::*;\n\n"
            "fn u_starred() -> u32 {\n    starred(2)\n}\n\n"
            "fn u_starry() -> u32 {\n    let p = Purse::new();\n    p.starry()\n}\n",
        },
        {
            **{f"src/inner.rs::{name}": user for name, user in {
                "long_name": "u_path", "by_path": "u_path", "starred": "u_starred", "passed": "u_passed",
                "stored": "u_stored", "in_macro": "u_macro", "typed": "u_typed", "tested": "t_tested",
            }.items()},
            **{f"src/types.rs::Purse::{name}": f"u_{name}" for name in ("given", "held", "returned", "starry")},
            "src/types.rs::Account::balance": "u_bound", "src/types.rs::Sink::derived": "u_derived",
            "src/types.rs::Decoy::default": "u_default",
        },
    ),
    "go": Forms(
        {
            "go.mod": "module example.com/acme/money\n\ngo 1.22\n",
            "money.go": "package money\n\n"
            + functions(
                "func NAME(x int) int {\n\treturn x\n}\n\n", "Stored Passed Mapped Held Local Returned Dotted Tested"
            )
            + "func hidden(x int) int {\n\treturn x\n}\n\nvar Shown = hidden\n\ntype Purse struct{}\n\n"
            + "func NewPurse() *Purse {\n\treturn &Purse{}\n}\n\n"
            + "func (p *Purse) With(x int) *Purse {\n\treturn p\n}\n\n"
            + functions("func (p *Purse) NAME(x int) int {\n\treturn x\n}\n\n", "Done Promoted Value")
            + "type Decoy struct{}\n\n"
            + functions("func (p *Decoy) NAME(x int) int {\n\treturn x\n}\n\n", "Done Promoted Value"),
        },
        {
            "go.mod": "module example.com/acme/shop\n\ngo 1.22\n\nrequire example.com/acme/money v1.0.0\n",
            "a.go": 'package shop\n\nimport "example.com/acme/money"\n\nvar X = money.Stored\n\n'
            'var table = map[string]func(int) int{\n\t"a": money.Mapped,\n}\n\n'
            "type handler struct {\n\tF func(int) int\n}\n\nvar h = handler{F: money.Held}\n\n"
            "type Till struct {\n\t*money.Purse\n}\n\nfunc UPassed() {\n\tregister(money.Passed)\n}\n\n"
            "func ULocal() int {\n\tf := money.Local\n\treturn f(1)\n}\n\n"
            "func UReturned() func(int) int {\n\treturn money.Returned\n}\n\nfunc UShown() int {\n"
            "\treturn money.Shown(1)\n}\n\n"
            "func UChain() int {\n\treturn money.NewPurse().With(1).Done(2)\n}\n\n"
            "func UPromoted(t *Till) int {\n\treturn t.Promoted(1)\n}\n\n"
            "func UValue(p *money.Purse) {\n\tregister(p.Value)\n}\n",
            "b.go": 'package shop\n\nimport . "example.com/acme/money"\n\nfunc UDotted() int {\n'
            '\treturn Dotted(1)\n}\n',
            "a_test.go": 'package shop\n\nimport (\n\t"testing"\n\n\t"example.com/acme/money"\n)\n\n'
            "func TestIt(t *testing.T) {\n\tmoney.Tested(1)\n}\n",
        },
        {
            "money.go::Stored": "X", "money.go::Mapped": "table", "money.go::Held": "h",
            **{f"money.go::{name}": f"U{name}" for name in ("Passed", "Local", "Returned", "Dotted", "Shown")},
            "money.go::Purse.With": "UChain", "money.go::Purse.Done": "UChain", "money.go::Purse.Promoted": "UPromoted",
            "money.go::Purse.Value": "UValue", "money.go::Tested": "TestIt", "money.go::hidden": "Shown",
        },
    ),
    "java": Forms(
        {
            "pom.xml": JAVA["library/pom.xml"],
            "src/main/java/com/acme/ledger/Money.java": "package com.acme.ledger;\n\npublic class Money {\n"
            + functions(
                "    public static int NAME(int x) {\n        return x;\n    }\n", "imported referred stored named"
            )
            + "    public Money with(int x) {\n        return this;\n    }\n"
            "    public int done() {\n        return 1;\n    }\n"
            "    public int take(int x) {\n        return x;\n    }\n"
            "    public int take(int x, int y) {\n        return y;\n    }\n"
            "    public int take(int x, int y, int z) {\n        return z;\n    }\n}\n",
            "src/main/java/com/acme/ledger/Decoy.java": "package com.acme.ledger;\n\npublic class Decoy {\n"
            "    public int done() {\n        return 0;\n    }\n}\n",
        },
        {
            "pom.xml": JAVA["app/pom.xml"],
            "src/main/java/com/acme/shop/A.java": "package com.acme.shop;\n\nimport com.acme.ledger.Money;\n"
            "import static com.acme.ledger.Money.imported;\nimport java.util.function.IntUnaryOperator;\n"
            "import java.util.stream.IntStream;\n\npublic class A {\n"
            "    private static final IntUnaryOperator OP = Money::stored;\n"
            "    int uImported() {\n        return imported(1);\n    }\n"
            "    IntStream uReferred(IntStream in) {\n        return in.map(Money::referred);\n    }\n"
            "    int uNamed() {\n        return com.acme.ledger.Money.named(1);\n    }\n"
            "    int uChain(Money m) {\n        return m.with(1).done();\n    }\n"
            "    int uTwo(Money m) {\n        return m.take(1, 2);\n    }\n}\n",
        },
        {
            f"src/main/java/com/acme/ledger/Money.java::com.acme.ledger.Money.{name}": user
            for name, user in {
                "imported": "uImported", "referred": "uReferred", "stored": "A", "named": "uNamed", "with": "uChain",
                "done": "uChain", "take#2": "uTwo",
            }.items()
        },
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def forms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, Path]]:
    """An engine that has indexed the libraries of FORMS and the programs that use them."""
    root = Path(os.path.realpath(tmp_path_factory.mktemp("forms")))
    with Engine(home=str(root / "home"), embed_provider="off", index_workers=1) as opened:
        for language, each in FORMS.items():
            for name, files in (("app", each.program), ("library", each.library)):
                write(root / language / name, files)
                opened.code.index(str(root / language / name))
        yield opened, root


@pytest.mark.parametrize("language", FORMS)
def test_every_form_of_use_is_linked_across_repositories(forms: tuple[Engine, Path], language: str) -> None:
    engine, root = forms
    missing = {}
    for symbol, users in FORMS[language].users.items():
        found = engine.links.impact(f"{root}/{language}/library/{symbol}", depth=1).affected
        labels = [use.node.label for use in found]
        names = {re.split(r"::|[./]", label)[-1] for label in labels} | {Path(label).name for label in labels}
        if not set(users.split()) <= names:
            missing[symbol] = names
    assert not missing


# Private functions and methods that are used, and in which way: nothing may say that nothing uses them.
PRIVATE = {
    "go": (
        {
            "go.mod": "module example.com/solo\n\ngo 1.22\n",
            "a.go": "package solo\n\n" + functions("func NAME(x int) int {\n\treturn x\n}\n\n", "inFile elsewhere kept")
            + "var x = kept\n\ntype T struct{}\n\ntype D struct{}\n\n"
            + functions("func (t *T) NAME() {}\n\nfunc (d *D) NAME() {}\n\n", "handle mapped")
            + "func Setup(t *T, m map[string]*T) {\n\tregister(inFile)\n\tregister2(t.handle)\n"
            '\tif v, ok := m["a"]; ok {\n\t\tv.mapped()\n\t}\n}\n',
            "b.go": "package solo\n\nfunc init() {\n\tregister(elsewhere)\n}\n",
        },
        ("a.go::inFile", "a.go::elsewhere", "a.go::kept", "a.go::T.handle", "a.go::T.mapped"),
    ),
    "rust": (
        {
            "Cargo.toml": '[package]\nname = "solo"\nversion = "1.0.0"\n',
            "src/main.rs": "mod inner;\nmod hidden;\n\npub struct T {}\n\nimpl T {\n"
            + functions("    fn NAME(&self) {}\n", "by_path looped matched closed")
            + "}\n\nstruct D {}\n\nimpl D {\n"
            + functions("    fn NAME(&self) {}\n", "by_path looped matched closed")
            + "}\n\nfn main() {}\n",
            "src/hidden.rs": "pub(crate) fn stored(x: u32) -> u32 {\n    x\n}\n\npub(crate) fn passed(x: u32) {}\n",
            "src/inner.rs": "fn given(t: &mut crate::T) {\n    t.by_path();\n}\n\n"
            "fn all(items: Vec<crate::T>, one: Option<crate::T>) {\n    for x in &items {\n        x.looped();\n    }\n"
            "    if let Some(y) = &one {\n        y.matched();\n    }\n    items.iter().for_each(|z| z.closed());\n"
            "    let f = crate::hidden::stored;\n    run(crate::hidden::passed, f);\n}\n",
        },
        (
            *(f"src/main.rs::T::{name}" for name in ("by_path", "looped", "matched", "closed")),
            "src/hidden.rs::stored", "src/hidden.rs::passed",
        ),
    ),
    "typescript": (
        {
            "package.json": '{"name": "solo", "version": "1.0.0"}',
            "src/a.ts": functions("function NAME(x: number) {\n  return x;\n}\n", "handler listed kept")
            + 'app.get("/", handler);\nexport const table = { listed };\nexport const x = kept;\n',
        },
        ("src/a.ts::handler", "src/a.ts::listed", "src/a.ts::kept"),
    ),
    "python": (
        {"a.py": functions("def NAME(x):\n    return x\n\n\n", "_kept _passed") + "x = _kept\nregister(_passed)\n"},
        ("a.py::_kept", "a.py::_passed"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", PRIVATE)
def test_code_that_is_used_as_a_value_has_users_or_doubts(home: Path, tmp_path: Path, language: str) -> None:
    files, symbols = PRIVATE[language]
    root = Path(os.path.realpath(tmp_path)) / "solo"
    write(root, files)
    with Engine(embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(root))
        found = {symbol: opened.links.impact(f"{root}/{symbol}") for symbol in symbols}
    assert not [symbol for symbol, each in found.items() if each.is_complete and not each.affected]


def test_constants_and_methods_that_a_base_elsewhere_may_call_have_doubts(home: Path, tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "solo"
    write(
        root,
        {"a.py": "from far import Base\n\n_STEP = 5\n\n\nclass Impl(Base):\n    def _step(self):\n        return 2\n"},
    )
    with Engine(embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(root))
        verdicts = [opened.links.impact(f"{root}/a.py::{name}").verdict for name in ("_STEP", "Impl._step")]
    assert [verdict.partition("but ")[2] for verdict in verdicts] == [
        "not every use of a constant is linked.",
        "its class derives from code outside of its project, which may call it.",
    ]


def test_what_is_broken_comes_before_what_uses_a_changed_symbol(home: Path, tmp_path: Path) -> None:
    root = Path(os.path.realpath(tmp_path)) / "one"
    files = {
        "lib.py": "def gone():\n    return 1\n\n\ndef signed(x):\n    return x\n",
        "use.py": "import lib\n\n\ndef main():\n    lib.gone()\n    return lib.signed(1)\n",
    }
    write(root, files)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    write(root, {"lib.py": "def signed(x, y):\n    return x + y\n"})
    with Engine(embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(root))
        (main,) = (row for row in opened.survey.review(path=str(root)).affected if row.place.symbol == "main")
    assert main.why == "broken: calls gone, which is gone"


def test_a_function_with_the_name_of_its_file_is_called_and_not_the_file(home: Path, tmp_path: Path) -> None:
    base = Path(os.path.realpath(tmp_path))
    manifest = '[project]\nname = "{}"\nversion = "1"\ndependencies = [{}]\n'
    write(base / "texts", {
        "pyproject.toml": manifest.format("texts", ""),
        "texts/__init__.py": "from .slug import slug\n",
        "texts/slug.py": "def slug(s):\n    return s\n",
    })  # fmt: skip
    write(base / "page", {
        "pyproject.toml": manifest.format("page", '"texts"'),
        "page.py": "from texts import slug\n\n\ndef title():\n    return slug('x')\n",
    })  # fmt: skip
    with Engine(embed_provider="off", index_workers=1) as opened:
        for name in ("texts", "page"):
            opened.code.index(str(base / name))
        found = opened.links.impact(f"{base}/texts/texts/slug.py::slug")
    assert any("title" in str(row) for row in found.affected)


def test_a_path_that_several_projects_have_means_the_one_at_hand(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = Path(os.path.realpath(tmp_path))
    write(base / "first", {"src/m.py": "def other():\n    return 0\n\n\ndef money():\n    return 1\n"})
    write(base / "second", {"src/m.py": "def money():\n    return 2\n\n\ndef pay():\n    return money()\n"})
    with Engine(embed_provider="off", index_workers=1) as opened:
        for name in ("first", "second"):
            opened.code.index(str(base / name))
        monkeypatch.chdir(base / "second")
        found = opened.links.impact("src/m.py::money")
    assert any("pay" in str(row) for row in found.affected)
