"""Found: everything a language's query finds in one file, grouped by what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.grammar import Grammar
from recollect.code.page import Page, parse

if TYPE_CHECKING:
    from tree_sitter import Node

Match = dict[str, "list[Node]"]
Span = tuple[int, int]


class Found:
    """The matches of each pattern of the query, in the order of the query file."""

    __slots__ = ("_spans", "groups")

    def __init__(self, page: Page, grammar: Grammar) -> None:
        from tree_sitter import QueryCursor

        tree = parse(page, grammar.language)
        groups: list[list[Match]] = [[] for _ in grammar.roles]
        for pattern, match in QueryCursor(grammar.query).matches(tree.root_node):
            groups[pattern].append(match)
        self.groups = list(zip(grammar.roles, groups, strict=True))
        self._spans: dict[str, list[Span]] = {}

    def of(self, role: str) -> list[tuple[str, list[Match]]]:
        """Return (whole role, matches) of the patterns with that role: `reference` finds `reference.call` too."""
        dotted = role + "."
        return [(name, matches) for name, matches in self.groups if matches and (name == role or name.startswith(dotted))]

    def spans(self, role: str) -> list[Span]:
        """Return where the captures of that role begin and end, in the order of the file."""
        if role not in self._spans:
            self._spans[role] = sorted(
                [(node.start_byte, node.end_byte) for name, matches in self.of(role) for match in matches for node in match[name]]
            )
        return self._spans[role]

    def errors(self, page: Page) -> list[str]:
        """Return a note about syntax errors, if there are any."""
        errors = self.spans("error")
        if not errors:
            return []
        more = f" and {len(errors) - 1} more" if len(errors) > 1 else ""
        return [f"syntax error at line {page.line(errors[0][0])}{more}: what is around it may be missing"]
