"""What gives way when a level is full: spill, split, compress; move the oldest, widen, retain for less long."""
# ruff: noqa: T201

import msgspec
from shop import FILES, shop

from recollect.hierarchy import PROFILES, MemoryManager, Policy
from recollect.hierarchy.policies import level


def narrow(**changes: object) -> Policy:
    """Return a policy with levels so narrow that a few small files fill them."""
    policy = msgspec.structs.replace(PROFILES["standard"], level1=level(1, 900), level2=level(2, 2_000))
    return msgspec.structs.replace(policy, **changes)


def clock() -> int:
    """Return the same second at each call: the least recently used file does not depend on the time of day."""
    return 1_700_000_000


def main() -> None:
    """Fill level 1 in three ways, and level 2 in three."""
    with shop() as (engine, project):
        for relief in ("spill", "split", "compress"):
            window = MemoryManager(engine, project, policy=narrow(relief1=(relief,)), clock=clock)
            window.promote("redis_backend.py", level=1)
            window.promote("cache_manager.py", level=1)
            first = {item.name: item.form for item in window.items() if item.level == 1}
            size = window.get_memory_stats().level1_size
            print(f"{relief}: {first['cache_manager.py']} cache_manager.py in level 1, fits: {size <= 900}")
            print("  stays accessible:", "redis_backend.py" in window.get_working_set())
            window.complete_task()

        for reliefs in (("move_oldest",), ("widen",), ("shorten",)):
            policy = narrow(level2=level(2, 1_000), relief2=reliefs)
            window = MemoryManager(engine, project, policy=policy, clock=clock)
            seen = len(window.events())
            for name in sorted(FILES):
                window.promote_to_working_set(name)
            limit = window.policy().level2.max_bytes or 0
            left = sum(event.trigger == "space" and event.to_level == 3 for event in window.events()[seen:])
            print(
                f"{reliefs[0]}: level 2 is {'wider than' if limit > 1_000 else 'within'} 1,000 bytes, {left} moved out"
            )
            window.complete_task()


if __name__ == "__main__":
    main()
