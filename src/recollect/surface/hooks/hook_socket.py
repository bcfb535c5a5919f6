"""The private socket through which a server answers the hooks of its user.

    <home>/run/<pid>.sock, 0600 in a folder of mode 0700; ask.py is the other end

The path of a socket is limited to about a hundred bytes. In a home with a longer path, <pid>.sock is a link to a socket
in a private temporary folder.

Every server has one; a hook asks the newest. Hooks are answered in separate threads, a few at a time, and do not delay
the assistant. The next server removes the sockets of servers that ended.
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

# The first words of a request, as in ask.py; another version gets no answer.
REQUEST = "recollect-hook 1"

# Takes the payload, event and assistant of a hook, and a function that returns whether the hook still waits. That is
# called before injections are recorded; from then on the hook waits for the rest. Returns what the hook prints.
Answer = Callable[[bytes, str, str, Callable[[], bool]], bytes]

# Hooks answered at the same time; others are refused and answer themselves.
MOST_AT_ONCE = 4
# The limit of the hook itself; names of events and assistants are short.
PAYLOAD_BYTES = 32 * 1024 * 1024
LINE_BYTES = 1024
# A hook sends everything at once.
PATIENCE_S = 5.0
# A path of a socket cannot be longer on some systems (macOS: 104 with its end).
PATH_BYTES = 103
# Temporary folders; the private one of the user, which systems with a service manager have, comes first.
SHORT_FOLDERS = ("/run/user/{user}", "{temporary}", "/tmp")  # noqa: S108 - a folder of our own is made in it


class HookSocket:
    """The socket of one server. Errors go to `log`; nothing is raised."""

    def __init__(self, home: Path, answer: Answer, log: Callable[[str], None]) -> None:
        self._folder = home / "run"
        self._path = self._folder / f"{os.getpid()}.sock"
        self._bound_to = self._path
        self._answer = answer
        self._log = log
        self._socket: socket.socket | None = None
        self._free = threading.Semaphore(MOST_AT_ONCE)

    def start(self) -> bool:
        """Start to listen in the background; returns whether that works here."""
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
        """Stop listening; hooks that are being answered get their answer or time out."""
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
            listening.bind(str(self._bound_to))  # in a folder that no other user can enter
            self._bound_to.chmod(0o600)
            listening.listen(16)
            if self._bound_to != self._path:
                self._path.symlink_to(self._bound_to)
        except OSError:
            listening.close()
            raise
        return listening

    def _tidy(self) -> None:
        """Remove the sockets of servers that ended."""
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
                if self._socket is listening:  # too many open files: wait until some are closed
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
            pass  # the hook timed out
        except Exception as problem:
            self._log(f"a hook got no answer: {type(problem).__name__}: {problem}")
        finally:
            connection.close()  # after the log has the reason
            self._free.release()


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= PATH_BYTES


def short_folder(folder: Path) -> Path:
    """Return a private folder with a short path for the sockets of this one; it is created if needed.

    Raises OSError if there is none, or if another user created it: they could read the messages.
    """
    import hashlib
    import tempfile

    name = f"recollect-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]}"
    user = os.geteuid()
    places = [Path(place.format(user=user, temporary=tempfile.gettempdir())) for place in SHORT_FOLDERS]
    # A process id has at most seven digits.
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
    """Remove a socket, its link target, and the folder of that if it is empty."""
    if path.is_symlink():
        target = path.readlink()
        with contextlib.suppress(OSError):  # of another user, or with sockets of other servers
            target.unlink(missing_ok=True)
            target.parent.rmdir()
    path.unlink(missing_ok=True)


def _request(connection: socket.socket) -> tuple[bytes, str, str] | None:
    """Return payload, event and assistant of a request; None if it is invalid."""
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
    """Return the data up to the end of the first line, and what was received with it."""
    begun = b""
    while b"\n" not in begun and len(begun) < LINE_BYTES:
        part = connection.recv(65_536)
        if not part:
            break
        begun += part
    return begun


def _waits(connection: socket.socket) -> bool:
    """Return whether the hook still waits, and tell it that an answer has begun.

    A closed connection can be read and is empty; an open one has nothing to read.
    """
    connection.setblocking(False)  # with a timeout, it would wait
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
