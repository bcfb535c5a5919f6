"""Characters that act instead of being seen become escapes; the few that belong to ordinary writing stay."""

from __future__ import annotations

import json

import msgspec
import pytest
from tests.hostile import HARMFUL, TEXT, harmful

from recollect.text.display import escaped, escaped_value, is_harmless, json_escaped, oneline, visible


@pytest.mark.parametrize("sign", HARMFUL, ids=lambda sign: f"U+{ord(sign):04X}")
def test_a_harmful_character_becomes_its_number(sign: str) -> None:
    shown = escaped(f"a{sign}b")
    assert harmful(shown) == []
    assert f"{ord(sign):x}" in shown


@pytest.mark.parametrize(
    "text",
    [
        "plain\ttext\nof two lines",
        "Zürich, 東京, Москва, “quotes” – and a snowman ☃",
        "👩\u200d👩\u200d👧 ❤\ufe0f\u200d🔥 🏳\ufe0f\u200d🌈 👩🏽\u200d💻",  # joined emoji
        "☺\ufe0f ☎\ufe0e 1\ufe0f\u20e3",  # the look of a symbol, a keycap
        "می\u200cخواهم",  # Persian
        "ශ්\u200dරී क्\u200dष",  # Sinhala, Devanagari
    ],
)
def test_ordinary_writing_stays_as_it_is(text: str) -> None:
    assert escaped(text) == visible(text) == text


@pytest.mark.parametrize(
    "text",
    ["a\u200db", "👩\u200dx", "\u200d👩", "x\ufe0f\u200d👩", "x\ufe0f", "1\ufe0f", "☺\ufe0f\ufe0f", "می\u200c "],
)  # fmt: skip
def test_a_joiner_or_selector_without_its_place_is_escaped(text: str) -> None:
    assert "\\u" in escaped(text)


@pytest.mark.parametrize(
    "sign", [*HARMFUL, "\r\n", "\r", "\x08", "\x0c", "\x00"], ids=lambda sign: f"U+{ord(sign[0]):04X}"
)
def test_json_with_something_to_escape_is_not_harmless(sign: str) -> None:
    assert not is_harmless(msgspec.json.encode({"text": [f"a{sign}b"]}))


@pytest.mark.parametrize("text", ["plain\ttext\nof two lines", 'quotes " and / slashes', "Zürich, 東京 ☃"])
def test_json_without_is_harmless_and_escaping_changes_nothing(text: str) -> None:
    assert is_harmless(msgspec.json.encode([text, {text: 1.5}]))
    assert escaped_value([text, {text: 1.5}]) == [text, {text: 1.5}]


def test_a_text_on_one_line_has_no_break_of_any_kind() -> None:
    assert len(oneline(TEXT).splitlines()) == 1
    assert oneline("a\r\nb") == "a b"
    assert oneline("x" * 100, 10) == "x" * 9 + "…"


def test_escapes_of_json_lose_nothing() -> None:
    value = {TEXT: [HARMFUL, "👩\u200d👩", "می\u200cخ"]}
    encoded = json_escaped(json.dumps(value, ensure_ascii=False).encode())
    assert harmful(encoded.decode().replace("👩\u200d👩", "").replace("می\u200cخ", "")) == []
    assert json.loads(encoded) == value
