"""Whatever is stored and whatever hooks tell: within the limits, fenced, once in a session, never an error."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import payloads
from tests.property.test_capture import assistants
from tests.property.test_capture import payloads as any_payload

from recollect import Engine
from recollect.engine.hook_responses.context_block import MOST_BYTES, TAG, Line, Section, block
from recollect.engine.hook_responses.prompt_fast_path import fast_answer
from recollect.model import Injection
from recollect.text.token_count import tokens

SUBJECTS = ("bank", "parser", "basket", "invoice", "warehouse", "cache")
anything = st.text(max_size=400) | st.text(
    st.sampled_from(list("</>recollect-context \n\t\x00\x1b‮\U000e0041é🧀漢\ud800")), max_size=300
)
lines = st.lists(st.builds(Line, anything, st.sampled_from(["", "m1", "m2"])), max_size=12).map(tuple)
sections = st.lists(st.builds(Section, anything, lines), max_size=5)


@pytest.mark.promise("B5")
@given(sections, st.integers(0, 3_000), st.integers(0, MOST_BYTES))
def test_a_block_is_within_its_limits_and_cannot_be_left(parts: list[Section], budget: int, most: int) -> None:
    made = block(parts, budget=budget, most=most)
    if made is None:
        return
    assert len(made.text.encode()) <= most
    assert tokens(made.text) == made.tokens <= budget
    opened, *_, closed, end = made.text.split("\n")
    assert opened.startswith(f"<{TAG} ")
    assert (closed, end) == (f"</{TAG}>", "")
    assert len(re.findall(r"(?i)<\s*/?\s*recollect", made.text)) == 2
    assert not any(character < " " and character != "\n" and character != "\t" for character in made.text)
    assert any(line.text.strip() for line in made.lines)


def test_a_line_of_a_block_is_one_line_whatever_breaks_it() -> None:
    text = "a\nb\rc\x0bd\x85e\u2028f"
    made = block([Section(text, (Line(text, below=(text,)),))], budget=1_000)
    assert made is not None
    assert len(made.text.splitlines()) == 5  # both fences, the title, the line and the one below it


@given(sections)
def test_what_is_left_out_leaves_no_title_behind(parts: list[Section]) -> None:
    made = block([section._replace(title="Title of a section") for section in parts], budget=400)
    if made is not None:
        rows = made.text.splitlines()
        assert all(not (a == b == "## Title of a section") for a, b in pairwise(rows))
        assert rows[-2] != "## Title of a section"


@pytest.mark.promise("B5")
@settings(max_examples=12)
@given(st.lists(st.text(min_size=1, max_size=3_000), min_size=1, max_size=12))
def test_no_content_breaks_the_cap_of_a_session_start(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    home = tmp_path_factory.mktemp("home")
    with Engine(home=str(home), embed_provider="off", context_tokens=100_000) as engine:
        for text in texts:
            if text.strip() and "\0" not in text:
                engine.memories.store(text.encode("utf-8", "replace").decode(), namespace=payloads.ROOT)
        said = engine.presence.answer(payloads.claude("SessionStart", source="startup")) or ""
    assert len(said.encode()) <= MOST_BYTES
    assert said.count(f"</{TAG}>") == bool(said)


@settings(max_examples=30)
@given(st.binary(max_size=60) | any_payload.map(lambda value: json.dumps(value).encode()), assistants)
def test_no_payload_is_an_error(home: Path, raw: bytes, assistant: str) -> None:
    with Engine(embed_provider="off") as engine:
        engine.memories.store("The bank throttles bursts of payments", namespace=None)
        for lexical in (False, True):
            said = engine.presence.answer(raw, assistant=assistant, event="UserPromptSubmit", lexical=lexical)
            assert said is None or said.startswith(f"<{TAG}")
    fast_answer(raw, assistant=assistant, event="UserPromptSubmit")


steps = st.lists(
    st.tuples(st.sampled_from(["prompt", "words", "start", "resume"]), st.sampled_from(SUBJECTS), st.integers(1, 2)),
    min_size=1,
    max_size=10,
)


@pytest.mark.promise("B5")
@settings(max_examples=15)
@given(steps)
def test_nothing_is_said_twice_in_a_session(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, str, int]]
) -> None:
    with Engine(home=str(tmp_path_factory.mktemp("home")), embed_provider="off") as engine:
        for subject in SUBJECTS:
            content = f"The {subject} service answers slowly on Mondays because of its nightly {subject} import"
            engine.memories.store(content, namespace=payloads.ROOT)
        told: dict[int, str] = {1: "", 2: ""}
        for step, subject, session in steps:
            fields = {"session_id": f"s{session}", "cwd": payloads.ROOT}
            if step in ("start", "resume"):
                fields |= {"hook_event_name": "SessionStart", "source": step}
            else:
                prompt = f"why does the {subject} service answer slowly on Mondays, is it the nightly import?"
                fields |= {"hook_event_name": "UserPromptSubmit", "prompt": prompt}
            said = engine.presence.answer(json.dumps(fields).encode(), lexical=step == "words")
            told[session] += said or ""
        rows = engine.store.find(Injection)
        keys = [(row.session_id, row.memory_id) for row in rows]
        assert len(keys) == len(set(keys))
        for session, text in told.items():
            for subject in SUBJECTS:
                assert text.count(f"The {subject} service") <= 1
            assert bool(text) == any(key == f"s{session}" for key, _ in keys)
