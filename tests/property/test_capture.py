"""Whatever lies in the spool, draining goes on: any bytes, any JSON, any mixture of fields."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect import Engine
from recollect.capture.assistants import ASSISTANTS
from recollect.capture.difference import difference
from recollect.capture.error_fingerprint import failure, normal
from recollect.capture.filter import cleaned, is_noise, mark
from recollect.capture.observation import BadPayload
from recollect.capture.observation_lesson import Place
from recollect.capture.outcome import by_exit_code, by_output
from recollect.capture.payload import read
from recollect.capture.tools import BY_NAME, FIELDS
from recollect.engine.sessions.hook_ingest import outline
from recollect.model import Memory, Observed

scalars = st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=30)
keys = st.sampled_from([name for names in FIELDS.values() for name in names]) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=4), max_leaves=8
)
words = sorted(
    {part for row in ASSISTANTS for paths in row.fields.values() for path in paths for part in path.split(".")}
)
events = sorted({name for row in ASSISTANTS for name in row.events})
fields = st.dictionaries(st.sampled_from(words), values, max_size=8)
payloads = st.builds(
    lambda base, event, tool, given, output: {
        **base,
        **event,
        "tool_name": tool,
        "toolName": tool,
        "tool_input": given,
        "tool_response": output,
    },
    fields,
    st.sampled_from(events).map(lambda name: {"hook_event_name": name, "session_id": "s"}),
    st.sampled_from(sorted(BY_NAME)) | st.text(max_size=10),
    values,
    values,
)
assistants = st.sampled_from([*(row.name for row in ASSISTANTS), ""])


@given(st.binary(max_size=200), assistants, st.text(max_size=10))
def test_any_bytes_are_an_observation_or_refused(raw: bytes, assistant: str, event: str) -> None:
    try:
        seen = cleaned(read(raw, event=event, assistant=assistant))
    except BadPayload:
        return
    assert isinstance(is_noise(seen), bool)


@given(payloads, assistants)
@settings(max_examples=300)
def test_any_payload_teaches_something_or_nothing(payload: dict[str, Any], assistant: str) -> None:
    from recollect.capture.extract import lesson

    try:
        seen = cleaned(read(msgspec.json.encode(payload), assistant=assistant))
    except BadPayload:
        return
    assert mark(seen) == mark(seen)
    learnt = lesson(seen, Place("/nowhere", "/nowhere"), outline)
    assert len(learnt.content) < 12_000
    assert all(tag.strip() and len(tag) <= 120 for tag in learnt.tags)
    assert (learnt.outcome == "failed") >= bool(learnt.fingerprint)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with Engine(home=str(tmp_path_factory.mktemp("capture")), embed_provider="off") as made:
        yield made


@given(st.lists(payloads.map(msgspec.json.encode) | st.binary(max_size=60), max_size=6), assistants)
@settings(max_examples=60)
def test_draining_never_raises_and_leaves_nothing_behind(engine: Engine, raws: list[bytes], assistant: str) -> None:
    for raw in raws:
        engine.capture.put(raw or b" ", assistant=assistant)
    answer = engine.capture.drain()
    assert answer.notes == ()
    assert answer.taken == len(raws) == answer.stored + answer.merged + answer.noted + answer.skipped + answer.bad
    assert answer.waiting == 0
    for path in (Path(engine.settings.home) / "spool" / "bad").glob("*"):
        assert "Error:" not in path.read_text(encoding="utf-8").splitlines()[0], path.read_text(encoding="utf-8")
    ids = {row.memory_id for row in engine.store.find(Observed)} - {None}
    assert len(engine.store.get(Memory, sorted(str(each) for each in ids))) == len(ids)


@given(st.text(max_size=300), st.text(max_size=40))
def test_a_fingerprint_is_stable_and_what_is_normal_stays_so(output: str, command: str) -> None:
    assert failure(output, command) == failure(output, command)
    assert (
        failure(output, command).fingerprint == failure(f"\x1b[1m{output}\x1b[0m", command).fingerprint
        or "\x1b" in output
    )
    assert by_output(command, output) in ("ok", "failed", "")
    assert by_exit_code(command, 1) is not False
    assert normal(normal(output)) == normal(normal(normal(output)))


@given(st.lists(st.text(max_size=12), max_size=12), st.lists(st.text(max_size=12), max_size=12))
def test_a_difference_counts_what_differs(old: list[str], new: list[str]) -> None:
    before, after = "\n".join(old), "\n".join(new)
    found = difference("a.py", before, after, outline)
    assert len(after.splitlines()) - len(before.splitlines()) == found.added - found.removed
    if before.splitlines() == after.splitlines():
        assert (found.added, found.removed, found.meaning) == (0, 0, ())
