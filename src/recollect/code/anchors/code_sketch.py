"""Sketches of code: a few hundred bytes that recognise a symbol after an edit.

A sketch begins with a hash of all token values. Two sketches are equal if and only if the code differs in its format
alone. The rest is a bottom-k sample: the lowest hashes of pairs of neighbouring words. It estimates the Jaccard index
of two symbols and is exact for short symbols. The symbol's own name counts as a blank, so that renaming a recursive
function does not change its sketch.

Token values are words that a formatter does not change. Brackets that only group are dropped: `(a + b) * c` and
`a + b * c` differ in their trees, `x = (a + b)` and `x = a + b` do not. Marks surround a node with several parts; a
node with a single part is replaced by that part. White space, comments, quotes, trailing commas and optional semicolons
are dropped, too. Literals that follow each other, or are added, are joined; imports and modifiers are sorted. Text that
no node covers is a word, too.

One walk serves all languages. The sets below name nodes by their type in any grammar.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, TypeGuard
from zlib import crc32

if TYPE_CHECKING:
    from tree_sitter import Node

    from recollect.code.index.languages import Language

    Item = Node | bytes

# Marks around the parts of a node. Source has these bytes only in literals.
OPEN, CLOSE = b"\x01", b"\x02"
# A literal begins with this, and no other word does.
TEXT = b'"'

# Literals whose quotes do not matter: always, or (False) without special characters.
QUOTES: dict[str, tuple[frozenset[str], bool]] = {
    **dict.fromkeys(("python", "javascript", "typescript", "tsx", "lua"), (frozenset({"string"}), True)),
    **dict.fromkeys(("c", "cpp"), (frozenset({"string_literal"}), True)),
    "css": (frozenset({"string_value"}), True),
    "html": (frozenset({"quoted_attribute_value"}), True),
    "ruby": (frozenset({"string"}), False),
    "php": (frozenset({"string", "encapsed_string"}), False),
    "yaml": (frozenset({"single_quote_scalar", "double_quote_scalar"}), False),
    "toml": (frozenset({"string"}), False),
}
# `{"a": 1}` is `{a: 1}` here: nodes whose key, name or property may be quoted.
JAVASCRIPT = frozenset({"javascript", "typescript", "tsx"})
KEYED = frozenset(
    "pair pair_pattern method_definition field_definition public_field_definition property_signature method_signature"
    " enum_assignment".split()
)
# In these a semicolon decides whether a block has a value.
VALUED_SEMICOLONS = frozenset({"rust"})

# Types whose parentheses only group, or are optional; also those that begin with "parenthesized".
GROUPS = frozenset("tuple tuple_pattern with_clause import_from_statement parens".split())
# Parentheses around the parameters of an anonymous function are optional.
PARAMETERS = frozenset({"formal_parameters", "inferred_parameters"})
LAMBDAS = frozenset({"arrow_function", "lambda_expression"})
# Braces around the only expression of these are optional.
BRACED = frozenset({"match_arm", "closure_expression"})
STATEMENT = re.compile(r"statement$|declaration$|_item$|^;$")
# A comma after a single element counts in these.
ONE_ELEMENT = frozenset(
    "tuple tuple_pattern expression_list pattern_list subscript tuple_expression tuple_type".split()
)
# Members that are separated by commas, semicolons or line ends alike.
MEMBERS = frozenset({"interface_body", "object_type"})
# Semicolons between the parts of these count: `for (a; b; c)`, `if x := f(); x {`; not before `then` or `do`.
HEADS = frozenset(
    "for_statement for_clause if_statement switch_statement expression_switch_statement type_switch_statement".split()
)
# An empty statement does nothing but as the body of these.
LOOPS = re.compile(r"for|while|if_|else|do_|label")
# `class A():`, `new A`: types with a list that is optional if it is empty.
OPTIONAL_LISTS = {"class_definition": "argument_list", "new_expression": "arguments"}
UNIONS = frozenset({"union_type", "intersection_type"})
IMPORTS = frozenset(
    "import_statement import_from_statement import_declaration import_spec import_header use_declaration"
    " preproc_include using_directive".split()
)
# Types whose elements between commas may be sorted.
IMPORTED = frozenset("import_statement import_from_statement named_imports use_list".split())
MODIFIERS = "modifiers"
ELEMENTS = frozenset({"jsx_element", "jsx_fragment"})
# Between two of three parts: `"a" + "b"` is `"ab"`.
CONCATENATION = frozenset({"+", "."})
CLOSERS, OPENERS = frozenset(")]}>|"), frozenset("([{<|,")
INTERPOLATION = "interpolation"
CONTINUATION = "line_continuation"

_LEAF = re.compile(rb"[A-Za-z]*['\"]")
_ESCAPED_QUOTE = re.compile(rb"\\(['\"])")
_NUMBER = re.compile(rb"\.?\d[\w.]*")
_ZEROS = re.compile(rb"(\.\d+?)0+(?=e|$)")
_SPECIAL = re.compile(rb"[\\'\"#$]")
_KEY = re.compile(rb"[A-Za-z_$][\w$]*|\d+")


class _Rules(NamedTuple):
    """Types of nodes, and habits, of one language."""

    comments: frozenset[str]
    verbatim: frozenset[str]
    markup: frozenset[str]
    quoted: frozenset[str]
    any_quote: bool
    quoted_keys: bool
    semicolons: bool


class _Frame:
    """A node whose parts are being added; parts: their offsets in the words, and their types."""

    __slots__ = ("first", "items", "kind", "parts", "sorts")

    def __init__(self, kind: str, items: Iterable[Item], first: int) -> None:
        self.kind = kind
        self.items = iter(items)
        self.first = first
        self.parts: list[tuple[int, str]] = []
        self.sorts = kind in IMPORTED or kind == MODIFIERS

    def is_key(self) -> bool:
        """Tell whether the next part is a key."""
        return self.kind in KEYED and not any(kind in (":", "=") for _, kind in self.parts)


def values(source: bytes, root: Node, language: Language, start: int, end: int) -> list[bytes]:
    """Return the token values of source[start:end]."""
    rules = _rules(language)
    found: list[bytes] = []
    top = root.descendant_for_byte_range(start, end) or root
    is_whole = (top.start_byte, top.end_byte) == (start, end)
    stack = [_Frame("", [top] if is_whole else _parts(source, top, rules, start, end), -1)]
    while stack:
        frame = stack[-1]
        item = next(frame.items, None)
        if item is None:
            _close(stack.pop(), found)
            continue
        if isinstance(item, bytes):
            frame.parts.append((len(found), ""))
            found.append(item)
            continue
        kind = item.type
        word = _leaf(source, item, kind, rules)
        if word is None:
            stack.append(_Frame(kind, _items(source, item, frame, rules), len(found)))
        if word != b"":
            frame.parts.append((len(found), kind))
            frame.sorts = frame.sorts or kind in IMPORTS
            found.append(OPEN if word is None else word)
    return [word for word in found if word]


@cache
def _rules(language: Language) -> _Rules:
    quoted, any_quote = QUOTES.get(language.name, (frozenset(), False))
    return _Rules(
        comments=_types(language.comments) | {CONTINUATION},
        verbatim=_types(language.strings),
        markup=_types(language.markup),
        quoted=quoted,
        any_quote=any_quote,
        quoted_keys=language.name in JAVASCRIPT,
        semicolons=language.name not in VALUED_SEMICOLONS,
    )


def _types(patterns: Iterable[str]) -> frozenset[str]:
    return frozenset(pattern.strip("()") for pattern in patterns)


def _leaf(source: bytes, node: Node, kind: str, rules: _Rules) -> bytes | None:
    """Return the word of a node; None if it has parts."""
    if kind in rules.quoted and node.is_named:
        return None
    if kind in rules.verbatim:
        return source[node.start_byte : node.end_byte]
    return None if node.child_count else _word(source[node.start_byte : node.end_byte])


def _word(text: bytes) -> bytes:
    """Return a word without insignificant white space; numbers in their usual form."""
    if _NUMBER.fullmatch(text):
        text = _ZEROS.sub(rb"\1", text.lower())
        return b"0" + text if text.startswith(b".") else text
    return b" ".join(text.replace(b"\\\n", b" ").split())


def _close(frame: _Frame, found: list[bytes]) -> None:
    """End a node: sort its imports, and remove the mark of a single part."""
    if frame.sorts:
        _sort(frame, found)
    if frame.first < 0:
        return
    if len(frame.parts) == 1:
        found[frame.first] = b""
    else:
        found.append(CLOSE)


def _sort(frame: _Frame, found: list[bytes]) -> None:
    starts = [start for start, _ in frame.parts]
    kinds = [kind for _, kind in frame.parts]
    pieces = [found[start:end] for start, end in zip(starts, [*starts[1:], len(found)], strict=True)]
    runs: list[list[int]] = [[]]
    for place, kind in enumerate(kinds):
        if kind in IMPORTS or frame.kind == MODIFIERS:
            runs[-1].append(place)
        else:
            runs.append([])
    if frame.kind in IMPORTED:
        runs.append(
            [place for place, kind in enumerate(kinds) if kind != "," and "," in kinds[max(place - 1, 0) : place + 2]]
        )
    for run in runs:
        for place, piece in zip(run, sorted(pieces[place] for place in run), strict=True):
            pieces[place] = piece
    found[starts[0] :] = [word for piece in pieces for word in piece]


# --- the parts of a node ---


def _items(source: bytes, node: Node, parent: _Frame, rules: _Rules) -> list[Item]:
    """Return the significant parts of a node."""
    kind = node.type
    if kind in rules.quoted and node.is_named:
        pieces = _literal(source, node, rules, is_doc=parent.kind == "expression_statement")
        is_key = rules.quoted_keys and parent.is_key() and len(pieces) == 1
        if is_key and isinstance(pieces[0], bytes) and _KEY.fullmatch(key := pieces[0][2:]):
            return [key]
        return pieces
    items = _parts(source, node, rules, node.start_byte, node.end_byte)
    if kind == "concatenated_string" or kind in ELEMENTS:
        return _joined(source, items, rules)
    if added := _added(source, items, rules):
        return added
    types = [_kind(item) for item in items]
    kept = [place for place in range(len(items)) if not _is_dropped(kind, parent.kind, items, types, place, rules)]
    last = len(kept) - 1 if kept and types[kept[-1]] not in CLOSERS else len(kept) - 2
    if last > 0 and types[kept[last]] == "," and types[kept[last - 1]] not in OPENERS:
        is_only = kind in ONE_ELEMENT and types.count(",") == 1
        kept = kept if is_only else kept[:last] + kept[last + 1 :]
    return [items[place] for place in kept]


def _parts(source: bytes, node: Node, rules: _Rules, start: int, end: int) -> list[Item]:
    """Return the children of a node between two offsets, without comments, and the text between them."""
    items: list[Item] = []
    at = start
    for child in node.children:
        first, last = child.byte_range
        if last <= start or first >= end:
            continue
        if first > at and (gap := _gap(source[at:first], rules)):
            items.append(gap)
        at = max(at, last)
        if child.type not in rules.comments:
            items.append(child)
    if end > at and (gap := _gap(source[at:end], rules)):
        items.append(gap)
    return items


def _gap(text: bytes, rules: _Rules) -> bytes:
    """Return the text between two nodes: mostly nothing, in some grammars a semicolon."""
    word = _word(text)
    return b"" if word == b";" and rules.semicolons else word


def _is_dropped(kind: str, parent: str, items: list[Item], types: list[str], place: int, rules: _Rules) -> bool:
    """Tell whether a part of a node is only style."""
    sign = types[place]
    if sign in ("(", ")"):
        return kind in GROUPS or kind.startswith("parenthesized") or (kind in PARAMETERS and parent in LAMBDAS)
    if sign in ("{", "}"):
        is_alone = kind == "block" and parent in BRACED and not STATEMENT.search(types[1])
        return len(types) == 3 and (is_alone or (kind == "jsx_expression" and types[1] in rules.quoted))
    if sign == ";":
        is_head = kind in HEADS and types[place + 1 : place + 2] not in ([], ["then"], ["do"])
        return rules.semicolons and not is_head
    if sign == ",":
        return kind in MEMBERS
    if sign in ("|", "&"):
        return place == 0 and kind in UNIONS
    if sign == "empty_statement":
        return not LOOPS.match(kind)
    item = items[place]
    return OPTIONAL_LISTS.get(kind) == sign and not isinstance(item, bytes) and not item.named_child_count


# --- literals ---


def _literal(source: bytes, node: Node, rules: _Rules, *, is_doc: bool = False) -> list[Item]:
    """Return the text of a literal and the code in it; unchanged where its quotes count.

    is_doc: a docstring: white space around its lines does not count
    """
    children = node.children
    if children:
        begin, stop = children[0].end_byte, children[-1].start_byte
        opening = source[node.start_byte : begin]
        # The grammar of Python counts `\"` in r"\"" to the quote.
        stop = max(stop, node.end_byte - max(1, len(opening) - len(opening.strip(b"'\""))))
    else:
        begin, stop = node.byte_range
        if quote := _LEAF.match(source, begin, stop):
            begin, stop = quote.end(), max(quote.end(), stop - 1)
        opening = source[node.start_byte : begin]
    if not rules.any_quote and _SPECIAL.search(source, begin, stop):
        return [TEXT + b"=" + TEXT + source[node.start_byte : node.end_byte]]
    prefix = opening.strip(b"'\"").lower()
    prefix = b"" if prefix == b"u" else prefix
    pieces: list[Item] = []
    for child in [child for child in children[1:-1] if child.type == INTERPOLATION]:
        pieces += [_text(source[begin : child.start_byte], prefix, is_doc=is_doc), child]
        begin = child.end_byte
    return _merged([*pieces, _text(source[begin:stop], prefix, is_doc=is_doc)])


def _text(text: bytes, prefix: bytes, *, is_doc: bool) -> bytes:
    if b"r" not in prefix:
        text = _ESCAPED_QUOTE.sub(rb"\1", text)
    if b"f" in prefix:
        text = text.replace(b"{{", b"{").replace(b"}}", b"}")
    if is_doc:
        text = b"\n".join(line.strip() for line in text.strip().split(b"\n"))
    return TEXT + prefix.replace(b"f", b"") + TEXT + text


def _joined(source: bytes, items: list[Item], rules: _Rules) -> list[Item]:
    """Return parts with adjacent literals and text joined."""
    pieces: list[Item] = []
    for item in items:
        if isinstance(item, bytes):
            pieces.append(item)
        elif item.type in rules.markup:
            pieces.append(TEXT + TEXT + _shown(source[item.start_byte : item.end_byte]))
        elif item.type in rules.quoted:
            pieces += _literal(source, item, rules)
        elif item.type == "jsx_expression" and [child.type in rules.quoted for child in item.children] == [
            False,
            True,
            False,
        ]:
            pieces += _literal(source, item.children[1], rules)
        else:
            pieces.append(item)
    return _merged(pieces)


def _kind(item: Item) -> str:
    return "" if isinstance(item, bytes) else item.type


def _is_text(item: Item, rules: _Rules) -> TypeGuard[Node]:
    if isinstance(item, bytes) or item.type in rules.quoted:
        return not isinstance(item, bytes)
    return item.child_count > 1 and item.children[0].type == item.children[-1].type == '"'


def _added(source: bytes, items: list[Item], rules: _Rules) -> list[Item]:
    """Return the parts of a concatenation with the literals at its end as one; empty for another node."""
    literals: list[Node] = []
    begins: list[Item] = []
    while len(items) == 3 and _kind(items[1]) in CONCATENATION and _is_text(last := items[2], rules):
        literals.append(last)
        begins = items[:2]
        items = [] if isinstance(items[0], bytes) else _parts(source, items[0], rules, *items[0].byte_range)
    if begins and _is_text(begins[0], rules):
        literals.append(begins[0])
        begins = []
    pieces = _merged([piece for node in reversed(literals) for piece in _content(source, node, rules)])
    if literals and literals[0].type not in rules.quoted:
        pieces = [TEXT, *[piece[2:] if isinstance(piece, bytes) else piece for piece in pieces], TEXT]
    return [*begins, OPEN, *pieces, CLOSE] if begins and len(pieces) > 1 else [*begins, *pieces]


def _content(source: bytes, node: Node, rules: _Rules) -> list[Item]:
    """Return the text of a literal and the code in it, without its quotes."""
    if node.type in rules.quoted:
        return _literal(source, node, rules)
    items = _parts(source, node, rules, node.children[0].end_byte, node.children[-1].start_byte)
    words = [item if isinstance(item, bytes) else _leaf(source, item, item.type, rules) for item in items]
    return [
        TEXT + TEXT + word if word and _kind(item) in rules.verbatim else item
        for item, word in zip(items, words, strict=True)
    ]


def _merged(pieces: list[Item]) -> list[Item]:
    """Return pieces with adjacent text joined, and without empty text but for the first."""
    kept: list[Item] = []
    for piece in pieces:
        if not isinstance(piece, bytes) or not piece.startswith(TEXT):
            kept.append(piece)
            continue
        mark, text = piece[: piece.index(TEXT, 1) + 1], piece[piece.index(TEXT, 1) + 1 :]
        last = kept[-1] if kept else None
        if isinstance(last, bytes) and last.startswith(mark):
            kept[-1] = last + text
        elif text or not kept:
            kept.append(piece)
    return kept


def _shown(text: bytes) -> bytes:
    """Return the text of an element as it is shown: line ends with white space become one blank or none."""
    lines = text.split(b"\n")
    first, last = (
        lines[0][:1].isspace() and bool(lines[0].strip()),
        lines[-1][-1:].isspace() and bool(lines[-1].strip()),
    )
    if len(lines) == 1 and not text.strip():
        return b" " if text else b""
    return b" " * first + b" ".join(text.split()) + b" " * last


# Hashes per sketch: 512 bytes, and an error of some 4 points. Three functions of four are shorter and exact.
SAMPLE = 128
# Bytes of the hash of all token values: 64 bits, as in the hash of a symbol.
WHOLE_BYTES = 8
# The highest similarity of two sketches that are not equal.
NEARLY = 0.999

# The first characters of a sketch. Sketches of other versions are not comparable.
VERSION = "3:"

_TOKEN = re.compile(rb"[\w$\x80-\xff]+|[^\w$\x80-\xff\s]")


def sketch(words: Sequence[bytes], name: str = "") -> str:
    """Return the sketch of token values; empty for none.

    name: the symbol's own, which does not count
    """
    own = name.encode()
    if own:
        # In literals, too: a view is renamed together with the name of its template.
        alone = re.compile(rb"(?<![\w$\x80-\xff])" + re.escape(own) + rb"(?![\w$\x80-\xff])")
        words = [alone.sub(b"\xff", word) if own in word else word for word in words]
    tokens = _TOKEN.findall(b" ".join(word for word in words if word not in (OPEN, CLOSE)))
    if not tokens:
        return ""
    lowest = sorted({crc32(one + b"\0" + other) for one, other in pairwise([b"\0", *tokens, b"\0"])})[:SAMPLE]
    whole = hashlib.sha256(b"\0".join(words)).digest()[:WHOLE_BYTES]
    return VERSION + base64.b85encode(whole + struct.pack(f">{len(lowest)}I", *lowest)).decode()


def is_current(text: str) -> bool:
    """Tell whether a sketch is of this version."""
    return text.startswith(VERSION)


def likeness(one: str, other: str) -> float:
    """Return the similarity of two sketches, 0 to 1."""
    if one == other:
        return 1.0 if one else 0.0
    first, second = _hashes(one), _hashes(other)
    if not first or not second:
        return 0.0
    union = sorted(first | second)[:SAMPLE]
    return min(len(first & second & set(union)) / len(union), NEARLY)


def size(text: str) -> int:
    """Return the number of pairs in a sketch."""
    return len(_hashes(text))


@lru_cache(maxsize=4096)  # one symbol is compared with many
def _hashes(text: str) -> frozenset[int]:
    if not is_current(text):
        return frozenset()
    try:
        packed = base64.b85decode(text[len(VERSION) :])[WHOLE_BYTES:]
    except ValueError:  # an imported row may hold anything
        return frozenset()
    return frozenset(struct.unpack(f">{len(packed) // 4}I", packed[: len(packed) // 4 * 4]))
