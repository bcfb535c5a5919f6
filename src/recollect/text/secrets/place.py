r"""Secrets that a place carries: an address with a password, a header, an option of a known command.

Each row has a literal that is looked for, and a pattern that is tried around it; its group is the secret. A row whose
value may also be harmless (`Bearer token`) names the test that it must pass.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from recollect.text.secrets.anchors import places
from recollect.text.secrets.formats import Found, compiled
from recollect.text.secrets.value import is_random, is_stand_in


class Carrier(NamedTuple):
    """A place that carries a secret: what it is found by, in lower case, and the pattern from there on."""

    kind: str
    anchor: bytes
    pattern: bytes
    is_secret: Callable[[bytes], bool]


# Passwords that examples are written with; as the password of an address they tell nobody anything.
_EXAMPLE = compiled(rb"(?i)(?:pass(?:word|wd)?|pwd|pw|secret|xxx+|\.\.\.|\*+|token)")
_HEX = compiled(rb"[0-9a-f]{16,}")
_HARMLESS_COOKIE = compiled(rb"(?i)[\w.\-]{1,60}=(?:\w{0,6}|true|false|deleted)")


def _is_password(value: bytes) -> bool:
    """Tell whether what stands before the @ of an address is a password and not an example."""
    return not is_stand_in(value) and _EXAMPLE.fullmatch(value) is None


def _is_credential(value: bytes) -> bool:
    """Tell whether what follows Bearer and the like is a credential and not the next word."""
    if is_stand_in(value):
        return False
    mixed = any(48 <= byte < 58 for byte in value) and not value.isdigit()
    return is_random(value) or (mixed and len(value) >= 10)


def _is_pair(value: bytes) -> bool:
    """Tell whether base64 hides a name and a password."""
    import base64
    import binascii

    try:
        plain = base64.b64decode(value + b"=" * (-len(value) % 4), validate=True)
    except (binascii.Error, ValueError):
        return False
    return b":" in plain and plain.isascii() and plain.decode("ascii").isprintable()


def _is_key(value: bytes) -> bool:
    """Tell whether what stands alone before the @ of an address is a key, and not somebody's name."""
    return is_random(value) or _HEX.fullmatch(value) is not None


def _is_cookie(value: bytes) -> bool:
    return not is_stand_in(value) and any(
        _HARMLESS_COOKIE.fullmatch(part.strip()) is None and b"=" in part for part in value.split(b";")
    )


def _is_given(value: bytes) -> bool:
    return not is_stand_in(value)


_VALUE = rb"([A-Za-z0-9._~+/=\-|:]{8,}+)"
_NAME = rb"://[^\s/:@\"'<>`\\]{0,128}:"

# A word of a command line, the rest of the line up to an option, and what opens a quotation even where it was escaped.
_WORD = rb"([^\s\"'`;|&\\]{3,128})"
_UP_TO = rb"\b[^\n|;]{0,200}?[ \t]"
_OPENS = rb"[ \t]{0,4}\\{0,4}[\"'`]?"
_HEADER = rb"\\{0,4}[\"']?\]?[ \t]{0,4}[:=,]" + _OPENS
_PAIR = rb"[\w.\-$]{1,100}=[^\s;\"'`,\\]"

CARRIERS: tuple[Carrier, ...] = (
    # scheme://name:password@host; a password may hold an @ or a / of its own
    Carrier("password", b"://", _NAME + rb"([^\s/\"'<>`\\)(\[\]{},|]{1,256})@(?=[\w\[.$%{\-])", _is_password),
    Carrier("password", b"://", _NAME + rb"([^\s\"'<>`\\@]{1,128})@(?=[\w.\-]{1,80}[:/])", _is_password),
    # scheme://key@host: a Sentry DSN, a token in place of a name
    Carrier("key", b"://", rb"://([A-Za-z0-9_\-]{16,256})@(?=[\w.\-])", _is_key),
    Carrier(
        "authorization",
        b"authorization",
        rb"(?i)authorization" + _HEADER + rb"(?:[A-Za-z][\w\-]{1,30} )?[ \t]{0,4}" + _VALUE,
        _is_credential,
    ),
    Carrier(
        "bearer-token",
        b"bearer",
        rb"(?i)bearer(?:(?:[ \t]|%20|\+|:|=){1,4}|_?(?:auth|token)\([\"'])" + _VALUE,
        _is_credential,
    ),
    Carrier("basic-auth", b"basic", rb"(?i)basic(?:[ \t]|%20){1,4}([A-Za-z0-9+/]{6,}+={0,2})", _is_pair),
    Carrier(
        "cookie",
        b"cookie",
        rb"(?i)cookie2?" + _HEADER + rb"(" + _PAIR + rb"{4,}+(?:;[ \t]?" + _PAIR + rb"*+)*+)",
        _is_cookie,
    ),
    Carrier("signature", b"sig=", rb"(?i)sig=([A-Za-z0-9%+/_\-]{32,}+={0,2})", is_random),
    Carrier(
        "password",
        b"identified",
        rb"(?i)identified(?:[ \t]+with[ \t]+\w{1,40})?[ \t]+(?:by|as)[ \t]+(?:password[ \t]+)?\\{0,4}[\"']"
        rb"([^\"'\n\\]{1,128})",
        _is_given,
    ),
    # mysql -pSECRET, where a blank would make it the name of a database
    Carrier("password", b"mysql", rb"(?i)mysql(?:dump|admin|import|show|sh)?" + _UP_TO + rb"-p" + _WORD, _is_given),
    Carrier("password", b"redis-cli", rb"(?i)redis-cli" + _UP_TO + rb"(?:-a|--pass)[ \t]" + _OPENS + _WORD, _is_given),
    Carrier("password", b"sshpass", rb"(?i)sshpass[ \t]+-p" + _OPENS + _WORD, _is_given),
    Carrier("password", b" login", rb"(?i) login" + _UP_TO + rb"-p[ \t]" + _OPENS + _WORD, _is_given),
    Carrier(
        "password",
        b"curl",
        rb"(?i)curl" + _UP_TO + rb"(?:-u|--user|--proxy-user)=?" + _OPENS + rb"[^\s:\"'`\\]{0,80}:" + _WORD,
        _is_given,
    ),
    # requests.get(url, auth=("name", "password"))
    Carrier("password", b"auth=(", rb"(?i)auth=\([^\n,()]{1,100},[ \t]{0,4}[\"']([^\"'\n]{3,128})", _is_given),
    # PowerShell
    Carrier("password", b"securestring", rb"(?i)securestring[ \t]+(?:-string[ \t]+)?[\"']([^\"'\n]{3,128})", _is_given),
    # .pgpass: host:port:database:name:password
    Carrier("password", b":5432:", rb":5432:[^:\s]{1,64}:[^:\s]{1,64}:([^\s\"'`\\]{1,128})", _is_password),
)

_ROWS = {anchor: [row for row in CARRIERS if row.anchor == anchor] for anchor in {row.anchor: 0 for row in CARRIERS}}

# Commands carry secrets in few options, and some anchors lie in a word that is looked for anyway: looking for that
# first spares most texts one search in three.
_OPTIONS = compiled(rb"-(?<= -)(?:[pua]|-(?:user|pass|proxy))")
_COMMANDS = (b"mysql", b"redis-cli", b"sshpass", b" login", b"curl")
_OF_AUTH = (b"authorization", b"auth=(")


def by_place(source: bytes, lower: bytes, at: Mapping[bytes, Sequence[int]]) -> list[Found]:
    """Return the secrets in `source` that stand in a place that carries one.

    lower: `source` in lower case; at: where other anchors stand in it
    """
    found: list[Found] = []
    further: tuple[bytes, ...] = _OF_AUTH if b"auth" in lower else ()
    if _OPTIONS.search(lower) is not None:
        further += _COMMANDS
    if further:
        at = {**at, **places(lower, further)}
    for anchor, rows in _ROWS.items():
        done = 0
        for place in at.get(anchor, ()):
            if place < done:
                continue
            for row in rows:
                match = compiled(row.pattern).match(source, place)
                if match is not None and row.is_secret(match[1]):
                    found.append(Found(match.start(1), match.end(1), row.kind))
                    done = match.end()
                    break
    return found
