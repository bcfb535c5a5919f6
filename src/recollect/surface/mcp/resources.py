"""Resources: memories, symbols and the briefing under addresses that a client lists and reads.

    recollect://memory/{id}      a memory, by its id or the first characters of it
    recollect://symbol/{name}    a symbol of indexed code; further definitions of the name are listed
    recollect://briefing         the context for the start of a session

Operations answer all of them, so limits and redaction are theirs. The scope is that of recall_memory: this project and
memories for all projects. An address is looked up and never opened as a path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.errors import InvalidInput, NotFound
from recollect.surface.mcp.jsonrpc import INVALID_PARAMS, ProtocolError

# Runs an operation by its name and returns its record.
Ask = Callable[..., Any]

SCHEME = "recollect://"
MEMORY = f"{SCHEME}memory/{{id}}"
SYMBOL = f"{SCHEME}symbol/{{name}}"
MEDIA_TYPE = "text/plain"
# Every character of a long name, percent-encoded.
URI_CHARACTERS = 2_000

_DESCRIPTIONS = (
    ("uriTemplate", MEMORY, "memory", "A memory in full, by its id."),
    ("uriTemplate", SYMBOL, "symbol", "A symbol of indexed code: signature, docs, callers, callees."),
    ("uri", f"{SCHEME}briefing", "briefing", "Preferences, decisions, open work and commands of this project."),
)
*TEMPLATES, BRIEFING = (
    {key: uri, "name": name, "title": name.capitalize(), "description": text, "mimeType": MEDIA_TYPE}
    for key, uri, name, text in _DESCRIPTIONS
)

# Standing preferences, which a client can attach to any task, then all others: the newest first.
STANDING = ("preference", "style", "habit")
SECTIONS = (*STANDING, None)
# Some clients show the list to the model: 20 entries are up to 2,200 tokens.
PAGE_SIZE = 20
NAME_CHARACTERS = 80
# Memories of one read, and reads of one page: a page is short rather than late where most memories are left out.
READ_MEMORIES = 100
MOST_READS = 8
# As in every operation: a shorter beginning of an id may name a memory that the caller does not mean.
LEAST_ID_CHARACTERS = 6
# Memories whose ids begin alike.
MOST_ALIKE = 100


def list_resources(ask: Ask, cursor: object, size: int = PAGE_SIZE) -> dict[str, Any]:
    """Return a page: the briefing, standing preferences, then the newest other memories that hold."""
    section, offset = (0, 0) if cursor is None else _position(cursor)
    found: list[dict[str, str]] = [BRIEFING] if cursor is None else []
    for _ in range(MOST_READS):
        if section == len(SECTIONS) or len(found) >= size:
            break
        wanted = SECTIONS[section]
        page = ask("list_memories", type=wanted, archived=False, limit=READ_MEMORIES, offset=offset)
        offset += _take(page.memories, found, size, standing=wanted is not None)
        if offset >= page.total:
            section, offset = section + 1, 0
    more = {"nextCursor": f"{section}.{offset}"} if section < len(SECTIONS) else {}
    return {"resources": found, **more}


def _take(memories: Sequence[Any], found: list[dict[str, str]], size: int, *, standing: bool) -> int:
    """Append the memories of a section to a page until it is full; returns how many were read."""
    for number, memory in enumerate(memories):
        if len(found) >= size:
            return number
        if memory.superseded_by is None and (memory.memory_type in STANDING) == standing:
            found.append(_entry(memory))
    return len(memories)


def _position(cursor: object) -> tuple[int, int]:
    """Return the section and the offset in it that a cursor names."""
    section, _, offset = cursor.partition(".") if isinstance(cursor, str) else ("", "", "")
    if all(part.isdecimal() and part.isascii() and len(part) < 16 for part in (section, offset)):
        place = int(section), int(offset)
        if place[0] < len(SECTIONS):
            return place
    raise ProtocolError(INVALID_PARAMS, "That is no cursor of this list")


def _entry(memory: Any) -> dict[str, str]:
    from urllib.parse import quote

    from recollect.render.quantities import dated
    from recollect.render.untrusted import oneline

    return {
        "uri": MEMORY.replace("{id}", quote(memory.id, safe="")),
        "name": oneline(headline(memory), NAME_CHARACTERS),
        "description": f"{memory.kind} of {dated(memory.updated_at, None)}; untrusted text",
        "mimeType": MEDIA_TYPE,
    }


def headline(memory: Any) -> str:
    """Return the title of a memory, or its first line."""
    text: str = memory.title or memory.content.lstrip()
    return text.partition("\n")[0]


def read_resource(ask: Ask, uri: str) -> Any:
    """Return the record at an address; raises NotFound."""
    kind, _, value = uri.removeprefix(SCHEME).partition("/")
    read = _READERS.get(kind) if uri.startswith(SCHEME) and len(uri) <= URI_CHARACTERS else None
    if read is None:
        raise NotFound("no such resource")
    return read(ask, _decoded(value))


def _decoded(value: str) -> str:
    """Return a percent-encoded value as text; raises NotFound if nothing can have such a name."""
    from urllib.parse import unquote_to_bytes

    try:
        text = unquote_to_bytes(value).decode()
    except UnicodeError:
        raise NotFound("a resource with a name that is no text") from None
    if "\0" in text:
        raise NotFound("a resource with a NUL in its name")
    return text


def _memory(ask: Ask, name: str) -> Any:
    """Return the memory in this project with an id, or the only one whose id begins so."""
    if not name.strip():
        raise NotFound("no memory without an id")
    page = ask("list_memories", id_prefix=name, observed=True, limit=MOST_ALIKE)
    alike = [row.id for row in page.memories if row.id == name or len(name) >= LEAST_ID_CHARACTERS]
    if name not in alike and len(alike) > 1:
        raise InvalidInput(f"several ids begin with {name}", hint="Give more characters.")
    if not alike:
        raise NotFound(f"no memory {name}")
    return ask("get_memory", memory_id=name if name in alike else alike[0])


def _symbol(ask: Ask, name: str) -> Any:
    """Return the symbol of this project with a name; get_symbol_info alone would search all projects."""
    hits = ask("search_symbols", query=name, limit=1).symbols if name.strip() else ()
    if not hits or hits[0].match != "exact":
        raise NotFound(f"no symbol {name}")
    return ask("get_symbol_info", symbol=name, project=hits[0].namespace)


def _briefing(ask: Ask, name: str) -> Any:
    if name:
        raise NotFound("the briefing has no parts")
    return ask("session_context")


_READERS: Mapping[str, Callable[[Ask, str], Any]] = {"memory": _memory, "symbol": _symbol, "briefing": _briefing}
