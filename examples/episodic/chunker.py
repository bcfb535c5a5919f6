"""A long conversation is cut into overlapping chunks, at places where something ends."""
# ruff: noqa: T201

from recollect.episodic import ContextualChunker

ANSWER = "\n\n".join(
    f"Python has {name}. {what} They are made with {how}, and they are part of the language itself. " * 3
    for name, what, how in (
        ("lists", "A list keeps things in order, and any of them can be replaced.", "square brackets"),
        ("dictionaries", "A dictionary finds a value by its key, however many there are.", "curly brackets"),
        ("sets", "A set holds each thing once, and knows at once whether it has it.", "curly brackets, too"),
    )
)


def main() -> None:
    """Cut a conversation, and look where the cuts are."""
    chunker = ContextualChunker(chunk_size=400, overlap_ratio=0.2, min_chunk_size=100)
    chunks = chunker.chunk_conversation(
        user_text="Tell me about Python data structures and algorithms", assistant_text=ANSWER
    )

    print(f"Created {len(chunks)} chunks")
    for i, chunk in enumerate(chunks):
        print(f"Chunk {i}: {len(chunk.content)} chars, parent={chunk.is_parent}")

    parent, *children = chunks
    for child in children:
        place = child.chunk_metadata
        if place is not None:
            exact = child.content == parent.content[place.start_char : place.end_char]
            print(f"{place.start_char}-{place.end_char}, {place.overlap_start} again, exact: {exact}")

    print(chunker.find_semantic_boundary("One sentence. Another one, with a clause", 20))
    try:
        chunker.chunk_conversation("", "An answer to nothing")
    except ValueError as problem:
        print(f"Refused: {problem}")


if __name__ == "__main__":
    main()
