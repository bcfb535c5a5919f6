"""The few memories that the reviewer of a diff should read, with the sentence that matters and a reason.

    memories of the project ─► evidence that ties one to the changed lines ─► score ─► the best five, or none

    wrote     the commit that it was imported from wrote lines which the diff changes
    anchored  it is anchored to a changed symbol, and to no other of its kind by accident of a shared file
    names     it names a changed symbol as code does, or by a name that is no ordinary word
    words     it shares rare words with the changed lines; alone this is no evidence, but it decides the order

A shared file or class is no evidence. Observed memories, superseded ones and those whose code is gone are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.code.code_records import TouchedMemory
from recollect.code.diff.changed_symbols import SymbolChange
from recollect.code.diff.line_origins import Origin, line_origins
from recollect.code.diff.unified_diff import FileDiff
from recollect.code.index.languages import detect
from recollect.code.index.symbol_properties import is_test_file
from recollect.engine.memory.freshness import freshness_of
from recollect.engine.records.memory_rows import batches, headline
from recollect.model import Anchor, AnchorState, Memory
from recollect.text.display import day, plural
from recollect.text.terms import terms

if TYPE_CHECKING:
    from recollect.store.sql import Store

# Changed lines of a file whose words are compared.
MOST_LINES = 2_000
# More are not read.
MOST_SHOWN = 5
# Memories of a project that are looked through, the latest, and those of them in which words are counted.
LOOKED_AT, COUNTED = 10_000, 2_000
# What ties a memory to a diff, at most: its commit wrote all of a file's changed lines, it is anchored to a changed
# symbol, it names one. Who wrote the lines knew why they are as they are.
WROTE, ANCHORED, NAMED = 1.0, 0.9, 0.7
# A second tie adds a little, and the words that it shares with the changed lines up to as much as a tie.
SECOND, SHARED = 0.2, 1.2
# Less is not shown. A tie alone is not enough for what was imported: most commits that ever touched a function say
# nothing about the line that changes now.
LEAST = 0.9
# The more symbols change, the less one of them is what the diff is about: with so many more, twice as much is needed.
TWICE = 150
# What a person or an assistant stored about a symbol was meant to be read when it changes.
STORED = 0.4
# By the rule of the import, and by the state of the code. Lists of files and authors say nothing about lines; a bare
# subject or a section of a document seldom does. The commit of a line that is still there is not out of date.
BY_RULE: Mapping[str, float] = {"together": 0, "who": 0, "hot": 0, "subject": 0.8, "document": 0.6}
BY_VERDICT: Mapping[str, float] = {"changed": 0.85, "gone": 0.0}
# A commit of so many files is a rename, a reformatting or a release: it wrote lines for no reason of theirs.
MANY_FILES, OF_MANY = 6, 0.5
# A commit about a text or a test is seldom about the code; one that shares hardly a word is about other lines.
OF_TEXT, OF_OTHER, LEAST_SHARED = 0.6, 0.8, 0.1
SENTENCE_CHARACTERS, MOST_SENTENCES = 200, 200

# Words by which a sentence states a rule.
RULES = re.compile(
    r"\b(?:must(?:n't)?|never|always|do not|don't|shall|should(?:n't)?|may not|required|forbidden|not allowed|avoid)\b",
    re.IGNORECASE,
)
_SENTENCES = re.compile(r"(?<=[.!?])\s+|\n\n+|\n(?=[-*•] )")
# The last line of an imported commit.
_FOOTER = re.compile(r"(?<!\n)\n++Commit [0-9a-f]{7,40}(?: of|,) [^\n]*$")
# A name that ordinary prose does not contain: it has an underscore, a digit or a capital inside.
_CODE_NAME = re.compile(r"\w*(?:[a-z0-9][A-Z]|[A-Za-z0-9]_[A-Za-z0-9]|[A-Za-z]\d)\w*")
# A commit about a text: its subject says so.
_OF_TEXT = re.compile(
    r"\b(?:typos?|docs?|docstrings?|documentation|documention|changelog|readme|spelling|comments?|links?|tests?)\b",
    re.IGNORECASE,
)
# Methods that every class has.
_SPECIAL = re.compile(r"__\w+__|constructor|main|init|run|get|set|toString|hashCode|equals|clone|String|Error")
# A line of an example: `def f():`, `$ pip`, `from x import y`, `@app.route`, `x = y`.
_CODE_LINE = re.compile(
    r"\s*(?:def |class |import |from \w+ import|\$ |@\w|[\w.]+ ?= ?\S|\{|<|>>>|(?:\.\. )?code-block)"
)
# Shorter names are in every text; a name in more than a few memories is rarer than so much of the rarest word.
LEAST_NAME, RARE = 3, 0.5
# A sentence of fewer rare words than this counts as one of so many.
SHORT = 3

CHANGED: Mapping[str, str] = {
    "removed": "removed", "signature": "signature changed", "renamed": "renamed", "moved": "moved",
    "body": "body changed", "added": "new", "cosmetic": "only documentation or white space changed",
}  # fmt: skip


class RelatedMemories(NamedTuple):
    """Memories about a diff, best first, how many more there are, and the number of rules by change."""

    memories: list[TouchedMemory]
    total: int
    rules: dict[int, int]


class ReviewedDiff(NamedTuple):
    """A diff: the folder of its project, the commit of its old side, its files and its changed symbols."""

    root: Path
    since: str
    files: Sequence[FileDiff]
    changes: Sequence[SymbolChange]


class _Evidence(NamedTuple):
    """Ties of a memory to a diff: lines of its commit, anchored and named symbols by number, its best sentence."""

    origin: Origin | None
    anchored: list[int]
    named: list[int]
    sentence: str
    shared: float
    is_rule: bool


def related_memories(store: Store, diff: ReviewedDiff, namespace: str | None) -> RelatedMemories:
    """Return the memories of a namespace that matter for a diff."""
    real = [number for number, change in enumerate(diff.changes) if _is_reviewed(change)]
    if not real:
        return RelatedMemories([], 0, {})
    now = clock.now()
    rows = [row for row in _known(store, namespace) if row.holds(now) and BY_RULE.get(row.category or "", 1.0)]
    reader = _Reader(diff, real, rows, _places(store, diff))
    found = [(row, evidence) for row in rows if (evidence := reader.evidence(row)) is not None]
    fresh = freshness_of(store, [row.id for row, _ in found])
    verdicts = {memory_id: state.verdict for memory_id, state in fresh.items()}
    weighed = [(_score(row, evidence, verdicts.get(row.id, "")), row, evidence) for row, evidence in found]
    least = LEAST * (1 + len(real) / TWICE)
    weighed = sorted((each for each in weighed if each[0] >= least), key=lambda each: (-each[0], -each[1].said_at))
    rules = Counter(number for _, _, evidence in weighed if evidence.is_rule for number in evidence.named)
    shown = [_row(row, evidence, diff.changes, verdicts.get(row.id, "")) for _, row, evidence in weighed[:MOST_SHOWN]]
    return RelatedMemories(shown, len(weighed), dict(rules))


def _is_reviewed(change: SymbolChange) -> bool:
    """Tell whether memories may be about a change: not about a new symbol, nor about a test."""
    return change.how not in ("cosmetic", "added") and not is_test_path(change.path)


def is_test_path(path: str) -> bool:
    """Tell whether a path is that of a test file, or of no code."""
    language = detect(path, b"")
    return language is None or is_test_file(language.name, path)


def _known(store: Store, namespace: str | None) -> list[Memory]:
    where = {"namespace": namespace, "observed": False, "superseded_by": None}
    return store.find(Memory, where, order="-created_at", limit=LOOKED_AT)


def _places(store: Store, diff: ReviewedDiff) -> dict[str, list[tuple[str, str]]]:
    """Return the symbols in changed files that memories are anchored to, by memory."""
    paths = sorted({path for change in diff.changes for path in (change.path, change.old_path)})
    found: dict[str, list[tuple[str, str]]] = {}
    for kind in (Anchor, AnchorState):
        for some in batches(paths):
            for memory_id, path, symbol in store.columns(kind, ("memory_id", "path", "symbol"), {"path": some}):
                if symbol:
                    found.setdefault(memory_id, []).append((path, symbol))
    return found


def _best(origins: Iterable[Origin]) -> dict[str, Origin]:
    """Return by commit the file of which it wrote the largest share of the changed lines."""
    found: dict[str, Origin] = {}
    for origin in origins:
        known = found.get(origin.commit)
        if known is None or origin.lines / origin.total > known.lines / known.total:
            found[origin.commit] = origin
    return found


# --- evidence ---


class _Reader:
    """Reads memories beside a diff: what ties each to it, and how many rare words it shares with the changed lines."""

    def __init__(
        self,
        diff: ReviewedDiff,
        real: Sequence[int],
        rows: Sequence[Memory],
        places: Mapping[str, Sequence[tuple[str, str]]],
    ) -> None:
        code = {path for number in real for path in (diff.changes[number].path, diff.changes[number].old_path)}
        files = [file for file in diff.files if file.path in code]
        self._changes, self._real, self._places = diff.changes, real, places
        self._origins = _best(line_origins(diff.root, diff.since, files))
        self._by_file = {file.path: frozenset(terms("\n".join(_lines(file)))) for file in files}
        lines = {number: changed_lines(diff.changes[number], files) for number in real}
        self._by_change = {number: frozenset(terms("\n".join(found))) for number, found in lines.items()}
        counts = Counter(word for row in rows[:COUNTED] for word in frozenset(terms(_text(row))))
        size = min(len(rows), COUNTED)
        self._most = math.log(1 + size) or 1.0
        self._rare = {word: math.log((1 + size) / count) for word, count in counts.items()}

    def evidence(self, row: Memory) -> _Evidence | None:
        """Return what ties a memory to the diff; None if nothing does."""
        # A merged pull request stands for its commits.
        commits = (row.metadata.get("sha", ""), *row.metadata.get("commits", ()))
        known = (self._origins.get(str(sha)) for sha in commits) if row.metadata.get("from") == "git" else ()
        origin = next((found for found in known if found is not None), None)
        text = _text(row)
        places = self._places.get(row.id, ())
        anchored = [number for number in self._real if _is_anchored(self._changes[number], places)]
        named = [number for number in self._real if any(self._is_named(name, text) for name in self._names(number))]
        if origin is None and not anchored and not named:
            return None
        tied = {*anchored, *named}
        own = frozenset(word for number in tied for name in self._names(number) for word in terms(name))
        wanted = frozenset().union(*(self._by_change[number] for number in tied)) - own
        if origin is not None:
            wanted |= self._by_file[origin.path]
        sentence, shared = self._sentence(text, [name for number in named for name in self._names(number)], wanted)
        return _Evidence(origin, anchored, named, sentence, shared, bool(named) and bool(RULES.search(sentence)))

    def _names(self, number: int) -> list[str]:
        change = self._changes[number]
        return list(dict.fromkeys(row.name for row in (change.before, change.after) if row is not None))

    def _is_named(self, name: str, text: str) -> bool:
        """Tell whether a text names a symbol: as code, or by a name that is no ordinary word and rare here."""
        if len(name) < LEAST_NAME or name not in text or _SPECIAL.fullmatch(name):
            return False
        if _CODE_NAME.fullmatch(name) and self._rarity(name.lower()) > RARE * self._most:
            return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
        written = re.escape(name)
        return re.search(rf"(?:`|(?<=\w)\.|::|->){written}(?!\w)|(?<!\w){written}(?:\(|`)", text) is not None

    def _sentence(self, text: str, names: Sequence[str], wanted: frozenset[str]) -> tuple[str, float]:
        """Return the sentence that says most about the changed lines, and how much it shares with them, 0 to 1."""
        best, most, told = "", -1.0, 0.0
        for sentence in _SENTENCES.split(text)[:MOST_SENTENCES]:
            if not sentence.strip() or _CODE_LINE.match(sentence):
                continue
            shared = self._shared(frozenset(terms(sentence)), wanted)
            worth = shared + 0.2 * any(name in sentence for name in names) + 0.1 * bool(RULES.search(sentence))
            if worth > most:
                best, most, told = " ".join(sentence.split()), worth, shared
        return best if len(best) <= SENTENCE_CHARACTERS else best[: SENTENCE_CHARACTERS - 1].rstrip() + "…", told

    def _shared(self, words: frozenset[str], wanted: frozenset[str]) -> float:
        common = sum(self._rarity(word) for word in words & wanted)
        # Of a short sentence, one word would be half.
        return common / max(sum(self._rarity(word) for word in words), SHORT * self._most) if common else 0.0

    def _rarity(self, word: str) -> float:
        return self._rare.get(word, self._most)


def _text(row: Memory) -> str:
    """Return what a memory says, without the line that names its commit."""
    body = _FOOTER.sub("", row.content)
    return body if not row.title or row.title in body else f"{row.title}\n\n{body}"


def _lines(file: FileDiff) -> list[str]:
    lines = [line[1:] for hunk in file.hunks for line in hunk.lines if line[:1] in ("-", "+")]
    return lines[:MOST_LINES]


def changed_lines(change: SymbolChange, files: Iterable[FileDiff]) -> list[str]:
    """Return the removed and added lines of a symbol."""
    spans = {"-": change.before, "+": change.after}
    found: list[str] = []
    for file in files:
        if file.path != change.path and file.old != change.old_path:
            continue
        for hunk in file.hunks:
            at = {"-": hunk.old_start, "+": hunk.new_start}
            for line in hunk.lines:
                row = spans.get(line[:1])
                if line[:1] in at and (row is None or row.start_line <= at[line[:1]] <= row.end_line):
                    found.append(line[1:])
                for side in at:
                    at[side] += line[:1] in (side, " ", "")
    return found[:MOST_LINES]


def _is_anchored(change: SymbolChange, places: Iterable[tuple[str, str]]) -> bool:
    keys = [(change.path, change.key.partition("#")[0]), (change.old_path, change.old_key.partition("#")[0])]
    return any(place in keys for place in places)


def _score(row: Memory, evidence: _Evidence, verdict: str) -> float:
    origin = evidence.origin
    ties = [ANCHORED] if evidence.anchored else [NAMED] if evidence.named else []
    if origin is not None:
        is_many = len(row.metadata.get("files", ())) >= MANY_FILES
        ties.append(WROTE * (origin.lines / origin.total) ** 0.5 * (OF_MANY if is_many else 1.0))
    score = max(ties) + SECOND * (len(ties) - 1) + SHARED * evidence.shared
    if row.source != "import":
        score += STORED
    elif _OF_TEXT.search(headline(row)) and row.metadata.get("from") == "git":
        score *= OF_TEXT
    elif evidence.shared < LEAST_SHARED and origin is None:
        score *= OF_OTHER
    return score * BY_RULE.get(row.category or "", 1.0) * (1.0 if origin else BY_VERDICT.get(verdict, 1.0))


# --- the answer ---


def _row(row: Memory, evidence: _Evidence, changes: Sequence[SymbolChange], verdict: str) -> TouchedMemory:
    relation = "decided" if row.memory_type == "decision" else "mentions"
    if evidence.origin:
        relation = "explains"
    elif evidence.is_rule:
        relation = "may contradict"
    return TouchedMemory(
        memory_id=row.id,
        memory_type=row.kind,
        title=headline(row),
        relation=relation,  # type: ignore[arg-type]
        why=_why(evidence, changes),
        sentence=evidence.sentence,
        written=day(row.said_at),
        verdict=verdict,
    )


def _why(evidence: _Evidence, changes: Sequence[SymbolChange]) -> str:
    origin = evidence.origin
    parts = []
    if origin:
        parts.append(f"commit {origin.commit[:8]} wrote {plural(origin.lines, 'changed line')} of {origin.path}")
    if evidence.anchored:
        parts.append(f"anchored to {_some(evidence.anchored, changes)}")
    elif evidence.named:
        parts.append(f"names {_some(evidence.named, changes)}")
    return "; ".join(parts)


def _some(numbers: Sequence[int], changes: Sequence[SymbolChange]) -> str:
    first = changes[numbers[0]]
    more = f" and {len(numbers) - 1} more" if len(numbers) > 1 else ""
    return f"{first.key} ({_change_text(first)}){more}"


def _change_text(change: SymbolChange) -> str:
    was = {"renamed": change.old_key, "moved": change.old_path}.get(change.how)
    return f"{CHANGED[change.how]} from {was}" if was else CHANGED[change.how]
