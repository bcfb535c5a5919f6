"""Unit: a Java file as a program."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.code.index.page import Page, parse
from recollect.code.index.symbols import Symbol
from recollect.code.resolve.java import call, declare
from recollect.code.resolve.java.function import function
from recollect.code.resolve.java.shape import TYPES, Shape, read, text
from recollect.code.resolve.java.statement import STATEMENTS, switch
from recollect.code.resolve.java.value import READERS
from recollect.code.resolve.java.writer import Tables, Writer
from recollect.code.resolve.program import Assign, Code, Expression, Import, Name, Scope, Unit

if TYPE_CHECKING:
    from tree_sitter import Node

TABLES = Tables(
    values={
        **READERS,
        **call.READERS,
        "switch_expression": switch,
        "lambda_expression": lambda w, node: function(w, node, None, None),
        "method_reference": lambda w, node: function(w, node, None, None),
    },
    statements={**STATEMENTS, **declare.STATEMENTS},
    function=function,
    anonymous=declare.anonymous_class,
)


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> Unit:
    """Return the program of a Java file; what is not Java in it is left out.

    symbols: the file's, in their order: scopes say which of them they are
    """
    page = Page(source)
    root = parse(page, "java").root_node
    w = Writer(page, {(each.start_byte, each.name): place for place, each in enumerate(symbols)}, TABLES)
    package = ""
    classes: list[tuple[Node, Shape]] = []
    for node in root.named_children:
        if node.type == "package_declaration":
            package = next((text(w.page, each) for each in node.named_children if "identifier" in each.type), "")
        elif node.type == "import_declaration":
            _import(w, node)
        else:
            classes += _top(w, node)
    for node, shape in classes:
        place = declare.class_(w, node, shape, node.child_by_field_name("body"))
        w.module.body.append(Assign(Name(shape.name), Code(place)))
    w.scopes[0] = Scope("module", "", body=tuple(w.module.body))
    scopes = tuple([each or Scope("function", "", parent=0) for each in w.scopes])
    return Unit("java", scopes, package, tuple(page.notes))


def _top(w: Writer, node: Node) -> list[tuple[Node, Shape]]:
    """Return the classes at the top of a file, or inside of what could not be read there."""
    if node.type == "ERROR":
        return [found for each in node.named_children for found in _top(w, each)]
    named = node.child_by_field_name("name") if node.type in TYPES else None
    if named is None:
        return []
    name = text(w.page, named)
    shape = Shape(name, None, Name(name))
    w.top[name] = shape
    return [(node, read(w.page, node, shape, node.child_by_field_name("body")))]


# --- imports ----------------------------------------------------------------------------------------------------------


def _import(w: Writer, node: Node) -> None:
    path = next((text(w.page, each) for each in node.named_children if "identifier" in each.type), "")
    is_static = any(child.type == "static" for child in node.children)
    is_star = any(child.type == "asterisk" for child in node.children)
    line = node.start_point[0] + 1
    if is_static:
        _static(w, path, is_star=is_star)
    elif is_star and not _class_in(path):
        w.packages.append(path)
        w.module.body.append(Import(path, "*", line=line))
    elif is_star:
        w.star_statics.append(w.named_in_full(path))  # the types inside of a class
    else:
        _type(w, path, line)


def _static(w: Writer, path: str, *, is_star: bool) -> None:
    if is_star:
        w.star_statics.append(w.named_in_full(path))
        return
    owner, _, name = path.rpartition(".")
    if owner:
        w.statics[name] = w.named_in_full(owner)


def _type(w: Writer, path: str, line: int) -> None:
    package, _, name = path.rpartition(".")
    w.imported[name] = package
    if _class_in(package):
        inner: Expression = w.named_in_full(path)
        w.module.body.append(Assign(Name(name), inner))
    else:
        w.module.body.append(Import(package, name, name, line=line))


def _class_in(path: str) -> bool:
    """Tell whether a path leads into a class: types begin with a capital, packages do not."""
    return any(part[:1].isupper() for part in path.split("."))
