"""A file next to the database with the vectors of one model, mapped instead of read row by row.

    magic | length of the header | checksum | header (JSON) | passage numbers | namespaces | sign bits | vectors

The checksum covers everything after it except the vectors: reading those would cost what mapping saves.

It is a cache: the rows of the database are authoritative, and the file can be deleted at any time. Each file has a
random token, which the database stores: a file of another database, of a backup or of an interrupted write has another
token and is not used. A file never changes. A new one is written under another name and renamed, so that a process
which has mapped the old one keeps it.
"""

from __future__ import annotations

import itertools
import mmap
import os
import zlib
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from recollect.files import PRIVATE_FILE, open_file
from recollect.store.vector_index import Saved, Segment
from recollect.text.digest import digest

MAGIC = b"recollect vectors 1\n"
START = len(MAGIC) + 16
# Arrays begin at multiples of this, for aligned reads.
ALIGNED = 64
# A namespace is a path, and there may be a thousand projects.
MAX_HEADER = 16 * 1024 * 1024
# Vectors are written in blocks, to avoid a second copy of all in memory.
BLOCK_ROWS = 4_096
INFIX, PART = "-vectors-", ".part"


class Header(msgspec.Struct, frozen=True):
    """The header of a file.

    seen: the state of the database (row_queries.generation) that it was made from
    """

    token: str
    model: str
    seen: tuple[int, int, int]
    scopes: list[str | None]
    rows: int
    width: int


class _Layout(NamedTuple):
    """Start offsets of the arrays of a file, and its end."""

    pids: int
    scopes: int
    signs: int
    vectors: int
    end: int


def path_of(database: Path, model: str) -> Path:
    """Return the vector file of a model for a database."""
    return Path(f"{os.path.realpath(database)}{INFIX}{digest(model, 16)}")


def read(path: Path, model: str, token: str) -> Saved | None:
    """Map the file with this token; None if it is missing, damaged or has another token."""
    try:
        with open_file(path, follows=False) as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        length, checksum = (int.from_bytes(mapped[place : place + 8], "little") for place in (START - 16, START - 8))
        if mapped[: len(MAGIC)] != MAGIC or length > MAX_HEADER:
            return None
        header = msgspec.json.decode(mapped[START : START + length], type=Header)
    except (OSError, ValueError, msgspec.MsgspecError):
        return None
    layout = _layout(START + length, header.rows, header.width)
    if (header.token, header.model, layout.end) != (token, model, len(mapped)):
        return None
    if zlib.crc32(memoryview(mapped)[START : layout.vectors]) != checksum:
        return None
    return Saved(header.seen, header.scopes, _segment(mapped, layout, header.rows, header.width))


def write(path: Path, model: str, token: str, saved: Saved) -> Path:
    """Write vectors under a temporary name and return it; the caller renames it to `path`. Raises OSError."""
    rows = saved.segment
    _remove(path.parent, path.name + PART)  # of killed processes; one that still writes tries again later
    arrays = [np.ascontiguousarray(part) for part in (rows.pids, rows.scopes, rows.signs)]
    count, width = rows.vectors.shape
    body = bytearray(_layout(0, count, width).vectors)
    for place, array in zip(_layout(0, count, width)[:3], arrays, strict=True):
        body[place : place + array.nbytes] = array.tobytes()
    header = msgspec.json.encode(Header(token, model, saved.seen, saved.scopes, count, width))
    header += b" " * (-(START + len(header)) % ALIGNED)
    checksum = zlib.crc32(body, zlib.crc32(header))
    part = path.with_name(f"{path.name}{PART}-{os.getpid()}-{os.urandom(4).hex()}")
    descriptor = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), PRIVATE_FILE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC + len(header).to_bytes(8, "little") + checksum.to_bytes(8, "little") + header)
            file.write(body)
            for start in range(0, count, BLOCK_ROWS):
                file.write(rows.vectors[start : start + BLOCK_ROWS].astype("<f2", copy=False).tobytes())
            file.flush()
            os.fsync(file.fileno())  # a power cut must not leave the name without the content
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return part


def remove_all(database: Path) -> None:
    """Delete the vector files of all models of a database, unfinished ones too. Raises OSError."""
    target = Path(os.path.realpath(database))
    _remove(target.parent, target.name + INFIX)


def _remove(folder: Path, prefix: str) -> None:
    for name in os.listdir(folder):  # noqa: PTH208 - no pattern: a database may have any name
        if name.startswith(prefix):
            with suppress(FileNotFoundError):
                (folder / name).unlink()


def _layout(start: int, rows: int, width: int) -> _Layout:
    places = list(itertools.accumulate((_aligned(8 * rows), _aligned(4 * rows), _aligned(8 * rows * -(-width // 64)))))
    pids, scopes, signs, vectors = (start + place for place in (0, *places))
    return _Layout(pids, scopes, signs, vectors, vectors + 2 * rows * width)


def _aligned(size: int) -> int:
    return size + -size % ALIGNED


def _segment(mapped: mmap.mmap, layout: _Layout, rows: int, width: int) -> Segment:
    pids, scopes, signs, vectors = (
        np.frombuffer(mapped, kind, count, place)
        for kind, count, place in zip(
            ("<i8", "<i4", "<u8", "<f2"), (rows, rows, rows * -(-width // 64), rows * width), layout[:4], strict=True
        )
    )
    return Segment(pids, scopes, vectors.reshape(rows, width), signs.reshape(-1, rows), np.ones(rows, np.bool_))
