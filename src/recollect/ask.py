"""What a hook answers: what a running server says, else what can be found out here, else nothing.

    payload ─► a server's socket ─(nobody there, too slow)─► prompt: a glance at the database
                                                            start, tool: an engine of our own

A server is asked through <home>/run/<pid>.sock, or what that is a link to where the path is too long for a socket: one
line with event, assistant and length, then the payload; it gives back a plus sign and what to print, or just the sign.
Its engine is warm, so that costs this process no more than the spooling did. A full stop before that means that
something is being said: who hangs up before it was told nothing, who got it waits for the rest.

Like the hook, this file imports only what a bare interpreter has at hand, until it has to answer by itself.
"""
# ruff: noqa: PTH100, PTH112, PTH114, PTH115, PTH116, PTH118, PTH120, PTH208
# (No pathlib, for the same reason as in hook.py.)

import os
import sys
import time

# How long a server may take, in seconds, by moment. A person waits for the first word after a prompt; a session starts
# once, and the failure of a tool is followed by a model that thinks for seconds.
PATIENCE_S = {"prompt": 0.1, "start": 2.0, "tool": 0.5}
# A server that has begun to answer only has to note that it did: a write, which may have to wait for another.
BEGUN_S = 2.0
# The newest servers are asked; more than a few that do not answer mean that none does.
MOST_SERVERS = 3
# Beyond any answer: they have a limit of a few thousand bytes.
ANSWER_BYTES = 256 * 1024
# The first line of a request: a server that expects another one says nothing.
REQUEST = "recollect-hook 1"
# What a failure shows somewhere in its payload. Most uses of tools do not fail, and loading an engine to learn that
# would cost a quarter of a second each.
SUSPECT = (
    b"rror", b"RROR", b"ail", b"AIL", b"xit", b"anic", b"raceback", b"xception", b"ot found", b"o such", b"enied",
    b"fatal", b"refused", b"timed out", b"rejected", b"ERR!", b"o module", b"ould not", b"annot", b"nable to", b"*** ",
    b"ndefined", b"issing", b"is not a", b"ault",
)  # fmt: skip


def answer(payload: bytes, home: str, event: str, assistant: str, moment: str) -> bytes:
    """Return what to print, in the form that the assistant reads; empty: nothing."""
    if moment not in PATIENCE_S:
        return b""
    said = from_servers(payload, os.path.join(home, "run"), event, assistant, PATIENCE_S[moment])
    return by_ourselves(payload, home, event, assistant, moment) if said is None else said


# --- A server --------------------------------------------------------------------------------------------------------


def from_servers(payload: bytes, folder: str, event: str, assistant: str, patience_s: float) -> "bytes | None":
    """Return what a running server says to a payload, which may be nothing; None: none answered in time."""
    until = time.monotonic() + patience_s
    line = f"{REQUEST} {event} {assistant} {len(payload)}\n"
    for path in sockets(folder)[:MOST_SERVERS]:
        try:
            said = exchange(path, line.encode("utf-8", "replace") + payload, until)
        except OSError:
            continue
        said = said.lstrip(b".")
        if said[:1] == b"+":
            return said[1:]
    return None


def sockets(folder: str) -> list[str]:
    """Return the sockets of servers, the newest first: only those that belong to us, in a folder that does."""
    if not hasattr(os, "geteuid"):
        return []
    try:
        if os.stat(folder).st_uid != os.geteuid():
            return []
        found = [(os.lstat(path), path) for path in (os.path.join(folder, name) for name in os.listdir(folder))]
    except OSError:
        return []
    ours = [(status.st_mtime, path) for status, path in found if status.st_uid == os.geteuid() and path[-5:] == ".sock"]
    return [target for _, path in sorted(ours, reverse=True) if (target := _target(path))]


def _target(path: str) -> str:
    """Return the socket that a path is, or is a link to; empty: that one, or its folder, is not ours.

    Folders for temporary files are open to everybody, and are emptied: another may have taken the name since.
    """
    if not os.path.islink(path):
        return path
    target = os.readlink(path)
    try:
        folder, there = os.lstat(os.path.dirname(target)), os.lstat(target)
    except OSError:
        return ""
    is_private = folder.st_mode & 0o170077 == 0o040000  # a folder, and no link to one, that is closed to others
    return target if is_private and folder.st_uid == there.st_uid == os.geteuid() else ""


def exchange(path: str, request: bytes, until: float) -> bytes:
    """Send a request and return the answer; raises OSError where nobody listens, or nobody answered until then."""
    import _socket  # `socket` would load selectors and enum

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        connection.settimeout(_left(until))
        connection.connect(path)
        connection.settimeout(_left(until))
        connection.sendall(request)
        said = b""
        while len(said) <= ANSWER_BYTES:
            connection.settimeout(_left(until))
            part = connection.recv(65_536)
            if not part:
                return said
            if not said:
                until = max(until, time.monotonic() + BEGUN_S)
            said += part
        return b""
    finally:
        connection.close()


def _left(until: float) -> float:
    """Return the seconds that are left, never 0, which would mean something else to a socket; raises TimeoutError."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


# --- Nobody there ----------------------------------------------------------------------------------------------------


def by_ourselves(payload: bytes, home: str, event: str, assistant: str, moment: str) -> bytes:
    """Return what this process can find out itself, in the form that the assistant reads; empty: nothing."""
    if moment == "tool" and "ailure" not in event and not any(word in payload for word in SUSPECT):
        return b""
    sys.path.extend(packages())
    # msgspec looks for it and does without; loading it costs as much as all of msgspec.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
    from recollect.surface.hooks.hook_output import by_engine, by_glance

    return (by_glance if moment == "prompt" else by_engine)(payload, home, event, assistant)


def packages() -> list[str]:
    """Return where our package lies, and what it needs: mostly beside it, else where this interpreter has it."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    prefix = os.path.dirname(os.path.dirname(sys.executable or ""))
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    theirs = [os.path.join(prefix, "lib", version, "site-packages"), os.path.join(prefix, "Lib", "site-packages")]
    return [beside, *(path for path in theirs if path != beside and os.path.isdir(path))]
