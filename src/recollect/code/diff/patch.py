"""Patch: one side of a file made from the other, with the hunks between them."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.code.diff.parse import Hunk

# Lines that a hunk may be away from where it says it is: somebody edited the file above it.
MOST_SHIFT = 400


def applied(source: bytes, hunks: Sequence[Hunk], *, backwards: bool = False) -> bytes | None:
    """Return the new side of a file from its old one, or backwards; None where it is not the side it should be.

    Lines are compared as text without the end of the line, so that neither another encoding nor converted line ends of
    the diff matter; what the hunks do not touch stays byte for byte.
    """
    lines = source.split(b"\n")
    is_open = lines[-1] != b""  # the last line has no line feed
    if not is_open:
        lines.pop()
    texts = [_text(line) for line in lines]
    made: list[bytes] = []
    at = shift = 0
    ends_bare = is_open
    for hunk in hunks:
        have, want = hunk.side(new=backwards), hunk.side(new=not backwards)
        start = hunk.new_start if backwards else hunk.old_start
        # A side without lines stands after the line it names, any other at it.
        begin = (start if not have else start - 1) + shift
        found = _found(texts, [_plain(line) for line in have], begin, at)
        if found is None:
            return None
        shift += found - begin
        made += lines[at:found]
        made += _mixed(lines[found : found + len(have)], have, want)
        at = found + len(have)
        if at == len(lines):
            ends_bare = hunk.old_bare if backwards else hunk.new_bare
    made += lines[at:]
    return b"\n".join(made) + (b"" if ends_bare or not made else b"\n")


def _found(texts: Sequence[str], have: Sequence[str], begin: int, least: int) -> int | None:
    """Return where lines stand, as near as possible to where they should be, not before `least`."""
    most = len(texts) - len(have)
    if not have:
        return begin if least <= begin <= most else None
    for distance in range(MOST_SHIFT + 1):
        for place in dict.fromkeys((begin - distance, begin + distance)):
            if least <= place <= most and texts[place] == have[0] and list(texts[place : place + len(have)]) == have:
                return place
    return None


def _mixed(real: Sequence[bytes], have: Sequence[str], want: Sequence[str]) -> list[bytes]:
    """Return wanted lines, those that are there already as they are there, the others with their kind of line end."""
    known = dict(zip(map(_plain, have), real, strict=True))
    has_returns = any(line.endswith(b"\r") for line in real)
    made = []
    for line in want:
        plain = _plain(line)
        ready = known.get(plain)
        if ready is None:
            ready = plain.encode("utf-8", "replace") + (b"\r" if has_returns or line.endswith("\r") else b"")
        made.append(ready)
    return made


def _plain(line: str) -> str:
    return line.removesuffix("\r")


def _text(line: bytes) -> str:
    """Return a line of a file as the text of a diff would have it."""
    return line.removesuffix(b"\r").decode("utf-8", "replace")
