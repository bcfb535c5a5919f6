"""What Java becomes in the small language."""

from __future__ import annotations

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links.java_programs import unit
from recollect.code.links.program import Name, Unit, packed, read_program

from .written import lines, named


def read(source: str) -> Unit:
    return unit(source.encode(), "Main.java", ())


def body(statements: str, around: str = "") -> list[str]:
    """Return what the statements of a method become, in a class with two fields."""
    source = (
        f"class Main {{ Foo foo; static Foo all; {around} <T> void run(T given) {{ {statements} }} }} class Foo {{}}"
    )
    return named(read(source), "run")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("foo.go(); this.foo.go(); all.go(); given.go();",
         ["do this.#foo.go()", "do this.#foo.go()", "do Main.#all.go()", "do given.go()"]),
        ("Foo x = make(), y = new Foo();", ["x = (make() as Foo)", "y = new Foo()"]),
        ("int n = 3; String s = \"a\" + n; n++;", []),
        ("var x = new Foo(); x.go();", ["x = new Foo()", "do x.go()"]),
        ("{ Foo x = given; } { Bar x = other(); x.go(); }",
         ["x = (given as Foo)", "x~2 = (other() as Bar)", "do x~2.go()"]),
        ("foo = given; this.foo = given;", ["this.#foo = given", "this.#foo = given"]),
        ("Foo a, b; a = b = given;", ["a = instance(Foo)", "b = instance(Foo)", "b = given", "a = given"]),
        ("Foo[] x = {given, null}; x[0].go(); x[n].go();",
         ["x = ({*: given} | {*: instance(Foo)})", "do x[?].go()", "do x[?].go()"]),
        ("Object o = c ? given : foo;", ["o = (given | this.#foo)"]),
        ("if (o instanceof Foo f) f.go();", ["f = (o as Foo)", "do f.go()"]),
        ("if (given instanceof Bar) given.go();", ["do given.go()"]),
        ("for (Foo f : list) f.go();",
         ["do list.iterator().hasNext()", "f = ((elements(list) | list.iterator().next()) as Foo)", "do f.go()"]),
        ("try (Foo f = open()) { f.go(); }", ["f = (open() as Foo)", "do f.close()", "do f.go()"]),
        ("super.run(given); a.b.Foo.go();", ["do super.run(given)", "do a.b.Foo.go()"]),
        ("((Foo) o).go(); f() + g();", ["do (o as Foo).go()", "do ~(f(), g())"]),
        ("Foo f = switch (n) { case 1 -> given; default -> { yield all; } };",
         ["do ~(Main.#all)", "f = instance(Foo)"]),
        ("unknown(); Other.go(); new Other(foo);", ["do unknown()", "do Other.go()", "do new Other(this.#foo)"]),
    ],
)  # fmt: skip
def test_a_statement_becomes(source: str, expected: list[str]) -> None:
    assert body(source) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("java.util.List<Foo> x = new java.util.ArrayList<>(); x.get(0).go();",
         ["x = ({} | {*: instance(Foo)})", "do x.get(~).go()"]),
        ("Map<String, Foo> x = make(); x.get(k).go();",
         ["x = (make() | {*: instance(Foo)})", "do x.get(k).go()"]),
        ("var x = List.of(given); x.forEach(this::take);", ["x = {*: given}", "do x.forEach(#4)"]),
        ("Optional<Foo> x = find(); x.map(f -> f.go());",
         ["x = (find() | {*: instance(Foo)})", "do x.map(#4)"]),
    ],
)  # fmt: skip
def test_containers_of_the_library_are_tables(source: str, expected: list[str]) -> None:
    assert body(source) == expected


def test_a_class_of_the_program_is_not_taken_for_the_library() -> None:
    program = read(
        "class Main { void run(List x, Foo y) { x.add(y); } } class List { void add(Foo y) {} } class Foo {}"
    )
    assert named(program, "run")[-1] == "do x.add(y)"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import a.b.Foo; import a.*; import a.b.Foo.Bar;",
         ["import a.b Foo as Foo", "import a * as None", "import a.b Foo as a.b.Foo", "Bar = a.b.Foo.Bar"]),
        ("import static a.Foo.go; class A { void f() { go(); } }",
         ["import a Foo as a.Foo", "go = a.Foo.go", "A = #1"]),
        ("import static a.Foo.*; class A { void f() { go(); } }", ["import a Foo as a.Foo", "A = #1"]),
    ],
)  # fmt: skip
def test_an_import_becomes(source: str, expected: list[str]) -> None:
    assert lines(read(source)) == expected


def test_a_name_that_no_class_here_has_is_inherited_or_imported() -> None:
    found = read("import static a.Foo.*; class A extends Far { void f() { go(); limit.go(); } }")
    assert named(found, "f") == ["do (this.go | a.Foo.go)()", "do (this.#limit | a.Foo.#limit).go()"]
    assert named(read("import static a.Foo.go; class A { void f() { go(); } }"), "f") == ["do a.Foo.go()"]


def test_functions_keep_the_object_that_they_were_made_in() -> None:
    anonymous = "new B() { void g() { go(); here(); } void here() {} };"
    found = read(f"class A {{ void f() {{ Runnable r = () -> go(); {anonymous} }} void go() {{}} }}")
    assert named(found, "f") == ["r = (#4 as Runnable)", "do new #5()"]
    assert named(found, "<lambda>") == ["return this.go()"]
    assert named(found, "g") == ["do instance(A).go()", "do this.here()"]


def test_what_is_in_texts_and_numbers_is_not_followed() -> None:
    source = "class A { String f(String a) { String b = make(a.trim()); n = b; return b.concat(other()); } String n; }"
    assert named(read(source), "f") == ["do make(~)", "do ~(other())"]


def test_a_static_member_belongs_to_its_class_whoever_asks() -> None:
    found = read("class A { static class B { void f() { go(); } } static void go() {} }")
    assert named(found, "f") == ["do A.go()"]


def test_a_class_offers_its_members_and_says_what_it_derives_from() -> None:
    found = read(
        "abstract class A<T> extends B<T> implements C, d.E { Foo f; int n; abstract void go(); A() {} class In {} }"
    )
    scope = found.scopes[1]
    assert (scope.kind, scope.name, scope.marks) == ("class", "A", ("abstract",))
    assert lines(found, 1) == ["#f = instance(Foo)", "go = #2", "<init> = #3", "In = #4"]
    assert [each.name for each in (*scope.bases, *scope.implements)] == ["B", "C", "d.E"]
    assert found.scopes[2].marks == ("abstract",)
    assert found.scopes[3].marks == ("constructor",)
    assert lines(found, 3) == ["do super.<init>()"]


def test_overloads_carry_what_tells_them_apart() -> None:
    found = read(
        'class A { void f(int a, String... b) {} void f(Foo a) {} void g(Object o) { f((Foo) o); f(1, "x"); } }'
    )
    many, one = found.scopes[2], found.scopes[3]
    assert (many.arity, one.arity) == (2, 1)
    assert [each.kind for each in many.parameters] == ["", "*"]
    first, second = (statement.value for statement in found.scopes[4].body)
    assert [each.declared for each in first.arguments] == [one.parameters[0].declared]
    assert [each.declared.name for each in second.arguments] == ["int", "String"]


def test_initialisers_run_in_functions_of_their_own() -> None:
    found = read("class A { Foo a = make(); static Foo b = make(); { go(); } static { stop(); } }")
    assert named(found, "<init>") == ["this.#a = (make() as Foo)", "do go()"]
    assert named(found, "<clinit>") == ["A.#b = (make() as Foo)", "do stop()"]


def test_a_record_has_accessors_that_nobody_wrote() -> None:
    found = read("record P(Foo a, int b) { int b() { return 1; } }")
    assert [(scope.name, scope.marks) for scope in found.scopes[2:]] == [("a", ("implicit",)), ("b", ())]
    assert found.scopes[2].returns == Name("Foo")


def test_constants_of_an_enum_are_objects() -> None:
    found = read("enum E { A(1) { void f() {} }, B(2); E(int n) {} }")
    assert named(found, "<clinit>") == ["E.#A = new #4(~)", "E.#B = new E(~)"]


def test_scopes_know_their_symbols_in_files_with_any_line_ends() -> None:
    written = "package a;\n\n@Ann\nclass A {\n  /** x */\n  A() {}\n\n  void f() { g(); }\n  void g() {}\n}\n"
    source = written.replace("\n", "\r\n").encode()
    symbols = outline(source, "A.java", BY_NAME["java"]).symbols
    found = unit(source, "A.java", symbols)
    told = {scope.name: symbols[scope.symbol].qualified for scope in found.scopes if scope.symbol >= 0}
    assert told == {"A": "a.A", "<init>": "a.A.A", "f": "a.A.f", "g": "a.A.g"}
    assert found.package == "a"


def test_a_class_without_a_name_is_no_symbol() -> None:
    source = b"enum E { A { void f() {} } }"
    symbols = outline(source, "E.java", BY_NAME["java"]).symbols
    found = unit(source, "E.java", symbols)
    told = {scope.name: symbols[scope.symbol].name for scope in found.scopes if scope.symbol >= 0}
    assert told == {"E": "E", "<clinit>": "E", "f": "f"}


@pytest.mark.parametrize(
    "source",
    [
        "class A { int f() { return " + "(" * 3000 + "g()" + ")" * 3000 + "; } void h() { f(); } }",
        "class A { void f() { a" + ".b()" * 3000 + "; } void h() { f(); } }",
        "class A { void f() { " + "if (x) {" * 2000 + "}" * 2000 + " } void h() { f(); } }",
        "class A { Object f() { return " + "() -> " * 2000 + "x(); } void h() { f(); } }",
        "class A { " + "List<" * 2000 + "X" + ">" * 2000 + " x; void f() {} void h() { f(); } }",
    ],
)
def test_depth_costs_only_what_is_deep(source: str) -> None:
    assert named(read(source), "h") == ["do this.f()"]


def test_long_sums_and_long_choices_are_read_to_their_end() -> None:
    assert body(" + ".join(["a"] * 500) + " + last();")[0] == "do ~(last())"
    assert "do last()" in body("if (a) b(); " + "else if (a) b(); " * 500 + "else last();")


@pytest.mark.parametrize(
    "source", ["", "class", "class A { void f( { g(; } void h() { k(); }", "\x00\x01", "enum { A, }", "}{"]
)
def test_text_that_is_no_java_is_left_out(source: str) -> None:
    found = read(source)
    assert found.scopes[0].kind == "module"
    assert read_program(packed(found))[0] == found
