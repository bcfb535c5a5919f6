# ruff: noqa: E501 - what programs print
"""The examples of document 000 run, say what it says they do, and leave nothing out."""

from __future__ import annotations

import inspect
import re
import runpy
from pathlib import Path

import pytest

from memory_lib import codebase, general

EXAMPLES = Path(__file__).parents[3] / "examples" / "memory_lib"

SAID = {
    "code_memory_system.py": """\
Indexed 1 entities
Indexed repository: 2 entities
Re-indexed: 1
['code', 'non-code']
Query: How do I add a new endpoint?
Current file: src/api/routes.py
Answer briefly: Any risks?
System has 2 code entities
and 2 notes, 4 in all
Cache size: 12
Cache size: 0
""",
    "code_retrieval.py": """\
['1.00', '0.90']
=== src/api/auth.py ===

Function: validate_token (Relevance: 1.00)
Signature: validate_token(token: str) -> bool
Complexity: low
Dependencies: decode_jwt

Code:
def validate_token(token: str) -> bool:
    \"\"\"Tell whether a token is valid.\"\"\"
    return decode_jwt(token) is not None

---

Function: decode_jwt (Relevance: 0.90)
Signature: decode_jwt(token)
Complexity: low

Code:
def decode_jwt(token):
    return token or None
Asked 2 times; cache has 2 entries, 50 % hits
Asked 4 times
0
""",
    "code_storage.py": """\
1 of code, 2 notes
['Tokens were None after a logout']
['calculate_sum']
Deleted 1 memories
""",
    "configuration.py": """\
{'total_memories': 0, 'relevance_threshold': 0.8, 'max_memories': 5, 'batch_size': 15, 'retry_attempts': 5, 'retry_delay': 1.0}
{'relevance_threshold': 0.75, 'max_memories': 20, 'recency_days': 14}
{'total_memories': 0, 'relevance_threshold': 0.9, 'max_memories': 3, 'batch_size': 15, 'retry_attempts': 5, 'retry_delay': 1.0}
Refused: relevance_threshold must be a number from 0 to 1, not 90
""",
    "indexer.py": """\
Found calculate_sum in src/utils.py
calculate_sum(a, b) | Calculate the sum of two numbers | python | low
['print', 'log'] ['import math', 'from typing import List']
Indexed 1 entities
File has changed, need to re-index
FileNotFoundError
ValueError
""",
    "memory_system.py": """\
The cat is called Grace
[True]
Memory 1:
FastAPI is a modern Python web framework
[Metadata: language=python, topic=web]
I was told:
Relevant context:
Memory 1 (Relevance: 0.90):
FastAPI is a modern Python web framework
[Metadata: language=python, topic=web]

Task: Explain how to build a REST API with FastAPI
System has 1 memories, threshold 0.85
""",
    "retrieval.py": """\
Score: 0.95 - Python uses dynamic typing
Score: 0.82 - Python has type hints since 3.5
2 of 3 selected; judged by its words
Context:
Memory 1 (Relevance: 0.95):
Python uses dynamic typing
[Metadata: language=python, topic=typing]

Memory 2 (Relevance: 0.82):
Python has type hints since 3.5

Task: Explain it
1
Offline: Rust has no garbage collector
""",
    "storage.py": """\
Python uses duck typing
Total memories: 1
Updated: True
Database contains 1 memories
Memory deleted successfully
Cleared 1 memories
Refused: text is empty
In a block: 1
""",
}


@pytest.mark.promise("G13", "C12")
@pytest.mark.parametrize("name", SAID)
def test_an_example_says_what_the_document_says(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(EXAMPLES / name), run_name="__main__")
    said = capsys.readouterr()
    assert (said.out, said.err) == (SAID[name], "")
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []


def test_every_example_is_run() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(SAID)


def test_the_examples_show_every_method_of_the_document() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py"))
    own = {"read_file", "read_directory", "add_code_memories", "code_ids_by_file", "count_code", "config"}
    own |= {"read", "candidates", "scored", "selected"}
    methods = {
        name
        for package in (general, codebase)
        for each in package.__all__
        for name, _ in inspect.getmembers(getattr(package, each), inspect.isfunction)
        if not name.startswith("_")
    }
    assert len(methods - own) >= 33
    assert {name for name in methods - own if f".{name}(" not in text} == set()


def test_the_page_about_the_library_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "memory_lib.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, {})
    assert capsys.readouterr().out == "Memory 1:\nReleases happen every second Tuesday\n[Metadata: team=core]\n"
