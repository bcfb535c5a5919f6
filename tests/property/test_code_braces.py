"""Languages of braces read by their text are read as by their trees: where that is certain, both say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.extract import BY_LINES, extract, outline
from recollect.code.found import Found
from recollect.code.gather import Definition, gather
from recollect.code.grammar import load
from recollect.code.languages import BY_NAME
from recollect.code.page import Page

GOLDEN = Path(__file__).parents[1] / "golden"

# What files are put together from: outer things, what may stand in a block, and pieces that fit nowhere.
GO_TOP = (
    "func f() {", "func (r *Ring[T]) Push(x int) (a, b int) {", "func (Ring) Len() int {", "func (r Ring,) a() {}",
    "func g(a interface{ Do(); int }, b struct{ x int }) map[string]struct{} {", "func stub(x float64) float64",
    "func h[T any, U ~int](\n\ta T,\n\tb U,\n) error {", "type A struct {", "type B interface {", "type C = D",
    "type E[K comparable, V any] struct {", "type F [N * 2]struct{}", "type G func(a int) (b string)", "type (",
    "type H[T interface{ ~int }] struct{}", "var x, y = 1, 2", "const (", "var (", "const A, B = iota, `a {\n}`",
    "import (", 'import "fmt"', "var z = map[string]int{", "var w = func() int {", "package a", "type I [4]int",
    "var long = 1 +\n\t2", "var m = f(\n\t1,\n\t2)", "type J struct{ a, b int }", "type K interface{ M(x int) }",
)  # fmt: skip
GO_INNER = (
    "x := 1", "if x > 1 {", "for i := range 3 {", "switch y := x.(type) {", "case int:", "select {", "return",
    "type T struct {", "type U int", "A, B int", "C = iota", "Do(a int) error", "Other", "~int | string",
    "x.y(func(a int) {", "})", "Label:", "go func() {", "}()", "a int `json:\"a {\"`", "/* if\n\tfor */ x++",
    "var q interface{ Close() error }", "type V = interface {", "D", "E, F", "r := '\\''", "s := '{'", "x[1:2]++",
    "fmt.Println(\"if {\") // {", "type W[T any] []T", "*Embedded", "err error", "f(struct{}{})", "// a comment",
)  # fmt: skip
JAVA_TOP = (
    "class A {", "public final class B<T extends Comparable<T>> extends C<T> implements D, E<F<T>> {", "interface I {",
    "@Deprecated @A(b = {1, 2}, c = @D(\"{\")) abstract class G {", "enum H {", "enum J implements K {",
    "record P(int x, @N String y) {", "@interface Q {", "package a.b;", "import static a.B.*;",
    "sealed class S permits T {",
    "record R<T>(T t) implements U {}", "class V {}", "@Retention(RUNTIME)\npublic @interface W {", ";", "module x {",
    "enum X { A, B(1) { int f() { return 1; } }, @D C(new int[] {1}) ; static final int Y = 2; }",
    "enum Z { ONE, TWO, }",
    "class AA { { x = 1; } static { y = new Z() { void q() {} }; } AA() { super(1); } }",
)  # fmt: skip
JAVA_INNER = (
    "int x;", "static final int MAX = 3, MIN = f(1, 2), low = 4;", "Map<K, V> NAMES = new HashMap<K, V>();",
    "A(1), B { void f() {} }, C;", "int f(int a) { return a < 1 ? 2 : 3; }", "public <T> List<T[]> g(T t) throws E {",
    "@Override @B({1, 2}) protected void h() {", "abstract int k(A... as);", 'String v() default "x {";',
    "String[] w() default {};", "int n = new R() { int deep() { for (;;) {} } }.deep();", "Runnable R = () -> { };",
    "private P { if (x) {} }", "static {", "if (x) {", "run(new Job<A>(1, x -> { }) {", "} );", "class Local {",
    "record Pair(int a) {}", "switch (x) { case 1 -> { } }", "Object o = new Object();", "native void m();",
    "int[] A1 = {1, 2}, B1[] = {};", "default void dm() {}", "AA() {}", "<T> AA(T t) {}", "return;", "while (true) {",
    "new Renewal(1) {", "for (int i = 0; i < new A().b(); i++) {", '"""\n  a "{" b\n  """.length();', "char c = '{';",
    "/** Doc. */ int y() {", "// {", "java.util.List<? super A> l(int a[]) {", "x.y(B.class, z -> {", "var a = b[1];",
    "@A int @B [] C2;", "int Q[] = {1}, R2 = 2;", "List<A, B, C> D3 = x < y, E = 1;", "enum In { P, Q }",
)  # fmt: skip
ODD = ("}", ")", "{", "(", "", "'", '"', "`", "/*", "ü := 1", "x = 1; y = 2", "@A", "\t\t", "<T>", "=>", "#")
PARTS = {"go": (GO_TOP, GO_INNER), "java": (JAVA_TOP, JAVA_INNER)}


def written(parts: list[tuple[int, str]]) -> str:
    """A file of these lines, each indented by that many tabs; what is open at its end is closed."""
    text, stack = "", []
    for depth, line in parts:
        text += "\t" * depth + line + "\n"
        for sign in line:
            if sign in "({":
                stack.append({"(": ")", "{": "}"}[sign])
            elif sign in ")}" and stack:
                stack.pop()
    for place in reversed(range(len(stack))):
        text += "\t" * place + stack[place] + "\n"
    return text


def fields(each: Definition) -> tuple[object, ...]:
    names = (each.start, each.whole, each.end, each.kind, each.name_start, each.name_end, each.body, each.owner)
    return (*names, tuple(each.decorators or ()))


def assert_same(language: str, source: bytes) -> bool:
    """Hold a file against its tree; return whether it was read without."""
    row = BY_NAME[language]
    page = Page(source)
    read = BY_LINES[language](page, row)
    found = Found(page, load(language, outline=True))
    if read is None or found.root.has_error:
        return False
    assert sorted(map(fields, read.definitions)) == sorted(map(fields, gather(page, row, found)))
    assert read.spans("comment") == found.spans("comment")
    assert read.starts("branch") == found.starts("branch")
    assert read.spans("package")[:1] == found.spans("package")[:1]
    blank = [
        {at for start, end in each.spans("string") for at in range(start, end) if page.text[at].isspace()}
        for each in (read, found)
    ]
    assert blank[0] == blank[1]
    assert outline(source, "a", row).symbols == extract(source, "a", row).symbols
    return True


@pytest.mark.parametrize("language", PARTS)
@given(st.data())
def test_what_is_accepted_is_what_the_tree_says(language: str, data: st.DataObject) -> None:
    top, inner = PARTS[language]
    block = st.lists(st.tuples(st.integers(1, 2), st.sampled_from(inner)), max_size=4)
    part = st.tuples(st.sampled_from(top), block, st.sampled_from(["}", "}", ")", ""]))
    lines: list[tuple[int, str]] = []
    for head, inside, end in data.draw(st.lists(part, max_size=4)):
        lines += [(0, head), *inside, (0, end)]
    for depth, odd in data.draw(st.lists(st.tuples(st.integers(0, 1), st.sampled_from(ODD)), max_size=1)):
        lines.insert(data.draw(st.integers(0, len(lines))), (depth, odd))
    assert_same(language, written(lines).encode())


@pytest.mark.parametrize("language", PARTS)
@given(st.text(st.sampled_from("func type(){}[]\n;,='\"`/*x A@<>:."), max_size=60))
def test_no_text_stops_the_reader(language: str, text: str) -> None:
    assert_same(language, text.encode())


@pytest.mark.parametrize("language", PARTS)
def test_sources_of_the_suite_are_read_alike(language: str) -> None:
    extensions = BY_NAME[language].extensions
    files = [path for path in GOLDEN.rglob("*") if path.suffix in extensions]
    accepted = [path for path in files if assert_same(language, path.read_bytes())]
    assert len(accepted) > 0.6 * len(files) > 0, [str(path) for path in set(files) - set(accepted)]
