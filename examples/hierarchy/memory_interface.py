"""The interface of the memory manager, method by method, and how an agent works with it."""
# ruff: noqa: T201

from shop import shop

from recollect.errors import NotFound
from recollect.hierarchy import MemoryManager


def main() -> None:
    """Call every documented method."""
    with shop() as (engine, project), MemoryManager(engine, project) as window:
        # Write operations
        window.set_immediate_context("Editing the cache")
        window.promote_to_working_set("redis_backend.py")
        # Query operations
        print(window.get_immediate_context())  # Level 1
        print(sorted(window.get_working_set()))  # Level 2
        print(window.get_archive_item("cache_config.py").splitlines()[-1])  # Level 3
        print(window.query_global_knowledge("Where is a card charged?").splitlines()[2].partition(":")[0])  # Level 4
        try:
            window.get_archive_item("unknown.py")
        except NotFound as problem:
            print(problem.code, problem.message)
        window.demote_to_archive("redis_backend.py")

        # Agent needs context: level 1? level 2? level 4 leads to level 3.
        for asked in ("immediate", "RedisBackend", "RedisBackend", "gardening"):
            found = window.look_up(asked)
            print(asked, found.asked, "served by level", found.served_by)

        # Management
        window.promote_to_working_set("auth_middleware.py")
        stats = window.get_memory_stats()
        print(stats.level1_size > 0, stats.level2_size > 0, stats.level3_size, stats.level4_size > 0)
        print(f"hit rate {stats.hit_rate:.0%}")
        print("expired:", window.cleanup())


if __name__ == "__main__":
    main()
