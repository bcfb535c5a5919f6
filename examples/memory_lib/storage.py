"""General memories in a file: kept, read, changed, deleted. Runs in a temporary folder."""
# ruff: noqa: T201

import contextlib
import tempfile

from memory_lib.general import MemoryStorage


def main() -> None:
    """Go through what a storage can do, in the order of a memory's life."""
    storage = MemoryStorage("my_memories.db")
    memory_id = storage.add_memory("Python uses duck typing", metadata={"language": "python", "topic": "typing"})
    memory = storage.get_memory(memory_id)
    if memory:
        print(memory["text"])

    all_memories = storage.get_all_memories()
    print(f"Total memories: {len(all_memories)}")

    success = storage.update_memory(
        memory_id,
        text="Python uses dynamic typing",
        metadata={"language": "python", "topic": "typing", "updated": True},
    )
    print(f"Updated: {success}")

    count = storage.count_memories()
    print(f"Database contains {count} memories")
    if storage.delete_memory(memory_id):
        print("Memory deleted successfully")

    storage.add_memory("One more")
    deleted = storage.clear_all()
    print(f"Cleared {deleted} memories")
    try:
        storage.add_memory("")
    except ValueError as problem:
        print(f"Refused: {problem}")
    storage.close()

    with MemoryStorage("memories.db") as another:
        another.add_memory("Example memory")
        print(f"In a block: {another.count_memories()}")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        main()
