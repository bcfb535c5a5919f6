"""Redaction: secrets are replaced before a text is stored or logged, and again before it is shown.

    text ─► by format · by name · by place · private keys · <private> ─► spans ─► [secret:kind]

A mark holds no hash of the secret: its key would lie beside the store, so that passwords could be tried, and the same
text would differ between machines. Redacting twice changes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from recollect.text.redaction.ascii_fold import folded
from recollect.text.redaction.assigned_secrets import by_name, words
from recollect.text.redaction.scanning import SEVERAL, Found, compiled, joined_where_dense, spaced
from recollect.text.redaction.secret_carriers import by_carrier
from recollect.text.redaction.secret_values import is_blank
from recollect.text.redaction.tabular_secrets import MAX_NAME, by_column
from recollect.text.redaction.tabular_secrets import is_secret_name as name_is_secret
from recollect.text.redaction.token_formats import RUN_BYTES
from recollect.text.redaction.token_search import by_format, password_hashes, private_keys

# Replacing one secret can reveal another, once or twice.
ROUNDS = 4
# A longer text is read once more, and only near its marks.
LONG_BYTES = 20_000
NEAR_BYTES = 2000
EDGE_BYTES = 600

_MARK = compiled(rb"\[secret:[a-z0-9\-]{1,40}\]")
_PRIVATE = compiled(rb"<(/?)private(?:\s[^<>]{0,200}+)?>")


class Finding(NamedTuple):
    """A replaced secret: its kind, and its place in the original text."""

    kind: str
    start: int
    end: int


class Redacted(NamedTuple):
    """A text without its secrets, and the secrets that were found."""

    text: str
    found: tuple[Finding, ...]


class RedactedValue(NamedTuple):
    """A JSON value without its secrets, and their kinds."""

    value: Any
    kinds: tuple[str, ...]


def redact(text: str) -> Redacted:
    """Return `text` with every secret replaced by a mark of its kind.

    The time is linear in the text, whatever it holds.
    """
    found = _spans(folded(text))
    if not found:
        return Redacted(text, ())
    changed = _replaced(text, found)
    for _ in range(ROUNDS if len(text) < LONG_BYTES else 1):
        more = _near_marks(folded(changed), _marks(found))
        if not more:
            break
        found = _merged([*found, *_as_given(found, more)])
        changed = _replaced(text, found)
    return Redacted(changed, tuple(Finding(kind, start, end) for start, end, kind in found))


def _near_marks(source: bytes, marks: list[tuple[int, int]]) -> list[Found]:
    """Return the secrets of a text with marks; in a long one only near marks."""
    windows: list[list[int]] = []
    for start, end in marks:
        if windows and start - NEAR_BYTES <= windows[-1][1]:
            windows[-1][1] = end + NEAR_BYTES
        else:
            windows.append([max(0, start - NEAR_BYTES), end + NEAR_BYTES])
    if len(source) < LONG_BYTES or 2 * sum(end - start for start, end in windows) > len(source):
        return _spans(source)
    found: list[Found] = []
    for first, last in windows:
        for start, end, kind in _spans(source[first:last], is_code=True):
            # At the edge of a window a match may be half of something else.
            is_whole = (not first or start >= EDGE_BYTES) and (last >= len(source) or first + end <= last - EDGE_BYTES)
            if is_whole:
                found.append(Found(first + start, first + end, kind))
    return found


def mark(kind: str) -> str:
    """Return the mark of a secret of a kind."""
    return f"[secret:{kind}]"


def masked(source: bytes) -> bytes:
    """Return a source file with every secret overwritten by `_`: lines, offsets and the syntax stay.

    An unclosed private block does not count: code mentions the tag.
    """
    spans = secrets(source, is_code=True)
    if not spans:
        return source
    blank = bytearray(source)
    for start, end, _ in spans:
        blank[start:end] = re.sub(rb"[^\r\n]", b"_", source[start:end])
    return bytes(blank)


def secrets(source: bytes, *, is_code: bool = False) -> list[Found]:
    """Return the spans of secrets in `source`, in order and without overlaps."""
    if source.isascii():
        return _spans(source, is_code=is_code)
    try:
        text = source.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return _spans(folded(source.decode("latin-1")), is_code=is_code)
    spans: list[Found] = []
    place = offset = 0
    for start, end, kind in _spans(folded(text), is_code=is_code):
        offset += len(text[place:start].encode("utf-8", "surrogatepass"))
        place = end
        length = len(text[start:end].encode("utf-8", "surrogatepass"))
        spans.append(Found(offset, offset + length, kind))
        offset += length
    return spans


def _spans(source: bytes, *, is_code: bool = False) -> list[Found]:
    """Return the spans of secrets in a text of one byte per character."""
    if len(source) < RUN_BYTES and source.isalnum():
        return []
    lower = source.lower()
    at = words(lower)
    known: dict[bytes, list[Found]] = {}

    def inner(text: bytes) -> list[Found]:
        if text not in known:
            known[text] = _inside_of(text)
        return known[text]

    found = by_format(source, inner)
    found += by_name(source, lower, at)
    found += by_carrier(source, lower, at.anchors)
    found += by_column(source, lower, at)
    found += by_joining(source, inner)
    if b"private key" in at.anchors or b"putty-user-" in at.anchors:
        found += private_keys(source)
    found += password_hashes(source)
    if b"private" in at.anchors:
        found += _private(lower, is_code=is_code)
    if not found:
        return found
    if b"[secret:" in source:
        found = _outside_marks(source, found)
    return joined_where_dense(_merged(found))


def _inside_of(text: bytes) -> list[Found]:
    """Return the secrets of a decoded or joined text, which is not decoded again."""
    lower = text.lower()
    at = words(lower)
    return [*by_format(text, lambda _: []), *by_name(text, lower, at), *by_carrier(text, lower, at.anchors)]


def told(kinds: Iterable[str]) -> str:
    """Return a sentence about replaced secrets, or "": `1 secret was replaced: github-token.`"""
    counts = Counter(kinds)
    total = sum(counts.values())
    if not total:
        return ""
    return f"{total} secret{'s were' if total > 1 else ' was'} replaced: {', '.join(sorted(counts))}."


def _private(lower: bytes, *, is_code: bool) -> list[Found]:
    """Return the <private> blocks; an unclosed one reaches to the end, except in code."""
    found: list[Found] = []
    opened: list[int] = []
    for match in _PRIVATE.finditer(lower):
        if not match[1]:
            opened.append(match.start())
        elif opened:
            found.append(Found(opened.pop(), match.end(), "private"))
    return found if is_code or not opened else [*found, Found(opened[0], len(lower), "private")]


def _merged(found: list[Found]) -> list[Found]:
    """Return sorted spans; overlapping ones become one, of the kind of the longest."""
    merged: list[Found] = []
    for span in sorted(found):
        if span.start >= span.end:
            continue
        if not merged or span.start >= merged[-1].end:
            merged.append(span)
            continue
        last = merged[-1]
        kind = span.kind if span.end - span.start > last.end - last.start else last.kind
        merged[-1] = Found(last.start, max(last.end, span.end), kind)
    return merged


def _outside_marks(source: bytes, found: list[Found]) -> list[Found]:
    """Return the spans that touch no mark, and private blocks and dense stretches, which may."""
    marks = [match.span() for match in _MARK.finditer(source)]
    starts = [start for start, _ in marks]

    def touches(span: Found) -> bool:
        place = bisect_right(starts, span.end - 1) - 1
        return place >= 0 and marks[place][1] > span.start

    return [span for span in found if span.kind in ("private", "private-key", SEVERAL) or not touches(span)]


def _replaced(text: str, spans: list[Found]) -> str:
    parts: list[str] = []
    done = 0
    for start, end, kind in spans:
        parts += text[done:start], mark(kind)
        done = end
    return "".join((*parts, text[done:]))


def _marks(done: list[Found]) -> list[tuple[int, int]]:
    """Return the spans of the marks of replaced secrets."""
    marks: list[tuple[int, int]] = []
    shift = 0
    for start, end, kind in done:
        length = len(mark(kind))
        marks.append((start + shift, start + shift + length))
        shift += length - (end - start)
    return marks


def _as_given(done: list[Found], more: list[Found]) -> list[Found]:
    """Return spans of a text with marks as spans of the original text."""
    starts = [start for start, _ in _marks(done)]

    def given(place: int, *, is_end: bool) -> int:
        """Return the original offset; inside a mark, that of its secret's edge."""
        number = bisect_right(starts, place - is_end) - 1
        if number < 0:
            return place
        start, end, kind = done[number]
        beyond = place - starts[number] - len(mark(kind))
        return end + beyond if beyond >= 0 else end if is_end else start

    return [Found(given(span.start, is_end=False), given(span.end, is_end=True), span.kind) for span in more]


# --- values of JSON ---

# A number is a secret as a password or a pin, and a count as a token.
_NUMBERS = rb"(?i).*(?:pass(?:word|wd|code)?|pwd|pin)"
# The kind of a value by a part of its name; the first match counts.
_KINDS = {
    "pass": "password",
    "pwd": "password",
    "cookie": "cookie",
    "authorization": "authorization",
    "token": "token",
    "key": "key",
    "credential": "credential",
}
_OPTION = rb"(?i)--?(?:[\w\-]*[_\-])?(?:password|passwd|pass|pwd|secret|token|api[_\-]?key|access[_\-]?key)"


def _is(pattern: bytes, name: str) -> bool:
    return len(name) <= MAX_NAME and compiled(pattern).fullmatch(folded(name)) is not None


def redact_value(value: Any) -> RedactedValue:
    """Return a JSON value with its secrets replaced; a secret key makes its whole value one."""
    kinds: list[str] = []
    return RedactedValue(_inside(value, kinds), tuple(kinds))


def _inside(value: Any, kinds: list[str]) -> Any:
    if isinstance(value, str):
        return _of_text(value, kinds)
    if isinstance(value, Mapping):
        return _of_object(value, kinds)
    if isinstance(value, list | tuple):
        return type(value)(_of_list(value, kinds)) if type(value) in (list, tuple) else _of_list(value, kinds)
    return value


def _of_text(text: str, kinds: list[str]) -> str:
    changed, found = redact(text)
    kinds += [finding.kind for finding in found]
    return changed


def _of_object(value: Mapping[Any, Any], kinds: list[str]) -> dict[Any, Any]:
    # {"name": "DB_PASSWORD", "value": "…"}: the name is next to its value
    name = next((value[key] for key in ("name", "key", "Name", "Key") if isinstance(value.get(key), str)), "")
    result: dict[Any, Any] = {}
    for key, item in value.items():
        called = name if key in ("value", "Value") and name else key
        safe = _of_text(key, kinds) if isinstance(key, str) else key
        result[safe] = _named(called, item, kinds) if isinstance(called, str) else _inside(item, kinds)
    return result


def _of_list(value: Iterable[Any], kinds: list[str]) -> list[Any]:
    """Return a list without secrets; an option, or the first of a pair, names the next value."""
    result: list[Any] = []
    before: Any = None
    for item in value:
        if isinstance(before, str) and _is(_OPTION, before):
            result.append(_named(before, item, kinds))
        elif isinstance(item, list | tuple) and len(item) == 2 and all(isinstance(part, str) for part in item):
            result.append([_of_text(item[0], kinds), _named(item[0], item[1], kinds)])
        else:
            result.append(_inside(item, kinds))
        before = item
    return result


def _named(key: str, item: Any, kinds: list[str]) -> Any:
    """Return the value of a key without its secrets."""
    if isinstance(item, str) and item.strip() and is_secret_name(key):
        encoded = folded(item)
        if is_blank(encoded) and not item.isdecimal():
            return item
        if "-----BEGIN" not in item and not _MARK.search(encoded):
            kinds.append(_kind(key))
            return mark(kinds[-1])
    if isinstance(item, int) and not isinstance(item, bool) and _is(_NUMBERS, key):
        kinds.append("password")
        return mark("password")
    if isinstance(item, list | tuple) and is_secret_name(key):
        return [_named(key, member, kinds) for member in item]
    return _inside(item, kinds)


def is_secret_name(name: str) -> bool:
    """Tell whether a name is that of a secret: `DB_PASSWORD`, `apiKey`; not `token_type`."""
    return name_is_secret(folded(name))


def _kind(name: str) -> str:
    return next((kind for part, kind in _KINDS.items() if part in name.lower()), "secret")


# --- secrets that are split over several literals ---

#   KEY = "ghp_A1b2" + "C3d4…"  ─►  KEY = "ghp_A1b2C3d4…"  ─►  the other searches  ─►  a span over both literals
# Only literals without blanks are joined: messages have some, tokens have none.

# The end of one literal and the beginning of the next, with a sign or blanks between.
_GAP = rb"[ \t]{0,20}+(?:\\?\r?\n[ \t]{0,60}+)?+"
_JOINT = (
    rb"Q(?<=[A-Za-z0-9_\-+/=.!@#$%^&*]Q)(?=[ \t\r\n+.&~\\])" + _GAP + rb"(?:[+.&~]|<>|\.\.)?+" + _GAP + rb"[bruf]?Q"
)
_JOINT += rb"(?=[A-Za-z0-9_\-+/=.!@#$%^&*]{1,512}+Q)"
_JOINTS = tuple(compiled(_JOINT.replace(b"Q", quote), needs=(quote,)) for quote in (b'"', b"'"))
# The first literal ends before a joint; it has no blank either. It is looked for in so many bytes.
LITERAL_BYTES = 512
_PLAIN = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/=.!@#$%^&*"
# The name that the first literal is given stands so near before it.
NAME_BYTES = 80
MOST_JOINTS = 24
# So many literals are joined at most.
MAX_LITERALS = 200


def by_joining(source: bytes, find: Callable[[bytes], list[Found]]) -> list[Found]:
    """Return the secrets that lie over several literals of `source`.

    find: the other searches
    """
    found: list[Found] = []
    for joint in _JOINTS:
        chain: list[tuple[int, int]] = []
        for match in spaced(joint, source, MOST_JOINTS):
            span = match.span()
            if chain and (_is_apart(source, chain[-1][1], span[0]) or len(chain) >= MAX_LITERALS):
                found += _in_chain(source, chain, find)
                chain = []
            chain.append(span)
        if chain:
            found += _in_chain(source, chain, find)
    return found


def _is_apart(source: bytes, start: int, end: int) -> bool:
    """Tell whether there is more than one literal between two joints."""
    return end - start > LITERAL_BYTES or bool(source[start:end].strip(_PLAIN))


def _in_chain(source: bytes, joints: list[tuple[int, int]], find: Callable[[bytes], list[Found]]) -> list[Found]:
    """Return the secrets that a chain of joints lies in."""
    first, last = joints[0], joints[-1]
    quote = source[first[0] : first[0] + 1]
    before = source[max(0, first[0] - LITERAL_BYTES) : first[0]]
    literal = before[len(before.rstrip(_PLAIN)) :]
    if not literal or not source.endswith(quote, 0, first[0] - len(literal)):
        return []
    start = max(0, first[0] - len(literal) - NAME_BYTES)
    end = source.find(quote, last[1]) + 1
    # The text without its joints, and where each joint was.
    parts: list[bytes] = []
    gone: list[tuple[int, int]] = []
    place, length = start, 0
    for joint in joints:
        parts.append(source[place : joint[0]])
        length += joint[0] - place
        gone.append((length, joint[1] - joint[0]))
        place = joint[1]
    text = b"".join((*parts, source[place:end]))
    places = [at for at, _ in gone]
    taken = [0]
    for _, size in gone:
        taken.append(taken[-1] + size)
    return [
        Found(
            start + span.start + taken[bisect_right(places, span.start)],
            start + span.end + taken[bisect_right(places, span.end - 1)],
            span.kind,
        )
        for span in find(text)
        if bisect_right(places, span.start) < bisect_left(places, span.end)
    ]
