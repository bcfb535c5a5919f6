"""Read one file into an index entry: all the work that needs no database.

    bytes ──detect──► language ──outline──► symbols ──► chunks ──► search terms ──► packed

Every file becomes an `IndexedFile` (with a reason if it was skipped, with notes about unreadable parts) or a `Touched`;
no file stops the others.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import msgspec

from recollect.code.index.chunks import Chunk, chunks
from recollect.code.index.exclusions import is_minified, mark
from recollect.code.index.extract import outline
from recollect.code.index.file_walk import real
from recollect.code.index.languages import Language, detect
from recollect.code.index.symbols import Outline, Symbol, is_declared
from recollect.code.manifests.families import family, pack
from recollect.code.manifests.families import read as read_manifest
from recollect.files import READ_UNLINKED
from recollect.store.code_rows import IndexedFile, Touched
from recollect.text.identifiers import joined_terms, name_terms, named, words
from recollect.text.redaction.redact import masked

# Bytes for detection. A NUL there means a binary file: most have one in their first kilobyte.
HEAD_BYTES = 8192
# Last folders of a path whose names are search terms of all chunks of the file.
PATH_FOLDERS = 3
# A file written this recently may be written again without a new time. Some file systems have whole seconds (FAT: two).
RACY_NS = 20_000_000
RACY_WHOLE_SECONDS_NS = 2_000_000_000
# Bytes of a chunk's hash: 128 bits do not collide by chance.
HASH_BYTES = 16
# Notes kept of one file.
MAX_NOTES = 5

_encode = msgspec.msgpack.Encoder().encode

# Returns the outline of a masked source, given its path and language.
Outliner = Callable[[bytes, str, Language], Outline]


class Task(NamedTuple):
    """A file to read: its path from the root, and its known hash ("" for a new file).

    symbols: packed, for a reader that would otherwise extract them again
    """

    path: str
    size_bytes: int = 0
    hash: str = ""
    symbols: bytes = b""


def read(root: str, task: Task, max_bytes: int, outliner: Outliner = outline) -> IndexedFile | Touched:
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
    file = indexed(task.path, source, digest=digest, mtime_ns=mtime_ns, outliner=outliner)
    return with_manifest(file, source) if family(task.path) else file


def indexed(
    path: str, source: bytes, *, digest: str = "", mtime_ns: int = -1, outliner: Outliner = outline
) -> IndexedFile:
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
    outlined = _outlined(path, source, language, outliner)
    pieces = chunks(source, outlined.symbols)
    # A module that is another file (`mod server;` of Rust) is looked up by its name, and searched in that file.
    names = [
        ("", *_named(symbol.name)[1:]) if is_declared(source, symbol) else _named(symbol.name)
        for symbol in outlined.symbols
    ]
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
    """Return a file with its manifest, whether its language is known or not."""
    source = masked(as_utf8(source))
    found = None if file.skipped == "binary" else read_manifest(file.path, source)
    if found is None:
        return file
    notes = (*file.notes, *found.notes)[:MAX_NOTES]
    return file._replace(manifest=pack(found), mark=file.mark or mark(file.path, source), notes=notes)


def path_terms(path: str) -> str:
    """Return the search terms of a path: its stem twice, and its last folders."""
    *folders, name = path.split("/")
    stem = _terms(name[: name.rfind(".")] if name.rfind(".") > 0 else name)
    return " ".join((stem, stem, *map(_terms, folders[-PATH_FOLDERS:])))


def content_of(path: str, max_bytes: int) -> tuple[bytes | None, int]:
    """Return a file's bytes, at most one more than allowed, and its time; None for no regular file.

    A listed file may have become a pipe, which would block, or a link, which leads away.
    """
    handle = os.open(path, READ_UNLINKED)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return None, status.st_mtime_ns
        # A file may grow, and some report no size.
        content = os.read(handle, min(status.st_size, max_bytes) + 1)
        if len(content) != status.st_size:
            while len(content) <= max_bytes and (more := os.read(handle, max_bytes + 1 - len(content))):
                content += more
    finally:
        os.close(handle)
    return content, _trusted(status.st_mtime_ns)


def time_of(path: str) -> int:
    """Return a file's time, or -1 if it cannot be trusted."""
    try:
        return _trusted(os.lstat(path).st_mtime_ns)
    except OSError:
        return -1


def _trusted(mtime_ns: int) -> int:
    """Return a time, or -1 if it is so recent that another write might not change it."""
    window = RACY_NS if mtime_ns % 1_000_000_000 else RACY_WHOLE_SECONDS_NS
    return mtime_ns if time.time_ns() - mtime_ns > window else -1


def as_utf8(source: bytes) -> bytes:
    """Return UTF-16 as UTF-8, other text unchanged."""
    if source.startswith((b"\xff\xfe", b"\xfe\xff")):
        return source.decode("utf-16", "replace").encode()
    return source


def _outlined(path: str, source: bytes, language: Language, outliner: Outliner) -> Outline:
    """Return the outline; a file that cannot be parsed is still searched as text."""
    try:
        return outliner(source, path, language)
    except Exception as problem:
        return Outline([], [f"could not be parsed ({type(problem).__name__}: {problem})"])


def _span(piece: Chunk, source: bytes) -> tuple[int, int, tuple[int, ...], int, bytes]:
    start_line, end_line, start, end, symbols, around = piece
    return start_line, end_line, symbols, around, hashlib.sha256(source[start:end]).digest()[:HASH_BYTES]


def _text(
    piece: Chunk, symbols: list[Symbol], names: list[tuple[str, str, str]], blanked: bytes
) -> tuple[str, str, str]:
    """Return the search terms of the names a chunk defines, of those around it, and of its text."""
    defined = " ".join([names[place][0] for place in piece.symbols])
    around = _terms(symbols[piece.around].qualified) if piece.around >= 0 else ""
    return defined, around, joined_terms(blanked[piece.start_byte : piece.end_byte])


# Names of methods and tests repeat, and folders and qualified names repeat for every chunk.
_named = lru_cache(maxsize=65_536)(named)
_terms = lru_cache(maxsize=65_536)(name_terms)
