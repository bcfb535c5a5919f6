"""Write docs/reference/ out of the tables it describes: `reference.py` writes, `reference.py --check` compares.

    recollect.capabilities.OPERATIONS      → operations.md
    recollect.surface.cli.catalog, .command    → commands.md
    recollect.settings.SETTINGS            → settings.md
    recollect.errors                       → errors.md
    recollect.model                        → vocabulary.md
    memory_lib, recollect.episodic, recollect.hierarchy    → memory_lib.md, episodic.md, hierarchy.md
    recollect.surface.mcp.tool_definitions                 → src/recollect/surface/mcp/tools.jsonl, what a server lists

The same sources give the same bytes: no dates, no order of a set, no terminal width.
"""

from __future__ import annotations

import dataclasses
import inspect as python_inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from recollect import errors, model
from recollect.expected import expected
from recollect.operations import Operation, Parameter
from recollect.settings import PROJECT_FILE, SETTINGS, USER_FILE, Setting
from recollect.surface.cli.arguments import usage
from recollect.surface.cli.catalog import Section
from recollect.surface.cli.command_table import (
    GLOBAL_OPTIONS,
    HANDWRITTEN,
    Command,
    Commands,
    Handwritten,
    commands,
    path_of,
)
from recollect.surface.cli.help import EXIT_CODES
from recollect.toolset import GROUPS

FOLDER = Path(__file__).parents[1] / "docs" / "reference"
TOOLS = Path(__file__).parents[1] / "src" / "recollect" / "surface" / "mcp" / "tools.jsonl"
NOTE = "<!-- Written by `make reference`; change the source, not this page. -->"

VOCABULARIES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("Memory types", "The kind of a memory.", model.MEMORY_TYPES),
    ("Node kinds", "What a node of the graph represents.", model.NODE_KINDS),
    ("Relations", "How two nodes are related. An edge has a direction and a weight.", model.RELATIONS),
    ("Pattern types", "What is detected across sessions.", model.PATTERN_TYPES),
    ("Sources", "Who wrote a memory.", model.SOURCES),
)


# --- Markdown --------------------------------------------------------------------------------------------------------


def page(title: str, *parts: str) -> str:
    return "\n\n".join([f"# {title}", NOTE, *parts]) + "\n"


def table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: object) -> str:
    return f"`{text}`"


def anchor(title: str) -> str:
    """Return the fragment that GitHub gives a heading."""
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c in "-_")


# --- types, in words -------------------------------------------------------------------------------------------------


def words(annotation: Any) -> str:
    """Return a type as a reader sees it: `Annotated[int, Meta(ge=1)] | None` → "a whole number from 1, or null"."""
    kind = inspect.type_info(annotation)
    is_nullable = isinstance(kind, inspect.UnionType) and kind.includes_none
    return expected(annotation, choice=_choice, record=_link) + (", or null" if is_nullable else "")


def _choice(values: tuple[Any, ...]) -> str:
    for title, _help, known in VOCABULARIES:
        if set(known) == set(values):
            return f"one of the [{title.lower()}](vocabulary.md#{anchor(title)})"
    return "one of " + ", ".join(map(code, values))


def _link(record: type) -> str:
    return f"[{record.__name__}](#{anchor(title_of(record))})"


def title_of(record: type) -> str:
    """Return the heading of a record's section; an operation may have the same name."""
    return f"{record.__name__} record"


def default(value: Any) -> str:
    """Return a default as it is written in JSON."""
    return code(msgspec.json.encode(value).decode())


# --- operations ------------------------------------------------------------------------------------------------------


def operations() -> str:
    from recollect.capabilities import OPERATIONS

    rows = list(OPERATIONS.values())
    nouns = dict.fromkeys(row.noun for row in rows)
    sections = [part for noun in nouns for part in _noun(noun, [row for row in rows if row.noun == noun])]
    records = list(_reachable(row.returns for row in rows))
    return page(
        "Operations",
        "What recollect can do. Each operation is written once and offered three times: as an MCP tool, as a command "
        "([how commands are written](commands.md)), and as a method of an `Engine`. It takes the same arguments, gives "
        "the same answer and fails with the same [errors](errors.md) everywhere.",
        table(
            ("tool", "command", "Python", "what it does"),
            [(f"[`{row.name}`](#{row.name})", code(_command(row).path), _python(row), row.summary) for row in rows],
        ),
        *sections,
        "## Records",
        "What operations answer with. Timestamps are Unix seconds.",
        *[part for record in records for part in _record(record)],
    )


def _python(row: Operation) -> str:
    return code(f"engine.{row.noun}.{row.method}")


def _noun(noun: str, rows: list[Operation]) -> Iterator[str]:
    yield f"## {noun.capitalize()}"
    for row in rows:
        yield f"### {row.name}"
        yield row.description
        yield " · ".join([code(usage(_command(row))), _python(row), *_traits(row)])
        if row.parameters:
            yield table(("argument", "type", "default", "meaning"), map(_parameter, row.parameters))
        yield f"Answers with {words(row.returns)}."


@cache
def _commands() -> Commands:
    from recollect.capabilities import OPERATIONS

    return commands(OPERATIONS)


def _command(row: Operation) -> Command:
    return next(command for command in _commands().by_path.values() if command.runs is row)


def _traits(row: Operation) -> Iterator[str]:
    if row.read_only:
        yield "changes nothing"
    if row.destructive:
        yield "destructive"
    if row.idempotent and not row.read_only:
        yield "may be repeated"
    groups = [group for group, tools in GROUPS.items() if {row.name, *row.aliases} & set(tools)]
    yield f"toolset {', '.join(groups)}"
    if row.aliases:
        yield "also called " + ", ".join(map(code, row.aliases))


def _parameter(row: Parameter) -> tuple[str, ...]:
    return code(row.name), words(row.type), "required" if row.required else default(row.default), row.help


def _reachable(types: Iterable[Any]) -> Iterator[type[msgspec.Struct]]:
    """Yield every record type that can appear in an answer, once, in the order a reader meets them."""
    seen: set[type] = set()
    waiting = [inspect.type_info(kind) for kind in types]
    while waiting:
        kind = waiting.pop(0)
        inner: list[inspect.Type] = []
        if isinstance(kind, inspect.StructType) and kind.cls not in seen:
            seen.add(kind.cls)
            yield kind.cls
            inner = [field.type for field in kind.fields]
        elif isinstance(kind, inspect.UnionType):
            inner = list(kind.types)
        elif isinstance(kind, inspect.VarTupleType | inspect.ListType):
            inner = [kind.item_type]
        elif isinstance(kind, inspect.DictType):
            inner = [kind.value_type]
        waiting[:0] = inner


def _record(record: type[msgspec.Struct]) -> Iterator[str]:
    yield f"### {title_of(record)}"
    own = record.__dict__.get("__doc__") or ""
    if own:
        yield " ".join(own.split())
    yield table(("field", "type"), [(code(row.encode_name), words(row.type)) for row in msgspec.structs.fields(record)])


# --- commands --------------------------------------------------------------------------------------------------------


def command_page() -> str:
    return page(
        "Commands",
        "    recollect [global options] COMMAND [arguments and options]",
        "Required arguments are given by position, the others as options: `min_score` is `--min-score`. A list is "
        "given by repeating its option or with commas, an object as JSON. The text `-` reads standard input. A date is "
        "written as `2026-11-15`, `2026-11-15T13:56`, `2w`, `3d`, `12h`, `30m` (minutes), `6mo` (months), "
        "`yesterday`, `last week`, `monday` or as Unix seconds, in UTC.",
        "`recollect` alone shows the common commands, `recollect help --all` every command, and "
        "`recollect help COMMAND` one command or group. Tool names and older command names work too.",
        *[part for row in _commands().sections for part in _section(row)],
        "## Global options",
        table(
            ("option", "meaning"),
            [(code(f"{', '.join(row.flags)} {row.metavar}".strip()), row.help) for row in GLOBAL_OPTIONS],
        ),
        "## Exit codes",
        table(("code", "meaning"), [(str(number), meaning) for number, meaning in EXIT_CODES]),
        "Which error has which exit code: [errors](errors.md).",
        "## Commands that are not operations",
        *[part for row in HANDWRITTEN for part in _handwritten(row) if part],
    )


def _section(section: Section) -> Iterator[str]:
    yield f"## {section.title}" + (f" (`{section.group}`)" if section.group else "")
    rows = [_commands().by_path[path_of(section, word)] for word in section.entries]
    yield table(
        ("command", "what it does", "example"),
        [(_linked(row), row.summary, code(f"recollect {row.example}")) for row in rows],
    )


def _linked(command: Command) -> str:
    name = command.runs.name
    place = f"operations.md#{name}" if isinstance(command.runs, Operation) else f"#{name}"
    return f"[`{command.path}`]({place})"


def _handwritten(row: Handwritten) -> tuple[str, ...]:
    return f"### {row.name}", row.description, _own(row.parameters)


def _own(parameters: tuple[Parameter, ...]) -> str:
    rows = [
        (code(row.name.upper() if row.required else f"--{row.name.replace('_', '-')}"), words(row.type), row.help)
        for row in parameters
    ]
    return table(("argument", "type", "meaning"), rows) if rows else ""


# --- settings --------------------------------------------------------------------------------------------------------


def settings() -> str:
    return page(
        "Settings",
        "A value is looked for in this order; `recollect config` shows each value and where it was found.",
        '1. an argument, such as `--home` or `Engine(settings.load({"home": …}))`\n'
        "2. the environment: `RECOLLECT_` and the name in capitals, then the other names of the table\n"
        f"3. the project file, `{PROJECT_FILE}` in the working folder or above it, up to the root of the checkout\n"
        f"4. the user file, `{USER_FILE}` in the home folder\n"
        "5. the default",
        "Both files are TOML with one `name = value` a line. A project file comes with a repository that others "
        "may have written, so it can only set what is marked *project*. An unknown name is refused.",
        table(("name", "default", "expects", "meaning", "also read from"), map(_setting, SETTINGS)),
    )


def _setting(row: Setting[Any]) -> tuple[str, ...]:
    marks = [word for word, holds in (("project", row.project), ("secret", row.secret)) if holds]
    meaning = row.help + "".join(f" *({mark})*" for mark in marks)
    return code(row.name), default(row.default), _expects(row), meaning, ", ".join(map(code, row.aliases))


def _expects(row: Setting[Any]) -> str:
    """Return what the row's parser asks for, in its own words."""
    try:
        row.parse(object())
    except ValueError as problem:
        return str(problem).removeprefix("expected ")
    raise TypeError(f"the parser of {row.name} takes anything")


# --- errors ----------------------------------------------------------------------------------------------------------


def error_page() -> str:
    return page(
        "Errors",
        "Every failure has a code that does not change, a message for people, a hint for the next step and details as "
        "plain data. With `--json` a command prints it, an MCP tool answers with it, and in Python it is an exception:",
        "```json\n"
        '{"code": "MEMORY_NOT_FOUND", "message": "…", "hint": "…", "retryable": false, "details": {"id": "…"}}\n'
        "```",
        "*Retry* says that the same call may work later. Indented errors are special cases of the one above: catching "
        "that one catches them. Nothing found and a duplicate merged are answers, not errors.",
        table(
            ("code", "exit code", "retry", "exception in `recollect.errors`", "what to do"),
            [_error(kind, depth) for kind, depth in error_tree(errors.RecollectError)],
        ),
    )


def error_tree(kind: type[errors.RecollectError], depth: int = 0) -> Iterator[tuple[type[errors.RecollectError], int]]:
    """Yield the error and everything below it, in the order of definition, each with its depth."""
    yield kind, depth
    for child in kind.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from error_tree(child, depth + 1)


def _error(kind: type[errors.RecollectError], depth: int) -> tuple[str, ...]:
    name = "&emsp;" * depth + code(kind.code)
    return name, str(kind.exit_status), "yes" if kind.retryable else "", code(kind.__name__), kind.default_hint


# --- vocabulary ------------------------------------------------------------------------------------------------------


def vocabulary() -> str:
    return page(
        "Vocabulary",
        "The closed lists that memories and the graph are written in.",
        *[
            part
            for title, help_, values in VOCABULARIES
            for part in (f"## {title}", help_, "\n".join(f"- `{value}`" for value in values))
        ],
    )


# --- libraries -------------------------------------------------------------------------------------------------------

# Page → what it is about, the packages whose public names it describes, and the folder of its examples.
LIBRARIES: dict[str, tuple[str, tuple[str, ...], str]] = {
    "memory_lib": ("memory_lib", ("memory_lib.general", "memory_lib.codebase"), "memory_lib"),
    "episodic": ("recollect.episodic", ("recollect.episodic",), "episodic"),
    "hierarchy": ("recollect.hierarchy", ("recollect.hierarchy",), "hierarchy"),
}
_HELP = re.compile(r"^(\w+(?:, \w+)*): (?=\S)|(?<=\. )(\w+(?:, \w+)*): (?=\S)", re.M)


def library(name: str) -> str:
    """Return the page of a library: every public class, function, parameter, default, return and example."""
    title, packages, examples = LIBRARIES[name]
    parts: list[str] = []
    for package in packages:
        module = import_module(package)
        parts += [f"## {package}", _prose(module.__doc__ or "")]
        for each in sorted(module.__all__, key=str.lower):
            parts += _public(each, getattr(module, each))
    folder = FOLDER.parents[1] / "examples" / examples
    shown = [(file.name, _program(file)) for file in sorted(folder.glob("*.py"))]
    return page(
        f"Reference of {title}",
        f"Every public class and function, with its parameters, defaults and results. What they are for and how they "
        f"behave: [docs/{name}.md](../{name}.md).",
        *parts,
        "## Examples",
        "Each is a program in `examples/`; tests run it and compare what it prints.",
        *[part for file, text in shown for part in (f"### {file}", f"```python\n{text}\n```")],
    )


def _program(file: Path) -> str:
    """Return an example without the comments for the linter."""
    lines = file.read_text(encoding="utf-8").strip().split("\n")
    return "\n".join(line for line in lines if not line.startswith("# ruff:"))


def _public(name: str, value: Any) -> Iterator[str]:
    """Yield the section of one public name."""
    yield f"### {name}"
    if isinstance(value, type):
        yield from _class(value)
    elif python_inspect.isfunction(value):
        yield from _callable(name, value)
    else:
        yield f"A value: `{_plain(value)}`."


def _class(kind: type) -> Iterator[str]:
    bases = [
        base.__name__ for base in kind.__bases__ if base not in (object, msgspec.Struct) and base.__name__ != "Record"
    ]
    own = kind.__dict__.get("__doc__") or ""
    yield _prose(own) + (f"\n\nExtends {', '.join(map(code, bases))}." if bases else "")
    if fields := _fields(kind):
        yield table(("field", "type", "default", "meaning"), fields)
    elif "__init__" in kind.__dict__:
        yield from _callable(kind.__name__, kind.__init__, own="")
    for name, value in python_inspect.getmembers(kind):
        if name.startswith("_") or (issubclass(kind, Exception) and name not in kind.__dict__):
            continue
        static = python_inspect.getattr_static(kind, name)
        if isinstance(static, property):
            yield f"#### {kind.__name__}.{name}"
            kind_ = _type(python_inspect.signature(static.fget).return_annotation)  # type: ignore[arg-type]
            yield f"A property: {kind_}. {_prose(static.__doc__ or '')}"
        elif python_inspect.isfunction(value):
            yield f"#### {kind.__name__}.{name}"
            yield from _callable(f"{kind.__name__}.{name}", value)


def _fields(kind: type) -> list[tuple[str, ...]]:
    """Return the fields of a record with type, default and meaning."""
    help_ = _helps(kind.__dict__.get("__doc__") or "")
    if dataclasses.is_dataclass(kind):
        rows = [(row.name, row.type, row.default, row.default_factory) for row in dataclasses.fields(kind)]
        nothing: Any = dataclasses.MISSING
    elif issubclass(kind, msgspec.Struct):
        types = kind.__annotations__
        rows = [
            (row.name, types.get(row.name, row.type), row.default, row.default_factory)
            for row in msgspec.structs.fields(kind)
        ]
        nothing = msgspec.NODEFAULT
    else:
        return []
    return [
        (
            code(name),
            _type(kind_),
            "required"
            if value is nothing and make is nothing
            else "generated"
            if value is nothing
            else code(_plain(value)),
            help_.get(name, ""),
        )
        for name, kind_, value, make in rows
    ]


def _callable(name: str, function: Any, own: str | None = None) -> Iterator[str]:
    """Yield signature, description, parameters and result of a function."""
    signature = python_inspect.signature(function)
    rows = [row for key, row in signature.parameters.items() if key != "self"]
    doc = python_inspect.getdoc(function) or "" if own is None or function.__name__ == "__init__" else own
    shown = ", ".join(_argument(row, rows[:place]) for place, row in enumerate(rows))
    is_async = "async " if python_inspect.iscoroutinefunction(function) else ""
    yield f"```text\n{is_async}{name}({shown})\n```"
    if said := _prose(doc):
        yield said
    if rows:
        help_ = _helps(doc)
        cells = [
            (
                code(row.name),
                _type(row.annotation),
                "required"
                if row.default is row.empty and row.kind < 2
                else ""
                if row.default is row.empty
                else code(_plain(row.default)),
                help_.get(row.name, ""),
            )
            for row in rows
        ]
        yield table(("parameter", "type", "default", "meaning"), cells)
    if function.__name__ != "__init__":
        result = _type(signature.return_annotation)
        yield f"Returns {result}." if result != "`None`" else "Returns nothing."


def _argument(row: python_inspect.Parameter, before: list[python_inspect.Parameter]) -> str:
    star = {row.VAR_POSITIONAL: "*", row.VAR_KEYWORD: "**"}.get(row.kind, "")
    is_first_named = row.kind is row.KEYWORD_ONLY and not any(
        each.kind in (row.KEYWORD_ONLY, row.VAR_POSITIONAL) for each in before
    )
    default_ = "" if row.default is row.empty else f"={_plain(row.default)}"
    return ("*, " if is_first_named else "") + f"{star}{row.name}{default_}"


def _type(annotation: Any) -> str:
    if annotation in (python_inspect.Signature.empty, None):
        return "`None`"
    return code(annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation)))


def _plain(value: Any) -> str:
    """Return a value as it is written: no addresses, no marks of a documented default."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        return repr(float(value) if isinstance(value, float) else int(value))
    if callable(value):
        return "the clock of the system"
    return repr(value) if not isinstance(value, dict) else ", ".join(value)


def _prose(doc: str) -> str:
    """Return a docstring without the lines that explain single parameters."""
    text = python_inspect.cleandoc(doc)
    found = _HELP.search(text.partition("\n\n")[2])
    if found is None:
        return text
    first, _, rest = text.partition("\n\n")
    return f"{first}\n\n{rest[: found.start()].strip()}".strip()


def _helps(doc: str) -> dict[str, str]:
    """Return what a docstring says of each parameter: `name: meaning`, several on a line behind full stops."""
    text = python_inspect.cleandoc(doc).partition("\n\n")[2]
    marks = list(_HELP.finditer(text))
    found = {}
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(text)
        said = " ".join(text[mark.end() : end].split()).rstrip(".")
        for name in (mark[1] or mark[2]).split(", "):
            found[name] = said
    return found


PAGES: dict[str, Callable[[], str]] = {
    "operations.md": operations,
    "commands.md": command_page,
    "settings.md": settings,
    "errors.md": error_page,
    "vocabulary.md": vocabulary,
    **{f"{name}.md": partial(library, name) for name in LIBRARIES},
}


def tools() -> str:
    """Return the definitions of all tools, one a line."""
    from recollect.capabilities import OPERATIONS
    from recollect.surface.mcp.tool_definitions import definitions

    return "".join(msgspec.json.encode(tool).decode() + "\n" for tool in definitions(OPERATIONS, "all"))


def main(arguments: list[str]) -> int:
    """Write the pages, or, with --check, say which differ from what is there and return 1."""
    if arguments not in ([], ["--check"]):
        print("usage: reference.py [--check]", file=sys.stderr)
        return 2
    made = {FOLDER / name: write() for name, write in PAGES.items()} | {TOOLS: tools()}
    differing = [path for path, text in made.items() if not path.is_file() or path.read_text(encoding="utf-8") != text]
    if arguments:
        for path in differing:
            print(f"{path.name} is not in step with the sources: run `make reference`", file=sys.stderr)
        return 1 if differing else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for path in differing:
        path.write_text(made[path], encoding="utf-8")
        print(f"written: {path.name}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
