"""Untrusted text inside our own text.

    inline     one escaped line (text/display.py), marked as untrusted
    ident      the same for an id, shortened
    fence      a marker line that a text does not contain, so that quoted text cannot end its own fence

The mark stays with the text in any sentence, table or list. Printers put each marked line inside a fence and drop the
mark, so that a new answer cannot forget to fence.
"""

from __future__ import annotations

import re
from typing import Any

from recollect.text.display import clip as clip
from recollect.text.display import escaped as escaped
from recollect.text.display import oneline as oneline
from recollect.text.display import short_id as short_id
from recollect.text.display import visible as visible

# Tilde, not backtick: memories of code are full of backtick fences, and each would lengthen ours.
FENCE_CHARACTER = "~"
FENCE_LENGTH = 3

# A noncharacter: Unicode reserves it for internal use, and input never contains it (see display.py).
MARK = "\ufdd0"

_FENCE_RUN = re.compile(FENCE_CHARACTER + "+")
# Hexadecimal ids and numbers contain no words: they may be outside of a fence.
_HARMLESS = re.compile("(?:[0-9a-f]{8})?")
_WORDLESS = re.compile(r"(?:mem:)?[0-9a-f-]{8,64}|[\d\s.,:+TZ-]*")


def inline(text: str, limit: int = 0) -> str:
    """Return untrusted `text` escaped, marked and on one line, cut to `limit` characters if given."""
    if _HARMLESS.fullmatch(text):  # most fields are empty or a short id: nothing to escape, and no secret
        return text
    line = oneline(unmarked(text), limit)
    return line if _WORDLESS.fullmatch(line) else MARK + line


def ident(name: str) -> str:
    """Return a short id, marked if it is untrusted: of a UUID, the first eight characters."""
    return inline(short_id(name))


def unmarked(value: Any) -> Any:
    """Return a text, block or data as it is printed: without marks, with harmful characters escaped."""
    if isinstance(value, str):
        return escaped(value.replace(MARK, ""))
    if isinstance(value, dict):
        return {unmarked(key): unmarked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [unmarked(item) for item in value]
    if not isinstance(value, tuple):
        return value
    parts = map(unmarked, value)
    return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)


def fence(text: str) -> str:
    """Return a marker that is longer than any run of its character in `text`."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=0)
    return FENCE_CHARACTER * max(FENCE_LENGTH, longest + 1)
