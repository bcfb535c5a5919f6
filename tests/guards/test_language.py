"""User-facing strings stay in plain technical English: no phrase of a private style comes back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src"

# Each with the plain wording that replaces it.
BANNED = {
    r"\banew\b": "again, or the verb: rebuild, re-index, retry",
    r"\bwhoever\b": "the subject itself: a caller, a user, another process",
    r"\bsomebody\b|\bnobody\b": "the subject itself: a user, another process",
    r"\b(?:is|are|was|were) to be\b": "must, will, or the plain verb",
    r"\blets? itself\b": "can be",
    r"\bspeaks? (?:for|against|of)\b": "evidence for, evidence against, mentions",
    r"\bhangs? (?:together|on)\b": "depends on, dependencies",
    r"\bgoes by\b": "uses",
    r"\bbecame of\b": "the outcome itself: used, imported, deleted",
    r"\bstands? (?:beside|around)\b": "near, next to",
    r"\bsaid no\b": "failed, with the error",
    r"(?<!there )\b(?:is|are) no (?:file|folder|database|export|project|number|JSON|UTF-8|XML|git)\b": "is not a …",
    r"\b(?:is|are|was|were) (?:left alone|set aside|taken over|taken back)\b": "paused, skipped, converted, undone",
    r"\bleads? nowhere\b": "does not exist",
    r"\bnone: ": "default: …",
}
# A value that programs compare.
ALLOWED = frozenset({"speaks of"})


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """The string literals of all modules by their places, without docstrings."""
    return dict(row for path in sorted(SOURCE.rglob("*.py")) for row in _texts(path))


def _texts(path: Path) -> Iterator[tuple[str, str]]:
    tree = ast.parse(path.read_text())
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield f"{path.relative_to(SOURCE)}:{node.lineno}:{node.col_offset}", node.value


@pytest.mark.parametrize("pattern", BANNED)
def test_user_facing_strings_use_plain_words(texts: dict[str, str], pattern: str) -> None:
    found = [place for place, text in texts.items() if text not in ALLOWED and re.search(pattern, text)]
    assert not found, f"write instead: {BANNED[pattern]}"


@pytest.mark.parametrize("phrase", ["made anew", "for whoever asks", "Give it; none: of all"])
def test_the_patterns_find_what_they_ban(phrase: str) -> None:
    assert any(re.search(pattern, phrase) for pattern in BANNED)
