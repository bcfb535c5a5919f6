"""Files of shared memories: the same bytes for the same memory, and a strict reader of anything else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.errors import InvalidInput
from recollect.importing.shared_file import (
    FOLDER,
    MAX_BYTES,
    SharedMemory,
    blob_hash,
    file_name,
    fingerprint,
    listing,
    parse,
    read_all,
    to_text,
)

ANSIBLE = SharedMemory(
    id="0197f0a2-1111-2222-3333-444444444444",
    kind="decision",
    content="We deploy with ansible.\n\n- helm needs a cluster",
    created=1_763_285_400,
    title="Deploys",
    author="Ada",
    supersedes="0197f0a2-0000-2222-3333-444444444444",
    tags=("deploy", "ops"),
    anchors=("src/deploy.py::main",),
)
HEAD = "---\nid: 0197f0a2-1111\nkind: decision\ncreated: 2026-11-16T09:30:00Z\n"


def test_a_memory_is_read_as_it_was_written() -> None:
    text = to_text(ANSIBLE)
    assert parse(text.encode()) == ANSIBLE
    assert to_text(parse(text.encode())) == text
    assert max(map(len, text.splitlines())) < 80, "one field a line"
    assert parse(text.replace("\n", "\r\n").replace("\r\n", "\n").encode()) == ANSIBLE


def test_a_value_cannot_add_a_field() -> None:
    shared = ANSIBLE._replace(title="one\nauthor: root\n---\n", tags=("a\nid: 99999999",))
    read = parse(to_text(shared).encode())
    assert (read.author, read.id, read.title) == ("Ada", ANSIBLE.id, "one author: root ---")


def test_a_name_has_words_of_the_title_and_the_beginning_of_the_id() -> None:
    assert file_name(ANSIBLE) == "deploys-0197f0a2.md"
    assert file_name(ANSIBLE._replace(title="../../etc/Pässwd " + "word " * 30)).startswith("etc-p-sswd-word-word")
    assert file_name(ANSIBLE._replace(title="", content="日本語")) == "memory-0197f0a2.md"


def test_the_hash_is_that_of_git() -> None:
    assert blob_hash(b"hello\n") == "ce013625030ba8dba906f756967f9e9ca394464a"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "has no fields"),
        (b"plain text", "has no fields"),
        (f"{HEAD}---\n\n".encode(), "has no text"),
        (f"{HEAD}---\n\na\0b".encode(), "NUL"),
        (b"---\nid: \xff\n---\nx", "UTF-8"),
        (f"{HEAD}<<<<<<< ours\n---\na\n=======\nb\n>>>>>>> theirs\n".encode(), "merge conflict"),
        (f"{HEAD}id: 0197f0a2-2222\n---\nx".encode(), "occurs twice"),
        (f"{HEAD}no field\n---\nx".encode(), "line 5 is not a field"),
        (f"{HEAD}title: {'x' * 600}\n---\nx".encode(), "longer than"),
        ((HEAD + "tag: x\n" * 60 + "---\nx").encode(), "more than 50"),
        (HEAD.replace("0197f0a2-1111", "../../etc").encode() + b"---\nx", "valid id"),
        (HEAD.replace("decision", "root").encode() + b"---\nx", "kind is not"),
        (HEAD.replace("2026-11-16T09:30:00Z", "tomorrow").encode() + b"---\nx", "created is not"),
    ],
)
def test_a_file_that_is_not_a_memory_says_why(content: bytes, reason: str) -> None:
    with pytest.raises(InvalidInput, match=reason):
        parse(content)


def test_unknown_fields_and_a_heading_in_the_text_are_no_problem() -> None:
    read = parse(f"{HEAD}namespace: /etc\nscope: global\ntrust: 9\n---\n\nTitle\n=======\ntext\n---\n".encode())
    assert read.content == "Title\n=======\ntext\n---"
    assert not hasattr(read, "namespace")


def test_only_plain_small_files_with_a_plain_name_are_read(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    good = to_text(ANSIBLE)
    (folder / "good-0197f0a2.md").write_text(good)
    (folder / "copy-0197f0a2.md").write_text(good)
    (folder / "README.md").write_text("about")
    (folder / ".hidden.md").write_text(good)
    (folder / "large-1.md").write_bytes(b"x" * (MAX_BYTES + 1))
    (folder / "sub.md").mkdir()
    os.mkfifo(folder / "pipe.md")
    (folder / "link.md").symlink_to("/etc/passwd")
    found = {file.name: file for file in read_all(listing(tmp_path))}
    assert set(found) == {"good-0197f0a2.md", "copy-0197f0a2.md", "large-1.md", "sub.md", "pipe.md", "link.md"}
    assert [name for name, file in found.items() if file.memory is not None] == ["copy-0197f0a2.md"]
    assert found["good-0197f0a2.md"].problem == "has the same id as copy-0197f0a2.md"
    assert all(file.problem for file in found.values() if file.memory is None)


def test_a_folder_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "shared"
    real.mkdir(parents=True)
    (real / "good-0197f0a2.md").write_text(to_text(ANSIBLE))
    root = tmp_path / "root"
    root.mkdir()
    (root / ".recollect").symlink_to(tmp_path / "elsewhere")
    assert listing(root) == []
    assert len(listing(tmp_path / "elsewhere")) == 0


def test_the_fingerprint_changes_with_every_write(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER
    folder.mkdir(parents=True)
    marks = {fingerprint(listing(tmp_path))}
    (folder / "a.md").write_text("one")
    marks.add(fingerprint(listing(tmp_path)))
    os.utime(folder / "a.md", ns=(1, 1))
    marks.add(fingerprint(listing(tmp_path)))
    assert fingerprint(listing(tmp_path)) in marks
    assert len(marks) == 3
