"""Excused symbols: unused symbols that are not dead, since a framework, a base class or a text may call them.

    language, tool or framework   entry points, special names, decorated functions, configurations, tests
    a base outside the project    any of its methods may be called; what the base is like is not known
    text                          templates, configurations and manifests that contain the exact name

Every rule errs towards "used": a wrong candidate costs a reader more than a missing one.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

from recollect.code.index.fixture_uses import is_fixture
from recollect.code.index.symbol_properties import is_test_file
from recollect.store.code_rows import FoundSymbol, SymbolRow


class Candidate(NamedTuple):
    """A symbol with what decides about it.

    owners: the symbols around it, innermost first. is_open: its class has a base outside of the project
    is_main: it has a member `main`. is_library: other projects may import its file
    """

    number: int
    found: FoundSymbol
    owners: tuple[SymbolRow, ...] = ()
    is_open: bool = False
    is_override: bool = False
    is_main: bool = False
    is_library: bool = False

    @property
    def row(self) -> SymbolRow:
        return self.found.symbol

    @property
    def owner(self) -> SymbolRow | None:
        return self.owners[0] if self.owners else None


# Names that a language, its tools or a common framework look up by themselves.
_ENTRIES = re.compile(
    r"main|__\w+__|_[a-z]+_|_start|init|setup|setUp\w*|teardown|tearDown\w*|handler|lambda_handler|run_module|pytest_\w+|"
    r"urlpatterns|app_name|handler\d{3}|application|upgrade|downgrade|revision|down_revision|branch_labels|depends_on|"
    # Serialization and collections of Java, interfaces of Go, events of the browser, files of web frameworks.
    r"readObject|writeObject|readResolve|writeReplace|serialVersionUID|MarshalJSON|UnmarshalJSON|ServeHTTP|String|Error|"
    r"toString|toJSON|valueOf|hashCode|equals|compareTo|finalize|on[a-z]+|getServerSideProps|getStatic(?:Props|Paths)|"
    r"generate(?:Metadata|StaticParams)|middleware|loader|action|default|\[.*"
)
# Decorators that do not register a function; all others may.
_HARMLESS = re.compile(
    r"(?:\w+\.)*(?:property|staticmethod|classmethod|cached_property|cache|lru_cache|functools\.\w+|wraps|"
    r"contextmanager|asynccontextmanager|dataclass|dataclasses\.dataclass|final|overload|abstractmethod|total_ordering|"
    r"\w+\.setter|\w+\.getter|inline|derive|allow|must_use|Deprecated|SuppressWarnings|FunctionalInterface|"
    r"Nullable|NotNull|Data|Value|Getter|Setter)\b"
)
# Methods that make a class stand for a file, a list or a mapping, in languages where any object may.
_DUCK_TYPED = frozenset({"python", "javascript", "typescript", "tsx", "ruby"})
_BUILT_IN = frozenset(
    name for kind in (str, bytes, list, dict, set, io.TextIOWrapper, io.BytesIO) for name in dir(kind)
)
_OVERRIDE = re.compile(r"@?(?:\w+\.)*override\b", re.IGNORECASE)
# Files that a tool runs or reads by their name.
_TOOL_FILES = re.compile(
    r"(?:^|/)(?:setup|conftest|manage|wsgi|asgi|noxfile|tasks|fabfile|build|Rakefile|conf|settings|urls|apps|admin|"
    r"celeryconfig|gulpfile|Gruntfile|[\w.\-]+\.config|[\w\-]+rc)\.\w+$|\.d\.ts$|typings?\.ts$|(?:^|/)(?:migrations|alembic)/"
)
# Code that shows something, and is not used.
_SHOWN = re.compile(
    r"(?:^|/)(?:docs?|documentation|examples?|samples?|demos?|bench(?:marks?)?|website|hooks)/", re.IGNORECASE
)
_ENUM = re.compile(r"\benum\b|\b\w*(?:Enum|Flag|Choices)\b")
# Languages whose manifests do not tell a library from a program: what is public may be used by other projects.
OPEN_LANGUAGES = frozenset({"go", "java", "kotlin", "scala", "csharp", "swift", "c", "cpp", "php", "ruby"})
# Folders and files that a library keeps to itself.
_INTERNAL = re.compile(r"(?:^|/)(?:internal|private|impl|cmd|main\.\w+|_(?!_)[^/]*)(?:/|$)", re.IGNORECASE)

_RUN = frozenset({"Function", "Method", "Test", "Endpoint"})


def _is_member(each: Candidate) -> bool:
    return each.owner is not None and each.owner.kind in ("Class", "Interface", "Type")


def _outside_package(each: Candidate) -> str:
    """Return the folder of a file without the folders of its package: `com/example` names an owner."""
    parts = each.found.file.path.split("/")[:-1]
    names = (".".join(parts[number:]) + "." for number in range(len(parts)))
    kept = next((number for number, name in enumerate(names) if each.row.qualified.startswith(name)), len(parts))
    return "/".join(parts[:kept]) + "/"


def _is_decorated(each: Candidate) -> bool:
    rows = (each.row, *each.owners) if each.row.kind == "Constant" else (each.row,)
    return any(not _HARMLESS.match(text) for row in rows for text in row.decorators)


def is_visible(each: Candidate) -> bool:
    """Tell whether other projects can name a symbol: it and all that is around it are public."""
    return all(row.visibility in ("public", "protected") for row in (each.row, *each.owners))


def is_exported(each: Candidate) -> bool:
    """Tell whether users of a library reach a symbol."""
    return each.is_library and is_visible(each) and not _INTERNAL.search(each.found.file.path)


# Why a symbol that nothing leads to is no candidate: the first that is true.
EXCUSES: Mapping[str, Callable[[Candidate], bool]] = {
    "test": lambda each: each.row.test or is_fixture(each.row),
    "in a test file": lambda each: is_test_file(each.found.file.language, each.found.file.path),
    "copied or generated": lambda each: bool(each.found.file.mark),
    "entry point": lambda each: each.is_main or _ENTRIES.fullmatch(each.row.name) is not None,
    # A leading underscore in Rust says that nothing calls it: assertions for the compiler.
    "named as unused": lambda each: each.found.file.language == "rust" and each.row.name.startswith("_"),
    "script or configuration": lambda each: _TOOL_FILES.search(each.found.file.path) is not None,
    "example or documentation": lambda each: _SHOWN.search(_outside_package(each)) is not None,
    "override": lambda each: each.is_override or any(map(_OVERRIDE.match, (*each.row.decorators, each.row.signature))),
    "registered by a decorator": _is_decorated,
    "method of a built-in type": lambda each: (
        _is_member(each) and each.row.name in _BUILT_IN and each.row.visibility != "private"
    ) and each.found.file.language in _DUCK_TYPED,
    "part of an interface": lambda each: each.owner is not None and each.owner.kind == "Interface",
    "member of an enum": lambda each: each.owner is not None and each.row.kind not in _RUN and bool(
        _ENUM.search(each.owner.signature)
    ),
    "inside a function": lambda each: each.owner is not None and each.owner.kind in _RUN,
    # A private method of a language with privacy cannot override; a leading underscore hides nothing from a base. What
    # implements a trait of Rust has no visibility of its own.
    "base class outside the project": lambda each: each.is_open and (
        each.row.visibility != "private" or each.found.file.language == "python"
    ) and not (each.found.file.language == "rust" and each.row.signature.startswith("pub")),
}  # fmt: skip


def excuse(each: Candidate) -> str | None:
    """Return why a symbol without uses is not dead; None if nothing excuses it."""
    return next((name for name, holds in EXCUSES.items() if holds(each)), None)
