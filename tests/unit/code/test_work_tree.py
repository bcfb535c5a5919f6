"""A work tree is compared with a commit without git reading a file."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tests.trees import git, write

from recollect.code.diff.git_diff import range_diff, working_diff
from recollect.code.diff.unified_diff import FileDiff, parse

BODY = "".join(f"line {number}\n" for number in range(30))


@pytest.fixture(params=["sha1", "sha256"])
def project(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    root = tmp_path / "project"
    write(root, {"a.py": BODY, "lib/b.py": "B = 1\n", "c.sh": "echo\n"})
    git(root, "init", "-q", f"--object-format={request.param}")
    git(root, "add", ".")
    git(root, "commit", "-qm", "one")
    return root


def found(root: Path) -> dict[str, FileDiff]:
    return {file.path: file for file in parse(working_diff(root)[0]).files}


def test_what_git_says_of_the_same_changes_is_the_same(project: Path) -> None:
    write(project, {"a.py": BODY.replace("line 7", "line seven"), "d.py": "D = 1\n", "e.py": ""})
    git(project, "add", "-N", "d.py", "e.py")
    git(project, "mv", "c.sh", "moved.sh")
    (project / "moved.sh").chmod(0o755)
    (project / "lib/b.py").unlink()
    words = ["git", "diff", "--no-color", "--full-index", "-M", "HEAD"]
    expected = subprocess.run(words, cwd=project, check=True, capture_output=True, text=True).stdout
    assert working_diff(project)[0] == expected
    assert set(found(project)) == {"a.py", "d.py", "e.py", "moved.sh", "lib/b.py"}


def test_a_change_within_the_resolution_of_times_is_seen(project: Path) -> None:
    before = (project / "lib/b.py").stat()
    write(project, {"lib/b.py": "B = 2\n"})
    os.utime(project / "lib/b.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert set(found(project)) == {"lib/b.py"}


def test_line_ends_of_another_system_are_no_change(project: Path) -> None:
    write(project, {"a.py": BODY.replace("\n", "\r\n"), "lib/b.py": "B = 1\r\nC = 2\r\n"})
    (file,) = found(project).values()
    assert file.path == "lib/b.py"
    assert file.hunks[0].lines == (" B = 1", "+C = 2")


def test_files_of_git_lfs_are_taken_as_unchanged_and_counted(project: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n"
    write(project, {"model.bin": pointer})
    git(project, "add", ".")
    git(project, "commit", "-qm", "two")
    write(project, {"model.bin": b"\0\1\2\3"})
    text, notes = working_diff(project)
    assert (text, notes) == ("", ("1 Git LFS file assumed unchanged",))


def test_pipes_and_links_in_the_place_of_files_are_not_followed(project: Path, tmp_path: Path) -> None:
    write(tmp_path, {"outside/b.py": "SECRET = 1\n"})
    (project / "a.py").unlink()
    os.mkfifo(project / "a.py")
    (project / "c.sh").unlink()
    (project / "c.sh").symlink_to(tmp_path / "outside/b.py")
    (project / "lib/b.py").unlink()
    (project / "lib").rmdir()
    (project / "lib").symlink_to(tmp_path / "outside")
    text, _ = working_diff(project)
    assert "SECRET" not in text
    assert {file.path: file.status for file in parse(text).files if file.path != "c.sh"} == {
        "a.py": "deleted",
        "lib/b.py": "deleted",
    }


def test_conflicts_are_named_and_a_large_file_is_not_read(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(project, "checkout", "-qb", "other")
    write(project, {"a.py": BODY + "other\n"})
    git(project, "commit", "-qam", "other")
    git(project, "checkout", "-q", "-")
    write(project, {"a.py": BODY + "here\n", "lib/b.py": "B = 3\n"})
    git(project, "commit", "-qam", "here")
    with pytest.raises(subprocess.CalledProcessError):
        git(project, "merge", "-q", "other")
    write(project, {"lib/b.py": "B" * 100})
    monkeypatch.setattr("recollect.code.diff.work_tree.MAX_BYTES", 50)
    text, notes = working_diff(project)
    assert "* Unmerged path a.py" in text
    assert notes == ("1 large file not compared, for example lib/b.py",)


def test_a_repository_does_not_see_what_it_was_asked(project: Path) -> None:
    write(project, {"a.py": BODY + "more\n"})
    before = {file: file.read_bytes() for file in (project / ".git").rglob("*") if file.is_file()}
    working_diff(project)
    range_diff(project, "HEAD..HEAD")
    assert {file: file.read_bytes() for file in (project / ".git").rglob("*") if file.is_file()} == before
