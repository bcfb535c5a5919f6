"""Patch: one side of a file made from the other, with the hunks between them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from recollect.code.diff.parse import Hunk

# Lines that a hunk may be away from where it says it is: somebody edited the file above it.
MOST_SHIFT = 400


def applied(source: bytes, hunks: Sequence[Hunk], *, backwards: bool = False) -> bytes | None:
    """Return the new side of a file from its old one, or backwards; None where it is not the side it should be.

    What the hunks do not touch stays byte for byte. Where the lines of a diff fit only apart from the ends of lines,
    which whoever passed it on may have converted, they get the ends that the file has.
    """
    exact = _applied(source, hunks, backwards, str)
    return exact if exact is not None else _applied(source, hunks, backwards, _without_return)


def _without_return(line: str) -> str:
    return line.removesuffix("\r")


def _applied(source: bytes, hunks: Sequence[Hunk], backwards: bool, seen: Callable[[str], str]) -> bytes | None:
    """Return the other side, with lines compared as they are seen."""
    lines = source.split(b"\n")
    ends_bare = lines[-1] != b""  # the last line has no line feed
    if not ends_bare:
        lines.pop()
    texts = [seen(line.decode("utf-8", "replace")) for line in lines]
    made: list[bytes] = []
    at = shift = 0
    for hunk in hunks:
        have, want = ([seen(line) for line in hunk.side(new=new)] for new in (backwards, not backwards))
        start = hunk.new_start if backwards else hunk.old_start
        # A side without lines stands after the line it names, any other at it.
        begin = (start if not have else start - 1) + shift
        found = _found(texts, have, begin, at)
        if found is None:
            return None
        shift += found - begin
        made += lines[at:found]
        made += _mixed(lines[found : found + len(have)], have, want, is_exact=seen is str)
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
            if least <= place <= most and texts[place] == have[0] and texts[place : place + len(have)] == have:
                return place
    return None


def _mixed(real: Sequence[bytes], have: Sequence[str], want: Sequence[str], *, is_exact: bool) -> list[bytes]:
    """Return wanted lines, those that are there already as they are there, the others with their kind of line end."""
    known = dict(zip(have, real, strict=True))
    end = b"\r" if not is_exact and any(line.endswith(b"\r") for line in real) else b""
    return [known[line] if line in known else line.encode("utf-8", "replace") + end for line in want]
