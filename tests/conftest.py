"""What every test gets: a home of its own, and promises that are checked and counted.

No test can reach the memories of the person who runs the suite, nor the transcripts: RECOLLECT_HOME and
RECOLLECT_ASSISTANTS_HOME point into temporary folders and every other variable that recollect reads is removed, for
in-process code and for child processes alike.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

PREFIXES = ("RECOLLECT_", "CODEMEM_", "ATLAS_", "OPENAI_", "OLLAMA_", "ANTHROPIC_")

with (Path(__file__).parent / "promises.toml").open("rb") as file:
    PROMISES: dict[str, dict[str, str]] = {
        name: row for section in tomllib.load(file).values() for name, row in section.items()
    }

ran: dict[str, set[str]] = {}  # promise → outcomes of the tests that name it, in this run

# A shell without job control lets its background jobs ignore interrupts, and every child would inherit that: tests
# that interrupt one would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# Some machines forbid bytecode files. The suite starts hundreds of processes; each would compile recollect again:
# 0.70 instead of 0.26 CPU seconds for `recollect stats`.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# Files of tests are kept in memory where a folder for that exists: opening and closing a database takes 0.4 instead of
# 8 ms. Containers often have one that is too small or forbids programs.
MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 << 30


def _is_fit(folder: Path) -> bool:
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        return False
    found = os.statvfs(folder)
    return not found.f_flag & os.ST_NOEXEC and found.f_bavail * found.f_frsize >= ROOM_BYTES


# Workers of a parallel run inherit the choice.
if "TMPDIR" not in os.environ and _is_fit(MEMORY):
    os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Return the workers of `-n auto`: a worker waits for other processes and the disk for a third of its time."""
    return 3 * (os.cpu_count() or 1) // 2


# Generated examples: the same ones on every run and machine, and none is too slow on a busy one.
settings.register_profile(
    "recollect",
    max_examples=50,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
settings.load_profile("recollect")


@pytest.fixture(scope="session", autouse=True)
def _no_variables_from_outside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep fixtures that live longer than one test away from the user's own memories, too."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(PREFIXES)]:
            patch.delenv(name)
        patch.setenv("RECOLLECT_HOME", str(tmp_path_factory.mktemp("shared") / "home"))
        patch.setenv("RECOLLECT_ASSISTANTS_HOME", str(tmp_path_factory.mktemp("nobody")))
        yield


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The test's own RECOLLECT_HOME; not created yet."""
    folder = tmp_path / "home"
    monkeypatch.setenv("RECOLLECT_HOME", str(folder))
    return folder


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The file of an empty database with all migrations."""
    from recollect.store.sqlite import Sqlite

    path = tmp_path_factory.mktemp("migrated") / "recollect.db"
    database = Sqlite(path)
    database.connection()
    database.close()
    return path.read_bytes()


@pytest.fixture(autouse=True)
def _new_databases_are_copies(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a new database begin as a copy: an engine opens in 6 instead of 44 ms (busy machine); most tests make one.

    Tests of the store and of its faults make theirs as users do, and so does every process that a test starts.
    """
    path: Path = request.node.path
    if "store" in path.parts or ("faults" in path.parts and not path.stem.endswith("_failure")):
        return
    migrated: bytes = request.getfixturevalue("migrated")
    from recollect.store import sqlite

    def copy(path: Path) -> None:
        target = path.resolve()
        made = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
        made.touch(0o600, exist_ok=False)
        try:
            made.write_bytes(migrated)
            with suppress(FileExistsError):  # another thread was faster
                os.link(made, target)
        finally:
            made.unlink()

    monkeypatch.setattr(sqlite, "_create", copy)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    for mark in item.iter_markers("promise"):
        for name in mark.args:
            if name not in PROMISES:
                pytest.fail(f"no promise named {name!r} in tests/promises.toml", pytrace=False)
            item.user_properties.append(("promise", name))


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    if report.when == "call" or report.outcome != "passed":
        for key, name in report.user_properties:
            if key == "promise":
                ran.setdefault(str(name), set()).add(report.outcome)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Say how many promises are kept, below everything else; workers of a parallel run have nobody to say it to."""
    yield
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:
        return
    kept = [name for name, row in PROMISES.items() if row["status"] == "kept"]
    broken = sorted(name for name, outcomes in ran.items() if "failed" in outcomes)
    unseen = sorted(name for name in kept if ran.get(name) == {"skipped"})
    if broken:
        reporter.write_line(f"promises broken in this run: {' '.join(broken)}")
    if unseen:
        reporter.write_line(f"promises not seen in this run, every test skipped: {' '.join(unseen)}")
    reporter.write_line(f"promises: {len(kept)} kept, {len(PROMISES) - len(kept)} planned")
    files = list((Path(__file__).parents[1] / "src").rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    reporter.write_line(f"src: {lines:,} lines in {len(files)} files")


@pytest.fixture(scope="module")
def database() -> Iterator[sqlite3.Connection]:
    """A migrated SQLite database in memory, without a store around it."""
    from recollect.store.migrations import MIGRATIONS

    connection = sqlite3.connect(":memory:", isolation_level=None)
    for migration in MIGRATIONS:
        for statement in migration.statements("sqlite"):
            connection.execute(statement)
    yield connection
    connection.close()
