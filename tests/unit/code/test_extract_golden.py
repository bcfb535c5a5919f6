"""What is read from a sample of every language: each expectation was read by a person before it was committed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import LANGUAGES, Language
from recollect.code.index.page import load

ROOT = Path(__file__).parents[3]
JAVA, NET, PHP = "com.acme.billing.InvoiceController", "Acme.Orders", "App\\Http\\Controllers\\format_name"
QUERIES = ROOT / "src" / "recollect" / "code" / "index" / "queries"


@pytest.fixture(scope="module")
def golden() -> ModuleType:
    """The script that writes the expectations."""
    spec = importlib.util.spec_from_file_location("golden", ROOT / "scripts" / "golden.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.promise("E13")
@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_sample_is_read_as_expected(golden: ModuleType, language: Language) -> None:
    path = golden.sample(language.name)
    expected = json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))
    found = json.loads(golden.written(golden.described(path)))
    for part in ("package", "notes", "imports", "references"):
        assert found[part] == expected[part]
    for symbol, known in zip(found["symbols"], expected["symbols"], strict=True):
        assert symbol == known


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_sample_with_other_line_ends_has_the_same_symbols(golden: ModuleType, language: Language) -> None:
    source = golden.sample(language.name).read_bytes()
    plain, other = (golden.extract(text, "tests/a", language) for text in (source, source.replace(b"\n", b"\r\n")))

    def told(extracted: object) -> list[tuple[object, ...]]:
        return [
            (symbol.qualified, symbol.kind, symbol.start_line, symbol.doc, symbol.hash, symbol.visibility)
            for symbol in extracted.symbols  # type: ignore[attr-defined]
        ]

    assert told(other) == told(plain)
    assert len(plain.symbols) >= 5


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_an_outline_has_the_symbols_of_all_that_is_read(golden: ModuleType, language: Language) -> None:
    source = golden.sample(language.name).read_bytes()
    outlined, read = (what(source, "tests/a", language) for what in (outline, golden.extract))
    assert outlined == (read.symbols, read.notes)
    used = [name for name in load(language.name, outline=True).captures if name.startswith("reference.")]
    assert used == []


def test_a_pattern_is_one_line() -> None:
    for path in QUERIES.glob("*.scm"):
        for line in path.read_text(encoding="utf-8").splitlines():
            pattern = "" if line.startswith(";") else line
            assert pattern.count("(") == pattern.count(")") and pattern.count("[") == pattern.count("]"), line


def test_every_row_has_its_query_files_and_a_sample() -> None:
    stems = {stem for language in LANGUAGES for stem in language.queries or (language.name,)}
    assert {path.stem for path in QUERIES.glob("*.scm")} == stems
    samples = {path.parent.name for path in (ROOT / "tests" / "golden").glob("*/sample.*")}
    assert samples == {language.name for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES, ids=lambda language: language.name)
def test_a_query_speaks_the_one_vocabulary(language: Language) -> None:
    groups = {"definition", "reference", "import"}
    plain = {
        "scope", "name", "body", "bodied", "owner", "decorator", "access", "export", "package", "path", "import",
        "comment", "string", "markup", "directive", "block", "branch", "error",
    }  # fmt: skip
    captures = load(language.name).captures
    assert [name for name in captures if name not in plain and name.split(".")[0] not in groups] == []


def test_python_gives_arguments_types_decorators_docs_calls_and_imports(golden: ModuleType) -> None:
    read = golden.described(golden.sample("python"))
    fetch = next(symbol for symbol in read["symbols"] if symbol["qualified"] == "Account.fetch")
    assert fetch["signature"] == 'async def fetch( number: str, retries: int = 3, ) -> "Account"'
    assert fetch["decorators"] == ["staticmethod"]
    assert fetch["doc"] == "Return the account of a number, or raise."
    assert "48:33 call asyncio | wait_for in Account.fetch.attempt" in read["references"]
    assert "10: ..core name errors as err" in read["imports"]


@pytest.mark.parametrize(
    ("language", "function", "signature", "called"),
    [
        ("javascript", "sum", "const sum = (a, b)", "53:62 call sum | apply in Store.legacy"),
        ("typescript", "overload", "export function overload(value: any): any", "77:39 call isUser in users.finds one"),
        ("java", f"{JAVA}.close", "public void close()", f"43:13 call pool | submit in {JAVA}.with"),
        ("c", "by_value", "static inline int by_value(const void *a, const void *b)", "50:4 call qsort in ring_push"),
        ("cpp", "clamp", "T clamp(T value, T low, T high)", "51:22 call this | first in geo::flat::Polygon::area"),
        ("go", "New", "func New[T any](size int) *Queue[T]", "53:6 call q.mu | Lock in Queue.Push"),
        ("rust", "Cache::new", "pub fn new(clock: C) -> Self", "47:21 call self.entries | retain in Cache::evict"),
        ("ruby", "helper", "def helper(*args, **options)", "28:35 call Repository | new in Shop::Order::repository"),
        ("php", PHP, "function format_name(Account $user): string", f"61:53 call trim in {PHP}"),
        ("csharp", f"{NET}.Order.Label", "public string Label()",
         f"35:49 call _orders | Add in {NET}.OrderController.Create"),
    ],
)  # fmt: skip
def test_functions_have_signatures_and_dependencies_in_every_promised_language(
    golden: ModuleType, language: str, function: str, signature: str, called: str
) -> None:
    read = golden.described(golden.sample(language))
    assert signature in [symbol["signature"] for symbol in read["symbols"] if symbol["qualified"] == function]
    assert called in read["references"]
    assert [symbol for symbol in read["symbols"] if symbol["kind"] in ("Class", "Interface")]
