"""Uses of names that are not called: which words of a source are some, by language."""

# ruff: noqa: E501 - a table: a row is a line
from __future__ import annotations

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import detect
from recollect.code.links.file_programs import translated
from recollect.code.links.program import Use, read_program

from .written import expression

ROWS = {
    "python reads": ("a.py", "import m\nX = 1\n\ndef f(n=X):\n    return n < m.LIMIT", {"f: X", "f: m.LIMIT"}),
    "python is no use": ("a.py", "X = 1\n\ndef f(a):\n    # X\n    a(X=2)\n    return 'X', '{X}'", set()),
    "python in a text": ("a.py", "X = 1\n\ndef f():\n    return f'{X} X'", {"f: X"}),
    "python called": ("a.py", "import m\n\ndef f():\n    m.LOG.info(1)\n    m.go()", {"f: m.LOG"}),
    "python passed on": ("a.py", "def g(): pass\n\nclass A:\n    def h(self): run(g, self.h)", {"A.h: g", "A.h: self.h"}),
    "python field": ("a.py", "from m import Tag\n\nclass A:\n    tag: Tag = None", {"A: Tag"}),
    "python quoted": ("a.py", "from m import Tag, Row\n\nclass A:\n    tags: 'list[Tag] | Row'", {"A: Tag", "A: Row"}),
    "python pattern": ("a.py", "from m import K\n\ndef f(x):\n    match x:\n        case K.BIG: pass", {"f: K.BIG"}),
    "python constant": ("a.py", "X = 1\nTABLE = {X: 2}", {"TABLE: X"}),
    "typescript": ("a.ts", 'import { Tag, X } from "m";\nfunction f(t: Tag) {\n  return `${X} Tag`;\n}', {"f: Tag", "f: X"}),
    "typescript keys": ("a.ts", 'import { X } from "m";\nfunction f() {\n  return { X: 1 };\n}', set()),
    "typescript words": ("a.ts", "const any = 1;\nfunction f(a: any, o: { any: 1 }): void {\n  o.any;\n}", set()),
    "go names": ("a.go", "package m\n\ntype Data struct{}\n\ntype Row struct {\n\tData int\n}", set()),
    "java": ("A.java", "class A {\n  int f() {\n    return Limits.MAX; // Other\n  }\n}", {"A.f: Limits.MAX"}),
    "go": ("a.go", "package a\n\n// f is like Spare.\nfunc f(a ...Tag) int {\n\treturn m.X\n}", {"f: Tag", "f: m.X"}),
    "rust": ("a.rs", 'fn f(t: Tag) -> u32 {\n    r"\\"; crate::m::X + Kind::BIG\n}', {"f: Tag", "f: crate::m.X", "f: Kind.BIG"}),
    "rust variant": ("a.rs", "fn f(e: u8) -> u8 {\n    match e { Kind::Big(n) => n }\n}", {"f: Kind.Big"}),
    "java annotation": ("A.java", "class A {\n  @Route(\"x\")\n  void f() {\n    g(Pet.class);\n  }\n}", {"A.f: Route", "A.f: Pet"}),
    "java case": ("A.java", "class A {\n  void f(Kind k) {\n    switch (k) {\n      case big: g();\n    }\n  }\n}", {"A.f: Kind", "A.f: k.big"}),
    "go key": ("a.go", "package a\n\nimport \"x.org/m\"\n\nvar prices = map[int]Row{m.Red: {Blue: 1}}", {"prices: Row", "prices: m.Red"}),
    "csharp": ("a.cs", "class A {\n  int F() {\n    return Limits.MAX;\n  }\n}", {"A.F: Limits.MAX"}),
    "c": ("a.c", "int f(void) {\n  return MAX_ROWS; /* OTHER */\n}", {"f: MAX_ROWS"}),
    "kotlin": ("a.kt", "fun f(): Int {\n  return MAX_ROWS\n}", {"f: Int", "f: MAX_ROWS"}),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS)
def test_a_name_is_used_where_it_is_read(name: str) -> None:
    path, source, expected = ROWS[name]
    language = detect(path, b"")
    assert language is not None
    keys = [symbol.qualified for symbol in outline(source.encode(), path, language).symbols]
    unit, _ = read_program(translated(path, source.encode()).content)
    found = {
        f"{keys[use.symbol if use.symbol >= 0 else scope.symbol]}: {expression(use.value)}"
        for scope in unit.scopes
        for use in scope.body
        if isinstance(use, Use) and max(use.symbol, scope.symbol) >= 0
    }
    assert found == expected
