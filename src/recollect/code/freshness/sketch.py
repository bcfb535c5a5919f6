"""Sketch: a few hundred bytes by which code is recognised after it was edited.

The words and signs of a symbol's normal form are taken in pairs, each pair is hashed, and the lowest hashes are kept:
a sample of the set of pairs that is the same sample for the same pairs. How much two samples have in common is how much
the two sets have in common (bottom-k estimate of Jaccard's measure); for what is shorter than a sample it is exact. A
hash of all words in their order stands before them: only where that is the same, the likeness is 1. The symbol's own
name counts as a blank wherever it stands, so that a recursive function is the same under another name.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from itertools import pairwise
from zlib import crc32

# Hashes kept: 512 bytes a symbol, and an error of some 4 points. Three functions of four are shorter and exact.
SAMPLE = 128
# Bytes of the hash of all: 64 bits, as many as the hash of a symbol has.
WHOLE_BYTES = 8
# What two sketches share at most that are not of the same words.
NEARLY = 0.999

_TOKEN = re.compile(rb"[\w$\x80-\xff]+|[^\w$\x80-\xff\s]")


def sketch(blob: bytes, name: str = "") -> str:
    """Return the sketch of a piece of normal form; empty where there is nothing to compare.

    name: the symbol's own, which does not count
    """
    own = name.encode()
    tokens = [b"" if token == own and own else token for token in _TOKEN.findall(blob)]
    if not tokens:
        return ""
    lowest = sorted({crc32(one + b"\0" + other) for one, other in pairwise([b"\0", *tokens, b"\0"])})[:SAMPLE]
    whole = hashlib.sha256(b"\0".join(tokens)).digest()[:WHOLE_BYTES]
    return base64.b85encode(whole + struct.pack(f">{len(lowest)}I", *lowest)).decode()


def likeness(one: str, other: str) -> float:
    """Return how much two sketches have in common, 0 to 1."""
    if one == other:
        return 1.0 if one else 0.0
    first, second = _hashes(one), _hashes(other)
    if not first or not second:
        return 0.0
    union = sorted(first | second)[:SAMPLE]
    return min(len(first & second & set(union)) / len(union), NEARLY)


def size(text: str) -> int:
    """Return how many pairs a sketch holds."""
    return len(_hashes(text))


def _hashes(text: str) -> frozenset[int]:
    try:
        packed = base64.b85decode(text)[WHOLE_BYTES:]
    except ValueError:  # an imported row may hold anything
        return frozenset()
    return frozenset(struct.unpack(f">{len(packed) // 4}I", packed[: len(packed) // 4 * 4]))
