r"""Secrets that are split over several literals: `"ghp_" + "…"`, `"…" "…"`, `'…' . '…'`.

    KEY = "ghp_A1b2" + "C3d4…"  ─►  KEY = "ghp_A1b2C3d4…"  ─►  the other searches  ─►  a span over both literals

Only literals without blanks are joined: messages have some, tokens have none.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from recollect.text.redaction.scanning import Found, compiled, spaced

# The end of one literal and the beginning of the next, with a sign or blanks between.
_GAP = rb"[ \t]{0,20}+(?:\\?\r?\n[ \t]{0,60}+)?+"
_JOINT = (
    rb"Q(?<=[A-Za-z0-9_\-+/=.!@#$%^&*]Q)(?=[ \t\r\n+.&~\\])" + _GAP + rb"(?:[+.&~]|<>|\.\.)?+" + _GAP + rb"[bruf]?Q"
)
_JOINT += rb"(?=[A-Za-z0-9_\-+/=.!@#$%^&*]{1,512}+Q)"
_JOINTS = tuple(compiled(_JOINT.replace(b"Q", quote)) for quote in (b'"', b"'"))
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
