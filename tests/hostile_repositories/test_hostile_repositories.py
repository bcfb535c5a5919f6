"""No operation on a hostile repository runs a command that the repository names.

Every operation of the table is tried with the arguments of the conformance suite, which has a case for each of them:
an operation that is added is tried too. One repository meets all cases, the others one of each operation.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.conformance.surfaces import SURFACES
from tests.conformance.test_operations import CASES, Case
from tests.hostile_repositories.builders import BUILDERS, Traps, ordinary
from tests.trees import write

from recollect import Engine, git
from recollect.capabilities import OPERATIONS
from recollect.code.index.project_root import place
from recollect.code.index.update import update_paths
from recollect.errors import RecollectError
from recollect.surface.cli import main

# Commands that are no operations and end by themselves; `watch` updates paths, which is tried below.
OTHER_COMMANDS = (("doctor",), ("config",), ("completion", "bash"))
MEMORIES = [
    {"id": "m1", "content": "parse_file of lib/parser.py makes a parser", "namespace": "app", "tags": ["parser"]},
    {"id": "m2", "content": "Errors carry a code and a hint", "namespace": "app"},
    {"id": "m3", "content": "The parser of lib is generated", "namespace": "lib"},
    {"id": "m4", "content": "Without a namespace"},
    {"id": "m5", "content": "b.py has many lines", "namespace": "app"},
    {"id": "m6", "content": "parse_file makes a parser", "namespace": "app"},
]


class Hostile(NamedTuple):
    """A hostile repository and what it would run."""

    root: Path
    traps: Traps


def adapted(case: Case) -> dict[str, Any]:
    """Return the arguments of a case for a repository that is the current folder."""
    return {key: "." if value in ("project", "repository") else value for key, value in case.arguments.items()}


def calls(*, every: bool) -> list[tuple[str, dict[str, Any]]]:
    """Return what is tried: each different case or one of each operation, and questions about commits and files."""
    more: list[tuple[str, dict[str, Any]]] = [
        ("import_history", {"path": "."}),
        *(("review_diff", {"range": span}) for span in ("main..HEAD", "main...HEAD", "HEAD", "main")),
        ("review_diff", {}),
        *(("drift", {"range": span}) for span in ("main..HEAD", "main")),
        ("index_codebase", {"path": ".", "namespace": "app"}),
        ("recall_memory", {"query": "parse_file makes a parser", "namespace": "app"}),
        ("store_memory", {"content": "Stored on a branch", "namespace": "."}),
    ]
    found = [(case.operation, adapted(case)) for case in CASES if not is_final(case)]
    return [*more, *{json.dumps(call, sort_keys=True) if every else call[0]: call for call in found}.values()]


def is_final(case: Case) -> bool:
    """Tell whether nothing is left to ask about after a case."""
    return case.operation in ("delete_namespace", "purge_memories", "rebuild")


@contextmanager
def hostile_environment(hostile: Hostile) -> Iterator[None]:
    """Stand in the repository, with programs called git and variables that name commands."""
    trap = hostile.traps.command
    folder = hostile.traps.folder / "bin"
    folder.mkdir(exist_ok=True)
    for name in ("git", "git-log", "git-ls-files", "git-diff-index", "ssh", "gpg"):
        if not (folder / name).exists():
            (folder / name).symlink_to(trap(f"program.{name}"))
    inside = hostile.root / "tools"
    if not inside.exists():
        inside.mkdir()
        (inside / "git").symlink_to(trap("program.inside"))
        (hostile.root / "git").symlink_to(trap("program.root"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(hostile.root)
        patch.setenv("PATH", os.pathsep.join((".", "", "tools", str(inside), os.environ["PATH"])))
        for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_PAGER", "PAGER",
                     "GIT_EDITOR", "EDITOR", "GIT_PROXY_COMMAND"):  # fmt: skip
            patch.setenv(name, trap(f"variable.{name}"))
        patch.setenv("GIT_EXEC_PATH", str(folder))
        patch.setenv("GIT_CONFIG_COUNT", "1")
        patch.setenv("GIT_CONFIG_KEY_0", "core.fsmonitor")
        patch.setenv("GIT_CONFIG_VALUE_0", trap("variable.GIT_CONFIG_COUNT"))
        patch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor={trap('variable.GIT_CONFIG_PARAMETERS')}'")
        patch.setenv("RECOLLECT_EMBED_PROVIDER", "off")
        yield


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The ordinary repository that all others are copies of."""
    root = tmp_path_factory.mktemp("model") / "repository"
    ordinary(root)
    return root


def built(name: str, model: Path, folder: Path) -> Hostile:
    root = Path(os.path.realpath(folder)) / "repository"
    shutil.copytree(model, root, symlinks=True)
    traps = Traps(Path(os.path.realpath(folder)) / "outside")
    if name:
        BUILDERS[name](root, traps)
    return Hostile(root, traps)


@pytest.fixture
def hostile(request: pytest.FixtureRequest, model: Path, tmp_path: Path) -> Hostile:
    return built(request.param, model, tmp_path)


def furnish(engine: Engine, root: Path) -> None:
    engine.archive.import_(content="\n".join(map(json.dumps, MEMORIES)))
    engine.code.index(str(root), namespace="app")
    plain = {"namespace": "app", "content": "Written on another branch about the parser"}
    engine.memories.store(**plain)


def tried(engine: Engine, hostile: Hostile, *, every: bool = False) -> dict[str, set[str]]:
    """Call every operation, with each of its cases or one; return the subcommands of git that each one used."""
    used: dict[str, set[str]] = {}
    original = git.Repository._command

    def recorded(self: git.Repository, words: Any) -> list[str]:
        command = original(self, words)
        at = next(number for number, word in enumerate(words) if not word.startswith("-") and "=" not in word)
        used.setdefault(current, set()).add(words[at])
        return command

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(git.Repository, "_command", recorded)
        current = "furnish"
        furnish(engine, hostile.root)
        for current, arguments in calls(every=every):
            with suppress(RecollectError):  # such as a memory that another case deleted
                OPERATIONS[current].call(engine, arguments)
        current = "watch"
        update_paths(engine.store, place(hostile.root), "app", ["lib/parser.py", "nested/lib/parser.py", "sub"])
    return used


@pytest.mark.parametrize(
    ("hostile", "every"), [(name, name == "settings") for name in BUILDERS], ids=BUILDERS, indirect=["hostile"]
)
def test_no_operation_runs_a_command_of_a_hostile_repository(hostile: Hostile, every: bool) -> None:
    with hostile_environment(hostile), Engine() as engine:
        used = tried(engine, hostile, every=every)
        assert hostile.traps.sprung() == []
        for words in OTHER_COMMANDS:
            with suppress(SystemExit):
                main([*words, "--json"])
    assert hostile.traps.sprung() == []
    assert {"diff-index", "diff-tree", "update-index"} <= used["review_diff"]
    assert {"log", "ls-files"} <= used["import_history"]


@pytest.mark.parametrize("hostile", ["settings", "promisor remote"], indirect=True)
@pytest.mark.parametrize("surface", SURFACES)
def test_no_surface_runs_a_command_of_a_hostile_repository(hostile: Hostile, surface: str) -> None:
    with hostile_environment(hostile):
        SURFACES["library"](OPERATIONS["index_codebase"], {"path": "."}, (".",))
        for name, arguments, words in (
            ("index_codebase", {"path": "."}, (".",)),
            ("import_history", {"path": "."}, (".",)),
            ("review_diff", {}, ()),
            ("review_diff", {"range": "main..HEAD"}, ("--range", "main..HEAD")),
            ("drift", {"range": "main..HEAD"}, ("--range", "main..HEAD")),
        ):
            told = SURFACES[surface](OPERATIONS[name], arguments, words)
            assert "error" not in told, told
    assert hostile.traps.sprung() == []


# --- the suite can fail ---


@contextmanager
def unprotected(where: git.Folders | None, *, tree: Path | None = None) -> Iterator[git.Repository]:
    """Yield what `git.opened` would if git ran in the repository itself, as anybody starts it."""
    assert where is not None
    repository = git.Repository(where.own, where.root, sees_files=True)
    repository._variables = {**os.environ, "GIT_DIR": str(where.own), "GIT_WORK_TREE": str(where.root)}
    yield repository


@pytest.mark.parametrize(
    ("hostile", "expected"),
    [
        ("settings", {"core.fsmonitor", "hook.post-index-change"}),
        ("promisor remote", {"promisor"}),
    ],
    indirect=["hostile"],
)
def test_without_the_stand_in_the_same_operations_run_commands(
    hostile: Hostile, expected: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hostile.root)
    monkeypatch.setattr(git, "opened", unprotected)
    with Engine(embed_provider="off") as engine:
        tried(engine, hostile)
    assert set(hostile.traps.sprung()) == expected


# Ordinary commands of plain git spring these traps, so a repository of the table is as hostile as it looks.
PLAIN = (
    ("status",), ("diff", "HEAD"), ("log", "-p", "--all", "--ext-diff"), ("fetch", "origin"),
    ("checkout", "-f", "other"), ("-C", "lib/vendored.git", "log", "-p"), ("-C", "nested", "status"),
    ("-C", "sub", "status"),
)  # fmt: skip
SPRUNG: dict[str, set[str]] = {
    "settings": {"core.fsmonitor", "filter.e.process", "remote.origin.uploadpack"},
    "clean filter": {"filter.e.clean", "filter.e.smudge", "diff.e.command", "hook.post-checkout"},
    "included settings": {"included3.core.fsmonitor", "included3.filter.e.process"},
    "promisor remote": {"promisor"},
    "alternates": {"core.fsmonitor", "filter.e.process"},
    "submodule": {"sub.core.fsmonitor", "sub.filter.e.process"},
    "linked work tree": {"worktree.core.fsmonitor", "worktree.filter.e.process"},
    "foreign git folder": {"core.fsmonitor", "filter.e.process"},
    "bare repositories": {"nested.core.fsmonitor", "lib_vendored.git.filter.e.process"},
    "stale index": {"core.fsmonitor", "filter.e.process"},
}


@pytest.mark.parametrize("hostile", SPRUNG, indirect=True)
def test_plain_git_runs_the_commands(hostile: Hostile, request: pytest.FixtureRequest) -> None:
    environment = {"PATH": os.environ["PATH"], "HOME": str(hostile.traps.folder), "GIT_CONFIG_NOSYSTEM": "1"}
    for words in PLAIN:
        subprocess.run(["git", *words], cwd=hostile.root, env=environment, capture_output=True, check=False)
    name = request.node.callspec.params["hostile"]
    assert SPRUNG[name] <= set(hostile.traps.sprung())


def test_every_hostile_repository_has_a_proof_that_it_is_one() -> None:
    assert set(BUILDERS) - set(SPRUNG) == {"endless files"}, "plain git would not end on these"


# --- what was found in the field ---

PROMISOR = """
git init -q . ; seq 1 60 >a.py; git add .; git commit -qm one
git mv a.py b.py; echo 61 >>b.py; git commit -qam "two, because"
b=$(git rev-parse HEAD~1:a.py); rm -f .git/objects/${b:0:2}/${b:2}
git config core.repositoryformatversion 1; git config extensions.partialClone o
git config remote.o.promisor true; git config protocol.ext.allow always
git config remote.o.url 'ext::sh -c touch% MARKER'
recollect import-history . --only git
recollect index .; recollect review --range HEAD~1..HEAD; recollect drift --range HEAD~1..HEAD; recollect review
"""
FILTER = """
git init -q . ; seq 1 60 >a.py; git add .; git commit -qm one
echo '*.py filter=e' >.git/info/attributes; git config filter.e.clean 'touch MARKER; cat'
echo 61 >>a.py
recollect review; recollect review --range HEAD; recollect index .; recollect import-history .
"""


@pytest.mark.parametrize(("script", "expected"), [(PROMISOR, "unable to read"), (FILTER, "a.py")])
def test_the_commands_of_the_field_test_do_nothing(script: str, expected: str, tmp_path: Path) -> None:
    marker, folder = tmp_path / "PWNED", tmp_path / "repository"
    folder.mkdir()
    environment = {**os.environ, "RECOLLECT_EMBED_PROVIDER": "off", "GIT_CONFIG_GLOBAL": os.devnull}
    for name in ("AUTHOR", "COMMITTER"):
        environment |= {f"GIT_{name}_NAME": "a", f"GIT_{name}_EMAIL": "a@b"}
    function = f'recollect() {{ "{sys.executable}" -m recollect "$@"; }}\n'
    text = function + script.replace("MARKER", str(marker))
    done = subprocess.run(
        ["bash", "-c", text], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert not marker.exists()
    assert "INTERNAL_ERROR" not in done.stdout + done.stderr
    assert expected in done.stdout


# --- git that hangs ---


def test_a_git_that_hangs_is_reported_and_the_files_are_indexed(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = built("", model, tmp_path)
    os.mkfifo(hostile.root / "lib/.gitignore")
    monkeypatch.setattr(git, "LIST_S", 0.5)
    with Engine(embed_provider="off") as engine:
        told = engine.code.index(str(hostile.root))
        assert told.files >= 3
        assert any("git timed out after 0.5 s" in note for note in told.notes)
        learnt = engine.history.import_history(str(hostile.root), only=("docs",))
        assert any("git timed out after 0.5 s" in note for note in learnt.notes)
        reviewed = engine.survey.review(path=str(hostile.root))
    assert any("git timed out after 0.5 s" in note for note in reviewed.notes)
    assert {row.path for row in reviewed.changes} == {"lib/parser.py", "staged.py"}


def test_a_log_that_stops_coming_is_reported(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = built("", model, tmp_path)
    slow = tmp_path / "slow" / "git"
    real = shutil.which("git")
    write(slow.parent, {"git": f'#!/bin/sh\ncase "$*" in *" log "*) exec sleep 60;; esac\nexec {real} "$@"\n'})
    slow.chmod(0o755)
    monkeypatch.setenv("PATH", os.pathsep.join((str(slow.parent), os.environ["PATH"])))
    monkeypatch.setattr("recollect.history.commit_log.TIMEOUT_S", 0.5)
    with Engine(embed_provider="off") as engine:
        learnt = engine.history.import_history(str(hostile.root), only=("git",))
    assert learnt.notes == ("the git log was read only up to commit 0: git timed out after 0.5 s",)
