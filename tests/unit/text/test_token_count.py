"""How many tokens a text costs: estimated from above, so that a budget is kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.providers import local
from recollect.text.token_count import tokens


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", 0),
        ("   ", 0),
        ("word", 1),
        ("longer", 2),
        ("two words", 3),
        ("a, b", 3),
        ("1234", 2),
        ("line\nline", 3),
        ("猫は", 2),
    ],
)
def test_words_signs_and_digits_cost_tokens(text: str, expected: int) -> None:
    assert tokens(text) == expected


def test_the_whole_costs_what_its_lines_cost() -> None:
    lines = ["The first line, of prose.\n", "def code(): return x1 + y2\n", "猫が好き\n"]
    assert tokens("".join(lines)) == sum(map(tokens, lines))


def test_it_is_more_than_the_tokeniser_at_hand_counts() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_file(str(Path(local.__file__).parent / "minilm" / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    here = Path(__file__).read_text(encoding="utf-8")
    prose = " ".join(module.__doc__ or "" for module in (local, pytest))
    for text in (here, prose, "Größe, naïve café"):
        assert tokens(text) >= len(tokenizer.encode(text, add_special_tokens=False).ids)
