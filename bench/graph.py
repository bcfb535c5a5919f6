"""The graph at one size: what reading, following, ranking, dividing and walking it cost, and the same with networkx.

python bench/graph.py NODES EDGES [--networkx]     (bench/speed.py graph runs it for every size in a fresh process)

Nodes link to older ones, preferring the oldest: few hubs, many leaves, as in code and in notes.
"""

from __future__ import annotations

import argparse
import json
import random
import sqlite3
import sys
import tempfile
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import measure
from recollect import Engine
from recollect.graph.arrays import Graph
from recollect.graph.communities import communities
from recollect.graph.components import components, strong_components
from recollect.graph.impact import impact
from recollect.graph.load import load
from recollect.graph.rank import arcs, betweenness, pagerank, sampled_sources
from recollect.graph.relation_semantics import MUTUAL, spread
from recollect.model import Edge

# What each may cost at 100,000 nodes and a million edges, in CPU milliseconds.
BARS_MS = {"load": 2_000, "pagerank": 1_000, "communities": 10_000, "betweenness": 6_000, "impact_p95": 50}
BAR_NODES = 100_000

KINDS = ("Function", "Method", "Class", "File")
RELATIONSHIPS = ("CALLS", "IMPORTS", "CONTAINS", "DEPENDS_ON", "RELATES_TO")
IMPACT_DEPTH = 3
QUERIES = 100


def fill(database: Path, nodes: int, edges: int) -> list[str]:
    """Write a graph past the log, as an index of code would; returns the ids of its nodes."""
    chance = np.random.default_rng(1)
    src = chance.integers(1, nodes, edges)
    dst = (src * chance.random(edges) ** 2.5).astype(int)
    names = [f"sym:package.module{place // 50}.Class{place // 7}.method{place}" for place in range(nodes)]
    numbers = random.Random(3)
    connection = sqlite3.connect(database)
    with connection:
        connection.executemany(
            "INSERT INTO graph_nodes (id, kind, label, namespace) VALUES (?, ?, ?, 'app')",
            ((name, KINDS[place % 4], f"method{place}") for place, name in enumerate(names)),
        )
        connection.executemany(
            "INSERT INTO graph_edges (id, src, dst, relationship, weight, created_at) VALUES (?, ?, ?, ?, ?, 0)",
            (
                (
                    str(uuid.UUID(int=numbers.getrandbits(128))),
                    names[older],
                    names[younger],
                    RELATIONSHIPS[place % 5],
                    0.5 if place % 5 == 4 else 1.0,
                )
                for place, (older, younger) in enumerate(zip(src.tolist(), dst.tolist(), strict=True))
            ),
        )
    connection.close()
    return names


def at_size(nodes: int, edges: int, *, with_networkx: bool) -> dict[str, Any]:
    """Measure one size."""
    with tempfile.TemporaryDirectory() as folder, Engine(home=folder, embed_provider="off") as engine:
        engine.store.generation()
        names = fill(engine.settings.database_path, nodes, edges)
        engine.store.graph_written()
        graph = load(engine.store)
        cost = {"load": measure.cpu_ms(lambda: load(engine.store))}
        cost["load_after_a_change"] = followed(engine, graph, names)
        cost |= algorithms(graph)
        row: dict[str, Any] = {"nodes": graph.size, "edges": len(graph.src)}
        row["cpu_ms"] = {name: round(value, 1) for name, value in cost.items()}
        row["cpu_ms"]["recompute_centrality"] = round(measure.cpu_ms(engine.graph.recompute), 1)
        row["impact_cpu_ms"] = measure.summary(
            queries(graph, lambda place: impact(graph, [place], most_depth=IMPACT_DEPTH))
        )
        row["spread_cpu_ms"] = measure.summary(queries(graph, lambda place: spread(graph, place, 2)))
        row["rss_mb"] = measure.rss_mb()
        if with_networkx:
            row["networkx_cpu_ms"] = networkx_costs(graph)
        if nodes == BAR_NODES:
            measured = {**row["cpu_ms"], "impact_p95": row["impact_cpu_ms"]["p95"]}
            row["within_bars"] = {name: measured[name] <= bar for name, bar in BARS_MS.items()}
        return row


def followed(engine: Engine, graph: Graph, names: list[str]) -> float:
    """Measure bringing the graph up to date after one new edge."""
    with engine.store.transaction("bench") as transaction:
        transaction.insert(Edge(id="new", src=names[-1], dst=names[0], relationship="CALLS"))
    return measure.cpu_ms(lambda: load(engine.store, graph))


def algorithms(graph: Graph) -> dict[str, float]:
    """Measure each algorithm once; the arrays that several of them need are made first and counted apart."""
    cost = {
        "rows_both_ways": measure.cpu_ms(lambda: (graph.outgoing, graph.incoming)),
        "undirected": measure.cpu_ms(lambda: graph.undirected),
    }
    links = graph.undirected
    work: dict[str, Callable[[], object]] = {
        "pagerank": lambda: pagerank(arcs(graph, both_ways=MUTUAL)),
        "communities": lambda: communities(links),
        "betweenness": lambda: betweenness(links.starts, links.ends),
        "components": lambda: components(graph),
        "strong_components": lambda: strong_components(graph),
    }
    return cost | {name: measure.cpu_ms(run) for name, run in work.items()}


def queries(graph: Graph, ask: Callable[[int], object]) -> list[float]:
    """Measure a question about each of some nodes."""
    places = np.random.default_rng(5).integers(0, graph.size, QUERIES).tolist()
    return [measure.cpu_ms(lambda place=place: ask(place)) for place in places]


def networkx_costs(graph: Graph) -> dict[str, float]:
    """Measure networkx on the same graph, where it is installed; what it has no way of doing here is left out."""
    try:
        import networkx as nx
    except ImportError:
        return {}
    made: list[Any] = []

    def make() -> None:
        twin = nx.DiGraph()
        twin.add_nodes_from(range(graph.size))
        twin.add_weighted_edges_from(zip(graph.src.tolist(), graph.dst.tolist(), graph.weights.tolist(), strict=True))
        made.append(twin)

    cost = {"load": measure.cpu_ms(make)}
    directed, undirected = made[0], made[0].to_undirected()
    sources = len(sampled_sources(graph.size, len(graph.undirected.ends)))
    work: dict[str, Callable[[], object]] = {
        "pagerank": lambda: nx.pagerank(directed),
        "communities": lambda: nx.community.louvain_communities(undirected, seed=1),
        "betweenness": lambda: nx.betweenness_centrality(undirected, k=sources, seed=1),
        "components": lambda: list(nx.weakly_connected_components(directed)),
        "strong_components": lambda: list(nx.strongly_connected_components(directed)),
    }
    for name, run in work.items():
        try:
            cost[name] = measure.cpu_ms(run)
        except ImportError:  # networkx ranks pages with scipy, which may not be there
            continue
    return {name: round(value, 1) for name, value in cost.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("nodes", type=int)
    parser.add_argument("edges", type=int)
    parser.add_argument("--networkx", action="store_true", help="measure networkx beside it, if it is installed")
    chosen = parser.parse_args()
    sys.stdout.write(json.dumps(at_size(chosen.nodes, chosen.edges, with_networkx=chosen.networkx)))


if __name__ == "__main__":
    main()
