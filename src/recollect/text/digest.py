"""Digest: SHA-256 of a text, as hexadecimal digits.

From the interpreter's own implementation where it can be had: hashlib loads OpenSSL first, which takes a twentieth of
all the time that a hook has.
"""

from __future__ import annotations

try:
    from _sha2 import sha256  # type: ignore[import-not-found,unused-ignore]
except ImportError:
    try:  # before Python 3.12
        from _sha256 import sha256  # type: ignore[import-not-found,unused-ignore,no-redef]
    except ImportError:
        from hashlib import sha256


def digest(text: str, characters: int = 64) -> str:
    """Return the first so many digits of the SHA-256 of a text; what UTF-8 cannot hold counts as a question mark."""
    return str(sha256(text.encode("utf-8", "replace")).hexdigest())[:characters]
