"""The answer of a hook: from a running server, else from this process, else empty.

    payload ─► a server's socket ─(no server, too slow)─► prompt: fast search of the database (fast path)
                                                         start, tool: an engine of our own

A server is asked through <home>/run/<pid>.sock, which is a link if the path is too long for a socket: one line with
event, assistant and length, then the payload. It returns a plus sign and what to print. Its engine is warm, so asking
costs no more than spooling. A full stop before the plus sign means that injections are being recorded: a hook that
disconnects earlier got nothing, and one that received it waits for the rest.

Like the hook, this file imports only modules of a bare interpreter, until it has to answer itself.
"""
# ruff: noqa: PTH100, PTH112, PTH114, PTH115, PTH116, PTH118, PTH120, PTH208
# (No pathlib, for the same reason as in hook.py.)

import os
import sys
import time

# Timeout of a server in seconds, by moment. After a prompt a person waits; a session starts once, and a new
# server may first have to process the events of the last one; after a failure the model takes seconds anyway.
PATIENCE_S = {"prompt": 0.1, "start": 3.5, "tool": 0.5}
# A server that has begun to answer only has to record it: a write, which may wait for another.
BEGUN_S = 2.0
# The newest servers are asked; if these do not answer, the others will not either.
MOST_SERVERS = 3
# More than any answer, which has a few thousand bytes.
ANSWER_BYTES = 256 * 1024
# The first words of a request; a server of another version does not answer.
REQUEST = "recollect-hook 1"
# The payload of a failure contains one of these. Most uses of tools do not fail, and loading an engine for each would
# take a quarter of a second.
SUSPECT = (
    b"rror", b"RROR", b"ail", b"AIL", b"xit", b"anic", b"raceback", b"xception", b"ot found", b"o such", b"enied",
    b"fatal", b"refused", b"timed out", b"rejected", b"ERR!", b"o module", b"ould not", b"annot", b"nable to", b"*** ",
    b"ndefined", b"issing", b"is not a", b"ault",
)  # fmt: skip


def answer(payload: bytes, home: str, event: str, assistant: str, moment: str) -> bytes:
    """Return what to print, in the format of the assistant; empty: nothing."""
    if moment not in PATIENCE_S:
        return b""
    said = from_servers(payload, os.path.join(home, "run"), event, assistant, PATIENCE_S[moment])
    return by_ourselves(payload, home, event, assistant, moment) if said is None else said


# --- A server --------------------------------------------------------------------------------------------------------


def from_servers(payload: bytes, folder: str, event: str, assistant: str, patience_s: float) -> "bytes | None":
    """Return the answer of a running server, which may be empty; None: none answered in time."""
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
    """Return the sockets of servers, the newest first: only those of this user, in a folder of this user."""
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
    """Return the socket at a path or behind its link; empty if that, or its folder, is not ours.

    Temporary folders are writable for all users and are emptied: another user may have taken the name.
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
    """Send a request and return the answer; raises OSError if no server listens or answers until then."""
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
    """Return the seconds left, never 0, which would make the socket non-blocking; raises TimeoutError."""
    left = until - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


# --- No server -------------------------------------------------------------------------------------------------------


def by_ourselves(payload: bytes, home: str, event: str, assistant: str, moment: str) -> bytes:
    """Return the answer of this process, in the format of the assistant; empty: nothing."""
    if moment == "tool" and "ailure" not in event and not any(word in payload for word in SUSPECT):
        return b""
    import gc

    gc.disable()  # it would take a twentieth of the time of a process that ends soon
    sys.path.extend(packages())
    # Optional for msgspec; loading it takes as long as all of msgspec.
    sys.modules.setdefault("typing_extensions", None)  # type: ignore[arg-type]
    from recollect.surface.hooks.hook_output import by_engine, by_fast_path

    return (by_fast_path if moment == "prompt" else by_engine)(payload, home, event, assistant)


def packages() -> list[str]:
    """Return the folder of our package and of its dependencies, which may be another one of this interpreter."""
    version = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    prefix = os.path.dirname(os.path.dirname(sys.executable or ""))
    beside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    theirs = [os.path.join(prefix, "lib", version, "site-packages"), os.path.join(prefix, "Lib", "site-packages")]
    return [beside, *(path for path in theirs if path != beside and os.path.isdir(path))]
