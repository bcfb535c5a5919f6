"""Pool: the files worth ranking, each with the pieces of it that were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.search.kinds import TEST
from recollect.code.search.question import Question
from recollect.model import File
from recollect.store.code_protocol import PLACE_BITS, ChunkRow, CodeScope, CodeStore, FieldWeights
from recollect.text.identifiers import name_term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Pieces looked at per search: enough that the second and third piece of a good file are among them, which is what tells
# a file about the matter from one that mentions it. Only their numbers and scores are read.
PIECES = 400
# A report has many words, each in many places: what it is about shows in the sum.
REPORT_PIECES = 2_000
POSTINGS, REPORT_POSTINGS = 20_000, 60_000
# Files taken from each arm: the first twenty hold nearly all right ones, more only cost time.
FILES, REPORT_FILES = 40, 60
# Files of a report's words that are looked at by path: tests and copied code share many of them, but are not its
# subject.
REPORT_LOOKED_AT = 240
FILES_BY_MEANING = 20
FILES_BY_NAME = 40
RARE_DEFINERS = 6
# Pieces of a file that count in the sum for a report.
SUMMED = 5
# Pieces of a file that are read whole: its best ones say what it is about.
PIECES_READ = 3
# A name that a piece defines says more than one it uses, and so does its path.
FIELDS = FieldWeights(names=2.0, around=1.0, path=2.0, body=1.0)


class Candidate(NamedTuple):
    """A file with the pieces of it that were found, best first.

    scores: of all pieces found by words, best first. cosines: by piece, of those that have a vector.
    """

    file: File
    pieces: Sequence[ChunkRow]
    scores: Sequence[float]
    cosines: Mapping[int, float]


class Pool(NamedTuple):
    """What is ranked, how many pieces hold each of the question's terms, how many files define each of its names."""

    candidates: Sequence[Candidate]
    pieces: int
    frequency: Mapping[str, int]
    definers: Mapping[str, int]
    has_vectors: bool


def gather(
    store: CodeStore,
    question: Question,
    scope: CodeScope,
    *,
    vector: NDArray[np.float32] | None = None,
    model: str = "",
) -> Pool:
    """Return the files that words, names or meaning lead to."""
    wide = question.is_report
    pieces, postings = (REPORT_PIECES, REPORT_POSTINGS) if wide else (PIECES, POSTINGS)
    found_by_words = store.search_code_text(question.terms, scope, pieces, weights=FIELDS, postings=postings)
    by_words = _by_file(found_by_words, by_sum=wide)
    by_meaning = _by_file(store.search_code_vectors(model, vector, scope, PIECES)) if vector is not None else {}
    by_name, definers = _defining(store, question, scope)
    if wide:
        subjects = _subjects(store, [*list(by_words)[:REPORT_LOOKED_AT], *by_meaning, *by_name])
        by_words = {file: found for file, found in by_words.items() if file in subjects}
        by_meaning = {file: found for file, found in by_meaning.items() if file in subjects}
        by_name = {file: found for file, found in by_name.items() if file in subjects}
    leading = list(by_words)[: REPORT_FILES if wide else FILES]
    files = dict.fromkeys((*leading, *list(by_meaning)[:FILES_BY_MEANING], *by_name))
    wanted = {
        file: list(
            dict.fromkeys(
                (
                    *by_name.get(file, ())[:PIECES_READ],
                    *(chunk for chunk, _ in by_words.get(file, ())[:PIECES_READ]),
                    *(chunk for chunk, _ in by_meaning.get(file, ())[:1]),
                )
            )
        )
        for file in files
    }
    rows: dict[int, list[ChunkRow]] = {}
    for row in store.chunk_rows([chunk for chunks in wanted.values() for chunk in chunks]):
        rows.setdefault(row.file.id, []).append(row)
    read = [row.id for found in rows.values() for row in found]
    cosines = store.code_cosines(model, vector, read) if vector is not None else {}
    candidates = [
        Candidate(
            found[0].file,
            found,
            [score for _, score in by_words.get(file, ())],
            {row.id: cosines[row.id] for row in found if row.id in cosines},
        )
        for file, found in rows.items()
    ]
    total, frequency = store.code_term_counts(question.terms)
    return Pool(candidates, total, frequency, definers, bool(cosines))


def _by_file(matches: Sequence[tuple[int, float]], *, by_sum: bool = False) -> dict[int, list[tuple[int, float]]]:
    """Return the matches of each file, files in the order of their best match, or of the sum of their best ones."""
    found: dict[int, list[tuple[int, float]]] = {}
    for chunk, score in matches:
        found.setdefault(chunk >> PLACE_BITS, []).append((chunk, score))
    if by_sum:
        sums = {file: sum(score for _, score in mine[:SUMMED]) for file, mine in found.items()}
        found = dict(sorted(found.items(), key=lambda row: -sums[row[0]]))
    return found


def _subjects(store: CodeStore, files: Sequence[int]) -> set[int]:
    """Return the files a report may be about: neither tests nor copied or generated, unless nothing else is there."""
    return {row.id for row in store.get(File, files) if not row.mark and not TEST.search(row.path)} or set(files)


def _defining(store: CodeStore, question: Question, scope: CodeScope) -> tuple[dict[int, list[int]], dict[str, int]]:
    """Return the files that define a name of the question, with the pieces in which they do; and how many, by name."""
    definers: dict[str, int] = {}
    for name in question.names:
        term = name_term(name)
        definers.update((known, count) for known, count in store.symbol_names(term, limit=1) if known == term)
    # Of the many names in a report only those lead anywhere that few files define.
    wanted = [name for name, count in definers.items() if count <= RARE_DEFINERS or not question.is_report]
    lines: dict[int, list[int]] = {}
    for found in store.symbols_named(wanted, scope, FILES_BY_NAME) if wanted else ():
        lines.setdefault(found.file.id, []).append(found.symbol.start_line)
    pieces: dict[int, list[int]] = {}
    for file, (_, spans) in store.file_contents(list(lines)).items():
        pieces[file] = [
            (file << PLACE_BITS) + place
            for place, span in enumerate(spans)
            if any(span.start_line <= line <= span.end_line for line in lines[file])
        ]
    return pieces, definers
