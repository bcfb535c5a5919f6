"""Which project a path belongs to: repositories, work trees, submodules, plain folders and names."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from recollect import Engine
from recollect.engine.records.identity import namespace_of, project_root
from recollect.errors import InvalidWorkspace


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository as git lays it out, with a nested folder."""
    root = Path(os.path.realpath(tmp_path)) / "app"
    (root / ".git").mkdir(parents=True)
    (root / "src" / "deep").mkdir(parents=True)
    return root


def work_tree(repository: Path, name: str, *, absolute: bool = True) -> Path:
    """Make a work tree of the repository beside it, by hand."""
    private = repository / ".git" / "worktrees" / name
    private.mkdir(parents=True)
    (private / "commondir").write_text("../..\n", encoding="utf-8")
    folder = repository.parent / name
    folder.mkdir()
    pointer = private if absolute else Path(os.path.relpath(private, folder))
    (folder / ".git").write_text(f"gitdir: {pointer}\n", encoding="utf-8")
    back = folder if absolute else Path(os.path.relpath(folder, private))
    (private / "gitdir").write_text(f"{back}/.git\n", encoding="utf-8")
    return folder


# --- paths ---


def test_a_path_in_a_repository_means_the_repository(repository: Path) -> None:
    for path in (repository, repository / "src", repository / "src" / "deep", repository / "not" / "there" / "yet"):
        assert project_root(path) == str(repository)


def test_a_path_outside_any_repository_means_itself(tmp_path: Path) -> None:
    plain = Path(os.path.realpath(tmp_path)) / "plain"
    plain.mkdir()
    assert project_root(plain) == str(plain)
    assert project_root(plain / "sub" / ".." / "sub") == str(plain / "sub")


@pytest.mark.promise("B10")
@pytest.mark.parametrize("absolute", [True, False])
def test_work_trees_share_the_namespace_of_their_repository(repository: Path, absolute: bool) -> None:
    folder = work_tree(repository, "feature", absolute=absolute)
    (folder / "src").mkdir()
    assert project_root(folder) == str(repository)
    assert project_root(folder / "src") == str(repository)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_memories_stored_in_a_work_tree_made_by_git_are_found_in_the_others(tmp_path: Path, home: Path) -> None:
    main, feature = tmp_path / "main", tmp_path / "feature"
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    for words in (
        ["init", "-q", str(main)],
        ["-C", str(main), *author, "commit", "-q", "--allow-empty", "-m", "first"],
        ["-C", str(main), "worktree", "add", "-q", str(feature)],
    ):
        subprocess.run(["git", *words], check=True, env=environment, capture_output=True)
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.memories.store("The parser is hand-written", namespace=str(feature))
        engine.memories.store("Something else entirely", namespace=str(tmp_path / "elsewhere"))
        found = engine.recall.search("parser", namespace=str(main))
        assert [hit.memory.content for hit in found.hits] == ["The parser is hand-written"]
        assert engine.namespaces.stats(str(main)).memories == 1


def test_a_submodule_is_a_project_of_its_own(repository: Path) -> None:
    module = repository / "vendored"
    (module / "src").mkdir(parents=True)
    (repository / ".git" / "modules" / "vendored").mkdir(parents=True)
    (module / ".git").write_text("gitdir: ../.git/modules/vendored\n", encoding="utf-8")
    assert project_root(module / "src") == str(module)
    assert project_root(repository / "src") == str(repository)


def test_a_repository_inside_another_is_a_project_of_its_own(repository: Path) -> None:
    inner = repository / "third_party" / "lib"
    (inner / ".git").mkdir(parents=True)
    assert project_root(inner / "src") == str(inner)


def test_work_trees_of_a_bare_repository_share_its_folder(tmp_path: Path) -> None:
    bare = Path(os.path.realpath(tmp_path)) / "app.git"
    for name in ("one", "two"):
        private = bare / "worktrees" / name
        private.mkdir(parents=True)
        (private / "commondir").write_text("../..", encoding="utf-8")
        (tmp_path / name).mkdir()
        (tmp_path / name / ".git").write_text(f"gitdir: {private}", encoding="utf-8")
        (private / "gitdir").write_text(f"{tmp_path / name}/.git", encoding="utf-8")
    assert project_root(tmp_path / "one") == project_root(tmp_path / "two") == str(bare)


def _points_at_a_work_tree(folder: Path, repository: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {repository}/.git/worktrees/feature\n", encoding="utf-8")


def _links_to_a_work_trees_file(folder: Path, repository: Path) -> None:
    (folder / ".git").symlink_to(repository.parent / "feature" / ".git")


def _points_at_the_repository(folder: Path, repository: Path) -> None:
    (folder / ".git").write_text(f"gitdir: {repository}/.git\n", encoding="utf-8")


def _links_to_the_repository(folder: Path, repository: Path) -> None:
    (folder / ".git").symlink_to(repository / ".git", target_is_directory=True)


def _has_a_work_tree_of_its_own_making(folder: Path, repository: Path) -> None:
    private = folder / "made" / "worktrees" / "x"
    private.mkdir(parents=True)
    (private / "commondir").write_text(f"{repository}/.git\n", encoding="utf-8")
    (private / "gitdir").write_text("../../../.git\n", encoding="utf-8")
    (folder / ".git").write_text("gitdir: made/worktrees/x\n", encoding="utf-8")


def _links_into_the_repository(folder: Path, repository: Path) -> None:
    (folder / "worktrees").symlink_to(repository / ".git" / "worktrees", target_is_directory=True)
    (folder / ".git").write_text("gitdir: worktrees/feature\n", encoding="utf-8")


@pytest.mark.parametrize(
    "claim",
    [
        _points_at_a_work_tree,
        _links_to_a_work_trees_file,
        _points_at_the_repository,
        _links_to_the_repository,
        _has_a_work_tree_of_its_own_making,
        _links_into_the_repository,
    ],
)
def test_a_folder_that_a_repository_does_not_name_cannot_claim_its_memories(
    repository: Path, home: Path, claim: Callable[[Path, Path], None]
) -> None:
    work_tree(repository, "feature")
    hostile = repository.parent / "hostile"
    hostile.mkdir()
    claim(hostile, repository)
    assert project_root(hostile) == str(hostile)
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.memories.store("The deployment key is rotated on Mondays", namespace=str(repository))
        assert engine.recall.search("deployment key", namespace=str(hostile)).hits == ()


def test_a_folder_with_a_secret_in_its_name_is_refused_without_telling_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    token = "ghp_" + "a1B2c3D4" * 4 + "e5F6"
    for identifier in (str(tmp_path / token), f"~/{token}/src", f"./{token}", token, f"app:{token}"):
        with pytest.raises(InvalidWorkspace) as caught:
            namespace_of(identifier)
        assert token not in f"{caught.value.as_dict()}"


@pytest.mark.parametrize("pointer", [b"", b"gitdir: /nowhere/at/all", b"\xff\xfe", b"gitdir: a\0b", b"x" * 5000])
def test_a_git_file_that_leads_nowhere_leaves_the_folder_itself(tmp_path: Path, pointer: bytes) -> None:
    (tmp_path / ".git").write_bytes(pointer)
    assert project_root(tmp_path) == os.path.realpath(tmp_path)


def test_a_link_to_a_repository_is_the_repository(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository, target_is_directory=True)
    assert project_root(tmp_path / "link" / "src") == str(repository)


@pytest.mark.parametrize("path", ["/" + "x" * 300, "/tmp/" + "y" * 4000], ids=["long name", "longer name"])
def test_an_unreadable_path_means_itself(path: str) -> None:
    assert namespace_of(path) == path


# --- identifiers ---


def test_paths_are_understood_from_here_from_home_and_absolutely(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository / "src")
    monkeypatch.setenv("HOME", str(repository.parent))
    for identifier in (".", "..", "./deep", "../src", "~/app", "~/app/src", str(repository), f"  {repository}  "):
        assert namespace_of(identifier) == str(repository), identifier
    assert namespace_of("./deep", directory=repository.parent) == str(repository.parent / "deep")


@pytest.mark.parametrize(
    "name", ["algorithms-practice", "team/app", "größe", "a", "app v2", "github.com/me/app", "x" * 200]
)
def test_a_name_is_taken_as_it_is(name: str) -> None:
    assert namespace_of(name) == name
    assert namespace_of(f" {name} ") == name


@pytest.mark.parametrize("nothing", [None, "", "   ", "\t\n"])
def test_blank_input_means_no_namespace(nothing: str | None) -> None:
    assert namespace_of(nothing) is None


@pytest.mark.parametrize(
    "identifier",
    [
        7,
        b"bytes",
        ["/app"],
        "a\0b",
        "/app\0",
        "\ud800",
        "<script>",
        "semi;colon",
        "x" * 201,
        "/" + "x" * 5000,
        "~nobody-of-that-name/app",
        "!",
    ],
    ids=lambda value: repr(value)[:20],
)
def test_what_is_neither_path_nor_name_is_refused(identifier: object) -> None:
    with pytest.raises(InvalidWorkspace):
        namespace_of(identifier)  # type: ignore[arg-type]


def test_a_path_stays_usable_when_the_current_folder_is_gone(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    doomed = tmp_path / "doomed"
    doomed.mkdir()
    monkeypatch.chdir(doomed)
    doomed.rmdir()
    assert namespace_of(str(repository)) == str(repository)
    assert namespace_of("name") == "name"
    with pytest.raises(InvalidWorkspace):
        namespace_of(".")
