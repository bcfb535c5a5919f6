"""How things move up: by an explicit search, because something at hand uses them, and by being read often."""
# ruff: noqa: T201

from shop import shop

from recollect.hierarchy import MemoryManager, PromotionPolicy


def main() -> None:
    """Trigger each promotion, at a clock that stands still."""
    with shop() as (engine, project):
        window = MemoryManager(engine, project, clock=lambda: 1_700_000_000)

        found = window.look_up("Find implementations of cache invalidation")
        print("levels asked:", found.asked, "found:", found.found[0].name)
        print("promoted:", [(event.name, event.to_level) for event in found.moved if event.trigger == "search"])

        window.get_archive_item("cache_manager.py")
        for event in window.events():
            if event.trigger == "dependency" and event.reason.startswith("cache_manager.py"):
                print(f"{event.name} → level {event.to_level}: {event.reason.partition(', ')[0]}")

        policy = PromotionPolicy()
        print(f"{policy.access_threshold} accesses in {policy.access_window_s // 60} minutes")
        for _ in range(3):
            window.get_archive_item("payment_handler.py")
        print("accesses:", window.get_access_count("payment_handler.py"))
        window.check_promotion("payment_handler.py")
        print("in level 1:", [item.name for item in window.items() if item.level == 1])
        print(window.events()[-1].reason)


if __name__ == "__main__":
    main()
