"""Answers about source code, one of each kind and shape."""

from __future__ import annotations

from recollect.code.record import Indexed, SymbolHit, SymbolList, SymbolView
from recollect.model import Record

HIT = SymbolHit(
    id="sym:/app/src/server.py::Server.start",
    name="start",
    qualified="Server.start",
    kind="Method",
    path="src/server.py",
    start_line=12,
    end_line=40,
    language="python",
    signature="def start(self, port: int) -> None",
    doc="Accept connections.\x1b[31m",
    visibility="public",
    root="/app",
    namespace="/app",
    match="prefix",
)
INDEXED = Indexed(
    root="/app",
    namespace="/app",
    files=3,
    symbols=20,
    references=50,
    chunks=30,
    size_bytes=4_000_000,
    read=2,
    unchanged=1,
    removed=1,
    read_bytes=3_000_000,
    cpu_s=1.5,
    languages={"python": 2, "go": 1},
    skipped={"binary": 4},
    notes=("a\nb is too large",),
)

SAMPLES: tuple[Record, ...] = (
    INDEXED,
    Indexed(
        root="/app",
        namespace=None,
        files=0,
        symbols=0,
        references=0,
        chunks=0,
        size_bytes=0,
        read=0,
        unchanged=0,
        removed=0,
        read_bytes=0,
    ),
    HIT,
    SymbolList(query="sta", symbols=(HIT,)),
    SymbolList(query="sta", symbols=(), notes=("No code is indexed yet.",)),
    SymbolView(symbol=HIT),
    SymbolView(
        symbol=HIT,
        decorators=("app.get('/')",),
        complexity="high",
        is_test=True,
        endpoint="GET /",
        hash="abc",
        parent=HIT,
        children=(HIT,),
        others=(HIT, HIT),
    ),
)
