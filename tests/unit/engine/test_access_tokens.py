"""Access tokens: created once, checked by their hash, limited in time, revoked at once, and never shown again."""

from __future__ import annotations

import hashlib
import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.engine.admin.access_rules import call_as
from recollect.engine.admin.access_tokens import LOCAL, USE_RECORDED_S, Grant
from recollect.errors import Conflict, Forbidden, InvalidInput, NotFound, RecollectError, Unauthorized
from recollect.model import AccessToken, Change
from recollect.operations import Operation
from recollect.render import to_brief, to_json, to_text
from recollect.store.tables import TABLES
from recollect.text.redaction.redact import redact

DAY = 86_400


def refused(engine: Engine, secret: str) -> RecollectError:
    with pytest.raises(Unauthorized) as found:
        engine.access_tokens.check(secret)
    return found.value


# --- creating ---


def test_a_secret_opens_what_its_token_allows(engine: Engine) -> None:
    created = engine.access_tokens.create("ci", scope="write", projects=("shop", "shop", " web "))
    grant = engine.access_tokens.check(created.secret)
    assert grant == Grant(created.token.id, "ci", "write", ("shop", "web"))
    assert created.secret.startswith(f"rcl_{created.token.id}_")
    assert len(created.secret) == len("rcl_") + 12 + 1 + 43


def test_two_secrets_are_never_the_same(engine: Engine) -> None:
    made = [engine.access_tokens.create(f"t{number}") for number in range(20)]
    assert len({each.secret for each in made}) == len({each.token.id for each in made}) == 20


def test_a_caller_on_this_machine_may_do_everything() -> None:
    assert Grant("", "local", "admin", ()) == LOCAL


@pytest.mark.parametrize(
    ("expires", "days"), [("90d", 90), ("2 weeks", 14), ("a year", 365), ("24h", 1), ("2026-03-01", None)]
)
def test_a_token_expires_after_an_age_or_at_the_end_of_a_date(
    engine: Engine, frozen: FrozenClock, expires: str, days: int | None
) -> None:
    frozen.at = 1_767_225_600  # 2026-01-01
    token = engine.access_tokens.create("ci", expires=expires).token
    assert token.expires_at == (1_767_225_600 + days * DAY if days else 1_772_409_599)


def test_a_token_may_last_for_ever(engine: Engine, frozen: FrozenClock) -> None:
    created = engine.access_tokens.create("ci", expires="never")
    frozen.at += 100 * 365 * DAY
    assert engine.access_tokens.check(created.secret).name == "ci"


@pytest.mark.parametrize("expires", ["yesterday", "2001-01-01", "2d ago", "soon", "", "0d", "999999y", "x" * 100])
def test_an_expiry_that_is_past_or_no_time_is_refused(engine: Engine, expires: str) -> None:
    with pytest.raises(InvalidInput):
        engine.access_tokens.create("ci", expires=expires)
    assert engine.access_tokens.list().tokens == ()


@pytest.mark.parametrize("name", ["", "  ", "x" * 201, "a\0b", "\ud800", f"ghp_{'a1B2c3D4e5' * 4}"])
def test_a_name_is_a_short_text_without_a_secret(engine: Engine, name: str) -> None:
    with pytest.raises(InvalidInput):
        engine.access_tokens.create(name)


@pytest.mark.parametrize("projects", [("",), ("shop", " "), "shop"])
def test_projects_are_a_list_of_names(engine: Engine, projects: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput):
        engine.access_tokens.create("ci", projects=projects)


def test_a_name_is_used_by_one_token_that_is_not_revoked(engine: Engine) -> None:
    first = engine.access_tokens.create("ci")
    with pytest.raises(Conflict):
        engine.access_tokens.create("ci", scope="admin")
    engine.access_tokens.revoke("ci")
    second = engine.access_tokens.create("ci")
    assert engine.access_tokens.revoke("ci").id == second.token.id != first.token.id


# --- checking ---


def test_every_wrong_secret_gets_the_same_answer(
    engine: Engine, open_engine: Callable[..., Engine], tmp_path: Path
) -> None:
    right = engine.access_tokens.create("ci").secret
    elsewhere = open_engine(home=str(tmp_path / "other")).access_tokens.create("ci").secret
    wrong = [
        "", " ", "rcl_", "rcl__", "x", right[:-1], right + "x", right + " ", right.upper(), right.removeprefix("rcl_"),
        right[:17] + "A" * 43, "rcl_000000000000_" + right[17:], elsewhere, right + "é", "rcl_\ud800", "Ünïcødé 🔑",
        "rcl_" + "a" * 1_000_000, right.replace("_", "\0"), "rcl_' OR 1=1 --_x",
        hashlib.sha256(right.encode()).hexdigest(),
    ]  # fmt: skip
    answers = {str(refused(engine, secret).as_dict()) for secret in wrong}
    assert len(answers) == 1
    assert engine.access_tokens.check(right).name == "ci"


def test_a_secret_must_be_text(engine: Engine) -> None:
    for secret in (None, 7, b"rcl_x"):
        refused(engine, secret)  # type: ignore[arg-type]


def test_an_expired_token_is_refused_from_its_second_on(engine: Engine, frozen: FrozenClock) -> None:
    created = engine.access_tokens.create("ci", expires="1d")
    frozen.at += DAY - 1
    assert engine.access_tokens.check(created.secret)
    frozen.at += 1
    assert refused(engine, created.secret).message == "the access token ci is expired"
    assert engine.access_tokens.list().tokens[0].state == "expired"


def test_a_revoked_token_is_refused_by_every_process_at_once(
    engine: Engine, open_engine: Callable[..., Engine]
) -> None:
    created = engine.access_tokens.create("ci")
    other = open_engine(embed_provider="off")
    assert other.access_tokens.check(created.secret).name == "ci"
    assert engine.access_tokens.revoke(created.token.id).state == "revoked"
    assert refused(other, created.secret).message == "the access token ci is revoked"


def test_revoking_again_changes_nothing_and_an_unknown_token_is_not_found(engine: Engine, frozen: FrozenClock) -> None:
    engine.access_tokens.create("ci")
    first = engine.access_tokens.revoke("ci")
    frozen.at += 5
    assert engine.access_tokens.revoke("ci") == engine.access_tokens.revoke(first.id) == first
    for unknown in ("nobody", "000000000000"):
        with pytest.raises(NotFound):
            engine.access_tokens.revoke(unknown)


def test_the_last_use_is_recorded_once_a_minute(
    engine: Engine, frozen: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    created, start = engine.access_tokens.create("ci"), frozen.at
    opened: list[str] = []
    transaction = engine.store.transaction
    monkeypatch.setattr(
        engine.store, "transaction", lambda name, **options: (opened.append(name), transaction(name, **options))[1]
    )
    for _ in range(50):
        engine.access_tokens.check(created.secret)
    frozen.at += USE_RECORDED_S - 1
    engine.access_tokens.check(created.secret)
    assert opened == ["use_token"]
    assert engine.access_tokens.list().tokens[0].last_used_at == start
    frozen.at += 1
    engine.access_tokens.check(created.secret)
    assert opened == ["use_token", "use_token"]
    assert engine.access_tokens.list().tokens[0].last_used_at == start + USE_RECORDED_S


def test_a_store_that_cannot_be_written_still_checks_tokens(
    engine: Engine, open_engine: Callable[..., Engine], home: Path
) -> None:
    created = engine.access_tokens.create("ci")
    holder = sqlite3.connect(home / "recollect.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        assert open_engine(embed_provider="off").access_tokens.check(created.secret).name == "ci"
    finally:
        holder.execute("ROLLBACK")
        holder.close()
    assert engine.access_tokens.list().tokens[0].last_used_at is None


# --- who may manage tokens ---


def test_an_assistant_can_neither_create_nor_revoke_a_token(engine: Engine) -> None:
    engine.access_tokens.create("ci")
    engine.context.writes_as = "assistant"
    for call in (lambda: engine.access_tokens.create("mine"), lambda: engine.access_tokens.revoke("ci")):
        with pytest.raises(Forbidden) as found:
            call()
        assert "in a terminal" in found.value.hint
    assert [token.state for token in engine.access_tokens.list().tokens] == ["active"]


# --- where secrets are not ---


def test_a_secret_and_its_hash_are_in_no_answer_log_export_or_file(
    engine: Engine, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    created = engine.access_tokens.create("ci", scope="admin")
    secret, kept = created.secret, hashlib.sha256(created.secret.encode()).hexdigest()
    engine.access_tokens.check(secret)
    engine.memories.store(f"The token is {secret}, keep it")
    answers = (
        engine.access_tokens.list(), engine.admin.changes(), engine.archive.export(), engine.memories.list(),
        engine.admin.stats(), engine.admin.health(), engine.access_tokens.revoke("ci"),
    )  # fmt: skip
    shown = [to_text(answer) + to_json(answer).decode() for answer in answers]
    assert [text for text in shown if secret in text or kept in text] == []
    assert secret not in caplog.text
    engine.close()
    files = {path.name: path.read_bytes() for path in home.rglob("*") if path.is_file()}
    random = secret.rpartition(f"{created.token.id}_")[2].encode()
    assert [name for name, content in files.items() if random in content] == []
    assert kept.encode() in b"".join(files.values()), "the hash is not in the file: is this test still looking?"


def test_the_secret_is_in_the_answer_to_its_creation_in_every_form(engine: Engine) -> None:
    created = engine.access_tokens.create("ci")
    assert created.secret in to_text(created)
    assert created.secret in to_json(created).decode()
    assert to_brief(created)["secret"] == created.secret


def test_our_own_secrets_are_redacted(engine: Engine) -> None:
    for number in range(50):
        secret = engine.access_tokens.create(f"t{number}").secret
        for text in (
            f"curl -H 'Authorization: Bearer {secret}'",
            secret,
            f"see {secret}, then",
            f'{{"t": "{secret}"}}',
        ):
            assert secret not in redact(text).text
        assert redact(f"see {secret}").text == "see [secret:recollect-token]"
    assert redact("rcl_count and rcl_deadbeef_x are names").found == ()


def test_tokens_are_neither_logged_nor_undone_nor_exported(engine: Engine) -> None:
    created = engine.access_tokens.create("ci")
    engine.access_tokens.revoke("ci")
    assert not TABLES[AccessToken].logged
    assert engine.store.count(Change) == 0
    with pytest.raises(NotFound):
        engine.admin.undo()
    refused(engine, created.secret)
    assert "ci" not in (engine.archive.export().content or "")


def test_a_database_without_tokens_is_upgraded(engine: Engine, open_engine: Callable[..., Engine], home: Path) -> None:
    engine.memories.store("kept")
    engine.close()
    with sqlite3.connect(home / "recollect.db") as database:
        for table in ("access_tokens", "shared_files", "team_writes", "token_calls"):
            database.execute(f"DROP TABLE {table}")
        database.execute("ALTER TABLE anchor_states DROP COLUMN different")
        database.execute("PRAGMA user_version = 18")
    database.close()
    upgraded = open_engine(embed_provider="off")
    assert upgraded.memories.list().total == 1
    assert upgraded.access_tokens.check(upgraded.access_tokens.create("ci").secret).name == "ci"


# --- calls ---


def test_a_call_fills_in_the_project_and_ids_may_be_short(engine: Engine) -> None:
    from recollect.capabilities import OPERATIONS

    def call(grant: Grant, name: str, **arguments: object) -> object:
        row: Operation = OPERATIONS[name]
        return call_as(grant, engine, row, arguments)

    grant = Grant("t", "ci", "write", ("shop",))
    stored = call(grant, "store_memory", content="Prices are in cents")
    memory = stored.memory  # type: ignore[attr-defined]
    assert memory.namespace == "shop"
    assert call(grant, "get_memory", memory_id=memory.id[:8]).content == "Prices are in cents"  # type: ignore[attr-defined]
    call(grant, "delete_memory", memory_id=memory.id)
    for other in (grant._replace(projects=("web",)), grant._replace(scope="read")):
        with pytest.raises(Forbidden):
            call(other, "delete_memory", memory_id=memory.id, undo=True)
    assert call(grant, "delete_memory", memory_id=memory.id, undo=True).restored == 1  # type: ignore[attr-defined]


def test_a_folder_that_became_part_of_another_repository_is_refused(engine: Engine, tmp_path: Path) -> None:
    from recollect.capabilities import OPERATIONS

    folder = tmp_path / "work" / "shop"
    folder.mkdir(parents=True)
    created = engine.access_tokens.create("ci", projects=(str(folder),))
    grant = engine.access_tokens.check(created.secret)
    assert call_as(grant, engine, OPERATIONS["list_memories"], {}).total == 0  # type: ignore[attr-defined]
    (tmp_path / "work" / ".git").mkdir()
    with pytest.raises(Forbidden):
        call_as(grant, engine, OPERATIONS["list_memories"], {})
