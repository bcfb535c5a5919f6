"""A row of the operation table as the definition of an MCP tool.

    Operation ─► {name, description, inputSchema, outputSchema, annotations}

Models read input schemas and pay for every token, so those are written out flat: no references, no titles, no null
that leaving the argument out says as well. Output schemas are read by validators only, so they carry no prose. They
name the notice that comes first in every answer. They accept `{"error": …}` too, because some clients hold the
structured content of a failed call against them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from recollect.operations import Operation

Schema = dict[str, Any]

# What a schema says to people and generators only; a validator gives the same verdict without.
PROSE = frozenset({"title", "description", "default"})

NULL: Schema = {"type": "null"}


def definitions(table: Mapping[str, Operation], toolset: str, *, structured: bool = True) -> list[dict[str, Any]]:
    """Return the tools of a toolset in the order of the table: `core` the few, `all` every one and its aliases.

    structured: whether answers are data as well as text, and so have a schema.
    """
    rows = [row for row in table.values() if toolset == "all" or row.toolset == toolset]
    types = [wanted for row in rows for wanted in (row.arguments_type, row.returns)]
    schemas, components = msgspec.json.schema_components(types, ref_template="{name}")
    bare = Bare(components)
    return [
        tool
        for row, accepts, returns in zip(rows, schemas[::2], schemas[1::2], strict=True)
        for tool in _named(
            row, toolset, _input(accepts, components), _output(bare.schema(returns)) if structured else None
        )
    ]


def _named(row: Operation, toolset: str, accepts: Schema, returns: Schema | None) -> Iterator[dict[str, Any]]:
    names = (row.name, *row.aliases) if toolset == "all" else (row.name,)
    for name in names:
        # The name in words, since clients that search for tools do not take names apart: without it Codex did not
        # find recall_memory for "recall memory" among 22 tools; with it 15 of 15 tools tried came first or second.
        title = name.replace("_", " ").capitalize()
        yield {
            "name": name,
            "title": title,
            "description": row.description if name == row.name else f"{row.summary} (Another name of {row.name}.)",
            "inputSchema": accepts,
            **({"outputSchema": returns} if returns is not None else {}),
            "annotations": {
                "title": title,
                "readOnlyHint": row.read_only,
                "destructiveHint": row.destructive,
                "idempotentHint": row.idempotent,
                "openWorldHint": False,
            },
        }


def _input(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    root = _inline(schema, components)
    properties = {name: _argument(value) for name, value in root.get("properties", {}).items()}
    required = {"required": root["required"]} if root.get("required") else {}
    return {"type": "object", "properties": properties, **required, "additionalProperties": False}


def _argument(schema: Schema) -> Schema:
    """Return the schema of an argument without titles, without an empty description and without null."""
    flat = {key: value for key, value in schema.items() if key != "title" and (key != "description" or value)}
    branches = [branch for branch in flat.get("anyOf", ()) if branch != NULL]
    if len(branches) == 1:
        flat = branches[0] | {key: value for key, value in flat.items() if key != "anyOf"}
    elif branches:
        flat["anyOf"] = branches
    if flat.get("default", ...) is None:
        del flat["default"]
    if "enum" in flat and all(isinstance(value, str) for value in flat["enum"]):
        flat = {"type": "string"} | flat  # some models' interfaces refuse an enum that does not say so
    return flat


def _output(root: Schema) -> Schema:
    properties = {"notice": {"type": "string"}, **root.get("properties", {}), "error": {"type": "object"}}
    either = {"anyOf": [{"required": root["required"]}, {"required": ["error"]}]} if root.get("required") else {}
    return {"type": "object", "properties": properties, **either}


def _inline(schema: Any, components: Mapping[str, Schema], inside: tuple[str, ...] = ()) -> Any:
    """Return a schema with every reference replaced by what it refers to; a type inside itself is just an object."""
    if isinstance(schema, list):
        return [_inline(part, components, inside) for part in schema]
    if not isinstance(schema, dict):
        return schema
    name: str = schema.get("$ref", "")
    if name in inside:
        return {"type": "object"}
    if name in components:
        beside = {key: value for key, value in schema.items() if key != "$ref"}
        return _inline(components[name], components, (*inside, name)) | beside
    return {key: _inline(value, components, inside) for key, value in schema.items()}


class Bare:
    """Schemas with the verdicts of the components and none of their prose; each component is written out once."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components
        self._done: dict[str, Schema] = {}

    def schema(self, schema: Schema) -> Schema:
        """Return `schema` without references and prose; a type inside itself is just an object."""
        name = schema.get("$ref")
        if name is not None:
            if name not in self._done:
                self._done[name] = {"type": "object"}
                self._done[name] = self.schema(self._components[name])
            return self._done[name]
        return {key: self._part(key, value) for key, value in schema.items() if key not in PROSE and value != []}

    def _part(self, key: str, value: Any) -> Any:
        if key == "properties":
            return {name: self.schema(part) for name, part in value.items()}
        if isinstance(value, dict):
            return self.schema(value)
        if key == "items" and value is False:
            return {"not": {}}  # of a pair nothing follows; not every client knows the short form
        if isinstance(value, list):
            return [self.schema(part) if isinstance(part, dict) else part for part in value]
        return value
