"""Lines: the lines of a file that may still be growing, from any place on, however long one is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from recollect.capture.transcripts.turn import Line
from recollect.files import open_file

# Read at a time: few calls, little memory.
BLOCK = 1 << 20
# A longer line holds an image or a whole archive; it is passed over without being held.
MAX_LINE = 16 << 20


def lines(path: Path, position: int = 0, number: int = 0) -> Iterator[Line]:
    """Yield the whole lines of a file after a place; what is still being written at its end is left for later.

    number: how many lines lie before that place. Raises OSError.
    """
    with open_file(path, buffering=BLOCK) as file:
        file.seek(position)
        while raw := file.readline(MAX_LINE):
            start = position
            position += len(raw)
            is_whole = raw.endswith(b"\n")
            if not is_whole:
                rest = b""
                while not rest.endswith(b"\n") and (rest := file.readline(MAX_LINE)):
                    position += len(rest)
                if not rest.endswith(b"\n"):
                    return  # its end is not written yet
            number += 1
            if is_whole and len(raw) > 2:
                yield Line(raw, number, start, position)


def first_line(path: Path) -> bytes:
    """Return how a file begins; nothing where it cannot be read. Raises OSError."""
    with open_file(path) as file:
        return file.readline(MAX_LINE)
