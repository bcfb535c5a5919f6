"""Line shifts: an edit that moves the lines of a program, and nothing else, moves the lines of its links.

A comment, a blank line and a docstring are such edits. The links are those that solving would find again.
"""

from __future__ import annotations

import itertools
from array import array
from collections.abc import Mapping

import msgspec

from recollect.code.links import program as ir
from recollect.store.link_rows import Sites

_KINDS = frozenset(each for each in vars(ir).values() if isinstance(each, type) and issubclass(each, ir._Part))
_sites = msgspec.msgpack.Decoder(Sites)
_encode = msgspec.msgpack.Encoder().encode


def line_shift(old: bytes, new: bytes) -> dict[int, int] | None:
    """Return the new line of each line of a packed program; None if more than lines differs, or their order does."""
    lines = {0: 0}
    waiting: list[tuple[object, object]] = [(ir.read_program(old), ir.read_program(new))]
    while waiting:
        one, other = waiting.pop()
        kind = type(one)
        if kind is not type(other):
            return None
        if kind in _KINDS:
            for name in kind.__struct_fields__:
                before, after = getattr(one, name), getattr(other, name)
                if name == "line":
                    if lines.setdefault(before, after) != after:
                        return None
                else:
                    waiting.append((before, after))
        elif kind is tuple:
            if len(one) != len(other):  # type: ignore[arg-type]
                return None
            waiting += zip(one, other, strict=True)  # type: ignore[call-overload]
        elif one != other:
            return None
    moved = [lines[line] for line in sorted(lines)]
    return lines if all(before < after for before, after in itertools.pairwise(moved)) else None


def shifted_sites(packed: bytes, lines: Mapping[int, int]) -> bytes | None:
    """Return the packed sites of a file with new lines; None if one has a line that the program does not have."""
    sites, replace = _sites.decode(packed), msgspec.structs.replace
    try:
        moved = replace(
            sites,
            line=array("i", [lines[line] for line in array("i", sites.line)]).tobytes(),
            outside=tuple([replace(row, lines=tuple([lines[line] for line in row.lines])) for row in sites.outside]),
            ambiguous=tuple([replace(row, line=lines[row.line]) for row in sites.ambiguous]),
            unresolved=tuple([replace(row, line=lines[row.line]) for row in sites.unresolved]),
        )
    except KeyError:
        return None
    return _encode(moved)
