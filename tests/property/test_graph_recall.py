"""Recall that follows links: whatever is linked with whatever, the answer keeps its word."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Engine
from recollect.graph.relation_semantics import MEANINGS
from recollect.model import RELATIONS

WORDS = ["ledger", "parser", "ledger parser", "timeout", "makefile", "ledger timeout"]

# A score depends a little on how many hits are asked for, so two searches agree only so far.
SLACK = 0.01

number = st.integers(0, len(WORDS) - 1)
links = st.lists(
    st.tuples(number, number, st.sampled_from(RELATIONS), st.sampled_from([1.0, 0.5, 0.0])), min_size=1, max_size=10
)


@pytest.fixture
def make_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[], Engine]]:
    opened: list[Engine] = []

    def make() -> Engine:
        opened.append(Engine(home=str(tmp_path_factory.mktemp("engine")), embed_provider="off"))
        return opened[-1]

    yield make
    for engine in opened:
        engine.close()


@settings(max_examples=20)
@given(links, st.sampled_from(["ledger", "parser timeout"]), st.integers(1, 4), st.integers(1, 6))
def test_every_way_leads_from_a_hit_to_the_memory_and_is_no_longer_than_asked(
    make_engine: Callable[[], Engine], linked: list[tuple[int, int, str, float]], query: str, depth: int, k: int
) -> None:
    engine = make_engine()
    ids = [engine.memories.store(f"About {words}, number {place}").memory.id for place, words in enumerate(WORDS)]
    for src, dst, relationship, weight in linked:
        engine.memories.associate(ids[src], ids[dst], relationship=relationship, weight=weight)  # type: ignore[arg-type]
    found = engine.graph.recall_with_expansion(query, limit=k, expansion_depth=depth, min_score=0.0)
    plain = engine.recall.search(query, limit=50, min_score=0.0)
    own = {hit.memory.id: hit.score for hit in plain.hits}
    shown = [row.hit.memory.id for row in found.hits]
    versions = any(MEANINGS[relationship].newer for _, _, relationship, _ in linked)
    assert len(shown) == len(set(shown)) <= k
    scores = [row.hit.score for row in found.hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    for row in found.hits:
        assert row.hops == len(row.path) <= depth
        if row.seed_id is None:
            assert row.hit.memory.id in own
            continue
        at = f"mem:{row.seed_id}"
        for step in row.path:
            assert at == (step.src if step.forwards else step.dst)
            at = step.dst if step.forwards else step.src
        assert at == f"mem:{row.hit.memory.id}"
        assert own[row.seed_id] + SLACK > row.hit.score
        assert versions or row.hit.score + SLACK >= own.get(row.hit.memory.id, 0.0)
    assert versions or own[found.hits[0].hit.memory.id] + SLACK >= plain.hits[0].score
