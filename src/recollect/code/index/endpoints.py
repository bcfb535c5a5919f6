"""HTTP endpoints of code, from decorators and from calls that register a handler.

A decorator gives its function an endpoint. A call makes a symbol of kind Endpoint, named like the address.

    @app.get("/users/{id}")  ►  GET /users/{id}         router.post("/users", create)  ►  POST /users
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from recollect.code.index.captures import Captures
from recollect.code.index.definitions import Definition
from recollect.code.index.languages import Language
from recollect.code.index.page import Page

VERBS = "get|post|put|patch|delete|head|options"
QUOTED = r"""(?P<quote>["'`])(?P<path>[^"'`\n]*)(?P=quote)"""
# An address, an f-string of one, or nothing: `@mock.patch("app.send")` is no endpoint.
ADDRESS = r"""(?P<quote>["'`])(?P<path>(?:[/{][^"'`\n]*)?)(?P=quote)"""
ANY = "ANY"  # the address answers to all methods


class Decorated(NamedTuple):
    """A decorator that gives an endpoint; method: "" takes it from the group of the pattern."""

    languages: tuple[str, ...]
    pattern: str
    method: str = ""
    prefix: bool = False  # of a class: the prefix for its methods


class Called(NamedTuple):
    """A call that registers a handler."""

    languages: tuple[str, ...]
    pattern: str
    method: str = ""
    word: str = ""  # a file without it has no such calls
    files: str = ""  # where the call is too common a name elsewhere
    receiver: str = ""  # what must stand before the call


# Compiled on first use: all of them take 7 ms, and most trees need few.
_compiled = cache(re.compile)


def _decorated(languages: str, pattern: str, method: str = "", *, prefix: bool = False) -> Decorated:
    return Decorated(tuple(languages.split()), pattern, method, prefix)


def _called(languages: str, pattern: str, method: str = "", **where: str) -> Called:
    return Called(tuple(languages.split()), f"(?m:{pattern})", method, **where)


# Method first where two patterns could match. Frameworks: Flask, FastAPI, Starlette; Spring, JAX-RS; NestJS; ASP.NET;
# Symfony; Rocket, Actix.
DECORATED: tuple[Decorated, ...] = (
    _decorated("python", rf"[\w.]+\.(?P<method>{VERBS}|websocket)\(\s*+(?:path\s*+=\s*+)?[rf]?{ADDRESS}"),
    _decorated("python", rf"[\w.]*\b(?:route|api_route)\(\s*+[rf]?{QUOTED}(?P<rest>.*)"),
    _decorated(
        "java kotlin",
        rf"(?P<method>Get|Post|Put|Patch|Delete)Mapping(?:\(\s*+(?:(?:value|path)\s*+=\s*+)?\{{?+\s*+{QUOTED})?",
    ),
    _decorated(
        "java kotlin", rf"RequestMapping\(\s*+(?:.*?(?:value|path)\s*+=\s*+)?\{{?+\s*+{QUOTED}(?P<rest>.*)", prefix=True
    ),
    _decorated("java kotlin", rf"Path\(\s*+{QUOTED}", ANY, prefix=True),
    _decorated("java kotlin", r"(?P<method>GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$"),
    _decorated(
        "javascript typescript tsx", rf"(?P<method>Get|Post|Put|Patch|Delete|Head|Options|All)\(\s*+(?:{QUOTED})?"
    ),
    _decorated("javascript typescript tsx", rf"Controller\(\s*+(?:\{{.*?path:\s*)?(?:{QUOTED})?", prefix=True),
    _decorated("csharp", rf"Http(?P<method>Get|Post|Put|Patch|Delete|Head|Options)\b(?:\(\s*+{QUOTED})?"),
    _decorated("csharp", rf"Route\(\s*+{QUOTED}", ANY, prefix=True),
    _decorated("php", rf"Route\(\s*+(?:path:\s*)?{QUOTED}(?P<rest>.*)", prefix=True),
    _decorated("rust", rf"(?P<method>{VERBS})\(\s*+{QUOTED}"),
)

# Frameworks: Django; Express, Koa, Fastify, Hono; Gin, Echo, Chi, net/http; Axum, Actix; Rails, Sinatra; Laravel;
# ASP.NET minimal interfaces; Ktor; Phoenix.
ROOTED = r"""(?P<quote>["'`])(?P<path>/[^"'`\n]*)(?P=quote)"""
CAPITALS = "GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|Any"
ROUTER = r"(?:\b(?:app|server|api|fastify|routes?)|[rR]outer)$"
RUBY_ROUTES = r"routes[^/]*\.rb$|/routes/"
CALLED: tuple[Called, ...] = (
    _called("python", rf"\b(?:re_)?path\(\s*+r?{QUOTED}\s*,", ANY, word="urlpatterns", files=r"urls?[^/]*\.py$|/urls/"),
    _called("python", rf"\.add_url_rule\(\s*+{QUOTED}", ANY),
    _called("javascript typescript tsx", rf"\.(?P<method>{VERBS}|all|route)\(\s*+{ROOTED}", receiver=ROUTER),
    _called("go", rf"\.(?P<method>{CAPITALS})\(\s*+{ROOTED}"),
    _called(
        "go",
        rf"\.(?P<method>Get|Post|Put|Patch|Delete|Head|Options)\(\s*+{ROOTED}",
        receiver=r"\b(?:r|mux|\w*[rR]outer|app|e|api)$",
    ),
    _called("go", rf"\.(?:HandleFunc|Handle)\(\s*+{QUOTED}", ANY),
    _called("rust", rf"\.route\(\s*+{ROOTED}\s*,\s*(?:\w+::)*(?P<method>{VERBS}|any)\b"),
    _called("ruby", rf"^[^\S\n]*+(?P<method>{VERBS})[ (]+{QUOTED}", files=RUBY_ROUTES),
    _called("ruby", rf"^[^\S\n]*+(?P<method>{VERBS})[ (]+{ROOTED}", files=r"(?:^|/)(?:app|server|api)\.rb$"),
    _called("ruby", r"^[^\S\n]*+resources?[ (]+:(?P<path>\w+)", ANY, files=RUBY_ROUTES),
    _called("ruby", r"^[^\S\n]*+root[ (]+(?:(?::to\s*=>|to:)\s*)?(?P<path>)[\"']", "GET", files=RUBY_ROUTES),
    _called("php", rf"\bRoute::(?P<method>{VERBS}|any|match|resource|apiResource)\(\s*+{QUOTED}"),
    _called("php", rf"\$(?:app|router|group|routes)->(?P<method>{VERBS}|any|map)\(\s*+{ROOTED}"),
    _called("swift", rf"\.(?P<method>{VERBS})\(\s*+{QUOTED}", receiver=r"\b(?:app|routes|router|group)$"),
    _called("csharp", rf"\.Map(?P<method>Get|Post|Put|Patch|Delete)\(\s*+{QUOTED}"),
    _called("kotlin", rf"\b(?P<method>{VERBS})\(\s*+{ROOTED}\s*\)\s*\{{", word="routing"),
    _called("elixir", rf"^[^\S\n]*+(?P<method>{VERBS}|resources)[ (]+{ROOTED}\s*,", files=r"router[^/]*\.exs?$"),
)

BY_LANGUAGE = {name: [row for row in CALLED if name in row.languages] for row in CALLED for name in row.languages}
CALLS = frozenset({
    "call", "call_expression", "expression_statement", "method_invocation", "invocation_expression", "function_call",
    "scoped_call_expression", "member_call_expression",
})  # fmt: skip
# Words that register more than one method.
SEVERAL = frozenset("all All Any any match map route resource resources apiResource".split())
METHODS = re.compile(r"methods?\s*+[=:]\s*+[\[{(]?+\s*+(?:RequestMethod\.)?[\"']?(\w+)")
HANDLER_CHARACTERS = 2_000  # of the rest of a decorator that is read


@lru_cache(maxsize=4_096)
def decorated(language: str, decorators: tuple[str, ...], prefix: str, *, is_type: bool) -> str | None:
    """Return the endpoint that decorators give: "GET /users", or None.

    prefix: of the type around it. is_type: return the prefix for the members of a decorated type.
    """
    found = [
        (_method(row.method, match), match.groupdict().get("path") or "", decorator)
        for decorator in decorators
        for row in DECORATED
        if language in row.languages and (row.prefix or not is_type)
        if (match := _compiled(row.pattern).match(decorator))
    ][:2]
    if not found:
        return None
    # JAX-RS says method and path in two decorators; of any other framework the first counts.
    method, path, first = found[0]
    for other, further, _ in found[1:]:
        method, path = other if method == ANY else method, path or further
    if first.isupper() and not path and not prefix:  # the methods of a client, which has its path elsewhere
        return None
    return join(prefix, path) if is_type else f"{method} {join(prefix, path)}"


def called(page: Page, language: Language, path: str, found: Captures) -> list[Definition]:
    """Return a definition for each call that registers a handler."""
    definitions = []
    for row in _rows(page, language, path):
        for match in _compiled(row.pattern).finditer(page.text):
            definition = _registered(page, found, row, match)
            if definition:
                definitions.append(definition)
    return definitions


def may_call(page: Page, language: Language, path: str) -> bool:
    """Tell whether a file may register handlers, so that its tree is needed."""
    return any(
        _is_received(page, row, match)
        for row in _rows(page, language, path)
        for match in _compiled(row.pattern).finditer(page.text)
    )


def _is_received(page: Page, row: Called, match: re.Match[str]) -> bool:
    """Tell whether a call has the receiver that its row requires."""
    return not row.receiver or bool(
        _compiled(row.receiver).search(page.text, max(0, match.start() - 40), match.start())
    )


def _rows(page: Page, language: Language, path: str) -> list[Called]:
    return [
        row
        for row in BY_LANGUAGE.get(language.name, ())
        if row.word in page.text and (not row.files or _compiled(row.files).search(path))
    ]


def _registered(page: Page, found: Captures, row: Called, match: re.Match[str]) -> Definition | None:
    """Return the definition of one registration with the span of its call; None if the text is not code."""
    address = match["path"]
    if not _is_received(page, row, match):
        return None
    start, end = match.span("path")
    node = found.root.descendant_for_byte_range(start, end)
    while node is not None and node.type not in CALLS:
        node = node.parent
    if node is None or node.start_byte > match.start("path"):
        return None
    brace = page.text.find("{", end, node.end_byte)
    body = brace if brace >= 0 else node.end_byte
    begin = node.start_byte
    if "(" in page.text[begin : match.start()]:  # of a chain of calls only this one
        begin = match.start() + len(match[0]) - len(match[0].lstrip(" \t."))
    definition = Definition(begin, node.end_byte, "Endpoint", "", (start, end), body)
    verb, _, spaced = address.partition(" ")  # net/http: "GET /users"
    if spaced and verb.isupper():
        definition.endpoint = f"{verb} {spaced.strip()}"
    else:
        definition.endpoint = f"{_method(row.method, match)} {join('', address)}"
    return definition


def join(prefix: str, path: str) -> str:
    """Return an address that begins with one slash."""
    parts = [part.strip("/") for part in (prefix, path)]
    return "/" + "/".join(part for part in parts if part)


def _method(fixed: str, match: re.Match[str]) -> str:
    groups = match.groupdict()
    method = groups.get("method")
    if method:
        return ANY if method in SEVERAL else method.upper()
    said = METHODS.search((groups.get("rest") or "")[:HANDLER_CHARACTERS])
    return said[1].upper() if said else fixed or ("GET" if "rest" in groups else ANY)
