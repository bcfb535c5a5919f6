"""Secrets by their format, found in one pass over runs of at least 20 letters and digits.

    source ─translate─► aaaa  aaaaaaaa aaaaaaaaaaaaaaaaaaaaaaaa   (what may be part of a token is an a)
           ─find a×20─► the few long runs ─not plain words─► the formats that begin so

Finding the runs costs 4 ns a byte; in source code one in 400 bytes begins a run.
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, islice

from recollect.text.redaction.assigned_secrets import by_neighbour
from recollect.text.redaction.scanning import Found, Judged, compiled, judge_places, remembered
from recollect.text.redaction.secret_values import JUDGED_BYTES, is_hex, is_random, is_stand_in
from recollect.text.redaction.token_formats import (
    MAX_JUDGED,
    PLACED,
    PLACED_BYTES,
    RUN_BYTES,
    SHAPED,
    TOKENS,
    Format,
)

# Letters that a provider puts in the middle of its keys so that they can be found → the whole key. In long runs only.
SIGNATURE_BYTES = 40
# Each of them holds one of these; a look for those costs less.
SIGNED_PARTS = (b"A", b"jsn", b"FJ")
SIGNATURES = (
    (
        "azure-key",
        rb"(?:AZDO|AzFu|ACDb|AzSe|AIoT|AzCa|APIM|\+ASt|\+ASb|\+AEh|\+ACR)[A-Za-z0-9+/]{4,10}(?:==?|(?![A-Za-z0-9+/]))",
    ),
    ("rapidapi-key", rb"msh[a-z0-9]{15}p[a-z0-9]{6}jsn[a-z0-9]{12}(?![A-Za-z0-9])"),
    ("openai-key", rb"T3BlbkFJ[A-Za-z0-9_\-]{16,}"),
)

# A secret access key has no look of its own but its length; beside the id of its key pair that is enough.
AWS_SECRET = rb"(?<![A-Za-z0-9/+=_\-.])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=_\-])"
AWS_KEY_BYTES = 40
# How far from the id: the lines of a credentials file, a CSV row, a JSON answer of the service.
AWS_SECRET_BYTES = 300

# Hashes of passwords; each can be tried against lists of passwords: bcrypt, crypt(3), Argon2.
HASH = (
    rb"\$(?:2[abxy]\$\d\d\$[./A-Za-z0-9]{53}|(?:apr1|[1567y])\$(?:[\w./=,]{1,40}+\$){1,3}+[./A-Za-z0-9]{22,86}+"
    rb"|argon2(?:id|i|d)\$[A-Za-z0-9$=,+/]{40,}+)"
)

# Private keys, whole. Between the lines may stand what JSON, YAML, XML and string literals put there, and the end may
# be missing. A first line alone is only talk about keys.
_BETWEEN = rb"(?:[\s\"',|>#*]|\\{1,4}[nrt\n]|[+.][ \t]{0,8}(?=[\"'])|&#?\w{1,6};)"
_LINE = rb"[A-Za-z0-9+/=]"
KEY = (
    rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
    rb"(?:" + _BETWEEN + rb"*+(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset) ?: ?[^\n\\]{0,200})*+"
    rb"(?:" + _BETWEEN + rb"*+" + _LINE + rb"{16,}+)++"
    rb"(?:(?:" + _BETWEEN + rb"*+" + _LINE + rb"{1,15}+){0,2}" + _BETWEEN + rb"*+-----END [A-Z0-9 ]{1,60}-----)?"
)
PUTTY_KEY = rb"PuTTY-User-Key-File-\d: [^\n]*+(?:\r?\n[A-Za-z0-9\-]{1,30}: [^\n]*+|\r?\n[A-Za-z0-9+/=]++)*+"
# The end of a key whose beginning was cut off: what may stand before its last line, and how far back that is looked at.
KEY_END = rb"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
KEY_END_BYTES = 8192
KEY_END_LEAST = 40


@cache
def _tokens() -> dict[bytes, tuple[Format, ...]]:
    """Return the formats of tokens by the first two bytes of their starts."""
    found: dict[bytes, dict[Format, None]] = {}
    for row in TOKENS:
        for word in row.words:
            found.setdefault(word[:2], {})[row] = None
    return {key: tuple(known) for key, known in found.items()}


@cache
def _may_be_token() -> dict[bytes, re.Pattern[bytes]]:
    """Return one pattern for the starts of all tokens with the same first two bytes."""
    starts: dict[bytes, set[bytes]] = {}
    for row in TOKENS:
        for word in row.words:
            starts.setdefault(word[:2], set()).add(re.escape(word))
    return {key: re.compile(b"|".join(sorted(words))) for key, words in starts.items()}


@cache
def _break() -> re.Pattern[bytes]:
    """Return the pattern of places inside a run where a token may begin."""
    first, second = (b"".join(sorted({key[at : at + 1] for key in _tokens()})) for at in (0, 1))
    return re.compile(b"[-_](?=[" + re.escape(first) + b"][" + re.escape(second) + b"])")


@cache
def _shapes() -> tuple[tuple[tuple[bytes, ...], Format], ...]:
    """Return the formats of SHAPED, each with its starts."""
    return tuple((tuple(row.words) or (b"",), row) for row in SHAPED)


@cache
def _may_be_shaped() -> re.Pattern[bytes]:
    """Return one pattern for the starts of all of SHAPED."""
    return re.compile(b"|".join(b"|".join(map(re.escape, row.words)) or row.rest for row in SHAPED))


@cache
def _places() -> dict[bytes, tuple[tuple[bytes, Format], ...]]:
    """Return the formats of PLACED by the byte before the run, once for every start."""
    return {last: tuple((word, row) for row in rows for word in row.words) for last, rows in PLACED.items()}


@cache
def _may_be_placed(last: bytes) -> re.Pattern[bytes]:
    """Return one pattern for the starts before a run, given the byte directly before."""
    return re.compile(b"|".join(re.escape(word) for word, _ in _places()[last]))


# A run of these alone is words: random text of 20 characters has upper case or digits.
_WORDS = b"abcdefghijklmnopqrstuvwxyz_-"
_CLASS = bytes(97 if chr(code).isascii() and (chr(code).isalnum() or code in b"_-") else 32 for code in range(256))
_LONG = b"a" * RUN_BYTES
_KEY_LINES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\r\n\\"
_BEFORE_SECRETS = frozenset({*PLACED, b"\\"})
_WHOLE = compiled(rb"[A-Za-z0-9_\-]*+")
_SIGNATURES = compiled(b"|".join(b"(" + pattern + b")" for _, pattern in SIGNATURES))
# Schemes of HTTP authentication that only one provider has, by their last four letters.
_SCHEMES = {b"SSWS": "okta-token", b"lyV1": "fly-token"}
_NEXT_ARGUMENT = compiled(rb"[\"'],\s{0,20}+[\"']([A-Za-z0-9+/_\-]{32,200}+={0,2}+)[\"']")
_CREDENTIAL = compiled(rb"[A-Za-z0-9_\-+/=,.~:]++")
# How far behind a run its secret may reach: the parts of a token behind its first dot.
BEHIND_BYTES = 128
# Tokens begin where a run does, or behind one of its first breaks.
MAX_BREAKS = 32


def by_format(source: bytes, look_inside: Callable[[bytes], list[Found]]) -> list[Found]:
    """Return the secrets in `source` that have a known format, in order.

    look_inside: searches the text that a run of base64 encodes
    """
    find = source.translate(_CLASS).find
    tokens = _tokens()
    first = last = 0  # of the run that was looked at last

    def following(at: int) -> tuple[int, int]:
        nonlocal first, last
        while (start := find(_LONG, at)) >= 0:
            if not first <= start < last:
                first, last = start, find(b" ", start + RUN_BYTES)
                last = last if last >= 0 else len(source)
            rest = source[start : last if last - start < MAX_JUDGED else start + MAX_JUDGED].translate(None, _WORDS)
            # A run without digits is mostly a name.
            if rest and (
                not rest.isalpha()
                or source[start : start + 3].lstrip(b"-_")[:2] in tokens
                or source[start - 1 : start] in _BEFORE_SECRETS
                or source[start - 5 : start - 1] in _SCHEMES
                or source[last : last + 1] == b"."
            ):
                return start, last
            at = last
        return -1, -1

    def judge(source: bytes, start: int, end: int) -> Judged:
        secret = _in_run(source, start, end)
        return (secret, secret.end) if secret is not None else _encoded(source, start, end, look_inside)

    known = remembered(judge, source, MAX_JUDGED, BEHIND_BYTES)

    def judged(start: int, end: int) -> Judged:
        return known(start, end) if end - start <= MAX_JUDGED else judge(source, start, end)

    found = judge_places(following, judged)
    return [*found, *_aws_secrets(source, found), *_next_arguments(source, found)]


def _in_run(source: bytes, start: int, end: int) -> Found | None:
    """Return the first secret that begins in, or just before, a run."""
    last = source[start - 1 : start]
    if last in PLACED and (secret := _placed(source, start)) is not None:
        return secret
    scheme = _SCHEMES.get(source[max(0, start - 5) : start - 1]) if last == b" " else None
    if scheme is not None:
        whole = _CREDENTIAL.match(source, start)
        return Found(start, whole.end() if whole is not None else end, scheme)
    # The run may begin with the rest of an escape (\n) or of an encoded character (%3D).
    first = start + (1 if last == b"\\" else 2 if last == b"%" else 0)
    secret = _shaped(source, first) or _token(source, first)
    if secret is None and last in (b"+", b"/"):
        secret = _token(source, _base64_start(source, start))
    if secret is None:
        breaks = islice(_break().finditer(source, first, end), MAX_BREAKS)
        secret = next(filter(None, (_token(source, each.end()) for each in breaks)), None)
    if secret is None and end - start >= SIGNATURE_BYTES:
        secret = _signed(source, start, min(end, start + MAX_JUDGED))
    if secret is None and by_neighbour(source, first, end):
        return Found(first, end, "key")
    return secret


def _token(source: bytes, place: int) -> Found | None:
    key = source[place : place + 2]
    starts = _may_be_token().get(key)
    if starts is None or starts.match(source, place) is None:
        return None
    for row in _tokens()[key]:
        match = row.pattern.match(source, place)
        if match is not None and (not row.must_be_random or _is_random(row, match)):
            end = match.end()
            return Found(place, end if end - place < MAX_JUDGED else _to_end(source, end), row.kind)
    return None


def _is_random(row: Format, match: re.Match[bytes]) -> bool:
    """Tell whether what follows the prefix of a token is random and not words."""
    prefix = next(len(word) for word in row.words if match[0].startswith(word))
    value = match[0][prefix : prefix + JUDGED_BYTES]
    if is_stand_in(value):
        return False
    value = value.translate(None, b"-_+/=.:~")
    return is_random(value) or is_hex(value) or len(_DIGITS.findall(value)) >= DIGIT_GROUPS - value.isupper()


# Names have one or two groups of digits.
DIGIT_GROUPS = 3
_DIGITS = compiled(rb"\d++")


def _to_end(source: bytes, place: int) -> int:
    match = _WHOLE.match(source, place)
    return match.end() if match is not None else place


def _signed(source: bytes, start: int, end: int) -> Found | None:
    """Return a key with its provider's letters in the middle, from the start of its base64."""
    run = source[start : end + 4]
    match = _SIGNATURES.search(source, start, end + 4) if any(part in run for part in SIGNED_PARTS) else None
    if match is None:
        return None
    before = source[max(0, match.start() - MAX_JUDGED) : match.start()]
    first = match.start() - len(before) + len(before.rstrip(_BASE64))
    return Found(first, match.end(), SIGNATURES[(match.lastindex or 1) - 1][0]) if match.start() - first >= 10 else None


# --- base64 ---

_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
# Over several lines too, as programs wrap it.
_ENCODED = compiled(
    rb"[A-Za-z0-9+/_\-]{20,}+(?:\r?\n[ \t]{0,20}+[A-Za-z0-9+/]{16,}+)*+"
    rb"(?:\r?\n[ \t]{0,20}+[A-Za-z0-9+/]{1,15}+)?+={0,2}"
)
# So much of it is decoded at once, and so much to see whether it is text.
ENCODED_BYTES = 65_536
ENCODED_HEAD = 20
# What a text must have to be worth looking through.
_MAY_HOLD = compiled(
    rb"(?i)(?:pass|pw|secret|token|key|senha|wort)\w{0,30}+[\"']?[ \t]?[:=]|://|bearer|basic|[A-Za-z0-9_\-]{20}"
)


def _base64_start(source: bytes, place: int) -> int:
    """Return where the base64 around a place begins; a run ends at its signs."""
    before = source[max(0, place - MAX_JUDGED) : place]
    return place - len(before) + len(before.rstrip(_BASE64 + b"_"))


def _encoded(source: bytes, start: int, end: int, look_inside: Callable[[bytes], list[Found]]) -> Judged:
    """Judge a run of base64 by the secrets in its decoded text."""
    if start and source[start - 1] in b"+/":
        start = _base64_start(source, start)
    if _text(source[start : start + ENCODED_HEAD]) is None:
        return None, end
    whole = _ENCODED.match(source, start, start + ENCODED_BYTES)
    plain = _text(whole[0]) if whole is not None else None
    if whole is None or plain is None:
        return None, end
    is_secret = _MAY_HOLD.search(plain) is not None and bool(look_inside(plain))
    return Found(start, whole.end(), "encoded") if is_secret else None, max(end, whole.end())


def _text(encoded: bytes) -> bytes | None:
    """Return the text that base64 encodes; None if it is no text."""
    encoded = encoded.translate(_STANDARD, b"\r\n\t =")
    encoded = encoded[: len(encoded) - (len(encoded) % 4 == 1)]
    plain = binascii.a2b_base64(encoded + b"=" * (-len(encoded) % 4))
    # Windows encodes its commands with two bytes for each character.
    plain = plain.replace(b"\0", b"")
    return plain if plain.isascii() and len(plain.translate(None, _NOT_TEXT)) == len(plain) else None


_NOT_TEXT = bytes(code for code in range(32) if code not in b"\t\r\n") + b"\x7f"
# The alphabet for addresses, as the other one.
_STANDARD = bytes.maketrans(b"-_", b"+/")


def _shaped(source: bytes, place: int) -> Found | None:
    if _may_be_shaped().match(source, place) is None:
        return None
    for starts, row in _shapes():
        match = row.pattern.match(source, place) if source.startswith(starts, place) else None
        if match is not None:
            return Found(*match.span(), row.kind)
    return None


def _placed(source: bytes, start: int) -> Found | None:
    # None of them has white space in it, and between that and a run there is little to look through.
    window = source[max(0, start - PLACED_BYTES) : start].rsplit(None, 1)[-1]
    if _may_be_placed(window[-1:]).search(window) is None:
        return None
    for literal, row in _places()[source[start - 1 : start]]:
        offset = window.rfind(literal)
        match = row.pattern.match(source, start - len(window) + offset) if offset >= 0 else None
        if match is not None and match.end() > start and not (row.must_be_random and not _is_random(row, match)):
            return Found(*match.span(1 if row.pattern.groups else 0), row.kind)
    return None


def _aws_secrets(source: bytes, found: list[Found]) -> Iterator[Found]:
    """Yield the secret access keys that stand near key ids."""
    done = 0
    for key_id in found:
        if key_id.kind == "aws-key-id":
            start, end = max(done, key_id.start - AWS_SECRET_BYTES), key_id.end + AWS_SECRET_BYTES
            for match in compiled(AWS_SECRET).finditer(source, start, end):
                # Forty of lower-case hex is a commit.
                if match[0].lower() != match[0] and not match[0].isalpha():
                    yield Found(*match.span(), "aws-secret-key")
            done = max(start, end - AWS_KEY_BYTES)


def _next_arguments(source: bytes, found: list[Found]) -> Iterator[Found]:
    """Yield the random literals that directly follow a secret: Client("<account id>", "<token>")."""
    for secret in found:
        match = _NEXT_ARGUMENT.match(source, secret.end)
        if match is not None and (is_random(match[1]) or is_hex(match[1])):
            yield Found(*match.span(1), "key")


def private_keys(source: bytes) -> list[Found]:
    """Return the private keys in `source`, each from its first line to its last, or as far as it goes."""
    keys = chain.from_iterable(compiled(pattern).finditer(source) for pattern in (KEY, PUTTY_KEY))
    found = [Found(*match.span(), "private-key") for match in keys]
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
    """Return the hashes of passwords in `source` that begin with a dollar sign."""
    return (
        [Found(*match.span(), "password-hash") for match in compiled(HASH).finditer(source)] if b"$" in source else []
    )
