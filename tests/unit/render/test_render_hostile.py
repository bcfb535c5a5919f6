"""Every text field of every record that an operation can answer with is fenced and harmless when it is shown."""

from __future__ import annotations

import json
import re
import types
from collections.abc import Mapping
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec
import pytest
from tests.hostile import FORGED, PLANTED, TEXT, harmful, outside, texts
from tests.unit.render.test_records import NOW, SAMPLES

from recollect import model
from recollect.model import Record
from recollect.render import to_brief, to_json, to_text
from recollect.text.token_count import tokens

# What recollect writes itself, and settings of the user: it may stand outside of a fence.
OURS = {
    model.Share: {"meaning"},
    model.Stats: {"database", "embedding_model", "by_type"},
    model.NamespaceStats: {"by_type"},
    model.Spending: {"model", "day"},
    model.Spendings: {"waiting"},
    model.Usage: {"model", "day"},
    model.ScoringWeights: {"weights"},
    model.Check: {"name"},
    model.Health: {"version"},
}


def poisoned(value: Any, kind: Any) -> Any:
    """Return a value with hostile text in every place whose type allows any text."""
    if get_origin(kind) in (Union, types.UnionType):
        fitting = [each for each in get_args(kind) if each is not type(None)]
        return poisoned(value, fitting[0]) if value is not None and len(fitting) == 1 else value
    if kind is str:
        return TEXT
    if isinstance(value, msgspec.Struct):
        hints = get_type_hints(type(value))
        names = set(value.__struct_fields__) - OURS.get(type(value), set())
        fields = {name: poisoned(getattr(value, name), hints[name]) for name in names}
        return msgspec.structs.replace(value, **fields)
    if isinstance(value, tuple) and get_args(kind):
        return tuple(poisoned(item, get_args(kind)[0]) for item in value)
    if isinstance(value, Mapping) and get_args(kind):
        of_key, of_value = get_args(kind)
        return {poisoned(key, of_key): poisoned(item, of_value) for key, item in value.items()}
    return value


@pytest.mark.parametrize("record", SAMPLES, ids=lambda record: type(record).__name__)
def test_no_field_of_any_record_is_shown_outside_of_a_fence_or_does_harm(record: Record) -> None:
    evil = poisoned(record, type(record))
    for shown in (to_text(evil, NOW), to_text(evil, NOW, full=True, tokens=500)):
        assert harmful(shown) == []
        assert [line for line in outside(shown).split("\n") if PLANTED in line or FORGED in line] == []
    for data in (json.loads(to_json(evil)), to_brief(evil, NOW), to_brief(evil, NOW, 500)):
        assert [sign for text in texts(data) for sign in harmful(text)] == []


def bloated(value: Any, kind: Any) -> Any:
    """Return a value with long texts, and with every list eight times as long."""
    if get_origin(kind) in (Union, types.UnionType):
        fitting = [each for each in get_args(kind) if each is not type(None)]
        return bloated(value, fitting[0]) if value is not None and len(fitting) == 1 else value
    if kind is str:
        return "lorem ipsum dolor " * 40
    if isinstance(value, msgspec.Struct):
        hints = get_type_hints(type(value))
        fields = {name: bloated(getattr(value, name), hints[name]) for name in value.__struct_fields__}
        return msgspec.structs.replace(value, **fields)
    if isinstance(value, tuple) and get_args(kind):
        return tuple(bloated(item, get_args(kind)[0]) for item in value) * 8
    return value


@pytest.mark.parametrize("record", SAMPLES, ids=lambda record: type(record).__name__)
def test_every_answer_keeps_to_a_budget_in_both_forms(record: Record) -> None:
    large = bloated(record, type(record))
    assert tokens(to_text(large, NOW, tokens=1_500)) <= 1_500
    assert tokens(msgspec.json.encode(to_brief(large, NOW, 1_500)).decode()) <= 1_500


@pytest.mark.parametrize("record", SAMPLES, ids=lambda record: type(record).__name__)
def test_brief_data_has_no_internals_and_nothing_that_is_empty(record: Record) -> None:
    data = to_brief(record, NOW)
    required = {field.name for field in msgspec.structs.fields(type(record)) if field.required}
    assert [name for name, value in data.items() if value in (None, "", [], {}) and name not in required] == []
    assert not {"content_hash", "hash", "seq", "rev", "signals", "query", "mode"} & set(data)
    assert not [text for text in texts(data) if re.search(r"\b1[78]\d{8}\b", text)]
