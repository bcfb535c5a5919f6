"""The definitions of the tools: what models read, and what validators hold answers against."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator, ValidationError

from recollect.surface.tool import definitions


def validate(instance: Any, schema: Any) -> None:
    Draft202012Validator(schema).validate(instance)


@pytest.fixture
def tools(desk: Any) -> dict[str, Any]:
    return {tool["name"]: tool for tool in definitions(desk.table, "all")}


def walk(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for value in schema.values():
            yield from walk(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from walk(value)


def test_every_schema_is_valid_and_has_no_reference(tools: dict[str, Any]) -> None:
    for tool in tools.values():
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert [part for part in walk(schema) if "$ref" in part or "$defs" in part] == []


def test_an_input_schema_says_what_a_model_needs_and_no_more(tools: dict[str, Any]) -> None:
    assert tools["store_memory"]["inputSchema"] == {
        "type": "object",
        "properties": {
            "text": {"description": "what to keep", "type": "string"},
            "kind": {"type": "string", "enum": ["long", "short"], "default": "short"},
            "title": {"type": "string"},
        },
        "required": ["text"],
        "additionalProperties": False,
    }
    assert tools["recall_memory"]["inputSchema"]["properties"]["limit"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": 1000,
        "description": "how many at most",
        "default": 5,
    }
    assert tools["fail"]["inputSchema"] == {"type": "object", "properties": {}, "additionalProperties": False}


def test_an_output_schema_has_no_prose_and_takes_the_error_of_a_failed_call(tools: dict[str, Any]) -> None:
    schema = tools["store_memory"]["outputSchema"]
    assert schema["properties"]["title"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert schema["properties"]["below"] == {"type": "array", "items": {"type": "object"}}
    assert schema["properties"]["error"] == {"type": "object"}
    assert schema["anyOf"] == [{"required": ["id", "text"]}, {"required": ["error"]}]
    assert [part for part in walk(schema) if "description" in part or "default" in part] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("store_memory", {"text": "x"}),
        ("store_memory", {"text": 5}),
        ("remember", {"text": "x", "kind": "long", "title": "t"}),
        ("recall_memory", {"query": "x", "limit": 3}),
        ("recall_memory", {"query": "x", "limit": 0}),
        ("delete_memory", {"note_id": "x"}),
        ("count", {"steps": 1}),
        ("fail", {}),
    ],
)
def test_every_answer_fits_the_schema_of_its_tool(
    desk: Any, tools: dict[str, Any], tool: str, arguments: dict[str, Any]
) -> None:
    validate(desk.call(tool, **arguments)["structuredContent"], tools[tool]["outputSchema"])


@pytest.mark.parametrize(
    "answer", [{}, {"id": "1"}, {"id": 1, "text": "x"}, {"id": "1", "text": "x", "kind": "other"}, []]
)
def test_an_output_schema_refuses_what_is_no_answer(tools: dict[str, Any], answer: Any) -> None:
    with pytest.raises(ValidationError):
        validate(answer, tools["store_memory"]["outputSchema"])


def test_hints_are_those_of_the_operation(tools: dict[str, Any]) -> None:
    assert tools["recall_memory"]["annotations"] == {
        "title": "Recall memory",
        "readOnlyHint": True,
        "destructiveHint": False,
        "idempotentHint": True,
        "openWorldHint": False,
    }
    assert tools["delete_memory"]["annotations"]["destructiveHint"] is True
    assert tools["store_memory"]["annotations"]["readOnlyHint"] is False


def test_a_title_is_the_name_in_words_so_that_searches_find_it(tools: dict[str, Any]) -> None:
    assert tools["recall_memory"]["title"] == "Recall memory"
    assert tools["remember"]["title"] == "Remember"


def test_a_description_is_the_docstring_and_an_alias_says_whose_it_is(tools: dict[str, Any]) -> None:
    assert tools["store_memory"]["description"] == "Keep a note. It is kept.\n\nA second paragraph."
    assert "store_memory" in tools["remember"]["description"]
    assert tools["remember"]["inputSchema"] == tools["store_memory"]["inputSchema"]


def test_the_core_toolset_has_no_aliases(desk: Any) -> None:
    assert [tool["name"] for tool in definitions(desk.table, "core")] == ["store_memory", "recall_memory"]
