"""Settings files of others, edited: what is inserted can be cut again byte for byte, and nothing else ever changes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from recollect.surface.assistants import jsonc

KEYS = st.sampled_from(["a", "b", "hooks", "mcpServers", "x y", "é", 'q"q', "//", "/*"])
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.text(max_size=6),
    st.sampled_from(["// no", "/* no */", "{", "http://x", ","]),
)
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3), max_leaves=8
)
SPACES = st.sampled_from(["", " ", "\n", "\n  ", "\t", "\r\n\t", "\n\n    "])
COMMENTS = st.sampled_from(["", "", "", "// note\n", " // a, {b}\r\n", "/* c */", "/* two\n lines */ ", "//\n"])


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """The value as somebody may have written it: odd white space, comments, commas before a closing bracket."""

    def gap() -> str:
        return draw(SPACES) + draw(COMMENTS) + draw(SPACES)

    def form(value: Any) -> str:
        if isinstance(value, dict | list):
            rows = list(value.items()) if isinstance(value, dict) else [(None, row) for row in value]
            parts = []
            for key, row in rows:
                name = "" if key is None else json.dumps(key) + gap() + ":" + gap()
                parts.append(gap() + name + form(row) + gap())
            end = "," + gap() if parts and draw(st.booleans()) else ""
            opening, closing = "{}" if isinstance(value, dict) else "[]"
            return opening + ",".join(parts) + (end or ("" if parts else gap())) + closing
        return json.dumps(value, ensure_ascii=draw(st.booleans()))

    return gap() + form(value) + gap()


@st.composite
def plain(draw: st.DrawFn, value: Any) -> str:
    """The value as a program writes it."""
    indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
    text = json.dumps(value, indent=indent) + draw(st.sampled_from(["", "\n"]))
    return text.replace("\n", "\r\n") if draw(st.booleans()) else text


DOCUMENTS = st.dictionaries(KEYS, VALUES, max_size=4)


@st.composite
def places(draw: st.DrawFn) -> tuple[str, Any, tuple[str | int, ...], str | None]:
    """A text, its value, the path of one of its containers, and a key that is not in it (None: an array)."""
    value = draw(DOCUMENTS)
    text = draw(draw(st.sampled_from([written, plain]))(value))
    found: list[tuple[str | int, ...]] = []

    def walk(node: Any, path: tuple[str | int, ...]) -> None:
        if isinstance(node, dict | list):
            found.append(path)
            for step, row in node.items() if isinstance(node, dict) else enumerate(node):
                walk(row, (*path, step))

    walk(value, ())
    path = draw(st.sampled_from(found))
    return text, value, path, None if isinstance(at(value, path), list) else "new"


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


def added(value: Any, path: tuple[str | int, ...], key: str | None, new: Any) -> Any:
    copy = json.loads(json.dumps(value))
    container = at(copy, path)
    if key is None:
        container.append(new)
    else:
        container[key] = new
    return copy


@given(places(), VALUES)
def test_what_is_inserted_is_there_and_nothing_else_changes(
    place: tuple[str, Any, tuple[str | int, ...], str | None], new: Any
) -> None:
    text, value, path, key = place
    assert jsonc.parse(text).value == value
    after = jsonc.insert(text, path, key, new)
    assert jsonc.parse(after).value == added(value, path, key, new)


@given(places(), VALUES)
def test_cutting_what_was_inserted_beside_others_gives_the_text_back_byte_for_byte(
    place: tuple[str, Any, tuple[str | int, ...], str | None], new: Any
) -> None:
    text, value, path, key = place
    assume(at(value, path))
    step = len(at(value, path)) if key is None else key
    assert jsonc.cut(jsonc.insert(text, path, key, new), (*path, step)) == text


@given(places(), VALUES, VALUES)
def test_inserted_in_any_number_and_cut_in_any_order_it_comes_out_the_same(
    place: tuple[str, Any, tuple[str | int, ...], str | None], one: Any, two: Any
) -> None:
    text, value, path, key = place
    assume(key is not None and at(value, path))
    both = jsonc.insert(jsonc.insert(text, path, "one", one), path, "two", two)
    for order in (("one", "two"), ("two", "one")):
        after = both
        for name in order:
            after = jsonc.cut(after, (*path, name))
        assert after == text


@given(places(), VALUES)
def test_a_strict_document_stays_strict(place: tuple[str, Any, tuple[str | int, ...], str | None], new: Any) -> None:
    text, value, path, key = place
    text = json.dumps(value, indent=2)
    assert json.loads(jsonc.insert(text, path, key, new)) == added(value, path, key, new)


@given(places(), VALUES)
def test_a_value_written_anew_leaves_the_others_as_they_are(
    place: tuple[str, Any, tuple[str | int, ...], str | None], new: Any
) -> None:
    text, value, path, _key = place
    for step in at(value, path) if isinstance(at(value, path), dict) else range(len(at(value, path))):
        expected = json.loads(json.dumps(value))
        at(expected, path)[step] = new
        assert jsonc.parse(jsonc.replace(text, (*path, step), new)).value == expected


@given(places())
def test_any_value_can_be_cut_from_any_document(place: tuple[str, Any, tuple[str | int, ...], str | None]) -> None:
    text, value, path, _key = place
    steps = list(at(value, path)) if isinstance(at(value, path), dict) else list(range(len(at(value, path))))
    for step in steps:
        expected = json.loads(json.dumps(value))
        del at(expected, path)[step]
        assert jsonc.parse(jsonc.cut(text, (*path, step))).value == expected


@given(st.text(alphabet='{}[]",:/*\\ \n01tfn-.e', max_size=30))
def test_a_document_is_read_or_refused_with_a_place(text: str) -> None:
    try:
        node = jsonc.parse(text)
    except jsonc.Malformed as problem:
        assert 1 <= problem.line <= text.count("\n") + 1
        assert problem.column >= 1
        with pytest.raises(ValueError):
            json.loads(text)
    else:
        assert node.end <= len(text)


@pytest.mark.parametrize("text", ['{"a": ' + "9" * 5_000 + "}", "[" * 100_000, '{"a":' * 100_000])
def test_a_number_or_a_nesting_that_is_too_long_is_malformed(text: str) -> None:
    with pytest.raises(jsonc.Malformed):
        jsonc.parse(text)
