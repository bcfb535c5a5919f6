"""What a task costs in tokens: all files in the prompt, or what the hierarchy puts there."""
# ruff: noqa: T201

from shop import FILES, shop

from recollect.hierarchy import MemoryManager


def main() -> None:
    """Compare the tokens of one task."""
    with shop() as (engine, project):
        window = MemoryManager(engine, project)
        window.start_task("Charge a card twice", files=["payment_handler.py"])
        stats = window.get_memory_stats()
        print("files:", len(FILES), "bytes:", stats.level3_size)
        print("without the hierarchy:", stats.tokens + stats.tokens_saved, "tokens a task")
        print("with it:", stats.tokens, "tokens in levels 1 and 2")
        print("saved:", stats.tokens_saved > 0, "level 4 is computed once:", stats.level4_size > 0)
        for use in stats.levels:
            print(f"level {use.level}, {use.name}: {use.items} items")


if __name__ == "__main__":
    main()
