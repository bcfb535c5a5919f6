"""Another process that a test needs: imported it starts one, run as a script it is one and plays a named role.

    child = Child("hold_lock", database=path)     parent: start it
    child.hear()                                  parent: what it says next, once it has
    child.tell()                                  parent: let it go on

Both sides speak JSON lines and wait for each other by reading, never by sleeping.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]

# As in tests.waiting, which a process of its own does not load.
PATIENCE_S = 300

NOBODY = 65534


class Child:
    """A process that plays a role of this file. Use as a context manager: what is still there at the end is killed."""

    def __init__(self, role: str, **options: Any) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, role, json.dumps(options, default=str)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._seen = b""

    def hear(self) -> Any:
        """Return the next thing the child says."""
        assert self._process.stdout is not None
        source = self._process.stdout.fileno()
        while b"\n" not in self._seen:
            assert select.select([source], [], [], PATIENCE_S)[0], "the child says nothing"
            chunk = os.read(source, 65_536)
            assert chunk, f"the child ended: {self._complaints()}"
            self._seen += chunk
        line, _, self._seen = self._seen.partition(b"\n")
        return json.loads(line)

    def tell(self) -> None:
        """Let a child that listens go on."""
        assert self._process.stdin is not None
        self._process.stdin.write(b"\n")
        self._process.stdin.flush()

    def kill(self) -> None:
        """End the child where it is."""
        self._process.send_signal(signal.SIGKILL)
        assert self._process.wait(PATIENCE_S) == -signal.SIGKILL

    def _complaints(self) -> str:
        assert self._process.stderr is not None
        return self._process.stderr.read().decode()

    def __enter__(self) -> Child:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_S)
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            assert pipe is not None
            pipe.close()


def ask(role: str, **options: Any) -> Any:
    """Start a child and return the one thing it has to say."""
    with Child(role, **options) as child:
        return child.hear()


# --- the child's side ------------------------------------------------------------------------------------------------


def say(answer: Any) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


def listen() -> None:
    if not sys.stdin.readline():
        sys.exit(1)  # Nobody is there any more.


def engine(database: str, **values: Any) -> Any:
    from tests.fakes import HashingEmbedder

    from recollect.engine import Engine

    values.setdefault("embedder", HashingEmbedder())
    values.setdefault("home", "/nonexistent/home")
    return Engine(database=database, **values)


def outcome(work: Callable[[], Any]) -> Any:
    """Return what `work` returns, or the code of the error it raises."""
    from recollect.errors import RecollectError

    try:
        return work()
    except RecollectError as problem:
        return problem.code


def used(database: str, **values: Any) -> dict[str, Any]:
    """Return what comes of using a database in every way, each with an engine that has not seen it before."""

    def work(verb: Callable[[Any], Any]) -> Any:
        def once() -> Any:
            with engine(database, **values) as opened:
                return verb(opened)

        return outcome(once)

    def health(opened: Any) -> dict[str, Any]:
        found = opened.admin.health()
        return {"status": found.status} | {check.name: [check.status, check.detail] for check in found.checks}

    return {
        "list": work(lambda opened: sorted(memory.content for memory in opened.memories.list(limit=1000).memories)),
        "search": work(lambda opened: [hit.memory.content for hit in opened.recall.search("which fruit is red").hits]),
        "mode": work(lambda opened: opened.recall.search("which fruit is red").mode),
        "get": work(lambda opened: [opened.memories.get(row.id).content for row in opened.memories.list().memories]),
        "store": work(lambda opened: opened.memories.store("one more memory").created),
        "health": work(health),
    }


def use(database: str, **values: Any) -> None:
    """Use a database as somebody without any privilege."""
    with tempfile.TemporaryDirectory() as folder:
        # Afterwards our own source may be out of reach: everything is imported now.
        used(str(Path(folder) / "warm.db"))
    if os.getuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    say(used(database, **values))


def fill(database: str, *, limit_bytes: int) -> None:
    """Store until the files may not grow, say what came of it, and store again once they may."""
    from recollect.errors import RecollectError

    with engine(database) as opened:
        opened.memories.store("stored while there was room")
        _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, most))
        stored: list[str] = []
        code = ""
        while not code:
            try:
                stored.append(opened.memories.store(f"{len(stored)} " + "filler " * 800).memory.id)
            except RecollectError as problem:
                code = problem.code
        read = sum(opened.memories.get(row).content.startswith(f"{at} ") for at, row in enumerate(stored))
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
        again = outcome(lambda: opened.memories.store("stored after space was freed").created)
    say({"code": code, "stored": len(stored), "read": read, "again": again})


def hold_lock(database: str) -> None:
    """Hold a lock that neither readers nor writers get past, until told."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
    connection.execute("BEGIN EXCLUSIVE")
    connection.execute("CREATE TABLE held (x)")
    say("held")
    listen()
    connection.execute("ROLLBACK")
    connection.close()
    say("released")
    listen()


def hold_write(database: str) -> None:
    """Hold the write lock, until told."""
    connection = sqlite3.connect(database, isolation_level=None)
    connection.execute("BEGIN IMMEDIATE")
    say("held")
    listen()
    connection.execute("ROLLBACK")
    say("released")
    listen()


def open_first(database: str, *, content: str, migrate: str = "") -> None:
    """Wait for the others, then open a database that may not exist and store something."""
    from recollect.store import sqlite

    if migrate:
        sqlite.MIGRATIONS = (*sqlite.MIGRATIONS, Step(migrate))
    with engine(database) as opened:
        say("ready")
        listen()
        say(outcome(lambda: opened.memories.store(content).memory.id))


class Step:
    """A migration made up by a test."""

    def __init__(self, sql: str) -> None:
        self._sql = sql

    def statements(self, _dialect: str) -> Iterator[str]:
        yield from self._sql.split(";")


def write_and_stay(database: str, *, contents: list[str]) -> None:
    """Store and then keep the database open: whoever kills this process leaves its log behind."""
    with engine(database) as opened:
        for content in contents:
            opened.memories.store(content)
        say("stored")
        listen()


def embed(database: str, *, dimensions: int, batches: int) -> None:
    """Make vectors of a model; in the midst of the batch after so many, say so and wait."""
    from tests.fakes import HashingEmbedder

    embedder = HashingEmbedder(dimensions)
    asked = 0

    def count() -> None:
        nonlocal asked
        asked += 1
        if asked > batches:
            say("embedding")
            listen()

    embedder.when_called = count
    with engine(database, embedder=embedder) as opened:
        opened.embedding.catch_up()
    say("done")


def ask_model(database: str, *, calls: int, options: dict[str, Any]) -> None:
    """Wait for the others, then ask the language model so many times and say what came of each."""
    with engine(database, **options) as opened:
        opened.store.describe()
        say("ready")
        listen()
        say([outcome(lambda: opened.llm.complete("Why?", max_tokens=5)) for _ in range(calls)])


def take_in(payload: str, *, options: dict[str, Any]) -> None:
    """Take in what a hook was given, and let a language model shorten it."""
    from recollect.engine import Engine

    with Engine(**options) as opened:
        say("ready")
        listen()
        say(opened.capture.ingest(payload).compressed)


def drain(home: str) -> None:
    """Drain the spool as a server does, not in the main thread, and say what stood in the way."""
    import threading

    from recollect.engine import Engine

    with Engine(home=home, embed_provider="off") as opened:
        draining = threading.Thread(target=lambda: say(list(opened.capture.drain().notes)))
        draining.start()
        draining.join()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    roles = (use, fill, hold_lock, hold_write, open_first, write_and_stay, embed, ask_model, take_in, drain)
    {role.__name__: role for role in roles}[sys.argv[1]](**json.loads(sys.argv[2]))
