"""Answers about source code, one of each kind and shape."""

from __future__ import annotations

from recollect.code.code_records import (
    Affected,
    ChangedSymbol,
    CodeHits,
    CodePlace,
    CrossRepo,
    Cycle,
    CycleLink,
    Cycles,
    DeadCode,
    DeadSymbol,
    ExternalPackage,
    Indexed,
    MapFile,
    MapSymbol,
    PackageLink,
    PackageView,
    RepoMap,
    Review,
    RunTests,
    SymbolHit,
    SymbolList,
    SymbolView,
    TouchedMemory,
)
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
    reason="defines the name; matches the query in its path",
    symbol="Server.start",
    kind="Method",
    signature="def start(self, port: int) -> None",
    doc="Accept connections.\x1b[31m",
    root="/app",
    namespace="/app",
)
ELSEWHERE = CodeHit(
    path="a\nb.md", start_line=1, end_line=1, language="markdown", score=0.1, root="/lib",
    shares=(Share(meaning="its path matches", share=1.25), Share(meaning="a small file", share=-0.5)),
)  # fmt: skip

PACKAGE = PackageView(
    id="pkg:npm:@acme/core",
    name="@acme/core",
    ecosystem="npm",
    root="/app",
    folder="packages/core",
    manifest="packages/core/package.json",
    version="2.1.0",
    namespace="/app",
    workspace="",
    mark="vendored",
    needs=1,
    needed_by=3,
    externals=2,
)
ALONE = PackageView(id="pkg:gem:/b", name="b", ecosystem="gem", root="/b", folder="", manifest="Gemfile")
PACKAGE_LINK = PackageLink(
    source="shop\x1b[31m",
    source_root="/shop",
    source_folder="",
    target="@acme/core",
    target_root="/app",
    target_folder="packages/core",
    ecosystem="npm",
    scope="runtime",
    range="^1.5",
    version="2.1.0",
    across=True,
    fits=False,
    others=("/app/vendor/core",),
)
PLAIN_LINK = PackageLink(
    source="a", source_root="/b", source_folder="a", target="c", target_root="/b", target_folder="c", ecosystem="go",
    scope="dev",
)  # fmt: skip
EXTERNAL = ExternalPackage(
    id="pkg:npm:react", name="react", ecosystem="npm", packages=7, trees=2, conflict=True, users=("shop", "ui"),
    ranges={"^18": 3, "^17": 1, "1": 1, "2": 1, "3": 1, "4": 1, "5\n": 1},
)  # fmt: skip
CROSS_REPO = CrossRepo(
    namespace=None, package=None, packages=(PACKAGE, ALONE), links=(PACKAGE_LINK, PLAIN_LINK), externals=(EXTERNAL,),
    trees=2, packages_total=9, links_total=2, across_total=1, externals_total=1, conflicts=1,
    notes=("Circular dependency: a → b → a.",),
)  # fmt: skip

MAPPED = MapFile(
    path="src/server.py",
    rank=0.25,
    symbols=(
        MapSymbol(name="Server", kind="Class", line=10, depth=0, signature="class Server"),
        MapSymbol(name="Server.start", kind="Method", line=12, depth=1, signature="def start(self) -> None"),
    ),
    left_out=7,
)
MAP = RepoMap(
    root="/app", files=(MAPPED,), files_total=9, symbols_total=90, tokens=40, budget=1000, focus=("src/a.py",)
)
WHERE = CodePlace(
    id="sym:/app/src/server.py::Server.start", path="src/server.py", line=12, symbol="Server.start", kind="Method"
)
CHANGED = ChangedSymbol(
    change="signature", path="src/server.py", symbol="Server.start", kind="Method", line=12, risk="high", score=0.75,
    why="signature changed; 3 callers in 2 files", signature="def start(self, port)", before="def start(self)", users=3,
    reached=9, tests=2,
)  # fmt: skip
GONE = ChangedSymbol(
    change="moved", path="src/b.py", symbol="", kind="File", line=1, risk="low", score=0.1, why="w", was="src/a.py"
)
AFFECTED = Affected(place=WHERE, depth=2, confidence=0.81, why="calls Server.stop", endpoint="GET /start")
RUN = RunTests(command="pytest tests/test_server.py::test_start", runner="pytest", tests=1)
TOUCHED = TouchedMemory(
    memory_id="m1", memory_type="decision", title="Ports", relation="may contradict", verdict="changed",
    why="says of src/server.py::Server.start: “start must not take a port”",
)  # fmt: skip
REVIEW = Review(
    source="HEAD~1..HEAD", root="/app", files=2, changes=(CHANGED, GONE), changes_total=3, affected=(AFFECTED,),
    affected_total=4, tests=(AFFECTED,), tests_total=1, commands=(RUN,), endpoints=(AFFECTED,), endpoints_total=1,
    packages=("shop",), memories=(TOUCHED,), memories_total=1, notes=("not indexed: src/c.py",),
)  # fmt: skip
CYCLE_LINK = CycleLink(source=WHERE, target=WHERE, confidence=0.9)
FILE = CodePlace(id="file:/app/src/server.py", path="src/server.py")
CYCLE = Cycle(
    members=(FILE, FILE), size=3, links=4, way=(CycleLink(source=FILE, target=FILE, uses=2),) * 2, left=2,
    cut=CycleLink(source=FILE, target=FILE, uses=2),
)  # fmt: skip
CALL_CYCLE = Cycle(members=(WHERE, WHERE), size=2, links=2, way=(CYCLE_LINK, CYCLE_LINK), cut=CYCLE_LINK, left=0)
DEAD = DeadSymbol(symbol=HIT, confidence=0.35, why="no uses found", lines=4, mentions=(FILE,), mentions_total=3)

SAMPLES: tuple[Record, ...] = (
    MAP,
    RepoMap(
        root="", files=(), files_total=0, symbols_total=0, tokens=0, budget=1000, notes=("No code is indexed yet.",)
    ),
    CHANGED,
    GONE,
    AFFECTED,
    RUN,
    TOUCHED,
    REVIEW,
    Review(source="the given diff", root="/app", files=0, changes=(), changes_total=0, notes=("nothing changed",)),
    Review(source="the given diff", root="/app", files=1, changes=(), changes_total=0),
    CYCLE,
    CALL_CYCLE,
    Cycles(of="imports", cycles=(CYCLE,), total=2, nodes=3, notes=("n",)),
    Cycles(of="calls", cycles=(), total=0, nodes=0),
    DEAD,
    DeadCode(symbols=(DEAD,), total=2, looked_at=90, excused={"test": 3}),
    DeadCode(symbols=(), total=0, looked_at=0, notes=("No code is indexed yet.",)),
    PACKAGE,
    ALONE,
    PACKAGE_LINK,
    PLAIN_LINK,
    EXTERNAL,
    CROSS_REPO,
    CrossRepo(namespace="/app", package="x", packages=(), links=(), externals=(), notes=("No code is indexed yet.",)),
    PLACE,
    ELSEWHERE,
    CodeHits(query="start", hits=(PLACE, ELSEWHERE), mode="hybrid"),
    CodeHits(query="start", hits=(PLACE,), notes=("3 of 9 code chunks are embedded",)),
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
