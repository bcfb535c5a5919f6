"""Design patterns of a project, by the structure of its code; roles by the names of its types."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.hierarchy.layers import own_symbols

if TYPE_CHECKING:
    from recollect.engine import Project, SymbolRow

# Examples of a pattern and bases that are listed; the least number of subclasses.
MOST_EXAMPLES, MOST_BASES, LEAST_CHILDREN = 6, 14, 3

# Ends of the names of types, by role; the first of several names the role.
ROLES = [
    tuple(ends.split("/"))
    for ends in """Factory Builder Adapter/Wrapper Strategy/Policy Observer/Listener/Subscriber/Watcher/Emitter
    Repository/Dao/DAO Store/Storage/Backend Service Controller/ViewSet/Resource Middleware/Interceptor Handler Visitor
    Decorator Proxy Command Registry Plugin/Extension Mixin Pool Cache Iterator/Cursor State/StateMachine Facade
    Provider Interface/Protocol Resolver Serializer/Encoder/Decoder/Marshaler/Codec Parser/Lexer/Tokenizer/Scanner
    Client Server Worker/Queue/Scheduler/Executor/Dispatcher Settings/Config/Options/Configuration Migration
    Error/Exception""".split()
]
TYPES = frozenset({"Class", "Interface", "Type", "Struct", "Enum"})
FUNCTIONS = frozenset({"Function", "Method", "Endpoint"})
# Of a larger file the first part is read; of a longer function the first lines decide.
MOST_FILE_BYTES, MOST_BODY_CHARACTERS = 400_000, 8_000
# A field that keeps the only instance: `_instance = None`, `@@instance`, `shared: Logger`.
_ONE_FIELD = re.compile(
    r"\s*(?:@@|@|self\.|cls\.|private )?_{0,2}(?:instance|singleton|shared)_?\s*(?::|\|\|=|=)", re.I
)
# What makes a value once: Go's sync.Once, a global of Python, cells of Rust.
_ONCE = re.compile(r"\.Do\(|^\s*global \w|\bget_or_init\(|\bLazyLock::new\(", re.M)
_ASSIGNED = re.compile(r"=\s*(?:new |&)?([A-Z]\w*)\s*[({]")
# The type of a returned value: `return new Redis(`, `return &Redis{`, `=> Redis::new(`, `Box::new(Redis {`.
_RETURNED = re.compile(
    r"(?:\breturn|=>|->)\s+(?:await |new |&|\()*(?:(?:Box|Arc|Rc|Some|Ok)(?:::new)?\(&?)*"
    r"([A-Z]\w*)(?:::\w{1,40}|\.new)?\s*[({]"
)
# The bases of a class in the syntax of many languages.
_BASES = re.compile(
    r"^[\w\s@.]*?\b(?:class|interface|struct|trait|object|protocol)\s+\w+(?:<[^>]*>|\[[^\]]*\])?\s*"
    r"(?:\(([^)]*)\)|(?:extends|implements|:|<)\s*([^{]*))"
)
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_NO_BASE = frozenset(
    "object metaclass kw_only frozen public private protected virtual extends implements with type Any".split()
)


def design_patterns(project: Project) -> str:
    """Return the patterns in use: by structure, then roles by name, and base types with many subclasses."""
    files = {path: [row for row in rows if not row.test] for path, rows in own_symbols(project).items()}
    rows = [(path, row) for path, rows in files.items() for row in rows]
    return "\n".join([*_structures(project, files), *_roles(rows), *_bases(rows)])


def _structures(project: Project, files: dict[str, list[SymbolRow]]) -> Iterator[str]:
    """Yield types that keep one instance of themselves, and functions that return one of several types."""
    places = {row.name: f"{path}:{row.start_line}" for path, rows in files.items() for row in rows if row.kind in TYPES}
    known = {name for name in places if not name.endswith(("Error", "Exception"))}
    single: dict[str, str] = {}
    making: list[str] = []
    for path, rows in files.items():
        lines = project.text(path, MOST_FILE_BYTES).split("\n")
        for row in rows if len(lines) > 1 else ():
            body = "\n".join(lines[row.start_line - 1 : row.end_line])[:MOST_BODY_CHARACTERS]
            if row.kind in TYPES and _keeps_one(row.name, body):
                single.setdefault(row.name, f"{row.name} ({path}:{row.start_line})")
            elif row.kind in FUNCTIONS:
                for name in known.intersection(_ASSIGNED.findall(body)) if _ONCE.search(body) else ():
                    single.setdefault(name, f"{name} ({places[name]}), by {row.qualified}")
                returned = known.intersection(_RETURNED.findall(body)) - {row.name}
                if len(returned) > 1:
                    making.append(
                        f"{row.qualified} ({path}:{row.start_line}) returns {_some(sorted(returned), ' or ')}"
                    )
    for title, found in (("Singleton, keeps one instance", list(single.values())), ("Factory", making)):
        if found:
            yield f"{title}: {_some(found)}"


def _keeps_one(name: str, body: str) -> bool:
    """Return whether a type has a field for an instance of itself: a static one, or one with a telling name."""
    for line in body.split("\n")[1:]:
        head, _, value = line.partition("=")
        words = _NAME.findall(head)
        is_static = "static" in words and "(" not in head
        if is_static and (name in words or name in _NAME.findall(value)[:2]):
            return True
        if _ONE_FIELD.match(line) and (name in body or "cls" in body):
            return True
    return False


def _roles(rows: list[tuple[str, SymbolRow]]) -> Iterator[str]:
    """Yield types by the role that their name says; this is evidence of intent, and is marked as such."""
    for ends in ROLES:
        named = {row.name: f"{row.name} ({path}:{row.start_line})" for path, row in reversed(rows)
                 if row.kind in TYPES and row.name.endswith(ends)}  # fmt: skip
        if named:
            yield f"{ends[0]}, by name: {_some(list(named.values())[::-1])}"


def _bases(rows: list[tuple[str, SymbolRow]]) -> Iterator[str]:
    """Yield the base types with many subclasses."""
    children: dict[str, dict[str, None]] = defaultdict(dict)
    for _, row in rows:
        if row.kind in TYPES and (found := _BASES.search(row.signature or "")):
            for base in _base_names(found[1] or found[2] or ""):
                if base not in _NO_BASE and base != row.name:
                    children[base][row.name] = None
    places: dict[str, list[str]] = defaultdict(list)
    for path, row in rows:
        if row.kind in TYPES:
            places[row.name].append(f"{path}:{row.start_line}")
    many = sorted(children.items(), key=lambda item: (-len(item[1]), item[0]))
    shown = [(base, names) for base, names in many if len(names) >= LEAST_CHILDREN][:MOST_BASES]
    for base, names in shown:
        where = f" ({places[base][0]})" if len(places[base]) == 1 else "" if places[base] else ", external"
        yield f"Base {base}{where}: {_some(list(names))}"


def _base_names(text: str) -> Iterator[str]:
    """Yield the names in a list of bases, without packages, parameters and options."""
    for each in re.sub(r"[\[<][^\]>]*+(?:[\]>]|\Z)", "", text).split(","):
        if "=" not in each:
            yield from (name.rpartition(".")[2] for name in _NAME.findall(each))


def _some(texts: list[str], separator: str = ", ") -> str:
    more = len(texts) - MOST_EXAMPLES
    return separator.join(texts[:MOST_EXAMPLES]) + (f", … {more} more" if more > 0 else "")
