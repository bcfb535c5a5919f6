"""Imports, exports and `require` of JavaScript.

`exports` and `module.exports` are one variable of the module, offered to others as "=". A module that an expression
requires is imported once, under a name that no source can have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links.javascript_functions import bound, decorator
from recollect.code.links.javascript_reader import OBJECT, Handler, Reader
from recollect.code.links.program import Argument, Assign, Call, Entry, Export, Expression, Import, Member, Name, Table
from recollect.code.links.tree_reader import NOTHING, Block

if TYPE_CHECKING:
    import tree_sitter


def required(r: Reader, given: tree_sitter.Node) -> Expression | None:
    """Return the module that `require("…")` gives; None for a computed name."""
    nodes = given.named_children
    if len(nodes) != 1 or r.kind(nodes[0]) != "string" or r.block.find("require") is not None:
        return None
    return _whole(r, r.cut(nodes[0])[1:-1], given)


def _whole(r: Reader, module: str, node: tree_sitter.Node) -> Name:
    name = r.imports.get(module)
    if name is None:
        name = r.imports[module] = f"%{module}"
        r.module.body.append(Import(module, alias=name, line=r.line(node)))
    return r.name(name)


def dynamic_import(r: Reader, given: tree_sitter.Node | None) -> Expression:
    """Return the promise of a module that `import("…")` gives."""
    nodes = given.named_children if given is not None else []
    if given is None or not nodes or r.kind(nodes[0]) != "string":
        return r.parts(nodes)
    module = _whole(r, r.cut(nodes[0])[1:-1], given)
    return Call(Member(Name("Promise"), "resolve"), (Argument(module),), r.line(given))


def import_(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an import statement."""
    source = node.child_by_field_id(r.fields.source)
    line = r.line(node)
    module = r.cut(source)[1:-1] if source is not None else ""
    clauses = [child for child in node.named_children if r.kind(child) in ("import_clause", "import_require_clause")]
    if not clauses and source is not None:
        r.emit(Import(module, line=line))
    for clause in clauses:
        if r.kind(clause) == "import_require_clause":
            source = clause.child_by_field_id(r.fields.source)
            module = r.cut(source)[1:-1] if source is not None else ""
            r.emit(Import(module, alias=_declared(r, clause.named_children[0]), line=line))
            continue
        for child in clause.named_children:
            kind = r.kind(child)
            if kind == "identifier":
                r.emit(Import(module, "default", _declared(r, child), line=line))
            elif kind == "namespace_import":
                r.emit(Import(module, None, _declared(r, child.named_children[0]), line=line))
            elif kind == "named_imports":
                _named(r, child, module)
    return NOTHING


def _declared(r: Reader, node: tree_sitter.Node) -> str:
    return r.declare(r.cut(node)).name


def _named(r: Reader, node: tree_sitter.Node, module: str) -> None:
    for each in node.named_children:
        name, alias = each.child_by_field_id(r.fields.name), each.child_by_field_id(r.fields.alias)
        if name is not None:
            alias = alias or name
            r.emit(Import(module, _word(r, name), _declared(r, alias), line=r.line(each)))


def _word(r: Reader, node: tree_sitter.Node) -> str:
    text = r.cut(node)
    return text[1:-1] if r.kind(node) == "string" else text


def import_alias(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read `import a = b.c`."""
    nodes = node.named_children
    if len(nodes) >= 2:
        r.emit(Assign(r.name(_declared(r, nodes[0])), _path(r, nodes[1])))
    return NOTHING


def _path(r: Reader, node: tree_sitter.Node) -> Expression:
    first, *rest = r.cut(node).split(".")
    found: Expression = r.read(first.strip())
    for part in rest:
        found = Member(found, part.strip())
    return found


def export(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read an export statement."""
    source = node.child_by_field_id(r.fields.source)
    if source is not None:
        _passed_on(r, node, r.cut(source)[1:-1])
        return NOTHING
    given = node.child_by_field_id(r.fields.declaration)
    value = node.child_by_field_id(r.fields.value)
    is_default = "default" in r.text[node.start_byte : (given or value or node).start_byte]
    if given is not None:
        _declaration(r, node, given, is_default=is_default)
    elif value is not None:
        r.emit(Export("default", bound(r, value, "default", _default_label(r, value))))
    else:
        _offers(r, node)
    return NOTHING


def _declaration(r: Reader, node: tree_sitter.Node, given: tree_sitter.Node, *, is_default: bool) -> None:
    """Read `export` before a declaration, with the decorators that stand before it."""
    r.value(given)
    names = declared_names(r, given)
    r.exports += [("default" if is_default else name, name, r.block) for name in names]
    for child in node.named_children:
        if r.kind(child) == "decorator":
            decorator(r, child, r.read(names[0]) if names else NOTHING)


def _offers(r: Reader, node: tree_sitter.Node) -> None:
    """Read `export { a as b }` and `export = a`."""
    for child in node.named_children:
        kind = r.kind(child)
        if kind == "export_clause":
            for each in child.named_children:
                name, alias = each.child_by_field_id(r.fields.name), each.child_by_field_id(r.fields.alias)
                if name is not None:
                    r.exports.append((_word(r, alias or name), _word(r, name), r.block))
        elif kind != "comment":
            r.has_exports = True
            r.emit(Assign(r.name("exports"), r.value(child)))


def _default_label(r: Reader, node: tree_sitter.Node) -> str:
    return "default" if r.kind(node) != "arrow_function" else r.frame.numbered("arrow")


def _passed_on(r: Reader, node: tree_sitter.Node, module: str) -> None:
    line = r.line(node)
    is_all = True
    for child in node.named_children:
        kind = r.kind(child)
        if kind == "namespace_export":
            is_all = False
            r.emit(Import(module, None, _word(r, child.named_children[0]), line=line, is_export=True))
        elif kind == "export_clause":
            is_all = False
            for each in child.named_children:
                name, alias = each.child_by_field_id(r.fields.name), each.child_by_field_id(r.fields.alias)
                if name is not None:
                    r.emit(Import(module, _word(r, name), _word(r, alias or name), line=line, is_export=True))
    if is_all:
        r.emit(Import(module, "*", line=line, is_export=True))


def declared_names(r: Reader, node: tree_sitter.Node) -> list[str]:
    """Return the names that a declaration declares."""
    own = node.child_by_field_id(r.fields.name)
    if own is not None:
        return [r.cut(own).partition(".")[0]]
    names: list[str] = []
    todo = [child for child in node.named_children if r.kind(child) == "variable_declarator"]
    left = [name for each in todo if (name := each.child_by_field_id(r.fields.name)) is not None]
    while left:
        at = left.pop()
        if r.kind(at) in ("identifier", "shorthand_property_identifier_pattern"):
            names.append(r.cut(at))
        elif r.kind(at) in ("pair_pattern", "assignment_pattern", "object_assignment_pattern"):
            inner = at.child_by_field_id(r.fields.value) or at.child_by_field_id(r.fields.left)
            left += [inner] if inner is not None else []
        else:
            left += at.named_children
    return names


def namespace(r: Reader, node: tree_sitter.Node) -> Expression:
    """Read a namespace: a block whose exports become a table of its name."""
    own, body = node.child_by_field_id(r.fields.name), node.child_by_field_id(r.fields.body)
    if own is None or body is None:
        return NOTHING
    if r.kind(own) == "string":  # declare module "a" describes another file
        return NOTHING
    first, *rest = [part.strip() for part in r.cut(own).split(".")]
    outer, prefix, exports = r.block, r.frame.prefix, r.exports
    variable = r.declare(first)
    r.block, r.frame.prefix, r.exports = Block(outer), f"{prefix}{'.'.join((first, *rest))}.", []
    r.value(body)
    inner = r.exports
    place = r.place(node)
    value: Expression = Table(tuple([Entry(name, _offered(r, at, block)) for name, at, block in inner]), *place, OBJECT)
    for part in reversed(rest):
        value = Table((Entry(part, value),), *place, OBJECT)
    r.block, r.frame.prefix, r.exports = outer, prefix, exports
    r.emit(Assign(r.name(variable.name), value))
    return NOTHING


def _offered(r: Reader, name: str, block: Block) -> Expression:
    variable = block.find(name)
    return r.name(variable.name if variable is not None else name)


def close(r: Reader) -> None:
    """Write what the module offers, now that all its variables are known."""
    for name, at, block in r.exports:
        r.module.body.append(Export(name, _offered(r, at, block)))
    if r.has_exports:
        r.module.body.insert(0, Assign(Name("exports"), Table((), 1, 0, OBJECT)))
        r.module.body.append(Export("=", Name("exports")))


READERS: dict[str, Handler] = {
    "import_statement": import_,
    "import_alias": import_alias,
    "export_statement": export,
    "internal_module": namespace,
    "module": namespace,
}
