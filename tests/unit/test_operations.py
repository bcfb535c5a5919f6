"""The operation table: what is read from a method, and what a caller's arguments become."""

from typing import Any

import msgspec
import pytest

from recollect.errors import InvalidInput
from recollect.model import MEMORY_TYPES, Deleted, Limit, MemoryType, Ratio, Stats
from recollect.operations import Operation, by_tool_name, collect, operation


class Shelf:
    """A noun made for these tests. Its annotations are not postponed: an operation is read as it is written."""

    @operation("put_book", "put", aliases=("shelve", "add_book"))
    def put(
        self,
        title: str,
        copies: Limit = 1,
        *,
        kind: MemoryType = "context",
        weight: Ratio = 0.5,
        tags: tuple[str, ...] = (),
        details: dict[str, Any] | None = None,
        year: int | None = None,
        lent: bool = False,
    ) -> Deleted:
        """Put a book on the shelf. It stays there.

        The shelf keeps it until it is taken;
        there is no limit.

        title: what is printed
          on the spine
        copies: how many
        kind: what sort: one of the known ones
        weight: how heavy

        Nothing is catalogued.
        """
        return Deleted(deleted=copies, batch=f"{title} {weight} {kind} {tags} {details} {year} {lent}")

    @operation("count_books", "count", read_only=True)
    def count(self) -> Stats:
        """Count the books."""
        raise NotImplementedError

    @operation("burn_books", "burn", destructive=True, idempotent=True)
    def burn(self, *, title: str) -> Deleted:
        """Burn a book: title: is not a parameter line here.

        title: which one
        """
        raise NotImplementedError

    def not_an_operation(self, title: str) -> None:
        """Plain methods stay out of the table."""


class Library:
    shelf = Shelf()


TABLE = collect({"shelf": Shelf})
PUT = TABLE["put_book"]


def test_the_table_holds_the_marked_methods_in_order() -> None:
    assert list(TABLE) == ["put_book", "count_books", "burn_books"]
    assert (PUT.noun, PUT.method, PUT.name, PUT.command) == ("shelf", "put", "put_book", "put")
    assert PUT.returns is Deleted
    assert repr(PUT) == "Operation(put_book)"


def test_marking_leaves_the_method_a_plain_method() -> None:
    assert Shelf().put("Emma", 2, weight=1.0).batch.startswith("Emma 1.0")


def test_hints_are_what_the_decorator_says_and_reading_is_idempotent() -> None:
    def hints(row: Operation) -> tuple[bool, bool, bool]:
        return row.read_only, row.destructive, row.idempotent

    assert hints(PUT) == (False, False, False)
    assert hints(TABLE["count_books"]) == (True, False, True)
    assert hints(TABLE["burn_books"]) == (False, True, True)


def test_aliases_lead_to_the_same_row() -> None:
    named = by_tool_name(TABLE)
    assert set(named) == {"put_book", "shelve", "add_book", "count_books", "burn_books"}
    assert named["shelve"] is named["add_book"] is PUT
    assert list(TABLE) == ["put_book", "count_books", "burn_books"]


def test_the_docstring_gives_summary_description_and_help() -> None:
    assert PUT.summary == "Put a book on the shelf"
    assert PUT.tool_description == "Put a book on the shelf. It stays there."
    assert PUT.description == (
        "Put a book on the shelf. It stays there.\n\n"
        "The shelf keeps it until it is taken; there is no limit.\n\nNothing is catalogued."
    )
    helps = {row.name: row.help for row in PUT.parameters}
    assert helps["title"] == "what is printed on the spine"
    assert helps["copies"] == "how many"
    assert helps["kind"] == "what sort: one of the known ones"
    assert helps["tags"] == "must have all of these tags"
    assert helps["year"] == ""


def test_a_line_that_only_contains_a_parameters_name_is_prose() -> None:
    row = TABLE["burn_books"]
    assert row.summary == "Burn a book: title: is not a parameter line here"
    assert row.parameters[0].help == "which one"


def test_parameters_keep_the_order_types_and_defaults_of_the_signature() -> None:
    rows = PUT.parameters
    assert [row.name for row in rows] == ["title", "copies", "kind", "weight", "tags", "details", "year", "lent"]
    assert [row.name for row in rows if row.required] == ["title"]
    assert {row.name: row.default for row in rows if not row.required} == {
        "copies": 1, "kind": "context", "weight": 0.5, "tags": (), "details": None, "year": None, "lent": False,
    }  # fmt: skip
    assert rows[1].type is Limit
    assert TABLE["count_books"].parameters == ()


def test_a_required_keyword_only_parameter_is_required() -> None:
    assert TABLE["burn_books"].parameters[0].required


def test_the_arguments_are_described_as_json_schema() -> None:
    schema = msgspec.json.schema(PUT.arguments_type)["$defs"]["put_book"]
    assert schema["required"] == ["title"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["title"] == {"type": "string", "description": "what is printed on the spine"}
    assert schema["properties"]["copies"]["minimum"] == 1
    assert schema["properties"]["copies"]["maximum"] == 1000
    assert set(schema["properties"]["kind"]["enum"]) >= {"decision", "context"}


@pytest.mark.parametrize(
    ("given", "accepted"),
    [
        ({}, {}),
        ({"copies": "7"}, {"copies": 7}),
        ({"copies": 7.0}, {"copies": 7}),
        ({"weight": "0.25"}, {"weight": 0.25}),
        ({"weight": 1}, {"weight": 1.0}),
        ({"lent": "true"}, {"lent": True}),
        ({"lent": "0"}, {"lent": False}),
        ({"year": "1816"}, {"year": 1816}),
        ({"year": None}, {"year": None}),
        ({"tags": ["a", "b"]}, {"tags": ("a", "b")}),
        ({"details": {"a": [1, None]}}, {"details": {"a": [1, None]}}),
        ({"kind": "decision"}, {"kind": "decision"}),
    ],
)
def test_arguments_are_taken_for_what_they_spell_and_defaults_are_left_out(
    given: dict[str, Any], accepted: dict[str, Any]
) -> None:
    assert PUT.accept({"title": "Emma", **given}) == {"title": "Emma", **accepted}


@pytest.mark.parametrize("text", ["null", "true", "12", "1.5", ""])
def test_text_stays_text_whatever_it_spells(text: str) -> None:
    assert PUT.accept({"title": text}) == {"title": text}


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({}, "title"),
        ({"title": None}, "title"),
        ({"title": 5}, "title"),
        ({"title": b"bytes"}, "title"),
        ({"title": "Emma", "colour": "red"}, "colour"),
        ({"title": "Emma", "copies": 0}, "copies"),
        ({"title": "Emma", "copies": 1001}, "copies"),
        ({"title": "Emma", "copies": 10**400}, "copies"),
        ({"title": "Emma", "copies": "seven"}, "copies"),
        ({"title": "Emma", "copies": 1.5}, "copies"),
        ({"title": "Emma", "copies": True}, "copies"),
        ({"title": "Emma", "copies": None}, "copies"),
        ({"title": "Emma", "weight": 1.01}, "weight"),
        ({"title": "Emma", "weight": float("nan")}, "weight"),
        ({"title": "Emma", "weight": "inf"}, "weight"),
        ({"title": "Emma", "lent": "perhaps"}, "lent"),
        ({"title": "Emma", "tags": "a"}, "tags"),
        ({"title": "Emma", "tags": [1]}, "tags"),
        ({"title": "Emma", "kind": "novel"}, "kind"),
        ({"title": "Emma", "details": "{}"}, "details"),
        ({"title": "Emma", "kind": "\udcff"}, "kind"),
        ({"title": "Emma", "weight": "\udcff"}, "weight"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(given: dict[str, Any], named: str) -> None:
    with pytest.raises(InvalidInput, match=named) as caught:
        PUT.accept(given)
    assert caught.value.code == "INVALID_INPUT"
    assert caught.value.details == ({"argument": named} if given else {"operation": "put_book"})
    assert "$" not in caught.value.message and "`" not in caught.value.message


def test_an_error_says_what_would_fit_and_the_hint_what_to_write() -> None:
    def refused(**given: Any) -> tuple[str, str]:
        with pytest.raises(InvalidInput) as caught:
            PUT.accept(given)
        return caught.value.message, caught.value.hint

    every = "Arguments: title, copies?, kind?, weight?, tags?, details?, year?, lent?."
    assert refused() == ("put_book needs title", every)
    assert refused(title="Emma", wieght=1) == ('put_book has no argument "wieght"', f"Did you mean weight? {every}")
    assert refused(title="Emma", weight=5)[0] == "weight must be a number from 0 to 1, not 5"
    assert refused(title="Emma", copies="ten")[0] == 'copies must be a whole number from 1 to 1,000, not "ten"'
    message, hint = refused(title="Emma", kind="decison")
    assert message == 'kind cannot be "decison"'
    assert hint == f"Did you mean decision? Allowed: {', '.join(MEMORY_TYPES)}."


def test_an_operation_without_arguments_says_so() -> None:
    with pytest.raises(InvalidInput) as caught:
        TABLE["count_books"].accept({"title": "Emma"})
    assert caught.value.hint == "Arguments: none."


def test_calling_a_row_validates_and_calls_the_noun() -> None:
    answer = PUT.call(Library(), {"title": "Emma", "copies": "3", "tags": ["a"]})
    assert answer == Deleted(deleted=3, batch="Emma 0.5 context ('a',) None None False")
    with pytest.raises(InvalidInput):
        PUT.call(Library(), {})


class Wanted:
    """A noun whose parameters have other words outside."""

    @operation("find_books", "find", read_only=True, listed=("limit",))
    def find(self, memory_type: MemoryType = "context", max_results: Limit = 3, namespace: str = "") -> Deleted:
        """Find books.

        memory_type: what sort
        max_results: how many
        namespace: of which library
        """
        return Deleted(deleted=max_results, batch=f"{memory_type} {namespace}")


FIND = collect({"wanted": Wanted})["find_books"]


def test_a_parameter_has_one_word_outside_and_keeps_its_help() -> None:
    assert [(row.name, row.help) for row in FIND.parameters] == [
        ("type", "what sort"),
        ("limit", "how many"),
        ("project", "of which library"),
    ]
    assert [row.name for row in FIND.parameters if FIND.lists(row.name)] == ["limit"]


@pytest.mark.parametrize("word", ["limit", "k", "max_results", "max_memories"])
def test_the_outside_word_and_the_documented_names_reach_the_method(word: str) -> None:
    assert FIND.accept({word: 7}) == {"max_results": 7}
    assert FIND.accept({"memory_type": "decision", "project": "a"}) == {"memory_type": "decision", "namespace": "a"}


def test_a_parameter_given_by_two_of_its_names_is_refused() -> None:
    with pytest.raises(InvalidInput, match="limit was given twice") as caught:
        FIND.accept({"limit": 7, "k": 7})
    assert caught.value.hint == "Use limit alone."


class Reading:
    """A noun that stands on an engine which knows nothing of it."""

    def __init__(self, engine: str) -> None:
        self._engine = engine

    @operation("read_book", "read")
    def read(self, title: str) -> Deleted:
        """Read a book.

        title: which one
        """
        return Deleted(deleted=0, batch=f"{title} in {self._engine}")


def test_a_noun_that_an_engine_does_not_have_is_made_of_it_for_the_call() -> None:
    (row,) = collect({"reading": Reading}, on_top=True).values()
    assert row.call("the library", {"title": "Emma"}) == Deleted(deleted=0, batch="Emma in the library")
    with pytest.raises(AttributeError):
        collect({"reading": Reading})["read_book"].call("the library", {"title": "Emma"})
