"""One file becomes rows, whatever it holds; none stops the others."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest

from recollect.code.index.file_reader import Task, indexed, path_terms, read
from recollect.code.index.symbols import Symbol
from recollect.store.code_rows import (
    ChunkSpan,
    IndexedFile,
    SymbolRow,
    Touched,
)

SOURCE = b'''"""A server."""
import os


class HttpServer:
    """Serves."""

    def start(self, port):
        """Accept connections."""
        return os.fork()


def main():
    server = HttpServer()
    server.start(80)
    return server
'''


def unpack(file: IndexedFile) -> tuple[list[SymbolRow], list[ChunkSpan]]:
    return (
        msgspec.msgpack.decode(file.symbols, type=list[SymbolRow]),
        msgspec.msgpack.decode(file.chunks, type=list[ChunkSpan]),
    )


def test_a_source_becomes_symbols_pieces_and_terms() -> None:
    file = indexed("app/net/http_server.py", SOURCE)
    symbols, spans = unpack(file)
    assert [symbol.qualified for symbol in symbols] == ["HttpServer", "HttpServer.start", "main"]
    assert (file.language, file.mark, file.skipped, file.symbol_count) == ("python", "", "", 3)
    assert len(spans) == len(file.texts)
    assert file.names.split() == ["httpserver", "start", "main"]
    assert file.humps.split() == ["hs"]
    assert file.path_terms.split() == ["http", "server", "http_server"] * 2 + ["app", "net"]


def test_the_terms_of_a_piece_are_by_field() -> None:
    file = indexed("a.py", SOURCE)
    _, spans = unpack(file)
    main = next(place for place, span in enumerate(spans) if span.end_line == 16)
    names, around, body = file.texts[main]
    assert names.split() == ["main"]
    assert around == ""
    assert body.split() == [
        "main", "server", "http", "server", "httpserver", "server", "start", "80", "server",
    ]  # fmt: skip


def test_a_part_of_a_long_method_is_found_by_its_class_and_name() -> None:
    long = "class Parser:\n    def parse(self):\n" + "        step()\n" * 150
    file = indexed("a.py", long.encode())
    assert [around for _, around, _ in file.texts][-1].split() == ["parser", "pars"]


def test_what_is_kept_has_the_fields_of_what_is_extracted() -> None:
    assert SymbolRow._fields == Symbol._fields


def test_the_hash_of_a_piece_is_of_its_content_alone() -> None:
    _, here = unpack(indexed("a.py", SOURCE))
    _, moved = unpack(indexed("b/c.py", b"\n\n\n" + SOURCE))
    assert [span.hash for span in here] == [span.hash for span in moved]


@pytest.mark.parametrize(
    ("path", "source", "reason"),
    [
        ("a.py", b"x = 1\0", "binary"),
        ("a.bin", b"\x7fELF\0\0\0", "binary"),
        ("unknown.xyz", b"text", "unknown language"),
        ("a.js", b"var a=1;" * 1000, "minified"),
    ],
)
def test_what_cannot_be_indexed_is_skipped_with_a_reason(path: str, source: bytes, reason: str) -> None:
    file = indexed(path, source)
    assert (file.skipped, file.texts, file.size_bytes) == (reason, (), len(source))


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"def f(:\n  ]]] not python at all \xff\xfe {{{",
        b"x = '" + b"a" * 500_000 + b"'\n",
        b"caf\xe9 = 1\n" * 10,
        "\ufeffdef f():\n    return 'é'\n".encode(),
        "def f():\n    return 'é'\n".encode("utf-16"),
        b"(" * 20_000,
        b"x = 1\r\ny = 2\r\n",
    ],
    ids=["empty", "syntax errors", "gigantic line", "latin-1", "bom", "utf-16", "deeply nested", "crlf"],
)
def test_odd_content_is_indexed_as_far_as_it_goes(source: bytes) -> None:
    file = indexed("a.py", source)
    assert file.skipped == ""
    unpack(file)
    for texts in file.texts:
        for text in texts:
            text.encode()


def test_utf_16_is_read_as_text() -> None:
    file = indexed("a.py", "def parse_header():\n    return 1\n".encode("utf-16"))
    assert "parse_header" in file.texts[0][2]


def test_a_parser_that_fails_leaves_a_note_and_the_text() -> None:
    def fail(*_: object) -> Any:
        raise RecursionError("too deep")

    file = indexed("a.py", SOURCE, outliner=fail)
    assert file.notes == ("could not be parsed (RecursionError: too deep)",)
    assert file.symbol_count == 0
    assert "httpserver" in file.texts[0][2]


# --- from disk ---


def test_a_file_is_read_with_its_hash_and_time(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    os.utime(tmp_path / "a.py", ns=(1, 1_500_000_000_123_456_789))
    file = read(str(tmp_path), Task("a.py"), 10_000)
    assert isinstance(file, IndexedFile)
    assert (file.hash, file.mtime_ns) == (hashlib.sha256(SOURCE).hexdigest(), 1_500_000_000_123_456_789)


def test_a_file_with_the_known_hash_is_only_touched(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    os.utime(tmp_path / "a.py", ns=(1, 1_500_000_000_000_000_001))
    task = Task("a.py", len(SOURCE), hashlib.sha256(SOURCE).hexdigest())
    assert read(str(tmp_path), task, 10_000) == Touched("a.py", 1_500_000_000_000_000_001, len(SOURCE))


@pytest.mark.parametrize(("age_ns", "is_trusted"), [(0, False), (10_000_000_000, True)])
def test_the_time_of_a_file_written_just_now_is_not_trusted(tmp_path: Path, age_ns: int, is_trusted: bool) -> None:
    (tmp_path / "a.py").write_bytes(SOURCE)
    written = time.time_ns() - age_ns
    os.utime(tmp_path / "a.py", ns=(written, written))
    assert (read(str(tmp_path), Task("a.py"), 10_000).mtime_ns != -1) == is_trusted


def test_a_file_that_became_something_else_is_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    (tmp_path / "link.py").symlink_to("/etc/passwd")
    (tmp_path / "folder.py").mkdir()
    (tmp_path / "large.py").write_bytes(b"x" * 101)
    found = {name: read(str(tmp_path), Task(f"{name}.py"), 100) for name in ("pipe", "link", "folder", "large", "gone")}
    assert {name: file.skipped for name, file in found.items() if isinstance(file, IndexedFile)} == {
        "pipe": "special file",
        "link": "unreadable",
        "folder": "special file",
        "large": "too large",
        "gone": "unreadable",
    }


def test_a_file_without_a_size_is_read_to_its_end() -> None:
    file = read("/proc/self", Task("status"), 1_000_000)
    assert isinstance(file, IndexedFile) and file.size_bytes > 100


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("main.py", "main main"),
        ("a/b/c/d/main.py", "main main b c d"),
        ("src/.hidden", "hidden hidden src"),
        ("Makefile", "makefil makefil"),
    ],
)
def test_a_path_is_found_by_its_stem_and_last_folders(path: str, expected: str) -> None:
    assert path_terms(path).split() == [term for term in expected.split() if len(term) > 1]


def test_nothing_that_is_kept_of_a_file_holds_its_secrets() -> None:
    token, password = "ghp_" + "aB3d" * 9, "hunter2x"
    source = f'''"""Deploys; the password is {password}."""
API_KEY = "{token}"


def connect(host: str, password: str = "{password}") -> None:
    """Open postgres://app:{password}@db/app."""
'''
    file = indexed("src/deploy.py", source.encode())
    kept = msgspec.msgpack.encode(file)
    assert file.symbol_count == 2
    assert password.encode() not in kept
    assert token.lower().encode() not in kept.lower()
    assert b"API_KEY" in kept
