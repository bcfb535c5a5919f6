"""Overload choice: which of several functions of one name a call means, by number and written types of arguments.

    f(Object)  f(Animal)  f(int)  f(int...)         f(dog) → f(Animal)   f(3) → f(int)   f(3, 4) → f(int...)

Each argument fits a parameter more or less closely; the functions that fit most closely are meant. An argument of no
known type fits everything, so more than one function may be left. A type is a class of the program, or a written name.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from recollect.code.links.flow_values import Class


class Signature(NamedTuple):
    """Types of parameters, None for any; the last repeats if `is_open`."""

    takes: tuple[Hashable, ...]
    is_open: bool = False


# Each number fits those to its right; a character is a number from int on.
NUMBERS = ("byte", "short", "char", "int", "long", "float", "double")
WIDTH: dict[Hashable, int] = {name: width for width, name in enumerate(NUMBERS)}
UNWRAPPED: dict[Hashable, str] = {
    "Byte": "byte", "Short": "short", "Integer": "int", "Long": "long", "Float": "float", "Double": "double",
    "Character": "char", "Boolean": "boolean",
}  # fmt: skip
# Nothing of a program derives from these.
CLOSED = frozenset(("String", "boolean", "Class", "[]", *NUMBERS))
OBJECT = "Object"
OF_NUMBERS = frozenset(("Number", "Comparable", "Serializable"))
WIDER_NAMES: dict[Hashable, frozenset[str]] = {
    "String": frozenset(("CharSequence", "Comparable", "Serializable")),
    "Class": frozenset(("Type", "Serializable")),
    "[]": frozenset(),
}
# How closely an argument fits: its own type, a wider number or a base, a wrapped number, another type of the library,
# anything.
SAME, WRAPPED, WIDER, LIKELY, ANY = 100, 80, 90, 2, 1
# A function with a list of any length is meant if no other fits.
OPEN_PENALTY = 1000


def choose(signatures: Sequence[Signature], given: Sequence[Hashable]) -> list[int]:
    """Return the places of the functions that fit a call best; none if the number of arguments fits none."""
    fits = [_fit_all(signature, given) for signature in signatures]
    best = max([fit for fit in fits if fit is not None], default=None)
    return [place for place, fit in enumerate(fits) if fit is not None and fit == best]


def _fit_all(signature: Signature, given: Sequence[Hashable]) -> int | None:
    """Return how closely all arguments fit a function; None if one does not."""
    takes = list(signature.takes)
    penalty = 0
    if signature.is_open and not (len(takes) == len(given) and given[-1] == "[]"):
        penalty = OPEN_PENALTY
        takes = takes[:-1] + [None] * (len(given) - len(takes) + 1)
    if len(takes) != len(given):
        return None
    fits = [_fit(one, other) for one, other in zip(given, takes, strict=True)]
    return None if 0 in fits else sum(fits) - penalty


def _fit(given: Hashable, takes: Hashable) -> int:
    """Return how closely an argument fits a parameter, 0 for not at all."""
    if given is None or takes in (None, OBJECT):
        return ANY
    if given == takes:
        return SAME
    if isinstance(takes, Class):
        order = given.order if isinstance(given, Class) else []
        return max(WIDER - order.index(takes), LIKELY) if takes in order else 0
    plain, wanted = UNWRAPPED.get(given, given), UNWRAPPED.get(takes, takes)
    if plain == wanted:
        return WRAPPED
    if plain in WIDTH and wanted in WIDTH:
        return WIDER - WIDTH[wanted] if WIDTH[plain] < WIDTH[wanted] and wanted != "char" else 0
    if plain in CLOSED:  # known in full: what it derives from is known, too
        return LIKELY if takes in WIDER_NAMES.get(plain, OF_NUMBERS) else 0
    return 0 if wanted in CLOSED else LIKELY  # a class of the program may be what the library names
