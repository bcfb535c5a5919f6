"""JSON with comments, edited in place: other entries keep every byte.

A document is parsed to nodes with their positions; an edit cuts or inserts text at these positions only. An insertion
adds a comma after the last value, and the new text after the end of that line, so that a comment stays with its value.

    "a": 1 // note          "a": 1, // note
    }               ──►       "b": 2
                            }

A cut removes exactly what an insertion added beside other values. Comments of both forms and trailing commas are
accepted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

# Deeper than any settings file; it protects the stack from hostile documents.
MOST_LEVELS = 200
# The indentation of a file that has none of its own.
INDENT = "  "

Step = str | int

_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\.)*"')
_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?")
_GAP = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"//[^\r\n]*|/\*.*?\*/", re.DOTALL)
_SAME_LINE = re.compile(r"(?:[ \t]*(?://[^\r\n]*|/\*[^\r\n]*?\*/))*")
_WORDS: dict[str, Any] = {"true": True, "false": False, "null": None}


class Malformed(ValueError):
    """The text is not JSON; `line` and `column` count from 1."""

    def __init__(self, what: str, text: str, at: int) -> None:
        self.line = text.count("\n", 0, at) + 1
        self.column = at - (text.rfind("\n", 0, at) + 1) + 1
        super().__init__(what)


class Node(NamedTuple):
    """A value with its position and members; `value` is the result of json.loads."""

    kind: Literal["object", "array", "scalar"]
    start: int
    end: int
    value: Any
    members: tuple[Member, ...] = ()

    def member(self, step: Step) -> Member | None:
        """Return the member at a step; of a duplicate key the last, as in every parser."""
        if isinstance(step, int):
            return self.members[step] if self.kind == "array" and step < len(self.members) else None
        return next((row for row in reversed(self.members) if row.key == step), None)


class Member(NamedTuple):
    """A value in its container: `start` is the position of its key, or its own; `comma` that of its comma, or -1."""

    key: str | None
    start: int
    node: Node
    comma: int


# --- Reading ---------------------------------------------------------------------------------------------------------


def parse(text: str) -> Node:
    """Return the document's root; raises Malformed."""
    root = _value(text, _gap(text, 0), 0)
    end = _gap(text, root.end)
    if end != len(text):
        raise Malformed("there is text after the end of the document", text, end)
    return root


def is_blank(text: str) -> bool:
    """Return whether a file is empty, which assistants treat like a missing file."""
    return not text.strip()


def at(root: Node, path: Sequence[Step]) -> Node | None:
    """Return the node at a path, or None."""
    node = root
    for step in path:
        member = node.member(step)
        if member is None:
            return None
        node = member.node
    return node


def _gap(text: str, i: int) -> int:
    """Return the end of white space and comments."""
    while True:
        i = _match(_GAP, text, i)
        if not text.startswith("/", i):
            return i
        found = _COMMENT.match(text, i)
        if found is None:
            raise Malformed("a comment does not end" if text.startswith("/*", i) else "unexpected /", text, i)
        i = found.end()


def _match(pattern: re.Pattern[str], text: str, i: int) -> int:
    found = pattern.match(text, i)
    return found.end() if found else i


def _value(text: str, i: int, level: int) -> Node:
    first = text[i : i + 1]
    if first in ("{", "["):
        if level >= MOST_LEVELS:
            raise Malformed(f"nested deeper than {MOST_LEVELS} levels", text, i)
        return _container(text, i, level)
    if first == '"':
        value, end = _string(text, i)
        return Node("scalar", i, end, value)
    for word, value in _WORDS.items():
        if text.startswith(word, i):
            return Node("scalar", i, i + len(word), value)
    found = _NUMBER.match(text, i)
    if found is None:
        raise Malformed(_missing("a value", text, i), text, i)
    try:
        return Node("scalar", i, found.end(), json.loads(found[0]))
    except ValueError:  # Python reads no number of thousands of digits
        raise Malformed("this number is too long", text, i) from None


def _missing(what: str, text: str, i: int) -> str:
    return f"{what} is expected here" if i < len(text) else f"the file ends where {what} is expected"


def _string(text: str, i: int) -> tuple[str, int]:
    found = _STRING.match(text, i)
    if found is None:
        raise Malformed(_missing("a string in double quotes", text, i), text, i)
    try:
        return json.loads(found[0]), found.end()
    except ValueError:
        raise Malformed("this string has an escape that JSON does not know", text, i) from None


def _container(text: str, start: int, level: int) -> Node:
    is_object = text[start] == "{"
    closing = "}" if is_object else "]"
    members: list[Member] = []
    i = _gap(text, start + 1)
    while not text.startswith(closing, i):
        if members and members[-1].comma < 0:
            raise Malformed(_missing(f"a comma or {closing}", text, i), text, i)
        begin, key = i, None
        if is_object:
            key, i = _string(text, i)
            i = _gap(text, i)
            if not text.startswith(":", i):
                raise Malformed("a colon is expected after a key", text, i)
            i = _gap(text, i + 1)
        node = _value(text, i, level + 1)
        i = _gap(text, node.end)
        comma = i if text.startswith(",", i) else -1
        members.append(Member(key, begin, node, comma))
        i = _gap(text, i + 1) if comma >= 0 else i
    value = {row.key: row.node.value for row in members} if is_object else [row.node.value for row in members]
    return Node("object" if is_object else "array", start, i + 1, value, tuple(members))


# --- Writing ---------------------------------------------------------------------------------------------------------


class Style(NamedTuple):
    """The layout of a file: one step of indentation, and its line ends."""

    indent: str = INDENT
    newline: str = "\n"


def style(text: str, root: Node | None) -> Style:
    """Return the layout of a document, read from its first value on a line of its own."""
    newline = "\r\n" if "\r\n" in text else "\n"
    queue = [(root, "")] if root else []
    while queue:
        node, outer = queue.pop(0)
        for row in node.members:
            lead = lead_of_line(text, row.start)
            if lead is not None and lead.startswith(outer) and len(lead) > len(outer):
                return Style(lead[len(outer) :], newline)
            queue.append((row.node, lead if lead is not None else outer))
    return Style(INDENT, newline)


def lead_of_line(text: str, position: int) -> str | None:
    """Return the white space before `position` if nothing else is before it on its line, else None."""
    line = text.rfind("\n", 0, position) + 1
    lead = text[line:position]
    return lead if not lead.strip(" \t") and (line > 0 or position == 0) else None


def dump(value: Any, look: Style, outer: str = "") -> str:
    """Return a value on several lines, for a line that is indented by `outer`."""
    return json.dumps(value, indent=look.indent, ensure_ascii=False).replace("\n", look.newline + outer)


def document(value: Any, look: Style) -> str:
    """Return a whole new document."""
    return dump(value, look) + look.newline


def insert(text: str, path: Sequence[Step], key: str | None, value: Any) -> str:
    """Return the text with a value added at the end of the container at `path`.

    key: the name of the new member; None: the container is an array. Raises KeyError if there is no such container.
    """
    root = parse(text)
    node = at(root, path)
    if node is None or node.kind != ("array" if key is None else "object"):
        raise KeyError(tuple(path))
    look = style(text, root)
    name = "" if key is None else json.dumps(key, ensure_ascii=False) + ":"
    if not node.members:
        return _insert_first(text, node, name, value, look)
    last = node.members[-1]
    ends_with_comma = last.comma >= 0
    behind = last.comma + 1 if ends_with_comma else last.node.end
    if not re.search(r"[\r\n]", text[node.start : node.end]):
        body = _inline(text, node, name, value)
    else:
        behind = _match(_SAME_LINE, text, behind)
        outer = _member_indent(text, node, look)
        body = look.newline + outer + (name and name + " ") + dump(value, look, outer)
    body += "," if ends_with_comma else ""
    comma_at = behind if ends_with_comma else last.node.end
    comma = "" if ends_with_comma else ","
    return text[:comma_at] + comma + text[comma_at:behind] + body + text[behind:]


def _insert_first(text: str, node: Node, name: str, value: Any, look: Style) -> str:
    """Insert after the opening bracket, or after the last comment of an otherwise empty container."""
    behind = node.start + 1
    while (found := _COMMENT.match(text, _match(_GAP, text, behind))) is not None:
        behind = found.end()
    closing = _line_indent(text, node.start)
    outer = closing + look.indent
    body = look.newline + outer + (name and name + " ") + dump(value, look, outer)
    if not re.search(r"[\r\n]", text[behind : node.end - 1]):
        body += look.newline + closing
    return text[:behind] + body + text[behind:]


def _inline(text: str, node: Node, name: str, value: Any) -> str:
    """Return a value for a container on one line, with the spacing of its other members."""
    is_dense = not re.search(r"[:,]\s", text[node.start : node.end])
    space = "" if is_dense else " "
    body = json.dumps(value, ensure_ascii=False, separators=("," + space, ":" + space))
    return space + (name and name + space) + body


def _member_indent(text: str, node: Node, look: Style) -> str:
    """Return the indentation of the container's members: that of the last one that begins its line."""
    for row in reversed(node.members):
        lead = lead_of_line(text, row.start)
        if lead is not None:
            return lead
    return _line_indent(text, node.start) + look.indent


def _line_indent(text: str, position: int) -> str:
    line = text.rfind("\n", 0, position) + 1
    return text[line : _match(re.compile(r"[ \t]*"), text, line)]


def replace(text: str, path: Sequence[Step], value: Any) -> str:
    """Return the text with a new value at `path`; raises KeyError if there is none."""
    root = parse(text)
    node = at(root, path)
    if node is None:
        raise KeyError(tuple(path))
    if re.search(r"[\r\n]", text[node.start : node.end]) or lead_of_line(text, node.start) is not None:
        new = dump(value, style(text, root), _line_indent(text, node.start))
    else:
        new = json.dumps(value, ensure_ascii=False)
    return text[: node.start] + new + text[node.end :]


def cut(text: str, path: Sequence[Step]) -> str:
    """Return the text without the value at `path` (key and comma too); raises KeyError if there is none."""
    container = at(parse(text), path[:-1])
    member = container.member(path[-1]) if container else None
    if container is None or member is None:
        raise KeyError(tuple(path))
    begin = _begin_of_gap(text, member.start)
    end = member.comma + 1 if member.comma >= 0 else member.node.end
    place = container.members.index(member)
    comma = container.members[place - 1].comma if place else container.start
    kept = text[begin : member.start] if _would_join_a_comment(text, comma + 1, begin, end) else ""
    has_own_comma = member.comma >= 0 or not place
    before = text[:begin] if has_own_comma else text[:comma] + text[comma + 1 : begin]
    return before + kept + text[end:]


def _begin_of_gap(text: str, position: int) -> int:
    while position > 0 and text[position - 1] in " \t\r\n":
        position -= 1
    return position


def _would_join_a_comment(text: str, before: int, begin: int, end: int) -> bool:
    """Return whether the text after a cut would become part of a line comment that ends where the cut begins.

    before: where the token before the comments ends
    """
    last = ""
    while (found := _COMMENT.match(text, _match(_GAP, text, before))) is not None and found.end() <= begin:
        last, before = found[0], found.end()
    return last.startswith("//") and not text[end:].lstrip(" \t").startswith(("\n", "\r"))
