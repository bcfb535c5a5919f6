"""Code search as a whole: no question is too odd to be answered, and every answer is a place that exists."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.fakes import HashingEmbedder
from tests.harbour import FILES
from tests.trees import write

from recollect import Engine
from recollect.code.code_records import CodeHits
from recollect.errors import InvalidInput
from recollect.model import NODE_KINDS
from recollect.render import to_json, to_text

ODD = {
    "odd/empty.py": "",
    "odd/one_line.py": "def größe(): return 'übermäßig'",
    "odd/returns.py": "def first():\r\n    pass\r\n\r\n\r\ndef second():\r\n    return first()\r\n",
    "odd/猫.py": "class 猫:\n    def 鳴く(self):\n        return 'にゃあ'\n",
    "odd/broken.py": "def unfinished(:\n  ((((\nclass\n",
    "odd/long.py": "VALUES = [" + "1, " * 4000 + "]\n",
    "odd/name with blanks & signs'.md": "# A *title* with `code` and\ttabs\n\ntext\n",
}
WORDS = sorted({word for text in (*FILES.values(), *ODD.values()) for word in text.split()[:200]})[::3]


@pytest.fixture(scope="module")
def harbours(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Engine]]:
    """The same project with vectors and without."""
    root = tmp_path_factory.mktemp("project")
    write(root, {**FILES, **ODD})
    opened = [
        Engine(home=str(tmp_path_factory.mktemp("home")), embedder=HashingEmbedder(), index_workers=1),
        Engine(home=str(tmp_path_factory.mktemp("home")), embed_provider="off", index_workers=1),
    ]
    for engine in opened:
        engine.code.index(str(root))
        engine.code.embed()
    yield opened
    for engine in opened:
        engine.close()


def well_formed(answer: CodeHits, k: int) -> None:
    """Check what holds for every answer."""
    assert len(answer.hits) <= k
    assert len({hit.path for hit in answer.hits}) == len(answer.hits)
    for hit in answer.hits:
        lines = (Path(hit.root) / hit.path).read_bytes().split(b"\n")
        assert 1 <= hit.start_line <= hit.end_line <= len(lines)
        assert 0 <= hit.score <= 1
        assert hit.reason


questions = st.one_of(
    st.text(st.characters() | st.sampled_from(" \"'*()^-:{}%_?.…`#->"), max_size=60),
    st.lists(st.sampled_from(WORDS), max_size=60).map(" ".join),
    st.from_regex(r"\A[A-Za-z_]{1,8}(?:(?:\.|::|#|->)[a-z_]{1,8}){0,3}[?!]?\Z"),
)


@given(questions, st.sampled_from([1, 5, 1000]), st.none() | st.sampled_from(NODE_KINDS), st.booleans())
@example("größe", 5, None, True)
@example("猫.鳴く", 5, None, True)
@example('" OR names:*', 5, None, False)
@example("NEAR(a b) AND", 5, None, False)
@example("`" * 60, 5, None, False)
@example("_", 5, None, False)
@example("a" * 5000, 5, "Class", False)
@example(" ".join(f"word{number}_x" for number in range(400)), 1000, None, True)
def test_every_question_is_answered_with_places_that_exist(
    harbours: list[Engine], question: str, k: int, kind: str | None, explain: bool
) -> None:
    for engine in harbours:
        try:
            answer = engine.code.search(question, limit=k, kind=kind, explain=explain)  # type: ignore[arg-type]
        except InvalidInput:
            # Refused, not crashed: nothing to look for, or text that no store can hold.
            assert not question.strip() or "\0" in question or not is_text(question)
            continue
        well_formed(answer, k)
        assert all(kind in (None, hit.kind) for hit in answer.hits)
        assert to_text(answer) and to_json(answer)


@given(questions)
def test_no_question_to_the_memory_fails_for_its_code(harbours: list[Engine], question: str) -> None:
    for engine in harbours:
        try:
            answer = engine.recall.search(question, code=True)
        except InvalidInput:
            continue
        well_formed(CodeHits(query=question, hits=answer.places), 3)


def is_text(question: str) -> bool:
    try:
        question.encode()
    except UnicodeEncodeError:
        return False
    return True
