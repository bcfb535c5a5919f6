"""Records of the context window, one of each kind, as tests show them."""

from __future__ import annotations

from recollect.hierarchy.model import (
    Filled,
    FoundItem,
    Item,
    LevelUse,
    LookedUp,
    MemoryStats,
    Moved,
    Task,
    WindowMoves,
    WindowView,
)
from recollect.model import Record

ITEM = Item(
    name="src/cache.py",
    level=1,
    form="part",
    size_bytes=2_000,
    tokens=600,
    why="search rank 1: defines the name",
    placed_at=1_700_000_000,
    used_at=1_700_000_000,
    symbols=("Cache.get",),
    lines=((10, 20),),
)
MOVED = Moved(
    at=1_700_000_000, name="src/cache.py", from_level=3, to_level=2, trigger="search", reason="found for “cache”"
)
REDUCED = Moved(at=1, name="src/big.py", from_level=1, to_level=1, trigger="space", reason="its outline stays")
USE = LevelUse(
    level=1, name="immediate context", items=1, size_bytes=2_000, tokens=600, max_bytes=50_000, max_tokens=15_000
)
ARCHIVE = LevelUse(level=3, name="archive", items=12, size_bytes=90_000, tokens=27_000)
TASK = Task(description="Add a cache\nto the loader", started_at=1_700_000_000, files=("src/cache.py",))
STATS = MemoryStats(
    level1_size=2_000,
    level2_size=0,
    level3_size=90_000,
    level4_size=1_000,
    hit_rate=0.5,
    queries=4,
    hits=2,
    tokens=600,
    tokens_saved=26_400,
    promotions=1,
    levels=(USE, ARCHIVE),
)
FOUND = FoundItem(name="src/cache.py", level=2, form="whole", text="def get():\n    ...", tokens=8, why="asked for")
MANY = tuple(
    Item(name=f"src/{n}.py", level=2, form="outline", size_bytes=1, tokens=1, why="uses it", placed_at=1, used_at=1)
    for n in range(60)
)

SAMPLES: tuple[Record, ...] = (
    ITEM,
    MOVED,
    USE,
    ARCHIVE,
    FOUND,
    Filled(
        task=TASK, profile="standard", items=(ITEM,), levels=(USE,), placed=1, considered=3, left_out=("src/far.py",)
    ),
    Filled(task=TASK, profile="small", items=MANY, levels=(USE,), placed=60, considered=300, notes=("not linked yet",)),
    LookedUp(query="cache", asked=(1, 2, 4, 3), served_by=3, found=(FOUND,), moved=(MOVED,)),
    LookedUp(query="nothing", asked=(1, 2, 4), served_by=0, notes=("nothing has to do with it",)),
    WindowMoves(moved=(MOVED, REDUCED), total=3, levels=(USE,)),
    WindowMoves(moved=(), total=0, levels=(USE,)),
    WindowView(
        namespace="app",
        profile="standard",
        stats=STATS,
        task=TASK,
        items=(ITEM,),
        items_total=2,
        events=(MOVED,),
        text="all",
    ),
    WindowView(namespace="app", profile="standard", stats=STATS),
)
