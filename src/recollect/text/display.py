"""Text for display: foreign text made safe to show, counts with their nouns, short ids.

    visible          without secrets, with harmful characters as readable escapes (\\x1b, \\u202e)
    oneline          the same on one line, so that a tag or a title cannot imitate a line of ours
    escaped_value    a JSON value with its texts and keys escaped
    json_escaped     JSON with harmful characters as JSON escapes: nothing is lost

Every surface shows text through one of them. Memories, exports and the library keep it unchanged.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from recollect.text.lazy_patterns import compiled

# Control characters but tab and newline: terminals obey them. Line and paragraph separators break lines. Bidirectional
# marks reorder text. Ignorable characters (zero width, fillers, variation selectors, tags) are invisible to people and
# legible to models. Interlinear annotation hides text. Noncharacters are for internal use (render/untrusted.py).
# Surrogates cannot be encoded.
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# Ordinary writing uses these after and between emoji, and between letters of Arabic, Indic, Burmese and Khmer scripts.
_SOMETIMES = "\u200c\u200d\ufe0e\ufe0f"
_EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_LETTER = "[\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17dd]"
_HARMFUL = compiled(f"[{_ALWAYS}{_SOMETIMES}]")
# How JSON writes control characters, all but newline and tab.
_JSON_ESCAPE = compiled(r"\\[bfru]")
# Matched from the character before; searching for one class is ten times as fast as alternatives.
_WRITING = compiled(
    f"[{_EMOJI}\u00a9\u00ae\u203c\u2049\u2122\u2139][\ufe0e\ufe0f]|[#*0-9]\ufe0f\u20e3"
    f"|(?:[{_EMOJI}]|(?<=[{_EMOJI}])\ufe0f)\u200d[{_EMOJI}]|{_LETTER}[\u200c\u200d]{_LETTER}"
)


def visible(text: str) -> str:
    """Return `text` without secrets, with harmful characters as escapes; newlines stay."""
    from recollect.text.redaction.redact import redact  # lazy: counts and ids do without its patterns

    return escaped(redact(text).text)


def oneline(text: str, limit: int = 0) -> str:
    """Return `text` visible and on one line, cut to `limit` characters if given."""
    line = " ".join(visible(text).split())
    return clip(line, limit) if limit else line


def clip(text: str, limit: int) -> str:
    """Return `text`, or its beginning and an ellipsis: `limit` characters at most."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def escaped(text: str) -> str:
    """Return `text` with its harmful characters as readable escapes, secrets left as they are."""
    is_plain = text.isascii() and text.isprintable()
    return text if is_plain else _HARMFUL.sub(_escape, text.replace("\r\n", "\n"))


def escaped_value(value: Any) -> Any:
    """Return a value of JSON with every text and key in it escaped."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, Mapping):
        return {escaped_value(key): escaped_value(item) for key, item in value.items()}
    return [escaped_value(item) for item in value] if isinstance(value, list | tuple) else value


def is_harmless(encoded: bytes) -> bool:
    """Return whether JSON has no text to escape; a few harmless ones are doubted."""
    return not (_HARMFUL.search(text := encoded.decode()) or _JSON_ESCAPE.search(text))


def json_escaped(encoded: bytes) -> bytes:
    """Return equivalent JSON with harmful characters as JSON escapes."""
    return _HARMFUL.sub(_json_escape, encoded.decode()).encode()


def _is_writing(match: re.Match[str]) -> bool:
    place = match.start()
    return match[0] in _SOMETIMES and place > 0 and _WRITING.match(match.string, place - 1) is not None


def _escape(match: re.Match[str]) -> str:
    if _is_writing(match):
        return match[0]
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(match: re.Match[str]) -> str:
    if _is_writing(match):
        return match[0]
    units = match[0].encode("utf-16-be").hex()
    return "".join(f"\\u{units[place : place + 4]}" for place in range(0, len(units), 4))


def plural(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: `1 commit`, `2,300 memories`; many: where that is irregular."""
    regular = one[:-1] + "ies" if re.search("[^aeiou]y$", one) else one + "s"
    return f"{number:,} {one if number == 1 else many or regular}"


# Operations accept the beginning of an id.
CHARACTERS = 8

_UUID = compiled("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def day(at: int) -> str:
    """Return the day of a Unix time as 2026-11-15; the number, if the calendar has no such day."""
    try:
        return time.strftime("%Y-%m-%d", time.gmtime(at))
    except (OverflowError, OSError, ValueError):  # an imported row may carry any number
        return str(at)


def short_id(name: str) -> str:
    """Return the first eight characters of a UUID or of a memory's node; any other id unchanged."""
    bare = name.removeprefix("mem:")
    return bare[:CHARACTERS] if _UUID.fullmatch(bare) else name
