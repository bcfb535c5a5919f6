"""What test frameworks call by themselves, and command lines that run single tests."""

from __future__ import annotations

import pytest

from recollect.code.diff.runner_commands import MOST_NAMED, Trial, commands
from recollect.code.index.extract import outline
from recollect.code.index.fixture_uses import hidden_uses, parameters
from recollect.code.index.languages import BY_NAME
from recollect.code.index.symbol_properties import is_test_file
from recollect.store.code_rows import SymbolRow


def rows(path: str, source: str) -> list[SymbolRow]:
    return [SymbolRow(*symbol) for symbol in outline(source.encode(), path, BY_NAME["python"]).symbols]


def uses(files: dict[str, str]) -> set[tuple[str, str]]:
    found = hidden_uses({path: rows(path, source) for path, source in files.items()})
    return {(f"{row.user[0]}::{row.user[1]}", f"{row.used[0]}::{row.used[1]}") for row in found}


CONFTEST = """
import pytest
@pytest.fixture
def store(tmp_path):
    return 1
@pytest.fixture
def app(store):
    return store
"""


def test_a_parameter_named_like_a_fixture_is_a_use_of_it() -> None:
    files = {
        "tests/conftest.py": CONFTEST,
        "tests/unit/test_a.py": "def test_one(app, other: dict[str, int] = {}):\n    pass\ndef helper(app): ...\n",
        "elsewhere/test_b.py": "def test_two(app):\n    assert app\n",
    }
    assert uses(files) == {
        ("tests/unit/test_a.py::test_one", "tests/conftest.py::app"),
        ("tests/conftest.py::app", "tests/conftest.py::store"),
    }


def test_the_nearest_fixture_of_a_name_is_the_one_that_is_used() -> None:
    files = {
        "tests/conftest.py": CONFTEST,
        "tests/unit/conftest.py": "import pytest\n@pytest.fixture\ndef app(app):\n    return app\n",
        "tests/unit/test_a.py": "def test_one(app):\n    assert app\n",
        "tests/test_b.py": (
            "import pytest\n@pytest.fixture(name='app')\ndef made():\n    return 1\ndef test_two(app):\n    pass\n"
        ),
    }
    found = uses(files)
    assert ("tests/unit/test_a.py::test_one", "tests/unit/conftest.py::app") in found
    assert ("tests/unit/conftest.py::app", "tests/conftest.py::app") in found
    assert ("tests/test_b.py::test_two", "tests/test_b.py::made") in found


def test_fixtures_that_are_always_used_and_set_ups_run_with_every_test_in_reach() -> None:
    files = {
        "tests/test_a.py": (
            "import pytest, unittest\n@pytest.fixture(autouse=True)\ndef clean():\n    pass\n"
            "class TestIt(unittest.TestCase):\n    def setUp(self):\n        pass\n    def test_one(self):\n        1\n"
            "@pytest.mark.usefixtures('extra')\ndef test_two():\n    pass\n@pytest.fixture\ndef extra():\n    pass\n"
        ),
        "tests/test_b.py": "def test_three():\n    pass\n",
    }
    assert uses(files) == {
        ("tests/test_a.py::TestIt.test_one", "tests/test_a.py::clean"),
        ("tests/test_a.py::TestIt.test_one", "tests/test_a.py::TestIt.setUp"),
        ("tests/test_a.py::test_two", "tests/test_a.py::clean"),
        ("tests/test_a.py::test_two", "tests/test_a.py::extra"),
    }


@pytest.mark.parametrize(
    ("signature", "names"),
    [
        ("def f()", []),
        (
            "def f(self, a, b=1, *args, c: dict[str, tuple[int, int]] = {}, **rest) -> list[int]",
            ["a", "b", "args", "c", "rest"],
        ),
        ("def f(a: 'x, y', b)", ["a", "b"]),
        ("async def f(client: Client)", ["client"]),
    ],
)
def test_parameters_are_read_off_a_signature(signature: str, names: list[str]) -> None:
    assert parameters(signature) == names


def test_a_test_file_is_told_by_its_path() -> None:
    assert is_test_file("python", "tests/unit/test_a.py")
    assert is_test_file("go", "pkg/a_test.go")
    assert is_test_file("javascript", "lib/test.js") and is_test_file("typescript", "spec.ts")
    assert not is_test_file("javascript", "lib/latest.js") and not is_test_file("typescript", "inspect.ts")
    assert not is_test_file("python", "src/a.py")
    assert not is_test_file(None, "tests/a")
    assert not is_test_file("no such language", "tests/a")


# --- command lines ---


@pytest.mark.parametrize(
    ("trials", "names", "expected"),
    [
        (
            [Trial("tests/test_a.py", "python", "TestIt.test_one"), Trial("tests/test_b.py", "python")],
            [],
            "pytest tests/test_a.py::TestIt::test_one tests/test_b.py",
        ),
        ([Trial("a b/test_a.py", "python", "test_x")], [], "pytest 'a b/test_a.py::test_x'"),
        (
            [
                Trial("pkg/a_test.go", "go", "TestA"),
                Trial("pkg/b_test.go", "go", "TestB"),
                Trial("c_test.go", "go", "TestC"),
            ],
            ["go.mod"],
            "go test ./pkg . -run '^(TestA|TestB|TestC)$'",
        ),
        (
            [Trial("src/a.test.ts", "typescript", "adds")],
            ["package.json", "vitest.config.ts"],
            "npx vitest run src/a.test.ts",
        ),
        ([Trial("src/a.test.ts", "typescript", "adds")], ["package.json", "jest.config.js"], "npx jest src/a.test.ts"),
        ([Trial("src/a.test.ts", "typescript", "adds")], ["package.json"], "npm test -- src/a.test.ts"),
        ([Trial("src/lib.rs", "rust", "tests::adds")], ["Cargo.toml"], "cargo test -- adds"),
        (
            [
                Trial("src/test/java/ATest.java", "java", "ATest.one"),
                Trial("src/test/java/ATest.java", "java", "ATest.two"),
            ],
            ["pom.xml"],
            "mvn test '-Dtest=ATest#one+two'",
        ),
        ([Trial("src/test/java/ATest.java", "java", "acme.ATest")], ["pom.xml"], "mvn test -Dtest=ATest"),
        (
            [Trial("src/test/java/ATest.java", "java", "ATest.one")],
            ["build.gradle"],
            "gradle test --tests '*ATest.one'",
        ),
        ([Trial("spec/a_spec.rb", "ruby")], ["Gemfile"], "bundle exec rspec spec/a_spec.rb"),
    ],
)
def test_tests_are_named_as_their_runner_wants_them(trials: list[Trial], names: list[str], expected: str) -> None:
    (run,) = commands(trials, frozenset(names))
    assert (run.command, run.tests) == (expected, len(trials))


def test_many_tests_are_run_by_file_and_many_files_by_folder() -> None:
    many = [Trial("tests/test_a.py", "python", f"test_{number}") for number in range(MOST_NAMED + 1)]
    assert commands(many, frozenset())[0].command == "pytest tests/test_a.py"
    wide = [Trial(f"tests/unit/test_{number}.py", "python", "test_x") for number in range(MOST_NAMED + 1)]
    assert commands(wide, frozenset())[0].command == "pytest tests/unit"


def test_what_nobody_knows_how_to_run_has_no_command() -> None:
    assert commands([Trial("a.zig", "zig", "x"), Trial("a_test.go", "go", "TestA")], frozenset()) == ()
