"""A formatter leaves memories fresh, in every language; an edit that only looks like formatting does not.

Every test indexes a file, stores memories about a symbol and about the whole file, rewrites the file, indexes it again
and reads the verdict.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect import Engine
from recollect.model import Anchor

# Path, symbol, and the same code before and after a formatter.
FORMATTED = {
    "python, quotes and commas": (
        "a.py",
        "f",
        "def f(a):\n    return g(u'it\\'s', a,  0XFF)\n",
        'def f(\n    a,\n):\n    return g(\n        "it\'s",\n        a,\n        0xFF,\n    )\n',
    ),
    "python, parentheses and joined literals": (
        "a.py",
        "f",
        "def f(a):\n    x = 'one' \\\n        'two'\n    for (k, v) in a: yield(k)\n    return (x, f'{a}' 'b')\n",
        'def f(a):\n    x = "onetwo"\n    for k, v in a:\n        yield k\n    return x, f"{a}b"\n',
    ),
    "python, a raw quote": (
        "a.py",
        "f",
        "def f(a):\n    return g(r'\\\"', a,  '\"')\n",
        'def f(a):\n    return g(r"\\"", a, \'"\')\n',
    ),
    "python, docstring, class and semicolon": (
        "a.py",
        "A",
        "class A():\n    '''  Say it.\n\n         Twice. '''\n    a = 1; b = 2;\n",
        'class A:\n    """Say it.\n\n    Twice."""\n\n    a = 1\n    b = 2\n',
    ),
    "python, with": (
        "a.py",
        "f",
        "def f():\n  with (a as b, c): pass\n",
        "def f():\n    with a as b, c:\n        pass\n",
    ),
    "javascript": (
        "a.js",
        "f",
        "function f(a) {\n  const g = y => ({'b': y, c: 'd'})\n  return a && g || new Foo\n}\n",
        'function f(a) {\n  const g = (y) => ({\n    b: y,\n    c: "d",\n  });\n  return (a && g) || new Foo();\n};\n',
    ),
    "jsx": (
        "a.jsx",
        "f",
        "const f = () => <p id={'x'}>one <b>two</b> three</p>\n",
        'const f = () => (\n  <p id="x">\n    one{" "}\n    <b>two</b> three\n  </p>\n);\n',
    ),
    "typescript": (
        "a.ts",
        "A",
        "interface A { a: 'x' | B, 'c'(d): void }\n",
        'interface A {\n  a:\n    | "x"\n    | B;\n  c(d): void;\n}\n',
    ),
    "java, a text on two lines": (
        "A.java",
        "A.f",
        'class A {\n  void f() {\n    g("one " + "two\\n" + "3", h() + "four " + "five");\n  }\n}\n',
        'class A {\n  void f() {\n    g(\n        "one two\\n"\n    + "3", // why\n  h() + "four five");\n  }\n}\n',
    ),
    "java, modifiers": (
        "A.java",
        "A.f",
        "class A {\n  static synchronized public int f() { return 1; }\n}\n",
        "class A {\n  public static synchronized int f() {\n    return 1;\n  }\n}\n",
    ),
    "kotlin, a text on two lines": (
        "a.kt",
        "f",
        'fun f(a: String) = a + "one $a" + " two"\n',
        'fun f(a: String) =\n    a +\n        "one $a two"\n',
    ),
    "php, a text on two lines": (
        "a.php",
        "f",
        "<?php\nfunction f($a) { return $a . 'one ' . 'two'; }\n",
        "<?php\nfunction f($a)\n{\n    return $a . 'one two';\n}\n",
    ),
    "rust": (
        "a.rs",
        "f",
        "fn f(a: u8) -> u8 { match a { 0 => { 1 } _ => (a) } }\n",
        "fn f(\n    a: u8,\n) -> u8 {\n    match a {\n        0 => 1,\n        _ => a,\n    }\n}\n",
    ),
    "java": (
        "A.java",
        "A.f",
        "class A { Object f() { return g((x) -> x, (1 + 2)); } }\n",
        "class A {\n  Object f() {\n    return g(x -> x, 1 + 2);\n  }\n}\n",
    ),
    "go": (
        "a.go",
        "f",
        "package a\nfunc f() int { x := (1); return x }\n",
        "package a\n\nfunc f() int {\n\tx := 1\n\treturn x\n}\n",
    ),
    "kotlin": ("a.kt", "f", "fun f(a: Int): Int { return (a); }\n", "fun f(\n    a: Int,\n): Int {\n    return a\n}\n"),
    "c": ("a.c", "f", 'char *f(void) { return ("ab"); }\n', 'char *f(void)\n{\n\treturn "a"\n\t       "b";\n}\n'),
    "ruby": ("a.rb", "f", "def f\n  g('a', [1, 2])\nend\n", 'def f\n  g("a", [\n    1,\n    2,\n  ])\nend\n'),
    "php": (
        "a.php",
        "f",
        "<?php\nfunction f() { return g('a', [1]); }\n",
        '<?php\nfunction f()\n{\n    return g("a", [\n        1,\n    ]);\n}\n',
    ),
    "lua": (
        "a.lua",
        "f",
        "function f() local x = 'a'; return {x} end\n",
        'function f()\n  local x = "a"\n  return { x, }\nend\n',
    ),
    "scala": ("a.scala", "f", "def f(a: Int) = { (a + 1); }\n", "def f(\n  a: Int,\n) = {\n  a + 1\n}\n"),
}

# Path, symbol, and code of another meaning before and after.
EDITED = {
    "another precedence": ("a.py", "f", "def f():\n    return (a + b) * c\n", "def f():\n    return a + b * c\n"),
    "a tuple": ("a.py", "f", "def f():\n    return (a)\n", "def f():\n    return (a,)\n"),
    "two literals": ("a.py", "f", "def f():\n    return g('a', 'b')\n", "def f():\n    return g('a' 'b')\n"),
    "bytes": ("a.py", "f", "def f():\n    return 'a'\n", "def f():\n    return b'a'\n"),
    "a raw literal": ("a.py", "f", "def f():\n    return '\\n'\n", "def f():\n    return r'\\n'\n"),
    "blanks in a literal": ("a.py", "f", "def f():\n    return 'a b'\n", "def f():\n    return 'a  b'\n"),
    "a name for a literal": ("a.py", "f", "def f():\n    return {'a': 1}\n", "def f():\n    return {a: 1}\n"),
    "another docstring": ("a.py", "f", "def f():\n    'One.'\n", "def f():\n    'Two.'\n"),
    "out of a block": ("a.py", "f", "def f():\n  if a:\n    b()\n    c()\n", "def f():\n  if a:\n    b()\n  c()\n"),
    "parts of a loop": ("a.js", "f", "function f() { for (a;;) g() }\n", "function f() { for (;a;) g() }\n"),
    "a hole": ("a.js", "f", "function f() { return [a,] }\n", "function f() { return [a,,] }\n"),
    "a template": ("a.js", "f", "function f() { return '${a}' }\n", "function f() { return `${a}` }\n"),
    "a blank in an element": ("a.jsx", "f", "const f = () => <p>a <b/></p>\n", "const f = () => <p>a<b/></p>\n"),
    "a value": ("a.rs", "f", "fn f() { g() }\n", "fn f() { g(); }\n"),
    "a character": (
        "A.java",
        "A.f",
        "class A { int f() { return g('a'); } }\n",
        'class A { int f() { return g("a"); } }\n',
    ),
    "a text beside a number": (
        "A.java",
        "A.f",
        'class A { String f() { return 1 + 2 + "a"; } }\n',
        'class A { String f() { return 1 + "2" + "a"; } }\n',
    ),
    "a text beside a sum": (
        "A.java",
        "A.f",
        'class A { String f() { return "a" + 1 + 2 + "b"; } }\n',
        'class A { String f() { return "a" + (1 + 2) + "b"; } }\n',
    ),
    "an escape": ("a.rb", "f", "def f\n  '\\n'\nend\n", 'def f\n  "\\n"\nend\n'),
}


def verdicts(engine: Engine, root: Path, path: str, symbol: str, before: str, after: str) -> tuple[str, str]:
    """Return the verdicts on a symbol and on its file after a rewrite."""
    file = root / path
    file.write_text(before, encoding="utf-8")
    engine.code.index(str(root))
    ids = [
        engine.memories.store(text, namespace=str(root), anchors=(anchor,)).memory.id
        for text, anchor in (("about the symbol", f"{path}::{symbol}"), ("about the file", path))
    ]
    file.write_text(after, encoding="utf-8")
    engine.code.index(str(root))
    one, other = (engine.memories.get(memory_id).freshness.verdict for memory_id in ids)
    return one, other


@pytest.mark.parametrize(("path", "symbol", "before", "after"), FORMATTED.values(), ids=FORMATTED)
def test_formatted_code_is_fresh(
    engine: Engine, tmp_path: Path, path: str, symbol: str, before: str, after: str
) -> None:
    assert verdicts(engine, tmp_path, path, symbol, before, after) == ("fresh", "fresh")


@pytest.mark.parametrize(("path", "symbol", "before", "after"), EDITED.values(), ids=EDITED)
def test_code_of_another_meaning_is_changed(
    engine: Engine, tmp_path: Path, path: str, symbol: str, before: str, after: str
) -> None:
    assert verdicts(engine, tmp_path, path, symbol, before, after) == ("changed", "changed")


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        (
            "a.py",
            "import b\nimport a\nfrom c import (z, y)\nX = 1\n",
            "import a\nimport b\nfrom c import y, z\n\nX = 1\n",
        ),
        ("a.ts", "import b from 'b'\nimport {z, y} from 'a'\n", 'import { y, z } from "a";\nimport b from "b";\n'),
        ("a.go", 'package a\nimport (\n"b"\n"a"\n)\n', 'package a\n\nimport (\n\t"a"\n\t"b"\n)\n'),
        ("a.c", '#include "b.h"\n#include "a.h"\n', '#include "a.h"\n#include "b.h"\n'),
        ("A.java", "import b.B;\nimport a.A;\nclass A {}\n", "import a.A;\nimport b.B;\n\nclass A {}\n"),
    ],
)
def test_sorted_imports_leave_a_file_fresh(engine: Engine, tmp_path: Path, path: str, before: str, after: str) -> None:
    (tmp_path / path).write_text(before, encoding="utf-8")
    engine.code.index(str(tmp_path))
    memory_id = engine.memories.store("about it", namespace=str(tmp_path), anchors=(path,)).memory.id
    (tmp_path / path).write_text(after, encoding="utf-8")
    engine.code.index(str(tmp_path))
    assert engine.memories.get(memory_id).freshness.verdict == "fresh"


def test_an_anchor_of_an_earlier_version_survives_a_formatter_once_it_was_compared(
    engine: Engine, tmp_path: Path
) -> None:
    file = tmp_path / "a.py"
    file.write_text("def f():\n    return 'a'\n", encoding="utf-8")
    engine.code.index(str(tmp_path))
    memory_id = engine.memories.store("about f", namespace=str(tmp_path), anchors=("a.py::f",)).memory.id
    with engine.store.transaction("test") as transaction:
        (anchor,) = transaction.find(Anchor)
        transaction.update(Anchor, anchor.id, {"sketch": "of an earlier version"})
    # A new version reads all files again.
    engine.code.index(str(tmp_path), rebuild=True)
    assert engine.memories.get(memory_id).freshness.verdict == "fresh"
    file.write_text('def f():\n    return "a"\n', encoding="utf-8")
    engine.code.index(str(tmp_path))
    assert engine.memories.get(memory_id).freshness.verdict == "fresh"


def test_code_nested_thousands_deep_is_compared(engine: Engine, tmp_path: Path) -> None:
    before = f"def f():\n    return {'[' * 900}{']' * 900}\n"
    after = before.replace("return", "return ").replace("[[", "[ [")
    assert verdicts(engine, tmp_path, "a.py", "f", before, after)[0] == "fresh"
