"""The only sources of time and identity, so that tests can freeze both and nothing else reads them."""

import os
import time


def now() -> int:
    """Return the current Unix time in whole seconds, the resolution of every stored timestamp."""
    return int(time.time())


def new_id() -> str:
    """Return a fresh random UUID (version 4) as text.

    Built from `os.urandom` directly: the uuid module costs more to import than the rest of this file's callers.
    """
    raw = bytearray(os.urandom(16))
    raw[6] = (raw[6] & 0x0F) | 0x40
    raw[8] = (raw[8] & 0x3F) | 0x80
    text = raw.hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
