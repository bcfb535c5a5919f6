"""The OpenAPI 3.1 document of the REST routes, made from the table of operations.

The types that check arguments and encode answers also give their schemas. The commands give the examples.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

import msgspec

from recollect.operations import Operation
from recollect.surface.cli.arguments import find, parse, read, split
from recollect.surface.cli.command_table import Command, commands
from recollect.surface.http.rest import JSON, PREFIX, is_paged
from recollect.version import __version__

Schema = dict[str, Any]

REFERENCE = "#/components/schemas/{name}"
MEANINGS = {
    400: "An argument is wrong",
    401: "The access token is missing, wrong, expired or revoked",
    403: "The access token does not permit this, or the caller is a page of another site",
    404: "There is no such item",
    408: "The request took too long to arrive",
    409: "The state has changed, or the item exists",
    413: "The request or a value is too large",
    421: "The Host header names another server",
    429: "Too many requests; see Retry-After",
    500: "A defect of recollect",
    502: "A configured model provider failed",
    503: "The database is busy or unavailable",
    507: "No space is left",
}
ERROR: Schema = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint", "retryable", "details"],
            "properties": {
                "code": {"type": "string", "description": "stable, for programs", "examples": ["INVALID_INPUT"]},
                "message": {"type": "string"},
                "hint": {"type": "string"},
                "retryable": {"type": "boolean"},
                "details": {"type": "object"},
            },
        }
    },
}
CURSOR: Schema = {"type": "string", "description": "next_cursor of the page before"}


def document(table: Mapping[str, Operation]) -> Schema:
    """Return the document."""
    rows = [*table.values()]
    kinds = [row.arguments_type for row in rows] + [row.returns for row in rows]
    schemas, components = msgspec.json.schema_components(kinds, ref_template=REFERENCE)
    inputs, answers = schemas[: len(rows)], schemas[len(rows) :]
    samples = examples(table)
    paths = {
        f"{PREFIX}{row.name}": _path(row, _resolved(given, components), answer, samples.get(row.name))
        for row, given, answer in zip(rows, inputs, answers, strict=True)
    }
    used = {name: schema for name, schema in components.items() if name not in table}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "recollect",
            "version": __version__,
            "summary": "Memory for AI coding assistants",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": {**paths, "/healthz": _health()},
        "components": {
            "schemas": {**used, "Error": ERROR},
            "responses": {
                str(status): {
                    "description": meaning,
                    "content": {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}},
                }
                for status, meaning in MEANINGS.items()
            },
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        # Servers on this machine need no token unless they were told so.
        "security": [{"token": []}, {}],
    }


def examples(table: Mapping[str, Operation]) -> dict[str, dict[str, Any]]:
    """Return example arguments by operation: those of the commands' examples."""
    known = commands(table)
    found: dict[str, dict[str, Any]] = {}
    for command in known.by_path.values():
        is_piped = "|" in command.example or "<" in command.example  # its argument is a file of the shell
        if not command.example or is_piped or command.runs.name not in table or command.runs.name in found:
            continue
        name, others = split(shlex.split(command.example))
        meant, words = find(name, others, known)
        if isinstance(meant, Command):
            kinds = {part.name: part for part in meant.parameters}
            given = {key: read(kinds[key], value) for key, value in parse(meant, words).items() if key in kinds}
            typed = msgspec.convert(given, table[command.runs.name].arguments_type, strict=False)
            found[command.runs.name] = {key: msgspec.to_builtins(getattr(typed, key)) for key in given}
    return found


def _resolved(schema: Schema, components: Mapping[str, Schema]) -> Schema:
    return components[schema["$ref"].rpartition("/")[2]] if "$ref" in schema else schema


def _path(row: Operation, given: Schema, answer: Schema, sample: dict[str, Any] | None) -> Schema:
    common = {
        "summary": row.summary,
        "description": row.description,
        "tags": [row.noun],
        "responses": _responses(row, answer),
    }
    properties, required = dict(given.get("properties", {})), given.get("required", [])
    if is_paged(row):
        properties["cursor"] = CURSOR
    body: Schema = {"type": "object", "properties": properties, "required": required, "additionalProperties": False}
    content: Schema = {"schema": body, **({"example": sample} if sample else {})}
    post = {"operationId": row.name, **common, "requestBody": {"required": bool(required), "content": {JSON: content}}}
    if not row.read_only:
        return {"post": post}
    query = [
        {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": schema,
            "description": schema.get("description", ""),
            **({"example": sample[name]} if sample and name in sample else {}),
        }
        for name, schema in properties.items()
    ]
    return {"get": {"operationId": f"{row.name}_get", **common, "parameters": query}, "post": post}


def _responses(row: Operation, answer: Schema) -> Schema:
    schema = answer
    if is_paged(row):
        schema = {"allOf": [answer, {"type": "object", "properties": {"next_cursor": {"type": "string"}}}]}
    return {
        "200": {"description": "The answer", "content": {JSON: {"schema": schema}}},
        **({"304": {"description": "The answer has the ETag of If-None-Match"}} if row.read_only else {}),
        **{str(status): {"$ref": f"#/components/responses/{status}"} for status in MEANINGS},
    }


def _health() -> Schema:
    answer = {"type": "object", "properties": {"status": {"const": "ok"}, "version": {"type": "string"}}}
    return {
        "get": {
            "operationId": "healthz",
            "summary": "Whether the server runs and its database answers",
            "security": [{}],
            "responses": {
                "200": {"description": "It does", "content": {JSON: {"schema": answer}}},
                "503": {"$ref": "#/components/responses/503"},
            },
        }
    }
