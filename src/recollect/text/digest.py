"""SHA-256 of a text, from the interpreter's own module: hashlib loads OpenSSL, which a hook has no time for."""

from __future__ import annotations

import sys
from typing import Any

try:
    sha256: Any = __import__("_sha2" if sys.version_info >= (3, 12) else "_sha256").sha256
except ImportError:  # an interpreter that was built without it
    sha256 = __import__("hashlib").sha256


def digest(text: str, characters: int = 64) -> str:
    """Return the first hexadecimal digits of the SHA-256 of a text."""
    return str(sha256(text.encode("utf-8", "replace")).hexdigest())[:characters]
