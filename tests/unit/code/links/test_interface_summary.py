"""Faces: what others can see of a program, and nothing else."""

from __future__ import annotations

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links import program
from recollect.code.links.interface_summary import digest, summary
from recollect.code.links.program import Unit, packed
from recollect.code.links.python_programs import unit
from recollect.store.code_rows import symbol_keys

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


def _hash(source: str) -> bytes:
    text = source.encode()
    symbols = outline(text, "a.py", BY_NAME["python"]).symbols
    return digest(summary(unit(text, "a.py", symbols)), symbol_keys(symbols))


def test_lines_and_columns_do_not_count() -> None:
    assert _hash("\n\n# moved\n" + SOURCE.replace("make(kept)", "make( kept )")) == _hash(SOURCE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("        print(make(5))\n", ""),
        ("        print(make(5))\n", "        print(make(6), 7)\n\n"),
        ("    unused = x.nobody(lambda: x)\n", "    unused = x.nobody(lambda: x)  # seen\n"),
        ("    await x.sees()\n", "    x.sees().again()\n"),
        ("def run(x)", "def run(x, new: int = 0, *more, by_name=make)"),
        (", **others)", ")"),
    ],
)
def test_statements_without_outside_effect_are_left_out(old: str, new: str) -> None:
    assert old in SOURCE
    assert _hash(SOURCE.replace(old, new)) == _hash(SOURCE)


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


@pytest.mark.parametrize(
    ("takes", "kept"),
    [
        ("a, new=None", ["a"]),
        ("new, b", ["new", "b"]),  # the first may be the receiver
        ("a, new, b, other", ["a", "", "b"]),
        ("a, new, *rest, other", ["a", "", "rest"]),
        ("a, new, *more, c=1", ["a", "c"]),
        ("a, new, **others", ["a", "new", "others"]),  # what is given by the name of `new` is not in it
    ],
)
def test_a_summary_has_those_parameters_that_are_seen(takes: str, kept: list[str]) -> None:
    source = f"def f({takes}):\n    inner = lambda: b\n    return [a, inner, c, rest, others]\n"
    assert [each.name for each in _shown(source).scopes[1].parameters] == kept


def _hash_at(line: int) -> bytes:
    """Return the hash of a program with every kind of part that has a line."""
    called = program.Call(program.Member(program.Name("a"), "b", line), (), line, line)
    body = (program.Do(called), program.Assign(program.Name("x"), called), program.Import("m", "n", "n", line=line))
    scopes = (program.Scope("module", "", body=body, line=line), program.Scope("function", "f", 0, 0, line=line))
    return digest(Unit("java", scopes), ["f"])


def test_positions_of_every_kind_of_part_do_not_count() -> None:
    assert _hash_at(1) == _hash_at(2)
    placed = {kind for kind in vars(program).values() if hasattr(kind, "line")}
    assert placed == {program.Call, program.Member, program.Import, program.Scope, program.Use}
