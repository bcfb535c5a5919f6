"""Digest: SHA-256 of a text, as hexadecimal digits.

From the interpreter's own implementation where it can be had: hashlib loads OpenSSL first, which takes a twentieth of
all the time that a hook has.
"""

from __future__ import annotations

import sys
from typing import Any

try:
    sha256: Any = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
except ImportError:  # an interpreter that was built without it
    sha256 = __import__("hashlib").sha256


def digest(text: str, characters: int = 64) -> str:
    """Return the first so many digits of the SHA-256 of a text; what UTF-8 cannot hold counts as a question mark."""
    return str(sha256(text.encode("utf-8", "replace")).hexdigest())[:characters]
