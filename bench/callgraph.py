"""How well calls are resolved: predicted call graphs of small programs against those that somebody wrote down.

    python bench/callgraph.py --suite DIR --language python|javascript|java [--out PRED.json]
                              [--json | --save] [--verbose]

Every folder below DIR with a `callgraph.json` is a case, named by its path from there: the sources in it are one
program, the file says {caller: [callees]}. PRED has the same form for every case. Counted are edges; a caller without
callees counts nothing. Only calls that were resolved are predicted: none that merely a name speaks for, none that may
mean several functions.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import java_names
from measure import publish
from recollect.code.index.extract import outline
from recollect.code.index.languages import detect
from recollect.code.links.file_programs import FRONT_ENDS, front_end, offer
from recollect.code.links.module_finder import Declared, Modules
from recollect.code.links.program import Unit
from recollect.code.links.solver import solve
from recollect.code.links.solver_state import Place

Graph = dict[str, list[str]]
Edges = set[tuple[str, str]]

EXPECTED = "callgraph.json"
# What is written in which language, for programs of several.
LANGUAGES = {
    "python": ("python",),
    "javascript": ("javascript", "typescript", "tsx"),
    "typescript": ("javascript", "typescript", "tsx"),
    "java": ("java",),
}
PACKAGE = "__init__"  # a file that stands for its folder
# Types of Python as PyCG writes them.
PYCG_TYPES = {
    "str": "<**PyStr**>", "dict": "<**PyDict**>", "list": "<**PyList**>", "tuple": "<**PyTuple**>",
    "set": "<**PySet**>", "int": "<**PyNum**>",
}  # fmt: skip


class Case(NamedTuple):
    """A program and its call graph."""

    name: str
    units: Mapping[str, Unit]
    expected: Graph

    def nodes(self) -> set[str]:
        """Return the names of all functions that the call graph mentions."""
        return {node for caller, callees in self.expected.items() for node in (caller, *callees)}


class Score(NamedTuple):
    """Edges that were found rightly, found wrongly, and missed."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def plus(self, other: Score) -> Score:
        """Return both together."""
        return Score(self.right + other.right, self.wrong + other.wrong, self.missed + other.missed)

    def report(self) -> dict[str, float]:
        """Return precision, recall and F1."""
        found, there = self.right + self.wrong, self.right + self.missed
        precision = self.right / found if found else 1.0
        recall = self.right / there if there else 1.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        rounded = {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}
        return {**rounded, "edges": there, "wrong": self.wrong, "missed": self.missed}


def cases(suite: Path, language: str) -> Iterator[Case]:
    """Yield the programs of a suite."""
    for file in sorted(suite.rglob(EXPECTED)):
        folder = file.parent
        units: dict[str, Unit] = {}
        for source in sorted(folder.rglob("*")):
            path = source.relative_to(folder).as_posix()
            if not source.is_file() or source.name == EXPECTED:
                continue
            content = source.read_bytes()
            of = detect(path, content[:200])
            if of is not None and of.name in LANGUAGES[language] and of.name in FRONT_ENDS:
                units[path] = front_end(of.name)(content, path, outline(content, path, of).symbols)
        yield Case(folder.relative_to(suite).as_posix(), units, json.loads(file.read_text(encoding="utf-8")))


def names_of(path: str, unit: Unit, *, is_signed: bool) -> tuple[str, ...]:
    """Return the names of the scopes of a file: module, then each after the one it lies in.

    is_signed: functions of Java have the types of their parameters, as `shop.Cart:add(int)`
    """
    if unit.language == "java":
        return java_names.signed(unit) if is_signed else java_names.dotted(unit)
    module = path.rpartition(".")[0].replace("/", ".")
    folder, _, last = module.rpartition(".")
    found = [folder if last == PACKAGE and folder else module]
    for place, scope in enumerate(unit.scopes[1:], 1):
        around = found[scope.parent] if 0 <= scope.parent < place else found[0]
        joint = "" if scope.name.startswith("[") else "."
        found.append(f"{around}{joint}{scope.name}" if scope.name else around)
    return tuple(found)


def external(name: str) -> str:
    """Return the name of something outside the program, as PyCG writes it."""
    first, _, rest = name.partition(".")
    kind, _, method = rest.partition(".")
    return f"{PYCG_TYPES[kind]}.{method}" if first == "<builtin>" and method and kind in PYCG_TYPES else name


def predicted(case: Case, *, has_outside: bool) -> Graph:
    """Return the call graph that was found for a program."""
    declared = {
        path: Declared(told.language, told.package, told.names)
        for path, unit in case.units.items()
        for told in [offer(unit)]
    }
    is_signed = any(":" in node for node in case.nodes())
    solution = solve(case.units, Modules(declared))
    names: dict[Place, str] = {
        (path, place): name
        for path, unit in case.units.items()
        for place, name in enumerate(names_of(path, unit, is_signed=is_signed))
    }
    called: dict[Place, dict[Place | str, None]] = {}
    for (caller, _, _), callees in solution.sites.items():
        for callee in callees:
            if isinstance(callee, str):
                if not has_outside:
                    continue
            elif case.units[callee[0]].scopes[callee[1]].kind != "function":
                continue  # a class without a constructor of its own: nothing is called
            called.setdefault(caller, {})[callee] = None
    graph: dict[str, dict[str, None]] = {}
    for caller, callees in called.items():
        if names[caller]:
            found = graph.setdefault(names[caller], {})
            for callee in callees:
                found.update(dict.fromkeys(_named(callee, called, names, frozenset((caller,)))))
    return {caller: sorted(callees) for caller, callees in sorted(graph.items())}


def _named(
    callee: Place | str, called: Mapping[Place, Mapping[Place | str, None]], names: Mapping[Place, str],
    seen: frozenset[Place],
) -> Iterator[str]:  # fmt: skip
    """Yield what a callee is called; what has no name is named by what it calls."""
    if isinstance(callee, str):
        yield external(callee)
    elif names[callee]:
        yield names[callee]
    elif callee not in seen:
        for further in called.get(callee, ()):
            yield from _named(further, called, names, seen | {callee})


def edges(graph: Mapping[str, list[str]]) -> Edges:
    """Return a graph as pairs."""
    return {(caller, callee) for caller, callees in graph.items() for callee in callees}


def score(expected: Graph, found: Graph) -> Score:
    """Return how many edges of a case were found."""
    right, said = edges(expected), edges(found)
    return Score(len(right & said), len(said - right), len(right - said))


def measure(suite: Path, language: str, *, is_verbose: bool = False) -> tuple[dict[str, Any], dict[str, Graph]]:
    """Return the measures of a suite, and what was predicted."""
    every = list(cases(suite, language))
    # Suites of Python name what a program calls outside of itself; others do here and there, each in its own way.
    has_outside = language == "python"
    total, exact = Score(), 0
    groups: dict[str, Score] = {}
    predictions: dict[str, Graph] = {}
    for case in every:
        found = predictions[case.name] = predicted(case, has_outside=has_outside)
        one = score(case.expected, found)
        total, exact = total.plus(one), exact + (one.wrong == one.missed == 0)
        group = case.name.partition("/")[0]
        groups[group] = groups.get(group, Score()).plus(one)
        if is_verbose and (one.wrong or one.missed):
            right, said = edges(case.expected), edges(found)
            print(f"{case.name}\n    wrong {sorted(said - right)}\n    missed {sorted(right - said)}")
    worst = sorted(groups.items(), key=lambda row: (row[1].report()["f1"], row[0]))
    report = {"cases": len(every), "exact": exact, **total.report()}
    return {**report, "groups": {name: row.report() for name, row in worst}}, predictions


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--suite", type=Path, required=True)
    parser.add_argument("--language", choices=tuple(LANGUAGES), required=True)
    parser.add_argument("--out", type=Path, help="where predictions are written")
    parser.add_argument("--json", action="store_true", help="print the measures as JSON")
    parser.add_argument("--verbose", action="store_true", help="print the edges of every case that is not exact")
    parser.add_argument("--save", action="store_true", help="keep the measures under bench/results; prints JSON, too")
    arguments = parser.parse_args()
    report, predictions = measure(arguments.suite, arguments.language, is_verbose=arguments.verbose)
    if arguments.out:
        arguments.out.write_text(json.dumps(predictions, indent=1, sort_keys=True), encoding="utf-8")
    if arguments.save:
        publish("callgraph", {"language": arguments.language, **report}, save=True)
        return
    if arguments.json:
        print(json.dumps(report, indent=1))
        return
    print(f"{report['cases']} cases, {report['exact']} exact, {report['edges']} edges")
    print(f"precision {report['precision']:.3f}  recall {report['recall']:.3f}  F1 {report['f1']:.3f}")
    for name, row in report["groups"].items():
        print(
            f"  {name:24} {row['edges']:4} edges  {row['wrong']:3} wrong  {row['missed']:3} missed  F1 {row['f1']:.3f}"
        )


if __name__ == "__main__":
    main()
