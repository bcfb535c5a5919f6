"""The overview of a project: level 4."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.trees import write

from recollect.engine import Engine
from recollect.engine.code.indexed_project import file_uses
from recollect.errors import InvalidInput, NotFound
from recollect.hierarchy.policies import TOKENS_PER_BYTE
from recollect.hierarchy.project_overview import overview

SHOP = {
    "README.md": "# Shop\n\n[![build](https://b.example/x.svg)](https://b.example)\n\nSells [tea](https://t.example)"
    " by the ounce. Nothing else.\n",
    "pyproject.toml": '[project]\nname = "shop"\nversion = "1.2"\nrequires-python = ">=3.11"\n'
    'dependencies = ["redis>=7", "httpx"]\n[project.scripts]\nshop = "shop.web.app:main"\n[tool.ruff]\n',
    "docker-compose.yml": "services:\n  cache:\n    image: redis:7\n  db:\n    image: postgres:14\n",
    "Makefile": "test: ## run every test\n\tpytest\n",
    "src/shop/__init__.py": '"""A shop for tea."""\n',
    "src/shop/web/__init__.py": '"""What browsers see."""\n',
    "src/shop/web/app.py": "from shop.orders.service import OrderService\n\n\ndef main():\n    return OrderService()\n",
    "src/shop/orders/__init__.py": '"""Orders and how they are paid."""\n',
    "src/shop/orders/service.py": "from shop.store.repository import Repository\n\n\nclass OrderService:\n"
    '    """Takes orders."""\n\n    def place(self, tea):\n        """Keep an order."""\n        return Repository()\n',
    "src/shop/orders/errors.py": "class OrderError(Exception):\n    pass\n\n\nclass Unpaid(OrderError):\n    pass\n\n\n"
    "class SoldOut(OrderError):\n    pass\n\n\nclass Late(OrderError):\n    pass\n",
    "src/shop/store/__init__.py": '"""Where orders are kept."""\n',
    "src/shop/store/repository.py": 'class Repository:\n    """Rows of orders."""\n\n\nclass RowFactory:\n    pass\n',
    "tests/test_orders.py": "from shop.orders.service import OrderService\n\n\ndef test_place():\n    OrderService()\n",
}


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    write(root, SHOP)
    return root


@pytest.fixture
def engine(shop: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off") as made:
        made.code.index(str(shop))
        yield made


@pytest.mark.promise("H2")
def test_an_overview_has_technology_layers_patterns_and_a_map(engine: Engine, shop: Path) -> None:
    sections = dict(overview(engine, str(shop)).sections)
    assert sections["Project"].startswith("shop: Sells tea by the ounce. Nothing else.\n")
    assert "Versions: Python >=3.11." in sections["Technology"]
    assert "Services: redis:7, postgres:14." in sections["Technology"]
    assert "redis >=7, httpx" in sections["Technology"]
    assert "command shop → shop.web.app:main" in sections["Entry points"]
    assert "make targets: test (run every test)" in sections["Entry points"]
    assert "Factory, by name: RowFactory (src/shop/store/repository.py:5)" in sections["Design patterns in use"]
    assert "Base OrderError (src/shop/orders/errors.py:1): Unpaid, SoldOut, Late" in sections["Design patterns in use"]
    assert "class OrderService" in sections["Repository map"]
    assert "test_orders" not in sections["Repository map"]


@pytest.mark.parametrize("link", [False, True])
def test_layers_are_those_of_the_uses_linked_or_not(engine: Engine, shop: Path, *, link: bool) -> None:
    if link:
        engine.links.refresh()
    told = dict(overview(engine, str(shop)).sections)["Architecture"]
    assert ("links between symbols" if link else "imports") in told
    places = [told.index(name) for name in ("src/shop/web/ (", "src/shop/orders/ (", "src/shop/store/ (")]
    assert places == sorted(places)
    assert "Layer 3" in told
    assert "Where orders are kept." in told


def test_an_overview_lists_memories_of_the_whole_project(engine: Engine, shop: Path) -> None:
    engine.memories.store("Prices are kept in cents. Always.", memory_type="decision", namespace=str(shop))
    engine.memories.store("Elsewhere pounds are fine.", memory_type="decision", namespace="another")
    assert dict(overview(engine, str(shop)).sections)["Decisions"] == "- Prices are kept in cents."


def test_the_same_project_gives_the_same_bytes(engine: Engine, shop: Path) -> None:
    first = overview(engine, str(shop))
    assert overview(engine, str(shop)) == first
    assert first.bytes == len(first.text.encode())


def test_nothing_is_linked_for_it(engine: Engine, shop: Path) -> None:
    overview(engine, str(shop))
    assert file_uses(engine.store, engine.sources(str(shop))).known_by == "imports"


@pytest.mark.promise("H2")
def test_a_large_project_fills_ten_to_fifty_kilobytes_and_never_more_than_it_may(tmp_path: Path) -> None:
    rng = random.Random(3)
    root = tmp_path / "large"
    for number in range(400):
        other = rng.randrange(400)
        body = "".join(
            f"def step_{number}_{place}(value, amount_{place}):\n    return value\n\n\n" for place in range(8)
        )
        write(
            root,
            {f"pkg{number % 9}/mod{number}.py": f"from pkg{other % 9}.mod{other} import step_{other}_1\n\n\n{body}"},
        )
    with Engine(embed_provider="off") as engine:
        engine.code.index(str(root))
        made = overview(engine, str(root))
        assert 10_000 <= made.bytes <= 50_000
        assert 13_000 <= made.tokens <= 15_000
        for most in (12_000, 2_000):
            small = overview(engine, str(root), max_bytes=most)
            assert small.bytes <= most
            assert small.tokens <= most * TOKENS_PER_BYTE


def test_an_overview_needs_an_index_and_enough_room(engine: Engine, tmp_path: Path, shop: Path) -> None:
    with pytest.raises(NotFound):
        overview(engine, str(tmp_path / "nowhere"))
    with pytest.raises(InvalidInput):
        overview(engine, str(shop), max_bytes=10)
