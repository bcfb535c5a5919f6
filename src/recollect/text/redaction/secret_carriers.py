r"""Secrets that a place carries: an address with a password, a header, an option of a known command.

Each row has a literal that a text must hold, and a pattern that begins with a literal; its group is the secret. A row
whose value may also be harmless (`Bearer token`) names the test that it must pass. Patterns are matched against the
text in lower case: a search that ignores case costs ten times as much.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import NamedTuple

from recollect.text.redaction.scanning import Found, compiled, spaced
from recollect.text.redaction.secret_values import is_hex, is_random, is_secret, is_stand_in


class Carrier(NamedTuple):
    """A place that carries a secret: what the text must hold, and the pattern; both in lower case."""

    kind: str
    anchor: bytes
    pattern: bytes
    is_secret: Callable[[bytes], bool]


# Passwords that examples are written with; as the password of an address they are no secret.
_EXAMPLE = compiled(rb"(?i)(?:pass(?:word|wd)?|pwd|pw|secret|xxx+|\.\.\.|\*+|token)")
_HARMLESS_COOKIE = compiled(rb"(?i)[\w.\-]{1,60}+=(?:\w{0,6}|true|false|deleted)")


def _is_password(value: bytes) -> bool:
    """Tell whether what stands before the @ of an address is a password and not an example."""
    return not is_stand_in(value) and _EXAMPLE.fullmatch(value) is None


def _is_credential(value: bytes) -> bool:
    """Tell whether what follows Bearer and the like is a credential and not the next word."""
    if is_stand_in(value):
        return False
    mixed = len(value) >= 10 and not value.isdigit() and value.translate(None, b"0123456789") != value
    return mixed or is_random(value)


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
    """Tell whether the part alone before the @ of an address is a key, not a user name."""
    return is_random(value) or is_hex(value)


def _is_cookie(value: bytes) -> bool:
    return not is_stand_in(value) and any(
        _HARMLESS_COOKIE.fullmatch(part.strip()) is None and b"=" in part for part in value.split(b";")
    )


def _is_given(value: bytes) -> bool:
    return not is_stand_in(value)


def _is_listed(value: bytes) -> bool:
    return is_secret(value, kind="password", shape="listed")


def _is_told(value: bytes) -> bool:
    return is_secret(value, kind="password", shape="told")


# A statement of SQL that may give a password.
_OF_USER = compiled(
    rb"(?s)\b(?:(?:create|alter)\s+(?:or\s+replace\s+)?(?:user|role)|grant\b.{1,99}?\bon|connect\s+to)\b"
)

# A value that is longer is taken to its end once its beginning was judged.
_VALUE_BYTES = 256
_VALUE = rb"([a-z0-9._~+/=\-|:]{8,256}+)"
_NAME = rb"://[^\s/:@\"'<>`\\]{0,128}+:"
# A password in an address; the last @ before the host ends it.
_ENDS = rb"\s/@\"'<>`\\)(\[\]{},|"

# A word of a command line, and what opens a quotation even where it was escaped.
_WORD = rb"([^\s\"'`;|&\\]{3,128})"
_OPENS = rb"[ \t]{0,4}+\\{0,4}+[\"'`]?+"
_HEADER = rb"\\{0,4}[\"']?\]?[ \t]{0,4}[:=,]" + _OPENS
_PAIR = rb"[\w.\-$]{1,100}+=[^\s;\"'`,\\]"
_STRING = rb"[ \t]{0,4}\\{0,4}[\"']([^\"'`\n\\]{3,128})"
_TWO_STRINGS = rb"\([ \t]{0,4}(?:[\w.]{1,40}+,[ \t]{0,4})?[\"'][^\"'\n]{0,80}+[\"'],\s{0,20}+[\"']([^\"'\n]{3,128})"
# "log in with admin / …", "credentials: admin / …": up to six words, a name, a sign between, the password.
_AS = (
    rb"(?:[ \t:=]{1,3}+[a-z0-9.\-?\x1a]{1,20}+){0,6}?[ \t:=]{1,3}+[\"'`(]?[\w.@\-]{2,40}+[\"'`]?[ \t]{0,3}+"
    rb"(?:/|:|\||and[ \t]|und[ \t]|y[ \t]|et[ \t]|e[ \t])[ \t]{0,3}+[\"'`]?([^\s\"'`,;()<>\\\x1a]{6,64}+)"
)

CARRIERS: tuple[Carrier, ...] = (
    # scheme://name:password@host; a password may hold an @ or a / of its own
    Carrier(
        "password",
        b"://",
        _NAME + rb"((?:[^" + _ENDS + rb"]{0,128}+@){0,3}[^" + _ENDS + rb"]{1,128}+)@(?=[\w\[.$%{\-])",
        _is_password,
    ),
    Carrier("password", b"://", _NAME + rb"([^\s\"'<>`\\@]{1,128}+)@(?=[\w.\-]{1,80}+[:/])", _is_password),
    # scheme://key@host: a Sentry DSN, a token in place of a name
    Carrier("key", b"://", rb"://([a-z0-9_\-]{16,256}+)@(?=[\w.\-])", _is_key),
    Carrier(
        "bearer-token",
        b"bearer",
        rb"bearer(?:(?:[ \t]|%20|\+|:|=){1,4}+|_?(?:auth|token)\([\"'])" + _VALUE,
        _is_credential,
    ),
    Carrier("basic-auth", b"basic", rb"basic(?:[ \t]|%20){1,4}+([a-z0-9+/]{6,256}+={0,2})", _is_pair),
    Carrier(
        "cookie",
        b"kie",
        rb"cookie2?" + _HEADER + rb"(" + _PAIR + rb"{4,512}+(?:;[ \t]?" + _PAIR + rb"{0,512}+){0,40}+)",
        _is_cookie,
    ),
    Carrier("signature", b"g=", rb"sig=([a-z0-9%+/_\-]{32,256}+={0,2})", is_random),
    Carrier(
        "password",
        b"identif",
        rb"identified(?:[ \t]+with[ \t]+[\w\"'`]{1,40}+)?[ \t]+(?:by|as)[ \t]+(?:password[ \t]+)?" + _STRING,
        _is_given,
    ),
    # PowerShell
    Carrier("password", b"curestring", rb"securestring[ \t]+(?:-string[ \t]+)?" + _STRING, _is_given),
    # .pgpass: host:port:database:name:password
    *(
        Carrier("password", port, re.escape(port) + rb"[^:\s]{1,64}+:[^:\s]{1,64}+:([^\s\"'`\\]{4,128})", _is_told)
        for port in (b":*:", b":5432:", b":5433:", b":6432:", b":3306:")
    ),
    Carrier(
        "password",
        b"pdo(",
        rb"pdo\([ \t]{0,4}(?:[\"'][^\"'\n]{0,200}+[\"']|[\w$>\-]{1,60}+),"
        rb"\s{0,20}+[\"'][^\"'\n]{0,80}+[\"'],\s{0,20}+[\"']([^\"'\n]{3,128})",
        _is_given,
    ),
    # a name and a password, one after the other
    Carrier("password", b"cred", rb"credentials?(?:\.\w{1,20}+)?" + _TWO_STRINGS, _is_listed),
    Carrier("password", b"gin", rb"login" + _TWO_STRINGS, _is_listed),
    Carrier("password", b"gin", rb"login" + _AS, _is_told),
    *(Carrier("password", anchor, rb"log(?:ged)?[ \-]in" + _AS, _is_told) for anchor in (b"g in", b"g-in", b"gged in")),
    Carrier("password", b"gn in", rb"sign in" + _AS, _is_told),
    Carrier("password", b"cred", rb"cred(?:s|entials?|enciales|enciais|enziali)" + _AS, _is_told),
    Carrier("password", b"con ", rb"sesion" + _AS, _is_told),
    Carrier("password", b"con ", rb"accedi" + _AS, _is_told),
    Carrier("password", b"c ", rb"avec" + _AS, _is_told),
    Carrier("password", b"h mit", rb"dich mit" + _AS, _is_told),
    Carrier("password", b"gangsdaten", rb"zugangsdaten" + _AS, _is_told),
    Carrier("password", b"identif", rb"identifiants" + _AS, _is_told),
    Carrier(
        "authorization",
        b"h",
        rb"authorization" + _HEADER + rb"(?:[a-z][\w\-]{1,30}+ )?[ \t]{0,4}" + _VALUE,
        _is_credential,
    ),
    # requests.get(url, auth=("name", "password"))
    Carrier("password", b"h", rb"auth=\([^\n,()]{1,100}+,[ \t]{0,4}[\"']([^\"'\n]{3,128})", _is_given),
    Carrier("password", b"h", rb"auth(?:enticate)?" + _TWO_STRINGS, _is_listed),
)
# Options that carry a password → the commands that have them, which stand before on the line. In lower case.
_BEFORE = rb"-(?<= -)(?=[a-z\-])"
OPTIONS: dict[bytes, tuple[bytes, ...]] = {
    # mysql -pSECRET, where a blank would make it the name of a database
    rb"pass(?:in|out)?[ \t]" + _OPENS + rb"pass:" + _WORD: (b"openssl",),
    rb"p" + _WORD: (b"mysql", b"7z", b"7za"),
    rb"p[ \t]" + _OPENS + _WORD: (b"sshpass", b" login", b"mongo", b"sqlcmd", b"zip ", b"cqlsh", b"mongosh"),
    rb"(?:a|-auth)[ \t=]" + _OPENS + rb"[^\s:\"'`\\]{0,80}+:" + _WORD: (b"http ", b"https ", b"redis-cli"),
    rb"(?:a|-pass)[ \t]" + _OPENS + _WORD: (b"redis-cli",),
    rb"w[ \t]" + _OPENS + _WORD: (b"ldapsearch", b"ldapmodify", b"ldapadd", b"ldapdelete", b"ldapwhoami"),
    rb"(?:u|-user|-proxy-user)=?" + _OPENS + rb"[^\s:\"'`\\]{0,80}+:" + _WORD: (b"curl",),
    rb"u[ \t]?" + _OPENS + rb"[^\s%\"'`\\]{1,80}+%" + _WORD: (b"smbclient", b"smbmap", b"rpcclient"),
    rb"u[ \t]" + _OPENS + rb"[^\s,\"'`\\]{1,80}+," + _WORD: (b"lftp",),
    rb"[a-z]{0,6}b[a-z]{0,6}[ \t]+\S{1,100}+[ \t]+\S{1,60}+[ \t]+" + _OPENS + _WORD: (b"htpasswd",),
}
# So far before its option a command stands.
COMMAND_BYTES = 200
# What goes on where a value of the longest length was found.
_REST = compiled(rb"[A-Za-z0-9._~+/=\-|:%]*+")


@cache
def _rows() -> dict[bytes, list[Carrier]]:
    """Return the rows by what those patterns find."""
    return {anchor: [row for row in CARRIERS if row.anchor == anchor] for anchor in {row.anchor: 0 for row in CARRIERS}}


@cache
def _may_carry(anchor: bytes) -> re.Pattern[bytes]:
    """Return one pattern for all rows of an anchor, so that most places are tried once and not for each row."""
    return re.compile(b"|".join(row.pattern for row in _rows()[anchor]))


def by_carrier(source: bytes, lower: bytes, anchors: Mapping[bytes, list[int]]) -> list[Found]:
    """Return the secrets in `source` that stand in a place that carries one.

    lower: `source` in lower case; anchors: where words stand in it
    """
    found: list[Found] = []
    if b"identif" in lower:  # the one that has no rare letter in common with others
        starts = [match.start() for match in spaced(compiled(b"identif"), lower)]
        anchors = {**anchors, b"identif": [place for place in starts if _may_identify(source, lower, place)]}
    rows = _rows()
    for anchor, places in anchors.items():
        if anchor in rows:
            may_carry = _may_carry(anchor)
            places = [place for place in places if may_carry.match(lower, place) is not None]
            if places:
                found += [secret for row in rows[anchor] for secret in _carried(source, lower, row, places)]
    found += [span for place in anchors.get(b"cp(", ()) for span in _before_host(source, place)]
    if b" -" in lower:
        found += _of_commands(source, lower)
    return found


def _may_identify(source: bytes, lower: bytes, place: int) -> bool:
    """Tell whether "identified by" is SQL; in prose, "rows are identified by 'customer_no'" names a column."""
    if lower[place : place + 10] != b"identified" or lower[place + 11 : place + 15] == b"with":
        return True
    is_keyword = source[place : place + 10].isupper()
    return is_keyword or bool(_OF_USER.search(lower[max(0, place - COMMAND_BYTES) : place].rpartition(b";")[2]))


def _before_host(source: bytes, place: int) -> Iterator[Found]:
    """Yield the password before the @tcp( of an address for Go's MySQL driver: name:password@tcp(host)/database"""
    before = source[max(0, place - COMMAND_BYTES) : place]
    match = compiled(rb"[^:\s\"'`@/]*+:(?=[^:\s\"'`/]{3,128}+$)").search(before)
    if match is not None and _is_password(before[match.end() :]):
        yield Found(place - len(before) + match.end(), place, "password")


def _carried(source: bytes, lower: bytes, row: Carrier, places: list[int]) -> Iterator[Found]:
    """Yield the secrets that one row finds."""
    pattern, done = compiled(row.pattern), 0
    is_secret = cache(row.is_secret)  # logs and tables repeat themselves
    for place in places:
        match = pattern.match(lower, place) if place >= done else None
        if match is not None and is_secret(source[slice(*match.span(1))]):
            start, done = match.span(1)
            if done - start >= _VALUE_BYTES:
                longer = _REST.match(source, done)
                done = longer.end() if longer is not None else done
            yield Found(start, done, row.kind)


def _of_commands(source: bytes, lower: bytes) -> Iterator[Found]:
    """Yield the passwords that are given to commands as options."""
    matches = spaced(_options(), lower)
    if not matches:
        return
    is_given, is_of = cache(_is_given), cache(_is_of)
    for match in matches:
        line = lower[max(0, match.start() - COMMAND_BYTES) : match.start()].rpartition(b"\n")[2]
        group = match.lastindex or 1
        start, end = match.span(group)
        if is_of(group, line) and is_given(source[start:end]):
            yield Found(start, end, "password")


def _is_of(group: int, line: bytes) -> bool:
    """Tell whether a line begins with a command that has an option."""
    return _COMMANDS[group - 1].search(line) is not None


_COMMANDS = tuple(compiled(b"|".join(map(re.escape, commands))) for commands in OPTIONS.values())


@cache
def _options() -> re.Pattern[bytes]:
    return re.compile(_BEFORE + b"(?:" + b"|".join(OPTIONS) + b")")
