"""Answers about source code, one of each kind and shape."""

from __future__ import annotations

from recollect.code.record import CodeHits, Indexed, SymbolHit, SymbolList, SymbolView
from recollect.model import CodeHit, Record, Share

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

PLACE = CodeHit(
    path="src/server.py",
    start_line=12,
    end_line=40,
    language="python",
    score=0.913,
    reason="defines the name; its path says so",
    symbol="Server.start",
    kind="Method",
    signature="def start(self, port: int) -> None",
    doc="Accept connections.\x1b[31m",
    root="/app",
    namespace="/app",
)
ELSEWHERE = CodeHit(
    path="a\nb.md", start_line=1, end_line=1, language="markdown", score=0.1, root="/lib",
    shares=(Share(meaning="its path says so", share=1.25), Share(meaning="a small file", share=-0.5)),
)  # fmt: skip

SAMPLES: tuple[Record, ...] = (
    PLACE,
    ELSEWHERE,
    CodeHits(query="start", hits=(PLACE, ELSEWHERE), mode="hybrid"),
    CodeHits(query="start", hits=(PLACE,), notes=("3 of 9 pieces of code have a vector yet",)),
    CodeHits(query="start", hits=(), notes=("No code is indexed yet.",)),
    INDEXED,
    Indexed(
        root="/app",
        namespace=None,
        files=0,
        symbols=0,
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
