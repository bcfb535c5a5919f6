"""Design patterns of a project, by the names, bases and decorators of its symbols.

A name is evidence of intent, not proof of an implementation.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING

from recollect.hierarchy.layers import is_secondary

if TYPE_CHECKING:
    from recollect.engine import Project, SymbolRow

# Examples of a pattern, bases and decorators that are listed; the least number of subclasses and decorated symbols.
MOST_EXAMPLES, MOST_BASES, MOST_DECORATORS = 6, 14, 14
LEAST_CHILDREN, LEAST_DECORATED = 3, 4

# Pattern → regular expression for names of its types, in the order of the output.
NAMED: tuple[tuple[str, str], ...] = (
    ("Factory", r"Factory$|FactoryMethod$"), ("Builder", r"Builder$"), ("Singleton", r"Singleton"),
    ("Adapter", r"Adapter$|Wrapper$"), ("Strategy", r"Strategy$|Policy$"),
    ("Observer", r"Observer$|Listener$|Subscriber$|Watcher$|EventBus$|Emitter$"),
    ("Repository", r"Repository$|Dao$|DAO$"),
    ("Store", r"Store$|Storage$|Backend$"), ("Service", r"Service$"), ("Controller", r"Controller$|ViewSet$|Resource$"),
    ("Middleware", r"Middleware$|Interceptor$"), ("Handler", r"Handler$"), ("Visitor", r"Visitor$"),
    ("Decorator", r"Decorator$"), ("Proxy", r"Proxy$"), ("Command", r"Command$"), ("Registry", r"Registry$"),
    ("Plugin", r"Plugin$|Extension$"), ("Mixin", r"Mixin$"), ("Pool", r"Pool$"), ("Cache", r"Cache$"),
    ("Iterator", r"Iterator$|Cursor$"), ("State machine", r"State$|StateMachine$"), ("Facade", r"Facade$"),
    ("Protocol or interface", r"Protocol$|Interface$"), ("Provider", r"Provider$"), ("Resolver", r"Resolver$"),
    ("Serializer", r"Serializer$|Encoder$|Decoder$|Marshaler$|Codec$"),
    ("Parser", r"Parser$|Lexer$|Tokenizer$|Scanner$"),
    ("Queue or worker", r"Queue$|Worker$|Scheduler$|Executor$|Dispatcher$"),
    ("Client", r"Client$"), ("Server", r"Server$"),
    ("Settings", r"Config$|Settings$|Options$|Configuration$"), ("Migration", r"Migration$"),
    ("Error", r"Error$|Exception$"),
)  # fmt: skip
TYPES = frozenset({"Class", "Interface", "Type"})
# Functions that return the instance of a singleton.
_ONE_INSTANCE = re.compile(r"^(?:get_?instance|shared_?instance)$", re.I)
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
    """Return the patterns in use with examples, then bases, decorators and conventions."""
    rows = [(path, row) for path, rows in _own(project) for row in rows]
    lines = [*_named(rows), *_single(rows), *_bases(rows), *_decorators(rows), *_habits(rows)]
    return "\n".join(lines)


def _own(project: Project) -> Iterator[tuple[str, list[SymbolRow]]]:
    for path, rows in project.symbols.items():
        if not project.code[path].is_test and not is_secondary(path):
            yield path, [row for row in rows if not row.test]


def _named(rows: list[tuple[str, SymbolRow]]) -> Iterator[str]:
    patterns = [(name, re.compile(pattern)) for name, pattern in NAMED]
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path, row in rows:
        if row.kind not in TYPES:
            continue
        for name, pattern in patterns:
            if pattern.search(row.name):
                found[name].setdefault(row.name, f"{row.name} ({path}:{row.start_line})")
                break
    for name, _ in NAMED:
        if found[name]:
            yield f"{name}: {_some(list(found[name].values()))}"


def _single(rows: list[tuple[str, SymbolRow]]) -> Iterator[str]:
    places = [f"{row.qualified} ({path}:{row.start_line})" for path, row in rows if _ONE_INSTANCE.match(row.name)]
    if places:
        yield f"Singleton, by its accessor: {_some(places)}"


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


def _decorators(rows: list[tuple[str, SymbolRow]]) -> Iterator[str]:
    counts = Counter(
        name[0] for _, row in rows for text in row.decorators if (name := _NAME.findall(text.lstrip("@#[")))
    )
    many = [(name, count) for name, count in sorted(counts.items(), key=lambda row: (-row[1], row[0]))]
    shown = [f"{name} ×{count}" for name, count in many if count >= LEAST_DECORATED][:MOST_DECORATORS]
    if shown:
        yield "Decorators, annotations, attributes: " + ", ".join(shown)


def _habits(rows: list[tuple[str, SymbolRow]]) -> Iterator[str]:
    """Yield how functions are named, documented and typed."""
    functions = [row for _, row in rows if row.kind in ("Function", "Method")]
    if not functions:
        return
    shown = [row for row in functions if row.visibility == "public"] or functions
    habits = [f"{100 * sum(bool(row.doc) for row in shown) / len(shown):.0f} % of public functions are documented"]
    names = Counter(_case(row.name) for row in functions)
    del names["one word"]
    if names:
        case, count = min(names.items(), key=lambda item: (-item[1], item[0]))
        habits.append(f"names are {case} ({100 * count / names.total():.0f} %)")
    waiting = sum(bool(re.match(r"(?:[\w\s]*\s)?(?:async|suspend)\s", row.signature or "")) for row in functions)
    if waiting:
        habits.append(f"{waiting} functions are asynchronous")
    typed = sum("->" in (row.signature or "") for row in functions)
    if 0.02 < typed / len(functions) < 1:
        habits.append(f"{100 * typed / len(functions):.0f} % have return types")
    yield "Habits: " + "; ".join(habits)


def _case(name: str) -> str:
    plain = name.strip("_")
    if "_" in plain:
        return "snake_case"
    if re.search(r"[a-z][A-Z]", plain):
        return "PascalCase" if plain[0].isupper() else "camelCase"
    return "one word"


def _some(texts: list[str]) -> str:
    more = len(texts) - MOST_EXAMPLES
    return ", ".join(texts[:MOST_EXAMPLES]) + (f", … {more} more" if more > 0 else "")
