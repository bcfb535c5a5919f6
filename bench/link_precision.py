"""Precision of call links: edges drawn at random, read and judged by hand.

    python bench/link_precision.py draw TREE … --language LANGUAGE [--count 100] [--seed 25]
    python bench/link_precision.py report [--save]

`draw` indexes and links each tree, draws calls that start in files of LANGUAGE, and prints them as rows of
bench/judged/link_precision.tsv with the line of the call and that of the callee's definition. A person reads the code
and puts the verdict first: "right", or "wrong" with the reason in the last column.

An edge is right if a run of the program can call this function at this line: the name means it there, and a receiver
of its class, by what the code makes, declares or assigns, can reach the line. An override is right if a receiver of
the declared type may be of its class. A function without a name counts as the symbol that it is written in, and one
that is given to a library as called there. An edge is wrong if the name means something else, or if no such receiver
gets there; type arguments count.

`report` counts the verdicts by language.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from array import array
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from measure import publish

JUDGED = Path(__file__).with_name("judged") / "link_precision.tsv"
SUFFIXES = {
    "python": (".py",),
    "typescript": (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs"),
    "java": (".java",),
    "go": (".go",),
}
SHOWN = 110  # characters of a line


class Call(NamedTuple):
    """A call edge: file and line of the call, caller, file and symbol of the callee, how it was found."""

    path: str
    line: int
    caller: str
    callee_path: str
    callee: str
    how: str


def calls(tree: Path, suffixes: tuple[str, ...]) -> tuple[list[Call], dict[tuple[str, str], int]]:
    """Return the calls of a tree that start in some files, sorted, and the line of each symbol by path and name."""
    from recollect import Engine
    from recollect.code.index.symbols import Symbol
    from recollect.model import RELATIONS, File
    from recollect.store.code_rows import symbol_keys

    found: list[Call] = []
    lines: dict[tuple[str, str], int] = {}
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider="off") as engine:
        engine.code.index(str(tree), link=True)
        store: Any = engine.store
        paths = {file.id: file.path for file in engine.store.find(File)}
        for number, packed in store.packed_symbols(list(paths)).items():
            symbols = msgspec.msgpack.decode(packed, type=list[Symbol])
            for key, symbol in zip(symbol_keys(symbols), symbols, strict=True):
                lines[paths[number], key] = symbol.start_line
        wanted = [number for number, path in paths.items() if path.endswith(suffixes)]
        edges, sites = store.file_edges(wanted), store.file_sites(wanted)
        for number in wanted:
            if number not in edges:
                continue
            edge, site = edges[number], sites[number]
            source, target = array("i", edge.source), array("i", edge.target)
            for place, (at, line) in enumerate(zip(array("i", site.edge), array("i", site.line), strict=True)):
                to = edge.targets[target[at]]
                if RELATIONS[edge.relation[at]] == "CALLS" and to[:1] == "s":
                    path, _, key = to[1:].partition("::")
                    caller = edge.sources[source[at]]
                    found.append(Call(paths[number], line, caller, path, key, site.hows[site.how[place]]))
    return sorted(set(found)), lines


def draw(trees: list[Path], language: str, count: int, seed: int) -> None:
    """Print calls drawn at random, as many of each tree."""
    for tree in trees:
        found, lines = calls(tree, SUFFIXES[language])
        for call in sorted(random.Random(seed).sample(found, min(count // len(trees), len(found)))):
            at = _line(tree / call.path, call.line)
            to = _line(tree / call.callee_path, lines.get((call.callee_path, call.callee), 0))
            row = (language, tree.name, f"{call.path}:{call.line}", call.caller, f"{call.callee_path}::{call.callee}")
            print("?", *row, call.how, at, to, sep="\t")


def _line(path: Path, number: int) -> str:
    rows = path.read_text("utf-8", "replace").splitlines()
    return rows[number - 1].strip()[:SHOWN] if 0 < number <= len(rows) else ""


def report() -> dict[str, Any]:
    """Return the share of right edges by language."""
    rows = [line.split("\t") for line in JUDGED.read_text("utf-8").splitlines() if not line.startswith("#")]
    found: dict[str, Any] = {}
    for language in dict.fromkeys(row[1] for row in rows):
        verdicts = Counter(row[0] for row in rows if row[1] == language)
        judged = verdicts["right"] + verdicts["wrong"]
        trees = sorted({row[2] for row in rows if row[1] == language})
        precision = round(verdicts["right"] / max(judged, 1), 3)
        found[language] = {"edges": judged, "right": verdicts["right"], "precision": precision, "trees": trees}
    return {"languages": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "report"))
    parser.add_argument("trees", nargs="*", type=Path)
    parser.add_argument("--language", choices=tuple(SUFFIXES), default="python")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=25)
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    options = parser.parse_args()
    if options.what == "draw":
        draw([tree.resolve() for tree in options.trees], options.language, options.count, options.seed)
    else:
        publish("link-precision", report(), save=options.save)


if __name__ == "__main__":
    main()
