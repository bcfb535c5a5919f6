"""How things move down: the task is complete, they were not used for 30 minutes, or there is no room."""
# ruff: noqa: T201

import msgspec
from shop import shop

from recollect.hierarchy import PROFILES, MemoryManager
from recollect.hierarchy.policies import level


class Clock:
    """A clock that is moved by hand."""

    seconds = 1_700_000_000

    def __call__(self) -> int:
        return self.seconds


def main() -> None:
    """Trigger each demotion."""
    with shop() as (engine, project):
        clock = Clock()
        window = MemoryManager(engine, project, clock=clock)
        window.start_task("Add caching feature")
        print({event.reason for event in window.complete_task()}, window.get_working_set())

        window.promote_to_working_set("payment_handler.py")
        clock.seconds += 30 * 60
        for event in window.cleanup():
            print(f"{event.name}: level {event.from_level} → {event.to_level}, {event.reason}")
        print("still known:", "payment_handler.py" in window.query_global_knowledge())

        narrow = msgspec.structs.replace(PROFILES["standard"], level2=level(2, 700))
        window = MemoryManager(engine, project, policy=narrow, clock=clock)
        for name in (
            "payment_handler.py",
            "auth_middleware.py",
            "logging_utils.py",
            "user_model.py",
            "cache_config.py",
        ):
            window.promote_to_working_set(name)
            clock.seconds += 1
        window.promote_to_working_set("redis_backend.py")
        window.promote_to_working_set("tests/test_cache_manager.py")
        for event in window.events():
            if event.trigger == "space":
                print(f"{event.name}: {event.reason}")
        window.demote_to_archive("user_model.py")
        print(sorted(window.get_working_set()))


if __name__ == "__main__":
    main()
