"""Files that are only looked into: their functions sleep, and what is asked about comes out as if they did not."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from recollect.code.index.extract import outline
from recollect.code.index.languages import BY_NAME
from recollect.code.links.file_programs import offer
from recollect.code.links.interface_summary import summary
from recollect.code.links.module_finder import Declared, Modules
from recollect.code.links.python_programs import unit
from recollect.code.links.solution import Solution
from recollect.code.links.solver import solve
from recollect.code.links.solver_state import State

from .written import call_edges

MAIN = """
from lib import Server, make, setup, Deep, counted

class App:
    def run(self): pass
    def done(self): pass

def through():
    return make(App).run()

def held(server: Server):
    server.app.run()
    server.late().done()

def inner():
    Deep().outer()().run()

def called_back():
    setup(through)

@counted
def dressed(): pass

dressed()
"""
LIB = """
import main

class Server:
    def __init__(self):
        self.app = main.App()
    def open(self):
        self.more = main.App()
    def late(self):
        return self.more

def make(of):
    made = of()
    return made

def setup(callback):
    kept = callback
    return kept()

class Deep:
    def outer(self):
        def inside():
            return main.App()
        return inside

def counted(function):
    def wrapped():
        return function()
    return wrapped

def never():
    return main.App().done()
"""


def _solved(files: Mapping[str, str], faces: frozenset[str]) -> Solution:
    symbols = {path: outline(text.encode(), path, BY_NAME["python"]).symbols for path, text in files.items()}
    units = {path: unit(text.encode(), path, symbols[path]) for path, text in files.items()}
    told = {path: offer(each) for path, each in units.items()}
    declared = {path: Declared(each.language, each.package, each.names) for path, each in told.items()}
    shown = {path: summary(each) if path == "lib.py" else each for path, each in units.items()}
    return solve(shown, Modules(declared), faces=faces)


def _asked_about(solution: Solution) -> set[tuple[object, ...]]:
    return {
        tuple(row) for rows in (call_edges(solution), solution.open_calls) for row in rows if row.caller[0] == "main.py"
    }


def test_lazy_bodies_give_the_same_links() -> None:
    files = {"main.py": MAIN, "lib.py": LIB}
    awake, asleep = _solved(files, frozenset()), _solved(files, frozenset(("lib.py",)))
    assert _asked_about(asleep) == _asked_about(awake)
    called = {(edge.line, edge.callee[1]) for edge in call_edges(asleep) if isinstance(edge.callee, tuple)}
    run = next(edge.callee[1] for edge in call_edges(asleep) if edge.line == 9 and edge.callee[0] == "main.py")
    done = next(edge.callee[1] for edge in call_edges(asleep) if edge.line == 13 and edge.callee[0] == "main.py")
    assert {(9, run), (12, run), (13, done), (16, run)} <= called
    assert run != done


def test_summarised_files_have_no_links_of_their_own() -> None:
    solution = _solved({"main.py": MAIN, "lib.py": LIB}, frozenset(("lib.py",)))
    assert {row.caller[0] for row in call_edges(solution)} == {"main.py"}
    assert {row.user[0] for row in solution.uses} == {"main.py"}


def test_only_needed_bodies_are_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    scheduled: list[str] = []
    dissolve = State.dissolve

    def look(world: State) -> None:
        scheduled.extend(each.scope.name for each in world.functions if each.path == "lib.py" and not each.is_lazy)
        dissolve(world)

    monkeypatch.setattr(State, "dissolve", look)
    _solved({"main.py": MAIN, "lib.py": LIB}, frozenset(("lib.py",)))
    assert sorted(scheduled) == ["__init__", "counted", "inside", "late", "make", "open", "outer", "setup"]


def test_a_declared_result_of_a_class_without_heirs_needs_no_body() -> None:
    library = """
class Plain:
    def run(self): pass
class Base:
    def run(self): pass
class Heir(Base):
    def run(self): pass
def plain() -> Plain:
    return unknown()
def based() -> Base:
    return Heir()
"""
    main = "from lib import plain, based\nplain().run()\nbased().run()\n"
    solution = _solved({"main.py": main, "lib.py": library}, frozenset(("lib.py",)))
    scopes = unit(library.encode(), "lib.py", ()).scopes
    called = {
        (edge.line, scopes[edge.callee[1]].line, edge.how)
        for edge in call_edges(solution)
        if isinstance(edge.callee, tuple) and scopes[edge.callee[1]].name == "run"
    }
    assert called == {(2, 3, "method"), (3, 7, "method")}
