"""ONE table of settings, and the frozen value made from it.

A value is looked for in this order, and `recollect config` prints where it was found:

    argument  >  environment  >  project file (.recollect.toml)  >  user file (<home>/config.toml)  >  default

The environment name is RECOLLECT_<NAME>; the names of the documents that recollect grew out of (CODEMEM_*, ATLAS_*)
are honoured after it. A project file comes with a repository somebody else may have written, so it can only set rows
marked `project`: never where memories are kept, whose memories they are, where text is sent or which tools a model is
shown. Other rows in it are ignored, and `settings.ignored` says so.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from recollect.errors import ConfigError, InvalidInput
from recollect.toolset import DEFAULT, TOOLSETS, parse_toolset

Number = TypeVar("Number", int, float)

PROJECT_FILE = ".recollect.toml"
USER_FILE = "config.toml"
# A settings file that people write has a few kilobytes.
MAX_FILE_BYTES = 1024 * 1024


def _whole(low: int, high: int) -> Callable[[object], int]:
    def parse(value: object) -> int:
        number = _read(int, value) if isinstance(value, int | str) else None
        if number is None or not low <= number <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return number

    return parse


def _number(low: float, high: float) -> Callable[[object], float]:
    def parse(value: object) -> float:
        number = _read(float, value) if isinstance(value, int | float | str) else None
        if number is None or not low <= number <= high:
            raise ValueError(f"expected a number from {low} to {high}")
        return number

    return parse


def _read(kind: Callable[[Any], Number], value: object) -> Number | None:
    try:
        return None if isinstance(value, bool) else kind(value)
    except ValueError:
        return None


def _one_of(*names: str, **synonyms: str) -> Callable[[object], str]:
    def parse(value: object) -> str:
        text = str(value).strip().lower()
        text = synonyms.get(text, text)
        if text not in names:
            raise ValueError(f"expected one of {', '.join(names)}")
        return text

    return parse


def _switch(value: object) -> bool:
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise ValueError("expected true or false")


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("expected text")
    if "\0" in value:
        raise ValueError("expected text without NUL characters")
    return value.strip()


class Setting(NamedTuple):
    """One row: its name, default, parser, help, other environment names, and who may set it."""

    name: str
    default: Any
    parse: Callable[[object], Any]
    help: str
    aliases: tuple[str, ...] = ()
    project: bool = False
    secret: bool = False


SETTINGS: tuple[Setting, ...] = (
    Setting("home", "~/.recollect", _text, "folder of the database, settings and spool; created with mode 0700"),
    Setting("database", "", _text, "database file; empty: recollect.db in home"),
    Setting("assistants_home", "~", _text, "folder below which assistants keep transcripts that can be imported"),
    Setting("namespace", "", _text, "namespace used where none is given; empty: none; a path means its project"),
    Setting(
        "busy_timeout_ms", 30_000, _whole(0, 600_000), "how long a write waits for other processes before STORE_LOCKED"
    ),
    Setting("max_content_bytes", 1_048_576, _whole(1, 67_108_864), "largest memory accepted, in UTF-8 bytes"),
    Setting("log_level", "warning", _one_of("debug", "info", "warning", "error"), "what is written to standard error"),
    Setting("toolset", DEFAULT, parse_toolset, f"groups of MCP tools to list, joined by commas: {', '.join(TOOLSETS)}"),
    Setting(
        "embed_provider",
        "local",
        _one_of("local", "ollama", "openai", "off", candle="local"),
        "who makes vectors: local (shipped model), ollama, openai (any compatible API), off (lexical only)",
        aliases=("CODEMEM_EMBED_PROVIDER",),
    ),
    Setting(
        "embed_model", "", _text, "embedding model; empty: the provider's default", aliases=("CODEMEM_EMBED_MODEL",)
    ),
    Setting(
        "embed_url", "", _text, "base URL of a remote provider; empty: its default", aliases=("CODEMEM_EMBED_URL",)
    ),
    Setting(
        "embed_api_key",
        "",
        _text,
        "key of a remote provider; empty: openai_api_key",
        aliases=("CODEMEM_EMBED_API_KEY",),
        secret=True,
    ),
    Setting(
        "embed_dimensions",
        0,
        _whole(0, 16_384),
        "vector length asked of an openai provider; 0: the model's own",
        aliases=("CODEMEM_EMBED_DIMENSIONS",),
    ),
    Setting(
        "enrichment",
        "lean",
        _one_of("off", "lean", "documented"),
        "what is embedded beside a memory's title and text: off (nothing), lean (its tags and what it links to), "
        "documented (also type, namespace and all links; of code, what it is linked with); "
        "a change makes all vectors anew",
    ),
    Setting("embed_threads", 1, _whole(1, 64), "threads of the local model"),
    Setting("embed_timeout_s", 30.0, _number(0.1, 600), "patience with a remote provider, per request"),
    Setting("embed_retries", 3, _whole(0, 10), "further tries after a remote provider failed"),
    Setting(
        "embed_on_demand",
        64,
        _whole(0, 100_000),
        "missing vectors a recall makes itself when no background worker runs",
    ),
    Setting(
        "llm_provider",
        "none",
        _one_of("none", "ollama", "openai", "anthropic", off="none"),
        "which language model may be asked: none, ollama, openai (any compatible API), anthropic",
    ),
    Setting("llm_model", "", _text, "language model; empty: the provider's default"),
    Setting("llm_url", "", _text, "base URL of the language model; empty: the provider's own"),
    Setting(
        "llm_api_key",
        "",
        _text,
        "key of the language model; empty: openai_api_key or anthropic_api_key, as the provider is",
        secret=True,
    ),
    Setting("llm_timeout_s", 30.0, _number(0.1, 600), "patience with the language model, per request"),
    Setting("llm_retries", 2, _whole(0, 10), "further tries after the language model failed"),
    Setting(
        "llm_max_calls_per_day",
        1_000,
        _whole(0, 1_000_000_000),
        "how often the language model may be asked on one day (UTC), by all processes together",
    ),
    Setting(
        "llm_max_tokens_per_day",
        1_000_000,
        _whole(0, 1_000_000_000_000),
        "how many tokens the language model may read and write on one day (UTC), for all processes together",
    ),
    Setting(
        "openai_api_key",
        "",
        _text,
        "key used with an openai provider where none is given for it",
        aliases=("OPENAI_API_KEY",),
        secret=True,
    ),
    Setting(
        "anthropic_api_key",
        "",
        _text,
        "key used with the anthropic provider where llm_api_key is empty",
        aliases=("ANTHROPIC_API_KEY",),
        secret=True,
    ),
    Setting(
        "compress_provider",
        "none",
        _one_of("none", "llm", "ollama", "openai", "anthropic", off="none"),
        "who shortens long observations of hooks: none (they stay as they are), llm (the language model above), or a "
        "model of its own at ollama, openai (any compatible API), anthropic",
        aliases=("CODEMEM_COMPRESS_PROVIDER",),
    ),
    Setting(
        "compress_model",
        "",
        _text,
        "model that shortens observations; empty: the provider's default",
        aliases=("CODEMEM_COMPRESS_MODEL",),
    ),
    Setting(
        "compress_url",
        "",
        _text,
        "base URL of the model that shortens observations; empty: the provider's own",
        aliases=("CODEMEM_COMPRESS_URL",),
    ),
    Setting(
        "compress_api_key",
        "",
        _text,
        "key of the model that shortens observations; empty: openai_api_key or anthropic_api_key, as the provider is",
        secret=True,
    ),
    Setting(
        "compress_min_characters",
        600,
        _whole(1, 1_000_000),
        "observations shorter than this are not shortened: rules have made them short already",
    ),
    Setting(
        "summaries",
        "rules",
        _one_of("rules", "model"),
        "who sums up sessions and groups of memories: rules, or the language model, with rules where it fails",
    ),
    Setting("consolidate", True, _switch, "serve runs decay daily, creative weekly and cluster monthly, when idle"),
    # Not by itself: it rewrites what is said of a piece of code, and may ask a language model that somebody pays for.
    Setting("evolve", False, _switch, "serve lets coding memories evolve weekly, when idle; `undo` takes it back"),
    Setting(
        "context_tokens",
        1_500,
        _whole(0, 100_000),
        "what hooks may say when a session begins, in tokens and never more than 9,000 bytes; 0: nothing",
        project=True,
    ),
    Setting(
        "prompt_tokens",
        600,
        _whole(0, 100_000),
        "what hooks may say to a prompt that the memory clearly knows something of, in tokens; 0: nothing",
        project=True,
    ),
    Setting("judge", False, _switch, "let the language model judge what a search found, as its last stage"),
    Setting("judge_candidates", 20, _whole(1, 1000), "how many of the best hits are judged"),
    Setting("judge_batch_size", 10, _whole(1, 100), "how many are judged at the same time"),
    Setting("judge_deadline_s", 20.0, _number(0.1, 600), "how long a search waits for all judgements together"),
    Setting(
        "index_max_file_bytes",
        2_097_152,
        _whole(1, 67_108_864),
        "code index: larger files are left out",
        project=True,
    ),
    Setting("index_workers", 0, _whole(0, 64), "code index: most processes that read files; 0: one per core"),
    Setting("watch", False, _switch, "code index: serve keeps the project it was started in up to date"),
    Setting("chunk_size", 400, _whole(1, 1_000_000), "episodic: characters per chunk", aliases=("ATLAS_CHUNK_SIZE",)),
    Setting("chunk_overlap", 0.2, _number(0, 0.5), "episodic: overlap of chunks", aliases=("ATLAS_CHUNK_OVERLAP",)),
    Setting("min_chunk_size", 100, _whole(1, 1_000_000), "episodic: smallest chunk", aliases=("ATLAS_MIN_CHUNK_SIZE",)),
    Setting(
        "max_chunks_per_turn",
        10,
        _whole(1, 10_000),
        "episodic: chunks per turn",
        aliases=("ATLAS_MAX_CHUNKS_PER_TURN",),
    ),
    Setting(
        "temporal_decay_rate",
        0.01,
        _number(0, 100),
        "episodic: decay per hour of episodic memories",
        aliases=("ATLAS_TEMPORAL_DECAY_RATE",),
    ),
    Setting(
        "importance_boost_factor",
        0.1,
        _number(0, 100),
        "episodic: boost per access",
        aliases=("ATLAS_IMPORTANCE_BOOST_FACTOR",),
    ),
    Setting(
        "max_importance_multiplier",
        5.0,
        _number(1, 1000),
        "episodic: cap of the boost",
        aliases=("ATLAS_MAX_IMPORTANCE_MULTIPLIER",),
    ),
    Setting(
        "forgetting_threshold",
        0.01,
        _number(0, 1),
        "episodic: weight below which a record may be forgotten",
        aliases=("ATLAS_FORGETTING_THRESHOLD",),
    ),
    Setting(
        "session_duration_hours",
        2.0,
        _number(0, 8760),
        "episodic: life of a session",
        aliases=("ATLAS_SESSION_DURATION_HOURS",),
    ),
    Setting(
        "session_max_turns", 50, _whole(1, 100_000), "episodic: turns per session", aliases=("ATLAS_SESSION_MAX_TURNS",)
    ),
    Setting(
        "session_inactivity_minutes",
        30.0,
        _number(0, 525_600),
        "episodic: silence that ends a session",
        aliases=("ATLAS_SESSION_INACTIVITY_MINUTES",),
    ),
    Setting(
        "session_cleanup_minutes",
        15.0,
        _number(0, 525_600),
        "episodic: time between clean-ups",
        aliases=("ATLAS_SESSION_CLEANUP_MINUTES",),
    ),
    Setting(
        "session_promotion_threshold",
        0.7,
        _number(-1, 1),
        "episodic: similarity to its session from which a turn is promoted",
        aliases=("ATLAS_SESSION_PROMOTION_THRESHOLD",),
    ),
    Setting(
        "session_topic_change_threshold",
        0.3,
        _number(-1, 1),
        "episodic: similarity below which a turn begins a new session",
        aliases=("ATLAS_SESSION_TOPIC_CHANGE_THRESHOLD",),
    ),
    Setting(
        "max_episodic_records",
        1000,
        _whole(1, 100_000_000),
        "episodic: records kept",
        aliases=("ATLAS_MAX_EPISODIC_RECORDS",),
    ),
    Setting(
        "enable_memory_metrics",
        True,
        _switch,
        "episodic: collect metrics",
        aliases=("ATLAS_ENABLE_MEMORY_METRICS",),
    ),
)

_BY_NAME: Mapping[str, Setting] = MappingProxyType({setting.name: setting for setting in SETTINGS})


class Sourced(NamedTuple):
    """A setting's value and where it was found."""

    setting: Setting
    value: Any
    source: str

    def __repr__(self) -> str:
        shown = "***" if self.setting.secret and self.value else repr(self.value)
        return f"Sourced({self.setting.name}={shown}, {self.source})"


class Settings:
    """Frozen settings: `settings.embed_model` is the value, `settings.rows()` tells where each came from.

    ignored: an error for each row of the project file that it may not set
    """

    __slots__ = ("_rows", "ignored")
    ignored: tuple[ConfigError, ...]

    def __init__(self, rows: Mapping[str, Sourced], ignored: tuple[ConfigError, ...] = ()) -> None:
        object.__setattr__(self, "_rows", MappingProxyType(dict(rows)))
        object.__setattr__(self, "ignored", ignored)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._rows[name].value
        except KeyError:
            raise AttributeError(f"no setting named {name}") from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("settings are frozen; make new ones with load()")

    def rows(self) -> Iterator[Sourced]:
        """Yield every setting with its value and source, in table order."""
        yield from self._rows.values()

    @property
    def home_path(self) -> Path:
        """The home folder, expanded and absolute; not created."""
        return Path(os.path.abspath(os.path.expanduser(self.home)))  # noqa: PTH100, PTH111 - no symlink resolution

    @property
    def database_path(self) -> Path:
        """The database file, absolute; not created."""
        if not self.database:
            return self.home_path / "recollect.db"
        return Path(os.path.abspath(os.path.expanduser(self.database)))  # noqa: PTH100, PTH111


def load(
    arguments: Mapping[str, object] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> Settings:
    """Return the settings in force for a process working in `directory` (default: here).

    arguments: values given by the caller, by setting name; None values count as not given.
    Raises ConfigError for an unknown name, an unreadable file or a value out of its range.
    """
    environment = os.environ if environment is None else environment
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    _refuse_unknown(given, "the arguments")
    layers: list[tuple[str, Callable[[Setting], tuple[object, str] | None]]] = [
        ("argument", lambda row: (given[row.name], "argument") if row.name in given else None),
        ("environment", lambda row: _from_environment(row, environment)),
    ]
    project_file = _project_file(directory)
    ignored: list[ConfigError] = []
    if project_file:
        values = _content(project_file, project=True)
        ignored = [_not_of_a_project(project_file, name) for name in values if not _BY_NAME[name].project]
        allowed = {name: value for name, value in values.items() if _BY_NAME[name].project}
        layers.append(("project", _file_layer(allowed, f"project file {project_file}")))
    home = _resolve(_BY_NAME["home"], layers)
    user_file = Path(os.path.expanduser(home.value)) / USER_FILE  # noqa: PTH111
    if _is_file(user_file):
        layers.append(("user", _file_layer(_content(user_file), f"user file {user_file}")))
    rows = {row.name: _resolve(row, layers) for row in SETTINGS}
    rows["home"] = home
    return Settings(rows, tuple(ignored))


def _resolve(row: Setting, layers: list[tuple[str, Callable[[Setting], tuple[object, str] | None]]]) -> Sourced:
    for _name, look in layers:
        found = look(row)
        if found is None:
            continue
        raw, source = found
        try:
            return Sourced(row, row.parse(raw), source)
        except (ValueError, TypeError) as problem:
            shown = "the given value" if row.secret else repr(raw)
            raise ConfigError(
                f"{row.name} cannot be {shown} ({source}): {problem}", setting=row.name, source=source
            ) from None
    return Sourced(row, row.default, "default")


def _from_environment(row: Setting, environment: Mapping[str, str]) -> tuple[object, str] | None:
    for name in (f"RECOLLECT_{row.name.upper()}", *row.aliases):
        if environment.get(name, "").strip():
            return environment[name], f"environment {name}"
    return None


def _project_file(directory: Path | None) -> Path | None:
    """Return the nearest .recollect.toml from `directory` up to the project's root; never one in the user's home."""
    try:
        directory = directory or Path.cwd()
    except FileNotFoundError:  # The folder we stand in was removed.
        return None
    home = Path(os.path.expanduser("~"))  # noqa: PTH111 - unlike Path.home, it does not mind a user without one
    for folder in (directory, *directory.parents):
        if folder == home:
            return None
        candidate = folder / PROJECT_FILE
        try:
            if candidate.is_file():
                return candidate
            if (folder / ".git").exists():
                return None
        except PermissionError:  # A folder above that is not ours to look into.
            return None
    return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError as problem:
        raise ConfigError(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None


def _content(path: Path, *, project: bool = False) -> dict[str, object]:
    """Return the rows of a settings file; raises ConfigError where it cannot be read or has an unknown row."""
    from recollect.files import read_file
    from recollect.parsing import parse_toml

    try:
        raw = read_file(path, most=MAX_FILE_BYTES, within=path.parent if project else None)
        values = parse_toml(raw, what="its content")
    except OSError as problem:
        raise ConfigError(f"{path} cannot be read: {problem.strerror}", path=str(path)) from None
    except InvalidInput as problem:
        raise ConfigError(f"{path} cannot be read: {problem.message}", path=str(path)) from None
    _refuse_unknown(values, str(path))
    if "home" in values and not project:
        raise ConfigError(
            f"{path} sets home, which is where it lies itself",
            hint="Set RECOLLECT_HOME instead.",
            setting="home",
            path=str(path),
        )
    return values


def _not_of_a_project(path: Path, name: str) -> ConfigError:
    return ConfigError(
        f"{path} sets {name}, which a project file may not: it is ignored",
        hint=f"Use the user file or RECOLLECT_{name.upper()}: a repository must not decide this for its user.",
        setting=name,
        path=str(path),
    )


def _file_layer(values: Mapping[str, object], label: str) -> Callable[[Setting], tuple[object, str] | None]:
    return lambda row: (values[row.name], label) if row.name in values else None


def _refuse_unknown(values: Mapping[str, object], where: str) -> None:
    for name in values:
        if name not in _BY_NAME:
            import difflib

            near = difflib.get_close_matches(name, _BY_NAME, 1)
            raise ConfigError(
                f"{where}: no setting named {name!r}",
                hint=f"Did you mean {near[0]}?" if near else "",
                setting=name,
            )
