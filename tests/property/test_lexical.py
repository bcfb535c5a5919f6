"""The ranking by words without numpy gives the scores and relevance of a lexical recall."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Engine
from recollect.recall import lexical
from recollect.recall.gather import gather, gather_words
from recollect.recall.query import understand
from recollect.recall.score import measure, score

NOW = 1_767_000_000
WORDS = (
    "cache retry token bank payment client deploy March yesterday user login api parse_header Anna Bob file config "
    "last week 2023 number why because index thanks hello"
).split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=25).map(" ".join)
# A text of several passages, too.
contents = texts | texts.map(lambda text: "\n\n".join([f"{text}. " * 8] * 6))
memories = st.lists(
    st.tuples(
        contents,
        st.sampled_from(["", "Anna", "Bob", "assistant"]),
        st.sampled_from([None, "s1", "s2"]),
        st.sampled_from([(), ("login",), ("api:parse_header", "x")]),
        st.integers(0, 400),
        st.sampled_from(["?", ".", ""]),
    ),
    min_size=1,
    max_size=12,
)
questions = st.tuples(
    st.sampled_from(["when did Anna ", "why ", "how many ", "what ", "who ", "", "Where is Bob's "]), texts
).map("".join)


@settings(max_examples=12)
@given(memories, st.lists(questions, min_size=1, max_size=4))
def test_the_ranking_without_numpy_agrees_with_a_lexical_recall(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str, str | None, tuple[str, ...], int, str]],
    asked: list[str],
) -> None:
    home: Path = tmp_path_factory.mktemp("home")
    with Engine(home=str(home), embed_provider="off") as engine:
        for text, author, session, tags, days, end in rows:
            engine.memories.store(
                text + end, author=author, session_id=session, tags=tags, valid_from=NOW - days * 86_400, namespace="p"
            )
        where = {"namespace": ("p", None)}
        for question in asked:
            query = understand(question, now=NOW)
            counts = engine.store.term_counts(query.terms, query.name_terms, where)
            pool = gather_words(engine.store, query, counts, where=where)
            assert pool == gather(engine.store, query, counts, None, model="", where=where)
            found = lexical.likely(query, pool.passages, counts)
            if pool.passages:
                expected = score(measure(query, pool.passages, counts, None), unasked=True)
                assert found.scores == pytest.approx(expected.scores.tolist())
                assert found.relevance == pytest.approx(expected.relevance.tolist())
