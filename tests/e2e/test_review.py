"""A review names the tests that fail: functions of a small project are broken one by one, and its tests are run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.trees import git, write

from recollect import Engine
from recollect.code.code_records import Review

SCRIPT = Path(sys.executable).with_name("recollect")
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "recollect"]

# A shop: plain calls, methods, inheritance, a callback, a table of functions, a decorator, fixtures, a closure.
FILES = {
    "shop/__init__.py": "",
    "shop/money.py": """\
def rounded(amount):
    return round(amount, 2)


def with_tax(amount, rate=0.2):
    return rounded(amount * (1 + rate))


def discounted(amount, percent):
    return rounded(amount * (100 - percent) / 100)
""",
    "shop/store.py": """\
class Store:
    def __init__(self):
        self.rows = {}

    def put(self, key, row):
        self.rows[key] = self.checked(row)

    def get(self, key):
        return self.rows[key]

    def checked(self, row):
        return row


class StrictStore(Store):
    def checked(self, row):
        if not row:
            raise ValueError("empty")
        return row
""",
    "shop/orders.py": """\
from shop.money import discounted, with_tax
from shop.store import Store


def total(prices):
    return with_tax(sum(prices))


class Orders:
    def __init__(self, store: Store):
        self.store = store

    def add(self, number, prices):
        self.store.put(number, prices)
        return total(prices)

    def reduced(self, number, percent):
        return discounted(sum(self.store.get(number)), percent)
""",
    "shop/text.py": """\
def shout(text):
    return text.upper()


def whisper(text):
    return text.lower()


STYLES = {"loud": shout, "quiet": whisper}


def styled(text, style):
    return STYLES[style](text)


def each(texts, change):
    return [change(text) for text in texts]


def repeated(times):
    def again(text):
        return text * times

    return again
""",
    "tests/conftest.py": """\
import pytest

from shop.orders import Orders
from shop.store import StrictStore


@pytest.fixture
def orders():
    return Orders(StrictStore())
""",
    "tests/test_money.py": """\
from shop.money import discounted, rounded, with_tax


def test_rounded():
    assert rounded(1.005) in (1.0, 1.01)


def test_tax():
    assert with_tax(10) == 12


class TestDiscount:
    def test_none(self):
        assert discounted(10, 0) == 10

    def test_half(self):
        assert discounted(10, 50) == 5
""",
    "tests/test_orders.py": """\
import pytest

from shop.orders import total


def test_total():
    assert total([1, 2]) == 3.6


def test_adding(orders):
    assert orders.add(1, [5, 5]) == 12


def test_reducing(orders):
    orders.add(1, [5, 5])
    assert orders.reduced(1, 10) == 9


def test_empty(orders):
    with pytest.raises(ValueError):
        orders.add(1, [])
""",
    "tests/test_text.py": """\
from shop import text


def test_styles():
    assert text.styled("a", "loud") == "A"
    assert text.styled("A", "quiet") == "a"


def test_each():
    assert text.each(["a"], text.shout) == ["A"]


def test_again():
    assert text.repeated(2)("a") == "aa"
""",
    "tests/test_store.py": """\
from shop.store import Store


def test_round_trip():
    store = Store()
    store.put(1, "x")
    assert store.get(1) == "x"
""",
}
# Path and the line to break; what a broken function returns is nothing.
BROKEN = (
    ("shop/money.py", "return round(amount, 2)"),
    ("shop/money.py", "return rounded(amount * (1 + rate))"),
    ("shop/money.py", "return rounded(amount * (100 - percent) / 100)"),
    ("shop/store.py", "self.rows = {}"),
    ("shop/store.py", "self.rows[key] = self.checked(row)"),
    ("shop/store.py", "return self.rows[key]"),
    ("shop/store.py", 'raise ValueError("empty")'),
    ("shop/orders.py", "return with_tax(sum(prices))"),
    ("shop/orders.py", "self.store = store"),
    ("shop/orders.py", "self.store.put(number, prices)"),
    ("shop/orders.py", "return discounted(sum(self.store.get(number)), percent)"),
    ("shop/text.py", "return text.upper()"),
    ("shop/text.py", "return text.lower()"),
    ("shop/text.py", "return STYLES[style](text)"),
    ("shop/text.py", "return [change(text) for text in texts]"),
    ("shop/text.py", "return text * times"),
)


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = Path(os.path.realpath(tmp_path_factory.mktemp("review"))) / "shop"
    write(root, FILES)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        git(root, *words)
    return root


@pytest.fixture(scope="module")
def engine(shop: Path) -> Iterator[Engine]:
    with Engine(home=str(shop.parent / "home"), embed_provider="off", index_workers=1) as opened:
        opened.code.index(str(shop))
        yield opened


def recollect(root: Path, *words: str, stdin: bytes | None = None) -> Any:
    environment = {**os.environ, "RECOLLECT_HOME": str(root.parent / "home"), "RECOLLECT_EMBED_PROVIDER": "off"}
    given: dict[str, Any] = {"input": stdin} if stdin is not None else {"stdin": subprocess.DEVNULL}
    done = subprocess.run(
        [*COMMAND, *words, "--json"], cwd=root, env=environment, capture_output=True, check=False, **given
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return json.loads(done.stdout)


def failing(root: Path) -> set[str]:
    words = [sys.executable, "-m", "pytest", "-q", "-rfE", "-p", "no:cacheprovider", "tests"]
    alone = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment = {**os.environ, "PYTHONPATH": str(root), **alone}
    done = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stdout
    return set(re.findall(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE))


def named(review: Review) -> set[str]:
    return {f"{row.place.path}::{row.place.symbol.replace('.', '::')}" for row in review.tests}


@pytest.mark.parametrize(("path", "line"), BROKEN, ids=[f"{path}: {line}" for path, line in BROKEN])
def test_a_review_of_a_broken_function_names_every_test_that_fails(
    shop: Path, engine: Engine, path: str, line: str
) -> None:
    source = FILES[path]
    assert source.count(line) == 1
    try:
        write(shop, {path: source.replace(line, "return None")})
        diff = subprocess.run(["git", "diff"], cwd=shop, capture_output=True, text=True, check=True).stdout
        review = engine.survey.review(diff=diff, path=str(shop))
        broken = failing(shop)
    finally:
        write(shop, {path: source})
    assert broken, "nothing fails: this break says nothing"
    assert broken - named(review) == set(), review.notes
    (run,) = review.commands
    assert run.command.startswith("pytest tests/test_")


def test_callers_of_a_restored_file_are_found_after_its_edited_state_was_linked(tmp_path: Path) -> None:
    root = tmp_path / "shop"
    source = FILES["shop/text.py"]
    write(root, FILES)
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        git(root, *words)
    with Engine(home=str(tmp_path / "home"), embed_provider="off", index_workers=1) as engine:
        engine.code.index(str(root))
        for line in ("return STYLES[style](text)", "return text.upper()"):
            write(root, {"shop/text.py": source.replace(line, "return None")})
            review = engine.survey.review(path=str(root))
    assert "tests/test_text.py::test_styles" in named(review)


@pytest.mark.usefixtures("engine")
def test_a_diff_can_be_piped_in_and_without_a_pipe_the_work_tree_is_reviewed(shop: Path) -> None:
    source = FILES["shop/money.py"]
    try:
        write(shop, {"shop/money.py": source.replace("rate=0.2", "rate=0.3")})
        diff = subprocess.run(["git", "diff"], cwd=shop, capture_output=True, check=True).stdout
        for review in (recollect(shop, "review", stdin=diff), recollect(shop, "review")):
            assert [(row["symbol"], row["change"]) for row in review["changes"]] == [("with_tax", "signature")]
            assert "tests/test_money.py::test_tax" in review["commands"][0]["command"]
        assert recollect(shop, "review", stdin=b"")["changes"] == []
    finally:
        write(shop, {"shop/money.py": source})
