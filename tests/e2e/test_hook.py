"""The capture hook, as an assistant runs it: a real process, by path, with a payload on its standard input."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE_S

from recollect import hook, settings

HOOK = Path(hook.__file__)
COMMAND = [sys.executable, "-I", "-S", str(HOOK)]
PAYLOAD = b'{"hook_event_name":"PostToolUse","tool_name":"Read","note":"\xc3\xa9\\u0000 \xff not utf-8"}\r\n'


def run(
    home: Path, *arguments: str, payload: bytes = PAYLOAD, before: str = "", **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run the hook to its end; `before` is shell to run first in the same process (limits, redirections)."""
    command = [*COMMAND, *arguments]
    if before:
        command = ["sh", "-c", f'{before}; exec "$@"', "sh", *command]
    return subprocess.run(
        command,
        input=payload,
        capture_output=True,
        env={"RECOLLECT_HOME": str(home), **environment},
        timeout=PATIENCE_S,
    )


def assert_silent(result: subprocess.CompletedProcess[bytes]) -> None:
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def spooled(home: Path) -> list[Path]:
    """Return the payloads in new/ in the order of their names."""
    return sorted((home / "spool" / "new").glob("*"))


def files_below(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_a_payload_lands_byte_for_byte_and_the_hook_says_nothing(tmp_path: Path) -> None:
    assert_silent(run(tmp_path / "home", "PostToolUse", "claude-code"))
    (file,) = files_below(tmp_path)
    assert file.parent == tmp_path / "home" / "spool" / "new"
    assert file.read_bytes() == PAYLOAD


def test_the_name_tells_time_event_and_assistant(tmp_path: Path) -> None:
    for event in ("SessionStart", "Stop"):
        assert_silent(run(tmp_path, event, "codex"))
    first, second = (path.name.split(".") for path in spooled(tmp_path))
    assert first[1:] == ["SessionStart", "codex"]
    assert second[1:] == ["Stop", "codex"]
    assert len(first[0].split("-")[0]) == 20


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ["unknown", "unknown"]),
        (("Stop",), ["Stop", "unknown"]),
        (("", ""), ["unknown", "unknown"]),
        (("../../etc/x y", "a.b\n", "more"), ["______etc_x_y", "a_b_"]),
        (("é" * 500, "-_" * 300), ["_" * 40, "-_" * 20]),
    ],
)
def test_words_of_the_command_line_cannot_leave_the_spool(
    tmp_path: Path, arguments: tuple[str, ...], expected: list[str]
) -> None:
    assert_silent(run(tmp_path, *arguments))
    (file,) = files_below(tmp_path)
    assert file.parent == tmp_path / "spool" / "new"
    assert file.name.split(".")[1:] == expected


def test_folders_and_files_are_private_even_under_a_generous_umask(tmp_path: Path) -> None:
    home = tmp_path / "home"
    assert_silent(run(home, "Stop", before="umask 000"))
    for folder in (home, home / "spool", home / "spool" / "tmp", home / "spool" / "new"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(spooled(home)[0].stat().st_mode) == 0o600


def test_a_missing_spool_folder_is_made_again(tmp_path: Path) -> None:
    assert_silent(run(tmp_path, "Stop"))
    spooled(tmp_path)[0].unlink()
    (tmp_path / "spool" / "new").rmdir()
    assert_silent(run(tmp_path, "Stop"))
    assert [file.read_bytes() for file in files_below(tmp_path)] == [PAYLOAD]


def test_fifty_hooks_at_once_lose_nothing(tmp_path: Path) -> None:
    payloads = [f'{{"number":{number},"text":"{"x" * 20_000}"}}'.encode() for number in range(50)]
    processes = [
        subprocess.Popen(
            [*COMMAND, "Stop"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env={"RECOLLECT_HOME": str(tmp_path)}
        )
        for _ in payloads
    ]
    for process, payload in zip(processes, payloads, strict=True):
        assert process.communicate(payload, timeout=PATIENCE_S)[1] == b""
        assert process.returncode == 0
    assert sorted(path.read_bytes() for path in spooled(tmp_path)) == sorted(payloads)
    assert len(files_below(tmp_path)) == 50


def test_a_large_payload_lands_whole(tmp_path: Path) -> None:
    payload = os.urandom(1024) * 8192
    assert_silent(run(tmp_path, "PostToolUse", payload=payload))
    assert spooled(tmp_path)[0].read_bytes() == payload


def test_a_payload_over_the_limit_is_read_to_its_end_and_dropped(tmp_path: Path) -> None:
    assert_silent(run(tmp_path, "PostToolUse", payload=b"x" * (hook.LIMIT_BYTES + 1)))
    assert files_below(tmp_path) == []


def test_no_input_leaves_no_file(tmp_path: Path) -> None:
    assert_silent(run(tmp_path, "Stop", payload=b""))
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_streams_are_no_reason_to_complain(tmp_path: Path, closed: str) -> None:
    assert_silent(run(tmp_path, "Stop", before=f"exec {closed}"))
    expected = [] if "<" in closed else [PAYLOAD]
    assert [file.read_bytes() for file in files_below(tmp_path)] == expected


@pytest.mark.parametrize("blocked", ["a file", "a device", "no such mount"])
def test_a_home_that_cannot_be_written_is_no_reason_to_complain(tmp_path: Path, blocked: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    home = {"a file": tmp_path / "file", "a device": Path("/dev/null"), "no such mount": Path("/proc/nowhere")}[blocked]
    assert_silent(run(home, "Stop"))
    assert files_below(tmp_path) == [tmp_path / "file"]


def test_a_full_disk_leaves_no_partial_file(tmp_path: Path) -> None:
    assert_silent(run(tmp_path, "PostToolUse", payload=b"x" * 1_000_000, before="ulimit -f 8"))
    assert (tmp_path / "spool" / "new").is_dir()
    assert files_below(tmp_path) == []


def test_without_any_home_nothing_is_written(tmp_path: Path) -> None:
    """HOME is unset and the user is not in the password database, as in some containers."""
    world = (
        "import pwd, sys\n"
        "def nobody(_): raise KeyError\n"
        "pwd.getpwuid = nobody\n"
        "path = sys.argv.pop(1)\n"
        "exec(compile(open(path, 'rb').read(), path, 'exec'), {'__name__': '__main__'})\n"
    )
    command = [sys.executable, "-I", "-S", "-c", world, str(HOOK), "Stop"]
    assert_silent(subprocess.run(command, input=PAYLOAD, capture_output=True, env={}, cwd=tmp_path, timeout=PATIENCE_S))
    assert files_below(tmp_path) == []


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGHUP", "SIGALRM"])
def test_a_signal_in_the_middle_of_a_payload_ends_the_hook_quietly(tmp_path: Path, name: str) -> None:
    with subprocess.Popen(
        [*COMMAND, "Stop"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={"RECOLLECT_HOME": str(tmp_path)},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"x" * 1_000_000)  # more than a pipe holds: when this returns, the hook is reading
        process.stdin.flush()
        process.send_signal(getattr(signal, name))
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout.read() == b""
    assert files_below(tmp_path) == []


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/home/someone"},
        {"HOME": "/home/someone", "RECOLLECT_HOME": ""},
        {"HOME": "/home/someone", "RECOLLECT_HOME": "  "},
        {"HOME": "/home/someone", "RECOLLECT_HOME": "~/memories"},
        {"HOME": "/home/someone", "RECOLLECT_HOME": " /srv/shared/../memories "},
        {"HOME": "/home/someone", "RECOLLECT_HOME": "relative/folder"},
    ],
)
def test_the_hook_and_the_settings_agree_where_home_is(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]
) -> None:
    monkeypatch.delenv("RECOLLECT_HOME", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert hook.home_folder() == str(settings.load().home_path)
