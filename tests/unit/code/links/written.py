"""Written: a program of the small language as lines that people can read and tests can compare.

x = f()            Assign(Name("x"), Call(Name("f")))
do a.b({0: #2})    Do(Call(Member(Name("a"), "b"), (Argument(Table((Entry(0, Code(2)),))),)))
"""

from __future__ import annotations

from typing import NamedTuple

from recollect.code.links import program as p
from recollect.code.links.solution import Solution
from recollect.code.links.solver_state import Place


class CallEdge(NamedTuple):
    """A call: caller, callee (external: dotted name), place, kind of evidence."""

    caller: Place
    callee: Place | str
    line: int
    column: int
    how: str


def call_edges(solution: Solution) -> list[CallEdge]:
    """Return all calls that solving found."""
    rows = solution.sites.items()
    return [CallEdge(site[0], callee, *site[1:], how) for site, callees in rows for callee, how in callees.items()]


def lines(unit: p.Unit, scope: int = 0) -> list[str]:
    """Return the statements of a scope."""
    return [statement(each) for each in unit.scopes[scope].body]


def named(unit: p.Unit, name: str) -> list[str]:
    """Return the statements of the only scope of a name."""
    (found,) = [place for place, scope in enumerate(unit.scopes) if scope.name == name]
    return lines(unit, found)


def statement(each: p.Statement) -> str:
    """Return a statement."""
    match each:
        case p.Assign(target, value):
            return f"{expression(target)} = {expression(value)}"
        case p.Import(module, name, alias):
            word = "pass on" if each.is_export else "import"
            return f"{word} {module} {name or ''} as {alias}".replace("  ", " ")
        case p.Export(name, value):
            return f"export {name} = {expression(value)}"
        case _:
            return f"{type(each).__name__.lower()} {expression(each.value)}"


def expression(each: p.Expression) -> str:  # noqa: C901 - one case per kind
    """Return an expression."""
    match each:
        case p.Name(name):
            return name
        case p.Member(of, name):
            return f"{expression(of)}.{name}"
        case p.Item(of):
            return f"{expression(of)}[{'?' if each.key is None else each.key}]"
        case p.Call(callee, arguments):
            given = ", ".join(expression(argument.value) for argument in arguments)
            return f"{'new ' if each.is_new else ''}{expression(callee)}({given})"
        case p.Code(scope):
            return f"#{scope}"
        case p.Table(entries):
            rows = [f"{'*' if row.key is None else row.key}: {expression(row.value)}" for row in entries]
            return "{" + ", ".join(rows) + "}"
        case p.Text(value):
            return repr(value)
        case p.Either(options):
            return "(" + " | ".join(expression(option) for option in options) + ")"
        case p.Opaque(parts):
            return "~(" + ", ".join(expression(part) for part in parts) + ")" if parts else "~"
        case p.Cast(of, to):
            return f"({expression(of)} as {expression(to)})"
        case p.This() | p.Super():
            return type(each).__name__.lower()
        case _:
            return f"{type(each).__name__.lower()}({expression(each.of)})"
