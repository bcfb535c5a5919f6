"""Declared types: which names of a source have one, by language."""

from __future__ import annotations

import pytest

from recollect.code.index.page import Page
from recollect.code.links.line_types import typed

ROWS = {
    "go": ("package a\n\nfunc f(a, b *Node) (q Queue) {\n\tvar c Row\n\td, ok := x.(*Tag)\n\tg(func(e Err) {})\n}",
           ["a *Node", "b *Node", "q Queue", "c Row", "d *Tag", "e Err"]),
    "rust": ("struct A {\n    of: Box<B>,\n}\nfn f(mut a: &A) {\n    let b: C = d();\n    e(|g: H| 1);\n}",
             ["of Box<B>", "a &A", "b C", "g H"]),
    "c": ("struct A {\n  B *b;\n};\nint f(A *a) {\n  C c = d(), *e;\n}", ["b B", "a A", "c C", "e C"]),
    "csharp": (
        "class A {\n  B b;\n  C P { get; }\n  void F(D d) {\n    E e = G();\n  }\n}",
        ["b B", "P C", "d D", "e E"]),
    "php": ("<?php\nclass A {\n  private ?B $b = null;\n  function f(C $c) {}\n}", ["$b ?B", "$c C"]),
    "kotlin": ("class A(val b: B) {\n  fun f(c: C?) {\n    val d: D = e()\n  }\n}", ["b B", "c C?", "d D"]),
    "scala": ("class A(b: B) {\n  def f(c: C) = {\n    val d: D = e\n  }\n}", ["b B", "c C", "d D"]),
    "swift": ("class A {\n  let b: B\n  func f(_ c: C) {\n    let d: D = e()\n  }\n}", ["b B", "c C", "d D"]),
    "zig": ("fn f(a: A) void {\n    var b: B = c();\n}", ["a A", "b B"]),
}  # fmt: skip


@pytest.mark.parametrize("language", ROWS)
def test_a_declaration_has_a_name_and_a_type(language: str) -> None:
    source, expected = ROWS[language]
    assert [f"{each.name} {each.type}" for each in typed(Page(source.encode()), language)] == expected
