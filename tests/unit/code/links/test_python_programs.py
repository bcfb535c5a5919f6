"""What Python becomes in the small language."""

from __future__ import annotations

import ast

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links.file_programs import translated
from recollect.code.links.program import (
    Call,
    Do,
    Import,
    Item,
    Member,
    Name,
    Unit,
    Unparsed,
    packed,
    read_program,
)
from recollect.code.links.python_programs import unit
from recollect.code.links.python_types import type_of

from .written import expression, lines, named


def read(source: str) -> Unit:
    return unit(source.encode(), "main.py", ())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a = b", ["a = b"]),
        ("a = b = c()", ["%1 = c()", "a = %1", "b = %1"]),
        ("a, (b, c) = d", ["{0: a, 1: {0: b, 1: c}} = d"]),
        ("a, *b, c = d, e, f, g", ["{0: a, *: spread(b), *: c} = {0: d, 1: e, 2: f, 3: g}"]),
        ("a += b", ["a = (a | b)"]),
        ("a.b = c; d[1] = e; d[k] = f", ["a.b = c", "d[1] = e", "d[?] = f"]),
        ("f(a, *b, c=d, **e)", ["do f(a, spread(b), d, spread(e))"]),
        ("a if b() else c", ["do b()", "do (a | c)"]),
        ("x = a or b or c", ["x = (a | b | c)"]),
        ("x = a + b()", ["x = ~(b())"]),
        ('x = "a" + b()', ["x = ~(b())"]),
        ("(x := f()).g()", ["x = f()", "do x.g()"]),
        ('f"{a()} {b}"', ["do ~(a())"]),
        ("[f(x) for x in y if g(x)]", ["x%1 = elements(y)", "do g(x%1)", "do {*: f(x%1)}"]),
        ("{k: f(v) for k, v in y}", ["{0: k%1, 1: v%1} = elements(y)", "do {*: f(v%1)}"]),
        ("for a, b in c:\n    a(b)", ["{0: a, 1: b} = elements(c)", "do a(b)"]),
        ("with a() as b:\n    b.c()", ["%1 = a()", "b = %1.__enter__()", "do %1.__exit__(~, ~, ~)", "do b.c()"]),
        ("raise A\nraise A()", ["do new A()", "do A()"]),
        ("del a.b\nassert d(), e", ["do ~(a.b)", "do ~(d())"]),
        ("super().run(1)", ["do super()", "do super.run(1)"]),
        ("f('a', 'b' 'c', r'd', 'e\\ud800')", ["do f('a', 'bc', 'd', '')"]),  # no key has half of a character
        ('d = {"a": f, 1: g, **h}', ["d = {a: f, 1: g, *: spread(h)}"]),
        ("match x:\n    case A(b=c):\n        c()\n    case [d, *e]:\n        d()",
         ["do c()", "do d()"]),
        ("try:\n    a()\nexcept (B, C) as e:\n    e.f()\nfinally:\n    g()",
         ["do a()", "e = (instance(B) | instance(C))", "do e.f()", "do g()"]),
        ("x: A | None = f()", ["x = f()", "x = instance(A)"]),
        ("x: 'A'", ["x = instance(A)"]),
        ("x: list[A]", ["x = {*: instance(A)}"]),
    ],
)  # fmt: skip
def test_statements_become_the_flow_of_their_values(source: str, expected: list[str]) -> None:
    assert lines(read(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a", Import("a", None, "a", line=1)),
        ("import a.b", Import("a.b", None, "a", line=1, is_whole=False)),
        ("import a.b as c", Import("a.b", None, "c", line=1)),
        ("from a import b", Import("a", "b", "b", line=1)),
        ("from ..a.b import c as d", Import("a.b", "c", "d", 2, 1)),
        ("from . import a", Import("", "a", "a", 1, 1)),
        ("from a import *", Import("a", "*", None, line=1)),
    ],
)
def test_imports_say_module_name_alias_and_level(source: str, expected: Import) -> None:
    assert read(source).scopes[0].body == (expected,)


def test_functions_say_how_they_are_bound_and_what_they_take() -> None:
    source = """
class A(B, metaclass=M):
    def __init__(self, a, *b, c: "C" = d, **e): pass
    @property
    def f(self): return 1
    @f.setter
    def f(self, value): pass
    @staticmethod
    def g(): pass
    @classmethod
    async def h(cls): yield 1
    @typing.overload
    def k(self): ...
"""
    scopes = {(scope.name, place): scope for place, scope in enumerate(read(source).scopes)}
    marks = {name: scope.marks for (name, _), scope in scopes.items() if scope.kind == "function"}
    assert marks["__init__"] == ("self", "constructor")
    assert marks["f"] == ("setter", "self")
    assert marks["g"] == ("static",)
    assert marks["h"] == ("classmethod", "async", "self", "generator")
    (made,) = [scope for (name, _), scope in scopes.items() if name == "__init__"]
    assert [(each.kind, each.name) for each in made.parameters] == [
        ("", "self"), ("", "a"), ("*", "b"), ("=", "c"), ("**", "e")
    ]  # fmt: skip
    assert (made.parameters[3].default, made.parameters[3].declared) == (Name("d"), Name("C"))
    (own,) = [scope for (name, _), scope in scopes.items() if name == "A"]
    assert own.bases == (Name("B"),)
    assert "k" not in [line.partition(" ")[0] for line in named(read(source), "A")]  # an overload is not what is called


def test_lambdas_are_numbered_in_the_scope_around() -> None:
    found = read("a = lambda: 1\nb = lambda x: x()\ndef f():\n    return lambda: 2\n")
    assert [(scope.name, scope.parent) for scope in found.scopes] == [
        ("", -1), ("<lambda1>", 0), ("<lambda2>", 0), ("f", 0), ("<lambda1>", 3)
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A", "A"), ("a.B", "a.B"), ('"A"', "A"), ("Optional[A]", "A"), ("A | None", "A"), ("Union[A, B]", "(A | B)"),
        ("list[A]", "{*: instance(A)}"), ("dict[str, A]", "{*: instance(A)}"),
        ("tuple[A, B]", "{0: instance(A), 1: instance(B)}"),
        ("tuple[A, ...]", "{*: instance(A)}"), ("A[B]", "A"), ("Annotated[A, 1]", "A"), ("Coroutine[X, Y, A]", "A"),
    ],
)  # fmt: skip
def test_types_become_what_they_are_instances_of(text: str, expected: str) -> None:
    found = type_of(ast.Constant(text))
    assert found is not None
    assert expression(found) == expected


@pytest.mark.parametrize("text", ["Callable[[A], B]", "Any", "None", "not a type", "[" * 3000, "1 + 1", "'", "type[A]"])
def test_types_that_say_nothing_are_none(text: str) -> None:
    assert type_of(ast.Constant(text)) is None


def test_calls_stand_where_the_called_name_stands_in_characters() -> None:
    found = read("é = a.bc(\n  'ü', d())\n")
    calls = _calls(found.scopes[0].body)
    assert sorted((call.line, call.column) for call in calls) == [(1, 6), (2, 7)]


def _calls(part: object) -> list[Call]:
    if isinstance(part, tuple):
        return [call for each in part for call in _calls(each)]
    fields = getattr(part, "__struct_fields__", ())
    inner = [call for field in fields for call in _calls(getattr(part, field))]
    return [part, *inner] if isinstance(part, Call) else inner


def test_scopes_know_their_symbols() -> None:
    source = b"@a\r\ndef f():\r\n    def g(): pass\r\n\r\nclass C:\r\n    x = 1\r\n    def f(self): pass\r\n"
    symbols = outline(source, "main.py", BY_NAME["python"]).symbols
    found = unit(source, "main.py", symbols)
    for scope in found.scopes[1:]:
        assert symbols[scope.symbol].name == scope.name
        assert symbols[scope.symbol].start_line <= scope.line <= symbols[scope.symbol].end_line


def stored(source: str) -> Unit:
    found = translated("main.py", source.encode())
    return read_program(found.content)[0]


def test_what_is_nested_too_deeply_loses_no_call() -> None:
    depth = 400
    deep = stored("x = " + "f(" * depth + ")" * depth + "\n")
    assert len(_calls(deep.scopes[0].body)) == depth
    blocks = read("".join("    " * place + "if a:\n" for place in range(90)) + "    " * 90 + "g()\n")
    assert len(_calls(blocks.scopes[0].body)) == 1
    branches = read("if a: pass\n" + "elif b: f()\n" * 1000)
    assert len(_calls(branches.scopes[0].body)) == 1000


@pytest.mark.parametrize(
    "source",
    [
        "", "def", "class A(", "def f(:\n  g()", "x = = 3", "f(" * 3000, "a + " * 4000 + "a", "import",
        "from . import", "lambda", "@", "with", "match x:\n  case", "x: ", "def f(*, ):\n  pass", "{**}",
        "a, *b, *c = d", "for in :", "try:\n", "f'{'", "class A: pass\n" * 200, "\ufeffx = 1", "async",
        "def f(a, a): return a", "[x for x in", "print 'a'",
    ],
)  # fmt: skip
def test_whatever_is_written_becomes_some_program(source: str) -> None:
    found = stored(source)
    assert found.scopes[0].kind == "module"
    assert read_program(packed(found))[0] == found


@pytest.mark.parametrize("source", ["def broken(:", "a" + ".b()" * 2000, "-" * 100_000 + "1"])
def test_what_this_interpreter_cannot_parse_is_said(source: str) -> None:
    with pytest.raises(Unparsed, match=r"^Python 3\.\d+ cannot parse it"):
        read(source)
    assert translated("main.py", source.encode()).note.endswith("its calls are linked by names alone")


def test_a_file_that_cannot_be_parsed_keeps_its_methods_and_imports() -> None:
    found = stored("import a.b\nfrom c import d\n\nclass E:\n    def f(self):\n        self.g(d())\n\nx = = 1\n")
    imports = [each for each in found.scopes[0].body if isinstance(each, Import)]
    assert [(each.module, each.name, each.alias) for each in imports] == [("a.b", None, "a"), ("c", "d", None)]
    assert {call.callee for scope in found.scopes for call in _calls(scope.body)} >= {Name("d")}


def test_what_stands_beside_an_error_is_read() -> None:
    found = stored("def ok():\n    good()\n\ndef broken(:\n    pass\n\nfine()\n")
    assert {call.callee for scope in found.scopes for call in _calls(scope.body)} >= {Name("good"), Name("fine")}


def test_a_key_that_is_a_name_is_kept() -> None:
    (statement,) = read("d[k]()").scopes[0].body
    assert isinstance(statement, Do)
    assert statement.value == Call(Item(Name("d"), None, Name("k")), (), 1, 0)
    (other,) = read("a.b.c()").scopes[0].body
    assert isinstance(other, Do)
    assert other.value == Call(Member(Member(Name("a"), "b", 1), "c", 1), (), 1, 4)
