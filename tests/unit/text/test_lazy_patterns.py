"""Lazy patterns: compiled when they are first used, and then as any other pattern."""

from __future__ import annotations

import re

import pytest

from recollect.text.lazy_patterns import compiled


def test_a_pattern_is_compiled_when_it_is_first_used(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str | bytes] = []
    compile_ = re.compile
    monkeypatch.setattr(re, "compile", lambda source, flags=0: made.append(source) or compile_(source, flags))
    pattern = compiled(r"\bla(zy|te)\b", re.IGNORECASE)
    assert made == []
    assert pattern.search("a LAZY dog")
    assert pattern.sub("quick", "too late") == "too quick"
    assert pattern.groups == 1
    assert made == [r"\bla(zy|te)\b"]


def test_a_pattern_is_not_compiled_for_texts_without_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str | bytes] = []
    compile_ = re.compile
    monkeypatch.setattr(re, "compile", lambda source, flags=0: made.append(source) or compile_(source, flags))
    pattern = compiled(r"<(ship|crane)>", needs=("<",))
    assert (list(pattern.finditer("a ship")), pattern.sub("x", "a crane")) == ([], "a crane")
    assert made == []
    assert pattern.sub("x", "a <crane>") == "a x"
    assert [match[1] for match in pattern.finditer("<ship> <ship>", 1)] == ["ship"]
    assert pattern.search("<crane>")
    assert made == [r"<(ship|crane)>"]


def test_bytes_have_patterns_too() -> None:
    assert compiled(b"[0-9]+").findall(b"1 and 22") == [b"1", b"22"]


def test_a_wrong_pattern_is_an_error_at_its_first_use() -> None:
    with pytest.raises(re.error):
        compiled("(").search("")
