"""Developer prose of any amount, the same on every run: sentences from the standard library's own documentation.

Real text keeps the real distribution of words, which is what full-text ranking pays for; made-up words would not. Each
memory joins two sentences and a qualified name, so that no two are alike.
"""

from __future__ import annotations

import ast
import random
import re
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_FOLDERS = (
    "",
    "asyncio",
    "concurrent",
    "email",
    "http",
    "importlib",
    "json",
    "logging",
    "multiprocessing",
    "sqlite3",
    "unittest",
    "urllib",
    "xml",
)


@cache
def sentences() -> tuple[tuple[str, str], ...]:
    """Return (qualified name, sentence) pairs of the documented functions and classes of the standard library."""
    library = Path(sysconfig.get_paths()["stdlib"])
    found: list[tuple[str, str]] = []
    for folder in _FOLDERS:
        for file in sorted((library / folder).glob("*.py")):
            found.extend(_documented(file, file.relative_to(library).with_suffix("")))
    return tuple(dict.fromkeys(found))


def _documented(file: Path, module: Path) -> Iterator[tuple[str, str]]:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for sentence in re.split(r"(?<=[.!?])\s+", " ".join((ast.get_docstring(node) or "").split())):
                if 40 <= len(sentence) <= 300:
                    yield f"{'.'.join(module.parts)}.{node.name}", sentence


def memories(count: int, *, seed: int = 7) -> Iterator[str]:
    """Yield `count` texts, each two sentences about a named thing."""
    chance = random.Random(seed)
    pool = sentences()
    for number in range(count):
        (name, first), (_, second) = chance.choice(pool), chance.choice(pool)
        yield f"{name} (note {number}): {first} {second}"


def questions(count: int, *, seed: int = 11) -> Iterator[str]:
    """Yield `count` questions of five to nine words taken from sentences of the corpus."""
    chance = random.Random(seed)
    pool = sentences()
    for _ in range(count):
        words = chance.choice(pool)[1].split()
        start = chance.randrange(max(1, len(words) - 9))
        yield "how does " + " ".join(words[start : start + chance.randint(5, 9)])
