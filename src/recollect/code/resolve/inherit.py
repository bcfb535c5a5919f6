"""Inherit: in which order a class and those it derives from are asked for a member."""

from __future__ import annotations

from collections.abc import Iterable

from recollect.code.resolve.values import Class

# A chain of classes longer than this is a mistake, most likely a class that derives from itself.
DEEPEST = 200


def arrange(classes: Iterable[Class]) -> None:
    """Give some classes their order: a class and its bases, nearest first, each before its own bases.

    Bases stand in the order they are written. Where no such order exists (the program is wrong, or its language knows
    none), depth first.
    """
    known: dict[Class, list[Class] | None] = {}
    for each in classes:
        each.order = _merged(each, known, 0) or _depth_first(each)


def derives(one: Class, other: Class) -> bool:
    """Tell whether a class is another one or derives from it."""
    return one is other or other in one.order


def heirs(of: Class) -> list[Class]:
    """Return all classes that derive from one, nearest first, without itself."""
    found: dict[Class, None] = {}
    waiting = list(of.heirs)
    while waiting:
        heir = waiting.pop(0)
        if heir not in found and heir is not of:
            found[heir] = None
            waiting += heir.heirs
    return list(found)


def _merged(of: Class, known: dict[Class, list[Class] | None], depth: int) -> list[Class] | None:
    """Return the order by C3, None if there is none."""
    if of in known:
        return known[of]
    known[of] = None  # what derives from itself has none
    if depth > DEEPEST:
        return None
    lists: list[list[Class]] = []
    for base in of.bases:
        found = _merged(base, known, depth + 1)
        if found is None:
            return None
        lists.append(list(found))
    lists.append(list(of.bases))
    merged = [of]
    while any(lists):
        head = next((each[0] for each in lists if each and not _is_in_tail(each[0], lists)), None)
        if head is None:
            return None
        merged.append(head)
        for each in lists:
            if each and each[0] is head:
                del each[0]
    known[of] = merged
    return merged


def _is_in_tail(one: Class, lists: Iterable[list[Class]]) -> bool:
    return any(one in each[1:] for each in lists)


def _depth_first(of: Class) -> list[Class]:
    found: dict[Class, None] = {}
    waiting = [of]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found[one] = None
            waiting += reversed(one.bases)
    return list(found)
