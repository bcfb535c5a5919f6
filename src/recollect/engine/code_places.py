"""Code places: files and symbols of the index as answers about whole projects show them."""

from __future__ import annotations

from typing import cast

from recollect.code.code_records import CodePlace, SymbolHit
from recollect.engine.code_nodes import CodeNode
from recollect.model import NodeKind
from recollect.store.code_protocol import FoundSymbol


def code_place(node: CodeNode) -> CodePlace:
    """Return where a node of code is."""
    kind = cast(NodeKind, node.symbol.kind if node.symbol else "File")
    return CodePlace(id=node.id, path=node.file.path, line=node.line, symbol=node.key, kind=kind)


def file_place(root: str, path: str, line: int, symbol: str = "") -> CodePlace:
    """Return a line of a file, and the symbol around it if that is known."""
    return CodePlace(id=f"file:{root}/{path}", path=path, line=line, symbol=symbol)


def symbol_hit(found: FoundSymbol) -> SymbolHit:
    """Return a symbol of the index."""
    row = found.symbol
    return SymbolHit(
        id=found.node,
        name=row.name,
        qualified=row.qualified,
        kind=cast(NodeKind, row.kind),
        path=found.file.path,
        start_line=row.start_line,
        end_line=row.end_line,
        language=found.file.language or "",
        signature=row.signature,
        doc=row.doc,
        visibility=row.visibility,
        root=found.tree.root,
        namespace=found.tree.namespace,
    )
