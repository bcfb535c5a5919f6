"""Redaction of whatever text: once is enough, nothing else changes, and it says exactly where."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.text.redaction.redact import mark, masked, redact, redact_value

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))

import redaction

PIECES = [
    *redaction.WORDS,
    *redaction.SIGNS,
    *redaction.RUNS,
    "password",
    "PASSWORD",
    "api_key",
    "token",
    "secret",
    "Authorization",
    "Cookie",
    "=",
    ": ",
    " = ",
    '"',
    "'",
    "`",
    "\n",
    "\\n",
    '\\"',
    " ",
    "&",
    ";",
    "://",
    "user",
    ":",
    "@",
    "host",
    "hunter2",
    "Ab3" * 12,
    "ghp" + "_",
    "eyJhbGciOiJI",
    ".",
    "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----",
    "<private>",
    "</private>",
    "[secret:jwt]",
    "[secret:",
    "]",
    "--",
    "-p",
    "mysql ",
    "Bearer ",
    "AKIA" + "Q2" * 8,
    "é",
    "→",
    "\U0001f511",
    "{",
    "}",
    "(",
    ")",
    "export ",
    "$2b$10$",
    "0f" * 20,
    "is ",
    "</password>",
    "<password>",
    "value",
    "name",
]
TEXTS = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)), max_size=25).map("".join)
VALUES = st.recursive(
    st.one_of(TEXTS, st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(st.sampled_from(PIECES), TEXTS), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(TEXTS)
def test_redacting_twice_changes_nothing(text: str) -> None:
    once = redact(text).text
    assert redact(once) == (once, ())


@given(TEXTS)
def test_everything_but_the_findings_stays(text: str) -> None:
    clean, found = redact(text)
    rebuilt, done = "", 0
    for kind, start, end in found:
        assert done <= start < end <= len(text)
        rebuilt += text[done:start] + mark(kind)
        done = end
    assert clean == rebuilt + text[done:]


@given(TEXTS)
def test_a_masked_source_is_as_long_and_has_the_same_lines(text: str) -> None:
    source = text.encode("utf-8", "surrogatepass")
    clean = masked(source)
    assert len(clean) == len(source)
    assert [at for at, byte in enumerate(clean) if byte == 10] == [at for at, byte in enumerate(source) if byte == 10]


@given(VALUES)
def test_a_value_keeps_its_shape_and_is_redacted_once(value: Any) -> None:
    once = redact_value(value)
    assert redact_value(once.value).value == once.value
    if isinstance(value, list):
        assert len(once.value) == len(value)
