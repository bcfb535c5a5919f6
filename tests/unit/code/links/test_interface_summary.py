"""Faces: what others can see of a program, and nothing else."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links import program
from recollect.code.links.interface_summary import summary
from recollect.code.links.program import Unit, packed
from recollect.code.links.python_programs import unit

SOURCE = """
from lib import make

class Server(make.Base):
    app: make.App = None

    def __init__(self, given=make()):
        self.given = [given, {"a": given}]
        make(1)

    def start(self, *rest: make.App, **others) -> make.App:
        kept = make(rest)
        other = make(kept)
        print(make(5))
        if other:
            self.more = kept[1]
        with other as entered:
            yield entered
        return other.value(kept or rest)[1]

async def run(x):
    unused = x.nobody(lambda: x)
    await x.sees()
    return await (yield x)
"""


def _shown(source: str) -> Unit:
    text = source.encode()
    return summary(unit(text, "a.py", outline(text, "a.py", BY_NAME["python"]).symbols))


def _places(part: object) -> set[int]:
    """Return all lines and columns that any part of a program says."""
    if isinstance(part, tuple):
        return {place for each in part for place in _places(each)}
    if not isinstance(part, msgspec.Struct):
        return set()
    said = {getattr(part, field) for field in ("line", "column") if hasattr(part, field)}
    return said.union(*[_places(getattr(part, field)) for field in part.__struct_fields__])


def test_a_summary_has_no_lines_or_columns() -> None:
    assert _places(_shown(SOURCE)) == {0}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        print(make(5))\n", ""),
        ("        print(make(5))\n", "        print(make(6), 7)\n\n"),
        ("    unused = x.nobody(lambda: x)\n", "    unused = x.nobody(lambda: x)  # seen\n"),
        ("    await x.sees()\n", "    x.sees().again()\n"),
    ],
)
def test_statements_without_outside_effect_are_left_out(old: str, new: str) -> None:
    assert old in SOURCE
    assert packed(_shown(SOURCE.replace(old, new))) == packed(_shown(SOURCE))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("self.more = kept[1]", "self.more = kept[2]"),
        ("kept = make(rest)", "kept = make(others)"),  # what is returned is made of it, by way of others
        ("def start(self, *rest", "def start(self, rest"),
        ("given=make()", "given=None"),
        ("-> make.App", "-> make.Base"),
        ("yield entered", "yield other"),
        ("class Server(make.Base)", "class Server(make.App)"),
        ('{"a": given}', '{"b": given}'),
        ("return await (yield x)", "return x"),
    ],
)
def test_visible_changes_change_the_summary(old: str, new: str) -> None:
    assert old in SOURCE
    assert packed(_shown(SOURCE.replace(old, new))) != packed(_shown(SOURCE))


def test_every_kind_of_part_loses_its_position() -> None:
    inner = program.Call(program.Name("deep"), (), 3, 4)
    bare = program.Call(program.Name("deep"))
    for kind in vars(program).values():
        if not isinstance(kind, type) or not issubclass(kind, msgspec.Struct) or kind is program._Part:
            continue
        for field in msgspec.structs.fields(kind):
            told = str(field.type)
            if "Expression" not in told or kind in (program.Scope, program.Unit):
                continue
            filled = (inner,) if "tuple" in told else inner
            given = {each.name: "" for each in msgspec.structs.fields(kind) if each.required} | {field.name: filled}
            statement: Any = kind(**given)
            wrapped = program.Do(statement) if kind not in _STATEMENTS else statement
            scope = program.Scope("module", "", body=(wrapped,))
            if kind is program.Use:
                continue  # nobody else sees it
            shown = summary(Unit("python", (scope,))).scopes[0].body[0]
            found = shown if kind in _STATEMENTS else shown.value  # type: ignore[union-attr]
            assert getattr(found, field.name) == ((bare,) if "tuple" in told else bare), (kind, field.name)


_STATEMENTS = frozenset(
    (program.Assign, program.Return, program.Yield, program.Do, program.Import, program.Export, program.Use)
)
