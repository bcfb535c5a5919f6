"""How a parameter is written on a command line and read from it, by its type alone.

    text, number        --title TITLE
    one of a few        --type TYPE
    several             --tags a --tags b  or --tags a,b; a value with a comma as JSON: --tags '["a,b"]'
    truth value         --flag, --no-flag
    object              --metadata '{"ticket": 7}'

Values stay text here; the operation checks them, as for every surface.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Union, get_args, get_origin

import msgspec

from recollect.errors import InvalidInput
from recollect.expected import wrong_value
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


# What stands for a value in usage lines, where the parameter's own name would not tell.
_METAVARS: Mapping[str, str] = {
    "content": "TEXT",
    "memory_id": "ID",
    "memory_ids": "ID",
    "session_id": "ID",
    "limit": "N",
    "offset": "N",
    "since": "DATE",
    "until": "DATE",
    "as_of": "DATE",
    "valid_from": "DATE",
}


def flag(parameter: Parameter) -> str:
    """Return a parameter's option: `--min-score` of min_score."""
    return "--" + parameter.name.replace("_", "-")


def metavar(parameter: Parameter) -> str:
    """Return the word that stands for a parameter's value in usage lines."""
    if parameter.name in _METAVARS:
        return _METAVARS[parameter.name]
    if parameter.required:
        return parameter.name.upper()
    return {"object": "JSON", "path": "PATH"}.get(form(parameter).kind, parameter.name.split("_")[-1].upper())


def read(parameter: Parameter, value: Any) -> Any:
    """Return what was written for a parameter as its argument; raises InvalidInput if it has another form."""
    shape = form(parameter)
    return _READ[shape.kind](parameter, shape, value)


def _as_is(_parameter: Parameter, _shape: Form, value: Any) -> Any:
    return value


def _choice(parameter: Parameter, shape: Form, value: str) -> str:
    if value not in shape.choices:
        raise wrong_value(parameter.name, parameter.type, value, choices=shape.choices)
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
            hint=f'Write it as JSON in quotes: {flag(parameter)} \'{{"key": "value"}}\'.',
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
