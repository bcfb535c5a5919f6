"""Which function of several a call means."""

from __future__ import annotations

from collections.abc import Hashable

import pytest

from recollect.code.links.overload_choice import Array, Signature, choose

# Classes of a program: what each derives from.
BASES = {("Dog",): (("Animal",),), ("Animal",): (), ("Rock",): ()}
DOG, ANIMAL, ROCK = ("Dog",), ("Animal",), ("Rock",)


def derives(one: Hashable, other: Hashable) -> bool:
    return one == other or any(derives(base, other) for base in BASES.get(one, ()))  # type: ignore[call-overload]


def chosen(takes: list[tuple[Hashable, ...]], given: tuple[Hashable, ...]) -> list[tuple[Hashable, ...]]:
    signatures = [
        Signature(tuple(each for each in row if each != "..."), is_open="..." in row) for row in takes
    ]  # fmt: skip
    return [takes[place] for place in choose(signatures, given, derives)]


@pytest.mark.parametrize(
    ("takes", "given", "expected"),
    [
        ([(), ("int",), ("int", "int")], ("int",), [("int",)]),
        ([("int",), ("long",), ("Object",)], ("int",), [("int",)]),
        ([("long",), ("double",), ("Integer",)], ("int",), [("long",)]),
        ([("Integer",), ("Object",)], ("int",), [("Integer",)]),
        ([("int",), ("Object",)], ("Integer",), [("Object",)]),
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
        ([(Array("char"),), ("String",)], (Array("char"),), [(Array("char"),)]),
        ([(Array("Object"),), ("Object",)], (Array(DOG),), [(Array("Object"),)]),
        ([("String",), ("String", Array("Object"), "...")], ("String",), [("String",)]),
        (
            [("String",), ("String", Array("Object"), "...")],
            ("String", "int", DOG),
            [("String", Array("Object"), "...")],
        ),
        ([(Array("int"), "...")], (), [(Array("int"), "...")]),
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
