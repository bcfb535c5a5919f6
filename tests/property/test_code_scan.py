"""Python read by its lines is Python read by its tree: where the scan is certain, both say the same, byte for byte."""

from __future__ import annotations

import sysconfig
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.index.captures import Captures, Marks
from recollect.code.index.definitions import Definition, gather
from recollect.code.index.extract import extract, outline
from recollect.code.index.languages import BY_NAME
from recollect.code.index.page import Page, load
from recollect.code.index.python_outline import Scan, scan

PYTHON = BY_NAME["python"]
LIBRARY = Path(sysconfig.get_paths()["stdlib"])
# Some 150 modules by many hands over thirty years.
MODULES = sorted([*LIBRARY.glob("[a-p]*.py"), *LIBRARY.glob("asyncio/*.py"), *LIBRARY.glob("unittest/*.py")])

heads = st.sampled_from(
    [
        "def f():", "def f(a, *, b: int = 3) -> dict[str, int]:", "async def g(x=lambda: 1):", "class A:",
        "class B(A, metaclass=M):", "if x:", "elif y == 2:", "else:", "for i in range(3):", "async for a in b:",
        "while True:", "try:", "except (A, B) as e:", "finally:", "with open(p) as f, g():", "match x:", "case 1:",
        "def f[T](x: T) -> T:", "match = 3", "type = 4", "lambda: 0", "async with a:",
        "def long(\n  a,  # first\n  b\n):",
    ]
)  # fmt: skip
simple = st.sampled_from(
    [
        "pass", "x = 1", "NAME = 2", "NAME: int = 3", "other: str", "a, b = 1, 2", "a.b = 3", "x == 1", "return x",
        "LONG = [\n  1,\n    2,\n]", "f = lambda: 0", "UP = lambda x: x", "x += 1", "yield", "@decorated",
        "@a.b(c)  # why",
        "type Alias = int", "type Box[T] = list[T]", '"""Doc."""', "'a  b' + \"c # d\"", 'f"a {x} b  {y!r:>{w}} c"',
        "f'{x if y else z} if {\"for it\"}'", 'f"{{no}} {d[\'k  v\']}"', "rb'\\'  x'", '"""two\n  lines \\""" more"""',
        "x = (1 +\n  2)", "x = 1 + \\\n    2", "[i for i in x if i]", "print(x, end='')", "a = b = c", "X = Y = 1",
        "", "# comment", "x = {1: 2}", "import a.b as c", "if x: y = 1", "else: pass", "class C: pass",
        "def h(): return 1",
        "class D: X = 1", "while x: x -= 1", "try: import a", "x; y", "ü = 1", "s = 'ü'", "x = '", '"""', "(", ")",
        "f'{'", "global x", "del x[1:2]", "assert x, 'if  not'", "x = yield  # then", "@", "return\"x\"",
        "if\"x\": pass",
    ]
)  # fmt: skip
lines = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([1, 2, 4]), heads | simple, st.sampled_from(["", "", "  # c", " "])),
    max_size=14,
)


def written(parts: list[tuple[int, int, str, str]]) -> str:
    """A file of these lines; in three of four cases, what ends with a colon is followed by something further in."""
    text, depth, unit, is_head = "", 0, 4, False
    for wanted, width, line, end in parts:
        depth = depth if is_head and wanted else min(wanted, depth)
        unit = unit if depth else width
        text += " " * (unit * depth) + line + end + "\n"
        is_head = line.endswith(":")
        depth += is_head
    return text


def fields(each: Definition) -> tuple[object, ...]:
    names = (each.start, each.whole, each.end, each.kind, each.name_start, each.name_end, each.body)
    return (*names, tuple(each.decorators or ()))


def blanks(page: Page, marks: Marks) -> set[int]:
    """Where white space counts."""
    return {at for start, end in marks.strings for at in range(start, end) if page.text[at].isspace()}


def assert_same(page: Page, scanned: Scan, found: Captures) -> None:
    assert sorted(map(fields, scanned.definitions)) == sorted(map(fields, gather(page, PYTHON, found)))
    one, other = scanned.marks, found.marks()
    assert (one.comments, one.branches) == (other.comments, other.branches)
    assert Counter(one.blocks) == Counter(other.blocks)
    assert blanks(page, one) == blanks(page, other)


@given(lines)
def test_what_the_scan_accepts_is_what_the_tree_says(parts: list[tuple[int, int, str, str]]) -> None:
    page = Page(written(parts).encode())
    scanned = scan(page, PYTHON)
    found = Captures(page, load("python", outline=True))
    if scanned is not None and not found.root.has_error:
        assert_same(page, scanned, found)


@given(st.text(st.sampled_from("df:x (\n)'\"{}#=\\@ 1"), max_size=60))
def test_no_text_stops_the_scan(text: str) -> None:
    page = Page(text.encode())
    scanned, found = scan(page, PYTHON), Captures(page, load("python", outline=True))
    if scanned is not None and not found.root.has_error:
        assert_same(page, scanned, found)


def test_modules_of_the_standard_library_are_read_alike() -> None:
    accepted = 0
    for path in MODULES:
        page = Page(path.read_bytes())
        scanned, found = scan(page, PYTHON), Captures(page, load("python", outline=True))
        if scanned is not None and not found.root.has_error:
            assert_same(page, scanned, found)
            accepted += 1
    assert accepted > 0.9 * len(MODULES) > 100


@pytest.mark.parametrize(
    ("why", "source"),
    [
        ("a quote closes nothing", 'x = "a\n'),
        ("three quotes close nothing", 'x = """a\n'),
        ("a template string", "x = t'{a}'\n"),
        ("a brace of a formatted string is open", "x = f'{a'\n"),
        ("a bracket is open", "x = (1\n"),
        ("a bracket closes nothing", "x = 1)\n"),
        ("two statements on a line", "A = 1; B = 2\n"),
        ("a tab", "if x:\n\tpass\n"),
        ("a form feed", "x = 1\n\f\ny = 2\n"),
        ("a name that is not ASCII", "größe = 1\n"),
        ("a backslash that joins nothing", "x = 1 \\ 2\n"),
        ("indented for no reason", "x = 1\n    y = 2\n"),
        ("no body", "def f():\nx = 1\n"),
        ("no body at the end", "x = 1\nclass A:\n"),
        ("between two levels", "if x:\n    y = 1\n  z = 2\n"),
        ("a match statement", "match x:\n    case 1:\n        pass\n"),
        ("a class that may have members on its line", "class A: X = 1\n"),
        ("a decorator of nothing", "@\ndef f(): pass\n"),
        ("no colon", "def f()\n"),
    ],
)
def test_what_a_tree_is_needed_for_is_left_to_it(why: str, source: str) -> None:
    assert scan(Page(source.encode()), PYTHON) is None, why
    read = extract(source.encode(), "a.py", PYTHON)
    assert outline(source.encode(), "a.py", PYTHON) == (read.symbols, read.notes)


def test_an_error_inside_an_expression_hides_no_symbol() -> None:
    source = b"def before(): pass\n\nx = = 1\n\ndef after():\n    return not\n"
    assert [symbol.name for symbol in outline(source, "a.py", PYTHON).symbols] == ["before", "x", "after"]


def test_calls_that_register_handlers_are_read_from_the_tree() -> None:
    source = b'urlpatterns = [path("users/", users)]\n'
    kinds = [symbol.kind for symbol in outline(source, "app/urls.py", PYTHON).symbols]
    assert kinds == ["Constant", "Endpoint"]
