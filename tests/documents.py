"""The code blocks of our documents: found, told apart, and told how they are run.

A block is fenced and has a language, or is indented and begins with a command. What stands in `text` right below one is
what it prints. One that cannot be run says why in a comment above it, which readers of the source see:

    <!-- not run: it needs … -->
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

SHELL = frozenset({"sh", "bash", "shell", "console"})
PYTHON = frozenset({"python", "py"})
DATA = frozenset({"json", "toml"})
PRINTED = frozenset({"text", "output"})
# An indented block is a list of commands if its first line begins with one of these.
COMMANDS = ("recollect ", "pip ", "make ", "python ", "uv ")

_NOT_RUN = re.compile(r"^<!-- not run: (.*?) -->$")
# What differs from run to run: ids (whole or short), times and how long something took.
_VARIES = (
    (re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f-]{27})?\b|\b[0-9A-HJKMNP-TV-Z]{26}\b|\bmem_\w+"), "ID"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?"), "TIME"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:ms|s|seconds?)\b"), "TIME"),
    (re.compile(r"[ \t]+$", re.MULTILINE), ""),
)


class Block(NamedTuple):
    """A block of code: where it begins, its language, what it holds, why it is not run, and what it says it prints."""

    page: Path
    line: int
    language: str
    text: str
    not_run: str = ""
    printed: str | None = None

    def __str__(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks(page: Path) -> list[Block]:
    """Return the blocks of a page in order, those of text put to what prints them."""
    found: list[Block] = []
    lines = page.read_text(encoding="utf-8").split("\n")
    for start, language, text in _pieces(lines):
        if language in PRINTED and found and _follows(lines, found[-1], start):
            found[-1] = found[-1]._replace(printed=text)
        elif language in SHELL | PYTHON | DATA:
            found.append(Block(page, start + 1, language, text, _reason(lines, start)))
    return found


def _follows(lines: Sequence[str], block: Block, start: int) -> bool:
    """Tell whether only blank lines are between a block and the line where another begins."""
    end = block.line - 1 + block.text.count("\n") + (2 if lines[block.line - 1].startswith("```") else 0)
    return not "".join(lines[end:start]).strip()


def commands(block: Block) -> str:
    """Return a shell block as a script: where lines have a prompt, those without are what is printed."""
    lines = block.text.splitlines()
    prompted = [line[2:] for line in lines if line.startswith("$ ")]
    return "\n".join(prompted or lines) + "\n"


def expected(block: Block) -> str | None:
    """Return what a block says it prints, None if it does not say."""
    lines = block.text.splitlines()
    if block.language in SHELL and any(line.startswith("$ ") for line in lines):
        return "\n".join(line for line in lines if not line.startswith("$ "))
    return block.printed


def normal(text: str) -> str:
    """Return a text without what differs from run to run."""
    for pattern, instead in _VARIES:
        text = pattern.sub(instead, text)
    return text.strip()


def _pieces(lines: Sequence[str]) -> Iterator[tuple[int, str, str]]:
    """Yield first line, language and content of everything that may be a block."""
    at = 0
    while at < len(lines):
        fence = re.match(r"^```(\w*)\s*$", lines[at])
        end = at
        if fence:
            end = next(number for number in range(at + 1, len(lines)) if lines[number].startswith("```"))
            yield at, fence[1], "\n".join(lines[at + 1 : end]) + "\n"
        elif lines[at].startswith("    ") and (at == 0 or not lines[at - 1].strip()):
            while end + 1 < len(lines) and lines[end + 1].startswith("    "):
                end += 1
            content = [line[4:] for line in lines[at : end + 1]]
            if content[0].startswith(COMMANDS):
                yield at, "sh", "\n".join(content) + "\n"
        at = end + 1


def _reason(lines: Sequence[str], start: int) -> str:
    """Return why a block is not run: what a comment right above it says."""
    above = next((lines[number] for number in range(start - 1, -1, -1) if lines[number].strip()), "")
    found = _NOT_RUN.match(above.strip())
    return found[1].strip() if found else ""
