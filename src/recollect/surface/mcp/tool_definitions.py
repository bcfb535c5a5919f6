"""Operations as definitions of MCP tools.

    Operation ─► {name, description, inputSchema, annotations}

A model pays for every token of these. Schemas are flat (no references, titles, defaults or null) and name only the
parameters that an operation lists. There is no output schema: no known client uses it, and it was three fifths of the
list. There is no title: the description has the words of the name. The server adds one for clients that keep it from
the model. Clients that search for tools do not split names: Codex did not find recall_memory for "recall memory" among
22 tools until the description had the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.operations import Operation, by_tool_name
from recollect.toolset import tool_names

Schema = dict[str, Any]

NULL: Schema = {"type": "null"}
# Parameters whose name is enough for a model; commands and the reference explain them.
SELF_EXPLANATORY = frozenset(
    "content code depth dry_run language limit memory_id path project query tags task tokens type undo".split()
)
# A longer list costs more than a call with a wrong word: its error names them all.
MAX_CHOICES = 8
# Keys that are checked again when the tool is called, or that only a program reads.
UNSAID = frozenset({"title", "default", "minLength", "maxLength", "pattern", "minimum", "maximum", "format"})


def definitions(table: Mapping[str, Operation], toolset: str) -> list[dict[str, Any]]:
    """Return the definitions of the tools in a toolset (see toolset.py), in its order."""
    names = tool_names(toolset)
    rows = by_tool_name(table)
    wanted = [(name, rows[name]) for name in (table if names is None else names) if name in rows]
    schemas, components = msgspec.json.schema_components(
        [row.arguments_type for _name, row in wanted], ref_template="{name}"
    )
    return [
        definition(name, row, _input(row, schema, components))
        for (name, row), schema in zip(wanted, schemas, strict=True)
    ]


def definition(name: str, row: Operation, schema: Schema) -> dict[str, Any]:
    """Return the definition of one tool under one of its names."""
    return {
        "name": name,
        "description": row.tool_description,
        "inputSchema": schema,
        "annotations": hints(row),
    }


def hints(row: Operation) -> dict[str, bool]:
    """Return the hints for clients: Codex asks the user before it calls a tool without them."""
    if row.read_only:
        return {"readOnlyHint": True}
    return {**({} if row.destructive else {"destructiveHint": False}), "openWorldHint": False}


def _input(row: Operation, schema: Schema, components: Mapping[str, Schema]) -> Schema:
    root = _inline(schema, components)
    listed = {part.name for part in row.parameters if part.required or row.lists(part.name)}
    properties = {
        name: _argument(value | ({"description": ""} if name in SELF_EXPLANATORY else {}))
        for name, value in root.get("properties", {}).items()
        if name in listed
    }
    required = {"required": root["required"]} if root.get("required") else {}
    return {"type": "object", "properties": properties, **required}


def _argument(schema: Schema) -> Schema:
    """Return the schema of an argument without null and keys that a model does not need."""
    flat = {key: value for key, value in schema.items() if key not in UNSAID and (key != "description" or value)}
    branches = [branch for branch in flat.get("anyOf", ()) if branch != NULL]
    if len(branches) == 1:
        flat = _argument(branches[0]) | {key: value for key, value in flat.items() if key != "anyOf"}
    elif branches:
        flat["anyOf"] = [_argument(branch) for branch in branches]
    if isinstance(flat.get("items"), dict):
        flat["items"] = _argument(flat["items"])
    if "enum" in flat and all(isinstance(value, str) for value in flat["enum"]):
        flat = {"type": "string"} | flat  # some models' interfaces refuse an enum that does not say so
        if len(flat["enum"]) > MAX_CHOICES:
            del flat["enum"]
    return flat


def _inline(schema: Any, components: Mapping[str, Schema], inside: tuple[str, ...] = ()) -> Any:
    """Return a schema with references replaced by their targets; a recursive type becomes a plain object."""
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
