"""The command line as people and scripts use it: the console script in real processes, one after the other."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.command_lines import run

from recollect.capabilities import OPERATIONS
from recollect.surface.cli.arguments import metavar
from recollect.surface.cli.command_table import HANDWRITTEN, commands
from recollect.surface.cli.help import command_help

SCRIPT = Path(sys.executable).with_name("recollect")
COMMAND = [str(SCRIPT)] if SCRIPT.exists() else [sys.executable, "-m", "recollect"]

Finished = subprocess.CompletedProcess[bytes]
Recollect = Callable[..., Finished]


@pytest.fixture
def recollect(home: Path) -> Recollect:
    """Run the command in a process of its own; vectors are off unless a test wants them."""

    def call(*words: str | bytes, stdin: bytes = b"", **environment: str) -> Finished:
        return subprocess.run(
            [*COMMAND, *words],
            input=stdin,
            capture_output=True,
            check=False,
            env={**os.environ, "RECOLLECT_EMBED_PROVIDER": "off", **environment},
        )

    return call


@pytest.fixture
def answer(recollect: Recollect) -> Callable[..., Any]:
    """Run the command with --json, expect it to succeed and return its answer."""

    def call(*words: str, **more: Any) -> Any:
        done = recollect(*words, "--json", **more)
        assert done.returncode == 0, done.stdout
        return json.loads(done.stdout)

    return call


def test_a_memory_lives_from_store_to_undo_across_processes(answer: Callable[..., Any], recollect: Recollect) -> None:
    local = {"RECOLLECT_EMBED_PROVIDER": "local"}
    stored = answer("store", "We use tabs in Makefiles", "--memory-type", "decision", "--tags", "make,style", **local)
    memory_id = stored["memory"]["id"]
    assert stored["created"]

    found = answer("search", "indentation of make recipes: tabs or spaces?", **local)
    assert [hit["memory"]["id"] for hit in found["hits"]] == [memory_id]
    assert found["hits"][0]["reason"]

    kept = answer("get", memory_id)
    assert (kept["content"], kept["tags"]) == ("We use tabs in Makefiles", ["make", "style"])

    answer("update", memory_id, "--content", "-", stdin=b"Makefiles use tabs, always\n")
    assert answer("get", memory_id)["content"] == "Makefiles use tabs, always"

    assert answer("delete", memory_id)["deleted"] == 1
    gone = recollect("get", memory_id, "--json")
    assert (gone.returncode, json.loads(gone.stdout)["error"]["code"]) == (3, "MEMORY_NOT_FOUND")

    answer("undo")
    assert answer("get", memory_id)["content"] == "Makefiles use tabs, always"


def test_a_namespace_is_deleted_only_when_meant_and_comes_back(
    answer: Callable[..., Any], recollect: Recollect
) -> None:
    for text in ("one", "two"):
        answer("store", f"number {text} of the shop", "--namespace", "shop")
    assert recollect("delete-namespace", "shop").returncode == 2
    batch = answer("delete-namespace", "shop", "--yes")["batch"]
    assert answer("stats")["memories"] == 0
    answer("undo", batch)
    assert answer("namespace-stats", "shop")["memories"] == 2


def test_an_export_piped_into_an_import_is_the_same_memory(
    answer: Callable[..., Any], recollect: Recollect, tmp_path: Path
) -> None:
    answer("store", "größe: 尺寸 \u202e \x1b[31m", "--metadata", '{"n": [1, 2.5, null]}')
    exported = recollect("export").stdout
    other = {"RECOLLECT_HOME": str(tmp_path / "other")}
    assert answer("import", "-", stdin=exported, **other)["created"] >= 1
    again = recollect("export", **other).stdout
    assert sorted(again.splitlines()) == sorted(exported.splitlines())


BAD: tuple[tuple[str, tuple[str | bytes, ...], bytes, int, str], ...] = (
    ("empty content", ("store", ""), b"", 2, "INVALID_INPUT"),
    ("blank content", ("store", " \n\t"), b"", 2, "INVALID_INPUT"),
    ("importance 7", ("store", "x", "--importance", "7"), b"", 2, "INVALID_INPUT"),
    ("importance nan", ("store", "x", "--importance", "nan"), b"", 2, "INVALID_INPUT"),
    ("unknown id", ("get", "00000000-0000-4000-8000-000000000000"), b"", 3, "MEMORY_NOT_FOUND"),
    ("NUL byte", ("store", "-"), b"a\0b", 2, "INVALID_INPUT"),
    ("no UTF-8 on stdin", ("store", "-"), b"a\xffb", 2, "INVALID_INPUT"),
    ("empty stdin", ("store", "-"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in content", ("store", b"a\xffb"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in a tag", ("store", "x", "--tags", b"\xff"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in a number", ("store", "x", "--importance", b"\xff"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in a choice", ("store", "x", "--memory-type", b"\xff"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in a query", ("search", b"\xff"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in an id", ("get", b"\xff"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in a command", (b"st\xffre", "x"), b"", 2, "INVALID_INPUT"),
    ("no UTF-8 in an option", ("store", "x", b"--\xff"), b"", 2, "INVALID_INPUT"),
    ("unknown command", ("remember", "x"), b"", 2, "INVALID_INPUT"),
    ("unknown option", ("store", "x", "--colour", "red"), b"", 2, "INVALID_INPUT"),
    ("missing argument", ("store",), b"", 2, "INVALID_INPUT"),
    ("half JSON", ("store", "x", "--metadata", '{"a":'), b"", 2, "INVALID_INPUT"),
    ("limit 0", ("list", "--limit", "0"), b"", 2, "INVALID_INPUT"),
    ("nothing to undo", ("undo",), b"", 3, "NOT_FOUND"),
    ("a missing import", ("import", "/nonexistent/file"), b"", 3, "NOT_FOUND"),
    ("a bad import", ("import", "-"), b"not json\n", 2, "INVALID_INPUT"),
    ("a folder as database", ("stats", "--database", "/"), b"", 6, "STORE_FOREIGN"),
    ("a text as database", ("stats", "--database", __file__), b"", 6, "STORE_FOREIGN"),
)


# A process of its own decodes its arguments and its input itself: these rows run in one.
IN_A_PROCESS = ("empty content", "NUL byte", "no UTF-8 in content", "a folder as database")


def here(*words: str | bytes, stdin: bytes = b"") -> Finished:
    """Run the command in this process."""
    status, out, error = run(*map(os.fsdecode, words), stdin=stdin)
    return subprocess.CompletedProcess(words, status, out, error)


@pytest.mark.parametrize(("title", "words", "stdin", "code", "name"), BAD, ids=[row[0] for row in BAD])
def test_bad_input_has_its_code_and_leaves_nothing_behind(
    recollect: Recollect, title: str, words: tuple[str | bytes, ...], stdin: bytes, code: int, name: str
) -> None:
    call = recollect if title in IN_A_PROCESS else here
    shown = call(*words, "--json", stdin=stdin)
    assert shown.returncode == code
    assert shown.stderr == b""
    error = json.loads(shown.stdout)["error"]
    assert error["code"] == name
    assert error["message"]
    assert error["hint"]
    plain = call(*words, stdin=stdin)
    assert (plain.returncode, plain.stdout) == (code, b"")
    assert plain.stderr.splitlines()[-1] == f"code: {name}".encode()
    if words[0] == "store":
        assert json.loads(here("stats", "--json").stdout)["memories"] == 0


def test_a_variable_that_is_no_utf8_is_an_error_and_no_trace(recollect: Recollect) -> None:
    done = recollect("stats", "--json", RECOLLECT_HOME=os.fsdecode(b"/tmp/\xff"))
    assert done.returncode in (2, 5)
    assert "code" in json.loads(done.stdout)["error"]


def test_a_reader_that_goes_away_is_no_error(recollect: Recollect) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as gone:
        done = subprocess.run([*COMMAND, "--help"], stdout=gone, stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_an_answer_that_cannot_be_written_is_said_once(recollect: Recollect) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*COMMAND, "config"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_terminal_without_unicode_gets_escapes(recollect: Recollect, answer: Callable[..., Any]) -> None:
    answer("store", "größe 尺寸")
    narrow = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    done = recollect("list", **narrow)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"gr\\xf6\xdfe".replace(b"\xdf", b"\\xdf") in done.stdout
    assert json.loads(recollect("list", "--json", **narrow).stdout)["memories"][0]["content"] == "größe 尺寸"


def test_output_that_is_closed_is_no_crash(recollect: Recollect) -> None:
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", *COMMAND, "config"], capture_output=True, check=False)
    assert b"Traceback" not in done.stderr


def test_a_command_that_answers_in_json_draws_nothing_and_embeds_nothing(recollect: Recollect) -> None:
    code = "import sys; from recollect.surface.cli import main; main(['stats', '--json']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    loaded = {name.split(".")[0] for name in done.stdout.splitlines()[-1].split()}
    assert "recollect" in loaded
    assert loaded & {"rich", "numpy", "onnxruntime", "tokenizers", "difflib", "logging"} == set()


def test_asking_for_the_version_loads_nothing_of_ours() -> None:
    code = "import sys; from recollect.surface.cli import main; main(['--version']); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    ours = {name for name in done.stdout.splitlines()[-1].split() if name.startswith("recollect")}
    assert ours == {"recollect", "recollect.version", "recollect.surface", "recollect.surface.cli"}


def test_every_operation_is_a_command_with_help() -> None:
    table = commands(OPERATIONS)
    assert len(table.by_path) == len(OPERATIONS) + len(HANDWRITTEN)
    for path, command in table.by_path.items():
        text = command_help(command, table)
        assert not any(re.search(rf"\b{name}\b", text) for name in OPERATIONS if "_" in name), path
        assert command.description.split()[0] in text
        for parameter in command.optionals:
            assert parameter.name.replace("_", "-") in text, path
        for parameter in command.positionals:
            assert metavar(parameter) in text, path


def test_a_command_that_loads_its_operations_late_explains_itself(recollect: Recollect) -> None:
    done = recollect("serve", "--help")
    assert (done.returncode, done.stdout) == (0, recollect("help", "serve").stdout)


def test_completion_of_the_real_table_is_valid_bash(recollect: Recollect) -> None:
    script = recollect("completion", "bash").stdout
    assert subprocess.run(["bash", "-n"], input=script, capture_output=True, check=True).stderr == b""
    assert b"--type" in script


def test_serve_speaks_until_its_input_ends(recollect: Recollect) -> None:
    done = recollect("serve", "--toolset", "core", stdin=b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
    assert done.returncode == 0
    assert json.loads(done.stdout)["id"] == 1
