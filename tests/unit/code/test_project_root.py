"""Which tree a path means, and what is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from recollect.code.index.project_root import Place, place
from recollect.errors import InvalidInput, NotFound


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A git work tree with a folder in it."""
    folder = tmp_path / "app"
    (folder / "src" / "deep").mkdir(parents=True)
    (folder / ".git").mkdir()
    return Path(os.path.realpath(folder))


def test_a_work_tree_is_its_own_place(tree: Path) -> None:
    assert place(tree) == Place(tree, "", True)


def test_a_folder_in_a_work_tree_is_a_part_of_it(tree: Path) -> None:
    assert place(tree / "src" / "deep") == Place(tree, "src/deep/", True)


def test_a_folder_without_git_is_a_tree_itself(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    assert place(str(folder)) == Place(Path(os.path.realpath(folder)), "", False)


def test_a_relative_path_and_a_link_mean_the_folder_itself(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "link").symlink_to(tree)
    monkeypatch.chdir(tree)
    assert place(".") == place(tmp_path / "link") == place(tree)


def test_nothing_at_a_path_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="does not exist") as raised:
        place(tmp_path / "nowhere")
    assert raised.value.hint


def test_a_file_is_no_tree(tmp_path: Path) -> None:
    (tmp_path / "a.py").touch()
    with pytest.raises(InvalidInput, match="is not a folder") as raised:
        place(tmp_path / "a.py")
    assert "Give its folder" in raised.value.hint


@pytest.mark.parametrize("path", ["", "a\0b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(InvalidInput):
        place(path)


def test_a_folder_that_cannot_be_read_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "closed"
    folder.mkdir()

    def refuse(path: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "scandir", refuse)
    with pytest.raises(InvalidInput, match="cannot be read: Permission denied"):
        place(folder)


def test_a_name_too_long_for_the_system_is_an_error_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        place(tmp_path / ("x" * 5000))


def test_a_disk_is_refused_unless_it_is_meant() -> None:
    with pytest.raises(InvalidInput, match="a whole disk, a home directory") as raised:
        place("/")
    assert "force" in raised.value.hint
    assert place("/", force=True).root == Path("/")


def test_a_home_directory_is_refused_and_so_is_what_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "people" / "me" / "app").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "people" / "me"))
    for folder in (tmp_path / "people", tmp_path / "people" / "me"):
        with pytest.raises(InvalidInput, match="home directory"):
            place(folder)
    assert place(tmp_path / "people" / "me" / "app").below == ""


def test_a_home_under_version_control_is_never_the_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(os.path.realpath(tmp_path / "me"))
    (home / "notes").mkdir(parents=True)
    (home / ".git").mkdir()
    monkeypatch.setenv("HOME", str(home))
    assert place(home / "notes") == Place(home / "notes", "", False)
    with pytest.raises(InvalidInput):
        place(home)


def test_a_mounted_disk_is_refused_but_not_a_mounted_work_tree(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "is_mount", lambda self: self in (tree, tree / "src"))
    assert place(tree).root == tree
    with pytest.raises(InvalidInput, match="whole disk"):
        place(tree / "src")
