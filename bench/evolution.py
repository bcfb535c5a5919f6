"""Evolution: how many of the links between coding memories join what belongs together, by rules alone.

    python bench/evolution.py [--vectors] [--wrong] [--json]

Two hundred pieces in five languages (snippets.py): twenty problems in five languages each, ten bugs in five files
each, fifty that belong to nothing. They are stored one after the other and evolve twice. Nobody judges a link: it is
right if both ends have one label. Thresholds were fitted on one half of the problems and bugs; both are shown.

    precision   links whose ends have one label, of all links
    reached     pieces with a partner that are linked to at least one right one
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import measure
import metrics
import snippets
from recollect import Engine
from recollect.model import Edge
from recollect.model.coding import Evolution

WORKSPACE = "bench-evolution"
ROUNDS = 2


class Ran(NamedTuple):
    """What came of a corpus: links as (id, id, type), evolutions, the place of each id, answers before and after."""

    links: list[tuple[str, str, str]]
    rounds: list[Evolution]
    places: dict[str, int]
    before: dict[str, int]
    after: dict[str, int]


def run(engine: Engine, corpus: list[snippets.Piece]) -> Ran:
    """Store and evolve a corpus, and ask for its problems before and after."""
    places: dict[str, int] = {}
    for place, piece in enumerate(corpus):
        stored = engine.coding.store(
            piece.content, workspace_id=WORKSPACE, code_type=piece.language, context=piece.context or None
        )
        places[stored.memory_id] = place
    before = asked(engine, corpus, places)
    wanted = {"scope": "project", "project_path": WORKSPACE, "max_memories": len(corpus)}
    rounds = [engine.coding.evolve(**wanted) for _ in range(ROUNDS)]
    edges = [edge for edge in engine.store.find(Edge, {}) if "link_type" in edge.properties]
    links = [
        (edge.src.removeprefix("mem:"), edge.dst.removeprefix("mem:"), edge.properties["link_type"]) for edge in edges
    ]
    return Ran(links, rounds, places, before, asked(engine, corpus, places))


def judged(
    links: list[tuple[str, str, str]], corpus: list[snippets.Piece], places: dict[str, int]
) -> list[dict[str, Any]]:
    """Return precision and reach of the links, for both halves and by type."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    reached: defaultdict[str, set[int]] = defaultdict(set)
    for one, other, type_ in links:
        first, second = corpus[places[one]], corpus[places[other]]
        halves = {first.half, second.half}
        groups = ("all", type_, halves.pop() if len(halves) == 1 else "between the halves")
        for group in groups:
            total[group] += 1
            right[group] += first.label == second.label
        if first.label == second.label:
            for name in ("all", first.half):
                reached[name] |= {places[one], places[other]}
    paired = {half: [piece for piece in corpus if not piece.label.startswith("alone") and half in ("all", piece.half)]
              for half in ("all", "fitted", "held out")}  # fmt: skip
    return [
        {
            "links": group,
            "count": total[group],
            "right": right[group],
            "precision": round(right[group] / total[group], 3),
            "reached": round(len(reached[group]) / len(paired[group]), 3) if group in paired else "",
        }
        for group in sorted(total, key=lambda name: (name not in paired, -total[name]))
    ]


def asked(engine: Engine, corpus: list[snippets.Piece], places: dict[str, int]) -> dict[str, int]:
    """Ask for each problem in three wordings; return how many questions were answered, and how many answers are right.

    With the documented threshold: what is not relevant enough is not shown.
    """
    questions = [
        (text, f"problem:{row.names[0]}") for row in snippets.PROBLEMS for text in (row.names[0], *row.said[:2])
    ]
    right = shown = answered = 0
    for text, label in questions:
        found = engine.coding.retrieve(text, workspace_id=WORKSPACE, max_results=20).memories
        hits = sum(corpus[places[row.id]].label == label for row in found)
        right, shown, answered = right + hits, shown + len(found), answered + (hits > 0)
    return {"questions": len(questions), "answered": answered, "shown": shown, "right": right}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--vectors", action="store_true", help="with the shipped embedding model, too; else by words alone"
    )
    parser.add_argument("--wrong", action="store_true", help="show the links that join what does not belong together")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    corpus = snippets.corpus()
    provider = "local" if chosen.vectors else "off"
    with tempfile.TemporaryDirectory() as home, Engine(home=home, embed_provider=provider) as engine:
        found: list[Any] = []
        spent_ms = measure.cpu_ms(lambda: found.append(run(engine, corpus)))
    links, rounds, places, before, after = found[0]
    rows = judged(links, corpus, places)
    if chosen.json:
        print(json.dumps({"rows": rows, "before": before, "after": after, "cpu_ms": round(spent_ms)}, indent=2))
        return
    names = ("links", "count", "right", "precision", "reached")
    print(metrics.table(list(names), [[str(row[name]) for name in names] for row in rows]))
    print(f"\n{len(corpus)} pieces, embeddings {provider}, {spent_ms / 1000:.1f} s of CPU")
    print(f"asked before evolution: {before}\nasked after it: {after}")
    for number, each in enumerate(rounds, 1):
        print(f"round {number}: {each}")
    for one, other, type_ in links if chosen.wrong else ():
        first, second = corpus[places[one]], corpus[places[other]]
        if first.label != second.label:
            print(f"wrong {type_}: {first.label} ({first.context}) | {second.label} ({second.context})")


if __name__ == "__main__":
    main()
