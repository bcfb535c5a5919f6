"""Text that somebody else wrote, as a part of our own text.

    inline     one visible line (text/harmless.py), marked as foreign
    ident      the same of an id, shortened
    fence      a marker line that a text does not contain, so that quoted text cannot end its own quotation

The mark travels with the text into whatever sentence, table or list it becomes a part of. Printers put each line that
carries a mark inside a fence and drop the mark, so that a new answer cannot forget to fence.
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

# A noncharacter: Unicode keeps it for use inside a program, and it never comes from outside (see harmless.py).
MARK = "\ufdd0"

_FENCE_RUN = re.compile(FENCE_CHARACTER + "+")
# Hexadecimal ids and numbers carry no words, whoever wrote them: they may stand outside of a fence.
_HARMLESS = re.compile("(?:[0-9a-f]{8})?")
_WORDLESS = re.compile(r"(?:mem:)?[0-9a-f-]{8,64}|[\d\s.,:+TZ-]*")


def inline(text: str, limit: int = 0) -> str:
    """Return foreign `text` visible, marked and on one line, cut to `limit` characters where one is given."""
    if _HARMLESS.fullmatch(text):  # most fields are empty or a short id: nothing to escape, and no secret
        return text
    line = oneline(unmarked(text), limit)
    return line if _WORDLESS.fullmatch(line) else MARK + line


def ident(name: str) -> str:
    """Return an id as people and models read it, marked if it is foreign: of a UUID, the first eight characters."""
    return inline(short_id(name))


def unmarked(value: Any) -> Any:
    """Return a text, or a block or data with all its texts, as it is printed: without marks, harmless in any case."""
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
    """Return a marker longer than any run of its character in `text`: no line of `text` can be taken for it."""
    longest = max((len(run) for run in _FENCE_RUN.findall(text)), default=0)
    return FENCE_CHARACTER * max(FENCE_LENGTH, longest + 1)
