"""Coding memories for tests: the examples of document 003, and samples of what their operations answer."""

from __future__ import annotations

from typing import Any

from recollect.model import Record
from recollect.model.coding import CodingMemory, Evolution, RelevantMemories, RelevantMemory

FIBONACCI: dict[str, Any] = {
    "content": "def fibonacci(n):\n    if n <= 1:\n        return n\n    return fibonacci(n-1) + fibonacci(n-2)",
    "workspace_id": "algorithms-practice",
    "code_type": "python",
    "context": "Recursive implementation of Fibonacci sequence",
}
FIBONACCI_DP: dict[str, Any] = {
    "content": "def fibonacci_dp(n):\n    dp = [0, 1]\n    for i in range(2, n+1):\n"
    "        dp.append(dp[i-1] + dp[i-2])\n    return dp[n]",
    "workspace_id": "algorithms-practice",
    "code_type": "python",
    "context": "Dynamic programming solution for Fibonacci",
}
QUESTION: dict[str, Any] = {
    "query": "implement dynamic programming fibonacci",
    "workspace_id": "algorithms-practice",
    "max_results": 10,
    "code_types": ["python", "javascript"],
    "min_relevance": 0.6,
}

FOUND = RelevantMemory(
    id="m1",
    content="def f():\n    return 1",
    context="Gives one",
    keywords=("one",),
    tags=("python",),
    relevance_score=0.92,
    match_reason="Keyword match: one",
)
SAMPLES: tuple[Record, ...] = (
    CodingMemory(memory_id="m1", keywords=("one",), tags=("python",), links_created=2, event_emitted=True),
    CodingMemory(
        memory_id="m1",
        keywords=(),
        tags=(),
        links_created=0,
        event_emitted=False,
        notes=("analysed by built-in rules: x\ny",),
    ),
    RelevantMemories(memories=(FOUND,), total_found=3, notes=("lexical search only",)),
    RelevantMemories(memories=(), total_found=0),
    Evolution(
        memories_analyzed=45,
        memories_evolved=12,
        links_created=8,
        links_strengthened=15,
        contexts_updated=7,
        duration_ms=2341,
        notes=("used built-in rules: nobody answers",),
    ),
)
