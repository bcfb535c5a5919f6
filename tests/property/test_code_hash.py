"""The hash of a symbol: comments, white space and its own name never change it, code always does."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.code.index.extract import extract
from recollect.code.index.languages import BY_NAME

names = st.sampled_from(["a", "bc", "total", "self.items", "größe"])
operators = st.sampled_from(["+", "-", "*", "//", "==", "<", "and", "in"])
strings = st.sampled_from(['"a  b"', "'x\ty'", '"""two\n   lines"""', "f'{a} b'", '"# no comment"'])

# A program as tokens: what stands between two of them may be any amount of white space, or none where none is needed.
expression = st.recursive(
    names | strings,
    lambda inner: st.one_of(
        st.tuples(inner, operators, inner).map(lambda parts: ["(", *parts, ")"]),
        st.tuples(names, inner).map(lambda parts: [parts[0], "(", parts[1], ")"]),
    ),
    max_leaves=6,
)


def tokens(tree: object) -> list[str]:
    if isinstance(tree, str):
        return [tree]
    assert isinstance(tree, list | tuple)
    return [token for branch in tree for token in tokens(branch)]


statement = st.deferred(
    lambda: st.one_of(
        expression.map(lambda tree: ("line", ["return", *tokens(tree)])),
        st.tuples(names, expression).map(lambda parts: ("line", [parts[0], "=", *tokens(parts[1])])),
        st.tuples(expression, st.lists(statement, min_size=1, max_size=3)).map(
            lambda parts: ("block", ["if", *tokens(parts[0]), ":"], parts[1])
        ),
    )
)
body = st.lists(statement, min_size=1, max_size=4)


class Style:
    """How a program is written down: everything that must not matter."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.indent = draw(st.sampled_from([" ", "  ", "    ", "\t"]))
        self.gap = draw(st.sampled_from(["", " ", "  ", "\t"]))
        self.comment = draw(st.sampled_from(["", "# why", '# "quoted" \'', "#"]))
        self.blank = draw(st.sampled_from(["", "\n", "\n\n   \n"]))
        self.breaks = draw(st.booleans())

    def line(self, parts: list[str]) -> str:
        """Return the tokens of a line; in brackets a line may break."""
        text, depth = parts[0], 1 if parts[0] == "(" else 0
        for before, after in pairwise(parts):
            touching = re.match(r"[\w\"']", after) and re.search(r"[\w\"']$", before)
            gap = self.gap or (" " if touching else "")
            if depth and self.breaks:
                gap += f"{self.comment}\n" + " " * 300
            text += gap + after
            depth += {"(": 1, ")": -1}.get(after, 0)
        return text

    def program(self, statements: list[tuple[object, ...]], depth: int = 1) -> str:
        written = ""
        for kind, parts, *inner in statements:
            assert isinstance(parts, list)
            written += f"{self.blank}{self.indent * depth}{self.line(parts)} {self.comment}\n"
            if kind == "block":
                written += self.program(inner[0], depth + 1)  # type: ignore[arg-type]
        return written


@st.composite
def styles(draw: st.DrawFn) -> Style:
    return Style(draw)


def digest(source: str, language: str = "python") -> str:
    extracted = extract(source.encode(), "a", BY_NAME[language])
    assert extracted.notes == [], (source, extracted.notes)
    return extracted.symbols[0].hash


def function(style: Style, statements: list[tuple[object, ...]], name: str = "f") -> str:
    return (
        f"{style.comment}\ndef {name}({style.gap}x{style.gap},{style.gap}y):{style.gap}{style.comment}\n"
        + style.program(statements)
    )


@given(body, styles(), styles())
def test_how_a_function_is_written_does_not_change_its_hash(
    statements: list[tuple[object, ...]], one: Style, other: Style
) -> None:
    assert digest(function(one, statements)) == digest(function(other, statements, name="renamed"))


@given(body, body, styles(), styles())
def test_another_function_has_another_hash(
    statements: list[tuple[object, ...]], others: list[tuple[object, ...]], one: Style, other: Style
) -> None:
    same = statements == others
    assert (digest(function(one, statements)) == digest(function(other, others))) is same


@given(st.integers(0, 3), st.integers(0, 3))
def test_how_deep_a_line_stands_is_code(one: int, other: int) -> None:
    def nested(depth: int) -> str:
        lines = ["def f(a):", *["    " * level + f"if a > {level}:" for level in range(1, 4)], "    " * 4 + "g()"]
        return "\n".join([*lines, "    " * (depth + 1) + "h()", ""])

    assert (digest(nested(one)) == digest(nested(other))) is (one == other)


@pytest.mark.parametrize(
    ("language", "one", "same"),
    [
        ("javascript", "function f(a){return a+b}", "function f( a ) {\n  // why\n  return a + b\n}"),
        ("java", "class A{int f(){return x;}}", "class A {\n  /* why */ int f() { return x; }\n}"),
        ("go", "package a\nfunc f(x int)int{return x}", "package a\nfunc f(x int) int {\n\t// why\n\treturn x\n}"),
        ("rust", "fn f()->u8{1}", "fn f() -> u8 { /* why */\n    1\n}"),
        ("cpp", "int f(){return a-b;}", "int f()\n{\n  return a - b; // why\n}"),
        (
            "c",
            "int f(void) {\n#define S(s) g(s)\n  return S(1); }",
            "int f(void) {\n#define S(s) g(s)   \n  return S(1); }",
        ),
        ("javascript", "const F = () => <p>a b {x}</p>", "const F = () => <p>\n  a\n  b {x}  \n</p>"),
        ("ruby", "def f(a)\n  b a\nend", "def f( a )\n      # why\n\n    b   a\nend"),
        ("bash", "f() {\n  echo a\n}", "f() {\n\n    # why\n    echo   a\n}"),
        ("sql", "CREATE VIEW v AS SELECT a,b FROM c;", "CREATE VIEW v AS\n  SELECT a, b -- why\n  FROM c;"),
        ("haskell", "f x = do\n  a\n  b", "f x = do\n      a\n      -- why\n      b"),
    ],
)
def test_formatters_and_comments_change_no_hash_in_other_languages(language: str, one: str, same: str) -> None:
    assert digest(one, language) == digest(same, language)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("javascript", "function f() { return 'a b' }", "function f() { return 'a  b' }"),
        ("javascript", "function f() { return a - -b }", "function f() { return a-- -b }"),
        ("javascript", "function f() { return nota }", "function f() { return not\na }"),
        ("c", "int f(void) { return a - --b; }", "int f(void) { return a-- - b; }"),
        ("c", "int f(void) { return a & &b; }", "int f(void) { return a && b; }"),
        ("c", "int f(void) {\n#define S g h\n  return 1; }", "int f(void) {\n#define S g  h\n  return 1; }"),
        ("javascript", "const F = () => <p>a {x}</p>", "const F = () => <p>a{x}</p>"),
        ("ruby", "def f\n  a -1\nend", "def f\n  a - 1\nend"),
        ("ruby", "def f\n  a\n  [1]\nend", "def f\n  a [1]\nend"),
        ("bash", "f() {\n  a; b\n}", "f() {\n  a; b c\n}"),
        ("bash", 'f() {\n  echo "a  b"\n}', 'f() {\n  echo "a b"\n}'),
        ("python", "def f():\n    'doc one'\n", "def f():\n    'doc two'\n"),
        ("go", "package a\nfunc f() { g(`a b`) }", "package a\nfunc f() { g(`a  b`) }"),
    ],
)
def test_code_changes_a_hash_in_other_languages(language: str, one: str, other: str) -> None:
    assert digest(one, language) != digest(other, language)
