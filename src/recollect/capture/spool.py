"""Spool: the folder where hooks leave payloads, and from which drainers claim each once.

    tmp/  ──hook──►  new/  ──claim──►  work/<drainer>/  ──done──►  gone
                      ▲                     │     ├──refused──►  bad/               (redacted, with its reason)
                      ├──── given back ─────┘     └──stuck────►  stuck/<version>/   (unchanged)
                      └──────────── by a newer version ───────────────┘

Claiming is a rename, so two drainers never hold the same file. A drainer holds a lock on work/<drainer>.lock while it
lives. The system releases the lock of a dead process, so that another can take it and give the claims back. A drainer
that died after storing leaves a file that is claimed twice: storing records its name in the same transaction.

A payload may have killed its drainer. Its file name counts such deaths (`<name>~2`): it is claimed alone and last, and
set aside as stuck after MOST_DEATHS, like one that exceeds its CPU limit. A stuck payload is not redacted, since
redaction may be what does not end; a newer version of recollect tries it again.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import ClassVar, NamedTuple

from recollect import clock
from recollect.capture.observation import BadPayload
from recollect.files import open_file, private_folder
from recollect.version import __version__, release

# Kept of an unreadable payload.
BAD_BYTES = 16 * 1024
# Bad payloads kept at most; the oldest go first.
BAD_FILES = 100
# Stuck payloads kept at most, in files and in bytes; the oldest go first.
STUCK_FILES = 100
STUCK_BYTES = 256 * 1024 * 1024
# Drainers that may die with a payload; after the first it is claimed alone.
MOST_DEATHS = 4
# A hook writes its file in tmp/ within a second; after this long it was killed.
ABANDONED_S = 3600
# Windows: claims expire after this long, far longer than a batch takes.
SILENT_S = 900
# The limit of hooks (hook.LIMIT_BYTES).
MAX_BYTES = 32 * 1024 * 1024


class Payload(NamedTuple):
    """A claimed file: its original name, and its path now."""

    name: str
    path: Path

    @property
    def at_ns(self) -> int:
        """When its hook ran, by its name or else by the file's time."""
        digits = self.name.partition("-")[0]
        if len(digits) == 20 and digits.isascii() and digits.isdigit():
            return int(digits)
        with suppress(OSError):
            return self.path.stat().st_mtime_ns
        return time.time_ns()

    @property
    def event(self) -> str:
        """The event its hook was started for; empty if it did not say."""
        return self._word(1)

    @property
    def assistant(self) -> str:
        """The assistant its hook was installed for; empty if it did not say."""
        return self._word(2)

    def _word(self, place: int) -> str:
        words = self.name.split(".")
        return words[place] if len(words) > place and words[place] != "unknown" else ""

    @property
    def deaths(self) -> int:
        """The number of drainers that died while they held it."""
        return _deaths(self.path.name)

    def read(self) -> bytes:
        """Return the bytes the hook was given, up to the limit of hooks."""
        with open_file(self.path) as file:
            return file.read(MAX_BYTES + 1)


class Stuck(NamedTuple):
    """A payload that took too long, or with which drainers died."""

    payload: Payload
    at: int
    size_bytes: int
    version: str


class Spool:
    """The spool of a home, as this version of recollect sees it."""

    _last: ClassVar[dict[Path, int]] = {}  # when this process put its last payload, by folder

    def __init__(self, home: Path) -> None:
        self.folder = home / "spool"
        self.new, self.work, self.bad, self.stuck = (self.folder / name for name in ("new", "work", "bad", "stuck"))

    def is_empty(self) -> bool:
        """Tell whether nothing waits; cheap enough for every command."""
        return not _has_entries(self.new) and not _has_entries(self.work) and not self._outdated()

    def has_others(self, payload: bytes) -> bool:
        """Tell whether more waits than one payload, that of the hook which is answered."""
        names = _files(self.new)
        if len(names) > 1 or _has_entries(self.work) or self._outdated():
            return True
        with suppress(OSError):
            return any(_payload(self.new / name).read() != payload for name in names)
        return True

    def waiting(self) -> int:
        """Return how many payloads wait to be taken."""
        return len(_files(self.new))

    def ending(self) -> frozenset[str]:
        """Return the sessions with an end of theirs, or of a turn, among what waits or is claimed."""
        from recollect.capture.payload import read

        found: set[str] = set()
        for root in (self.new, self.work):
            # Claims are listed late: what is claimed meanwhile is among them.
            folders = [root / name for name in _names(root)] if root == self.work else [root]
            for payload in (_payload(folder / name) for folder in folders for name in _files(folder)):
                if "tool" not in payload.event.lower():  # these are many, and large
                    with suppress(BadPayload, OSError):
                        seen = read(payload.read(), event=payload.event, assistant=payload.assistant)
                        found |= {seen.session} if seen.event in ("turn_end", "session_end") else set()
        return frozenset(found)

    def put(self, payload: bytes, *, event: str = "", assistant: str = "") -> str:
        """Leave a payload as a hook would; returns its name."""
        words = ["".join(c if c.isascii() and (c.isalnum() or c in "-_") else "_" for c in word[:40]) or "unknown"
                 for word in (event, assistant)]  # fmt: skip
        name = f"{self._moment():020d}-{os.getpid()}-{os.urandom(4).hex()}.{words[0]}.{words[1]}"
        for folder in (self.folder / "tmp", self.new):
            private_folder(folder)
        temporary = self.folder / "tmp" / name
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(payload)
        temporary.rename(self.new / name)
        return name

    def _moment(self) -> int:
        """Return a time in nanoseconds that is later than that of the payload before it."""
        real, seconds = time.time_ns(), clock.now()
        # A second may end between the two readings.
        at = real if 0 <= seconds - real // 10**9 <= 1 else seconds * 10**9 + real % 10**9
        last = self._last.get(self.folder, 0)
        self._last[self.folder] = at = last + 1 if 0 <= last - at < 2 * 10**9 else at
        return at

    def tidy(self) -> None:
        """Put back what dead drainers had claimed and older versions set aside; remove what dead hooks had begun."""
        for lock in _names(self.work):
            if lock.endswith(".lock"):
                self._take_back(lock.removesuffix(".lock"))
        for name in _names(self.work):
            # A folder without a lock: its drainer died between the two, or another process tidies too.
            if not name.endswith(".lock") and not (self.work / f"{name}.lock").exists():
                self.give_back(self.work / name)
        self._retry()
        edge = time.time() - ABANDONED_S
        for name in _names(self.folder / "tmp"):
            with suppress(OSError):
                if (self.folder / "tmp" / name).stat().st_mtime < edge:
                    (self.folder / "tmp" / name).unlink()

    def _take_back(self, drainer: str) -> None:
        lock = self.work / f"{drainer}.lock"
        with suppress(OSError), open_file(lock) as file:
            if _is_free(file.fileno(), lock):
                self.give_back(self.work / drainer, died=True)
                lock.unlink()

    def give_back(self, claims: Path, *, died: bool = False) -> None:
        """Give the claims of a drainer back; died: count its death, and set aside after too many."""
        for name in _names(claims):
            payload = _payload(claims / name)
            deaths = payload.deaths + died
            with suppress(OSError):
                if died and deaths >= MOST_DEATHS:
                    self.set_aside(payload, deaths)
                else:
                    payload.path.rename(self.new / _counted(payload.name, deaths))
        with suppress(OSError):
            claims.rmdir()

    def set_aside(self, payload: Payload, deaths: int = 0) -> None:
        """Set a payload aside for a newer version. Raises OSError."""
        folder = self.stuck / __version__
        private_folder(folder)
        os.utime(payload.path)  # the time when it got stuck
        payload.path.rename(folder / _counted(payload.name, deaths))
        kept = 0
        for number, each in enumerate(reversed(self.stuck_payloads())):
            kept += each.size_bytes
            if number >= STUCK_FILES or kept > STUCK_BYTES:
                each.payload.path.unlink(missing_ok=True)

    def refused(self) -> int:
        """Return how many payloads are kept that could not be read."""
        return len(_names(self.bad))

    def stuck_payloads(self) -> list[Stuck]:
        """Return the stuck payloads, the oldest first."""
        found = []
        for version in _names(self.stuck):
            for name in _files(self.stuck / version):
                payload = _payload(self.stuck / version / name)
                with suppress(OSError):
                    status = payload.path.stat()
                    found.append(Stuck(payload, int(status.st_mtime), status.st_size, version))
        return sorted(found, key=lambda each: (each.at, each.payload.name))

    def _retry(self) -> None:
        """Put back what older versions have set aside."""
        for folder in self._outdated():
            for name in _names(folder):
                payload = _payload(folder / name)
                with suppress(OSError):
                    payload.path.rename(self.new / payload.name)
            with suppress(OSError):
                folder.rmdir()

    def _outdated(self) -> list[Path]:
        own = release(__version__)
        return [self.stuck / version for version in _names(self.stuck) if release(version) < own]

    def refuse(self, payload: Payload, reason: str, excerpt: str) -> None:
        """Set a payload aside with the reason; `excerpt` is what is kept of it, already without secrets."""
        with suppress(OSError):
            self.bad.mkdir(mode=0o700, exist_ok=True)
            kept = excerpt.encode("utf-8", "replace")[:BAD_BYTES]
            told = f"reason: {reason}\nbytes: {payload.path.stat().st_size}\n\n".encode("utf-8", "replace")
            with os.fdopen(os.open(self.bad / payload.name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as out:
                out.write(told + kept)
            for name in sorted(_names(self.bad))[:-BAD_FILES]:
                with suppress(OSError):
                    (self.bad / name).unlink()
        with suppress(OSError):
            payload.path.unlink()


class Claims:
    """The claims of one drainer; used as a context manager, it releases unfinished ones."""

    def __init__(self, spool: Spool) -> None:
        self._spool = spool
        self._lock, self._name = -1, ""

    def __enter__(self) -> Claims:
        private_folder(self._spool.work)
        private_folder(self._spool.new)
        while not self._name:
            name = f"{os.getpid()}-{os.urandom(8).hex()}"
            path = self._spool.work / f"{name}.lock"
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            # A process that tidies may have removed the new file.
            if sys.platform == "win32" or _is_free(descriptor, path):
                self._lock, self._name = descriptor, name
            else:
                os.close(descriptor)
        self._folder.mkdir(mode=0o700, exist_ok=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._spool.give_back(self._folder)
        with suppress(OSError):
            (self._spool.work / f"{self._name}.lock").unlink()
        os.close(self._lock)

    @property
    def _folder(self) -> Path:
        return self._spool.work / self._name

    def take(self, limit: int) -> list[Payload]:
        """Claim up to `limit` payloads, oldest first."""
        return list(islice(self._claimed(), limit))

    def _claimed(self) -> Iterator[Payload]:
        """Claim payloads without deaths; if there are none, one of the others."""
        is_first = True
        for name in sorted(_files(self._spool.new), key=lambda name: (_deaths(name), name)):
            is_suspect = _deaths(name) > 0
            if is_suspect and not is_first:
                return
            try:
                (self._spool.new / name).rename(self._folder / name)
            except OSError:  # another drainer has it
                continue
            yield _payload(self._folder / name)
            if is_suspect:
                return
            is_first = False

    def done(self, payload: Payload) -> None:
        """Remove a payload for good."""
        with suppress(OSError):
            payload.path.unlink()


def _payload(path: Path) -> Payload:
    return Payload(path.name.partition("~")[0], path)


def _counted(name: str, deaths: int) -> str:
    """Return the file name of a payload with its count of deaths."""
    return f"{name}~{deaths}" if deaths else name


def _deaths(file_name: str) -> int:
    count = file_name.partition("~")[2]
    return int(count) if count.isascii() and count.isdigit() else 0


def _is_free(descriptor: int, path: Path) -> bool:
    """Lock an open file; tell whether that succeeded and the file still has its name."""
    if sys.platform == "win32":
        return time.time() - os.fstat(descriptor).st_mtime > SILENT_S
    import fcntl

    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return path.stat().st_ino == os.fstat(descriptor).st_ino
    except OSError:
        return False


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are wanted, not paths
    except OSError:
        return []


def _files(folder: Path) -> list[str]:
    """Return the names of regular files."""
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry in entries if entry.is_file(follow_symlinks=False)]
    except OSError:
        return []


def _has_entries(folder: Path) -> bool:
    try:
        with os.scandir(folder) as entries:
            return next(entries, None) is not None
    except OSError:
        return False
