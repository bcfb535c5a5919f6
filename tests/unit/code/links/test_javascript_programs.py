"""What JavaScript and TypeScript become in the small language."""

from __future__ import annotations

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links.javascript_programs import unit
from recollect.code.links.program import Unit, packed, read_program

from .written import lines, named


def read(source: str, language: str = "javascript") -> Unit:
    return unit(source.encode(), f"main{BY_NAME[language].extensions[0]}", ())


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("let x = f; x = g; x();", ["x = f", "x = g", "do x()"]),
        ("const x = 1; { const x = f; x(); }", ["x = 1", "x~2 = f", "do x~2()"]),
        ("let [a, , ...b] = c;", ["{0: a, *: spread(b)} = c"]),
        ("const {a, b: {c = d}} = e;", ["c = d", "{a: a, b: {c: c}} = e"]),
        ("[o.x, p[0]] = q;", ["{0: o.x, 1: p[0]} = q"]),
        ("o = {a, 'b': c, 1: d, ...e};", ["%1 = {a: a, b: c, 1: d, *: spread(e)}", "o = %1"]),
        ("a.b['c'][1][d](...e);", ["do a.b.c[1][?](spread(e))"]),
        ("new A(b).c?.(d);", ["do new A(b).c(d)"]),
        ("f`x${a}y${b()}`;", ["do f(~, a, b())"]),
        ("x = a ? b : c || d;", ["%1 = (b | (c | d))", "x = %1"]),
        ("x = a() && b;", ["do a()", "x = b"]),
        ("a = b = f();", ["%1 = f()", "b = %1", "a = %1"]),
        ("f() + g() * 2 + `${h()}`;", ["do ~(f(), g(), h())"]),
        ("for (const x of y()) x(); for (k in o()) k;", ["x = elements(y())", "do x()", "k = ~(o())"]),
        ("x = await f();", ["%1 = f()", "x = %1"]),
        ("throw new A();", ["do ~(new A())"]),
    ],
)
def test_a_statement_becomes(source: str, expected: list[str]) -> None:
    assert lines(read(source)) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a, * as b from 'm'; import {c as d} from './n'; import 'o';",
         ["import m default as a", "import m as b", "import ./n c as d", "import o as None"]),
        ("export * from 'm'; export * as n from 'm'; export {a as b} from 'm';",
         ["pass on m * as None", "pass on m as n", "pass on m a as b"]),
        ("export const a = f; export {a as b}; export default g;",
         ["a = f", "export default = g", "export a = a", "export b = a"]),
        ("const a = require('./b'); require('./b').c();",
         ["import ./b as %./b", "a = %./b", "do %./b.c()"]),
        ("exports.a = f; module.exports = g;",
         ["exports = {}", "exports.a = f", "exports = g", "export = = exports"]),
        ("import('./a').then(f);",
         ["import ./a as %./a", "do (%./a.then(f) | f(%./a))"]),
    ],
)  # fmt: skip
def test_modules_become_imports_and_exports(source: str, expected: list[str]) -> None:
    assert lines(read(source)) == expected


def test_functions_are_values_before_their_block_begins() -> None:
    assert lines(read("f(); function f() {}")) == ["f = #1", "do f()"]


def test_parameters_keep_defaults_rests_and_patterns() -> None:
    program = read("function f(a, b = g, {c}, ...d) {}")
    shown = [(each.kind, each.name) for each in program.scopes[1].parameters]
    assert shown == [("", "a"), ("", "b"), ("", "%1"), ("*", "d")]
    assert named(program, "f") == ["b = g", "{c: c} = %1"]


def test_a_class_holds_its_members_and_a_constructor_its_initial_values() -> None:
    program = read(
        "class A extends B { x = f(); h = () => this.m(); static s = g(); constructor() { super(); } get p() {} #q() {}"
        " static { this.s(); } }"
    )
    assert lines(program) == ["A = #1"]
    assert named(program, "A") == ["constructor = #2", "h = #3", "s = g()", "p = #4", "#q = #5", "do this.s()"]
    assert named(program, "constructor") == ["do super()", "this.x = f()"]
    assert [scope.marks for scope in program.scopes[2:]] == [("constructor",), ("arrow",), ("property",), ()]


def test_functions_are_named_by_themselves_or_by_their_symbols() -> None:
    source = (
        b"A.prototype.b = function () {}; exports.c = function () {}; const d = wrap(function () {}), e = { f() {} };"
        b"const g = () => () => {}; h(function () {}, () => {}, function own() {}); const k = i || function () {};"
    )
    program = unit(source, "main.js", outline(source, "main.js", BY_NAME["javascript"]).symbols)
    found = [scope.name for scope in program.scopes[1:]]
    assert found == ["b", "c", "<function1>", "f", "g", "<function2>", "<function3>", "own", "k", "<function1>"]


def test_types_lead_to_classes() -> None:
    program = read(
        "class S { private a: A; constructor(private b: B) {} f(c: C[], d: D | E): Promise<F>"
        " { return (c as any) as G; } }"
        "interface I extends J { m(): K; n: L; }",
        "typescript",
    )
    assert named(program, "S") == ["constructor = #2", "a = instance(A)", "f = #3"]
    assert named(program, "constructor") == ["this.b = b"]
    assert named(program, "f") == ["c = {*: instance(C)}", "d = (instance(D) | instance(E))", "return (c as G)"]
    assert program.scopes[4].kind == "interface"
    assert named(program, "I") == ["m = #5", "n = instance(L)"]


def test_markup_calls_components_and_what_listens() -> None:
    program = read("<A b={c}><d onClick={e}/>{f()}</A>;", "tsx")
    assert lines(program) == [
        "do ~.addEventListener('click', e)",
        "do A({b: c, children: {*: ~, *: f()}})",
    ]


@pytest.mark.parametrize("end", [b"", b";"])
def test_scopes_know_their_symbols(end: bytes) -> None:
    source = b"class A {\r\n  m() {}\r\n}\r\nconst f = () => 1;\r\nexport default function () {}" + end
    symbols = outline(source, "main.js", BY_NAME["javascript"]).symbols
    program = unit(source, "main.js", symbols)
    found = {scope.name: symbols[scope.symbol].qualified for scope in program.scopes if scope.symbol >= 0}
    assert found == {"A": "A", "m": "A.m", "f": "f", "default": "default"}


@pytest.mark.parametrize(
    "source",
    [
        "(" * 3000 + "f()" + ")" * 3000,
        "a" + ".b()" * 3000,
        "+".join(["f()"] * 3000),
        "x=>" * 2000 + "f()",
        "{" * 2000 + "f();" + "}" * 2000,
        "[" * 3000 + "f()" + "]" * 3000,
        "if(a)b();" + "else if(c)d();" * 2000,
        "function f(){" * 1000 + "f()" + "}" * 1000,
        "a?b:" * 2000 + "f()",
        "class A{m(){" * 500 + "f()" + "}}" * 500,
    ],
)
@pytest.mark.parametrize("language", ["javascript", "tsx"])
def test_depth_loses_nothing(source: str, language: str) -> None:
    program = read(source, language)
    assert read_program(packed(program))[0] == program
    calls = sum("()" in line for place in range(len(program.scopes)) for line in lines(program, place))
    assert calls >= 1


@pytest.mark.parametrize("source", ["", "\0\0class {", "({[<" * 50, "let = ;", "export", "class { m( {", "import {"])
@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_broken_sources_are_read_as_far_as_they_go(source: str, language: str) -> None:
    assert read(f"{source}\nfunction f() {{}}\n", language).scopes[0].kind == "module"
