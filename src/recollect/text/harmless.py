"""Harmless: text that somebody else wrote, made safe to look at.

Terminal escapes, bidirectional overrides and characters that no person sees but a model reads become readable escapes
(\\x1b); secrets become marks. They are not stored, but code is shown from its files, and a database may be older than
what is known as a secret today.
"""

from __future__ import annotations

import re

from recollect.text.redact import redact

# C0 but tab and newline, DEL, C1: terminals obey them. Line and paragraph separators: break lines in some viewers.
# Bidirectional embeddings and isolates: show text in another order than it is read. Tag characters (U+E0000…):
# invisible to people, legible to models. Surrogates: cannot be encoded at all.
_HARMFUL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return `text` without secrets; characters that act instead of being seen become escapes, newlines stay."""
    return _HARMFUL.sub(_escape, redact(text).text.replace("\r\n", "\n"))


def _escape(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
