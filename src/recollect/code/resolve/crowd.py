"""Crowd: calls that may lead to too many functions to say that they lead to any of them."""

from __future__ import annotations

from collections.abc import Mapping

Place = tuple[str, int]
Made = dict[tuple[Place, Place | str, int, int], str]
Where = tuple[Place, int, int]

# Functions that one call may lead to. Methods of one interface are rarely more; what leads to more has been through a
# variable that holds whatever the program ever put there.
MOST_CALLED = 16

# Methods that texts, tables, files and the like have: the only method of the program with such a name is seldom meant.
COMMON = frozenset(
    """add all any append apply bind call capitalize catch clear close concat copy count decode discard encode end
    entries enumerate every extend fill filter find findIndex finally flat flatMap flush forEach format fromkeys
    get group has includes index indexOf insert intersection isalnum isalpha isdigit islower issubset isupper
    items join keys lastIndexOf length ljust log lower lstrip map match next open partition pop popitem popleft
    push read readline readlines reduce remove replace result return reverse rfind rjust rpartition rsplit rstrip
    run search seek send set setdefault shift size slice some sort splice split splitlines start startswith
    endswith stop strip sub submit substring tell test then throw title toLowerCase toString toUpperCase translate
    trim union unshift update upper values wait write writelines zfill""".split()
)


def apart(made: Mapping[tuple[Place, Place | str, int, int], str]) -> tuple[Made, dict[Where, list[Place]]]:
    """Return the calls that say something, and where the others stand with all that they may lead to."""
    called: dict[Where, list[Place]] = {}
    for caller, callee, line, column in made:
        if not isinstance(callee, str) and line:
            called.setdefault((caller, line, column), []).append(callee)
    crowded = {where: sorted(places) for where, places in called.items() if len(places) > MOST_CALLED}
    kept = {key: how for key, how in made.items() if isinstance(key[1], str) or (key[0], key[2], key[3]) not in crowded}
    return kept, crowded
