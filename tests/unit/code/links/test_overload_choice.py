"""Which function of several a call means."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from recollect.code.links.flow_values import Class
from recollect.code.links.overload_choice import Signature, choose
from recollect.code.links.program import Scope


def of_program(name: str, *bases: Class) -> Class:
    made = Class("a.java", 0, Scope("class", name), None)  # type: ignore[arg-type]
    made.order = [made, *bases]
    return made


ANIMAL, ROCK = of_program("Animal"), of_program("Rock")
DOG = of_program("Dog", ANIMAL)


def chosen(takes: list[tuple[Hashable, ...]], given: tuple[Hashable, ...]) -> list[tuple[Hashable, ...]]:
    signatures = [Signature(tuple(each for each in row if each != "..."), is_open="..." in row) for row in takes]
    return [takes[place] for place in choose(signatures, given)]


@pytest.mark.parametrize(
    ("takes", "given", "expected"),
    [
        ([(), ("int",), ("int", "int")], ("int",), [("int",)]),
        ([("int",), ("long",), ("Object",)], ("int",), [("int",)]),
        ([("long",), ("double",), ("Integer",)], ("int",), [("long",)]),
        ([("Integer",), ("Object",)], ("int",), [("Integer",)]),
        ([("int",), ("Object",)], ("Integer",), [("int",)]),
        ([("int",), ("String",)], ("char",), [("int",)]),
        ([("byte",), ("String",)], ("int",), []),
        ([("String",), ("Object",)], ("String",), [("String",)]),
        ([("CharSequence",), ("Object",)], ("String",), [("CharSequence",)]),
        ([("String",), ("int",)], ("boolean",), []),
        ([(ANIMAL,), ("Object",), (ROCK,)], (DOG,), [(ANIMAL,)]),
        ([(ANIMAL,), (DOG,)], (DOG,), [(DOG,)]),
        ([(ANIMAL,), (DOG,)], (ANIMAL,), [(ANIMAL,)]),
        ([(DOG,), ("Object",)], ("Object",), [("Object",)]),
        ([(DOG,), (ROCK,)], ("List",), []),
        ([("Runnable",), (ROCK,)], (DOG,), [("Runnable",)]),
        ([("[]",), ("String",)], ("[]",), [("[]",)]),
        ([("[]",), ("Object",)], ("[]",), [("[]",)]),
        ([("String",), ("String", "[]", "...")], ("String",), [("String",)]),
        (
            [("String",), ("String", "[]", "...")],
            ("String", "int", DOG),
            [("String", "[]", "...")],
        ),
        ([("[]", "...")], (), [("[]", "...")]),
    ],
)
def test_a_call_means(
    takes: list[tuple[Hashable, ...]], given: tuple[Hashable, ...], expected: list[tuple[Hashable, ...]]
) -> None:
    assert chosen(takes, given) == expected


def test_an_argument_of_unknown_type_decides_nothing() -> None:
    assert chosen([("int",), ("String",)], (None,)) == [("int",), ("String",)]
    assert chosen([("int", "int"), ("int", "String")], ("int", None)) == [("int", "int"), ("int", "String")]
    assert chosen([("int", "int"), ("String", "int")], ("int", None)) == [("int", "int")]
