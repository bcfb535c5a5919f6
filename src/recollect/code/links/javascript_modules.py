"""Imports, exports and `require` of JavaScript.

`exports` and `module.exports` are one variable of the module, offered to others as "=". A module that an expression
requires is imported once, under a name that no source can have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.code.links import program as ir
from recollect.code.links.javascript_functions import decorators, names_of
from recollect.code.links.javascript_reader import OBJECT, Handler, Reader
from recollect.code.links.tree_reader import NOTHING, Block

if TYPE_CHECKING:
    import tree_sitter


def required(r: Reader, given: tree_sitter.Node) -> ir.Expression | None:
    """Return the module that `require("…")` gives; None for a computed name."""
    nodes = given.named_children
    if len(nodes) != 1 or r.kind(nodes[0]) != "string" or r.block.find("require") is not None:
        return None
    return _whole(r, _word(r, nodes[0]), given)


def _whole(r: Reader, module: str, node: tree_sitter.Node) -> ir.Name:
    name = r.imports.get(module)
    if name is None:
        name = r.imports[module] = f"%{module}"
        r.module.body.append(ir.Import(module, alias=name, line=r.line(node)))
    return r.name(name)


def dynamic_import(r: Reader, given: tree_sitter.Node | None) -> ir.Expression:
    """Return the module that `import("…")` promises."""
    nodes = r.children(given)
    if given is None or not nodes or r.kind(nodes[0]) != "string":
        return r.parts(nodes)
    module = _whole(r, _word(r, nodes[0]), given)
    return ir.Call(ir.Member(ir.Name("Promise"), "resolve"), (ir.Argument(module),), r.line(given))


def import_(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an import statement."""
    source = node.child_by_field_id(r.fields.source)
    line, module = r.line(node), _word(r, source) if source is not None else ""
    clauses = [child for child in node.named_children if r.kind(child) in ("import_clause", "import_require_clause")]
    if not clauses and source is not None:
        r.emit(ir.Import(module, line=line))
    for clause in clauses:
        if r.kind(clause) == "import_require_clause":  # import a = require("b")
            module = _word(r, r.child(clause, r.fields.source))
        for child in clause.named_children:
            kind = r.kind(child)
            if kind == "identifier":
                is_whole = r.kind(clause) == "import_require_clause"
                r.emit(ir.Import(module, None if is_whole else "default", _declared(r, child), line=line))
            elif kind == "namespace_import":
                r.emit(ir.Import(module, None, _declared(r, child.named_children[0]), line=line))
            elif kind == "named_imports":
                for each, name, alias in _listed(r, child):
                    r.emit(ir.Import(module, _word(r, name), _declared(r, alias), line=r.line(each)))
    return NOTHING


def _declared(r: Reader, node: tree_sitter.Node) -> str:
    return r.declare(r.cut(node)).name


def _listed(r: Reader, node: tree_sitter.Node) -> list[tuple[tree_sitter.Node, tree_sitter.Node, tree_sitter.Node]]:
    """Return the rows of `{ a as b }` with name and alias."""
    return [
        (each, name, each.child_by_field_id(r.fields.alias) or name)
        for each in node.named_children
        if (name := each.child_by_field_id(r.fields.name)) is not None
    ]


def _word(r: Reader, node: tree_sitter.Node) -> str:
    text = r.cut(node)
    return text[1:-1] if r.kind(node) == "string" else text


def export(r: Reader, node: tree_sitter.Node) -> ir.Expression:
    """Read an export statement."""
    source, value = node.child_by_field_id(r.fields.source), node.child_by_field_id(r.fields.value)
    given = node.child_by_field_id(r.fields.declaration)
    if source is not None:
        _passed_on(r, node, _word(r, source))
    elif given is not None:
        is_default = "default" in r.text[node.start_byte : given.start_byte]
        r.value(given)
        r.exports += [("default" if is_default else name, name, r.block) for name in _declared_names(r, given)]
        decorators(r, node)
    elif value is not None:
        if node.end_byte in r.ends:  # the symbol of what is exported ends with the statement
            r.ends[value.end_byte] = r.ends.pop(node.end_byte)
        r.emit(ir.Export("default", r.value(value)))
    else:
        _offers(r, node)
    return NOTHING


def _offers(r: Reader, node: tree_sitter.Node) -> None:
    """Read `export { a as b }` and `export = a`."""
    for child in r.children(node):
        if r.kind(child) == "export_clause":
            r.exports += [(_word(r, alias), _word(r, name), r.block) for _, name, alias in _listed(r, child)]
        else:
            r.has_exports = True
            r.emit(ir.Assign(r.name("exports"), r.value(child)))


def _passed_on(r: Reader, node: tree_sitter.Node, module: str) -> None:
    """Read `export … from "a"`."""
    line = r.line(node)
    rows: list[tuple[str | None, str]] = []
    clauses = [child for child in node.named_children if r.kind(child) in ("namespace_export", "export_clause")]
    for child in clauses:
        if r.kind(child) == "namespace_export":
            rows.append((None, _word(r, child.named_children[0])))
        else:
            rows += [(_word(r, name), _word(r, alias)) for _, name, alias in _listed(r, child)]
    for name, alias in rows:
        r.emit(ir.Import(module, name, alias, line=line, is_export=True))
    if not clauses:
        r.emit(ir.Import(module, "*", line=line, is_export=True))


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
    first, *rest = r.cut(own).split(".")
    outer, exports = r.block, r.exports
    variable = r.declare(first)
    r.block, r.exports = Block(outer), []
    r.value(body)
    entries = [ir.Entry(name, _offered(r, at, block)) for name, at, block in r.exports]
    r.block, r.exports = outer, exports
    value = ir.Table(tuple(entries), OBJECT)
    for part in reversed(rest):
        value = ir.Table((ir.Entry(part, value),), OBJECT)
    r.emit(ir.Assign(r.name(variable.name), value))
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


READERS: dict[str, Handler] = {
    "import_statement": import_,
    "export_statement": export,
    "internal_module": namespace,
    "module": namespace,
}
