"""Settings: where a value is looked for, what is refused, and what the answer says of itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from recollect.errors import ConfigError
from recollect.settings import PROJECT_FILE, SETTINGS, USER_FILE, Setting, Settings, load

ROWS = pytest.mark.parametrize("row", [row for row in SETTINGS if row.name != "home"], ids=lambda row: row.name)


class World(NamedTuple):
    """A home and a project folder with nothing in them yet."""

    home: Path
    project: Path

    def user(self, text: str) -> None:
        self.home.mkdir(exist_ok=True)
        (self.home / USER_FILE).write_text(text, encoding="utf-8")

    def checkout(self, text: str) -> None:
        (self.project / PROJECT_FILE).write_text(text, encoding="utf-8")

    def load(self, arguments: dict[str, object] | None = None, **environment: str) -> Settings:
        return load(
            arguments, environment={"RECOLLECT_HOME": str(self.home), **environment}, directory=self.project / "deep"
        )


@pytest.fixture
def world(tmp_path: Path) -> World:
    project = tmp_path / "project"
    (project / "deep").mkdir(parents=True)
    (project / ".git").mkdir()
    return World(tmp_path / "home", project)


def source(settings: Settings, name: str) -> str:
    return next(row.source for row in settings.rows() if row.setting.name == name)


def expectation(row: Setting[Any]) -> str:
    """Return what the row's parser says it wants."""
    with pytest.raises(ValueError, match="expected") as caught:
        row.parse(object())
    return str(caught.value)


def samples(row: Setting[Any]) -> list[Any]:
    """Return four values of the row that differ from each other and, where there are enough, from its default."""
    if isinstance(row.default, bool):
        return [False, True, False, True]
    if isinstance(row.default, int | float):
        low = float(expectation(row).split()[-3])
        step = 1 if isinstance(row.default, int) else 0.0625
        return [type(row.default)(low + step * number) for number in (1, 2, 3, 4)]
    if row.name == "toolset":
        return ["code", "core,graph", "documented", "all"]
    if "one of" in expectation(row):
        return (expectation(row).removeprefix("expected one of ").split(", ") * 4)[1:5]
    if isinstance(row.default, tuple):
        return [("first",), ("second",), ("third",), ("fourth",)]
    return ["first", "second", "third", "fourth"]


def written(value: object) -> str:
    return ",".join(value) if isinstance(value, tuple) else str(value)


def toml(name: str, value: object) -> str:
    value = list(value) if isinstance(value, tuple) else value
    return f"{name} = {str(value).lower() if isinstance(value, bool) else repr(value)}\n"


def test_without_anything_set_every_value_is_its_default(world: World) -> None:
    settings = world.load()
    rows = list(settings.rows())
    assert [row.setting for row in rows] == list(SETTINGS)
    assert len(rows) >= 29
    assert {row.setting.name for row in rows if row.source != "default"} == {"home"}
    assert all(row.value == row.setting.default for row in rows if row.setting.name != "home")


@ROWS
def test_a_value_is_taken_from_the_nearest_layer(world: World, row: Setting) -> None:
    user, project, environment, argument = samples(row)
    variable = f"RECOLLECT_{row.name.upper()}"
    world.user(toml(row.name, user))
    settings = world.load()
    assert getattr(settings, row.name) == user
    assert source(settings, row.name) == f"user file {world.home / USER_FILE}"
    if row.project:
        world.checkout(toml(row.name, project))
        settings = world.load()
        assert getattr(settings, row.name) == project
        assert source(settings, row.name) == f"project file {world.project / PROJECT_FILE}"
    settings = world.load(**{variable: written(environment)})
    assert getattr(settings, row.name) == environment
    assert source(settings, row.name) == f"environment {variable}"
    settings = world.load({row.name: argument}, **{variable: written(environment)})
    assert getattr(settings, row.name) == argument
    assert source(settings, row.name) == "argument"


@pytest.mark.parametrize(
    ("row", "alias"), [(row, alias) for row in SETTINGS for alias in row.aliases], ids=lambda value: str(value)[:40]
)
def test_the_names_of_the_documents_are_honoured_after_our_own(world: World, row: Setting, alias: str) -> None:
    first, second, *_ = samples(row)
    settings = world.load(**{alias: written(first)})
    assert getattr(settings, row.name) == first
    assert source(settings, row.name) == f"environment {alias}"
    assert getattr(world.load(**{alias: str(first), f"RECOLLECT_{row.name.upper()}": str(second)}), row.name) == second


def test_every_documented_variable_is_known() -> None:
    aliases = [alias for row in SETTINGS for alias in row.aliases]
    assert len(aliases) == len(set(aliases))
    atlas = (
        "CHUNK_SIZE CHUNK_OVERLAP MIN_CHUNK_SIZE MAX_CHUNKS_PER_TURN TEMPORAL_DECAY_RATE IMPORTANCE_BOOST_FACTOR "
        "MAX_IMPORTANCE_MULTIPLIER FORGETTING_THRESHOLD SESSION_DURATION_HOURS SESSION_MAX_TURNS "
        "SESSION_INACTIVITY_MINUTES SESSION_CLEANUP_MINUTES MAX_EPISODIC_RECORDS ENABLE_MEMORY_METRICS"
    )
    assert {f"ATLAS_{name}" for name in atlas.split()} <= set(aliases)
    assert {f"CODEMEM_EMBED_{name}" for name in ("PROVIDER", "MODEL", "URL", "API_KEY", "DIMENSIONS")} <= set(aliases)
    assert {"CODEMEM_COMPRESS_PROVIDER", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"} <= set(aliases)


def test_an_empty_variable_counts_as_not_set(world: World) -> None:
    settings = world.load(RECOLLECT_CHUNK_SIZE="", ATLAS_CHUNK_SIZE="  ")
    assert settings.chunk_size == 400
    assert source(settings, "chunk_size") == "default"


def test_an_argument_of_none_counts_as_not_given(world: World) -> None:
    assert world.load({"chunk_size": None}).chunk_size == 400


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("busy_timeout_ms", "-1"),
        ("busy_timeout_ms", "600001"),
        ("busy_timeout_ms", "soon"),
        ("busy_timeout_ms", "1.5"),
        ("busy_timeout_ms", True),
        ("busy_timeout_ms", 1.5),
        ("embed_timeout_s", "0"),
        ("embed_timeout_s", "nan"),
        ("embed_timeout_s", "inf"),
        ("embed_timeout_s", "long"),
        ("embed_timeout_s", True),
        ("embed_timeout_s", [1]),
        ("embed_provider", "nobody"),
        ("log_level", "loud"),
        ("enable_memory_metrics", "maybe"),
        ("enable_memory_metrics", 2),
        ("namespace", 5),
        ("namespace", ["a"]),
    ],
)
def test_a_bad_value_is_refused_with_its_setting_its_source_and_what_was_expected(
    world: World, name: str, value: object
) -> None:
    with pytest.raises(ConfigError, match="expected") as caught:
        world.load({name: value})
    assert caught.value.code == "BAD_SETTING"
    assert caught.value.details == {"setting": name, "source": "argument"}
    assert caught.value.message.startswith(f"{name} cannot be {value!r} (argument): expected ")


def test_a_bad_value_names_the_variable_or_file_it_came_from(world: World) -> None:
    with pytest.raises(ConfigError) as caught:
        world.load(ATLAS_CHUNK_SIZE="many")
    assert caught.value.details["source"] == "environment ATLAS_CHUNK_SIZE"
    world.user("chunk_size = 'many'")
    with pytest.raises(ConfigError) as caught:
        world.load()
    assert caught.value.details["source"] == f"user file {world.home / USER_FILE}"


@pytest.mark.parametrize("text", ["1", "true", "YES", " on "])
def test_a_switch_is_turned_on_by_the_usual_words(world: World, text: str) -> None:
    assert world.load(RECOLLECT_ENABLE_MEMORY_METRICS=text).enable_memory_metrics is True


@pytest.mark.parametrize("text", ["0", "false", "No", "off"])
def test_a_switch_is_turned_off_by_the_usual_words(world: World, text: str) -> None:
    assert world.load(RECOLLECT_ENABLE_MEMORY_METRICS=text).enable_memory_metrics is False


def test_a_documented_provider_name_means_ours(world: World) -> None:
    assert world.load(CODEMEM_EMBED_PROVIDER="Candle").embed_provider == "local"


@pytest.mark.parametrize("layer", ["argument", "project", "user"])
def test_an_unknown_name_is_refused_with_the_nearest_known_one(world: World, layer: str) -> None:
    arguments: dict[str, object] = {}
    if layer == "argument":
        arguments = {"embed_modell": "x"}
    elif layer == "project":
        world.checkout("embed_modell = 'x'")
    else:
        world.user("embed_modell = 'x'")
    with pytest.raises(ConfigError, match="unknown setting 'embed_modell'") as caught:
        world.load(arguments)
    assert caught.value.hint == "Did you mean embed_model?"
    assert caught.value.details["setting"] == "embed_modell"


def test_an_unknown_name_without_a_near_one_still_gets_a_hint(world: World) -> None:
    with pytest.raises(ConfigError) as caught:
        world.load({"zzz": 1})
    assert "recollect config" in caught.value.hint


def test_unknown_variables_are_left_alone(world: World) -> None:
    world.load(RECOLLECT_SOMETHING_ELSE="x")


@pytest.mark.parametrize("row", [row for row in SETTINGS if not row.project], ids=lambda row: row.name)
def test_a_project_file_cannot_set_what_is_the_users_alone_and_settings_say_so(world: World, row: Setting) -> None:
    before = world.load()
    world.checkout(toml(row.name, samples(row)[0]) + "context_tokens = 77\n")
    settings = world.load()
    assert getattr(settings, row.name) == getattr(before, row.name)
    assert source(settings, row.name) == source(before, row.name)
    assert settings.context_tokens == 77
    (error,) = settings.ignored
    assert error.code == "BAD_SETTING"
    assert error.details == {"setting": row.name, "path": str(world.project / PROJECT_FILE)}
    assert row.name.upper() in error.hint


def test_what_redirects_memories_or_text_is_the_users_alone() -> None:
    project = {row.name for row in SETTINGS if row.project}
    assert project.isdisjoint({"home", "database", "embed_provider", "embed_url", "embed_api_key", "embed_model"})
    assert project.isdisjoint({"llm_provider", "llm_url", "llm_api_key", "llm_model", "judge", "summaries"})
    assert not [name for name in project if name.startswith("compress_")]
    assert project == {"index_max_file_bytes", "context_tokens", "prompt_tokens"}


def test_the_project_file_is_looked_for_up_to_the_root_of_the_checkout(world: World) -> None:
    (world.project.parent / PROJECT_FILE).write_text("prompt_tokens = 1", encoding="utf-8")
    assert source(world.load(), "prompt_tokens") == "default"
    world.checkout("prompt_tokens = 2")
    assert world.load().prompt_tokens == 2


def test_a_project_file_in_the_users_home_is_not_a_project_file(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(world.project))
    world.checkout("prompt_tokens = 3")
    assert source(world.load(), "prompt_tokens") == "default"


def test_the_user_file_may_not_move_the_home_it_lies_in(world: World) -> None:
    world.user("home = '/elsewhere'")
    with pytest.raises(ConfigError) as caught:
        world.load()
    assert caught.value.details["setting"] == "home"
    assert "RECOLLECT_HOME" in caught.value.hint


UNREADABLE = {
    "words": b"this is not toml",
    "not UTF-8": b"namespace = '\xff'",
    "nested arrays": b"a = " + b"[" * 200_000,
    "closed arrays": b"a = " + b"[" * 5_000 + b"]" * 5_000,
    "nested tables": b"a = " + b"{a = " * 5_000,
    "dotted keys": b".".join([b"a"] * 5_000) + b" = 1",
    "a table's name": b"[" + b".".join([b"a"] * 5_000) + b"]",
    "a number": b"prompt_tokens = " + b"1" * 5_000,
    "size": b"#" * 2_000_000,
}


@pytest.mark.parametrize("content", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_file_is_named(world: World, content: bytes) -> None:
    (world.project / PROJECT_FILE).write_bytes(content)
    with pytest.raises(ConfigError, match="cannot be read") as caught:
        world.load()
    assert caught.value.details == {"path": str(world.project / PROJECT_FILE)}


def test_settings_are_frozen(world: World) -> None:
    settings = world.load()
    with pytest.raises(AttributeError, match="frozen"):
        settings.chunk_size = 1
    with pytest.raises(AttributeError, match="nonsense"):
        settings.nonsense  # noqa: B018
    assert settings.chunk_size == 400


SECRETS = ["embed_api_key", "llm_api_key", "openai_api_key", "anthropic_api_key", "compress_api_key", "team_token"]


def test_every_key_is_marked_as_a_secret() -> None:
    assert [row.name for row in SETTINGS if row.secret] == ["database_url", "database_read_url", *SECRETS]
    assert [row.name for row in SETTINGS if row.name.endswith(("key", "token"))] == SECRETS


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_never_shown_in_an_error_or_a_repr(world: World, name: str) -> None:
    world.user(f"{name} = 12345")
    with pytest.raises(ConfigError) as caught:
        world.load()
    assert "12345" not in caught.value.message
    world.user(f"{name} = 'sk-12345'")
    settings = world.load()
    assert getattr(settings, name) == "sk-12345"
    assert "12345" not in repr(settings) + repr(list(settings.rows()))


def test_home_and_database_are_absolute_paths(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    monkeypatch.chdir(world.project)
    assert load(environment={}).home_path == Path("/home/someone/.recollect")
    assert load(environment={}).database_path == Path("/home/someone/.recollect/recollect.db")
    assert load({"database": "here.db"}).database_path == world.project / "here.db"
    assert load({"database": "~/there.db"}).database_path == Path("/home/someone/there.db")
    assert load({"home": "somewhere"}).database_path == world.project / "somewhere" / "recollect.db"


def test_loading_creates_nothing(world: World) -> None:
    world.load()
    assert not world.home.exists()


def test_a_folder_that_is_gone_has_no_project_file(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    gone = world.project / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    try:
        assert load(environment={"RECOLLECT_HOME": str(world.home)}).namespace == ""
    finally:
        os.chdir(world.project)


def test_a_user_without_a_home_folder_still_has_settings(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_number: int) -> None:
        raise KeyError

    monkeypatch.delenv("HOME")
    monkeypatch.setattr("pwd.getpwuid", nobody)
    assert world.load().home_path == world.home


def test_every_setting_explains_itself() -> None:
    names = [row.name for row in SETTINGS]
    assert len(names) == len(set(names))
    for row in SETTINGS:
        assert row.help and not row.help.endswith("."), row.name
        assert row.parse(row.default) == row.default, row.name
