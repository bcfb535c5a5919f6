"""Collect candidate files for a code search, each with its matching chunks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.search.report import matched
from recollect.model import File, Tree
from recollect.store.code_rows import PLACE_BITS, ChunkRow, CodeScope, FieldWeights
from recollect.text.identifiers import name_term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.code.search.question import Question
    from recollect.store.sql import Store

# Kinds of files, by path or language.
TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures?|e2e|mocks?)(/|$)|[._-](test|spec)s?\.|(^|/)(test|conftest)[_.]|"
    r"Tests?\.\w+$|_test\.",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"(^|/)(examples?|samples?|demos?|docs?|docs_src|benchmarks?|bench|website|tutorials?|playground)(/|$)",
    re.IGNORECASE,
)
ENTRY = re.compile(r"(^|/)(index|mod|__init__|lib|main|init|core)\.\w+$")
ELSEWHERE = re.compile(
    r"(^|[/_.-])(win|win32|win64|windows|mingw|msvc|os390|aix|sunos|haiku|cygwin)([/_.-]|$)", re.IGNORECASE
)
PROSE = frozenset({"markdown", "rst", "asciidoc", "html"})
DATA = frozenset({"json", "yaml", "toml", "css"})

# Chunks per search: enough to include the second and third chunk of a good file, which distinguish a file about the
# subject from one that mentions it. Only their numbers and scores are read.
PIECES = 400
# A report has many words, each in many places: the sum shows its subject.
REPORT_PIECES = 2_000
POSTINGS, REPORT_POSTINGS = 20_000, 60_000
FILES_BY_NAME = 40
RARE_DEFINERS = 6
# Chunks of a file that count in the sum for a report.
SUMMED = 5
# Chunks of a file that are read whole: the best ones.
PIECES_READ = 3
# Names that a chunk defines, and its path, count more than words it uses.
FIELDS = FieldWeights(names=2.0, around=1.0, path=2.0, body=1.0)


class Way(NamedTuple):
    """Limits of one source of candidates: files for a query, files for a report, and chunks of each file.

    looked_at: files of a report whose paths are checked: tests and copied code share many words with its subject.
    """

    files: int
    report_files: int
    looked_at: int
    pieces: int


# The first twenty files by words include nearly all right ones. The headline of a report, and its prose without code,
# find files that are lost among the words of the whole report.
WAYS: Mapping[str, Way] = {
    "names": Way(FILES_BY_NAME, FILES_BY_NAME, FILES_BY_NAME, PIECES_READ),
    "words": Way(40, 60, 240, PIECES_READ),
    "lead": Way(0, 20, 60, 1),
    "said": Way(0, 30, 120, 1),
    "meaning": Way(20, 20, PIECES, 1),
    "cited": Way(0, FILES_BY_NAME, FILES_BY_NAME, 0),
}

# The matching chunks of each file with their scores, best first.
Found = dict[int, list[tuple[int, float]]]


class Candidate(NamedTuple):
    """A file with its matching chunks, best first.

    scores: of all chunks found by words, best first. cosines: by chunk, of those that have a vector.
    led, told: as `scores`, by the headline of a report, and by its prose.
    """

    file: File
    pieces: Sequence[ChunkRow]
    scores: Sequence[float]
    cosines: Mapping[int, float]
    led: Sequence[float] = ()
    told: Sequence[float] = ()


class Pool(NamedTuple):
    """Candidates, the number of chunks, and how many chunks and files have each term and define each name."""

    candidates: Sequence[Candidate]
    pieces: int
    frequency: Mapping[str, int]
    definers: Mapping[str, int]
    has_vectors: bool


def gather(
    store: Store,
    question: Question,
    scope: CodeScope,
    *,
    vector: NDArray[np.float32] | None = None,
    model: str = "",
) -> Pool:
    """Return the files found by words, names or meaning, and those that a report names."""
    found, definers = _ways(store, question, scope)
    if vector is not None:
        found["meaning"] = _by_file(store.search_code_vectors(model, vector, scope, PIECES))
    if question.is_report:
        found = _without_tests(store, found)
    wanted: dict[int, list[int]] = {}
    for name, files in found.items():
        for file in list(files)[: WAYS[name].report_files if question.is_report else WAYS[name].files]:
            wanted.setdefault(file, [])
    for file, pieces in wanted.items():
        read = (chunk for name, files in found.items() for chunk, _ in files.get(file, ())[: WAYS[name].pieces])
        # Of a file that is only named, the first chunk is read.
        pieces.extend(dict.fromkeys(read) or [file << PLACE_BITS])
    rows: dict[int, list[ChunkRow]] = {}
    for row in store.chunk_rows([chunk for chunks in wanted.values() for chunk in chunks]):
        rows.setdefault(row.file.id, []).append(row)
    ids = [row.id for mine in rows.values() for row in mine]
    cosines = store.code_cosines(model, vector, ids) if vector is not None else {}
    candidates = [
        Candidate(
            mine[0].file,
            mine,
            _scores(found["words"], file),
            {row.id: cosines[row.id] for row in mine if row.id in cosines},
            _scores(found.get("lead", {}), file),
            _scores(found.get("said", {}), file),
        )
        for file, mine in rows.items()
    ]
    total, frequency = store.code_term_counts(question.terms)
    return Pool(candidates, total, frequency, definers, bool(cosines))


def _ways(store: Store, question: Question, scope: CodeScope) -> tuple[dict[str, Found], dict[str, int]]:
    """Return the files found without vectors, by source, and how many files define each name."""
    wide = question.is_report
    pieces, postings = (REPORT_PIECES, REPORT_POSTINGS) if wide else (PIECES, POSTINGS)
    by_name, definers = _defining(store, question, scope)
    words = store.search_code_text(question.terms, scope, pieces, weights=FIELDS, postings=postings)
    found = {"names": by_name, "words": _by_file(words, by_sum=wide)}
    if wide:
        said = list(dict.fromkeys((*sorted(question.lead), *question.said)))
        found["lead"] = _by_file(store.search_code_text(sorted(question.lead), scope, PIECES, weights=FIELDS))
        found["said"] = _by_file(store.search_code_text(said, scope, pieces, weights=FIELDS), by_sum=True)
        found["cited"] = {file: [] for file in _cited(store, question, scope)}
    return found, definers


def _by_file(matches: Sequence[tuple[int, float]], *, by_sum: bool = False) -> Found:
    """Return the matches of each file, files in the order of their best match, or of the sum of their best ones."""
    found: Found = {}
    for chunk, score in matches:
        found.setdefault(chunk >> PLACE_BITS, []).append((chunk, score))
    if by_sum:
        sums = {file: sum(score for _, score in mine[:SUMMED]) for file, mine in found.items()}
        found = dict(sorted(found.items(), key=lambda row: -sums[row[0]]))
    return found


def _scores(found: Found, file: int) -> list[float]:
    return [score for _, score in found.get(file, ())]


def _without_tests(store: Store, found: Mapping[str, Found]) -> dict[str, Found]:
    """Return the candidates without tests and copies."""
    looked_at = [file for name, files in found.items() for file in list(files)[: WAYS[name].looked_at]]
    subjects = _subjects(store, list(dict.fromkeys(looked_at)))
    return {name: {file: mine for file, mine in files.items() if file in subjects} for name, files in found.items()}


def _subjects(store: Store, files: Sequence[int]) -> set[int]:
    """Return the files that are neither tests nor copied or generated; all if nothing else is left."""
    return {row.id for row in store.get(File, files) if not row.mark and not TEST.search(row.path)} or set(files)


def _defining(store: Store, question: Question, scope: CodeScope) -> tuple[Found, dict[str, int]]:
    """Return the files that define a name of the query, with the defining chunks; and how many, by name."""
    definers: dict[str, int] = {}
    for name in question.names:
        term = name_term(name)
        definers.update((known, count) for known, count in store.symbol_names(term, limit=1) if known == term)
    # A report has many names; only those that few files define are useful.
    wanted = [name for name, count in definers.items() if count <= RARE_DEFINERS or not question.is_report]
    lines: dict[int, list[int]] = {}
    for found in store.symbols_named(wanted, scope, FILES_BY_NAME) if wanted else ():
        lines.setdefault(found.file.id, []).append(found.symbol.start_line)
    pieces: Found = {}
    for file, (_, spans) in store.file_contents(list(lines)).items():
        pieces[file] = [
            ((file << PLACE_BITS) + place, 0.0)
            for place, span in enumerate(spans)
            if any(span.start_line <= line <= span.end_line for line in lines[file])
        ]
    return pieces, definers


def _cited(store: Store, question: Question, scope: CodeScope) -> Iterable[int]:
    """Yield the files that a report names: frames of a traceback, paths, modules."""
    report = question.report
    if report is None or not (report.frames or report.cited or report.modules):
        return
    for tree in scope.trees if scope.trees is not None else [tree.id for tree in store.find(Tree)]:
        paths = list(store.known_files(tree))
        places = {place: None for kind in matched(report, paths) for fitting in kind for place in fitting}
        named = tuple(paths[place] for place in list(places)[:FILES_BY_NAME])
        for file in store.find(File, {"tree": tree, "path": named}) if named else ():
            if not file.skipped and scope.allows(file.language, file.path):
                yield file.id
