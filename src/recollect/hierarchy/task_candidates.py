"""Candidates of a task: how likely it changes each file, by the evidence for it.

description ─► search ─┐
files named ───────────┼─► seeds ─► what they use, what uses them, their tests, what changes with them ─┐
edits, errors, memories┘                                                                                ├─► chances
                       └────────────────────────────────────────────────────────────────────────────────┘

The chance is logistic in the evidence. The weights are those of a regression over 66 commits of eleven repositories
(bench/hierarchy.py makes such tasks), rounded; ADR 54 has those of similar and recent commits.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from recollect.engine import Neighbour, Sources, code_terms, spoken_of, touched
from recollect.hierarchy.file_forms import shortened
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import Hit

# Results of a search: more than fit.
SEARCHED = 250
# The rank at which a result counts half as much as the first: of a search, of a keyword search in all files, and of
# files with rare words, which other evidence has to confirm.
HALF_RANK, WORDED_HALF_RANK, HELD_HALF_RANK = 4, 6, 15
# Files whose neighbours are candidates, and how many of each kind.
SEEDS = 10
NEIGHBOURS = 15
# Log-odds: of a file without evidence, and of each kind of evidence at its strongest. A search by the first line finds
# more than one by the whole text; a description of one line has both.
NOTHING = -6.7
SEARCH, TITLE, WORDED, HELD, CALLED = 0.5, 1.9, 1.9, 1.5, 1.1
USED, USES, TESTS, SIBLING_TEST = 0.3, 1.1, 1.2, 0.5
TOGETHER, SIMILAR, OFTEN, CHANGED_LATELY = 2.0, 1.0, 0.5, 0.8
DOCUMENT = -2.7
# Commits that the share of common ones is diluted with: of two commits, both together are chance.
FEW_COMMITS = 3
# The share of common commits, and the similarity of a commit beside the most similar ones, that are shown as reasons.
LEAST_TOGETHER, LEAST_SIMILAR, SUBJECT_CHARACTERS = 0.1, 0.5, 60
# Commits after which a change counts a third as much.
LATELY = 30
# The same of what no commit shows: a file that the task names is needed; one that was edited or read just now, or that
# a related memory is about, is about as likely as one that a search finds.
NAMED, EDITED, READ, REMEMBERED = 12.0, 3.0, 1.5, 3.0
TITLE_CHARACTERS = 200
# Paths in a description that count as named.
MOST_MENTIONED = 5
# Memories that are placed with a task.
MEMORIES = 8

_DOCUMENTS = frozenset({"markdown", "rst", "asciidoc", "json", "yaml", "toml", "html", "css", None})
_NO_LETTER = re.compile(r"[^a-z0-9]")
_PATH = re.compile(r"[\w./-]*\w\.\w{1,8}\b")
_TEST_WORD = re.compile(r"^tests?|(?:tests?|spec)$")
# A task of one line about texts needs few files. Comments and docstrings are also what a parser or formatter works on.
_ABOUT_TEXT = re.compile(
    r"\b(?:typos?|misspell\w*|spelling|grammar|wording|docs?|documentation|readme|changelog)\b", re.I
)


class Candidate(NamedTuple):
    """A file that a task may need: its chance, the reasons, and its relevant symbols. is_named: the task names it"""

    path: str
    chance: float
    why: tuple[str, ...]
    symbols: tuple[str, ...] = ()
    is_named: bool = False


class Found(NamedTuple):
    """Candidates of a task: files, best first, memories, and notes."""

    files: list[Candidate]
    memories: list[Hit]
    notes: tuple[str, ...]


class _Evidence:
    """Log-odds, reasons and symbols of each file; of one kind of evidence the strongest counts."""

    def __init__(self, sources: Sources, *, is_text: bool) -> None:
        self._known, self._is_text = sources.files, is_text
        self._found: dict[str, dict[str, float]] = {}
        self.why: dict[str, list[str]] = {}
        self.symbols: dict[str, list[str]] = {}

    def add(self, path: str, kind: str, worth: float, why: str, *symbols: str) -> None:
        if path not in self._known:
            return
        is_document = self._known[path].language in _DOCUMENTS and not self._is_text
        kinds = self._found.setdefault(path, {"document": DOCUMENT} if is_document else {})
        kinds[kind] = max(kinds.get(kind, worth), worth)
        self.why.setdefault(path, []).extend(filter(None, (why,)))
        self.symbols.setdefault(path, []).extend(filter(None, symbols))

    def odds(self, path: str) -> float:
        return NOTHING + sum(self._found.get(path, {}).values())

    def ranked(self) -> list[str]:
        return sorted(self._found, key=lambda path: (-self.odds(path), path))

    def seeds(self) -> list[tuple[str, float]]:
        """Return the best files, each with a weight relative to the first."""
        best = self.ranked()[:SEEDS]
        return [(path, math.exp((self.odds(path) - self.odds(best[0])) / 2)) for path in best]


def is_about_text(description: str) -> bool:
    """Return whether a task is one line about documentation or a typo."""
    return "\n" not in description.strip() and bool(_ABOUT_TEXT.search(description))


def mentioned(sources: Sources, description: str) -> list[str]:
    """Return the indexed files whose path or file name a description has."""
    found = (sources.meant(name) for name in _PATH.findall(description))
    return list(islice(dict.fromkeys(path for path in found if path is not None), MOST_MENTIONED))


def candidates(engine: Engine, sources: Sources, description: str, files: Sequence[str] = ()) -> Found:
    """Return the files that a task may need, most likely first, and related memories."""
    evidence = _Evidence(sources, is_text=is_about_text(description))
    for path in files:
        evidence.add(path, "named", NAMED, "named in the task")
    notes = _searched(engine, sources, evidence, description)
    _worded(sources, evidence, description)
    memories = _remembered(engine, sources, evidence, description)
    _seen(engine, sources, evidence)
    _called(evidence, description)
    _beside(sources, evidence)
    _changed(sources, evidence, description)
    found = [
        Candidate(
            path,
            1 / (1 + math.exp(-evidence.odds(path))),
            tuple(dict.fromkeys(evidence.why[path])),
            tuple(dict.fromkeys(evidence.symbols[path])),
            path in files,
        )
        for path in evidence.ranked()
    ]
    return Found(found, memories, (*notes, *sources.notes))


def _searched(engine: Engine, sources: Sources, evidence: _Evidence, description: str) -> tuple[str, ...]:
    found = engine.code.search(description, limit=SEARCHED, namespace=sources.namespace)
    root = sources.tree.root if sources.tree is not None else ""
    title = description.strip().partition("\n")[0][:TITLE_CHARACTERS]
    is_short = len(title) == len(description.strip()) or len(title.split()) < 2
    for rank, hit in enumerate(hit for hit in found.hits if hit.root == root):
        share = (SEARCH + TITLE * is_short) / (1 + rank / HALF_RANK)
        evidence.add(hit.path, "search", share, f"search rank {rank + 1}: {hit.reason}", hit.symbol)
    if not is_short:
        short = engine.code.search(title, limit=SEARCHED, namespace=sources.namespace)
        for rank, hit in enumerate(hit for hit in short.hits if hit.root == root):
            share = TITLE / (1 + rank / HALF_RANK)
            evidence.add(hit.path, "title", share, f"search by first line, rank {rank + 1}", hit.symbol)
    return found.notes


def _worded(sources: Sources, evidence: _Evidence, description: str) -> None:
    """Add keyword matches in all files, tests included, and files that contain rare words."""
    for rank, row in enumerate(sources.worded(description)[:SEARCHED]):
        share = WORDED / (1 + rank / WORDED_HALF_RANK)
        evidence.add(row.path, "words", share, f"keyword match, rank {rank + 1}", *row.symbols)
    for rank, path in enumerate(sources.holding(description)[:SEARCHED]):
        why = "" if path in evidence.why else f"matches rare words, rank {rank + 1}"  # other evidence says more
        evidence.add(path, "rare words", HELD / (1 + rank / HELD_HALF_RANK), why)


def _remembered(engine: Engine, sources: Sources, evidence: _Evidence, description: str) -> list[Hit]:
    found = engine.recall.search(description, limit=MEMORIES, namespace=sources.namespace, judge=False, code=False)
    about = spoken_of(engine.store, [hit.memory.id for hit in found.hits])
    for hit in found.hits:
        for path in dict.fromkeys(about.get(hit.memory.id, ())):
            title = hit.memory.title or hit.memory.content[:60]
            evidence.add(path, "memory", REMEMBERED * hit.score, f"mentioned in a memory: {title}")
    return list(found.hits)


def _seen(engine: Engine, sources: Sources, evidence: _Evidence) -> None:
    """Add recently edited and read files, the last ones most."""
    root = sources.tree.root if sources.tree is not None else ""
    for rank, row in enumerate(touched(engine.store, sources.namespace, root)):
        worth, verb = (EDITED, "changed") if row.changed else (READ, "read")
        evidence.add(row.path, "seen", worth / (1 + rank / HALF_RANK), f"{verb} recently")


def _called(evidence: _Evidence, description: str) -> None:
    """Add the files whose name is in the description."""
    words = _NO_LETTER.sub("", description.lower())
    for path in evidence.ranked():
        stem = _TEST_WORD.sub("", _plain(path))
        if len(stem) > 2 and stem in words:
            evidence.add(path, "name", CALLED, "")


def _beside(sources: Sources, evidence: _Evidence) -> None:
    """Add the dependencies, dependents and tests of the best files."""
    for seed, weight in evidence.seeds():
        for path, kind, share, why in _around(sources, seed):
            evidence.add(path, kind, weight * share, why)


def _changed(sources: Sources, evidence: _Evidence, description: str) -> None:
    """Add files by the git history: changed with the best files, by similar commits, often, or recently."""
    times = Counter(path for _, paths in sources.changes for path in paths)
    for seed, weight in evidence.seeds():
        common = Counter(path for _, paths in sources.changes if seed in paths for path in paths if path != seed)
        for path, count in common.items():
            share = weight * count / (times[seed] + FEW_COMMITS)
            why = f"changed with {seed} in {plural(count, 'commit')}" if share > LEAST_TOGETHER else ""
            evidence.add(path, "together", TOGETHER * share, why)
    _similar(sources, evidence, description)
    lately: Counter[str] = Counter()
    for age, (_, paths) in enumerate(sources.changes):
        lately.update(dict.fromkeys(paths, math.exp(-age / LATELY)))
    for counts, kind, worth in ((times, "often", OFTEN), (lately, "lately", CHANGED_LATELY)):
        most = math.log1p(max(counts.values(), default=1))
        for path in evidence.ranked():
            evidence.add(path, kind, worth * math.log1p(counts[path]) / most, "")


def _similar(sources: Sources, evidence: _Evidence, description: str) -> None:
    """Add the files that commits with similar subjects changed."""
    words = [set(code_terms(subject)) for subject, _ in sources.changes]
    counts = Counter(term for found in words for term in found)
    rarity = {term: math.log((1 + len(words)) / (0.5 + count)) for term, count in counts.items()}
    title = sources.terms(description.strip().partition("\n")[0])
    asked = {term: rarity[term] * (2 if term in title else 1) for term in sources.terms(description) & rarity.keys()}
    sums: dict[str, float] = {}
    best: dict[str, tuple[float, str]] = {}
    for found, (subject, paths) in zip(words, sources.changes, strict=True):
        length = math.sqrt(sum(rarity[term] ** 2 for term in found))
        match = sum(asked[term] for term in found & asked.keys()) / length if length else 0.0
        for path in paths if match else ():
            sums[path] = sums.get(path, 0.0) + match * match
            best[path] = max(best.get(path, (0.0, "")), (match, subject))
    most = max(sums.values(), default=1.0)
    for path, found_sum in sums.items():
        share = math.sqrt(found_sum / most)
        why = f"changed by a similar commit: {shortened(best[path][1], SUBJECT_CHARACTERS)}"
        evidence.add(path, "similar", SIMILAR * share, why if share > LEAST_SIMILAR else "")


def _around(sources: Sources, seed: str) -> Iterator[tuple[str, str, float, str]]:
    users = sources.users(seed)
    tests = [row for row in users if sources.files[row.path].is_test]
    others = [row for row in users if not sources.files[row.path].is_test]
    for rows, worth, verb in ((sources.uses(seed), USED, "used by"), (others, USES, "uses"), (tests, TESTS, "tests")):
        for row, share in _shares(rows[:NEIGHBOURS]):
            yield row.path, verb, worth * share, f"{verb} {seed} ({plural(row.links, 'link')})"
    if not sources.files[seed].is_test:
        for path in _tests_by_name(sources, seed):
            yield path, "name of a test", SIBLING_TEST, f"tests {seed} (by name)"


def _shares(rows: Sequence[Neighbour]) -> Iterator[tuple[Neighbour, float]]:
    """Yield neighbours with their links relative to the closest one."""
    most = max((row.links for row in rows), default=1)
    for row in rows:
        yield row, row.links / most


def _tests_by_name(sources: Sources, path: str) -> list[str]:
    """Return tests named after a file (test_cache.py, CacheTest.java, cache.spec.ts), and a tests.py beside it."""
    plain, folder = _plain(path), PurePosixPath(path).parent
    tests = (other for other, source in sources.files.items() if source.is_test)
    called = {f"test{plain}", f"tests{plain}", f"{plain}test", f"{plain}tests", f"{plain}spec"}
    near = {str(folder / f"{name}{PurePosixPath(path).suffix}") for name in ("test", "tests", "spec")}
    return [other for other in tests if (plain and _plain(other) in called) or other in near]


def _plain(path: str) -> str:
    """Return the stem of a file, letters and digits only."""
    return _NO_LETTER.sub("", PurePosixPath(path).stem.lower())
