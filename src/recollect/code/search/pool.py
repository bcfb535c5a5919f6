"""Pool: the files worth ranking, each with the pieces of it that were found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from recollect.code.search.question import Question
from recollect.model import File
from recollect.store.code_protocol import PLACE_BITS, ChunkRow, CodeScope, CodeStore, FieldWeights

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Pieces looked at per search: enough that the second and third piece of a good file are among them, which is what tells
# a file about the matter from one that mentions it. Only their numbers and scores are read.
PIECES = 400
# Files taken from each arm: the first twenty hold nearly all right ones, more only cost time.
FILES = 40
FILES_BY_MEANING = 20
FILES_BY_NAME = 40
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
    """What is ranked, and how frequent the question's terms are among all pieces."""

    candidates: Sequence[Candidate]
    pieces: int
    frequency: Mapping[str, int]
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
    by_words = _by_file(store.search_code_text(question.terms, scope, PIECES, weights=FIELDS))
    by_meaning = _by_file(store.search_code_vectors(model, vector, scope, PIECES)) if vector is not None else {}
    by_name = _defining(store, question, scope)
    files = dict.fromkeys((*list(by_words)[:FILES], *list(by_meaning)[:FILES_BY_MEANING], *by_name))
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
    return Pool(candidates, total, frequency, bool(cosines))


def _by_file(matches: Sequence[tuple[int, float]]) -> dict[int, list[tuple[int, float]]]:
    """Return the matches of each file, files in the order of their best match."""
    found: dict[int, list[tuple[int, float]]] = {}
    for chunk, score in matches:
        found.setdefault(chunk >> PLACE_BITS, []).append((chunk, score))
    return found


def _defining(store: CodeStore, question: Question, scope: CodeScope) -> dict[int, list[int]]:
    """Return the files that define a name of the question, with the pieces in which they do."""
    if not question.names:
        return {}
    lines: dict[int, list[int]] = {}
    for found in store.symbols_named(question.names, scope, FILES_BY_NAME):
        lines.setdefault(found.file.id, []).append(found.symbol.start_line)
    pieces: dict[int, list[int]] = {}
    for file, (_, spans) in store.file_contents(list(lines)).items():
        pieces[file] = [
            (file << PLACE_BITS) + place
            for place, span in enumerate(spans)
            if any(span.start_line <= line <= span.end_line for line in lines[file])
        ]
    return pieces
