"""Imports: names that are brought in from other files, by statements or by a text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.resolve.modules import ANY_MODULE
from recollect.code.resolve.program import Expression, Import, Name
from recollect.code.resolve.python.reader import NOTHING, Handler, Reader

if TYPE_CHECKING:
    import tree_sitter

STAR = "*"
# Functions that import what a text names.
IMPORTING = frozenset({"import_module"})
_WRITTEN = frozenset({"string_content", "interpolation"})


def import_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `import a.b, c as d`."""
    for child in node.named_children:
        module, alias = _named(r, child)
        if alias:
            r.emit(Import(module, None, alias, line=r.line(child)))
        elif module:
            top, _, below = module.partition(".")
            r.emit(Import(module, None, top, line=r.line(child), is_whole=not below))
    return NOTHING


def import_from(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `from ..a import b as c, d` and `from a import *`."""
    source = node.child_by_field_id(r.fields.module_name)
    if source is None:
        return NOTHING
    text = r.cut(source).replace(" ", "")
    module = text.lstrip(".")
    level = len(text) - len(module)
    for child in node.named_children:
        if child.start_byte <= source.start_byte:
            continue
        if r.kind(child) == "wildcard_import":
            r.emit(Import(module, STAR, None, level, r.line(child)))
        elif r.kind(child) in ("dotted_name", "aliased_import"):
            name, alias = _named(r, child)
            if name:
                r.emit(Import(module, name, alias or name, level, r.line(child)))
    return NOTHING


def _named(r: Reader, node: tree_sitter.Node) -> tuple[str, str]:
    """Return a name and its alias, "" where there is none."""
    if r.kind(node) == "aliased_import":
        name, alias = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.alias)
        return (r.cut(name) if name is not None else "", r.cut(alias) if alias is not None else "")
    return (r.cut(node).replace(" ", "") if r.kind(node) == "dotted_name" else "", "")


def by_text(r: Reader, arguments: tuple[tree_sitter.Node, ...], line: int) -> Expression | None:
    """Return the modules that `import_module(f"a.b.{c}")` may give, of which what is written is known; None if none is.

    What is put into the text is any one name.
    """
    text = _pattern(r, arguments[0]) if arguments and r.kind(arguments[0]) == "string" else ""
    module = text.lstrip(".")
    if not module or module.startswith(ANY_MODULE):
        return None
    name = r.temporary()
    r.emit(Import(module, None, name, len(text) - len(module), line))
    return Name(name)


def _pattern(r: Reader, node: tree_sitter.Node) -> str:
    """Return a text, with one sign for whatever is put into it."""
    parts = [child for child in node.named_children if r.kind(child) in _WRITTEN]
    return "".join([r.cut(child) if r.kind(child) == "string_content" else ANY_MODULE for child in parts])


def nothing(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `from __future__`."""
    return NOTHING


READERS: dict[str, Handler] = {
    "import_statement": import_,
    "import_from_statement": import_from,
    "future_import_statement": nothing,
}
