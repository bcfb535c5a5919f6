"""Entities of source files: what document 000 says of CodeIndexer."""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path
from typing import Any

import pytest

from memory_lib.codebase import CodeIndexer

KEYS = [
    "file_path", "entity_name", "code_snippet", "docstring", "signature", "language", "dependencies", "imports",
    "complexity", "last_modified",
]  # fmt: skip

PYTHON = '''\
import math
from typing import (
    List,
    Dict as D,
)

from .log import log


@cached(size=3)
def calculate_sum(a: List[int], *, b: int = 1) -> int:
    """Calculate the sum of two numbers.

    The second paragraph belongs to it.
    """
    print(a)
    return log(math.fsum(a) + b)


class Account(Base):
    """Money."""

    async def pay(self, amount):
        await self.bank.send(amount)
'''


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.fixture
def entities(tmp_path: Path) -> dict[str, dict[str, Any]]:
    (tmp_path / "utils.py").write_text(PYTHON, encoding="utf-8")
    return {row["entity_name"]: row for row in CodeIndexer().index_file(str(tmp_path / "utils.py"))}


@pytest.mark.promise("C1")
def test_an_entity_has_exactly_the_documented_keys(tmp_path: Path) -> None:
    path = tmp_path / "utils.py"
    path.write_text(
        'def calculate_sum(a, b):\n    """Calculate the sum of two numbers"""\n    return a + b\n', encoding="utf-8"
    )
    os.utime(path, (1_705_314_600, 1_705_314_600))
    (entity,) = CodeIndexer().index_file(str(path))
    assert list(entity) == KEYS
    assert entity == {
        "file_path": str(path),
        "entity_name": "calculate_sum",
        "code_snippet": 'def calculate_sum(a, b):\n    """Calculate the sum of two numbers"""\n    return a + b',
        "docstring": "Calculate the sum of two numbers",
        "signature": "calculate_sum(a, b)",
        "language": "python",
        "dependencies": [],
        "imports": [],
        "complexity": "low",
        "last_modified": "2024-01-15T10:30:00Z",
    }


@pytest.mark.promise("C1")
def test_a_file_that_is_not_there_or_no_source_is_an_error(tmp_path: Path) -> None:
    indexer = CodeIndexer()
    with pytest.raises(FileNotFoundError, match=r"nothing\.py"):
        indexer.index_file(str(tmp_path / "nothing.py"))
    write(tmp_path, notes_dot_txt="Hello", readme_dot_md="# Hello", data_dot_json="{}")
    (tmp_path / "binary.py").write_bytes(b"\0\1\2")
    for name in ("notes.txt", "readme.md", "data.json", "binary.py"):
        with pytest.raises(ValueError, match=f"unsupported file type: .*{name}"):
            indexer.index_file(str(tmp_path / name))


@pytest.mark.promise("C2")
def test_python_gives_arguments_types_decorators_docstrings_calls_and_imports(
    entities: dict[str, dict[str, Any]],
) -> None:
    assert list(entities) == ["calculate_sum", "Account", "pay"]
    function = entities["calculate_sum"]
    assert function["signature"] == "calculate_sum(a: List[int], *, b: int = 1) -> int"
    assert function["docstring"] == "Calculate the sum of two numbers.\n\nThe second paragraph belongs to it."
    assert function["dependencies"] == ["cached", "print", "log", "fsum"]
    assert function["imports"] == ["import math", "from typing import List, Dict as D", "from .log import log"]
    assert function["code_snippet"].startswith("@cached(size=3)\ndef calculate_sum(")
    assert function["code_snippet"].endswith("return log(math.fsum(a) + b)")


@pytest.mark.promise("C2")
def test_a_class_comes_with_its_methods_and_depends_on_what_they_call(entities: dict[str, dict[str, Any]]) -> None:
    assert entities["Account"]["signature"] == "class Account(Base)"
    assert entities["Account"]["dependencies"] == ["Base", "send"]
    assert (entities["pay"]["signature"], entities["pay"]["dependencies"]) == ("pay(self, amount)", ["send"])


@pytest.mark.promise("C2")
def test_python_that_cannot_be_parsed_still_gives_what_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, broken_dot_py='def good():\n    """Said."""\n    call()\n\n\ndef bad(:\n')
    found = {row["entity_name"]: row for row in CodeIndexer().index_file(str(tmp_path / "broken.py"))}
    assert (found["good"]["docstring"], found["good"]["dependencies"]) == ("Said.", ["call"])


@pytest.mark.promise("C3")
@pytest.mark.parametrize(
    ("name", "text", "language", "expected"),
    [
        (
            "a.js",
            (
                "import { b } from './b.js';\nfunction add(a, b) { return check(a) + b; }\n"
                "const mul = (a, b) => a * b;\nclass Box extends Base { open() { unlock(); } }\n"
            ),
            "javascript",
            {
                "add": ("add(a, b)", ["check"]),
                "mul": ("const mul = (a, b)", []),
                "Box": ("class Box extends Base", ["Base", "unlock"]),
                "open": ("open()", ["unlock"]),
            },
        ),
        (
            "a.ts",
            (
                "export async function load(id: string): Promise<User> { return fetchUser(id); }\n"
                "interface User { name: string }\n"
            ),
            "typescript",
            {"load": ("load(id: string): Promise<User>", ["fetchUser"]), "User": ("interface User", [])},
        ),
        ("a.tsx", "export function View() { return render(<p/>); }\n", "typescript", {"View": ("View()", ["render"])}),
        (
            "A.java",
            "class A extends B {\n  int f(int x) { return g(x); }\n}\n",
            "java",
            {"A": ("class A extends B", ["B", "g"]), "f": ("int f(int x)", ["g"])},
        ),
        ("a.c", "int f(int x) {\n  return g(x);\n}\n", "c", {"f": ("int f(int x)", ["g"])}),
        (
            "a.cpp",
            "class A : public B {\n  int f() { return g(); }\n};\n",
            "cpp",
            {"A": ("class A : public B", ["B", "g"]), "f": ("int f()", ["g"])},
        ),
        (
            "a.go",
            'package a\n\nimport (\n\t"fmt"\n)\n\nfunc Run(n int) error {\n\treturn fmt.Errorf("x")\n}\n',
            "go",
            {"Run": ("func Run(n int) error", ["Errorf"])},
        ),
        (
            "a.rs",
            "pub struct P { x: i32 }\nimpl P {\n    pub fn go(&self) -> i32 { step(self.x) }\n}\n",
            "rust",
            {"P": ("pub struct P", ["step"]), "go": ("pub fn go(&self) -> i32", ["step"])},
        ),
        (
            "a.rb",
            "class A < B\n  def f(x)\n    g(x)\n  end\nend\n",
            "ruby",
            {"A": ("class A < B", ["B", "g"]), "f": ("f(x)", ["g"])},
        ),
        (
            "a.php",
            "<?php\nclass A extends B {\n  public function f($x) { return g($x); }\n}\n",
            "php",
            {"A": ("class A extends B", ["B", "g"]), "f": ("public function f($x)", ["g"])},
        ),
        (
            "a.cs",
            "class A : B {\n  int F(int x) { return G(x); }\n}\n",
            "csharp",
            {"A": ("class A : B", ["B", "G"]), "F": ("int F(int x)", ["G"])},
        ),
    ],
)
def test_every_documented_language_gives_names_signatures_and_dependencies(
    tmp_path: Path, name: str, text: str, language: str, expected: dict[str, tuple[str, list[str]]]
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    rows = CodeIndexer().index_file(str(tmp_path / name))
    assert {row["language"] for row in rows} == {language}
    assert {row["entity_name"]: (row["signature"], row["dependencies"]) for row in rows} == expected
    assert all(row["code_snippet"] in text for row in rows)


@pytest.mark.promise("C3")
def test_imports_are_statements_on_one_line(tmp_path: Path) -> None:
    write(
        tmp_path,
        a_dot_js="import {\n  a,\n  b,\n} from './x.js';\nconst fs = require('fs');\nfunction f() {}\n",
        a_dot_c="#include <stdio.h>\nint f(void) { return 0; }\n",
        a_dot_go='package a\n\nimport (\n\t"fmt"\n\tlog "x/y"\n)\n\nfunc F() {}\n',
    )
    imports = {name: CodeIndexer().index_file(str(tmp_path / name))[0]["imports"] for name in ("a.js", "a.c", "a.go")}
    assert imports == {
        "a.js": ["import { a, b, } from './x.js'", "const fs = require('fs')"],
        "a.c": ["#include <stdio.h>"],
        "a.go": ['import "fmt"', 'import log "x/y"'],
    }


@pytest.mark.promise("C4")
def test_a_folder_is_read_with_what_lies_below_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path / "src",
        a_dot_py="def a(): ...",
        sub__b_dot_js="function b() {}",
        sub__test_b_dot_py="def test_b(): ...",
        tests__c_dot_py="def c(): ...",
        node_modules__d_dot_js="function d() {}",
        notes_dot_txt="def no(): ...",
    )
    (tmp_path / "src" / ".gitignore").write_text("ignored.py\n", encoding="utf-8")
    (tmp_path / "src" / "ignored.py").write_text("def e(): ...", encoding="utf-8")
    indexer = CodeIndexer()

    def found(directory: str, **options: Any) -> dict[str, str]:
        return {row["entity_name"]: row["file_path"] for row in indexer.index_directory(directory, **options)}

    everything = {
        "a": "src/a.py", "b": "src/sub/b.js", "test_b": "src/sub/test_b.py", "c": "src/tests/c.py",
    }  # fmt: skip
    assert found("src") == everything
    assert set(found("src", exclude_patterns=["*/test_*.py", "*/tests/*"])) == {"a", "b"}
    assert set(found("src", exclude_patterns=["*.js"])) == {"a", "test_b", "c"}
    assert set(found("src", recursive=False)) == {"a"}
    monkeypatch.chdir(tmp_path / "src")
    assert set(found(".", exclude_patterns=["*/tests/*"])) == {"a", "b", "test_b"}
    with pytest.raises(NotADirectoryError, match="nowhere"):
        indexer.index_directory("nowhere")


@pytest.mark.promise("C4")
def test_a_file_that_cannot_be_read_costs_the_others_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path, a_dot_py="def a(): ...", b_dot_py="def b(): ...")
    whole = CodeIndexer.read_file

    def broken(self: CodeIndexer, file_path: str) -> Any:
        if file_path.endswith("a.py"):
            raise PermissionError("not for you")
        return whole(self, file_path)

    monkeypatch.setattr(CodeIndexer, "read_file", broken)
    with caplog.at_level(logging.WARNING):
        assert [row["entity_name"] for row in CodeIndexer().index_directory(str(tmp_path))] == ["b"]
    assert "a.py skipped: not for you" in caplog.text


@pytest.mark.promise("C5")
def test_the_hash_of_a_file_is_the_sha256_of_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "utils.py"
    path.write_bytes(b"a" * 3_000_000)
    first = CodeIndexer().compute_file_hash(str(path))
    assert first == hashlib.sha256(b"a" * 3_000_000).hexdigest()
    path.write_bytes(b"changed")
    assert CodeIndexer().compute_file_hash(str(path)) == hashlib.sha256(b"changed").hexdigest() != first


@pytest.mark.promise("C6")
@pytest.mark.parametrize(
    ("branches", "depth", "expected"),
    [
        (0, 1, "low"),  # 0.3 + 0 + 1
        (1, 2, "low"),  # 0.3 + 2 + 2
        (2, 3, "medium"),  # 0.4 + 4 + 3
        (4, 5, "medium"),  # 0.6 + 8 + 5
        (5, 6, "high"),  # 0.7 + 10 + 6
    ],
)
def test_complexity_is_lines_branches_and_depth(tmp_path: Path, branches: int, depth: int, expected: str) -> None:
    nested = "".join(f"{'    ' * level}if x > {level}:\n" for level in range(1, branches + 1))
    write(tmp_path, f_dot_py=f"def f(x):\n{nested}{'    ' * (branches + 1)}return x\n")
    (entity,) = CodeIndexer().index_file(str(tmp_path / "f.py"))
    lines = entity["code_snippet"].count("\n") + 1
    score = lines / 10 + 2 * branches + depth
    assert entity["complexity"] == expected == ("low" if score < 5 else "medium" if score < 15 else "high")
