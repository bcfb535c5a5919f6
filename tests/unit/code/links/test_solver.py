"""What solving says besides the calls: how they are known, what is open, what derives, imports and uses what."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links import file_links
from recollect.code.links.file_programs import offer, translated
from recollect.code.links.module_finder import Declared, Modules
from recollect.code.links.named_uses import with_uses
from recollect.code.links.program import Unit
from recollect.code.links.python_programs import unit
from recollect.code.links.solution import CONFIDENCE, Solution
from recollect.code.links.solver import solve

from .written import call_edges


def read(files: Mapping[str, str]) -> dict[str, Unit]:
    symbols = {path: outline(text.encode(), path, BY_NAME["python"]).symbols for path, text in files.items()}
    return {
        path: with_uses(unit(text.encode(), path, symbols[path]), symbols[path], text.encode())
        for path, text in files.items()
    }


def solved(files: Mapping[str, str]) -> Solution:
    units = read(files)
    told = {path: offer(each) for path, each in units.items()}
    declared = {path: Declared(each.language, each.package, each.names) for path, each in told.items()}
    return solve(units, Modules(declared))


def calls(files: Mapping[str, str]) -> dict[tuple[str, str, int], str]:
    """Return how calls are known by caller, callee and line; callees outside the program are left out."""
    units = read(files)
    return {
        (_name(units, edge.caller), _name(units, edge.callee), edge.line): edge.how
        for edge in call_edges(solved(files))
        if not isinstance(edge.callee, str)
    }


def _name(units: Mapping[str, Unit], place: tuple[str, int]) -> str:
    path, number = place
    if number < 0:
        return next(each.name for each in units[path].constants if each.symbol == ~number)
    return units[path].scopes[number].name or path


def test_calls_have_a_line_and_a_kind_of_evidence() -> None:
    files = {
        "main.py": """
from lib import helper
import lib

class Base:
    def __init__(self): pass
    def run(self): pass

class Heir(Base):
    def go(self):
        self.run()
        super().run()

def own(): pass

own()
helper()
lib.helper()
Heir().go()
fs = [own]
fs[0]()
sorted([1], key=own)
""",
        "lib.py": "def helper(): pass\n",
    }
    assert calls(files) == {
        ("go", "run", 11): "inherited",
        ("go", "run", 12): "super",
        ("main.py", "own", 16): "direct",
        ("main.py", "helper", 17): "import",
        ("main.py", "helper", 18): "import",
        ("main.py", "__init__", 19): "constructor",
        ("main.py", "go", 19): "method",
        ("main.py", "own", 21): "value",
        ("main.py", "own", 22): "callback",
    }
    assert {edge.how for edge in call_edges(solved(files))} <= set(CONFIDENCE)


def test_a_package_that_imports_from_itself_means_its_module() -> None:
    files = {
        "shop/__init__.py": "from . import price\n\n\ndef offer():\n    price.total()\n",
        "shop/price.py": "def total():\n    pass\n",
    }
    assert [row[:2] for row in calls(files)] == [("offer", "total")]


def test_columns_are_those_of_the_called_name() -> None:
    (edge,) = [each for each in call_edges(solved({"a.py": "def f(): pass\nx = (1,  f())\n"})) if each.line == 2]
    assert (edge.line, edge.column) == (2, 9)


def test_a_method_of_an_unknown_value_stays_unresolved() -> None:
    files = {
        "one.py": "class A:\n    def frobnicate(self): pass\n    def swirl(self): pass\n",
        "two.py": "class B:\n    def swirl(self): pass\n    def append(self): pass\n",
        "main.py": "def f(x):\n    x.frobnicate()\n    x.swirl()\n    x.unheard()\n    x.append()\n",
    }
    found = solved(files)
    assert call_edges(found) == []
    assert [(each.name, each.candidates) for each in found.open_calls if each.candidates] == [
        ("frobnicate", (("one.py", 2),)),
        ("swirl", (("one.py", 3), ("two.py", 2))),
    ]
    # The only `append` of a program is hardly ever the one that is meant.
    assert [each.name for each in found.open_calls if not each.candidates] == ["append", "unheard"]


def test_a_call_with_too_many_targets_is_ambiguous() -> None:
    many = "".join(f"class C{place}:\n    def act(self): pass\n" for place in range(40))
    rows = ", ".join(f"C{place}()" for place in range(40))
    program = translated("main.py", f"{many}\nfor each in [{rows}]:\n    each.act()\n".encode()).content
    found = file_links.solved({"main.py": program}, Modules({"main.py": Declared("python")}), ["main.py"], [])
    line = 83
    assert [site for site in found["main.py"].sites if site.line == line] == []
    (crowd,) = found["main.py"].loose.ambiguous
    assert (crowd.name, crowd.line) == ("act", line)
    assert len(crowd.candidates) > 32


def test_base_classes_and_uses_are_found() -> None:
    files = {
        "base.py": "class Base: pass\n",
        "main.py": "import os\nfrom base import Base\nclass Heir(Base, os.PathLike): pass\ndef f(x: Base): pass\n",
    }
    found = solved(files)
    assert [(each.derived, each.base) for each in found.derivations] == [
        (("main.py", 1), ("base.py", 1)),
        (("main.py", 1), "os.PathLike"),
    ]
    assert [(each.user, each.used) for each in found.uses] == [(("main.py", 2), ("base.py", 1))]


@pytest.mark.parametrize(
    ("head", "of"), [("", "(NamedTuple)"), ("@dataclass(frozen=True)\n", ""), ("", "(msgspec.Struct, frozen=True)")]
)
def test_constructor_arguments_of_a_record_are_its_fields(head: str, of: str) -> None:
    text = (
        f"{head}class Row{of}:\n    name: str\n    reader: object\n    LIMIT: ClassVar[int] = 3\n"
        "def one(): pass\ndef two(): pass\n"
        "ROWS = (Row('a', one), Row('b', reader=two))\n"
        "def go():\n    for row in ROWS:\n        row.reader()\n"
    )
    found = {(caller, callee) for caller, callee, _ in calls({"main.py": text})}
    assert {("go", "one"), ("go", "two")} <= found


def test_functions_are_used_where_they_are_passed_on() -> None:
    files = {
        "work.py": "def work(): pass\n",
        "main.py": (
            "import work\nfrom elsewhere import run\ndef own(): pass\n"
            "class A:\n    def call(self): pass\n    def go(self, given):\n        run(self.call, given)\n"
            "def f():\n    run(own, key=work.work)\nTABLE = {'own': own}\n"
        ),
    }
    units = read(files)
    told = {(_name(units, each.user), _name(units, each.used)) for each in solved(files).uses}
    assert told == {("go", "call"), ("f", "own"), ("f", "work"), ("TABLE", "own")}


def test_a_long_file_is_solved() -> None:
    text = "".join(f"def f{place}(x): return f{(place * 7) % 3000}\n" for place in range(3000))
    text += "".join(f"a{place} = f{place}(f{place})\na{place}()\n" for place in range(3000))
    found = solved({"main.py": text})
    assert len([edge for edge in call_edges(found) if not isinstance(edge.callee, str)]) == 6000


def test_a_long_chain_of_assignments_is_followed_to_its_end() -> None:
    text = "def f(): pass\na0 = f\n" + "".join(f"a{place + 1} = a{place}\n" for place in range(4000)) + "a4000()\n"
    assert ("main.py", "f", 4003) in calls({"main.py": text})


def test_the_order_of_files_changes_nothing() -> None:
    files = {
        "a.py": "from b import B\nclass A:\n    def run(self): return B(self).go()\n",
        "b.py": "import c\nclass B:\n    def __init__(self, a): self.a = a\n    def go(self): return c.pick(self.a)\n",
        "c.py": "def pick(thing): return thing.run\nhooks = {}\ndef add(name, f): hooks[name] = f\n",
        "d.py": "import a, c\nc.add('x', a.A().run)\nc.hooks['x']()()\n",
    }
    first = solved(files)
    assert any(not isinstance(edge.callee, str) for edge in call_edges(first))
    for order in permutations(files):
        assert solved({path: files[path] for path in order}) == first


def test_a_decorator_with_options_returns_what_it_decorates() -> None:
    files = {
        "marks.py": "def marked(name):\n    def mark(function):\n        return function\n    return mark\n",
        "shop.py": "from marks import marked\n\nclass Shop:\n    @marked('sell')\n    def sell(self): pass\n",
        "main.py": "from shop import Shop\n\ndef buy(shop: Shop):\n    shop.sell()\n",
    }
    assert ("buy", "sell", 4) in calls(files)


def test_a_variable_that_is_filtered_into_itself_keeps_its_class() -> None:
    files = {
        "main.py": """
class Rows:
    def values(self): return Rows()
    def f(self, is_new):
        rows = [] if is_new else self
        rows = rows.values()
        return rows
"""
    }
    assert ("f", "values", 6) in calls(files)


def test_a_program_in_which_everything_flows_everywhere_ends_and_says_that_it_is_coarse() -> None:
    names = [f"C{number}" for number in range(12)]
    lines = [f"class {name}:\n    def run(self): pass" for name in names]
    lines += [
        f"v{place} = v{(place + 1) % 200} or v{(place * 7) % 200} or {names[place % 12]}()" for place in range(200)
    ]
    lines += ["def sure():\n    return C1()", "v1.run()"]
    source = "\n".join(lines)
    units = {"a.py": unit(source.encode(), "a.py", ())}
    modules = Modules({"a.py": Declared("python")})
    fine, coarse = solve(units, modules), solve(units, modules, most_steps=100)
    line = source.count("\n") + 1
    assert (fine.is_coarse, coarse.is_coarse) == (False, True)
    assert len([call for call in call_edges(fine) if call.line == line]) == 12
    assert len([call for call in call_edges(coarse) if call.line == line]) < 12
    assert [each.line for each in coarse.open_calls] == [line]  # it is known that more is called
    assert (line - 1, "constructor") in {(call.line, call.how) for call in call_edges(coarse)}  # plain calls are found
