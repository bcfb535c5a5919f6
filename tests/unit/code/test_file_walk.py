"""Which files a tree has: what git would add and no more, whatever lies around."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from tests.trees import git, write

from recollect.code.index import file_walk as walking
from recollect.code.index import ignore_rules
from recollect.code.index.file_walk import Entry, Walked, real, shown, walk, within


def paths(found: Walked) -> list[str]:
    return [entry.path for entry in found.files]


@pytest.fixture(params=["work tree", "git without a work tree", "no git"])
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder, listed in each of the three ways; each must find the same."""
    root = tmp_path / "tree"
    root.mkdir()
    if request.param == "work tree":
        git(root, "init", "-q")
    if request.param == "no git":
        monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    return root


def walked(root: Path, below: str = "", **options: int) -> Walked:
    return walk(root, below, is_git=(root / ".git").exists(), **options)


def test_an_empty_tree_has_no_files(tree: Path) -> None:
    assert walked(tree) == Walked([], {}, [])


def test_a_file_is_found_with_its_time_and_size(tree: Path) -> None:
    write(tree, {"a.py": "x = 1\n"})
    os.utime(tree / "a.py", ns=(1, 123_456_789))
    assert walked(tree).files == [Entry("a.py", 123_456_789, 6)]


@pytest.mark.promise("E15")
def test_what_gitignore_names_is_left_out(tree: Path) -> None:
    write(
        tree,
        {
            ".gitignore": "*.log\n/build/\n!keep.log\n# a comment\n",
            "a.py": "",
            "a.log": "",
            "keep.log": "",
            "build/x.py": "",
            "src/build/y.py": "",
            "src/.gitignore": "local.py\n!a.log\n",
            "src/local.py": "",
            "src/a.log": "",
            "other/local.py": "",
        },
    )
    assert paths(walked(tree)) == [
        ".gitignore", "a.py", "keep.log", "other/local.py", "src/.gitignore", "src/a.log", "src/build/y.py",
    ]  # fmt: skip


def test_what_recollectignore_names_is_left_out_too_even_if_it_is_tracked(tree: Path) -> None:
    write(
        tree,
        {
            ".recollectignore": "fixtures/\n*.sql\n",
            "a.py": "",
            "dump.sql": "",
            "tests/fixtures/big.py": "",
            "tests/.recollectignore": "!wanted.sql\nslow_*.py\n",
            "tests/wanted.sql": "",
            "tests/slow_one.py": "",
            "slow_two.py": "",
        },
    )
    if (tree / ".git").exists():
        git(tree, "add", "-A")
    found = walked(tree)
    assert paths(found) == [
        ".recollectignore", "a.py", "slow_two.py", "tests/.recollectignore", "tests/wanted.sql",
    ]  # fmt: skip
    assert found.skipped == {"ignored": 3}


def test_a_rule_that_cannot_be_read_is_no_rule(tree: Path) -> None:
    write(tree, {".recollectignore": b"!\n*.sql\n\xff\xfe\n", "a.py": "", "b.sql": ""})
    assert "a.py" in paths(walked(tree)) and "b.sql" not in paths(walked(tree))


def test_dependencies_and_minified_files_are_left_out_and_counted(tree: Path) -> None:
    write(tree, {"a.js": "", "node_modules/x/b.js": "", "static/c.min.js": "", "yarn.lock": ""})
    found = walked(tree)
    assert paths(found) == ["a.js"]
    assert found.skipped["minified"] == 1 and found.skipped["lock file"] == 1


def test_a_part_of_a_tree_can_be_walked_alone(tree: Path) -> None:
    write(tree, {"a.py": "", "src/b.py": "", "src/deep/c.py": "", "srcs/d.py": ""})
    assert paths(walked(tree, "src/")) == ["src/b.py", "src/deep/c.py"]
    assert paths(within(tree, ["a.py", "src/deep", "gone.py"], is_git=(tree / ".git").exists())) == [
        "a.py",
        "src/deep/c.py",
    ]


def test_files_that_are_too_large_are_left_out_with_a_note(tree: Path) -> None:
    write(tree, {"small.py": "x"})
    with (tree / "huge.py").open("wb") as file:
        file.truncate(2 << 30)  # two gigabytes that take no space
    found = walked(tree, max_bytes=1000)
    assert paths(found) == ["small.py"]
    assert found.skipped == {"too large": 1}
    assert found.notes == ["huge.py is too large: 2,147,483,648 bytes"]


def test_links_are_not_followed_and_loops_end(tree: Path, tmp_path: Path) -> None:
    write(tree, {"src/a.py": ""})
    write(tmp_path, {"outside/secret.py": ""})
    (tree / "src" / "loop").symlink_to(tree)
    (tree / "file.py").symlink_to("src/a.py")
    (tree / "broken.py").symlink_to("nowhere")
    (tree / "away").symlink_to(tmp_path / "outside")
    found = walked(tree)
    assert paths(found) == ["src/a.py"]
    assert found.skipped == {"link": 4}


def test_pipes_and_sockets_are_left_out(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tree, {"a.py": ""})
    os.mkfifo(tree / "pipe.py")
    monkeypatch.chdir(tree)  # the name of a socket must be short
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("socket.py")
        assert paths(walked(tree)) == ["a.py"]


@pytest.mark.parametrize(
    "name", [b"new\nline.py", b"no-utf8-\xff\xfe.py", b"back\\slash.py", b"\\xff.py", "日本.py".encode()]
)
def test_any_name_the_system_allows_survives(tree: Path, name: bytes) -> None:
    (tree / os.fsdecode(name)).write_bytes(b"x = 1")
    (path,) = paths(walked(tree))
    path.encode()  # can be kept and shown
    assert os.fsencode(real(path)) == name
    assert shown(os.fsdecode(name)) == path


def test_names_that_look_alike_stay_apart(tree: Path) -> None:
    (tree / os.fsdecode(b"a\xff.py")).touch()
    (tree / "a\\xff.py").touch()
    found = paths(walked(tree))
    assert len(set(found)) == 2
    assert {os.fsencode(real(path)) for path in found} == {b"a\xff.py", b"a\\xff.py"}


def test_a_folder_that_cannot_be_read_is_noted_and_the_rest_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"tree/a.py": "", "tree/closed/b.py": ""})
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    scandir = os.scandir

    def refuse(path: Path) -> object:
        if str(path).rstrip("/").endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(path)

    monkeypatch.setattr(walking.os, "scandir", refuse)
    found = walk(tmp_path / "tree", is_git=False)
    assert paths(found) == ["a.py"]
    assert found.notes == ["closed/ cannot be read: Permission denied"]


# --- what only git knows ---


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    root = tmp_path / "repository"
    root.mkdir()
    git(root, "init", "-q")
    return root


def test_a_tracked_file_counts_though_it_is_ignored_and_a_deleted_one_does_not(repository: Path) -> None:
    write(repository, {".gitignore": "*.log\n", "kept.log": "", "gone.py": "", "untracked.py": ""})
    git(repository, "add", "-f", "kept.log", "gone.py")
    (repository / "gone.py").unlink()
    assert paths(walk(repository)) == [".gitignore", "kept.log", "untracked.py"]


def test_submodules_and_nested_clones_belong_to_the_tree(repository: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    write(inner, {"lib.py": "", ".gitignore": "junk.py\n"})
    git(inner, "init", "-q")
    git(inner, "add", "-A")
    git(inner, "commit", "-q", "-m", "one")
    write(repository, {"a.py": ""})
    git(repository, "submodule", "add", "-q", str(inner), "sub")
    git(repository, "clone", "-q", str(inner), "nested/clone")
    write(repository, {"sub/junk.py": "", "nested/clone/new.py": "", "nested/clone/junk.py": ""})
    found = walk(repository)
    assert found.notes == []
    assert [path for path in paths(found) if path.endswith(".py")] == [
        "a.py", "nested/clone/lib.py", "nested/clone/new.py", "sub/lib.py",
    ]  # fmt: skip
    some = within(repository, ["sub/lib.py", "sub/junk.py", "nested/clone/new.py", "a.py"])
    assert paths(some) == ["a.py", "nested/clone/new.py", "sub/lib.py"]
    assert some.notes == []


def test_a_repository_may_not_choose_a_program_to_run(repository: Path, tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\n", encoding="utf-8")
    trap.chmod(0o755)
    git(repository, "config", "core.fsmonitor", str(trap))
    write(repository, {"a.py": ""})
    assert paths(walk(repository)) == ["a.py"]
    assert not (tmp_path / "sprung").exists()


def test_variables_of_a_git_hook_do_not_lead_elsewhere(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(repository, {"a.py": ""})
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    assert paths(walk(repository)) == ["a.py"]


def test_where_git_fails_the_folders_are_walked_and_it_is_said(tmp_path: Path) -> None:
    write(tmp_path, {"tree/.git": "gitdir: nowhere", "tree/a.py": ""})
    found = walk(tmp_path / "tree")
    assert paths(found) == ["a.py"]
    assert found.notes[0].startswith("git ls-files failed in the project: ")


# --- rules that are meant to hang ---

ENDLESS = ["**/" * 3000 + "x", "*a" * 100 + "b", "**/a/" * 200 + "b", "[a-z]*" * 100 + "!"]


def test_rules_that_take_git_for_ever_cost_no_file(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("recollect.git.LIST_S", 0.5)
    name = "a/" * 20 + "a" * 200
    write(tree, {"d/.gitignore": "\n".join(ENDLESS), f"d/{name}.py": "", "b.py": "", "d/x.log": ""})
    found = walked(tree)
    assert [path for path in paths(found) if path.endswith(".py")] == ["b.py", f"d/{name}.py"]
    assert found.notes == [] or found.notes == ["git ls-files failed in the project: git timed out after 0.5 s"]


def test_where_everything_is_ignored_a_note_says_so(tree: Path) -> None:
    write(tree, {".gitignore": "**/" * 3000 + "**", "a.py": "", "b/c.py": ""})
    found = walked(tree)
    assert paths(found) == []
    assert found.notes == ["no file was indexed: .gitignore ignores everything here"]


@pytest.mark.parametrize(
    "rules",
    [
        "*.py", "/a", "a/", "a/**", "**/b", "a/**/b", "a/*/b", "!a/b\na/*", "[ab]", "[!a]*", "a[[:digit:]]", "\\#x",
        "#x", "a\\ ", "x y ", "*\n!*/\n!*.py", "a/b\n!b", "**", "*a*b*", "?b", "a**b", "b/**/\n", "[", "a\\", "/*\n!/a",
    ],
)  # fmt: skip
def test_our_rules_are_those_of_git(repository: Path, rules: str) -> None:
    names = ["a", "b", "ab", "aab", "a1", "#x", "a ", "x y", "x.py"]
    write(repository, {f"{one}.d/{two}": "" for one in names for two in names} | dict.fromkeys(names[2:], ""))
    write(repository, {f"{one}/{two}/{three}": "" for one in "ab" for two in ("a.d", "b") for three in names})
    write(repository, {".git/info/exclude": rules})
    everything = {file.relative_to(repository).as_posix() for file in repository.rglob("*") if file.is_file()}
    ours = ignore_rules.rules([rules.encode()], "", None)
    expected = {name for name in everything if ".git/" not in name and not ignore_rules.is_ignored(name, ours)}
    assert set(paths(walk(repository))) == {shown(name) for name in expected}


def test_a_listing_that_timed_out_is_not_waited_for_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect import git

    write(tmp_path, {"a.py": "a = 1\n", "deep/b.py": "b = 2\n"})
    os.mkfifo(tmp_path / "deep" / ".gitignore")
    monkeypatch.setattr(git, "LIST_S", 0.2)
    first = git.listed(tmp_path, is_repository=False)
    assert first.problem.startswith(git.LATE)
    monkeypatch.setattr(git.Repository, "run", lambda *_, **__: pytest.fail("git was asked again"))
    assert git.listed(tmp_path, is_repository=False) == first


def test_a_pipe_in_the_place_of_the_ignore_file_is_not_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from recollect import git

    write(tmp_path, {"a.py": "a = 1\n"})
    os.mkfifo(tmp_path / ".gitignore")
    monkeypatch.setattr(git.Repository, "run", lambda *_, **__: pytest.fail("git would wait for the pipe"))
    assert git.listed(tmp_path, is_repository=False).problem == ".gitignore is not a regular file"
