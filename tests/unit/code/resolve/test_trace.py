"""What running a small program shows, and where solving it counts instead."""

from __future__ import annotations

from recollect.code.resolve.javascript import unit
from recollect.code.resolve.program import Unit
from recollect.code.resolve.trace.narrow import Made, narrow
from recollect.code.resolve.trace.run import Traced, trace


def read(**sources: str) -> dict[str, Unit]:
    return {f"{name}.js": unit(source.encode(), f"{name}.js", ()) for name, source in sources.items()}


def beside(importer: str, module: str) -> tuple[str, ...]:
    return (f"{module.removeprefix('./')}.js",)


def run(**sources: str) -> Traced:
    found = trace(read(**sources), beside)
    assert found is not None
    return found


def called(traced: Traced, units: dict[str, Unit]) -> set[tuple[str, str]]:
    name = {(path, place): scope.name for path, unit in units.items() for place, scope in enumerate(unit.scopes)}
    return {(name[site.place], name[callee]) for site, callees in traced.calls.items() for callee in callees}


def test_every_call_of_a_function_has_its_own_arguments() -> None:
    sources = {"main": "function id(f) { return f; } function a() {} function b() {} id(a); id(b)();"}
    assert called(run(**sources), read(**sources)) == {("", "id"), ("", "b")}


def test_a_later_value_replaces_an_earlier_one_unless_it_may_not_come() -> None:
    sure = {"main": "const o = {}; function a() {} function b() {} o.f = a; o.f = b; o.f();"}
    assert called(run(**sure), read(**sure)) == {("", "b")}
    unsure = {"main": "const o = {}; function a() {} function b() {} o.f = a; if (x) o.f = b; o.f();"}
    assert called(run(**unsure), read(**unsure)) == {("", "a"), ("", "b")}


def test_a_loop_is_run_again_with_what_it_left() -> None:
    sources = {"main": "function a() {} function b() {} let f = a; while (x) { f(); f = b; }"}
    assert called(run(**sources), read(**sources)) == {("", "a"), ("", "b")}


def test_files_are_run_when_they_are_imported() -> None:
    sources = {"main": "import { f } from './other'; f();", "other": "export let f = a; function a() {}"}
    assert called(run(**sources), read(**sources)) == {("", "a")}


def test_what_goes_to_somebody_unknown_may_be_called_by_them() -> None:
    assert run(main="function a() {} other(a);").open == {("main.js", 1)}


def test_a_function_that_calls_itself_was_not_seen_in_full() -> None:
    assert run(main="function a(n) { a(n); } a(1);").open == {("main.js", 1)}


def test_a_long_program_is_not_run() -> None:
    doubling = "".join(f"function f{n + 1}() {{ f{n}(); f{n}(); }}" for n in range(20))
    assert trace(read(main=f"function f0() {{}} {doubling} f20();"), beside) is None


def test_a_run_refutes_what_solving_found_where_it_saw_everything() -> None:
    units = read(main="function a() {} function b() {} function g(f) { f(); } g(a);")
    main, a, b, g = [("main.js", place) for place in range(4)]
    ((line, column),) = {(site.line, site.column) for site in run_of(units).calls if site.place == g}
    made: Made = {(main, g, 1, 0): "direct", (g, a, line, column): "value", (g, b, line, column): "value"}
    assert (g, b, line, column) not in narrow(made, units, beside)
    elsewhere: Made = {**made, (b, g, 9, 0): "direct"}
    assert (g, b, line, column) in narrow(elsewhere, units, beside), "somebody calls it whom the run did not see"


def run_of(units: dict[str, Unit]) -> Traced:
    found = trace(units, beside)
    assert found is not None
    return found


def test_programs_of_other_languages_are_left_alone() -> None:
    units = {"main.py": Unit("python", read(main="f();")["main.js"].scopes)}
    made: Made = {(("main.py", 0), "f", 1, 0): "external"}
    assert narrow(made, units, beside) is made
