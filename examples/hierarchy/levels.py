"""The four levels: what is edited, what the task needs, all there is, and what is known of the whole."""
# ruff: noqa: T201

from shop import shop

from recollect.hierarchy import MemoryManager


def main() -> None:
    """Edit a file, begin a task, fetch from the archive, ask about the project."""
    with shop() as (engine, project):
        window = MemoryManager(engine, project)

        print("Editing: user_service.py")
        window.promote("user_service.py", level=1)
        window.set_immediate_context("TypeError: 'NoneType' object is not callable", name="error")
        print("Context Level 1 includes:", sorted(item.name for item in window.items() if item.level == 1))
        print(window.get_immediate_context().split("\n")[1])

        print("Working on: Add caching feature")
        window.start_task("Add caching feature")
        held = window.get_working_set()
        wanted = ("cache_manager.py", "redis_backend.py", "cache_config.py", "tests/test_cache_manager.py")
        print("Working Set includes:")
        print("\n".join(f"├─ {name}" for name in (*wanted, "logging_utils.py") if name in held))

        archive = ("auth_middleware.py", "payment_handler.py", "docs/architecture.md")
        print("Available in Archive but not loaded:", [name for name in archive if name not in held])
        print(window.get_archive_item("payment_handler.py").split("\n")[0])

        known = window.global_knowledge()
        titles = {title for title, _ in known.sections}
        print("Global knowledge:", sorted(titles & {"Architecture", "Technology", "Design patterns in use"}))
        print("no actual code:", "return cents > 0" not in known.text, "at most 50 KB:", known.bytes <= 50_000)


if __name__ == "__main__":
    main()
