"""Which memories matter for a question, as a small model says. Here the model is a function of a few lines."""
# ruff: noqa: T201

import asyncio

from memory_lib.general import MemoryRetrieval

MEMORIES = [
    {
        "id": "1",
        "text": "Python uses dynamic typing",
        "metadata": {"language": "python", "topic": "typing"},
        "timestamp": "2024-01-15T10:30:00Z",
    },
    {"id": "2", "text": "Python has type hints since 3.5", "metadata": {}, "timestamp": "2024-01-16T10:30:00Z"},
    {"id": "3", "text": "Rust has no garbage collector", "metadata": {}, "timestamp": "2024-01-17T10:30:00Z"},
]


async def my_llm(prompt: str) -> str:
    """Stand in for a language model: a text about typing is relevant, one about Python nearly so."""
    memory = prompt.split("Memory: ")[1].split("\n")[0]
    score = 0.95 if "typing" in memory else 0.82 if "Python" in memory else 0.1
    return f"Score: {score}\nReason: judged by its words"


async def main() -> None:
    """Retrieve, then do the same step by step, then change the configuration."""
    retrieval = MemoryRetrieval(small_model_fn=my_llm, relevance_threshold=0.8, max_memories=5)
    relevant = await retrieval.retrieve_relevant_memories("Explain Python typing", MEMORIES)
    for memory in relevant:
        print(f"Score: {memory.relevance_score:.2f} - {memory.text}")

    scored = await retrieval.score_all_memories("Explain Python typing", MEMORIES)
    selected = retrieval.filter_and_select(scored)
    print(f"{len(selected)} of {len(scored)} selected; {scored[0].reasoning}")

    formatted = retrieval.format_memories_for_prompt(relevant)
    print(f"Context:\n{formatted}\n\nTask: Explain it")

    retrieval.update_config(relevance_threshold=0.9, max_memories=3)
    print(len(await retrieval.retrieve_relevant_memories("Explain Python typing", MEMORIES)))

    # Without a model, recollect's own recall gives the score; nothing leaves the machine.
    offline = MemoryRetrieval(small_model_fn=None, relevance_threshold=0.5)
    found = await offline.retrieve_relevant_memories("Does Rust collect garbage?", MEMORIES)
    print(f"Offline: {found[0].text}")
    offline.close()


if __name__ == "__main__":
    asyncio.run(main())
