"""One file, from its bytes to rows that can be kept: all the work that needs no database.

    bytes ──detect──► language ──outline──► symbols ──chunks──► pieces ──► search terms ──► packed

Whatever a file holds, it ends as an `IndexedFile` (with a reason if it was skipped, with notes if something in it could
not be read) or as a `Touched`; no file stops the others.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from functools import lru_cache
from typing import NamedTuple

import msgspec

from recollect.code.chunks import Chunk, chunks
from recollect.code.extract import outline
from recollect.code.languages import Language, detect
from recollect.code.manifests.families import family, pack
from recollect.code.manifests.families import read as read_manifest
from recollect.code.marks import is_minified, mark
from recollect.code.symbols import Outline, Symbol
from recollect.code.walk import real
from recollect.files import READ_UNLINKED
from recollect.store.code_protocol import IndexedFile, Touched
from recollect.text.identifiers import joined_terms, name_terms, named, words
from recollect.text.redaction.redact import masked

# What detection looks at, and where a NUL tells a binary file: most have one in their first kilobyte, all in eight.
HEAD_BYTES = 8192
# Folders of a path, the last ones, whose names are search terms of all pieces of the file.
PATH_FOLDERS = 3
# A file that was written this short a time before it was read may be written again without its time changing. Where
# times are whole seconds (some network drives, FAT with two) that is long.
RACY_NS = 20_000_000
RACY_WHOLE_SECONDS_NS = 2_000_000_000
# Bytes of a chunk's hash: 128 bits never meet by chance.
HASH_BYTES = 16
# Notes kept of one file.
MAX_NOTES = 5

_encode = msgspec.msgpack.Encoder().encode


class Task(NamedTuple):
    """A file to read: its path from the root, and the hash it is known by ("" if it is new).

    symbols: as they are kept, for a reader that would otherwise have to find them again
    """

    path: str
    size_bytes: int = 0
    hash: str = ""
    symbols: bytes = b""


def read(root: str, task: Task, max_bytes: int) -> IndexedFile | Touched:
    """Return the index entry of a file."""
    try:
        source, mtime_ns = content_of(f"{root}/{real(task.path)}", max_bytes)
    except OSError as problem:
        return IndexedFile(task.path, "", -1, 0, skipped="unreadable", notes=(problem.strerror or str(problem),))
    if source is None:
        return IndexedFile(task.path, "", mtime_ns, 0, skipped="special file")
    size = len(source)
    if size > max_bytes:
        return IndexedFile(task.path, "", mtime_ns, size, skipped="too large")
    digest = hashlib.sha256(source).hexdigest()
    if digest == task.hash:
        return Touched(task.path, mtime_ns, size)
    file = indexed(task.path, source, digest=digest, mtime_ns=mtime_ns)
    return with_manifest(file, source) if family(task.path) else file


def indexed(path: str, source: bytes, *, digest: str = "", mtime_ns: int = -1) -> IndexedFile:
    """Return a file as the index keeps it, given its path from the root and its content."""
    size = len(source)
    source = as_utf8(source)
    head = source[:HEAD_BYTES]
    if b"\0" in head:
        return IndexedFile(path, digest, mtime_ns, size, skipped="binary")
    language = detect(path, head)
    if language is None:
        return IndexedFile(path, digest, mtime_ns, size, skipped="unknown language")
    if is_minified(source, language.name):
        return IndexedFile(path, digest, mtime_ns, size, language.name, skipped="minified")
    source = masked(source)
    outlined = _outlined(path, source, language)
    pieces = chunks(source, outlined.symbols)
    names = [_named(symbol.name) for symbol in outlined.symbols]
    blanked = words(source)
    return IndexedFile(
        path,
        digest,
        mtime_ns,
        size,
        language.name,
        mark(path, source),
        "",
        tuple(outlined.notes[:MAX_NOTES]),
        len(outlined.symbols),
        _encode(outlined.symbols),
        _encode([_span(piece, source) for piece in pieces]),
        " ".join(dict.fromkeys([name for _, name, _ in names])),
        " ".join(dict.fromkeys([initials for _, _, initials in names])),
        path_terms(path),
        tuple([_text(piece, outlined.symbols, names, blanked) for piece in pieces]),
    )


def with_manifest(file: IndexedFile, source: bytes) -> IndexedFile:
    """Return a file with what it says as a manifest; one in a language we do not know says it all the same."""
    source = masked(as_utf8(source))
    found = None if file.skipped == "binary" else read_manifest(file.path, source)
    if found is None:
        return file
    notes = (*file.notes, *found.notes)[:MAX_NOTES]
    return file._replace(manifest=pack(found), mark=file.mark or mark(file.path, source), notes=notes)


def path_terms(path: str) -> str:
    """Return the search terms of a path: its stem, which counts twice, and its last folders."""
    *folders, name = path.split("/")
    stem = _terms(name[: name.rfind(".")] if name.rfind(".") > 0 else name)
    return " ".join((stem, stem, *map(_terms, folders[-PATH_FOLDERS:])))


def content_of(path: str, max_bytes: int) -> tuple[bytes | None, int]:
    """Return a file's bytes, one more than allowed at most, and its time; None for what is no plain file.

    What was a file when it was listed may have become a pipe, which would block, or a link, which leads away.
    """
    handle = os.open(path, READ_UNLINKED)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None, status.st_mtime_ns
        # A file may be longer than it said, or grow; and one may say nothing at all.
        content = os.read(handle, min(status.st_size, max_bytes) + 1)
        if len(content) != status.st_size:
            while len(content) <= max_bytes and (more := os.read(handle, max_bytes + 1 - len(content))):
                content += more
    finally:
        os.close(handle)
    return content, _trusted(status.st_mtime_ns)


def time_of(path: str) -> int:
    """Return a file's time, or -1 if there is no telling whether it will be written again without that changing."""
    try:
        return _trusted(os.lstat(path).st_mtime_ns)
    except OSError:
        return -1


def _trusted(mtime_ns: int) -> int:
    """Return a file's time, or -1 if it was written so recently that a further write might not show in it."""
    window = RACY_NS if mtime_ns % 1_000_000_000 else RACY_WHOLE_SECONDS_NS
    return mtime_ns if time.time_ns() - mtime_ns > window else -1


def as_utf8(source: bytes) -> bytes:
    """Return a text of Unicode in two bytes as UTF-8, any other as it is."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace").encode()
    return source


def _outlined(path: str, source: bytes, language: Language) -> Outline:
    """Return what the file says about itself; if reading it fails it is still searched as text."""
    try:
        return outline(source, path, language)
    except Exception as problem:
        return Outline([], [f"could not be parsed ({type(problem).__name__}: {problem})"])


def _span(piece: Chunk, source: bytes) -> tuple[int, int, tuple[int, ...], int, bytes]:
    start_line, end_line, start, end, symbols, around = piece
    return start_line, end_line, symbols, around, hashlib.sha256(source[start:end]).digest()[:HASH_BYTES]


def _text(
    piece: Chunk, symbols: list[Symbol], names: list[tuple[str, str, str]], blanked: bytes
) -> tuple[str, str, str]:
    """Return the search terms of the names a piece defines, of those around it, and of its text."""
    defined = " ".join([names[place][0] for place in piece.symbols])
    around = _terms(symbols[piece.around].qualified) if piece.around >= 0 else ""
    return defined, around, joined_terms(blanked[piece.start_byte : piece.end_byte])


# Names repeat: of methods, of tests.
_named = lru_cache(maxsize=65_536)(named)
# Of folders and of what symbols are called in full: both repeat for every piece.
_terms = lru_cache(maxsize=65_536)(name_terms)
