"""The examples of document 001 run, say what it says they do, and leave nothing out."""

from __future__ import annotations

import inspect
import logging
import re
import runpy
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect import episodic

EXAMPLES = Path(__file__).parents[3] / "examples" / "episodic"

SAID = {
    "chunker.py": """\
Created 6 chunks
Chunk 0: 1540 chars, parent=True
Chunk 1: 404 chars, parent=False
Chunk 2: 409 chars, parent=False
Chunk 3: 384 chars, parent=False
Chunk 4: 408 chars, parent=False
Chunk 5: 242 chars, parent=False
0-404, 0 again, exact: True
328-737, 76 again, exact: True
661-1045, 76 again, exact: True
966-1374, 79 again, exact: True
1298-1540, 76 again, exact: True
(13, True)
Refused: user_text is empty
""",
    "configuration.py": """\
400 characters, 20% overlap
at most 5.0 times as important
50 turns, 0.7 to be promoted
250 0.1 20
400
""",
    "errors.py": """\
ChunkingError is a MemoryError: True
TemporalWeightingError is a MemoryError: True
SessionMemoryError is a MemoryError: True
WARNING Chunking failed: too tired, using single chunk
1
ERROR Memory storage failed: this engine is closed
0
Refused: user is empty
""",
    "memory.py": """\
Stored 3 chunks
Found: 'User: Explain machine learning algorithm'...
Context: 710 characters
{'total_records': 4, 'parent_records': 2, 'child_chunks': 2}
Forgotten after a month: 4 records
""",
    "migration.py": """\
'User: Who wrote the parser?\\nAssistant: Ada did.' 0 0 1.0
m-1
m-2 Grace did. 1700000100.5
as it was: [{"id": "m-2",
""",
    "records.py": """\
parent: True, child of it: True
used 2 times, importance 1.0
""",
    "session.py": """\
same session: True
Retrieved 2 recent turns
another topic, another session: True; 3 turns in all
Promoted 3, kept 3, again []
after a restart: ['Remember me']
""",
    "temporal.py": """\
now 1.00, an hour ago 0.99, a day ago 0.79
an hour of working memory 0.61, of semantic memory 0.999
used five times: 1.5
final score 1.19
""",
}


@pytest.fixture
def root_logger() -> Iterator[None]:
    """Leave logging as it was: an example may configure it."""
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.promise("A1", "A2", "A5", "A6", "A9", "A11", "A12", "A13")
@pytest.mark.usefixtures("root_logger")
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


def test_the_examples_show_every_class_and_method_of_the_document() -> None:
    text = "\n".join(path.read_text(encoding="utf-8") for path in EXAMPLES.glob("*.py"))
    own = {"accessed_at", "hours_until_forgotten", "get_record", "active_sessions", "cleanup_expired_sessions"}
    own |= {"export_records", "import_records"}
    methods = {
        name
        for each in episodic.__all__
        if inspect.isclass(getattr(episodic, each)) and not issubclass(getattr(episodic, each), Exception)
        for name, _ in inspect.getmembers(getattr(episodic, each), inspect.isfunction)
        if not name.startswith("_")
    }
    assert len(methods - own) >= 17
    assert {name for name in methods - own if f".{name}(" not in text} == set()
    beside = {"EmbeddingFunction", "SessionTurn", "ChunkMetadata"}
    assert {name for name in episodic.__all__ if not re.search(rf"\b{name}\b", text)} == beside


def test_the_page_about_the_library_runs(capsys: pytest.CaptureFixture[str]) -> None:
    page = (EXAMPLES.parents[1] / "docs" / "episodic.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(block, {})
    assert capsys.readouterr().out == "We moved staging to port 9090, since 8080 was taken.\n2 parents, 0 chunks\n"
