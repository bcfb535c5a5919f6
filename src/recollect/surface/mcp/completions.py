"""Completions: what a client offers while a user fills in an argument of a prompt or an address.

    {id}                      memories by the beginning of their id, or by words of their title or first line
    {name}                    symbols of this project by the beginning of their name
    question, what            the last word, as the name of a symbol
    range                     nothing

A client asks with every key that is pressed: nothing here ranks, needs a vector or counts as a use of a memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from recollect.render.untrusted import oneline
from recollect.surface.mcp.jsonrpc import INVALID_PARAMS, ProtocolError
from recollect.surface.mcp.resources import MEMORY, SYMBOL, Ask, headline

# The protocol allows no more.
MOST_VALUES = 100
# The newest memories whose titles are compared, and the symbols that are read: about 40 ms.
MOST_READ = 1_000
# search_symbols reads no more names that begin alike.
MOST_NAMES = 60
# Words of a question that are shorter are rarely the beginning of a name.
LEAST_LETTERS = 3
# No name or id is longer.
VALUE_CHARACTERS = 1_000

# The first values and the number of all; None: it is not known.
Found = tuple[list[str], int | None]


def complete(ask: Ask, ref: object, argument: object) -> dict[str, Any]:
    """Return the completions of an argument; raises ProtocolError for one that does not exist."""
    of = _text(ref, "name" if _text(ref, "type") == "ref/prompt" else "uri")
    find = _COMPLETERS.get((of, _text(argument, "name")))
    value = _text(argument, "value")
    if find is None:
        raise ProtocolError(INVALID_PARAMS, "ref and argument name an argument of a prompt or a variable of an address")
    values, total = find(ask, value) if len(value) <= VALUE_CHARACTERS else ([], 0)
    # A value that had to be escaped would name something else.
    shown = [text for text in values[:MOST_VALUES] if oneline(text) == text]
    counted = {} if total is None else {"total": total}
    return {"completion": {"values": shown, **counted, "hasMore": total is None or total > MOST_VALUES}}


def _text(value: object, key: str) -> str:
    """Return a text in an object of the client; raises ProtocolError where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    if not isinstance(found, str):
        raise ProtocolError(INVALID_PARAMS, f"completion/complete needs a ref and an argument with a {key}")
    return found


def memory_ids(ask: Ask, value: str) -> Found:
    """Return the ids of memories that begin with a value, or whose headline has its words."""
    words = value.casefold().split()
    page = ask("list_memories", id_prefix=value if words else None, archived=False, limit=MOST_VALUES)
    if page.total or not words:
        return [row.id for row in page.memories], page.total
    page = ask("list_memories", archived=False, limit=MOST_READ)
    fitting = [row.id for row in page.memories if all(word in headline(row).casefold() for word in words)]
    return fitting, len(fitting) if page.total <= MOST_READ else None


def symbol_names(ask: Ask, value: str) -> Found:
    """Return the names of symbols that begin with a value."""
    begin = value.casefold()
    hits = ask("search_symbols", query=value, limit=MOST_READ).symbols if value.strip() else ()
    names = dict.fromkeys(
        name for hit in hits for name in (hit.name, hit.qualified) if name.casefold().startswith(begin)
    )
    return list(names), len(names) if len({hit.name for hit in hits}) < MOST_NAMES else None


def _last_word(ask: Ask, value: str) -> Found:
    before, space, word = value.rpartition(" ")
    names, total = symbol_names(ask, word) if len(word) >= LEAST_LETTERS else ([], 0)
    return [f"{before}{space}{name}" for name in names], total


_COMPLETERS: Mapping[tuple[str, str], Callable[[Ask, str], Found]] = {
    (MEMORY, "id"): memory_ids,
    (SYMBOL, "name"): symbol_names,
    ("recall", "question"): _last_word,
    ("remember", "what"): _last_word,
    ("review", "range"): lambda ask, value: ([], 0),
}
