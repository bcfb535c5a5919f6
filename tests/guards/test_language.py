"""Help, docstrings, comments and pages stay in plain technical English: no phrase of a private style comes back."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Module

ROOT = Path(__file__).parents[2]

# Each with the plain wording that replaces it.
BANNED = {
    r"\banew\b": "again, or the verb: rebuild, re-index, retry",
    r"\b[Ww]hoever\b": "the subject itself: a caller, a user, another process",
    r"\b[Ss]omebody\b|\b[Nn]obody\b": "the subject itself: a user, another process",
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
    r"\bnone: |\bNone: of\b": "default: …",
}
# A docstring says what the caller gets: a noun phrase or a verb, not a clause. "Whether" is for properties.
CLAUSE = re.compile(r"(?:What|Who|Whose|That|How|Where) ")
# A value that programs compare, and its row in the reference; pages that quote users or list older wordings.
ALLOWED = frozenset({"speaks of", "| `relation` | one of `decided`, `may contradict`, `speaks of` |"})
OLDER_PAGES = frozenset({"CHANGELOG.md"})


@pytest.fixture(scope="module")
def texts(modules: dict[str, Module]) -> list[tuple[str, str]]:
    """Everything that the guard reads."""
    return [*sources(modules), *pages()]


def found(texts: Iterable[tuple[str, str]], pattern: str) -> list[str]:
    return [place for place, text in texts if text not in ALLOWED and re.search(pattern, text)]


def sources(modules: dict[str, Module]) -> Iterator[tuple[str, str]]:
    """Yield all strings, docstrings and comments of the sources by their places."""
    for module in modules.values():
        name = module.path.relative_to(ROOT)
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield f"{name}:{node.lineno}", node.value
        # A "#" in a string is no comment, but strings are read anyway; a tokenizer takes ten times as long.
        for number, line in enumerate(module.path.read_text(encoding="utf-8").splitlines(), 1):
            if "#" in line:
                yield f"{name}:{number}", line.partition("#")[2]


def docstrings(modules: dict[str, Module]) -> Iterator[tuple[str, str]]:
    for module in modules.values():
        for node in ast.walk(module.tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                place = f"{module.path.relative_to(ROOT)}:{getattr(node, 'lineno', 1)}"
                if text := ast.get_docstring(node):
                    yield place, text


def pages() -> Iterator[tuple[str, str]]:
    for path in sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("src/**/*.md")]):
        if path.name not in OLDER_PAGES:
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                yield f"{path.relative_to(ROOT)}:{number}", line


@pytest.mark.parametrize("pattern", BANNED)
def test_sources_and_pages_use_plain_words(pattern: str, texts: list[tuple[str, str]]) -> None:
    assert found(texts, pattern) == [], f"write instead: {BANNED[pattern]}"


def test_docstrings_begin_with_a_noun_or_a_verb(modules: dict[str, Module]) -> None:
    assert [place for place, text in docstrings(modules) if CLAUSE.match(text)] == []


@pytest.mark.parametrize("phrase", ["made anew", "for whoever asks", "Give it; none: of all"])
def test_the_patterns_find_what_they_ban(phrase: str) -> None:
    assert any(re.search(pattern, phrase) for pattern in BANNED)
