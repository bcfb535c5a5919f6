"""Sketch: a few hundred bytes by which code is recognised after it was edited.

A sketch begins with a hash of all token values (recollect.code.freshness.values): two sketches are equal if and only if
the code is the same but for its format. Then follow the lowest hashes of the pairs of neighbouring words, a sample of
the set of pairs. How much two samples share estimates how much the sets share (bottom-k estimate of the Jaccard index);
it is exact for what is shorter than a sample. The symbol's own name counts as a blank wherever it stands, so that a
recursive function is the same under another name.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Sequence
from itertools import pairwise
from zlib import crc32

from recollect.code.freshness.values import CLOSE, OPEN

# Hashes kept: 512 bytes a symbol, and an error of some 4 points. Three functions of four are shorter and exact.
SAMPLE = 128
# Bytes of the hash of all: 64 bits, as many as the hash of a symbol has.
WHOLE_BYTES = 8
# What two sketches share at most that are not of the same words.
NEARLY = 0.999

# Begins every sketch. One of another version is of other words, and shares nothing with one of this version.
VERSION = "2:"

_TOKEN = re.compile(rb"[\w$\x80-\xff]+|[^\w$\x80-\xff\s]")


def sketch(words: Sequence[bytes], name: str = "") -> str:
    """Return the sketch of token values; empty where there is nothing to compare.

    name: the symbol's own, which does not count
    """
    own = name.encode()
    if own:
        # In a literal, too: who renames a view renames the template that it names.
        alone = re.compile(rb"(?<![\w$\x80-\xff])" + re.escape(own) + rb"(?![\w$\x80-\xff])")
        words = [alone.sub(b"\xff", word) if own in word else word for word in words]
    tokens = _TOKEN.findall(b" ".join(word for word in words if word not in (OPEN, CLOSE)))
    if not tokens:
        return ""
    lowest = sorted({crc32(one + b"\0" + other) for one, other in pairwise([b"\0", *tokens, b"\0"])})[:SAMPLE]
    whole = hashlib.sha256(b"\0".join(words)).digest()[:WHOLE_BYTES]
    return VERSION + base64.b85encode(whole + struct.pack(f">{len(lowest)}I", *lowest)).decode()


def is_current(text: str) -> bool:
    """Tell whether a sketch is of this version."""
    return text.startswith(VERSION)


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
    if not is_current(text):
        return frozenset()
    try:
        packed = base64.b85decode(text[len(VERSION) :])[WHOLE_BYTES:]
    except ValueError:  # an imported row may hold anything
        return frozenset()
    return frozenset(struct.unpack(f">{len(packed) // 4}I", packed[: len(packed) // 4 * 4]))
