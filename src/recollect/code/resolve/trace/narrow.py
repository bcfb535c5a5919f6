"""Narrow: what solving found, less what a run shows cannot be, and what only a run shows.

A run saw a function in full if every call of it that solving found was made in the run, by code seen in full itself.
There the run is right about who is called; everywhere else solving is.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.code.resolve.program import Unit
from recollect.code.resolve.trace.run import Find, Traced, trace
from recollect.code.resolve.trace.thing import Place, Site

# (caller, callee, line, column) → how it was found; a callee outside the program is a name
Made = dict[tuple[Place, Place | str, int, int], str]

LANGUAGES = frozenset(("javascript", "typescript", "tsx"))
# Scopes of a program that is worth running; a larger one would not come to its end.
MOST_SCOPES = 2_000


def narrow(made: Made, units: Mapping[str, Unit], find: Find) -> Made:
    """Return the calls of some programs, as far as a run of them knows better than solving them."""
    runnable = {path: unit for path, unit in units.items() if unit.language in LANGUAGES}
    if not runnable or sum(len(unit.scopes) for unit in runnable.values()) > MOST_SCOPES:
        return made
    traced = trace(runnable, find)
    if traced is None:
        return made
    full = _seen_in_full(made, traced)
    kept = {edge: how for edge, how in made.items() if not _is_refuted(edge, traced, full)}
    for site, callees in traced.calls.items():
        for callee in callees:
            if site.place in full or site.line:
                kept.setdefault((site.place, callee, site.line, site.column), "value")
    return kept


def _is_refuted(edge: tuple[Place, Place | str, int, int], traced: Traced, full: frozenset[Place]) -> bool:
    caller, callee, line, column = edge
    site = Site(caller, line, column)
    if caller not in full or isinstance(callee, str) or site in traced.vague:
        return False
    found = traced.calls.get(site)
    return found is not None and callee not in found


def _seen_in_full(made: Made, traced: Traced) -> frozenset[Place]:
    """Return the scopes of which a run saw all calls."""
    full = set(traced.run - traced.open)
    callers: dict[Place, set[Place]] = {}
    for caller, callee, _, _ in made:
        if not isinstance(callee, str):
            callers.setdefault(callee, set()).add(caller)
    while True:
        partial = {each for each in full if each[1] and not callers.get(each, set()) <= full}
        if not partial:
            return frozenset(full)
        full -= partial
