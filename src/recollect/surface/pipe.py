"""What is piped into a command without being asked for: `git diff | recollect review`.

A pipe or a file on standard input is meant; a terminal is not, nor is /dev/null or whatever else a program was started
with. Sockets are left alone: some programs start their commands with one that nobody ever writes to.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from recollect.errors import ContentTooLarge
from recollect.surface.arguments import STANDARD_INPUT_BYTES, StandardInput


class Piped(NamedTuple):
    """Which parameter of a command standard input fills, unless one of the others says what to work on."""

    parameter: str
    others: frozenset[str]


PIPED: Mapping[str, Piped] = {
    "review": Piped("diff", frozenset({"range"})),
    "ingest": Piped("payload", frozenset()),
    "context": Piped("payload", frozenset({"namespace"})),
    "prompt": Piped("payload", frozenset()),
    "summarize": Piped("payload", frozenset({"session_id", "namespace"})),
}


def piped(command: str, given: Mapping[str, Any], standard_input: StandardInput) -> dict[str, str]:
    """Return the argument that standard input fills, if it is to fill one; `-` in its place asks for it."""
    row = PIPED.get(command)
    if row is None:
        return {}
    asked = given.get(row.parameter) == "-"
    if not asked and (row.parameter in given or row.others & given.keys() or not is_piped()):
        return {}
    raw = standard_input(STANDARD_INPUT_BYTES + 1)
    if len(raw) > STANDARD_INPUT_BYTES:
        raise ContentTooLarge(f"standard input has more than {STANDARD_INPUT_BYTES:,} bytes")
    # A diff has the encodings of its files, which may be several.
    return {row.parameter: raw.decode("utf-8", "replace")}


def is_piped() -> bool:
    """Tell whether standard input is a pipe or a file."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (AttributeError, OSError, ValueError):  # closed, or replaced by something without a file
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)
