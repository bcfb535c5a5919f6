"""Base of the front ends: the scopes that they write, and a reader of syntax trees for JavaScript and Java.

The program has one flat set of names per function, so a name that a second block declares gets a number:

    let x = f;              x = f
    { let x = g; x(); }     x~2 = g; x~2()

The name of a node's kind costs a string each time, its number costs nothing: handlers are in a list by number.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from recollect.code.index.captures import SPAN
from recollect.code.index.page import Page, decoded, parse, parsed
from recollect.code.index.symbols import Symbol
from recollect.code.links import program as ir

if TYPE_CHECKING:
    from re import Pattern

    import tree_sitter

ERROR_KIND = 0xFFFF  # the number of a node that is a syntax error; those of a grammar count from 0

NOTHING = ir.Opaque()
# Levels of a tree, each of two or three Python calls: well below the thousand that a thread is given.
DEEPEST = 120
# Expressions that may be written twice without being evaluated twice, and do nothing by themselves.
PLAIN = (ir.Name, ir.Text, ir.This, ir.Super, ir.Code)

# (a reader of the language, a node) → what the node is worth
Handler = Callable[[Any, "tree_sitter.Node"], ir.Expression]


class IncompleteNode(Exception):
    """A node lacks a part that its kind has: there is a syntax error in the file."""


COMMENTS = frozenset(("comment", "line_comment", "block_comment"))


class Fields:
    """The numbers of a grammar's fields, as attributes by their names."""

    def __init__(self, language: tree_sitter.Language) -> None:
        for place in range(1, language.field_count + 1):
            setattr(self, language.field_name_for_id(place) or "", place)

    def __getattr__(self, name: str) -> int:
        return 0  # a field that only other grammars have


class Grammar(NamedTuple):
    """Handlers and names by number of kind, and numbers of fields."""

    handlers: list[Handler]
    kinds: list[str]
    fields: Fields


def _unknown(r: TreeReader, node: tree_sitter.Node) -> ir.Expression:
    """Read the parts of a node without a handler, such as a syntax error."""
    return r.parts(node.named_children)


_GRAMMARS: dict[str, Grammar] = {}


def _grammar(name: str, readers: Mapping[str, Handler]) -> Grammar:
    """Return the table of a language, made once per process."""
    if name not in _GRAMMARS:
        language = parsed(name)
        every = range(language.node_kind_count)
        kinds = [language.node_kind_for_id(place) or "" for place in every]
        known = [kinds[place] if language.node_kind_is_named(place) else "" for place in every]
        beyond = ERROR_KIND + 1 - len(kinds)
        handlers = [readers.get(kind, _unknown) for kind in known] + [_unknown] * beyond
        _GRAMMARS[name] = Grammar(handlers, kinds + ["ERROR"] * beyond, Fields(language))
    return _GRAMMARS[name]


@cache
def _kind_query(language: tree_sitter.Language, kinds: tuple[tuple[str, Pattern[str]], ...]) -> tree_sitter.Query:
    from tree_sitter import Query

    every = range(language.node_kind_count)
    named = sorted({language.node_kind_for_id(place) or "" for place in every if language.node_kind_is_named(place)})
    found = {capture: [f"({kind})" for kind in named if pattern.fullmatch(kind)] for capture, pattern in kinds}
    return Query(language, " ".join(f"[{' '.join(each)}] @{capture}" for capture, each in found.items() if each))


def nodes_of_kinds(page: Page, language: str, **kinds: Pattern[str]) -> dict[str, list[tree_sitter.Node]]:
    """Return the nodes of a file whose kinds match a pattern, by the name of the pattern, in their order."""
    from tree_sitter import QueryCursor

    query = _kind_query(parsed(language), tuple(kinds.items()))
    found = QueryCursor(query).captures(parse(page, language).root_node)
    return {name: sorted(found.get(name, ()), key=SPAN) for name in kinds}


class ScopeWriter:
    """A `Scope` that is being written.

    block: the names that it declares, where blocks have names; counts: how often each name was taken
    """

    def __init__(
        self, kind: ir.ScopeKind, name: str, place: int, parent: ScopeWriter | None, block: Block | None = None
    ) -> None:
        self.kind: ir.ScopeKind = kind
        self.name, self.place, self.parent = name, place, parent
        self.symbol, self.line, self.arity = -1, 0, -1
        self.parameters: list[ir.Parameter] = []
        self.bases: list[ir.Expression] = []
        self.implements: list[ir.Expression] = []
        self.decorators: list[ir.Expression] = []
        self.body: list[ir.Statement] = []
        self.marks: list[str] = []
        self.outer_names: dict[str, None] = {}
        self.global_names: dict[str, None] = {}
        self.returns: ir.Expression | None = None
        self.counts: dict[str, int] = {}
        self.block = Block(block)

    def declare(self, block: Block, name: str, type: ir.Expression | None = None) -> Variable:
        """Return the variable of a declaration, one per name and block."""
        found = block.names.get(name)
        if found is None:
            self.counts[name] = count = self.counts.get(name, 0) + 1
            found = block.names[name] = Variable(name if count == 1 else f"{name}~{count}", self, type)
        return found

    def numbered(self, word: str) -> str:
        """Return `<word1>`, `<word2>`, …"""
        key = f"<{word}>"
        self.counts[key] = count = self.counts.get(key, 0) + 1
        return f"<{word}{count}>"

    def scope(self) -> ir.Scope:
        """Return the scope as written."""
        values: dict[str, Any] = {name: getattr(self, name) for name in ir.Scope.__struct_fields__}
        values["parent"] = self.parent.place if self.parent else -1
        fixed: list[Any] = [tuple(each) if isinstance(each, list | dict) else each for each in values.values()]
        return ir.Scope(*fixed)


class Variable(NamedTuple):
    """A declared name: its name in the program, its function, and its type where one is written."""

    name: str
    frame: ScopeWriter
    type: ir.Expression | None = None
    is_static: bool = False


class Block:
    """The names that a pair of braces declares."""

    def __init__(self, outer: Block | None) -> None:
        self.outer = outer
        self.names: dict[str, Variable] = {}

    def find(self, name: str) -> Variable | None:
        """Return the variable that a name means here; None if undeclared."""
        block: Block | None = self
        while block is not None:
            found = block.names.get(name)
            if found is not None:
                return found
            block = block.outer
        return None


class ProgramWriter:
    """Writes the scopes of a program; bodies of functions wait in a queue."""

    frame: ScopeWriter

    def __init__(self) -> None:
        self.frames: list[ScopeWriter] = []
        self.names: dict[str, ir.Name] = {}
        self.queue: deque[Callable[[], object]] = deque()
        self.temporaries = 0

    def scopes(self) -> tuple[ir.Scope, ...]:
        """Return the scopes as written."""
        return tuple([frame.scope() for frame in self.frames])

    def emit(self, statement: ir.Statement) -> None:
        """Write a statement into the current scope."""
        self.frame.body.append(statement)

    def do(self, value: ir.Expression) -> None:
        """Write an expression whose value is not used."""
        if is_worth(value):
            self.frame.body.append(ir.Do(value))

    def temporary(self) -> str:
        """Return a name that no source can have."""
        self.temporaries += 1
        return f"%{self.temporaries}"

    def kept(self, value: ir.Expression) -> ir.Expression:
        """Return a value that can be used twice: a name, unless it is plain."""
        if isinstance(value, PLAIN) or value is NOTHING:
            return value
        name = ir.Name(self.temporary())
        self.emit(ir.Assign(name, value))
        return name

    def name(self, name: str) -> ir.Name:
        """Return the expression of a name; the same one for the same name."""
        found = self.names.get(name)
        if found is None:
            found = self.names[name] = ir.Name(name)
        return found


class TreeReader(ProgramWriter):
    """Reads a syntax tree and writes a program, by handlers per kind of node.

    A node is read to the expression that it is worth; a statement writes into the current scope and is worth nothing.
    What is nested too deeply for the stack waits in the queue, too. Scopes are symbols by where they end: the first
    scope that ends there takes the symbol.
    """

    def __init__(self, source: bytes, language: str, readers: Mapping[str, Handler], symbols: Sequence[Symbol]) -> None:
        super().__init__()
        page = Page(source)
        self.root = parse(page, language).root_node
        self.text = page.text
        self.is_ascii = page.is_ascii
        self.line_feeds = page.line_feeds
        self.wide = set() if page.is_ascii else page.wide_lines()
        self.handlers, self.kinds, self.fields = _grammar(language, readers)
        # The text has no \r, which offsets of symbols count.
        ends = [each.end_byte - bisect_left(page.returns, each.end_byte, key=page.original) for each in symbols]
        self.ends = {end: (place, symbols[place].name) for place, end in enumerate(ends)}
        # A test that is a call, `it("adds", () => …)`, has its code in the function before the closing bracket.
        last = [source[each.end_byte - 1 : each.end_byte] for each in symbols]
        self.cases = {place for place, each in enumerate(symbols) if each.kind == "Test" and last[place] == b")"}
        self.ends |= {ends[place] - 1: (place, symbols[place].name) for place in self.cases}
        self.depth = 0
        self.module = self.frame = ScopeWriter("module", "", 0, None, None)
        self.frames.append(self.frame)
        self.block = self.frame.block

    def read_tree(self) -> None:
        """Read the tree and all that waits."""
        self.value(self.root)
        while self.queue:
            with suppress(IncompleteNode):
                self.queue.popleft()()

    # --- the tree ---

    def cut(self, node: tree_sitter.Node) -> str:
        """Return the text of a node."""
        text = self.text[node.start_byte : node.end_byte]
        return text if self.is_ascii else decoded(text)

    def line(self, node: tree_sitter.Node) -> int:
        """Return the line of a node; cheaper than `node.start_point`."""
        return bisect_left(self.line_feeds, node.start_byte) + 1

    def place(self, node: tree_sitter.Node) -> tuple[int, int]:
        """Return the line and the column of a node, in characters."""
        start = node.start_byte
        row = bisect_left(self.line_feeds, start)
        first = self.line_feeds[row - 1] + 1 if row else 0
        if row + 1 in self.wide:
            return row + 1, len(decoded(self.text[first:start]))
        return row + 1, start - first

    def kind(self, node: tree_sitter.Node) -> str:
        """Return the kind of a node in the grammar; cheaper than `node.type`."""
        return self.kinds[node.kind_id]

    def value(self, node: tree_sitter.Node) -> ir.Expression:
        """Return what a node is worth, and write what it does."""
        depth = self.depth
        if depth > DEEPEST:
            return self.later(node)
        self.depth = depth + 1
        try:
            found = self.handlers[node.kind_id](self, node)
        except IncompleteNode:
            found = self.parts(node.named_children)
        self.depth = depth
        return found

    def child(self, node: tree_sitter.Node, field: int) -> tree_sitter.Node:
        """Return the child of a field; a node without it is read by its parts."""
        found = node.child_by_field_id(field)
        if found is None:
            raise IncompleteNode
        return found

    def children(self, node: tree_sitter.Node | None) -> list[tree_sitter.Node]:
        """Return the named children of a node without comments."""
        kinds = self.kinds
        return [each for each in node.named_children if kinds[each.kind_id] not in COMMENTS] if node is not None else []

    def field_text(self, node: tree_sitter.Node, field: int) -> str:
        """Return the text of a child by its field; "" if there is none."""
        child = node.child_by_field_id(field)
        return self.cut(child) if child is not None else ""

    def maybe(self, node: tree_sitter.Node | None) -> ir.Expression:
        """Return what a node is worth that may be missing."""
        return self.value(node) if node is not None else NOTHING

    def parts(self, nodes: Iterable[tree_sitter.Node]) -> ir.Expression:
        """Return an untracked value that evaluates its parts."""
        return opaque([self.value(node) for node in nodes])

    def later(self, node: tree_sitter.Node) -> ir.Expression:
        """Return a name for what is read when the stack is short again."""
        name = ir.Name(self.temporary())
        self.wait(lambda: self.emit(ir.Assign(name, self.value(node))))
        return name

    # --- scopes ---

    def wait(self, read: Callable[[], object], frame: ScopeWriter | None = None) -> None:
        """Read something later, in a scope; default: in the current scope and block."""
        target, block = frame or self.frame, frame.block if frame else self.block

        def resume() -> None:
            with self.inside(target, block):
                read()

        self.queue.append(resume)

    @contextmanager
    def inside(self, frame: ScopeWriter, block: Block | None = None) -> Iterator[None]:
        """Read in another scope, or in another block of this one."""
        before = (self.frame, self.block)
        self.frame, self.block = frame, block or frame.block
        try:
            yield
        finally:
            self.frame, self.block = before

    def open(self, kind: ir.ScopeKind, node: tree_sitter.Node | None, name: str) -> ScopeWriter:
        """Return a new scope inside the current one; name: default: that of its symbol."""
        symbol, known = self.ends.pop(node.end_byte, (-1, "")) if node is not None else (-1, "")
        called = name or known or self.frame.numbered(kind)
        frame = ScopeWriter(kind, called, len(self.frames), self.frame, self.block)
        frame.line, frame.symbol = self.line(node) if node is not None else 0, symbol
        frame.marks += [ir.CASE] if symbol in self.cases else ()
        self.frames.append(frame)
        return frame


def opaque(values: Iterable[ir.Expression]) -> ir.Expression:
    """Return an untracked value of those parts that may do something when evaluated."""
    found: list[ir.Expression] = []
    for value in values:
        if isinstance(value, ir.Opaque):
            found += value.parts
        elif not isinstance(value, PLAIN):
            found.append(value)
    return ir.Opaque(tuple(found)) if found else NOTHING


def is_worth(value: ir.Expression) -> bool:
    """Tell whether evaluating a value may do something."""
    if isinstance(value, ir.Opaque):
        return bool(value.parts)
    return not isinstance(value, PLAIN)


# --- handlers that languages share ---


def nothing(r: TreeReader, node: tree_sitter.Node) -> ir.Expression:
    """Read what does nothing to values."""
    return NOTHING


def first(r: TreeReader, node: tree_sitter.Node) -> ir.Expression:
    """Read what has one part that counts."""
    inner = r.children(node)
    return r.value(inner[0]) if inner else NOTHING


def statements(r: TreeReader, node: tree_sitter.Node) -> ir.Expression:
    """Read statements one after the other."""
    value = r.value
    for child in node.named_children:
        found = value(child)
        if found is not NOTHING:
            r.do(found)
    return NOTHING


def scoped(read: Handler) -> Handler:
    """Return a handler that reads in a block of its own."""

    def in_block(r: TreeReader, node: tree_sitter.Node) -> ir.Expression:
        with r.inside(r.frame, Block(r.block)):
            return read(r, node)

    return in_block


def either(options: Iterable[ir.Expression]) -> ir.Expression:
    """Return a choice of several values, without untracked ones."""
    kept = tuple(dict.fromkeys(option for option in options if option is not NOTHING))
    return ir.Either(kept) if len(kept) > 1 else kept[0] if kept else NOTHING


def declared(annotated: ir.Expression) -> ir.Expression:
    """Return a value of a type; a container is a table of values already."""
    if isinstance(annotated, ir.Either):
        return ir.Either(tuple([declared(option) for option in annotated.options]))
    return annotated if isinstance(annotated, ir.Table) else ir.Instance(annotated)


def _ternary(r: TreeReader, node: tree_sitter.Node) -> ir.Expression:
    """Read `a ? b : c`."""
    condition, *options = r.children(node)
    r.do(r.value(condition))
    return either([r.value(each) for each in options])


# Handlers that languages share, by kind of node.
SHARED: dict[str, Handler] = {
    "this": lambda r, node: ir.This(),
    "super": lambda r, node: ir.Super(),
    "parenthesized_expression": first,
    "ternary_expression": _ternary,
    "expression_statement": statements,
    "for_statement": scoped(statements),
    "type_arguments": nothing,
}
