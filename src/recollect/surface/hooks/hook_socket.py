"""Listening: a server answers the hooks of this machine's user through a private socket.

    <home>/run/<pid>.sock, 0600 in a folder of mode 0700; ask.py is the other end

The path of a socket is limited to a hundred bytes. Below a home whose path is longer, a link stands in its place that
leads to a socket in a private folder where the system keeps what is temporary.

Every server has one; a hook asks the newest. Answering happens in threads of its own, a few at a time, and never holds
up the conversation with the assistant. A socket whose server is gone is removed by the next one that comes.
"""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import threading
import time
from collections.abc import Callable
from pathlib import Path

from recollect.files import private_folder

# How a request begins, as ask.py writes it; one of another version gets no answer.
REQUEST = "recollect-hook 1"

# What a hook sends: payload, event, assistant; and whether it still waits, asked before anything counts as said: from
# then on it waits for the rest. Returns what it prints.
Answer = Callable[[bytes, str, str, Callable[[], bool]], bytes]

# Hooks answered at the same time; who comes beyond that is sent away and helps itself.
MOST_AT_ONCE = 4
# As the hook's own limit for a payload; names of events and assistants are short.
PAYLOAD_BYTES = 32 * 1024 * 1024
LINE_BYTES = 1024
# A hook sends everything at once: one that does not is stuck, or no hook.
PATIENCE_S = 5.0
# A path of a socket cannot be longer on some systems (macOS: 104 with its end).
PATH_BYTES = 103
# Folders for what is temporary, the private one of the user first: systems with a service manager have it.
SHORT_FOLDERS = ("/run/user/{user}", "{temporary}", "/tmp")  # noqa: S108 - a folder of our own is made in it


class HookSocket:
    """The socket of one server. `log` is told what goes wrong; nothing is raised."""

    def __init__(self, home: Path, answer: Answer, log: Callable[[str], None]) -> None:
        self._folder = home / "run"
        self._path = self._folder / f"{os.getpid()}.sock"
        self._bound_to = self._path
        self._answer = answer
        self._log = log
        self._socket: socket.socket | None = None
        self._free = threading.Semaphore(MOST_AT_ONCE)

    def start(self) -> bool:
        """Begin to listen in the background; returns whether that is possible here."""
        if not hasattr(socket, "AF_UNIX"):
            return False
        try:
            private_folder(self._folder)
            self._tidy()
            self._path.unlink(missing_ok=True)
            if not _fits(self._path):
                self._bound_to = short_folder(self._folder) / self._path.name
            self._socket = self._bound()
        except OSError as problem:
            self._log(f"hooks have to answer by themselves: {problem}")
            return False
        threading.Thread(target=self._accept, args=(self._socket,), name="hooks", daemon=True).start()
        return True

    def stop(self) -> None:
        """Stop listening; hooks that are being answered get their answer or lose their patience."""
        listening, self._socket = self._socket, None
        if listening is not None:
            _remove(self._path)
            with contextlib.suppress(OSError):  # wakes the thread that waits in accept
                listening.shutdown(socket.SHUT_RDWR)
            listening.close()

    def _bound(self) -> socket.socket:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._bound_to.unlink(missing_ok=True)
            listening.bind(str(self._bound_to))  # in a folder that nobody else can enter
            self._bound_to.chmod(0o600)
            listening.listen(16)
            if self._bound_to != self._path:
                self._path.symlink_to(self._bound_to)
        except OSError:
            listening.close()
            raise
        return listening

    def _tidy(self) -> None:
        """Remove the sockets of servers that are gone."""
        for path in self._folder.glob("*.sock"):
            with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
                probe.settimeout(0.1)
                try:
                    probe.connect(os.path.realpath(path) if path.is_symlink() else str(path))
                except (ConnectionRefusedError, FileNotFoundError):
                    _remove(path)

    def _accept(self, listening: socket.socket) -> None:
        while self._socket is listening:
            try:
                connection = listening.accept()[0]
            except OSError:
                if self._socket is listening:  # too many open files: others will be closed
                    time.sleep(0.1)
                continue
            if self._free.acquire(blocking=False):
                threading.Thread(target=self._serve, args=(connection,), name="hook", daemon=True).start()
            else:
                connection.close()

    def _serve(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(PATIENCE_S)
            asked = _request(connection)
            if asked is not None:
                connection.sendall(b"+" + self._answer(*asked, lambda: _waits(connection)))
        except OSError:
            pass  # the hook lost its patience
        except Exception as problem:
            self._log(f"a hook got no answer: {type(problem).__name__}: {problem}")
        finally:
            connection.close()  # after the log: who hears nothing finds the reason there
            self._free.release()


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= PATH_BYTES


def short_folder(folder: Path) -> Path:
    """Return a private folder with a short path that stands for this one; it is made if it is not there.

    Raises OSError where there is none, or where somebody else has taken its name: they could read along.
    """
    import hashlib
    import tempfile

    name = f"recollect-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    user = os.geteuid()
    places = [Path(place.format(user=user, temporary=tempfile.gettempdir())) for place in SHORT_FOLDERS]
    # A number of a process has seven digits at most.
    fitting = (place / name for place in places if os.access(place, os.W_OK) and _fits(place / name / "1234567.sock"))
    chosen = next(fitting, None)
    if chosen is None:
        raise OSError(f"the path of {folder} is too long for a socket, and so are those of folders for temporary files")
    with contextlib.suppress(FileExistsError):
        chosen.mkdir(mode=0o700)
    status = chosen.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != user or status.st_mode & 0o077:
        raise OSError(f"{chosen} is not a folder of this user alone")
    return chosen


def _remove(path: Path) -> None:
    """Remove a socket, and what it is a link to, with its folder if that was the last."""
    if path.is_symlink():
        target = path.readlink()
        with contextlib.suppress(OSError):  # somebody else's, or other servers are still there
            target.unlink(missing_ok=True)
            target.parent.rmdir()
    path.unlink(missing_ok=True)


def _request(connection: socket.socket) -> tuple[bytes, str, str] | None:
    """Return payload, event and assistant of a request; None if it is none."""
    line, _, begun = _until_line(connection).partition(b"\n")
    words = line.decode("utf-8", "replace").rsplit(" ", 3)
    if len(words) != 4 or words[0] != REQUEST or not words[3].isdecimal() or int(words[3]) > PAYLOAD_BYTES:
        return None
    parts, left = [begun], int(words[3]) - len(begun)
    while left > 0:
        part = connection.recv(min(left, 1024 * 1024))
        if not part:
            return None
        parts.append(part)
        left -= len(part)
    return b"".join(parts), words[1], words[2]


def _until_line(connection: socket.socket) -> bytes:
    """Return what comes up to the end of the first line, and whatever came with it."""
    begun = b""
    while b"\n" not in begun and len(begun) < LINE_BYTES:
        part = connection.recv(65_536)
        if not part:
            break
        begun += part
    return begun


def _waits(connection: socket.socket) -> bool:
    """Tell whether the other end is still there, and tell it that an answer has begun.

    Who hangs up has an end to read, who waits has nothing.
    """
    connection.setblocking(False)  # one with a time-out would wait for it
    try:
        if connection.recv(1, socket.MSG_PEEK) == b"":
            return False
    except BlockingIOError:
        pass
    except OSError:
        return False
    finally:
        connection.settimeout(PATIENCE_S)
    try:
        connection.sendall(b".")
    except OSError:
        return False
    return True
