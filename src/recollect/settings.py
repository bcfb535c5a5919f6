"""All settings: one typed class, which is also the table that files, help and reference are made from.

A value comes from the first of these that has it, and `recollect config` shows from which:

    argument  >  environment  >  project file (.recollect.toml)  >  user file (<home>/config.toml)  >  default

The environment variable is RECOLLECT_<NAME>. The names of earlier programs (CODEMEM_*, ATLAS_*) are read after it.
A project file comes with a repository, which may be hostile. It can only set rows marked `project`: never where
memories are stored, whose they are, where text is sent or which tools a model sees. Other rows in it are ignored, and
`settings.ignored` lists them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, NamedTuple, NoReturn, Self, TypeVar, overload

from recollect.errors import ConfigError, InvalidInput
from recollect.toolset import DEFAULT, TOOLSETS, parse_toolset

Number = TypeVar("Number", int, float)
Value = TypeVar("Value")

PROJECT_FILE = ".recollect.toml"
USER_FILE = "config.toml"
# How the URL of a database server begins.
SERVER_URLS = ("postgresql://", "postgres://")
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


def _several(value: object) -> tuple[str, ...]:
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(part, str) for part in parts):
        raise ValueError("expected names separated by commas")
    return tuple(name for part in parts if (name := _text(part)))


class Setting(Generic[Value]):
    """One setting: its default, parser and help; read from `Settings`, it is the value.

    older: what its name follows in an environment variable of an earlier program or of a provider
    project: whether a project file may set it
    secret: whether the value is hidden when settings are shown
    """

    name: str
    aliases: tuple[str, ...]

    def __init__(
        self,
        default: Value,
        parse: Callable[[object], Value],
        help: str,
        *,
        older: str | None = None,
        project: bool = False,
        secret: bool = False,
    ) -> None:
        self.default, self.parse, self.help = default, parse, help
        self.older, self.project, self.secret = older, project, secret

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name
        # Other environment variables that set it.
        self.aliases = () if self.older is None else (self.older + name.upper(),)

    # A field of this type in another class, as in Sourced, is the row itself.
    @overload
    def __get__(self, settings: Sourced | None, owner: type) -> Self: ...

    @overload
    def __get__(self, settings: Settings, owner: type) -> Value: ...

    def __get__(self, settings: Settings | Sourced | None, owner: type) -> Self | Value:
        if not isinstance(settings, Settings):
            return self
        value: Value = settings._rows[self.name].value
        return value

    def __set__(self, settings: Settings, value: object) -> NoReturn:
        raise AttributeError("settings are frozen; make new ones with load()")


class Sourced(NamedTuple):
    """A setting's value and where it was found."""

    setting: Setting[Any]
    value: Any
    source: str

    def __repr__(self) -> str:
        shown = "***" if self.setting.secret and self.value else repr(self.value)
        return f"Sourced({self.setting.name}={shown}, {self.source})"


class Settings:
    """Frozen settings: `settings.embed_model` is a value, `settings.rows()` also says where each came from.

    ignored: an error for each setting in the project file that a project may not set
    """

    __slots__ = ("_rows", "ignored")
    _rows: Mapping[str, Sourced]
    ignored: tuple[ConfigError, ...]

    # Paths, limits and logging
    home = Setting("~/.recollect", _text, "folder of the database, the user file and queued hook events (mode 0700)")
    database = Setting("", _text, "database file (default: recollect.db in home)")
    database_url = Setting(
        "", _text, "URL of a PostgreSQL server with pgvector, which replaces the database file", secret=True
    )
    database_read_url = Setting(
        "", _text, "URL of a read replica of that server, for searches (default: the server itself)", secret=True
    )
    assistants_home = Setting("~", _text, "folder that holds the assistants' folders, whose transcripts are imported")
    namespace = Setting(
        "",
        _text,
        "project of commands and tools that name none, by name or path (default: that of the current folder)",
    )
    busy_timeout_ms = Setting(
        30_000, _whole(0, 600_000), "how long a write waits for other processes before it fails with STORE_LOCKED"
    )
    max_content_bytes = Setting(1_048_576, _whole(1, 67_108_864), "size limit of one memory, in UTF-8 bytes")
    log_level = Setting("warning", _one_of("debug", "info", "warning", "error"), "lowest level logged to stderr")
    toolset = Setting(DEFAULT, parse_toolset, f"groups of MCP tools to list, joined by commas: {', '.join(TOOLSETS)}")

    # Embeddings
    embed_provider = Setting(
        "local",
        _one_of("local", "ollama", "openai", "off", candle="local"),
        "embedding provider: local (the bundled model), ollama, openai (any compatible API), off (keyword search only)",
        older="CODEMEM_",
    )
    embed_model = Setting("", _text, "embedding model (default: the provider's default)", older="CODEMEM_")
    embed_url = Setting("", _text, "base URL of the embedding provider (default: the provider's own)", older="CODEMEM_")
    embed_api_key = Setting(
        "", _text, "API key of the embedding provider (default: openai_api_key)", older="CODEMEM_", secret=True
    )
    embed_dimensions = Setting(
        0, _whole(0, 16_384), "vector length requested from an openai provider (0: the model's own)", older="CODEMEM_"
    )
    enrichment = Setting(
        "lean",
        _one_of("off", "lean", "documented"),
        "context embedded with a memory's title and text: off (none), lean (tags and linked names), documented (type, "
        "namespace and all links as well, and for code its callers and callees); a change rebuilds all vectors",
    )
    embed_threads = Setting(1, _whole(1, 64), "threads of the local embedding model")
    embed_timeout_s = Setting(30.0, _number(0.1, 600), "timeout of a request to the embedding model")
    embed_retries = Setting(3, _whole(0, 10), "retries after a remote embedding provider fails")
    embed_on_demand = Setting(
        64,  # a small store gets its vectors with the first search; after an import thousands may be missing
        _whole(0, 100_000),
        "missing vectors that a search computes itself, if most memories have one",
    )

    # Language model
    llm_provider = Setting(
        "none",
        _one_of("none", "ollama", "openai", "anthropic", off="none"),
        "language model provider: none, ollama, openai (any compatible API), anthropic",
    )
    llm_model = Setting("", _text, "language model (default: the provider's default)")
    llm_url = Setting("", _text, "base URL of the language model (default: the provider's own)")
    llm_api_key = Setting(
        "",
        _text,
        "API key of the language model (default: openai_api_key or anthropic_api_key, by provider)",
        secret=True,
    )
    llm_timeout_s = Setting(30.0, _number(0.1, 600), "timeout of a request to the language model")
    llm_retries = Setting(2, _whole(0, 10), "retries after the language model fails")
    llm_max_calls_per_day = Setting(
        1_000, _whole(0, 1_000_000_000), "requests to the language model per UTC day, across all processes"
    )
    llm_max_tokens_per_day = Setting(
        1_000_000,
        _whole(0, 1_000_000_000_000),
        "tokens read and written by the language model per UTC day, across all processes",
    )
    openai_api_key = Setting(
        "", _text, "API key of openai providers that have no key of their own", older="", secret=True
    )
    anthropic_api_key = Setting(
        "", _text, "API key of anthropic providers that have no key of their own", older="", secret=True
    )
    compress_provider = Setting(
        "none",
        _one_of("none", "llm", "ollama", "openai", "anthropic", off="none"),
        "model that shortens long hook observations: none (they are stored as they are), llm (the language model "
        "above), ollama, openai (any compatible API), anthropic",
        older="CODEMEM_",
    )
    compress_model = Setting(
        "", _text, "model that shortens observations (default: the provider's default)", older="CODEMEM_"
    )
    compress_url = Setting(
        "", _text, "base URL of the model that shortens observations (default: the provider's own)", older="CODEMEM_"
    )
    compress_api_key = Setting(
        "",
        _text,
        "API key of the model that shortens observations (default: openai_api_key or anthropic_api_key, by provider)",
        secret=True,
    )
    compress_min_characters = Setting(
        600, _whole(1, 1_000_000), "shortest observation that a model shortens; rules already shorten the others"
    )
    summaries = Setting(
        "rules",
        _one_of("rules", "model"),
        "how sessions and clusters are summarised: rules, or model (the language model, with rules as a fallback)",
    )

    # Background work of `recollect serve`
    consolidate = Setting(True, _switch, "serve runs decay daily, creative weekly and cluster monthly, when idle")
    # Off by default: it rewrites descriptions of code, and may call a paid language model.
    evolve = Setting(False, _switch, "serve runs evolve on coding memories weekly, when idle; `undo` reverts it")
    watch = Setting(False, _switch, "serve updates the code index of the project it was started in")

    # `recollect serve --http`
    http_hosts = Setting[tuple[str, ...]](
        (), _several, "names under which other machines or a proxy reach the HTTP server, by commas"
    )
    http_origins = Setting[tuple[str, ...]](
        (), _several, "origins of web pages of other sites that may call the HTTP server, by commas"
    )
    http_max_bytes = Setting(16_777_216, _whole(1_024, 1_073_741_824), "size limit of one HTTP request")
    http_rate = Setting(
        50.0, _number(0, 1_000_000), "HTTP requests per second of a caller from another machine (0: no limit)"
    )
    quota_memories_per_day = Setting(
        0, _whole(0, 1_000_000_000), "memories that one access token may store per UTC day over HTTP (0: no limit)"
    )
    oidc_issuer = Setting("", _text, "address of an OIDC issuer whose tokens the HTTP server accepts beside its own")
    oidc_audience = Setting("", _text, "name under which the OIDC issuer knows this server")
    oidc_grants = Setting[tuple[str, ...]](
        (),
        _several,
        "rights by claim, the first that fits: claim:value=scope or claim:value=scope@project+project, by commas",
    )
    http_certificate_file = Setting("", _text, "certificate file (PEM) for HTTPS")
    http_key_file = Setting("", _text, "key file (PEM) of the certificate")

    # A team server, beside the local store
    team_url = Setting("", _text, "address of a team server that is searched beside the local store")
    team_token = Setting("", _text, "access token for the team server", secret=True)
    team_projects = Setting[tuple[str, ...]](
        (), _several, "projects that live on the team server: name, path or path=name, by commas"
    )
    team_deadline_ms = Setting(300, _whole(1, 60_000), "how long a search waits for the team server")

    # What hooks add to a session
    context_tokens = Setting(
        600,
        _whole(0, 100_000),
        "token budget of what hooks add when a session starts, at most 9,000 bytes (0: nothing)",
        project=True,
    )
    prompt_tokens = Setting(
        600, _whole(0, 100_000), "token budget of what hooks add to a prompt (0: nothing)", project=True
    )

    # Search
    judge = Setting(False, _switch, "the language model re-ranks search results")
    judge_candidates = Setting(20, _whole(1, 1000), "number of top hits that the language model re-ranks")
    judge_batch_size = Setting(10, _whole(1, 100), "number of hits judged in parallel")
    judge_deadline_s = Setting(20.0, _number(0.1, 600), "time limit for re-ranking the hits of one search")

    rerank = Setting(
        "",
        _text,
        "folder of a cross-encoder (model.onnx, tokenizer.json) that reranks the first 30 hits of a search, in up to a "
        "second of CPU (default: off)",
    )

    # Code index
    index_max_file_bytes = Setting(
        2_097_152, _whole(1, 67_108_864), "code index: size limit of a file; larger files are skipped", project=True
    )
    index_workers = Setting(0, _whole(0, 64), "code index: worker processes at most (0: one per core)")

    # recollect.episodic
    chunk_size = Setting(400, _whole(1, 1_000_000), "episodic: characters per chunk", older="ATLAS_")
    chunk_overlap = Setting(0.2, _number(0, 0.5), "episodic: overlap of neighbouring chunks", older="ATLAS_")
    min_chunk_size = Setting(100, _whole(1, 1_000_000), "episodic: characters of the smallest chunk", older="ATLAS_")
    max_chunks_per_turn = Setting(10, _whole(1, 10_000), "episodic: chunks per turn at most", older="ATLAS_")
    temporal_decay_rate = Setting(
        0.01, _number(0, 100), "episodic: decay of a record's weight per hour", older="ATLAS_"
    )
    importance_boost_factor = Setting(
        0.1, _number(0, 100), "episodic: boost of a record's weight per access", older="ATLAS_"
    )
    max_importance_multiplier = Setting(5.0, _number(1, 1000), "episodic: upper limit of the boost", older="ATLAS_")
    forgetting_threshold = Setting(
        0.01, _number(0, 1), "episodic: weight below which a record can be deleted", older="ATLAS_"
    )
    session_duration_hours = Setting(2.0, _number(0, 8760), "episodic: longest session", older="ATLAS_")
    session_max_turns = Setting(50, _whole(1, 100_000), "episodic: turns per session at most", older="ATLAS_")
    session_inactivity_minutes = Setting(
        30.0, _number(0, 525_600), "episodic: inactivity that ends a session", older="ATLAS_"
    )
    session_cleanup_minutes = Setting(
        15.0, _number(0, 525_600), "episodic: time between clean-ups of ended sessions", older="ATLAS_"
    )
    session_promotion_threshold = Setting(
        0.7, _number(-1, 1), "episodic: similarity to its session from which a turn is promoted", older="ATLAS_"
    )
    session_topic_change_threshold = Setting(
        0.3, _number(-1, 1), "episodic: similarity below which a turn starts a new session", older="ATLAS_"
    )
    max_episodic_records = Setting(1000, _whole(1, 100_000_000), "episodic: records kept at most", older="ATLAS_")
    enable_memory_metrics = Setting(True, _switch, "episodic: collect metrics", older="ATLAS_")

    def __init__(self, rows: Mapping[str, Sourced], ignored: tuple[ConfigError, ...] = ()) -> None:
        object.__setattr__(self, "_rows", MappingProxyType(dict(rows)))
        object.__setattr__(self, "ignored", ignored)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("settings are frozen; make new ones with load()")

    def rows(self) -> Iterator[Sourced]:
        """Yield every setting with its value and source, in the order of the class."""
        yield from self._rows.values()

    @property
    def home_path(self) -> Path:
        """The home folder, expanded and absolute; not created."""
        return Path(os.path.abspath(os.path.expanduser(self.home)))  # noqa: PTH100, PTH111 - no symlink resolution

    @property
    def database_path(self) -> Path:
        """The database file, absolute; not created. With `database_url` it is not used."""
        if not self.database:
            return self.home_path / "recollect.db"
        return Path(os.path.abspath(os.path.expanduser(self.database)))  # noqa: PTH100, PTH111


SETTINGS: tuple[Setting[Any], ...] = tuple(row for row in vars(Settings).values() if isinstance(row, Setting))

_BY_NAME: Mapping[str, Setting[Any]] = MappingProxyType({setting.name: setting for setting in SETTINGS})

# Looks a setting up in one source: its raw value and the name of the source, or None.
Layer = Callable[[Setting[Any]], "tuple[object, str] | None"]


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
    layers: list[Layer] = [
        lambda row: (given[row.name], "argument") if row.name in given else None,
        lambda row: _from_environment(row, environment),
    ]
    project_file = _project_file(directory)
    ignored: list[ConfigError] = []
    if project_file:
        values = _content(project_file, project=True)
        ignored = [
            ConfigError(
                f"{project_file} sets {name}, which a project file cannot set: it is ignored",
                hint=f"Set it in the user file or with RECOLLECT_{name.upper()}.",
                setting=name,
                path=str(project_file),
            )
            for name in values
            if not _BY_NAME[name].project
        ]
        allowed = {name: value for name, value in values.items() if _BY_NAME[name].project}
        layers.append(_file_layer(allowed, f"project file {project_file}"))
    home = _resolve(_BY_NAME["home"], layers)
    user_file = Path(os.path.expanduser(home.value)) / USER_FILE  # noqa: PTH111
    if _is_file(user_file):
        layers.append(_file_layer(_content(user_file), f"user file {user_file}"))
    rows = {row.name: _resolve(row, layers) for row in SETTINGS}
    rows["home"] = home
    _settle_database(rows)
    return Settings(rows, tuple(ignored))


def _settle_database(rows: dict[str, Sourced]) -> None:
    """Read a URL that is given as the database as that of a server; a file given as an argument overrides a server."""
    database, server = rows["database"], rows["database_url"]
    if database.value.startswith(SERVER_URLS):
        rows["database"] = Sourced(database.setting, database.setting.default, "default")
        rows["database_url"] = Sourced(server.setting, database.value, database.source)
    elif database.source == "argument" and server.source != "argument":
        rows["database_url"] = Sourced(server.setting, server.setting.default, "default")


def _resolve(row: Setting[Any], layers: list[Layer]) -> Sourced:
    for look in layers:
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


def _from_environment(row: Setting[Any], environment: Mapping[str, str]) -> tuple[object, str] | None:
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
            f"{path} cannot set home: the file itself is in the home folder",
            hint="Set RECOLLECT_HOME instead.",
            setting="home",
            path=str(path),
        )
    return values


def _file_layer(values: Mapping[str, object], label: str) -> Layer:
    return lambda row: (values[row.name], label) if row.name in values else None


def _refuse_unknown(values: Mapping[str, object], where: str) -> None:
    for name in values:
        if name not in _BY_NAME:
            import difflib

            near = difflib.get_close_matches(name, _BY_NAME, 1)
            raise ConfigError(
                f"unknown setting {name!r} in {where}",
                hint=f"Did you mean {near[0]}?" if near else "",
                setting=name,
            )
