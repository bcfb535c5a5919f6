"""Fill: predict which files a task needs; every file comes with its evidence.

description ─► search ─┐
files named ───────────┼─► seeds ─► what they use, what uses them, their tests ─┐
edits, errors, memories┘                                                        ├─► ranked candidates
                       └────────────────────────────────────────────────────────┘
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine.evidence import spoken_of, touched
from recollect.engine.sources import Neighbour, Sources
from recollect.text.plural import plural

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Hit

# Places that a search is asked for: more than fit.
SEARCHED = 250
# The rank at which a place counts half of what the first one does.
HALF_RANK = 8
# The same where a file counts as a whole: it fills what room is left once the best places are taken.
HELD_HALF_RANK = 30
# Files whose neighbours are looked at, and how many of each kind.
SEEDS = 10
NEIGHBOURS = 15
# What each kind of evidence counts, beside the first place of a search with 1. A test of a file is needed whenever the
# file is changed; what a file uses says how to use it; of what uses it some has to follow.
NAMED = 3.0
WORDED = 0.5
HELD = 0.7
USED, USES, TESTS, SIBLING_TEST = 0.30, 0.30, 0.35, 0.45
EDITED, READ = 0.30, 0.15
REMEMBERED = 0.50
# What lies in the folder of such a file counts this much of it, in the folder above a third of that, and a word of the
# description in a path this much: less than any other evidence, so that it fills what room is left with outlines.
NEARBY, ABOVE, IN_PATH = 0.01, 0.33, 0.01
# Of so many of the best files the folders are looked at.
FOLDERS_OF = 40
# What the first line of a longer description counts, asked by itself: it says in a few words what the rest is about.
TITLE = 0.7
TITLE_CHARACTERS = 200
# Memories that are taken along.
MEMORIES = 8

_WORD = re.compile(r"[A-Za-z]{4,}")
_DOCUMENTS = frozenset({"markdown", "json", "yaml", "toml", "html", "css", None})
_NO_LETTER = re.compile(r"[^a-z0-9]")


class Candidate(NamedTuple):
    """A file that a task may need: its score, the reasons, and its relevant symbols.

    is_named: given with the task. is_near: its folder or its name is the only evidence
    """

    path: str
    score: float
    why: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    is_named: bool = False
    is_near: bool = False


class Found(NamedTuple):
    """What was found for a task: files, best first, memories, and what to know about it."""

    files: list[Candidate]
    memories: list[Hit]
    notes: tuple[str, ...]


class _Ballot:
    """The evidence for each file so far."""

    def __init__(self, sources: Sources) -> None:
        self._known = sources.files
        self.scores: dict[str, float] = {}
        self.why: dict[str, list[str]] = {}
        self.symbols: dict[str, list[str]] = {}
        self.near: set[str] = set()

    def add(self, path: str, score: float, why: str, *symbols: str) -> None:
        if path not in self._known:
            return
        self.scores[path] = self.scores.get(path, 0.0) + score
        self.why.setdefault(path, []).extend(filter(None, (why,)))
        self.symbols.setdefault(path, []).extend(filter(None, symbols))

    def ranked(self) -> list[str]:
        return sorted(self.scores, key=lambda path: (-self.scores[path], path))


def candidates(engine: Engine, sources: Sources, description: str, files: Sequence[str] = ()) -> Found:
    """Return the files that a task may need, most likely first, and the memories that bear on it."""
    ballot = _Ballot(sources)
    for path in files:
        ballot.add(path, NAMED, "named in the task")
    notes = _searched(engine, sources, ballot, description)
    _worded(sources, ballot, description)
    _held(sources, ballot, description)
    memories = _remembered(engine, sources, ballot, description)
    _seen(engine, sources, ballot)
    _beside(sources, ballot)
    _around_folders(sources, ballot, description)
    found = [
        Candidate(
            path,
            ballot.scores[path],
            tuple(dict.fromkeys(ballot.why[path])),
            tuple(dict.fromkeys(ballot.symbols.get(path, ()))),
            path in files,
            path in ballot.near,
        )
        for path in ballot.ranked()
    ]
    return Found(found, memories, (*notes, *sources.notes))


def _searched(engine: Engine, sources: Sources, ballot: _Ballot, description: str) -> tuple[str, ...]:
    found = engine.code.search(description, limit=SEARCHED, namespace=sources.namespace)
    root = sources.tree.root if sources.tree is not None else ""
    for rank, hit in enumerate(hit for hit in found.hits if hit.root == root):
        ballot.add(hit.path, 1 / (1 + rank / HALF_RANK), f"search rank {rank + 1}: {hit.reason}", hit.symbol)
    title = description.strip().partition("\n")[0][:TITLE_CHARACTERS]
    if len(title) < len(description.strip()) and len(title.split()) > 1:
        short = engine.code.search(title, limit=SEARCHED, namespace=sources.namespace)
        for rank, hit in enumerate(hit for hit in short.hits if hit.root == root):
            worth = TITLE / (1 + rank / HALF_RANK)
            ballot.add(hit.path, worth, f"search by first line, rank {rank + 1}", hit.symbol)
    return found.notes


def _worded(sources: Sources, ballot: _Ballot, description: str) -> None:
    """Count the words alone, over all files: a search for a long text leaves tests out, which a task needs."""
    for rank, row in enumerate(sources.worded(description)[:SEARCHED]):
        ballot.add(row.path, WORDED / (1 + rank / HALF_RANK), f"keyword match, rank {rank + 1}", *row.symbols)


def _held(sources: Sources, ballot: _Ballot, description: str) -> None:
    """Count which files hold the words at all: a change concerns files that are about something else."""
    code = (path for path in sources.holding(description) if sources.files[path].language not in _DOCUMENTS)
    for rank, path in enumerate(islice(code, SEARCHED)):
        why = "" if path in ballot.scores else f"matches rare words, rank {rank + 1}"  # what was found holds them, too
        ballot.add(path, HELD / (1 + rank / HELD_HALF_RANK), why)


def _remembered(engine: Engine, sources: Sources, ballot: _Ballot, description: str) -> list[Hit]:
    found = engine.recall.search(description, limit=MEMORIES, namespace=sources.namespace, judge=False, code=False)
    about = spoken_of(engine, [hit.memory.id for hit in found.hits])
    for hit in found.hits:
        for path in dict.fromkeys(about.get(hit.memory.id, ())):
            title = hit.memory.title or hit.memory.content[:60]
            ballot.add(path, REMEMBERED * hit.score, f"mentioned in a memory: {title}")
    return list(found.hits)


def _seen(engine: Engine, sources: Sources, ballot: _Ballot) -> None:
    """Count what was worked on lately: the last ones most."""
    root = sources.tree.root if sources.tree is not None else ""
    for rank, row in enumerate(touched(engine, sources.namespace, root)):
        worth, verb = (EDITED, "changed") if row.changed else (READ, "read")
        ballot.add(row.path, worth / (1 + rank / HALF_RANK), f"{verb} recently")


def _beside(sources: Sources, ballot: _Ballot) -> None:
    """Count the files that the best files so far use or are used by."""
    seeds = ballot.ranked()[:SEEDS]
    best = ballot.scores[seeds[0]] if seeds else 1.0
    for seed in seeds:
        weight = min(1.0, ballot.scores[seed] / best)
        for path, score, why in _around(sources, seed):
            ballot.add(path, weight * score, why)


def _around_folders(sources: Sources, ballot: _Ballot, description: str) -> None:
    """Count folder and name of the files that have no other evidence."""
    ranked = ballot.ranked()
    if len(ranked) < SEEDS:
        return  # in a project of a few files all lie beside each other, and that says nothing
    folders: dict[str, float] = {}
    for path in ranked[:FOLDERS_OF]:
        for worth, folder in zip((1.0, ABOVE), PurePosixPath(path).parents, strict=False):
            folders[str(folder)] = folders.get(str(folder), 0.0) + worth * ballot.scores[path]
    words = {word.lower() for word in _WORD.findall(description)}
    most = max(folders.values(), default=1.0)
    for path, source in sources.files.items():
        if path in ballot.scores or source.language in _DOCUMENTS:
            continue
        near = folders.get(str(PurePosixPath(path).parent), 0.0) / most
        called = len(words.intersection(_WORD.findall(path.lower().replace("_", " "))))
        if near or called:
            ballot.near.add(path)
            ballot.add(path, NEARBY * near + IN_PATH * called, "near relevant files" if near else "name match")


def _around(sources: Sources, seed: str) -> Iterator[tuple[str, float, str]]:
    users = sources.users(seed)
    tests = [row for row in users if sources.files[row.path].is_test]
    others = [row for row in users if not sources.files[row.path].is_test]
    for rows, worth, verb in ((sources.uses(seed), USED, "used by"), (others, USES, "uses"), (tests, TESTS, "tests")):
        for row, share in _shares(rows[:NEIGHBOURS]):
            yield row.path, worth * share, f"{verb} {seed} ({plural(row.links, 'link')})"
    if not sources.files[seed].is_test:
        for path in _tests_by_name(sources, seed):
            yield path, SIBLING_TEST, f"tests {seed} (by name)"


def _shares(rows: Sequence[Neighbour]) -> Iterator[tuple[Neighbour, float]]:
    """Yield neighbours with how close they are to the closest one."""
    most = max((row.links for row in rows), default=1)
    for row in rows:
        yield row, row.links / most


def _tests_by_name(sources: Sources, path: str) -> list[str]:
    """Return the tests that are called like a file: test_cache.py, cache_test.go, CacheTest.java, cache.spec.ts."""
    plain = _plain(path)
    tests = (other for other, source in sources.files.items() if source.is_test)
    called = {f"test{plain}", f"tests{plain}", f"{plain}test", f"{plain}tests", f"{plain}spec"}
    return [other for other in tests if plain and _plain(other) in called]


def _plain(path: str) -> str:
    """Return the name of a file without folders, extension and whatever is no letter or digit."""
    return _NO_LETTER.sub("", PurePosixPath(path).stem.lower())
