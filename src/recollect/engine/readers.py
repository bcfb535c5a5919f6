"""Readers: who reads a constant or names a type, which is no link of the graph but stands in the text.

Asked only for what a diff changes: the file it is in and the files that use that file are looked through for the name,
and the line it stands on leads to the function around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from recollect.code.diff.changed import SymbolChange
from recollect.code.freshness.form import form, read
from recollect.graph.project import FileLinks, Further
from recollect.store.code_protocol import SymbolRow, symbol_keys

if TYPE_CHECKING:
    from recollect.model import Tree

# Kinds whose uses are no links unless something is called or inherited from.
UNLINKED = frozenset({"Constant", "Type"})
# Files that are looked through for one name, and how large they may be.
MOST_FILES, MOST_BYTES = 60, 500_000
# A name in the same file is hardly ever something else; in one that imports the file it may be.
SAME, OTHER = 0.9, 0.7


def readers(tree: Tree, files: FileLinks, changes: Iterable[SymbolChange]) -> list[Further]:
    """Return links to changed constants and types from the symbols that name them."""
    texts: dict[str, list[tuple[int, int, str]]] = {}
    lines: dict[str, list[str]] = {}
    found: list[Further] = []
    for change in changes:
        row = change.row
        if row is None or row.kind not in UNLINKED or change.how in ("added", "cosmetic"):
            continue
        pattern = re.compile(rf"(?<![\w$]){re.escape(row.name)}(?![\w$])")
        target = f"sym:{tree.root}/{change.old_path}::{change.old_key}"
        for path in (change.path, *_users(tree, files, change.path)):
            if path not in texts:
                texts[path], lines[path] = _spans(tree.root, path)
            sure = SAME if path == change.path else OTHER
            for number, text in enumerate(lines[path], 1):
                if row.name in text and pattern.search(text):
                    key = _around(texts[path], number)
                    if (path, key) != (change.path, change.key):
                        source = f"sym:{tree.root}/{path}::{key}" if key else f"file:{tree.root}/{path}"
                        found.append(Further(source, target, "DEPENDS_ON", sure))
    return list(dict.fromkeys(found))


def _users(tree: Tree, files: FileLinks, path: str) -> Iterator[str]:
    """Yield the files that use a file."""
    number = files.graph.index.get(f"file:{tree.root}/{path}")
    if number is None:
        return
    rows = files.graph.incoming
    for place in range(
        int(rows.starts[number]), min(int(rows.starts[number + 1]), int(rows.starts[number]) + MOST_FILES)
    ):
        yield files.graph.points.ids[int(rows.ends[place])].removeprefix(f"file:{tree.root}/")


def _spans(root: str, path: str) -> tuple[list[tuple[int, int, str]], list[str]]:
    """Return where the functions and classes of a file are, innermost first, and its lines."""
    source = read(root, path, MOST_BYTES)
    if source is None:
        return [], []
    rows = form(path, source).rows
    spans = [
        (row.start_line, row.end_line, key) for key, row in zip(symbol_keys(rows), rows, strict=True) if _acts(row)
    ]
    return sorted(spans, key=lambda span: span[1] - span[0]), source.decode("utf-8", "replace").split("\n")


def _acts(row: SymbolRow) -> bool:
    return row.kind not in UNLINKED and row.kind != "Module"


def _around(spans: Sequence[tuple[int, int, str]], line: int) -> str:
    return next((key for first, last, key in spans if first <= line <= last), "")
