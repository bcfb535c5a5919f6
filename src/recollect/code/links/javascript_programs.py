"""Programs of JavaScript and TypeScript files: the entry of the front end, statements, imports and exports.

`exports` and `module.exports` are one variable of the module, offered to others as "=".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.code.index.file_reader import HEAD_BYTES
from recollect.code.index.languages import detect
from recollect.code.index.symbols import Symbol
from recollect.code.links import javascript_expressions, javascript_functions
from recollect.code.links import program as ir
from recollect.code.links.javascript_functions import bind, decorators, names_of
from recollect.code.links.javascript_reader import OBJECT, Reader, annotation, declared_type
from recollect.code.links.tree_reader import NOTHING, Block, Handler, declared, first, opaque, scoped, statements

if TYPE_CHECKING:
    import tree_sitter


def variables(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `const a = b, c = d`."""
    kind = "var" if r.text.startswith("var", node.start_byte) else "let"
    for child in node.named_children:
        if r.kind(child) == "variable_declarator":
            _declarator(r, child, kind)
    return NOTHING


def _declarator(r: Reader, node: tree_sitter.Node, kind: str) -> None:
    target, value = r.child(node, r.fields.name), node.child_by_field_id(r.fields.value)
    bind(r, target, r.maybe(value), kind)
    annotated = declared_type(r, node)
    if annotated is not None and r.kind(target) == "identifier":
        r.emit(ir.Assign(r.value(target), declared(annotated)))


def type_alias(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `type A = B`."""
    annotated = annotation(r, r.child(node, r.fields.value))
    if annotated is not None:
        r.define(r.field_text(node, r.fields.name), annotated)
    return NOTHING


def for_in(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `for (a of b)` and `for (a in b)`; keys are worth nothing."""
    left, right = r.child(node, r.fields.left), r.child(node, r.fields.right)
    value, is_of = r.value(right), r.field_text(node, r.fields.operator) == "of"
    bind(r, left, ir.Elements(value) if is_of else opaque([value]), r.field_text(node, r.fields.kind))
    return r.maybe(node.child_by_field_id(r.fields.body))


def catch(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a handler."""
    caught = node.child_by_field_id(r.fields.parameter)
    if caught is not None:
        bind(r, caught, NOTHING, "let")
    return r.maybe(node.child_by_field_id(r.fields.body))


def return_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read `return`."""
    if node.named_child_count:
        r.emit(ir.Return(first(r, node)))
    return NOTHING


# --- modules ---


def _rows(r: Reader, node: tree_sitter.Node) -> list[tuple[str | None, tree_sitter.Node]]:
    """Return the names that a statement imports or exports, None for the whole module, each with its alias."""
    rows: list[tuple[str | None, tree_sitter.Node]] = []
    for child in r.children(node):
        kind = r.kind(child)
        if kind == "identifier":
            rows.append((None if r.kind(node) == WHOLE else "default", child))
        elif kind in ("namespace_import", "namespace_export"):
            rows.append((None, child.named_children[0]))
        elif kind in ("import_specifier", "export_specifier"):
            name = r.child(child, r.fields.name)
            rows.append((_word(r, name), child.child_by_field_id(r.fields.alias) or name))
        elif kind in CLAUSES:
            rows += _rows(r, child)
    return rows


WHOLE = "import_require_clause"  # import a = require("b")
CLAUSES = ("import_clause", "named_imports", "export_clause", WHOLE)


def _word(r: Reader, node: tree_sitter.Node | None) -> str:
    text = r.cut(node) if node is not None else ""
    return text[1:-1] if text[:1] in ("'", '"') else text


def import_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an import statement."""
    holder = next((child for child in node.named_children if r.kind(child) == WHOLE), node)
    module, rows = _word(r, holder.child_by_field_id(r.fields.source)), _rows(r, node)
    for name, alias in rows:
        r.emit(ir.Import(module, name, r.declare(r.cut(alias)).name, line=r.line(alias)))
    if module and not rows:
        r.emit(ir.Import(module, line=r.line(node)))
    return NOTHING


def export(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an export statement."""
    source, value = node.child_by_field_id(r.fields.source), node.child_by_field_id(r.fields.value)
    given = node.child_by_field_id(r.fields.declaration)
    if source is not None:
        names: list[tuple[str | None, str | None]] = [(name, _word(r, alias)) for name, alias in _rows(r, node)]
        for name, alias in names or [("*", None)]:
            r.emit(ir.Import(_word(r, source), name, alias, line=r.line(node), is_export=True))
    elif given is not None:
        is_default = "default" in r.text[node.start_byte : given.start_byte]
        r.value(given)
        r.exports += [("default" if is_default else name, name, r.block) for name in _declared_names(r, given)]
        decorators(r, node)
    elif value is not None:
        if node.end_byte in r.ends:  # the symbol of what is exported ends with the statement
            r.ends[value.end_byte] = r.ends.pop(node.end_byte)
        r.emit(ir.Export("default", r.value(value)))
    elif any(child.type == "=" for child in node.children):  # export = a
        r.emit(ir.Assign(r.read("exports"), first(r, node)))
    else:
        r.exports += [(_word(r, alias), name or "", r.block) for name, alias in _rows(r, node)]
    return NOTHING


def _declared_names(r: Reader, node: tree_sitter.Node) -> list[str]:
    own = r.field_text(node, r.fields.name)
    if own:
        return [own.partition(".")[0]]
    declarators = [each for each in node.named_children if r.kind(each) == "variable_declarator"]
    return [name for each in declarators for name in names_of(r, r.child(each, r.fields.name))]


def namespace(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read a namespace: a block whose exports become a table of its name."""
    own, body = r.child(node, r.fields.name), r.child(node, r.fields.body)
    if r.kind(own) == "string":  # declare module "a" describes another file
        return NOTHING
    top, *rest = r.cut(own).split(".")
    exports, r.exports = r.exports, []
    r.declare(top)
    r.value(body)
    value = ir.Table(tuple([ir.Entry(name, _offered(r, at, block)) for name, at, block in r.exports]), OBJECT)
    for part in reversed(rest):
        value = ir.Table((ir.Entry(part, value),), OBJECT)
    r.exports = exports
    r.define(top, value)
    return NOTHING


def _offered(r: Reader, name: str, block: Block) -> ir.Expression:
    variable = block.find(name)
    return r.name(variable.name if variable is not None else name)


def close(r: Reader) -> None:
    """Write what the module offers, now that all its variables are known."""
    for name, at, block in r.exports:
        r.module.body.append(ir.Export(name, _offered(r, at, block)))
    if r.has_exports:
        r.module.body.insert(0, ir.Assign(ir.Name("exports"), ir.Table((), OBJECT)))
        r.module.body.append(ir.Export("=", ir.Name("exports")))


# --- the file ---

LANGUAGES = ("javascript", "typescript", "tsx")
READERS: dict[str, Handler] = {
    **javascript_expressions.READERS,
    **javascript_functions.READERS,
    "import_statement": import_,
    "export_statement": export,
    **dict.fromkeys(("internal_module", "module"), namespace),
    **dict.fromkeys(("variable_declaration", "lexical_declaration"), variables),
    "type_alias_declaration": type_alias,
    "for_in_statement": scoped(for_in),
    "catch_clause": scoped(catch),
    "return_statement": return_,
    **dict.fromkeys(("ambient_declaration", "switch_body", "switch_case", "switch_default"), statements),
    "switch_statement": scoped(statements),
}


def unit(source: bytes, path: str, symbols: Sequence[Symbol]) -> ir.Unit:
    """Return the program of a JavaScript, TypeScript or TSX file.

    symbols: those of the same file, whose places the scopes refer to
    Never raises for the content of the file.
    """
    found = detect(path, source[:HEAD_BYTES])
    language = found.name if found is not None and found.name in LANGUAGES else LANGUAGES[0]
    reader = Reader(source, language, READERS, symbols)
    reader.read_tree()
    close(reader)
    return ir.Unit(language, reader.scopes())
