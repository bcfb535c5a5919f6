"""A pack of anything stays within its budget, names its sources, and says what they say."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.engine.retrieval.pack import packed
from recollect.model import Excerpt, Hit, Memory, Moment, Recall, Reply, Signals
from recollect.text.passages import passages
from recollect.text.token_count import tokens

word = st.sampled_from(["the", "shop", "not", "SQLite", "yesterday", "猫", "ſ", "\n", "\x1b", "8.", "why?"])
text = st.text(min_size=1, max_size=80) | st.lists(word, min_size=1, max_size=400).map(" ".join)


@st.composite
def hits(draw: st.DrawFn, number: int) -> Hit:
    content = draw(text)
    parts = passages(content)
    part = draw(st.integers(0, len(parts) - 1))
    start = sum(map(len, parts[:part]))
    ends = sorted(draw(st.sets(st.integers(1, len(content)), max_size=3)))
    reply = draw(st.none() | st.builds(Reply, memory_id=st.sampled_from(["m0", "m1", "x"]), text=text, author=text))
    return Hit(
        memory=Memory(id=f"m{number}", content=content, author=draw(st.none() | text), created_at=draw(st.integers())),
        score=0.5,
        reason="it is there",
        signals=Signals(),
        superseded_by=draw(st.sampled_from([None, None, "m0"])),
        passage=draw(st.none() | st.just(Excerpt(start=start, end=start + len(parts[part])))),
        times=tuple(Moment(words="then", end=end, means="2023-05-07") for end in ends),
        reply=reply,
    )


found = st.integers(0, 6).flatmap(lambda count: st.tuples(*(hits(number) for number in range(count))))


@settings(max_examples=60)
@given(found, st.integers(1, 600))
def test_a_pack_stays_within_its_budget_and_each_part_of_it_is_a_source(hits: tuple[Hit, ...], budget: int) -> None:
    pack = packed(Recall(query="q", hits=hits, mode="lexical"), budget)
    assert pack.tokens == tokens(pack.text) <= budget
    assert pack.text == "".join(part.text for part in pack.sources)
    assert sum(part.tokens for part in pack.sources) == pack.tokens
    by_id = {hit.memory.id: hit for hit in hits}
    for part in pack.sources:
        hit = by_id[part.memory_id]
        assert hit.superseded_by is None
        lines = part.text.split("\n")
        assert lines[0].startswith("- [") and part.memory_id in lines[0]
        assert len(lines) == (3 if part.reply_id else 2)
        assert part.reply_id is None or (hit.reply is not None and part.reply_id == hit.reply.memory_id)
    packed_ids = [part.memory_id for part in pack.sources]
    assert len(set(packed_ids)) == len(packed_ids)
    assert not {part.reply_id for part in pack.sources} & set(packed_ids)


@given(found)
def test_with_room_for_everything_what_was_not_replaced_or_said_before_is_there(hits: tuple[Hit, ...]) -> None:
    pack = packed(Recall(query="q", hits=hits, mode="lexical"), 1_000_000)
    expected = [hit for hit in hits if hit.superseded_by is None]
    if expected:
        first = expected[0]
        # Punctuation alone says nothing.
        assert not any(one.isalnum() for one in first.memory.content) or first.memory.id in {
            part.memory_id for part in pack.sources
        }
