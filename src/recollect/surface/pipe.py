"""Standard input as an argument: `git diff | recollect review`.

Only a pipe or a file counts. A socket does not: some programs start their commands with one that nobody writes to.
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
    """The parameter of an operation that standard input fills, unless one of the others is given."""

    parameter: str
    others: frozenset[str]


PIPED: Mapping[str, Piped] = {
    "review_diff": Piped("diff", frozenset({"range"})),
    "ingest": Piped("payload", frozenset()),
    "session_context": Piped("payload", frozenset({"project"})),
    "submit_prompt": Piped("payload", frozenset()),
    "summarize_session": Piped("payload", frozenset({"session_id", "project"})),
}


def piped(operation: str, given: Mapping[str, Any], standard_input: StandardInput) -> dict[str, str]:
    """Return the argument that standard input fills, if any; `-` in its place asks for it."""
    row = PIPED.get(operation)
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
