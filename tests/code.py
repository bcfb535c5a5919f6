"""Answers about source code, one of each kind and shape."""

from __future__ import annotations

from recollect.code.record import (
    CodeHits,
    CrossRepo,
    ExternalPackage,
    Indexed,
    PackageLink,
    PackageView,
    SymbolHit,
    SymbolList,
    SymbolView,
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
    notes=("These packages need each other: a → b → a.",),
)  # fmt: skip

SAMPLES: tuple[Record, ...] = (
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
