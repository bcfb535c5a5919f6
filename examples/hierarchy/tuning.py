"""Profiles: small and large projects, and interactive development."""
# ruff: noqa: T201

from shop import shop

from recollect.errors import InvalidInput
from recollect.hierarchy import PROFILES, MemoryManager


def main() -> None:
    """Show what each profile tunes."""
    for name, policy in PROFILES.items():
        sizes = [(policy.level(number).max_bytes or 0) // 1_000 for number in (1, 2, 4)]
        rules = policy.promotion
        print(f"{name}: {sizes} KB, unused for {rules.level1_threshold // 60} and {rules.time_threshold // 60} minutes")
    with shop() as (engine, project):
        window = MemoryManager(engine, project, profile="auto")
        print("this project is", window.start_task("Add caching feature").profile)
        try:
            MemoryManager(engine, project, profile="huge")
        except InvalidInput as problem:
            print(problem.message, problem.hint)


if __name__ == "__main__":
    main()
