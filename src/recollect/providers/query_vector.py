"""The approximate vector of a question, without the embedding model and without numpy, for the prompt hook.

    text ─► WordPiece tokens ─► a row of 128 numbers each ─► their sum · a matrix of 128 × 384 + constant ─► unit length

The rows and the matrix were trained so that the result is near the vector of the shipped model (cosine .79 on unseen
texts; bench/train_query_vectors.py), and it is compared with the vectors that the model
made of memories. The words of a question count, not their order.
`minilm/query_table.bin` holds:

    the number of tokens · the CRC-32 of each, sorted · a row per token · 128 rows of the matrix · the constant

A row is a scale and signed bytes, stored with 128 added. Only the rows of the question's tokens are read. Loading takes
2 ms of CPU, a question 3 ms, 2,000 memories 12 ms: the model alone would take 300 to load.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from io import SEEK_END
from itertools import chain
from pathlib import Path
from struct import Struct, unpack
from typing import BinaryIO, NamedTuple
from zlib import crc32

MODEL_ID = "all-MiniLM-L6-v2/notes-3"
TABLE = Path(__file__).with_name("minilm") / "query_table.bin"
HIDDEN, DIMENSIONS = 128, 384
# Tokens of a question: as many as in the training.
MAX_TOKENS = 128
# Characters of a word that is split into tokens; a longer one is none, as in the tokenizer.
MAX_WORD = 100
# Words, and each punctuation mark by itself.
_WORD = re.compile(r"[^\s!-/:-@\[-`{-~]+|[!-/:-@\[-`{-~]")
_SCALE = Struct("<f")
# Weights are whole numbers of this sum, so that a sum of 384 bytes with weights fits into 31 bits and a sign.
WEIGHT = 8_000_000
# Bytes per unit of a vector's coordinates, which are below 0.3.
STEPS = 400


class Table(NamedTuple):
    """The open file, and the sorted CRC-32 of its tokens."""

    file: BinaryIO
    tokens: Sequence[int]

    def find(self, token: str) -> int | None:
        """Return the number of a token; None if there is no such token."""
        crc = crc32(token.encode("utf-8", "replace"))
        place = bisect_left(self.tokens, crc)
        return place if place < len(self.tokens) and self.tokens[place] == crc else None

    def rows(self, first: int, width: int, count: int = 1) -> Iterator[tuple[float, bytes]]:
        """Yield scale and bytes of rows from a byte of the file on."""
        self.file.seek(first)
        read = self.file.read(count * (4 + width))
        for at in range(0, len(read), 4 + width):
            yield _SCALE.unpack_from(read, at)[0], read[at + 4 : at + 4 + width]


def model_id(enrichment: str) -> str:
    """Return the id of the vectors of the shipped model with an enrichment, which questions are compared with."""
    return MODEL_ID if enrichment == "off" else f"{MODEL_ID}+{enrichment}"


def open_table(file: BinaryIO) -> Table:
    """Return the table in a file. Raises OSError if it is damaged."""
    size = file.seek(0, SEEK_END)
    file.seek(0)
    count = int.from_bytes(file.read(4), "little")
    if size != 4 + count * (8 + HIDDEN) + (HIDDEN + 1) * (4 + DIMENSIONS):
        raise OSError(f"{TABLE} is damaged")
    return Table(file, unpack(f"<{count}I", file.read(4 * count)))


def query_vector(text: str) -> list[float] | None:
    """Return the approximate unit vector of a question; None if none of its words is known. Raises OSError."""
    with TABLE.open("rb") as file:
        table = open_table(file)
        found = Counter(token for _, token in zip(range(MAX_TOKENS), tokens(text, table), strict=False))
        if not found:
            return None
        begin = 4 + 4 * len(table.tokens)
        rows = [next(table.rows(begin + token * (4 + HIDDEN), HIDDEN)) for token in found]
        weights = [scale * times for (scale, _), times in zip(rows, found.values(), strict=True)]
        hidden = weighted_sum(weights, (row for _, row in rows), HIDDEN)
        end = begin + len(table.tokens) * (4 + HIDDEN)
        matrix = list(table.rows(end, DIMENSIONS, HIDDEN + 1))
    weights = [scale * value for (scale, _), value in zip(matrix, (*hidden, 1.0), strict=True)]
    return _unit(weighted_sum(weights, (row for _, row in matrix), DIMENSIONS))


def cosines(vector: Sequence[float], blobs: Sequence[bytes]) -> list[float]:
    """Return the cosine of a vector with each stored one: little-endian float16 of the same length, to ±0.01."""
    # The upper byte of a float16 has its sign, exponent and two more bits: a cosine deviates by 0.003.
    upper = b"".join(blobs)[1::2].translate(_linear())
    columns = (upper[place :: len(vector)] for place in range(len(vector)))
    return [value / STEPS for value in weighted_sum(vector, columns, len(blobs))]


def weighted_sum(weights: Sequence[float], rows: Iterable[bytes], width: int) -> list[float]:
    """Return the sum of rows of bytes, each times its weight, place by place; a byte has 128 added.

    A row becomes one integer with 32 bits per place. Products and sums of such integers are computed without a loop in
    Python, five times as fast as number by number.
    """
    unit = WEIGHT / (sum(map(abs, weights)) or 1.0)
    whole = [round(weight * unit) for weight in weights]
    total = int.from_bytes(b"\0\0\0\x80" * width, "little")
    spaced = bytearray(4 * width)
    for weight, row in zip(whole, rows, strict=True):
        spaced[::4] = row
        total += weight * int.from_bytes(spaced, "little")
    zero = 2**31 + 128 * sum(whole)
    return [(value - zero) / unit for value in unpack(f"<{width}I", total.to_bytes(4 * width, "little"))]


def tokens(text: str, table: Table) -> Iterator[int]:
    """Yield the WordPiece tokens of a text, as the model's tokenizer makes them; unknown words are left out."""
    folded = unicodedata.normalize("NFD", text.lower())
    plain = folded if folded.isascii() else "".join(map(_apart, folded))
    return chain.from_iterable(_pieces(word, table) for word in _WORD.findall(plain))


def _apart(sign: str) -> str:
    """Return a character, nothing for an accent, and a punctuation mark with space around."""
    category = unicodedata.category(sign)
    return "" if category == "Mn" else f" {sign} " if category[0] == "P" else sign


def _pieces(word: str, table: Table) -> list[int]:
    """Return the longest tokens that a word begins and goes on with."""
    found: list[int] = []
    begin = 0
    while begin < len(word) <= MAX_WORD:
        for end in range(len(word), begin, -1):
            number = table.find(f"{'##' if begin else ''}{word[begin:end]}")
            if number is not None:
                found.append(number)
                begin = end
                break
        else:
            return []
    return found


def _unit(vector: Sequence[float]) -> list[float]:
    length = sum(value * value for value in vector) ** 0.5 or 1.0
    return [value / length for value in vector]


@cache
def _linear() -> bytes:
    """Return, by the upper byte of a float16, its value as a byte with 128 added."""
    values = (unpack("<e", bytes((128, upper)))[0] * STEPS for upper in range(256))
    # Where the exponent is full, the byte is of no number.
    return bytes(128 + round(max(-127, min(127, value))) if value == value else 128 for value in values)
