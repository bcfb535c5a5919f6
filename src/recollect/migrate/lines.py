"""Lines: JSON Lines of another program, one object each; a broken line is named, and nothing is taken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.errors import InvalidInput
from recollect.files import open_file
from recollect.parsing import parse_json

_HINT = "Nothing was imported. Correct or remove the line and import again."


def objects(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file with the numbers of their lines; raises InvalidInput at the first that is none."""
    try:
        with open_file(path) as file:
            for number, line in enumerate(file, 1):
                text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
                if text.strip():
                    yield number, _object(path, number, text)
    except OSError as problem:
        raise InvalidInput(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None


def refused(path: Path, number: int, why: str) -> InvalidInput:
    """Return the error that says what is wrong with a line."""
    return InvalidInput(f"line {number} of {path.name} cannot be imported: {why}", hint=_HINT, line=number)


def _object(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = parse_json(line, what="it")
    except InvalidInput as problem:
        raise refused(path, number, problem.message) from None
    if not isinstance(found, dict):
        raise refused(path, number, "not a JSON object")
    return found
