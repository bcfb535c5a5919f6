"""How a parameter is written follows from its type, however that is wrapped."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import msgspec
import pytest

from recollect.errors import ContentTooLarge
from recollect.model import MEMORY_TYPES, Limit, MemoryType, Ratio, Record
from recollect.operations import Parameter
from recollect.surface.arguments import STANDARD_INPUT_BYTES, arguments, options
from recollect.surface.command import HANDWRITTEN, Command, Handwritten
from recollect.surface.form import Form, form
from recollect.surface.handwritten import WRITTEN


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (str, Form("text")),
        (int, Form("text")),
        (Ratio, Form("text")),
        (Limit | None, Form("text")),
        (bool, Form("truth")),
        (bool | None, Form("truth")),
        (Literal["a", "b"], Form("choice", ("a", "b"))),
        (MemoryType | None, Form("choice", MEMORY_TYPES)),
        (Annotated[MemoryType, msgspec.Meta(description="x")], Form("choice", MEMORY_TYPES)),
        (MemoryType | msgspec.UnsetType, Form("choice", MEMORY_TYPES)),
        (tuple[str, ...], Form("several")),
        (list[str] | None, Form("several")),
        (tuple[MemoryType, ...], Form("several", MEMORY_TYPES)),
        (dict[str, Any], Form("object")),
        (Mapping[str, int] | None, Form("object")),
        (Record, Form("object")),
        (str | int, Form("text")),
    ],
)
def test_the_type_decides_the_form(annotation: Any, expected: Form) -> None:
    assert form(Parameter("value", annotation, None, "")) == expected


def test_a_path_is_a_text_that_completes_as_a_file() -> None:
    assert form(Parameter("path", str | None, None, "")) == Form("path")


def command(*parameters: Parameter) -> Command:
    return Command("x", Handwritten("x", "", "", parameters))


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
