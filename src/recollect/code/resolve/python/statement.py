"""Statements of Python in the small language."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from recollect.code.resolve.program import Assign, Call, Code, Elements, Import, Instance, Member, Name, Return
from recollect.code.resolve.python.expression import declared_type, parameters, pattern, value
from recollect.code.resolve.python.writer import DEEPEST, Draft, Writer

if TYPE_CHECKING:
    from tree_sitter import Node

# Decorators that say how a function is bound, and by what mark.
BINDINGS = {
    "staticmethod": "static",
    "classmethod": "classmethod",
    "property": "property",
    "cached_property": "property",
    "abstractmethod": "abstract",
    "abstractproperty": "property",
    "hybrid_property": "property",
}
SETTERS = frozenset({"setter", "deleter"})


def block(w: Writer, nodes: Iterable[Node]) -> None:
    """Write statements one after the other."""
    if w.depth > DEEPEST:
        w.page.notes.append("nested beyond what a person would write: calls in there are missing")
        return
    w.depth += 1
    for node in nodes:
        writer = STATEMENTS.get(node.type)
        if writer is not None:
            writer(w, node)
        elif node.is_named:
            w.effect(value(w, node))
    w.depth -= 1


def _children(w: Writer, node: Node) -> None:
    block(w, node.named_children)


def _expression(w: Writer, node: Node) -> None:
    for child in node.named_children:
        if child.type == "assignment":
            _assignment(w, child)
        elif child.type == "augmented_assignment":
            _augmented(w, child)
        else:
            w.effect(value(w, child))


def _assignment(w: Writer, node: Node) -> None:
    left, right, kind = (node.child_by_field_name(name) for name in ("left", "right", "type"))
    if left is None:
        return
    targets = [left]
    while right is not None and right.type == "assignment":  # a = b = c
        inner = right.child_by_field_name("left")
        if inner is not None:
            targets.append(inner)
        right = right.child_by_field_name("right")
    given = value(w, right) if right is not None else None
    for target in targets:
        written = pattern(w, target)
        if given is not None:
            w.emit(Assign(written, given))
            if len(targets) > 1 and not isinstance(given, Name) and isinstance(written, Name):
                given = written
    if kind is not None:
        declared = declared_type(w, kind)
        if declared is not None:
            w.emit(Assign(pattern(w, left), Instance(declared)))


def _augmented(w: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is not None:
        w.emit(Assign(pattern(w, left), value(w, right)))


def _return(w: Writer, node: Node) -> None:
    if node.named_children:
        w.emit(Return(value(w, node.named_children[0])))


def _for(w: Writer, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    of = value(w, right)
    if left is not None:
        w.emit(Assign(pattern(w, left), Elements(of)))
    _bodies(w, node)


def _bodies(w: Writer, node: Node) -> None:
    for name in ("body", "alternative"):
        for part in node.children_by_field_name(name):
            block(w, [part])


def _with(w: Writer, node: Node) -> None:
    for clause in node.named_children:
        if clause.type != "with_clause":
            continue
        for item in clause.named_children:
            given = item.child_by_field_name("value") or item
            target = None
            if given.type == "as_pattern":
                target = given.child_by_field_name("alias")
                given = given.named_children[0]
            _entered(w, given, target)
    _bodies(w, node)


def _entered(w: Writer, node: Node, target: Node | None) -> None:
    """`with x as y`: y is what entering x gives."""
    line = w.line(node)
    held = Name(f"with#{line}.{node.start_point[1]}")
    w.emit(Assign(held, value(w, node)))
    names = ("__enter__", "__exit__")
    if node.parent is not None and _is_async(node):
        names = ("__aenter__", "__aexit__")
    at = node.start_point[1]
    entered = Call(Member(held, names[0]), (), line, at, is_implied=True)
    if target is not None:
        w.emit(Assign(pattern(w, target), entered))
    else:
        w.effect(entered)
    w.effect(Call(Member(held, names[1]), (), line, at, is_implied=True))


def _is_async(node: Node) -> bool:
    around = node.parent
    while around is not None and around.type != "with_statement":
        around = around.parent
    return around is not None and around.children[0].type == "async"


def _except(w: Writer, node: Node) -> None:
    for child in node.named_children:
        if child.type == "as_pattern" and len(child.named_children) > 1:
            kind = value(w, child.named_children[0])
            w.emit(Assign(pattern(w, child.named_children[1]), Instance(kind)))
        elif child.type == "block":
            block(w, [child])
        elif child.type != "comment":
            w.effect(value(w, child))


def _raise(w: Writer, node: Node) -> None:
    """`raise A` makes an A; `raise a` does not, but then there is nothing to call."""
    for child in node.named_children:
        raised = value(w, child)
        if isinstance(raised, Name | Member):
            raised = Call(raised, (), w.line(child), child.start_point[1], is_implied=True)
        w.effect(raised)


def _import(w: Writer, node: Node) -> None:
    for child in node.children_by_field_name("name"):
        if child.type == "aliased_import":
            name, alias = child.child_by_field_name("name"), child.child_by_field_name("alias")
            if name is not None and alias is not None:
                _bring(w, Import(w.text(name), alias=w.text(alias), line=w.line(node)))
        else:
            module = w.text(child)
            first = module.split(".", 1)[0]
            _bring(w, Import(module, alias=first, line=w.line(node), is_whole=first == module))


def _import_from(w: Writer, node: Node) -> None:
    source = node.child_by_field_name("module_name")
    text = w.text(source) if source is not None else ""
    module = text.lstrip(".").strip()
    level, line = text.count(".") - module.count("."), w.line(node)
    if any(child.type == "wildcard_import" for child in node.named_children):
        _bring(w, Import(module, "*", None, level, line))
    for child in node.children_by_field_name("name"):
        name, alias = child, child
        if child.type == "aliased_import":
            name = child.child_by_field_name("name") or child
            alias = child.child_by_field_name("alias") or child
        _bring(w, Import(module, w.text(name), w.text(alias), level, line))


def _bring(w: Writer, imported: Import) -> None:
    if imported not in w.here.imported:
        w.here.imported.add(imported)
        w.emit(imported)


def _global(w: Writer, node: Node) -> None:
    names = [w.text(child) for child in node.named_children]
    (w.here.globals if node.type == "global_statement" else w.here.outer).extend(names)


# --- definitions ---


def _decorated(w: Writer, node: Node) -> None:
    definition = node.child_by_field_name("definition")
    decorators = [child for child in node.named_children if child.type == "decorator"]
    if definition is not None:
        (_class if definition.type == "class_definition" else _function)(w, definition, decorators)


def _function(w: Writer, node: Node, decorators: Iterable[Node] = ()) -> None:
    name_node = node.child_by_field_name("name")
    name = w.text(name_node) if name_node is not None else ""
    is_method = w.here.kind == "class"
    draft = w.open("function", name, w.here.place, w.symbol(node, name), w.line(node))
    _bind(w, draft, decorators)
    if node.children and node.children[0].type == "async":
        draft.marks["async"] = None
    draft.parameters = parameters(w, node.child_by_field_name("parameters"))
    if is_method and "static" not in draft.marks and draft.parameters:
        draft.marks["self"] = None
    if is_method and name == "__init__":
        draft.marks["constructor"] = None
    returns = node.child_by_field_name("return_type")
    draft.returns = declared_type(w, returns) if returns is not None else None
    w.emit(Assign(Name(name), Code(draft.place)))
    depth, w.depth = w.depth, 0
    body = node.child_by_field_name("body")

    def write() -> None:
        for parameter in draft.parameters:
            w.renamed.pop(parameter.name, None)
        block(w, [body] if body is not None else [])

    w.within(draft, write)
    w.depth = depth


def _bind(w: Writer, draft: Draft, decorators: Iterable[Node]) -> None:
    """Sort decorators into marks and those that are called."""
    for decorator in decorators:
        inner = next(iter(decorator.named_children), None)
        if inner is None:
            continue
        last = w.text(inner).rpartition(".")[2]
        if last in BINDINGS:
            draft.marks[BINDINGS[last]] = None
        elif last in SETTERS and inner.type == "attribute":
            draft.marks["setter"] = None
        else:
            draft.decorators.append(value(w, inner))


def _class(w: Writer, node: Node, decorators: Iterable[Node] = ()) -> None:
    name_node = node.child_by_field_name("name")
    name = w.text(name_node) if name_node is not None else ""
    draft = w.open("class", name, w.here.place, w.symbol(node, name), w.line(node))
    _bind(w, draft, decorators)
    bases = node.child_by_field_name("superclasses")
    for base in bases.named_children if bases is not None else ():
        if base.type == "keyword_argument":
            w.effect(value(w, base.child_by_field_name("value")))
        elif base.type == "subscript":  # Generic[T], Base[T]
            draft.bases.append(value(w, base.child_by_field_name("value")))
        elif base.type not in ("comment", "list_splat", "dictionary_splat"):
            draft.bases.append(value(w, base))
    w.emit(Assign(Name(name), Code(draft.place)))
    depth, w.depth = w.depth, 0
    body = node.child_by_field_name("body")
    w.within(draft, lambda: block(w, [body] if body is not None else []))
    w.depth = depth


STATEMENTS: dict[str, Callable[[Writer, Node], None]] = {
    "module": _children,
    "block": _children,
    "expression_statement": _expression,
    "return_statement": _return,
    "if_statement": _children,
    "elif_clause": _children,
    "else_clause": _children,
    "while_statement": _children,
    "for_statement": _for,
    "try_statement": _children,
    "except_clause": _except,
    "except_group_clause": _except,
    "finally_clause": _children,
    "with_statement": _with,
    "raise_statement": _raise,
    "match_statement": _children,
    "case_clause": _children,
    "import_statement": _import,
    "import_from_statement": _import_from,
    "future_import_statement": lambda w, node: None,
    "global_statement": _global,
    "nonlocal_statement": _global,
    "decorated_definition": _decorated,
    "function_definition": _function,
    "class_definition": _class,
    "pass_statement": lambda w, node: None,
    "break_statement": lambda w, node: None,
    "continue_statement": lambda w, node: None,
    "comment": lambda w, node: None,
    "type_alias_statement": lambda w, node: None,
    "case_pattern": lambda w, node: None,
}
