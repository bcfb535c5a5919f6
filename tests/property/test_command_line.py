"""Any words at all are a command line that is understood, or an error that says what to type."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.capabilities import OPERATIONS
from recollect.errors import InvalidInput
from recollect.surface.cli.arguments import arguments, find, options, parse, split
from recollect.surface.cli.command_table import Command, commands
from recollect.text.time_arguments import read_moment

TABLE = commands(OPERATIONS)
KNOWN = sorted({word for command in TABLE.by_path.values() for word in options(command)})
words = st.lists(
    st.sampled_from(KNOWN) | st.sampled_from(["-", "--", "-n5", "--limit=", "=", "a,b", '["a"]']) | st.text(max_size=6),
    max_size=6,
)


@given(st.sampled_from(sorted(TABLE.by_path)), words)
def test_the_words_of_a_command_are_values_or_invalid_input(path: str, given_words: list[str]) -> None:
    command = TABLE.by_path[path]
    try:
        values = arguments(command, parse(command, given_words), lambda limit: b"text")
    except InvalidInput as error:
        assert error.message and error.hint
    else:
        assert values.keys() <= {row.name for row in command.parameters}


@given(words)
def test_a_line_names_a_command_or_is_invalid_input(given_words: list[str]) -> None:
    try:
        name, others = split(given_words)
        found = find(name, others, TABLE)[0] if name else None
    except InvalidInput as error:
        assert error.message and error.hint
    else:
        assert found is None or not isinstance(found, Command) or found.path in TABLE.by_path


@given(st.text(max_size=80), st.integers(0, 2**33))
def test_any_text_is_a_moment_or_none(text: str, now: int) -> None:
    assert isinstance(read_moment(text, now), int | None)
