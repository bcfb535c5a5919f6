"""PostgreSQL restarts, connections are cut, locks are held, two processes migrate at once: nothing is lost."""

from __future__ import annotations

import json
import shutil
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest
from tests.conformance.surfaces import run
from tests.postgres_server import Server, binaries, empty_schema, own_server, run_sql, schema_of, server_url
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.errors import ConfigError, SchemaTooNew, StorageError, StoreForeign, StoreLocked, StoreUnwritable
from recollect.model import Memory
from recollect.store.postgres import Postgres
from recollect.store.sql import Store


@pytest.fixture
def url() -> Iterator[str]:
    with empty_schema() as made:
        yield made


def opened(url: str, **options: int) -> Store:
    return Store(Postgres(url, Path(), **options))


def insert(store: Store, name: str) -> None:
    with store.transaction("test") as transaction:
        transaction.insert(Memory(id=name, content=f"about {name}"))


class Writers:
    """Threads that write until they are stopped, each with a store of its own, and what was confirmed to them."""

    def __init__(self, url: str, count: int = 3) -> None:
        self.confirmed: set[str] = set()
        self.failed = 0
        self.wrong: list[BaseException] = []
        self._wrote = threading.Condition()
        self._end = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(url, number)) for number in range(count)]
        for thread in self._threads:
            thread.start()

    def _write(self, url: str, writer: int) -> None:
        number = 0
        with closing(opened(url)) as store:
            while not self._end.is_set():
                number += 1
                try:
                    insert(store, f"{writer}-{number}")
                except StorageError:
                    self.failed += 1
                    continue
                except BaseException as problem:
                    self.wrong.append(problem)
                    return
                with self._wrote:
                    self.confirmed.add(f"{writer}-{number}")
                    self._wrote.notify_all()

    def wait_for(self, more: int) -> None:
        """Wait until so many more writes were confirmed."""
        with self._wrote:
            wanted = len(self.confirmed) + more
            assert self._wrote.wait_for(lambda: len(self.confirmed) >= wanted or self.wrong, timeout=PATIENCE_S)

    def stop(self) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()
        assert not self.wrong


def nothing_lost(url: str, confirmed: set[str]) -> None:
    with closing(opened(url)) as store:
        assert {row.id for row in store.find(Memory)} >= confirmed
        assert store.check(thorough=True) == []


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    """A server of our own, to stop and start."""
    if binaries() is None:
        pytest.skip(
            "no PostgreSQL binaries: `make test` installs them with Python 3.12 or newer, for x86-64 and ARM with SVE"
        )
    folder = Path(tempfile.mkdtemp(prefix="recollect-restart-"))
    folder.chmod(0o755)  # the account that runs the server must reach its files
    with own_server(folder / "server") as running:
        yield running
    shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.promise("B12")
def test_a_restart_in_the_middle_of_writes_loses_nothing_that_was_confirmed(server: Server) -> None:
    url = f"{server.url}?schema=restart"
    with closing(opened(url)) as reader:
        writers = Writers(url)
        writers.wait_for(5)
        for _ in range(2):
            server.stop()
            server.start()
            assert reader.count(Memory) >= 5, "a reader reconnects without an error"
            writers.wait_for(5)
        writers.stop()
    nothing_lost(url, writers.confirmed)


@pytest.mark.promise("B12")
def test_searches_use_a_replica_that_has_what_this_process_wrote(server: Server, tmp_path: Path) -> None:
    folder = Path(tempfile.mkdtemp(prefix="recollect-replica-"))
    folder.chmod(0o755)
    url = f"{server.url}?schema=replicated"

    def found(engine: Engine) -> set[str]:
        return {hit.memory.content for hit in engine.recall.search("heron", min_score=0.0).hits}

    with Engine(home=str(tmp_path / "other"), database=url, embed_provider="off") as other:
        other.memories.store("The first heron")
        with own_server(folder / "server", replica_of=server) as replica:
            given = {"database": url, "database_read_url": f"{replica.url}?schema=replicated", "embed_provider": "off"}
            with Engine(home=str(tmp_path / "ours"), **given) as engine, psycopg.connect(replica.url) as control:
                assert engine.recall.search("heron").hits
                wait_for_replay(control, server)
                control.execute("SELECT pg_wal_replay_pause()")
                control.commit()
                other.memories.store("The second heron")
                assert found(engine) == {"The first heron"}, "the replica answers, which has no changes since"
                engine.memories.store("The third heron")
                everything = {f"The {name} heron" for name in ("first", "second", "third")}
                assert found(engine) == everything, "the replica lacks our own change, so that the server answers"
                control.execute("SELECT pg_wal_replay_resume()")
                control.commit()
                wait_for_replay(control, server)
                assert found(engine) == everything
                replica.stop()
                assert found(engine) == everything, "without the replica the server answers"
    shutil.rmtree(folder, ignore_errors=True)


def wait_for_replay(control: psycopg.Connection[Any], server: Server) -> None:
    with psycopg.connect(server.url) as primary:
        ((written,),) = primary.execute("SELECT pg_current_wal_insert_lsn()")
    deadline = time.monotonic() + PATIENCE_S
    while control.execute("SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn", (written,)).fetchone() != (True,):
        control.commit()
        assert time.monotonic() < deadline, "the replica does not follow"
        time.sleep(0.05)
    control.commit()


def test_a_server_that_is_down_is_an_error_with_its_code(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    server.stop()
    try:
        status, out, _ = run("stats", "--json", "--database", f"postgresql://someone:hunter2@127.0.0.1:{server.port}/x")
    finally:
        server.start()
    error = json.loads(out)["error"]
    assert (status, error["code"], error["retryable"]) == (6, "STORE_UNREACHABLE", True)
    assert b"hunter2" not in out


def test_cut_connections_lose_nothing_and_readers_do_not_notice(url: str) -> None:
    cut = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut'"
    url = url.replace("?", "?application_name=cut&")
    with closing(opened(url)) as reader:
        reader.count(Memory)
        writers = Writers(url)
        for _ in range(5):
            writers.wait_for(3)
            run_sql(url, cut)
            assert reader.count(Memory) >= 3
        writers.stop()
    nothing_lost(url, writers.confirmed)


def test_a_held_lock_is_an_error_after_the_set_time_and_no_error_for_a_statistic(url: str) -> None:
    with closing(opened(url)) as holder, closing(opened(url, busy_timeout_ms=50)) as other:
        insert(holder, "a")
        with holder.transaction("test") as transaction:
            assert transaction.get(Memory, ["a"]), "from here on it has the lock"
            with pytest.raises(StoreLocked):
                insert(other, "b")
            other.touch(["a"])
            assert other.count(Memory) == 1
        insert(other, "b")
    nothing_lost(url, {"a", "b"})


def test_a_transaction_that_fails_leaves_nothing_behind(url: str) -> None:
    with closing(opened(url)) as store:
        with suppress(RuntimeError), store.transaction("test") as transaction:
            transaction.insert(Memory(id="a", content="half"))
            raise RuntimeError
        assert store.count(Memory) == 0
        assert store.search_text(["half"], None, 5) == []
        insert(store, "a")


def test_two_processes_can_migrate_at_once() -> None:
    url = f"{server_url()}?schema=m{uuid.uuid4().hex}"
    start = threading.Barrier(4)
    versions: list[int] = []

    def migrate() -> None:
        with closing(opened(url)) as store:
            start.wait()
            versions.append(store.describe().schema_version)

    threads = [threading.Thread(target=migrate) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(versions) == 4
    assert len(set(versions)) == 1
    run_sql(url, f"DROP SCHEMA {schema_of(url)} CASCADE")


@pytest.mark.parametrize(
    ("statement", "error"),
    [
        ("UPDATE store_version SET version = 99", SchemaTooNew),
        ("UPDATE store_version SET application_id = 1", StoreForeign),
        ("DROP TABLE store_version", StoreForeign),
    ],
)
def test_a_schema_of_another_program_or_version_is_refused(statement: str, error: type[StorageError]) -> None:
    url = f"{server_url()}?schema=m{uuid.uuid4().hex}"
    with closing(opened(url)) as store:
        store.describe()
    run_sql(url, statement)
    with closing(opened(url)) as store, pytest.raises(error):
        store.describe()
    run_sql(url, f"DROP SCHEMA {schema_of(url)} CASCADE")


def test_a_user_without_rights_gets_an_error_that_says_so(url: str) -> None:
    role = f"r{uuid.uuid4().hex}"
    run_sql(url, f"CREATE ROLE {role} LOGIN")
    with closing(opened(url)) as store:
        store.describe()
    try:
        for schema in (schema_of(url), "another"):
            theirs = url.rpartition("?")[0].replace("postgres@", f"{role}@") + f"?schema={schema}"
            with closing(opened(theirs)) as store, pytest.raises(StoreUnwritable):
                store.count(Memory)
    finally:
        run_sql(url, f"DROP ROLE {role}")


@pytest.mark.parametrize(
    "wrong",
    [lambda url: url.replace("/postgres?", "/nowhere?"), lambda url: "postgresql://a:%zz@[x"],
    ids=["database", "form"],
)
def test_a_wrong_url_is_a_setting_to_correct(url: str, wrong: Callable[[str], str]) -> None:
    with pytest.raises(ConfigError), closing(opened(wrong(url))) as store:
        store.describe()
