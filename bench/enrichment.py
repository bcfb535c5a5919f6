"""What enrichment earns: the same memories with tags and links, embedded each way, asked four kinds of questions.

    python bench/enrichment.py [--json]

A constructed project: services with an overview each, and notes that belong to a service by a tag, by a link, or say
themselves what they are about. Notes of different services say the same but for a value, as notes do, so that only
knowing where a note belongs tells which one answers. Nothing here was used to fit anything.

    own words   a note says it, the question puts it otherwise
    by tag      the question names the service, the note only has its tag
    by link     the question names the service, the note is only linked to its overview
    overview    the question asks for the overview itself

Prints a table: how often the right memory comes first, and the mean reciprocal rank.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

from recollect import Engine
from recollect.engine.models.embedded_text import ENRICHMENTS

# Service, its tag, and what its overview says after its name.
SERVICES = (
    ("Payment gateway", "payment", "takes card data from the shop and talks to the banks"),
    ("Search index", "search", "answers what customers type into the box at the top"),
    ("Mail sender", "mail", "puts receipts and newsletters on their way"),
    ("Image resizer", "image", "makes thumbnails of what sellers upload"),
    ("Login service", "login", "knows who somebody is and for how long"),
    ("Stock counter", "stock", "says how many of a thing are left in which warehouse"),
    ("Price engine", "price", "works out what a thing costs whom today"),
    ("Audit trail", "audit", "keeps who did what for as long as the law wants it"),
    ("Report builder", "report", "turns a month of orders into a page for accountants"),
    ("Chat widget", "chat", "lets customers talk to whoever is on duty"),
)

# What every service has one of: the note, and what is asked about it. The value differs.
NOTES = (
    ("Requests are given up after {} seconds.", "How long until the {} times out?"),
    ("It listens on port {} in production.", "Which port does the {} use?"),
    ("At most {} attempts are made before an operator is called.", "How often does the {} retry?"),
    ("Deployments happen on the {} of the month, never on another day.", "When is the {} deployed?"),
    ("{} people can change its configuration.", "How many people may configure the {}?"),
    ("Its logs are thrown away after {} days.", "How long does the {} keep logs?"),
)

# Notes that say what they are about, and a question in other words.
OWN = (
    (
        "We chose SQLite over a server because nobody wants to run a daemon on a laptop.",
        "Why is there no database server?",
    ),
    ("Never commit generated files; the pipeline makes them anew and compares.", "May build output be checked in?"),
    ("A feature flag lives for two releases at most, then its code goes.", "When are old toggles removed?"),
    ("Reviewers answer within a day or pass the review on.", "How fast must a pull request be looked at?"),
    ("The flaky browser test was caused by an animation that had not ended.", "What made the UI test fail at random?"),
    ("Money is kept in whole cents, floats are refused by the linter.", "How are amounts of currency represented?"),
    ("All times are stored in UTC and shown in the zone of the reader.", "Which timezone do we save timestamps in?"),
    ("Secrets come from the vault at start, a file with them is a bug.", "Where do credentials come from?"),
    ("The memory leak was a cache without a bound; it has one of ten thousand now.", "What was eating up RAM?"),
    ("We write commit messages in the imperative, one line, no full stop.", "What style do commit titles follow?"),
    (
        "New endpoints need a contract test before anybody may call them.",
        "What is required before an API route is used?",
    ),
    ("The nightly backup is restored every Sunday to prove that it can be.", "How do we know that backups work?"),
)
ASIDE = (
    "Standup moved to ten because of the school run.",
    "The coffee machine on the third floor is broken again.",
    "Anna is on leave until the end of the month.",
    "The old wiki is read-only now.",
    "The office closes at eight, take the side door after that.",
    "Travel has to be booked through the portal.",
    "The projector in the large room needs an adapter.",
    "Lunch with the design team is every other Thursday.",
)
# Tags as a hook writes them; they say nothing that a question would.
CAPTURED = (("ext:md", "dir:docs", "file:notes.md"), (), ("ext:py", "dir:src", "file:main.py"))


class Asked(NamedTuple):
    kind: str
    text: str
    answer: str


def fill(engine: Engine) -> Iterator[Asked]:
    """Store the project and yield what is asked of it."""
    for number, (service, tag, purpose) in enumerate(SERVICES):
        hub = engine.memories.store(
            f"The {service.lower()} {purpose}.", title=service, memory_type="insight", namespace="shop"
        ).memory.id
        yield Asked("overview", f"What is the {service.lower()} for?", hub)
        for place, (note, question) in enumerate(NOTES):
            by_tag = (number + place) % 2 == 0
            stored = engine.memories.store(
                note.format(7 * number + 3 * place + 2),
                memory_type="decision",
                namespace="shop",
                tags=(tag,) if by_tag else ("operations",),
                deduplicate=False,
            ).memory.id
            if not by_tag:
                engine.memories.associate(stored, hub, relationship="PART_OF")
            yield Asked("by tag" if by_tag else "by link", question.format(service.lower()), stored)
    handbook = engine.memories.store(
        "How we work together, for those who join.", title="Team handbook", namespace="shop"
    ).memory.id
    for number, note in enumerate((*(note for note, _ in OWN), *ASIDE)):
        stored = engine.memories.store(note, namespace="shop", tags=("team", *CAPTURED[number % 3])).memory.id
        engine.memories.associate(stored, handbook, relationship="PART_OF")
        if number < len(OWN):
            yield Asked("own words", OWN[number][1], stored)


def judged(enrichment: str) -> dict[str, dict[str, float]]:
    """Return, by kind of question, how often the right memory comes first and its mean reciprocal rank."""
    ranks: dict[str, list[float]] = {}
    with tempfile.TemporaryDirectory() as home, Engine(home=home, enrichment=enrichment) as engine:
        questions = list(fill(engine))
        engine.embedding.catch_up()
        for kind, text, answer in questions:
            found = [hit.memory.id for hit in engine.recall.search(text, limit=50, min_score=0.0).hits]
            rank = 1 / (found.index(answer) + 1) if answer in found else 0.0
            ranks.setdefault(kind, []).append(rank)
            ranks.setdefault("all", []).append(rank)
    return {
        kind: {
            "n": len(values),
            "first": round(sum(value == 1 for value in values) / len(values), 3),
            "mrr": round(sum(values) / len(values), 3),
        }
        for kind, values in ranks.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    chosen = parser.parse_args()
    results: dict[str, Any] = {name: judged(name) for name in ENRICHMENTS}
    if chosen.json:
        sys.stdout.write(json.dumps(results, indent=2) + "\n")
        return
    kinds = list(results["off"])
    sys.stdout.write(f"| first / MRR | {' | '.join(kinds)} |\n| --- |{' ---: |' * len(kinds)}\n")
    for name, found in results.items():
        cells = [f"{100 * found[kind]['first']:.0f} / {100 * found[kind]['mrr']:.1f}" for kind in kinds]
        sys.stdout.write(f"| {name} | {' | '.join(cells)} |\n")


if __name__ == "__main__":
    main()
