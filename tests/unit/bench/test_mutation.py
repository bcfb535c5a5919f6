"""The edits of the freshness benchmark do what they say: otherwise it would measure itself."""

from __future__ import annotations

import random

import pytest

from mutation import EDITS, Edit, Target, moved, reads, twin
from recollect.code.anchors.normalised_file import form
from recollect.code.index.languages import detect

PYTHON = '''def first(value, scale):
    """Weigh a value."""
    total = 0
    for part in value.parts:
        total += first(part, scale) * weigh(part)
    return total


def second(value):
    text = "two  blanks"
    return [text, value.name]
'''
GO = """package scale

func First(value Value, scale int) int {
\ttotal := 0
\tfor _, part := range value.parts {
\t\ttotal += weigh(part, scale)
\t}
\treturn total
}

func Second(value Value) string {
\tlabel := "two  blanks"
\treturn label + value.name
}
"""
SOURCES = {"scale.py": PYTHON, "scale.go": GO}
UNCHANGED = ("comment", "white space", "edit beside")
APPLY_TO_PYTHON_ONLY = ("decorator", "into a class")


def target(path: str, place: int = 0, seed: int = 1) -> Target:
    source = SOURCES[path].encode()
    language = detect(path, source)
    assert language is not None
    symbols = reads(source, path, language)
    assert symbols is not None
    return Target(path, source, language, symbols[place], symbols, random.Random(seed))


def hashed(edit: Edit) -> str | None:
    """Return the hash of the symbol where the edit says that it is, None if it is not there."""
    content = edit.files.get(edit.path)
    spot = None if content is None else form(edit.path, content).spots().get(edit.symbol or "")
    return None if spot is None else spot.hash


@pytest.mark.parametrize("path", SOURCES)
@pytest.mark.parametrize("kind", EDITS)
@pytest.mark.parametrize("seed", range(5))
def test_an_edit_does_what_its_verdict_says(path: str, kind: str, seed: int) -> None:
    it = target(path, seed=seed)
    edit = EDITS[kind](it)
    if edit is None:
        assert kind in APPLY_TO_PYTHON_ONLY
        return
    assert it.path in edit.files
    assert edit.files[it.path] != it.source
    before = form(it.path, it.source).spots()[it.symbol.qualified].hash
    after = hashed(edit)
    assert (edit.verdict == "fresh") == (kind in UNCHANGED)
    if edit.verdict == "fresh":
        assert (after, edit.symbol) == (before, it.symbol.qualified)
    elif edit.verdict == "changed":
        assert after not in (None, before)
    elif edit.verdict == "gone":
        assert after is None
    else:
        assert after is not None
        assert (edit.path, edit.symbol) != (it.path, it.symbol.qualified)


def test_a_move_takes_the_symbol_to_another_file_and_may_edit_it() -> None:
    it = target("scale.py", 1)
    other = b"X = 1\n"
    plain, edited = (moved(it, "other.py", other, alter=alter) for alter in (False, True))
    assert plain is not None
    assert edited is not None
    before = form(it.path, it.source).spots()["second"].hash
    assert (plain.verdict, hashed(plain)) == ("moved", before)
    assert edited.verdict == "changed"
    assert hashed(edited) not in (None, before)
    for edit in (plain, edited):
        assert b"def second" not in (edit.files["scale.py"] or b"")
    assert moved(it, "other.py", b"def second():\n    return 1\n") is None


def test_a_twin_is_the_same_under_another_name() -> None:
    source = twin(target("scale.py", 1))
    assert source is not None
    spots = form("scale.py", source).spots()
    assert spots["second"].hash == spots["secondTwin"].hash


def test_what_would_break_the_file_is_not_made() -> None:
    it = target("scale.py")
    broken = it._replace(source=it.source.replace(b"return total", b"return (total"))
    assert EDITS["body"](broken) is None
    assert EDITS["comment"](broken) is None
