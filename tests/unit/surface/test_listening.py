"""A server's socket for hooks, and the hook's side of it: asked, not asked, and asked by the wrong ones."""

from __future__ import annotations

import itertools
import os
import socket
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.waiting import PATIENCE_S

from recollect import ask
from recollect.surface.hooks import hook_socket
from recollect.surface.hooks.hook_socket import HookSocket


@pytest.fixture
def home() -> Iterator[Path]:
    """A home with a short path: those of sockets are limited."""
    with tempfile.TemporaryDirectory(prefix="r-") as folder:
        yield Path(folder)


@pytest.fixture
def logged() -> list[str]:
    return []


@pytest.fixture
def listen(home: Path, logged: list[str]) -> Iterator[Callable[..., HookSocket]]:
    """Start a listener with an answer; all are stopped at the end."""
    started: list[HookSocket] = []

    def start(answer: hook_socket.Answer) -> HookSocket:
        listener = HookSocket(home, answer, logged.append)
        assert listener.start()
        started.append(listener)
        return listener

    yield start
    for listener in started:
        listener.stop()


def echo(payload: bytes, event: str, assistant: str, _wanted: Callable[[], bool]) -> bytes:
    return b"|".join([event.encode(), assistant.encode(), payload])


def asked(home: Path, payload: bytes = b"{}") -> bytes | None:
    return ask.from_servers(payload, str(home / "run"), "Stop", "claude", PATIENCE_S)


def path_of(home: Path) -> str:
    (path,) = (home / "run").glob("*.sock")
    return str(path)


def test_both_sides_speak_of_the_same_request() -> None:
    assert ask.REQUEST == hook_socket.REQUEST


def test_a_server_is_asked_and_answers(home: Path, listen: Callable[..., HookSocket]) -> None:
    listen(echo)
    assert asked(home, b'{"a":\n "\xff"}') == b'Stop|claude|{"a":\n "\xff"}'
    assert asked(home, b"") == b"Stop|claude|"


def test_a_large_payload_arrives_whole(home: Path, listen: Callable[..., HookSocket]) -> None:
    listen(lambda payload, *_: str((len(payload), payload[-3:])).encode())
    assert asked(home, b"x" * 5_000_000 + b"end") == b"(5000003, b'end')"


def test_nothing_to_say_is_an_answer(home: Path, listen: Callable[..., HookSocket]) -> None:
    listen(lambda *_: b"")
    assert asked(home) == b""


def test_only_the_owner_can_ask(home: Path, listen: Callable[..., HookSocket]) -> None:
    listen(echo)
    assert stat.S_IMODE(Path(path_of(home)).stat().st_mode) == 0o600
    assert stat.S_IMODE((home / "run").stat().st_mode) == 0o700


def test_sockets_and_folders_of_others_are_not_asked(
    home: Path, listen: Callable[..., HookSocket], monkeypatch: pytest.MonkeyPatch
) -> None:
    listen(echo)
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert ask.sockets(str(home / "run")) == []
    assert asked(home) is None


def test_a_hook_still_waits_until_it_hangs_up(home: Path, listen: Callable[..., HookSocket]) -> None:
    seen: list[bool] = []
    gone, done = threading.Event(), threading.Event()

    def answer(_payload: bytes, _event: str, _assistant: str, wanted: Callable[[], bool]) -> bytes:
        seen.append(wanted())
        gone.wait(PATIENCE_S)
        seen.append(wanted())
        done.set()
        return b"too late"

    listen(answer)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as hook:
        hook.settimeout(PATIENCE_S)
        hook.connect(path_of(home))
        hook.sendall(f"{ask.REQUEST} Stop claude 2\n{{}}".encode())
        assert hook.recv(10) == b"."
    gone.set()
    assert done.wait(PATIENCE_S)
    assert seen == [True, False]


def test_who_was_told_that_an_answer_has_begun_waits_for_the_rest(
    home: Path, listen: Callable[..., HookSocket], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else it would be said to nobody, and count as said."""
    monkeypatch.setattr(ask, "BEGUN_S", PATIENCE_S)
    # The hook looks at the clock to know its patience, to connect, to send and to receive; then its patience is over.
    times = itertools.chain([0.0] * 4, itertools.repeat(PATIENCE_S + 1.0))
    monkeypatch.setattr(ask, "time", SimpleNamespace(monotonic=lambda: next(times)))

    def answer(_payload: bytes, _event: str, _assistant: str, wanted: Callable[[], bool]) -> bytes:
        return b".+ done" if wanted() and wanted() else b""

    listen(answer)
    assert asked(home) == b".+ done"


def test_who_fails_to_answer_says_so_in_the_log_and_goes_on(
    home: Path, listen: Callable[..., HookSocket], logged: list[str]
) -> None:
    def answer(payload: bytes, *_: object) -> bytes:
        return b"fine" if payload == b"good" else b"%d" % (1 // 0)

    listen(answer)
    assert asked(home, b"bad") is None
    assert asked(home, b"good") == b"fine"
    assert logged == ["a hook got no answer: ZeroDivisionError: integer division or modulo by zero"]


@pytest.mark.parametrize(
    "request_",
    [
        b"",
        b"GET / HTTP/1.1\r\n\r\n",
        b"recollect-hook 2 Stop claude 0\n",
        b"recollect-hook 1 Stop claude -1\n",
        b"recollect-hook 1 Stop claude 99999999999\n",
        b"recollect-hook 1 Stop claude 10\nshort",
        b"x" * 5000,
    ],
)
def test_what_is_no_request_gets_no_answer(home: Path, listen: Callable[..., HookSocket], request_: bytes) -> None:
    listen(echo)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(PATIENCE_S)
        connection.connect(path_of(home))
        connection.sendall(request_)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(10) == b""
    assert asked(home, b"{}") == b"Stop|claude|{}"


def test_who_comes_while_all_are_busy_is_sent_away(home: Path, listen: Callable[..., HookSocket]) -> None:
    release, busy = threading.Event(), threading.Semaphore(0)

    def answer(*_: object) -> bytes:
        busy.release()
        release.wait(PATIENCE_S)
        return b"at last"

    listen(answer)
    answers: list[bytes | None] = []
    waiting = [threading.Thread(target=lambda: answers.append(asked(home))) for _ in range(hook_socket.MOST_AT_ONCE)]
    for thread in waiting:
        thread.start()
    for _ in waiting:
        assert busy.acquire(timeout=PATIENCE_S)
    assert asked(home) is None
    release.set()
    for thread in waiting:
        thread.join(PATIENCE_S)
    assert answers == [b"at last"] * hook_socket.MOST_AT_ONCE


def test_the_newest_server_is_asked_and_the_next_if_it_is_gone(home: Path, listen: Callable[..., HookSocket]) -> None:
    listen(echo)
    dead = home / "run" / "999999.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left_behind:
        left_behind.bind(str(dead))
    os.utime(dead, (2**31, 2**31))
    assert ask.sockets(str(home / "run"))[0] == str(dead)
    assert asked(home) == b"Stop|claude|{}"


def test_sockets_of_servers_that_are_gone_are_removed(home: Path, listen: Callable[..., HookSocket]) -> None:
    (home / "run").mkdir(mode=0o700)
    dead = home / "run" / "999999.sock"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left_behind:
        left_behind.bind(str(dead))
    listen(echo)
    assert not dead.exists()


def test_a_server_that_stops_leaves_nothing_behind(home: Path, listen: Callable[..., HookSocket]) -> None:
    listener = listen(echo)
    listener.stop()
    assert list((home / "run").iterdir()) == []
    assert asked(home) is None


def test_where_nobody_listens_nobody_answers(home: Path) -> None:
    assert asked(home) is None
    (home / "run").write_bytes(b"a file")
    assert asked(home) is None


# --- a home whose path is too long for a socket ---


@pytest.fixture
def far(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home whose path is too long; the folder for temporary files is that of this test."""
    temporary = home / "tmp"
    temporary.mkdir()
    monkeypatch.setattr(hook_socket, "SHORT_FOLDERS", (str(temporary),))
    return home / ("x" * 100) / "home"


def test_a_home_with_a_long_path_has_a_private_socket_elsewhere(home: Path, far: Path, logged: list[str]) -> None:
    listener = HookSocket(far, echo, logged.append)
    assert listener.start()
    (folder,) = (home / "tmp").iterdir()
    (path,) = folder.iterdir()
    assert (stat.S_IMODE(folder.stat().st_mode), stat.S_IMODE(path.stat().st_mode)) == (0o700, 0o600)
    assert asked(far) == b"Stop|claude|{}"
    listener.stop()
    assert asked(far) is None
    assert (list((far / "run").iterdir()), list((home / "tmp").iterdir()), logged) == ([], [], [])


def test_homes_with_long_paths_do_not_share_a_folder(home: Path, far: Path) -> None:
    assert hook_socket.short_folder(far / "run") != hook_socket.short_folder(far.parent / "other" / "run")
    assert hook_socket.short_folder(far / "run") == hook_socket.short_folder(far / "run")


def test_a_folder_that_another_has_taken_is_not_used(home: Path, far: Path, logged: list[str]) -> None:
    taken = hook_socket.short_folder(far / "run")
    taken.chmod(0o755)
    assert not HookSocket(far, echo, logged.append).start()
    taken.rmdir()
    (home / "theirs").mkdir(mode=0o700)
    taken.symlink_to(home / "theirs")
    assert not HookSocket(far, echo, logged.append).start()
    assert [("is not a folder of this user alone" in line) for line in logged] == [True, True]


def test_a_link_into_a_folder_that_is_open_to_others_is_not_asked(home: Path, far: Path, logged: list[str]) -> None:
    listener = HookSocket(far, echo, logged.append)
    assert listener.start()
    (folder,) = (home / "tmp").iterdir()
    folder.chmod(0o777)
    assert asked(far) is None
    folder.chmod(0o700)
    assert asked(far) == b"Stop|claude|{}"
    listener.stop()


def test_what_a_killed_server_left_is_removed_by_the_next(home: Path, far: Path, logged: list[str]) -> None:
    folder = hook_socket.short_folder(far / "run")
    (far / "run").mkdir(parents=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as left_behind:
        left_behind.bind(str(folder / "999999.sock"))
    (far / "run" / "999999.sock").symlink_to(folder / "999999.sock")
    (far / "run" / "999998.sock").symlink_to(folder / "999998.sock")
    listener = HookSocket(far, echo, logged.append)
    assert listener.start()
    assert [path.name for path in folder.iterdir()] == [f"{os.getpid()}.sock"]
    assert [path.name for path in (far / "run").iterdir()] == [f"{os.getpid()}.sock"]
    listener.stop()


def test_where_no_path_is_short_enough_there_is_no_socket_and_the_log_says_so(
    far: Path, logged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    far.mkdir(parents=True)
    monkeypatch.setattr(hook_socket, "SHORT_FOLDERS", (str(far),))
    assert not HookSocket(far, echo, logged.append).start()
    assert len(logged) == 1 and "too long" in logged[0]


def test_a_folder_that_cannot_be_is_told_to_the_log(home: Path, logged: list[str]) -> None:
    (home / "run").write_bytes(b"a file")
    assert not HookSocket(home, echo, logged.append).start()
    assert len(logged) == 1 and "by themselves" in logged[0]
