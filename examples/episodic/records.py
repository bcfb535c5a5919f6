"""A conversation and a chunk of it, as records."""
# ruff: noqa: T201

from recollect.episodic import ChunkedMemoryRecord


def main() -> None:
    """Make a parent and a child, and use the child."""
    parent = ChunkedMemoryRecord(
        user="What are Python data structures?",
        assistant="Python comes with lists, dictionaries, sets and tuples.",
        content="The whole conversation about data structures",
        chunk_index=0,
    )
    child = ChunkedMemoryRecord(
        parent_id=parent.id,
        chunk_index=1,
        content="Python comes with lists, dictionaries, sets and tuples.",
        full_context=parent.content,
    )
    print(f"parent: {parent.is_parent}, child of it: {child.is_child and child.parent_id == parent.id}")

    child.access()
    child.access()
    print(f"used {child.access_count} times, importance {child.importance_score}")


if __name__ == "__main__":
    main()
