"""Candidates of a task: predict the files it needs, each with its evidence.

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

from recollect.engine import Neighbour, Sources, spoken_of, touched
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Hit

# Results of a search: more than fit.
SEARCHED = 250
# The rank at which a result counts half as much as the first.
HALF_RANK = 8
# The same for files by rare words, which fill the room that better evidence leaves.
HELD_HALF_RANK = 30
# Files whose neighbours are candidates, and how many of each kind.
SEEDS = 10
NEIGHBOURS = 15
# Weights of evidence; the first result of a search has 1. A change of a file needs its tests, the definitions it uses,
# and some of its dependents.
NAMED = 3.0
WORDED = 0.5
HELD = 0.7
USED, USES, TESTS, SIBLING_TEST = 0.30, 0.30, 0.35, 0.45
EDITED, READ = 0.30, 0.15
REMEMBERED = 0.50
# Weights of files in the same folder, in the folder above (a third of that), and of description words in a path: less
# than any other evidence, so that they only fill the remaining room with outlines.
NEARBY, ABOVE, IN_PATH = 0.01, 0.33, 0.01
# The best files whose folders count.
FOLDERS_OF = 40
# The weight of a search by the first line alone, the title of a longer description.
TITLE = 0.7
TITLE_CHARACTERS = 200
# Memories that are placed with a task.
MEMORIES = 8

_WORD = re.compile(r"[A-Za-z]{4,}")
_DOCUMENTS = frozenset({"markdown", "rst", "asciidoc", "json", "yaml", "toml", "html", "css", None})
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
    """Candidates of a task: files, best first, memories, and notes."""

    files: list[Candidate]
    memories: list[Hit]
    notes: tuple[str, ...]


class _Evidence:
    """Scores, reasons and symbols of each file."""

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
    """Return the files that a task may need, most likely first, and related memories."""
    evidence = _Evidence(sources)
    for path in files:
        evidence.add(path, NAMED, "named in the task")
    notes = _searched(engine, sources, evidence, description)
    _worded(sources, evidence, description)
    _held(sources, evidence, description)
    memories = _remembered(engine, sources, evidence, description)
    _seen(engine, sources, evidence)
    _beside(sources, evidence)
    _around_folders(sources, evidence, description)
    found = [
        Candidate(
            path,
            evidence.scores[path],
            tuple(dict.fromkeys(evidence.why[path])),
            tuple(dict.fromkeys(evidence.symbols.get(path, ()))),
            path in files,
            path in evidence.near,
        )
        for path in evidence.ranked()
    ]
    return Found(found, memories, (*notes, *sources.notes))


def _searched(engine: Engine, sources: Sources, evidence: _Evidence, description: str) -> tuple[str, ...]:
    found = engine.code.search(description, limit=SEARCHED, namespace=sources.namespace)
    root = sources.tree.root if sources.tree is not None else ""
    for rank, hit in enumerate(hit for hit in found.hits if hit.root == root):
        evidence.add(hit.path, 1 / (1 + rank / HALF_RANK), f"search rank {rank + 1}: {hit.reason}", hit.symbol)
    title = description.strip().partition("\n")[0][:TITLE_CHARACTERS]
    if len(title) < len(description.strip()) and len(title.split()) > 1:
        short = engine.code.search(title, limit=SEARCHED, namespace=sources.namespace)
        for rank, hit in enumerate(hit for hit in short.hits if hit.root == root):
            worth = TITLE / (1 + rank / HALF_RANK)
            evidence.add(hit.path, worth, f"search by first line, rank {rank + 1}", hit.symbol)
    return found.notes


def _worded(sources: Sources, evidence: _Evidence, description: str) -> None:
    """Add keyword matches in all files: a code search for a long text omits tests."""
    for rank, row in enumerate(sources.worded(description)[:SEARCHED]):
        evidence.add(row.path, WORDED / (1 + rank / HALF_RANK), f"keyword match, rank {rank + 1}", *row.symbols)


def _held(sources: Sources, evidence: _Evidence, description: str) -> None:
    """Add files that contain rare words: a change also concerns files on other topics."""
    code = (path for path in sources.holding(description) if sources.files[path].language not in _DOCUMENTS)
    for rank, path in enumerate(islice(code, SEARCHED)):
        why = "" if path in evidence.scores else f"matches rare words, rank {rank + 1}"  # other evidence says more
        evidence.add(path, HELD / (1 + rank / HELD_HALF_RANK), why)


def _remembered(engine: Engine, sources: Sources, evidence: _Evidence, description: str) -> list[Hit]:
    found = engine.recall.search(description, limit=MEMORIES, namespace=sources.namespace, judge=False, code=False)
    about = spoken_of(engine.store, [hit.memory.id for hit in found.hits])
    for hit in found.hits:
        for path in dict.fromkeys(about.get(hit.memory.id, ())):
            title = hit.memory.title or hit.memory.content[:60]
            evidence.add(path, REMEMBERED * hit.score, f"mentioned in a memory: {title}")
    return list(found.hits)


def _seen(engine: Engine, sources: Sources, evidence: _Evidence) -> None:
    """Add recently edited and read files, the last ones most."""
    root = sources.tree.root if sources.tree is not None else ""
    for rank, row in enumerate(touched(engine.store, sources.namespace, root)):
        worth, verb = (EDITED, "changed") if row.changed else (READ, "read")
        evidence.add(row.path, worth / (1 + rank / HALF_RANK), f"{verb} recently")


def _beside(sources: Sources, evidence: _Evidence) -> None:
    """Add the dependencies, dependents and tests of the best files."""
    seeds = evidence.ranked()[:SEEDS]
    best = evidence.scores[seeds[0]] if seeds else 1.0
    for seed in seeds:
        weight = min(1.0, evidence.scores[seed] / best)
        for path, score, why in _around(sources, seed):
            evidence.add(path, weight * score, why)


def _around_folders(sources: Sources, evidence: _Evidence, description: str) -> None:
    """Add files without other evidence by their folder and name."""
    ranked = evidence.ranked()
    if len(ranked) < SEEDS:
        return  # in a small project a shared folder is no evidence
    folders: dict[str, float] = {}
    for path in ranked[:FOLDERS_OF]:
        for worth, folder in zip((1.0, ABOVE), PurePosixPath(path).parents, strict=False):
            folders[str(folder)] = folders.get(str(folder), 0.0) + worth * evidence.scores[path]
    words = {word.lower() for word in _WORD.findall(description)}
    most = max(folders.values(), default=1.0)
    for path, source in sources.files.items():
        if path in evidence.scores or source.language in _DOCUMENTS:
            continue
        near = folders.get(str(PurePosixPath(path).parent), 0.0) / most
        called = len(words.intersection(_WORD.findall(path.lower().replace("_", " "))))
        if near or called:
            evidence.near.add(path)
            evidence.add(path, NEARBY * near + IN_PATH * called, "near relevant files" if near else "name match")


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
    """Yield neighbours with their links relative to the closest one."""
    most = max((row.links for row in rows), default=1)
    for row in rows:
        yield row, row.links / most


def _tests_by_name(sources: Sources, path: str) -> list[str]:
    """Return tests named after a file: test_cache.py, cache_test.go, CacheTest.java, cache.spec.ts."""
    plain = _plain(path)
    tests = (other for other, source in sources.files.items() if source.is_test)
    called = {f"test{plain}", f"tests{plain}", f"{plain}test", f"{plain}tests", f"{plain}spec"}
    return [other for other in tests if plain and _plain(other) in called]


def _plain(path: str) -> str:
    """Return the stem of a file, letters and digits only."""
    return _NO_LETTER.sub("", PurePosixPath(path).stem.lower())
