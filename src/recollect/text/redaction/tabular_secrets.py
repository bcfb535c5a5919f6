r"""Secrets whose name stands elsewhere: above them in a table, behind them in an object, in the list of an INSERT.

| host | password |        host,password        INSERT INTO t (host, password)        {"value": "…",
| db1  | …        |        db1,…                VALUES ('db1', '…')                   "name": "PASSWORD"}
"""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from functools import cache
from itertools import chain

from recollect.text.redaction.assigned_secrets import STEMS, Words
from recollect.text.redaction.scanning import Found, compiled, spaced
from recollect.text.redaction.secret_values import is_secret, is_stand_in

# Names whose value is a secret whatever it looks like, taken as whole words of the name; the last word decides.
_SHARP = compiled(
    rb"(?i)(?:.*[_\-. ])?(?:pass(?:word|wd|phrase|code|wort)?|pwd|secret|token|credential|authorization|cookie|"
    rb"kennwort|contrasena|senha|clave|"
    rb"(?:api|access|private|secret|auth|account|encryption|signing|master|client|session|service)[_\-. ]?key|apikey)"
    rb"|(?i:[a-z0-9_]*(?:password|passwd|passphrase|secret|apikey|accesskey|secretkey|privatekey|authtoken|accesstoken|"
    rb"refreshtoken|idtoken|bearertoken|clientsecret))"
)
# What is longer is a text and no name.
MAX_NAME = 100


def is_secret_name(name: bytes) -> bool:
    """Tell whether what has this name is a secret: `DB_PASSWORD`, `apiKey`, `Authorization`; not `token_type`."""
    return len(name) <= MAX_NAME and _SHARP.fullmatch(name) is not None


def by_column(source: bytes, lower: bytes, words: Words) -> list[Found]:
    """Return the secrets in `source` that are told by a name elsewhere.

    lower: `source` in lower case; words: where stems stand in it
    """
    if STEMS.isdisjoint(words.anchors) and not any(words.names):
        return []
    found = [*_in_tables(source, words.names)]
    if b"insert into" in lower:
        found += _in_inserts(source, lower)
    if b"value" in lower:
        found += _before_names(source, lower)
    if b"kind" in words.anchors:
        found += _in_manifests(source, lower)
    return found


def _kind(name: bytes) -> str:
    lower = name.lower()
    return next((kind for kind in ("token", "key", "secret") if kind.encode() in lower), "password")


# --- tables ---

# The end of a name that is all of its cell.
_NAME_END = compiled(rb"[\w\-.]{0,40}+[\"'`*]{0,4}+[ \t]{0,60}+[|,;\t\r\n]")
# A head line is no longer than this, a row neither; a table is looked at as far as that.
LINE_BYTES = 1000
TABLE_BYTES = 65_536
_TITLE = compiled(rb"[\"'`* \t]*+[A-Za-z][\w .\-/#()]{0,40}+[\"'`* \t]*+")
_RULE = compiled(rb"[\s|:+=\-]++")
_CELLS = {
    sign: compiled(
        b"[ \t]*+".replace(sign, b"")
        + rb"(?:\"([^\"\n]*+)\"|([^\n\r"
        + sign
        + rb"]*+))[ \r]*+(?:"
        + re.escape(sign)
        + rb"|$)"
    )
    for sign in (b"|", b"\t", b",", b";")
}


def _in_tables(source: bytes, names: list[list[int]]) -> Iterator[Found]:
    done = 0
    columns = cache(_columns)  # logs repeat themselves
    for place in sorted(chain.from_iterable(names)):
        if place < done or _NAME_END.match(source, place) is None:
            continue
        start = source.rfind(b"\n", max(0, place - LINE_BYTES), place) + 1
        end = source.find(b"\n", place, place + LINE_BYTES)
        if not start and place > LINE_BYTES:
            done = end if end >= 0 else place + LINE_BYTES  # in the middle of a line that is too long
            continue
        if end < 0:
            continue
        done = end
        table = columns(source[start:end])
        if table is not None:
            done = yield from _rows(source, end + 1, *table)


def _columns(head: bytes) -> tuple[bytes, int, dict[int, str]] | None:
    """Return what parts the cells of a head line, how many there are, and which hold secrets of which kind."""
    sign = next((sign for sign in _CELLS if sign in head), None)
    if sign is None or b"(" in head.partition(b"|")[0]:
        return None  # no cells, or the parameters of a function
    titles = head.strip().strip(b"|").split(sign) if sign == b"|" else head.split(sign)
    if len(titles) < 2 or not all(_TITLE.fullmatch(title) for title in titles):
        return None
    names = [title.strip(b"\"'`* \t\r") for title in titles]
    secret = {at: _kind(name) for at, name in enumerate(names) if is_secret_name(name.replace(b" ", b"_"))}
    return (sign, len(titles), secret) if secret else None


def _rows(source: bytes, start: int, sign: bytes, count: int, secret: dict[int, str]) -> Generator[Found, None, int]:
    """Yield the secrets of the rows below a head line; return where the table ends."""
    limit = min(len(source), start + TABLE_BYTES)
    while start < limit:
        end = source.find(b"\n", start, start + LINE_BYTES)
        end = end if end >= 0 else min(start + LINE_BYTES, len(source))
        line = source[start:end]
        if _RULE.fullmatch(line) is None:
            cells = list(_cells(line, sign))
            if len(cells) != count:
                break
            for at, kind in secret.items():
                first, last = cells[at]
                if is_secret(line[first:last], kind=kind, shape="listed"):
                    yield Found(start + first, start + last, kind)
        start = end + 1
    return start


def _cells(line: bytes, sign: bytes) -> Iterator[tuple[int, int]]:
    """Yield where each cell of a line begins and ends, without blanks and quotes."""
    place, end = 0, len(line)
    if sign == b"|":
        place = len(line) - len(line.lstrip(b" \t|")) if line.lstrip().startswith(b"|") else 0
        end = len(line.rstrip(b" \t\r|"))
    while place <= end:
        match = _CELLS[sign].match(line, place, end)
        if match is None:
            return
        first, last = match.span(1) if match[1] is not None else match.span(2)
        cell = line[first:last]
        first += len(cell) - len(cell.lstrip(b" \t`*'"))
        yield first, max(first, first + len(line[first:last].rstrip(b" \t\r`*'")))
        if match.end() == place or line[match.end() - 1 : match.end()] != sign:
            return
        place = match.end()


# --- SQL ---

_INSERT = compiled(
    rb"insert[ \t]+(?:ignore[ \t]+)?into[ \t]+[\w.`\"\[\]]{1,120}+\s{0,40}+"
    rb"\(([^()]{1,1000}+)\)\s{0,40}+values?\s{0,40}+(?=\()"
)
_FIELD = compiled(
    rb"\s{0,80}+(?:[nxe]?'((?:[^'\\\n]|''|\\.){0,1024}+)'|\"((?:[^\"\\\n]|\\.){0,1024}+)\"|[^,()'\"\n]{0,256}+"
    rb"(?:\([^()\n]{0,200}+\))?+)\s{0,80}+([,)])"
)
# So many fields of one statement at most.
MAX_FIELDS = 20_000


def _in_inserts(source: bytes, lower: bytes) -> Iterator[Found]:
    fields = cache(_secret_fields)
    for match in spaced(_INSERT, lower):
        secret = fields(match[1])
        if secret:
            yield from _fields(source, match.end() + 1, secret)


def _secret_fields(fields: bytes) -> dict[int, str]:
    names = [name.strip(b' \t\r\n`"[]') for name in fields.split(b",")]
    return {at: _kind(name) for at, name in enumerate(names) if is_secret_name(name)}


def _fields(source: bytes, place: int, secret: dict[int, str]) -> Iterator[Found]:
    """Yield the secrets among the values of a statement; `place` is behind its first parenthesis."""
    at = 0
    for _ in range(MAX_FIELDS):
        match = _FIELD.match(source, place)
        if match is None:
            return
        group = 1 if match[1] is not None else 2
        if at in secret and match[group] and is_secret(match[group], kind=secret[at], shape="quoted"):
            yield Found(*match.span(group), secret[at])
        at, place = at + 1, match.end()
        if match[3] == b")":
            following = compiled(rb"\s{0,80}+,\s{0,80}+\(").match(source, place)
            if following is None:
                return
            at, place = 0, following.end()


# --- names behind their values ---

_PAIR = compiled(
    rb"v(?:alue)[\"']?[ \t]{0,4}+[:=][ \t]{0,4}+"
    rb"(?:\"([^\"\n]{3,128}+)\"|'([^'\n]{3,128}+)'|([^\s\"',{}]{3,128}+))[ \t]{0,4}+,?"
    rb"\s{0,60}+[\"']?(?:name|key)[\"']?[ \t]{0,4}+[:=][ \t]{0,4}+[\"']?([\w\-.]{1,60}+)"
)


def _before_names(source: bytes, lower: bytes) -> Iterator[Found]:
    for match in spaced(_PAIR, lower):
        if is_secret_name(match[4]):
            start, end = next(match.span(group) for group in (1, 2, 3) if match[group] is not None)
            if is_secret(source[start:end], kind=_kind(match[4]), shape="member"):
                yield Found(start, end, _kind(match[4]))


# --- Kubernetes ---

_SECRET = compiled(rb"kind[\"']?[ \t]{0,4}+:[ \t]{0,4}+[\"']?secret[\"']?[ \t]{0,4}+[,\r\n}]")
_DATA = compiled(
    rb"\b(?:stringdata|data)[\"']?:[ \t]{0,4}+(?:\r?\n((?:[ \t]{1,20}+[^\n]{1,4096}+\n?){1,100}+)|\{([^{}]{1,8192}+)\})"
)
_ENTRY = compiled(rb"[\w.\-]{1,100}+[\"']?:[ \t]{0,4}+[\"']?([^\s\"',{}|>]{4,4096}+)")
# A manifest is no longer than this before and behind the line that says what it is.
MANIFEST_BYTES = 16_384


def _in_manifests(source: bytes, lower: bytes) -> Iterator[Found]:
    """Yield what the manifests of Kubernetes secrets hold, whatever it is called."""
    done = 0
    while (match := _SECRET.search(lower, done)) is not None:
        start = max(done, match.start() - MANIFEST_BYTES)
        start = max(start, lower.rfind(b"\n---", start, match.start()) + 1)
        end = lower.find(b"\n---", match.end(), match.end() + MANIFEST_BYTES)
        done = end if end >= 0 else match.end() + MANIFEST_BYTES
        for data in _DATA.finditer(lower, start, done):
            for entry in _ENTRY.finditer(lower, *data.span(data.lastindex or 1)):
                if not is_stand_in(source[slice(*entry.span(1))]):
                    yield Found(*entry.span(1), "secret")
