"""How a parameter is written follows from its type, however that is wrapped."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
import pytest

from recollect.errors import ContentTooLarge
from recollect.model import MEMORY_TYPES, Limit, MemoryType, Ratio, Record
from recollect.operations import Parameter
from recollect.surface.cli.arguments import STANDARD_INPUT_BYTES, arguments, kind, options
from recollect.surface.cli.builtin_commands import WRITTEN
from recollect.surface.cli.command_table import HANDWRITTEN, Command, Handwritten


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, ("text", ())),
        (int, ("text", ())),
        (Ratio, ("text", ())),
        (Limit | None, ("text", ())),
        (bool, ("truth", ())),
        (bool | None, ("truth", ())),
        (Literal["a", "b"], ("choice", ("a", "b"))),
        (MemoryType | None, ("choice", MEMORY_TYPES)),
        (Annotated[MemoryType, msgspec.Meta(description="x")], ("choice", MEMORY_TYPES)),
        (MemoryType | msgspec.UnsetType, ("choice", MEMORY_TYPES)),
        (tuple[str, ...], ("several", ())),
        (list[str] | None, ("several", ())),
        (tuple[MemoryType, ...], ("several", MEMORY_TYPES)),
        (dict[str, Any], ("object", ())),
        (Mapping[str, int] | None, ("object", ())),
        (Record, ("object", ())),
        (str | int, ("text", ())),
    ],
)
def test_the_type_decides_the_form(annotation: Any, expected: tuple[str, tuple[str, ...]]) -> None:
    parameter = Parameter("value", annotation, None, "")
    assert (kind(parameter), parameter.choices) == expected


def test_a_path_is_a_text_that_completes_as_a_file() -> None:
    assert kind(Parameter("path", str | None, None, "")) == "path"


def command(*parameters: Parameter) -> Command:
    return Command("x", Handwritten("x", "", parameters))


def test_options_include_the_negative_of_a_truth_value_and_the_global_ones() -> None:
    found = options(command(Parameter("deep", bool, False, ""), Parameter("id", str, msgspec.NODEFAULT, "")))
    assert {"--deep", "--no-deep", "--json", "--home", "-v", "--help"} <= set(found)
    assert [word for word in found if word.endswith("id")] == ["--id"]
    assert found["--id"].is_hidden


def test_only_prose_reads_standard_input() -> None:
    both = command(Parameter("content", str, None, ""), Parameter("namespace", str, None, ""))
    found = arguments(both, {"content": "-", "namespace": "-"}, lambda limit: b"text")
    assert found == {"content": "text", "namespace": "-"}


def test_a_path_of_a_dash_is_the_content_where_a_command_takes_it() -> None:
    both = command(Parameter("path", str, None, ""), Parameter("content", str, None, ""))
    assert arguments(both, {"path": "-"}, lambda limit: b"lines\n") == {"content": "lines"}
    alone = command(Parameter("path", str, None, ""))
    assert arguments(alone, {"path": "-"}, lambda limit: b"lines\n") == {"path": "-"}


def test_standard_input_without_end_is_refused() -> None:
    with pytest.raises(ContentTooLarge):
        arguments(command(Parameter("content", str, None, "")), {"content": "-"}, bytes)
    assert STANDARD_INPUT_BYTES >= 64 * 1024 * 1024


def test_every_handwritten_command_does_something() -> None:
    assert {row.name for row in HANDWRITTEN} == {*WRITTEN, "help"}
