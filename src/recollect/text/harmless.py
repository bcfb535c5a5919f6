"""Harmless: text that somebody else wrote, made safe to look at.

    visible    the text without secrets, with harmful characters as readable escapes (\\x1b, \\u202e)
    oneline    the same on one line, so that a tag or a title cannot pretend to be a line of ours
    escaped_value    every text and key of a JSON value with harmful characters escaped
    json_escaped     JSON whose harmful characters are JSON escapes: harmless to look at, and nothing is lost

Every surface shows text through one of them: answers as text and as JSON, hook context, errors and logs. Memories keep
what they were given; an export and the library give it back unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recollect.text.redact import redact

# C0 but tab and newline, DEL, C1: terminals obey them. Line and paragraph separators: break lines in some viewers.
# Bidirectional marks, embeddings and isolates: show text in another order than it is read. Everything that Unicode
# calls ignorable (zero width, fillers, variation selectors, tags): invisible to people, legible to models. Interlinear
# annotation hides text. Noncharacters are for use inside a program (render/untrusted.py). Surrogates cannot be encoded.
_ALWAYS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f\u2028-\u202e"
    "\u2060-\u206f\u3164\ufdd0-\ufdef\ufe00-\ufe0d\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\ud800-\udfff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
# These may belong to ordinary writing. An emoji may be followed by a selector of its look, and joined to another. A
# joiner or non-joiner between two letters of Arabic, Indic, Burmese or Khmer scripts is spelling.
_SOMETIMES = "\u200c\u200d\ufe0e\ufe0f"
_EMOJI = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_LETTER = "[\u0620-\u06ff\u0750-\u077f\u08a0-\u08ff\u0900-\u0dff\u1000-\u109f\u1780-\u17b3\u17b6-\u17dd]"
_HARMFUL = re.compile(f"[{_ALWAYS}{_SOMETIMES}]")
# Matched from the character before the one in question; one class to search with is ten times as fast as alternatives.
_WRITING = re.compile(
    f"[{_EMOJI}\u00a9\u00ae\u203c\u2049\u2122\u2139][\ufe0e\ufe0f]|[#*0-9]\ufe0f\u20e3"
    f"|(?:[{_EMOJI}]|(?<=[{_EMOJI}])\ufe0f)\u200d[{_EMOJI}]|{_LETTER}[\u200c\u200d]{_LETTER}"
)


def visible(text: str) -> str:
    """Return `text` without secrets; characters that act instead of being seen become escapes, newlines stay."""
    return escaped(redact(text).text)


def oneline(text: str, limit: int = 0) -> str:
    """Return `text` visible and on one line, cut to `limit` characters where one is given."""
    line = " ".join(visible(text).split())
    return clip(line, limit) if limit else line


def clip(text: str, limit: int) -> str:
    """Return `text`, or its beginning and an ellipsis: `limit` characters at most."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def escaped(text: str) -> str:
    """Return `text` with its harmful characters as readable escapes, secrets left as they are."""
    return _HARMFUL.sub(_escape, text.replace("\r\n", "\n"))


def escaped_value(value: Any) -> Any:
    """Return a value of JSON with every text and key in it escaped."""
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, Mapping):
        return {escaped_value(key): escaped_value(item) for key, item in value.items()}
    return [escaped_value(item) for item in value] if isinstance(value, list | tuple) else value


def json_escaped(encoded: bytes) -> bytes:
    """Return JSON that means the same and has every harmful character as an escape of JSON."""
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
