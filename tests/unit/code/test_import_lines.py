"""Which files a file brings in, read off its lines."""

from __future__ import annotations

import pytest

from recollect.code.index.import_lines import Imported, Paths, imported


def found(path: str, source: str, *paths: str, name: str = "tree") -> list[str]:
    return [each.path for each in imported(path, source.encode(), Paths(name, [path, *paths]))]


@pytest.mark.parametrize(
    ("path", "line", "others", "expected"),
    [
        ("src/app/web.py", "from app.store.rows import Row", ["src/app/store/rows.py"], "src/app/store/rows.py"),
        ("src/app/web.py", "from app.store import rows", ["src/app/store/__init__.py"], "src/app/store/__init__.py"),
        ("src/app/web.py", "from .rows import Row", ["src/app/rows.py", "rows.py"], "src/app/rows.py"),
        ("src/app/a/web.py", "from ..rows import Row", ["src/app/rows.py"], "src/app/rows.py"),
        ("a.py", "import app.rows as r", ["app/rows.py"], "app/rows.py"),
        ("src/a.ts", "import { b } from './lib/b'", ["src/lib/b.ts"], "src/lib/b.ts"),
        ("src/a.ts", "import { b } from '../core'", ["core/index.ts"], "core/index.ts"),
        ("src/a.js", "const b = require('./b')", ["src/b.js"], "src/b.js"),
        ("cmd/main.go", '\t"example.com/me/tree/v2/store"', ["store/rows.go"], "store/rows.go"),
        ("src/main.rs", "use crate::store::rows::Row;", ["src/store/rows.rs"], "src/store/rows.rs"),
        (
            "axum/src/a.rs",
            "use axum_core::extract::Form;",
            ["axum-core/src/extract/mod.rs"],
            "axum-core/src/extract/mod.rs",
        ),
        ("src/a.c", '#include "uv/unix.h"', ["include/uv/unix.h"], "include/uv/unix.h"),
        ("m/A.java", "import com.x.store.Row;", ["m/src/com/x/store/Row.java"], "m/src/com/x/store/Row.java"),
        ("lib/a.rb", "require_relative 'store/rows'", ["lib/store/rows.rb"], "lib/store/rows.rb"),
        ("src/A.php", "use Shop\\Store\\Row;", ["src/Store/Row.php"], "src/Store/Row.php"),
    ],
)
def test_an_import_leads_to_the_file_it_means(path: str, line: str, others: list[str], expected: str) -> None:
    assert found(path, f"{line}\n", *others) == [expected]


def test_what_is_not_in_the_tree_leads_nowhere() -> None:
    source = "import json\nimport os.path\nfrom collections import Counter\nfrom typing import Any\n"
    assert found("a.py", source, "deep/er/tests/golden/json.py", "b.py") == []


def test_names_that_are_imported_are_told() -> None:
    rows = list(imported("a.py", b"from app.rows import Row, Column\n", Paths("t", ["a.py", "app/rows.py"])))
    assert rows == [Imported("app/rows.py", ("Row", "Column"))]


def test_an_end_that_many_files_share_means_none_of_them() -> None:
    many = [f"p{number}/deep/store/rows.py" for number in range(5)]
    assert found("a.py", "from store.rows import Row\n", *many) == []
