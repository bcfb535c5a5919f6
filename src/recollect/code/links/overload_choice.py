"""Overload choice: which of several functions of one name a call means, by number and declared types of arguments.

    f(Object)  f(Animal)  f(int)  f(long)  f(int...)         f(dog) → f(Animal)   f(3) → f(int)   f(3, 4) → f(int...)

As in Java and its kin there are three rounds: what fits by deriving and widening; what fits if numbers are wrapped into
objects; what fits if the last parameter takes any number of arguments. Of those that fit in one round, one whose types
all fit another's is meant in place of it. An argument of no known type fits everything and decides nothing, so more
than one function may be left: then the call is ambiguous.

A type is whatever names it: a class of the program by anything that can be compared, all others by their written name.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

Derives = Callable[[Hashable, Hashable], bool]


class Array(NamedTuple):
    """An array of something; None if unknown."""

    of: Hashable


class Signature(NamedTuple):
    """Types of parameters, None for any; the last repeats if `is_open`."""

    takes: tuple[Hashable, ...]
    is_open: bool = False


# Each number fits those to its right; characters count as numbers from int on.
WIDTH = {name: width for width, name in enumerate(("byte", "short", "int", "long", "float", "double"))}
WRAPPED = {
    "byte": "Byte", "short": "Short", "int": "Integer", "long": "Long", "float": "Float", "double": "Double",
    "char": "Character", "boolean": "Boolean",
}  # fmt: skip
UNWRAPPED = {wrapped: plain for plain, wrapped in WRAPPED.items()}
# What every object is, what a string is, and what a wrapped number is, besides itself.
ANYTHING = "Object"
WIDER = {"String": ("CharSequence", "Comparable", "Serializable")}
NUMBERS = ("Number", "Comparable", "Serializable")

DERIVED, BOXED, OPEN = 1, 2, 3


def choose(signatures: Sequence[Signature], given: Sequence[Hashable], derives: Derives) -> list[int]:
    """Return the places of the functions that fit a call best.

    given: the types of the arguments, None where unknown; derives: whether a class of the program derives from another
    """
    rounds: dict[int, list[int]] = {}
    for place, signature in enumerate(signatures):
        found = _round(signature, given, derives)
        if found:
            rounds.setdefault(found, []).append(place)
    if not rounds:
        return []
    fitting = rounds[min(rounds)]
    if len(fitting) == 1:
        return fitting
    return [
        place
        for place in fitting
        if not any(
            other != place and _beats(signatures[other], signatures[place], given, derives) for other in fitting
        )
    ]  # fmt: skip


def _round(signature: Signature, given: Sequence[Hashable], derives: Derives) -> int:
    """Return the round that a function fits in, 0 for none."""
    takes = signature.takes
    if len(takes) == len(given):
        found = max((_fit(own, want, derives) for own, want in zip(given, takes, strict=True)), default=DERIVED)
        if found <= BOXED:
            return found
    if signature.is_open and len(given) >= len(takes) - 1:
        wanted = _spread(signature, len(given))
        if all(_fit(own, want, derives) <= BOXED for own, want in zip(given, wanted, strict=True)):
            return OPEN
    return 0


def _spread(signature: Signature, count: int) -> list[Hashable]:
    """Return what each of so many arguments is taken by."""
    *plain, last = signature.takes
    each = last.of if isinstance(last, Array) else last
    return [*plain, *[each] * (count - len(plain))]


def _fit(given: Hashable, takes: Hashable, derives: Derives) -> int:
    """Return how an argument fits a parameter: DERIVED, BOXED, or not at all (OPEN)."""
    if given is None or takes is None or given == takes:
        return DERIVED
    if isinstance(given, Array) or isinstance(takes, Array):
        if isinstance(given, Array) and isinstance(takes, Array):
            return DERIVED if _fit(given.of, takes.of, derives) == DERIVED else OPEN
        return DERIVED if takes == ANYTHING else OPEN
    if not isinstance(given, str):
        # A class of the program is what it derives from; an external interface may fit.
        is_it = takes == ANYTHING or (isinstance(takes, str) and not _is_closed(takes)) or derives(given, takes)
        return DERIVED if is_it else OPEN
    if not isinstance(takes, str):
        return OPEN
    return _fit_by_name(given, takes)


def _fit_by_name(given: str, takes: str) -> int:
    if given in WRAPPED:
        if takes in WRAPPED:
            return DERIVED if _widens(given, takes) else OPEN
        return BOXED if takes in (WRAPPED[given], ANYTHING) or takes in NUMBERS else OPEN
    if takes in WRAPPED:
        plain = UNWRAPPED.get(given)
        return BOXED if plain is not None and (plain == takes or _widens(plain, takes)) else OPEN
    if takes == ANYTHING:
        return DERIVED
    if given == "String" or given in UNWRAPPED:
        return DERIVED if takes in WIDER.get(given, NUMBERS) else OPEN
    # Two other library types may fit; a plain Object fits nothing else.
    return OPEN if given == ANYTHING or takes == "String" or takes in UNWRAPPED else DERIVED


def _widens(given: str, takes: str) -> bool:
    if given == "char":
        return WIDTH.get(takes, -1) >= WIDTH["int"]
    return given in WIDTH and WIDTH.get(takes, -1) > WIDTH[given]


def _is_closed(name: str) -> bool:
    """Tell whether nothing in a program can derive from a type."""
    return name in WRAPPED or name in UNWRAPPED or name == "String"


def _beats(one: Signature, other: Signature, given: Sequence[Hashable], derives: Derives) -> bool:
    """Tell whether one function is more specific than another."""
    first, second = _spread_or_not(one, len(given)), _spread_or_not(other, len(given))
    differing = [place for place in range(len(given)) if first[place] != second[place]]
    if any(given[place] is None for place in differing):
        return False
    if not differing:
        return other.is_open and not one.is_open
    return all(_fit(first[place], second[place], derives) == DERIVED for place in differing) and any(
        _fit(second[place], first[place], derives) != DERIVED for place in differing
    )


def _spread_or_not(signature: Signature, count: int) -> list[Hashable]:
    return list(signature.takes) if len(signature.takes) == count else _spread(signature, count)
