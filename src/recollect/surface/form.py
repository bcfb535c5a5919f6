"""How a parameter is written on a command line and read back from it, by its type alone.

    text, number        --title TEXT
    one of a few        --memory-type TYPE
    several             --tags a --tags b  or --tags a,b; a value with a comma as JSON: --tags '["a,b"]'
    truth value         --flag, --no-flag
    object              --metadata '{"ticket": 7}'

Values stay text here; the operation validates them, as for every other surface.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from recollect.errors import InvalidInput
from recollect.operations import Parameter
from recollect.parsing import parse_json

Kind = Literal["text", "path", "choice", "several", "truth", "object"]


class Form(NamedTuple):
    """How a parameter is written on the command line."""

    kind: Kind
    choices: tuple[str, ...] = ()


def form(parameter: Parameter) -> Form:
    """Return how a parameter is written, read from its type: Annotated, Optional and unset are looked through."""
    found = _form(parameter.type)
    if found.kind == "text" and parameter.name.split("_")[-1] in ("path", "file", "directory"):
        return Form("path")
    return found


def _form(annotation: Any) -> Form:
    if hasattr(annotation, "__metadata__"):
        return _form(annotation.__origin__)
    origin = get_origin(annotation)
    if origin is Literal:
        return Form("choice", tuple(str(value) for value in get_args(annotation)))
    if origin in (Union, types.UnionType):
        return _union(get_args(annotation))
    kind = _KINDS.get(origin or annotation)
    if kind:
        return Form(kind, _form(get_args(annotation)[0]).choices if kind == "several" and get_args(annotation) else ())
    if isinstance(annotation, type) and issubclass(annotation, msgspec.Struct):
        return Form("object")
    return Form("text")


def _union(members: tuple[Any, ...]) -> Form:
    """Return the form of the first member that is not plain text: text can always be written in it too."""
    forms = [_form(member) for member in members if member not in (type(None), msgspec.UnsetType)]
    return next((found for found in forms if found.kind != "text"), Form("text"))


_KINDS: Mapping[Any, Kind] = {
    bool: "truth",
    dict: "object",
    Mapping: "object",
    tuple: "several",
    list: "several",
    set: "several",
    frozenset: "several",
    Sequence: "several",
}


def flag(parameter: Parameter) -> str:
    """Return a parameter's option: `--memory-type` of memory_type."""
    return "--" + parameter.name.replace("_", "-")


def read(parameter: Parameter, value: Any) -> Any:
    """Return what was written for a parameter as its argument; raises InvalidInput where it has not its form."""
    shape = form(parameter)
    return _READ[shape.kind](parameter, shape, value)


def meant(word: str, known: Iterable[str]) -> str:
    """Return a question that suggests the known word nearest to `word`; empty: none is near."""
    from difflib import get_close_matches

    bare = {name.lstrip("-"): name for name in known}  # dashes would make all options look alike
    near = get_close_matches(word.lstrip("-"), bare, 1)
    return f"Did you mean {bare[near[0]]}?" if near else ""


def _as_is(_parameter: Parameter, _shape: Form, value: Any) -> Any:
    return value


def _choice(parameter: Parameter, shape: Form, value: str) -> str:
    if value not in shape.choices:
        near = meant(value, shape.choices)
        raise InvalidInput(
            f"{parameter.name} cannot be {value}",
            hint=f"{near} " * bool(near) + f"One of: {', '.join(shape.choices)}.",
            argument=parameter.name,
        )
    return value


def _several(parameter: Parameter, shape: Form, values: list[str]) -> list[str]:
    parts = [part for value in values for part in _parts(value)]
    return [_choice(parameter, shape, part) for part in parts] if shape.choices else parts


def _parts(value: str) -> list[str]:
    if value.startswith('["'):
        try:
            parts: list[str] = parse_json(value, kind=list[str])
            return parts
        except InvalidInput:
            pass
    return [part.strip() for part in value.split(",") if part.strip()]


def _object(parameter: Parameter, _shape: Form, value: str) -> Any:
    try:
        return parse_json(value, what=parameter.name)
    except InvalidInput as problem:
        raise InvalidInput(
            problem.message,
            hint=f'Write it as one quoted word: {flag(parameter)} \'{{"key": "value"}}\'.',
            argument=parameter.name,
        ) from None


_READ: Mapping[Kind, Callable[[Parameter, Form, Any], Any]] = {
    "text": _as_is,
    "path": _as_is,
    "truth": _as_is,
    "choice": _choice,
    "several": _several,
    "object": _object,
}
