"""Captures: the nodes that a language's query finds in a file.

The library can also return whole matches, which group nodes, but a match is five objects and a capture is one. So nodes
are grouped by position: a name belongs to the innermost definition around it (`holders`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.index.page import Grammar, Page, parse
from recollect.text.display import plural

if TYPE_CHECKING:
    from tree_sitter import Node, QueryCursor

Span = tuple[int, int]

# Matches in progress at the same time. Ordinary code needs less than 128 (measured on four large projects); without a
# limit, thousands of nested calls take quadratic time.
MATCHES_MOST = 256
# How deep in the tree a symbol can begin. A query takes the square of the depth, and chains of thousands of operators
# are as deep as they are long; a chain of 400 calls is 800 deep.
DEEPEST = 1_000
# Data files with more parts than this are searched part by part: a query takes the square of their number.
WIDE = 100

# One attribute that makes a tuple is cheaper than two and a tuple.
SPAN = attrgetter("byte_range")


class Marks(NamedTuple):
    """Parts of a file that decide about symbols and their hashes, in the order of the file.

    blocks: ends of blocks that only indentation closes, in any order. branches: starts of words that choose or repeat
    access: sections such as `private:`. packages: names of declared packages
    """

    comments: Sequence[Span] = ()
    strings: Sequence[Span] = ()
    directives: Sequence[Span] = ()
    markup: Sequence[Span] = ()
    blocks: Sequence[int] = ()
    branches: Sequence[int] = ()
    access: Sequence[Span] = ()
    exports: Sequence[Span] = ()
    packages: Sequence[Span] = ()


class Captures:
    """The nodes of a file that a query captures, by the name of the capture."""

    __slots__ = ("captures", "grammar", "root")

    def __init__(self, page: Page, grammar: Grammar, deepest: int = 0) -> None:
        from tree_sitter import QueryCursor

        root = parse(page, grammar.name).root_node
        self.grammar = grammar
        self.root = root
        cursor = QueryCursor(grammar.query, match_limit=MATCHES_MOST)
        cursor.set_max_start_depth(deepest or DEEPEST)
        is_wide = deepest > 0 and root.child_count > WIDE
        self.captures: dict[str, list[Node]] = _by_part(cursor, root) if is_wide else cursor.captures(root)
        if cursor.did_exceed_match_limit:
            page.notes.append("nested too deeply: some symbols are missing")

    def spans(self, name: str) -> list[Span]:
        """Return where the captures of a name begin and end, in the order of the file."""
        nodes = self.captures.get(name)
        if not nodes:
            return []
        spans: list[Span] = list(map(SPAN, nodes))
        spans.sort()
        return spans

    def marks(self) -> Marks:
        """Return the parts that decide about symbols and their hashes."""
        return Marks(
            comments=self.spans("comment"),
            strings=self.spans("string"),
            directives=self.spans("directive"),
            markup=self.spans("markup"),
            blocks=[node.end_byte for node in self.captures.get("block", ())],
            branches=sorted([node.start_byte for node in self.captures.get("branch", ())]),
            access=self.spans("access"),
            exports=self.spans("export"),
            packages=self.spans("package"),
        )

    def errors(self, page: Page, lost: int) -> list[str]:
        """Return a note about syntax errors, if there are any; lost: definitions that only lines show."""
        where = [page.line(start) for start, _ in self.spans("error")]
        if not where:
            return []
        more = f" and {len(where) - 1} more" if len(where) > 1 else ""
        lines = plural(lost, "definition was read from its line", "definitions were read from their lines")
        read = f"{lines} alone" if lost else "nearby symbols may be missing"
        return [f"syntax error at line {where[0]}{more}: {read}"]


def _by_part(cursor: QueryCursor, root: Node) -> dict[str, list[Node]]:
    captures: dict[str, list[Node]] = {}
    for part in root.children:
        for name, nodes in cursor.captures(part).items():
            captures.setdefault(name, []).extend(nodes)
    return captures


def holders(parts: Iterable[Span], wholes: list[Span]) -> Iterator[int]:
    """Yield for each part the place of the innermost whole around it, or -1; both in the order of the file."""
    stack: list[int] = []
    place, count = 0, len(wholes)
    for start, end in parts:
        while place < count and wholes[place][0] <= start:
            stack.append(place)
            place += 1
        while stack and wholes[stack[-1]][1] < end:
            stack.pop()
        yield stack[-1] if stack else -1
