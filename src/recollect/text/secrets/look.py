"""Secrets by their look, found in one pass: only runs of 20 letters and digits or more are looked at at all.

    source ─translate─► aaaa  aaaaaaaa aaaaaaaaaaaaaaaaaaaaaaaa   (what may be part of a token is an a)
           ─find a×20─► the few long runs ─not plain words─► the rows of `secrets` that begin so

Finding the runs costs 4 ns a byte; in source code one in 400 bytes begins a run, and few of those are not plain words.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.text.secrets.formats import (
    AWS_SECRET,
    AWS_SECRET_BYTES,
    HASHES,
    KEY,
    KEY_END,
    KEY_END_BYTES,
    KEY_END_LEAST,
    PLACED,
    PLACED_BYTES,
    PUTTY_KEY,
    RUN_BYTES,
    SHAPED,
    TOKENS,
    Format,
    Found,
    compiled,
)
from recollect.text.secrets.name import by_neighbour


@cache
def _tokens() -> dict[bytes, tuple[Format, ...]]:
    """Return the rows of tokens by the first two bytes of their starts, in the order of the table."""
    found: dict[bytes, dict[Format, None]] = {}
    for row in TOKENS:
        for word in row.words:
            found.setdefault(word[:2], {})[row] = None
    return {key: tuple(known) for key, known in found.items()}


@cache
def _shapes() -> tuple[tuple[tuple[bytes, ...], Format], ...]:
    """Return the rows of what has a shape, each with how it may begin."""
    return tuple((tuple(row.words) or (b"",), row) for row in SHAPED)


@cache
def _may_be_shaped() -> re.Pattern[bytes]:
    """Return what any of those begins with, so that most runs are asked once and not for each."""
    return re.compile(b"|".join(b"|".join(map(re.escape, row.words)) or row.rest for row in SHAPED))


@cache
def _places() -> dict[bytes, tuple[tuple[bytes, Format], ...]]:
    """Return the rows of what is placed by the byte before the run, each once for every start."""
    return {last: tuple((word, row) for row in rows for word in row.words) for last, rows in PLACED.items()}


@cache
def _may_be_placed(last: bytes) -> re.Pattern[bytes]:
    """Return what finds any of the starts that a run may have before it, given the byte directly before."""
    return re.compile(b"|".join(re.escape(word) for word, _ in _places()[last]))


_BREAK = compiled(rb"[-_]")
# Without these a run of plain words is empty. Nothing that is random in 20 places or more has neither upper case nor
# digits.
_WORDS = b"abcdefghijklmnopqrstuvwxyz_-"
_CLASS = bytes(97 if chr(code).isascii() and (chr(code).isalnum() or code in b"_-") else 32 for code in range(256))
_LONG = b"a" * RUN_BYTES
_KEY_LINES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n\\"
_BEFORE_SECRETS = frozenset({*PLACED, b"\\"})
_HASH_START = compiled(rb"\$(?=2[abxy]\$|apr1\$|[1567y]\$|argon2)")
_LDAP_START = compiled(rb"\{(?=S{1,2}HA)")


def by_look(source: bytes) -> list[Found]:
    """Return the secrets in `source` that are told by their look, in order."""
    found: list[Found] = []
    classes = source.translate(_CLASS)
    tokens, find = _tokens(), classes.find
    start = find(_LONG)
    while start >= 0:
        end = find(b" ", start + RUN_BYTES)
        if end < 0:
            end = len(source)
        rest = source[start:end].translate(None, _WORDS)
        # A run without digits is a name like any other as a rule, but chance has its ways.
        if rest and (
            not rest.isalpha()
            or source[start : start + 2] in tokens
            or source[start - 1 : start] in _BEFORE_SECRETS
            or source[end : end + 1] == b"."
        ):
            # Behind a secret the run may go on with another one.
            end = _in_run(source, start, end, found) or end
        start = find(_LONG, end)
    return found


def _in_run(source: bytes, start: int, end: int, found: list[Found]) -> int:
    """Add the first secret that begins in, or just before, a run; return where it ends, 0 if there is none."""
    last = source[start - 1 : start]
    if last in PLACED and (done := _placed(source, start, found)):
        return done
    # The run may begin with what is left of an escaped line break (\n) or of an encoded character (%3D).
    first = start + (1 if last == b"\\" else 2 if last == b"%" else 0)
    if done := _shaped(source, first, found):
        return done
    place, tokens = first, _tokens()
    while True:
        if source[place : place + 2] in tokens and (done := _token(source, place, found)):
            if found[-1].kind == "aws-key-id":
                _aws_secret(source, found)
            return done
        following = _BREAK.search(source, place, end)
        if following is None:
            break
        place = following.end()
    if by_neighbour(source, first, end):
        found.append(Found(first, end, "key"))
        return end
    return 0


def _token(source: bytes, place: int, found: list[Found]) -> int:
    for row in _tokens()[source[place : place + 2]]:
        match = row.pattern.match(source, place)
        if match is not None:
            found.append(Found(match.start(), match.end(), row.kind))
            return match.end()
    return 0


def _shaped(source: bytes, place: int, found: list[Found]) -> int:
    if _may_be_shaped().match(source, place) is None:
        return 0
    for starts, row in _shapes():
        if source.startswith(starts, place):
            match = row.pattern.match(source, place)
            if match is not None:
                found.append(Found(match.start(), match.end(), row.kind))
                return match.end()
    return 0


def _placed(source: bytes, start: int, found: list[Found]) -> int:
    # None of them has white space in it, and between that and a run there is little to look through.
    window = source[max(0, start - PLACED_BYTES) : start].rsplit(None, 1)[-1]
    if _may_be_placed(window[-1:]).search(window) is None:
        return 0
    for literal, row in _places()[source[start - 1 : start]]:
        offset = window.rfind(literal)
        if offset < 0:
            continue
        match = row.pattern.match(source, start - len(window) + offset)
        if match is not None and match.end() > start:
            group = 1 if row.pattern.groups else 0
            found.append(Found(match.start(group), match.end(group), row.kind))
            return match.end()
    return 0


def _aws_secret(source: bytes, found: list[Found]) -> None:
    """Add the secret access key beside the key id that was found last."""
    key_id = found[-1]
    near = slice(max(0, key_id.start - AWS_SECRET_BYTES), key_id.end + AWS_SECRET_BYTES)
    for match in compiled(AWS_SECRET).finditer(source[near]):
        word = match[0]
        # Forty of lower-case hex is a commit.
        if word.lower() != word and any(byte in b"0123456789+/" for byte in word):
            found.append(Found(near.start + match.start(), near.start + match.end(), "aws-secret-key"))
            return


def private_keys(source: bytes) -> list[Found]:
    """Return the private keys in `source`, each from its first line to its last, or as far as it goes."""
    found: list[Found] = []
    for anchor, pattern in ((b"-----BEGIN", KEY), (b"PuTTY-User-", PUTTY_KEY)):
        place = source.find(anchor)
        while place >= 0:
            match = compiled(pattern).match(source, place)
            if match is not None:
                found.append(Found(place, match.end(), "private-key"))
            place = source.find(anchor, match.end() if match else place + len(anchor))
    if b"-----END" in source:
        found += _key_ends(source, {key.end for key in found})
    return found


def _key_ends(source: bytes, known: set[int]) -> list[Found]:
    """Return what is left of private keys whose beginning was cut off."""
    found: list[Found] = []
    for match in compiled(KEY_END).finditer(source):
        if match.end() not in known:
            before = source[max(0, match.start() - KEY_END_BYTES) : match.start()]
            body = len(before) - len(before.rstrip(_KEY_LINES))
            if body >= KEY_END_LEAST:
                found.append(Found(match.start() - body, match.end(), "private-key"))
    return found


def password_hashes(source: bytes) -> list[Found]:
    """Return the hashes of passwords in `source`."""
    found: list[Found] = []
    # A single byte is found ten times as fast as what begins with it.
    starts = list(_HASH_START.finditer(source)) if b"$" in source else []
    if b"SHA" in source:
        starts = sorted([*starts, *_LDAP_START.finditer(source)], key=lambda match: match.start())
    done = 0
    for match in starts:
        for row in HASHES if match.start() >= done else ():
            whole = row.pattern.match(source, match.start())
            if whole is not None:
                found.append(Found(whole.start(), whole.end(), row.kind))
                done = whole.end()
                break
    return found
