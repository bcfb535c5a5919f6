"""Languages of braces read by their text are read as by their trees: where that is certain, both say the same."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.extract import BY_TEXT, extract, outline
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
RUST_TOP = (
    "fn f() {", "pub(crate) async unsafe fn g<'a, T: Fn(u8) -> Vec<T>>(x: &'a [u8; 3], (a, b): (A, B)) -> Result<T>",
    "where\n    T: Into<A<B>>,\n{", "pub const extern \"C\" fn h(", "impl<T> Ring<T> {",
    "unsafe impl !Send for a::B {}", "impl<'a, F: Fn(A) -> B> Stack<F> for &'a mut Ring where F: C, {",
    "impl A for &str {", "impl A for &B<C> {", "impl<const N: usize> From<[(A, B); N]> for (C, D) {",
    "impl dyn A + 'static {", "impl A for fn() {", "impl A for B;", "trait Full<T>: Base + for<'a> Fn(&'a T) {",
    "enum E {", "enum E2 { A, B(u8), C { x: u8 } = 1 << 2, #[d] D, }", "struct U;",
    "struct P<T>(pub T, #[a] u8) where T: Q;", "struct S<T = [u8; 3]> {", "union W { a: u8 }", "mod m {", "mod n;",
    "use a::{b, c as d};", "const MAX: usize = { let x = [1; 2]; x[0] };", "pub static mut Z: &'static str =",
    "macro_rules! m {", "macro_rules! p (", "#[cfg(if)]\n#[doc = \"{\"]", "#![allow(x)]", "cfg_io! {", "thread_local!(",
    "type T<'a> = Box<dyn Fn(&'a u8) -> u8>;", "extern \"C\" {", "pub fn r#type() {}", "const _: () = ();",
    "auto trait Y {", "fn c<const N: usize>() -> A<{ N + 1 }> {", "fn d(P { x, .. }: P) {",
    "/// Says { so.\n//! And so.\n//// Not.",
)  # fmt: skip
RUST_INNER = (
    "let x = 'a';", "if x != b'{' {", "'o: for i in 0..n {", "while let Some(x) = y {", "loop {", "match x {",
    "A => 1,", "B { x } if x => {", "} else if y {", "fn push(&mut self, x: T) -> [u8; 2];",
    "fn default() -> Self { A { x: 1 } }", "type Item: Into<A>;", "const LIMIT: u8;", "static C: u8 = 1;", "pub x: u8,",
    "VariantOne,", "#[test]", "(if $x:expr) =>", "println!(\"{} fn\", x);", "vec![for x in y {}; 2]",
    "let f = |x: &u8| -> u8 { *x };", "unsafe { *(p as *const u8) };", "let s = r#\" a \"{ \"#;",
    "let t = \" a \\\n  b \\\\ c\";", "/* a /* b { */ c */", "// if {", "x.r#if(r#match)", "..if a",
    "struct Local<'a>(&'a u8);", "impl Local<'_> {", "async move { x.await };", "let b = const { 1 };", "return !(x);",
    "fn union<T>(a: impl Fn(), b: fn(u8)) {}", "D = 1,", "E(Vec<(A, B)>),", "let y: for<'a> fn(&'a u8) = z;", "a !(x)",
    "assert!(matches!(x, A | B)); }", "quote! { fn #name() { #if } }", "let if = 1;", "x.match;",
    "'\\'' => '\\u{1F600}',",
)  # fmt: skip
SHARP_TOP = (
    "class A {", "public sealed partial class B<T> : C<T>, D where T : class, new() {", "interface I<out T> {",
    "enum E : byte {", "[Serializable, A(\"{\", new[] { 1 })]\n[B]", "struct S {",
    "readonly record struct P(int X, [A] string Y) : Q(X) {", "record R;", "namespace N.M {", "namespace F;",
    "using System;", "using X = A.B<C>;", "global using static D.E;", "extern alias G;",
    "public delegate Task<T> H<T>(int a, (int, string) b) where T : J;", "[assembly: K(\"a b\")]", "#if NET", "#else",
    "#endif", "#region a b", "#endregion", "#pragma warning disable CS1 // why", "#warning x // y",
    "class L(int x) : M(x) { int y = x; }", "enum O { A, [B] C = 1 << 2, D = A | C, };", "class T { };", "void U() {}",
    "var v = 1;", "/// <summary>{</summary>", "static class W {", "enum Y {\n#if X\n[A]\n#endif\nB,\n}",
    "interface Z { int P { get; } void F(); event E G; }",
)  # fmt: skip
SHARP_INNER = (
    "int x = 1, y;", "const int MAX = 3, MIN = f(1, 2);",
    "[Fact] public async Task<int> F(int a = 3, params string[] b) {", "return 1;",
    "public int P { get; private set; } = new() { 1 };", "int Q => x;",
    "protected override (int, string)? R { get => 1; set { x = value; } }",
    "public B(int x) : base(x, () => { y(); }) {", "~B() {", "static B() => x = 1;",
    "public static B operator +(B a, B b) => a;", "public static bool operator true(B a) { return true; }",
    "public static implicit operator int(B a) => 1;", "void I<T>.J() {", "public int this[int i] { get { return 1; } }",
    "event E F1;", "event E G1 { add { } remove { } }", "int Local<T>(T t) where T : U {",
    "static int Arrow(int a) => new C { D = a }.E;", "if (x) {", "} else if (y) {", "for (;;) {",
    "foreach (var i in x) {", "while (x) ;", "switch (x) { case 1: break; default: { } break; }",
    "var z = x switch { 1 => 2, > 3 and < 5 => 4, _ => f(1) };", "case 1: int G() => 2;",
    "var o = new { A = 1, B = new C(1) { D = 2 } };", "Func<int, int> f = a => { int H() { return a; } return H(); };",
    "do { } while (x);", "var s = $\"a {b} {{ c {d:x y} e\";", "var t = @\"a \"\" {\";", "var u = $@\"a {b} \"\" c\";",
    "var v = \"\"\"\n  a \"x\" {\n  \"\"\";", "char c = '{';", "var w = $\"{f(\"x\")}\";", "#if A", "#endif",
    "#if B\n[C]\n#endif\n[D] void K() {", "try { } catch (E e) when (e.F(1)) { }", "@if = 1;", "using (var a = b) {",
    "lock (x) {", "return new A(1) {", "await foreach (var i in x) {", "public abstract int M();", "A, B = 2,", "};",
    "partial void N();",
)  # fmt: skip
SCRIPT_TOP = (
    "function f(a, b = {}) {", "export async function* g() {", "class A extends B {", "export default class C {",
    "const run = async (x) => {", "const add = (a, b) => a + b", "export const LIMIT = 3", "let a = 1, b = () => 2",
    "const o = {", "module.exports = {", "a.b.c = function () {", "x.y = (z) => z.q\n  .r", "it('adds', () => {",
    "describe.each([1])('of %s', function () {", "foo('x', () => {", "export { a, b as c }", "export { d } from 'e'",
    "import x, { y } from 'z'", "const fs = require('fs')", "if (x) {", "for (const k of ks) {", "var v",
    "const t = `a ${b.map((c) => `${c} d`)} e {`", "const re = /[{/]+/g", "let q = a / b / c", "export default a",
    "const f2 = function named() {",
    "const f3 = function* () {", "a.b = function* () {", "run(function* gen() {", "x => class {",
    "setTimeout(function tick() {", "(function () {", "const { p, r } = s",
    "const m = new Map()", "test(`x`, async () => {", "switch (x) {", "const tern = a ? (b) => c : { d: () => 1 }",
    "const K = class {", "a.b = class C extends D {", "run(class extends E {", "b = function () {", "c = (x) => {",
    "a[b] = () => {", "(a || b).c = () => {", "f().g = function () {", "const h = function () {}.bind(a)", "export{a}",
    "!function () {", "const { p2 } = s, q2 = 1", "var{a1}=b1,c1=2", "const t2 = `a ${b.map((c) => { d })} e`",
    "it(`a ${b.c(() => { d })}`, () => {", "if (x) /[{]/.test(y)", "const u = (a + b) / c / d", "#!/usr/bin/env node",
    "import x2 from 'y' with { type: 'json' }", "export default 1", "new\nit('z', () => {",
    "<", "export default class {",
)  # fmt: skip
ELEMENTS = (
    "const e = <A b={() => { c }} {...d}>It's {f(() => 1)} & <B/></A>", "return <></>", "const g = <h.i j='k {' />",
    "x = a < b && c > d", "foo(<a>&amp; {/* } */}\n  text\n</a>)", "const k = (l) => <m>{l.n(() => { o })}</m>",
    "const v = <w x={{ y() {}, z: () => 1 }}\n  'q'/>", "<p>", "</p>", "q ? <r/> : <s>{t}</s>",
    "<u v=\"a\n  b\">c\n\n d</u>",
)  # fmt: skip
SCRIPT_INNER = (
    "return x", "start() {", "async *stop(a) {", "get size() { return 1 },", "name: () => 1,", "'a b': function () {},",
    "key: value,", "if (x) {", "} else {", "const inner = () => {", "this.z = () => {", "static X = 1", "y = () => 2",
    "#p = 1", "constructor(a) {", "for: 1,", "z.for(1)", "catch(e) { },", "try {", "} catch (e) {", "case 1: {", "x++",
    "case 2:\n\tfunction cased() { }", "case 3:\n\tclass Cased { }", "gen: function* () {},", "} // c",
    "it('b', () => {})", "xs.map(x => ({ y: () => x }))", "},", "})", "// { x", "/* ( */", "...rest,", "[k]: () => 1,",
    "let u = c ? d : e", "return () => {", "return", "{", "z.for = () => {", "q = class { m() {} }",
    "x! : 1", "with(a) {",
    "[Symbol.iterator]() {", "function inner2() { }", "a = b", "while (x) {", "'use strict';", "y(",
)  # fmt: skip
TYPED_TOP = (
    "interface I<T> extends J<T> {", "export type T = {", "type U<K = string> = K extends string ? A : B", "enum E {",
    "export abstract class D<T> extends E<F<T>> implements G {", "declare function amb(a: string): void;",
    "namespace N.M {", "declare module 'x' {", "const h: (a: A) => B = (a) => {", "function over(a: string): void",
    "export const r = ref<string>('x')", "const mm = new Map<string, Set<number>>()", "type V = | 'a'\n  | 'b'",
    "function ret(a?: { b: string }): { c: () => void } {", "const gen = <T,>(x: T): Promise<T> => {", "let w!: string",
    "function is(x: unknown): x is string {", "const as1 = { a: 1 } as const", "declare global {", "const enum CE {",
)  # fmt: skip
TYPED_INNER = (
    "push(x: T): void", "pop?(): T;", "on: (e: Event) => void", "readonly r?: <T>(x: T) => T", "(a: string): void",
    "new (a: string): I", "[k: string]: any", "get g(): string", "private async m(a: A): Promise<void> {", "A, B = 2,",
    "private readonly x: string = 'a'", "static LIMIT: number = 3", "cb: () => void = () => {}", "abstract q(): void",
    "constructor(private a: string) {}", "export function inm(): void", "MAX = 1 << 2,", "const z: { a: 1 }[] = []",
    "a: { b(): void }", "type Local = () => void", "[Symbol.x]: () => void", "[K](): void",
    "for?: string", "let n!: () => A",
    "return <T>{", "(a as B).c = () => {", "d!.e = function () {", "f = function () {} as G",
    "export interface Deep { d: () => void }", "void | string",
)  # fmt: skip
ODD = ("}", ")", "{", "(", "", "'", '"', "`", "/*", "ü := 1", "x = 1; y = 2", "@A", "\t\t", "<T>", "=>", "#")
PARTS = {
    "go": (GO_TOP, GO_INNER),
    "java": (JAVA_TOP, JAVA_INNER),
    "csharp": (SHARP_TOP, SHARP_INNER),
    "rust": (RUST_TOP, RUST_INNER),
    "javascript": (SCRIPT_TOP + ELEMENTS, SCRIPT_INNER + ELEMENTS),
    "typescript": (SCRIPT_TOP + TYPED_TOP, SCRIPT_INNER + TYPED_INNER),
    "tsx": (SCRIPT_TOP + TYPED_TOP + ELEMENTS, SCRIPT_INNER + TYPED_INNER + ELEMENTS),
}


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
    read = BY_TEXT[language](page, row)
    found = Found(page, load(language, outline=True))
    if read is None or found.root.has_error:
        return False
    assert sorted(map(fields, read.definitions)) == sorted(map(fields, gather(page, row, found)))
    assert read.spans("comment") == found.spans("comment")
    assert read.starts("branch") == found.starts("branch")
    assert read.spans("package")[:1] == found.spans("package")[:1]
    assert read.spans("export") == found.spans("export")
    assert read.spans("markup") == found.spans("markup")
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
@given(st.text(st.sampled_from("func type(){}[]\n;,='\"`/*x A@<>:.#!"), max_size=60))
def test_no_text_stops_the_reader(language: str, text: str) -> None:
    assert_same(language, text.encode())


@pytest.mark.parametrize("language", PARTS)
def test_sources_of_the_suite_are_read_alike(language: str) -> None:
    files = [path for path in GOLDEN.rglob("*") if path.suffix in BY_NAME[language].extensions]
    for path in files:
        assert_same(language, path.read_bytes())
    assert files


# As people write: none of it leaves any doubt.
PLAIN = {
    "go": """package ring

import "fmt"

// MAX is the most.
const MAX, MIN = 10, 1

var names = map[string]int{
	"a{": 1, // {
}

type (
	Ring[T any] struct{ items []T }
	Full interface {
		IsFull() bool
	}
)

func (r *Ring[T]) Push(x T) (n int, err error) {
	type local struct{ a int }
	for i := range r.items {
		if i > MAX {
			return 0, fmt.Errorf("full: %d", '}')
		}
	}
	return len(r.items), nil
}
""",
    "java": """package a.b;

import java.util.*;

@Deprecated(since = "1{")
public class Ring<T extends Comparable<T>> extends Base<T> implements Closeable {
  static final int MAX = 3, MIN = size(1, 2);
  private final Map<String, List<T>> items = new HashMap<>();

  enum Mode { FAST(1) { int f() { return 1; } }, SLOW(2); Mode(int x) {} }

  @Override
  public <E> void push(T x, E... more) throws IOException {
    run(new Job() {
      @Override public void go() { if (x == null) { return; } }
    });
  }

  record Pair(int a, int b) { Pair { assert a < b; } }
}
""",
    "csharp": """\ufeffusing System;

[assembly: Something("a b")]

namespace Rings
{
    /// <summary>A ring.</summary>
    [Serializable]
#if NET
    [Shown(new[] { 1, 2 })]
#endif
    public sealed class Ring<T> : Base<T>, IStack where T : class, new()
    {
        public const int MAX = 3, MIN = 1;
        private readonly Dictionary<string, (int, T)> items = new() { ["a{"] = (1, null) };

        public Ring(int x) : base(x, () => { Grow(); }) { }

        public int Size { get; private set; } = MAX;
        public bool IsFull => items.Count > MAX;
        public T this[int at] { get { return null; } }

        [Obsolete("no")]
        public async Task<int?> Push(T item, params string[] more)
        {
            int Local(int a) => a switch { 1 => 2, _ => new Pair { A = 1 }.A };
            T Other<U>(U u) where U : T { return u; }
            foreach (var each in more)
            {
                if (each != $"a {item} {{ {MAX:x y}") { await Task.Run(() => { while (each != @"c "" {") { } }); }
            }
            return new Pair(1) { A = Local(2) };
        }

        void IStack.Clear() { }
        public static Ring<T> operator +(Ring<T> a, Ring<T> b) => a;
        public static implicit operator int(Ring<T> a) { return 1; }
        ~Ring() { }
        public delegate void Grown<in U>(U by);
    }

    public enum Mode : byte { Fast = 1 << 2, [Old] Slow, };
    internal readonly record struct Pair(int A, string B = "");
    interface IStack { void Clear(); int Size { get; } }
}
""",
    "rust": """#![warn(missing_docs)]
//! Rings.

use std::{fmt, io::{self, Read}};

/// How many there are at most.
pub(crate) const MAX: usize = [1; 2].len();

macro_rules! count {
    ($($x:tt),*) => { { fn hidden() {} 0 $(+ { for _ in 0..1 {} let _ = $x; 1 })* } };
}

#[derive(Debug, Clone)]
pub struct Ring<'a, T: Fn(u8) -> Vec<T>, const N: usize = 3> where T: 'a {
    items: [Option<&'a T>; N],
}
pub struct Pair(u8, pub u8);

#[repr(u8)]
enum Mode { Fast = 1 << 2, #[cfg(x)] Slow(char), Other { why: &'static str } }

impl<'a, T: Fn(u8) -> Vec<T>, const N: usize> Ring<'a, T, N>
where
    T: for<'b> Into<&'b str>,
{
    pub async unsafe fn push(&mut self, Pair(a, b): Pair, f: impl Fn(&T) -> bool) -> Result<[u8; 2], io::Error> {
        'all: for (i, item) in self.items.iter().enumerate() {
            if item.is_none() && i != b'}' as usize {
                println!("full { {} if", r#"for " {"#);
                continue 'all;
            }
        }
        match a { 0 if b > 1 => loop { break Ok([a, b]) }, _ => unreachable!() }
    }
}

impl Default for Mode {
    fn default() -> Self { Mode::Other { why: "a \\
        b" } }
}
impl Stack for &Pair { type Item = u8; }
impl Stack for (u8, Pair) { type Item = dyn Fn(u8); }

pub trait Stack: Sized {
    type Item: ?Sized;
    const LIMIT: usize = 3;
    fn len(&self) -> usize;
}

extern "C" {
    static ENV: *const u8;
    fn call(f: unsafe extern "C" fn(u8) -> u8);
}

#[cfg(test)]
mod tests {
    #[test]
    fn counts() { assert_eq!(count!('a', 'b'), 2); }
}
""",
    "javascript": """import { a, b as c } from "x";

const LIMIT = 10;
export const run = async (x) => {
  for (const y of x) {
    await y.z(() => y / 2);
  }
};
function each(items, f) {
  return items.map((i) => `${i} {`).filter(/[}/]/.test);
}
const things = {
  start() {},
  stop: function () {},
  other: (x) => x,
};
exports.go = function () {};
describe("things", () => {
  it("go", async () => {
    if (things.for) things.start();
  });
});
""",
    "typescript": """export interface Ring<T> extends Base<T> {
  push(x: T): void
  on?: (e: Event) => void
  readonly size: number
}

export type Name = string | { first: string; full(): string }
enum Mode { Fast = 1, Slow }

export abstract class Holder<T> implements Ring<T> {
  private static LIMIT = 3
  items = new Map<string, T[]>()
  handler = (e: Event): void => { this.push(e as never) }

  constructor(private readonly mode: Mode) {}
  abstract get size(): number
  async push(x: T): Promise<void> {
    if (x) {
      await this.items.get('a')?.map((y): y is T => y !== x)
    }
  }
}

export function make<T>(mode: Mode = Mode.Fast): Ring<T> | undefined {
  const inner = (a: { b: () => void }) => a.b
  return inner ? undefined : undefined
}
""",
    "tsx": """import type { ReactNode } from "react";

type Props = { title: string; onClose?: () => void; children: ReactNode };

export function Dialog({ title, onClose, children }: Props) {
  const close = () => onClose?.();
  return (
    <section aria-label={title} style={{ margin: 0 }}>
      <h1>It's {title.length < 3 ? <b>{title}</b> : `${title.map((x) => { return x })}`} &amp; more</h1>
      {children}
      <button type="button" onClick={() => { close() }} disabled />
    </section>
  );
}

class Held extends Component<Props> {
  static LIMIT = 3;
  render() {
    return <>{this.props.children}</>;
  }
}

const later = function () { return <Dialog title="}" /> }.bind(null);
window.held = class {
  go() {}
};
""",
}


@pytest.mark.parametrize("language", PARTS)
def test_what_people_write_needs_no_tree(language: str) -> None:
    assert assert_same(language, PLAIN[language].encode())


@pytest.mark.parametrize(
    ("language", "why", "source"),
    [
        ("go", "a quote closes nothing", 'package a\nvar x = "a\n'),
        ("go", "a brace is open", "package a\nfunc f() {\n"),
        ("go", "two declarations on a line", "package a\nfunc f() {}; func g() {}\n"),
        ("go", "a statement at the margin", "package a\nx = 1\n"),
        ("go", "an array or a parameter", "package a\ntype F [N * 2]struct{}\n"),
        ("go", "a name that is not ASCII", "package a\nvar größe = 1\n"),
        ("java", "a method outside of a class", "void f() {}\n"),
        ("java", "a statement among members", "class A { x.y(); }\n"),
        ("java", "a module", "module a { }\n"),
        ("java", "commas that may separate names or types", "class A { List<B, C, D> E = x < y, F = z; }\n"),
        ("java", "an annotation of a dimension", "class A { int @B [] C; }\n"),
        ("csharp", "statements outside of types", "var x = 1;\n"),
        ("csharp", "code with quotes inside of a string", 'class A { string s = $"{f("x")}"; }\n'),
        ("csharp", "a choice in the middle of a head", "class A { public\n#if X\noverride\n#endif\nvoid F() {} }\n"),
        ("csharp", "braces that are chosen", "class A {\n#if X\nvoid F() {\n#else\nvoid G() {\n#endif\n} }\n"),
        ("csharp", "what looks like a comment and is said", "#warning a // b\nclass A {}\n"),
        ("csharp", "a word that chooses as a name", "class A { int @if; }\n"),
        ("csharp", "a function after a label", "class A { void F() { a: int G() { } } }\n"),
        ("csharp", "commas that may separate names or types", "class A { const bool B = C < D, E = F > (G); }\n"),
        ("rust", "a word that begins an item in the middle of one", "fn f() { let type = 1; }\n"),
        ("rust", "a word that chooses as a name", "fn f() { x.match; }\n"),
        ("rust", "a brace among the parameters of a type", "fn f() -> A<{ 1 }> { b }\n"),
        ("rust", "braces that end a list of them", "fn f() -> A<B, { 1 }> { b }\n"),
        ("rust", "an alias of a trait", "trait A = B;\n"),
        ("rust", "a type that is no name", "impl A for fn(u8) { fn f() {} }\n"),
        ("rust", "a macro at a distance", "fn f() { a ! (fn) }\n"),
        ("rust", "a value that may be two", "enum A { B = C < D, E }\n"),
        ("rust", "a name that is not ASCII", "fn größe() {}\n"),
        ("rust", "a quote closes nothing", "fn f() { 'ab' }\n"),
        ("rust", "an interpreter", "#!/usr/bin/env cargo\nfn f() {}\n"),
        ("javascript", "an element that is not closed", "const a = <b>c\n"),
        ("javascript", "an element of another name", "const a = <b>c</d>\n"),
        ("javascript", "a slash after a block", "if (x) {}\n/a/.test(y)\n"),
        ("javascript", "a test whose name holds functions", "it(`${b.map(() => { c })}`, () => {})\n"),
        ("javascript", "a default without a name", "export default () => 1\n"),
        ("javascript", "a line that goes on with a function", "function f() {\n}\n.g()\n"),
        ("typescript", "a decorator", "@a class B {}\n"),
        ("typescript", "a conversion or an element", "const a = <b>c\n  </b>\n"),
        ("tsx", "types of an element", "const a = <B<C> d />\n"),
        ("tsx", "an element or parameters of a type", "const a = <T,>(b: T) => b\n"),
    ],
)
def test_what_a_tree_is_needed_for_is_left_to_it(language: str, why: str, source: str) -> None:
    row = BY_NAME[language]
    assert BY_TEXT[language](Page(source.encode()), row) is None, why
    read = extract(source.encode(), "a", row)
    assert outline(source.encode(), "a", row) == (read.symbols, read.notes)


def test_calls_that_register_handlers_are_read_from_the_tree() -> None:
    source = b'package a\n\nfunc f(r Router) {\n\tr.GET("/users", list)\n}\n'
    assert [symbol.kind for symbol in outline(source, "a.go", BY_NAME["go"]).symbols] == ["Function", "Endpoint"]
