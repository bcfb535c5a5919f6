"""Search of the code index: chunks by words and by vectors, symbols by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from recollect.model import File
from recollect.store.code_rows import (
    MAX_PLACES,
    PLACE_BITS,
    ChunkRow,
    ChunkSpan,
    CodeMatch,
    CodeScope,
    FieldWeights,
    FoundSymbol,
    LackingVector,
    files_of_tree,
    symbol_nodes,
)
from recollect.store.code_tables import CodeFiles
from recollect.store.full_text import affordable
from recollect.store.row_queries import increment, upsert
from recollect.text.identifiers import humps as humps_of
from recollect.text.identifiers import name_term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from recollect.store.code_vector_index import CodeVectors

# BM25 takes about a microsecond per chunk that contains a term. Terms are used rarest first up to this many chunks.
POSTINGS = 20_000
# If all terms are frequent, so many of them are searched with AND.
MAX_TOGETHER = 4
# How many times more chunks than asked a search reads if it is filtered by language or path afterwards.
WIDENING = 8
# A search of more trees than this searches all trees and filters.
MAX_RANGES = 16

_NO_WEIGHTS = FieldWeights()


class CodeSearches(CodeFiles):
    """The searches of the code index."""

    _code_vectors: dict[str, CodeVectors]

    # --- chunks by words ---

    def search_code_text(
        self,
        terms: Sequence[str],
        scope: CodeScope,
        limit: int,
        *,
        weights: FieldWeights = _NO_WEIGHTS,
        postings: int = POSTINGS,
    ) -> list[CodeMatch]:
        """Return the chunks that contain any of the terms, best BM25 first.

        The rarest terms are used until their chunks add up to `postings`; the others cost most and distinguish least.
        If all terms are too frequent for that, chunks that contain all of them are returned, if there are enough.
        """
        with self._dialect.errors():
            frequencies = self._dialect.code_frequencies(self._connection(), terms)
            chosen = affordable(frequencies, postings)
            if sum(frequencies[term] for term in chosen) > postings:
                # Every word is frequent: chunks with all of them are few enough to rank, and more likely relevant.
                rarest = sorted(frequencies, key=lambda term: frequencies[term])[:MAX_TOGETHER]
                together = self._ranked(rarest, scope, limit, weights, every=True)
                if len(together) >= limit:
                    return together
            return self._ranked(chosen, scope, limit, weights, every=False)

    def _ranked(
        self, terms: Sequence[str], scope: CodeScope, limit: int, weights: FieldWeights, *, every: bool
    ) -> list[CodeMatch]:
        """Return the best chunks in a scope, widening the search while there are too few."""
        wanted = limit * WIDENING if scope.is_narrowed else limit
        while True:
            ranked: list[CodeMatch] = []
            for within in _ranges(scope):
                places = within and (within[0] << PLACE_BITS, ((within[1] + 1) << PLACE_BITS) - 1)
                rows = self._dialect.search_code(self._connection(), terms, places, wanted, weights, every=every)
                ranked += [CodeMatch(chunk, score) for chunk, score in rows]
            ranked.sort(key=lambda match: -match.score)
            allowed = self._allowed(scope, ranked)
            if len(allowed) >= limit or len(ranked) < wanted:
                return allowed[:limit]
            wanted *= WIDENING

    def _allowed(self, scope: CodeScope, ranked: list[CodeMatch]) -> list[CodeMatch]:
        if not scope.is_narrowed and (scope.trees is None or len(scope.trees) <= MAX_RANGES):
            return ranked
        allows = self._allows(scope, {match.id >> PLACE_BITS for match in ranked})
        return [match for match in ranked if allows(match.id >> PLACE_BITS)]

    def _allows(self, scope: CodeScope, files: Iterable[int]) -> Callable[[int], bool]:
        """Return a function that tells whether a file is in the scope."""
        rows = self._in_chunks("SELECT id, tree, language, path FROM files WHERE id", sorted(files))
        allowed = {
            file
            for file, tree, language, path in rows
            if (scope.trees is None or tree in scope.trees) and scope.allows(language, path)
        }
        return allowed.__contains__

    def chunk_rows(self, ids: Iterable[int]) -> list[ChunkRow]:
        """Return these chunks, in this order; unknown ones are left out."""
        wanted = list(dict.fromkeys(ids))
        numbers = list(dict.fromkeys(chunk >> PLACE_BITS for chunk in wanted))
        contents = self.file_contents(numbers)
        files = {file.id: file for file in self.get(File, numbers)}
        trees = self._trees_of(files.values())
        terms = self._in_chunks("SELECT rowid, names, around, path, body FROM code_text WHERE rowid", wanted)
        texts = {int(row[0]): row[1:] for row in terms}
        found = []
        for chunk in wanted:
            file, (symbols, spans) = files.get(chunk >> PLACE_BITS), contents.get(chunk >> PLACE_BITS, ([], []))
            place = chunk % MAX_PLACES
            if file is None or place >= len(spans):
                continue
            span = spans[place]
            found.append(
                ChunkRow(
                    chunk,
                    file,
                    trees[file.tree],
                    span.start_line,
                    span.end_line,
                    tuple(symbols[symbol] for symbol in span.symbols),
                    symbols[span.around] if span.around >= 0 else None,
                    span.hash,
                    *(text.split() for text in texts.get(chunk, ("", "", "", ""))),
                )
            )
        return found

    def code_term_counts(self, terms: Sequence[str]) -> tuple[int, Mapping[str, int]]:
        """Return the number of chunks, and the number with each term."""
        total = int(self._value("SELECT coalesce(sum(chunk_count), 0) FROM files"))
        with self._dialect.errors():
            return total, self._dialect.code_frequencies(self._connection(), terms)

    # --- symbols by name ---

    def symbols_named(self, names: Sequence[str], scope: CodeScope, limit: int) -> list[FoundSymbol]:
        """Return symbols with one of these names, ignoring case, of at most `limit` files."""
        wanted = {name_term(name) for name in names}
        return self._symbols_where(sorted(wanted), scope, limit, humps=False, name_of=name_term)

    def names_with_humps(self, humps: Sequence[str], scope: CodeScope, limit: int) -> list[FoundSymbol]:
        """Return symbols with these initials (gun: getUserName), of at most `limit` files."""
        return self._symbols_where(sorted({*humps}), scope, limit, humps=True, name_of=humps_of)

    def symbol_names(self, prefix: str = "", *, humps: bool = False, limit: int | None = None) -> list[tuple[str, int]]:
        """Return lower-case names, or their initials, that begin with `prefix`, with their number of files."""
        with self._dialect.errors():
            return self._dialect.names_from(self._connection(), prefix, humps=humps, limit=limit)

    def _symbols_where(
        self, names: Sequence[str], scope: CodeScope, limit: int, *, humps: bool, name_of: Callable[[str], str]
    ) -> list[FoundSymbol]:
        numbers: list[int] = []
        with self._dialect.errors():
            wanted = limit * WIDENING if scope.is_narrowed else limit
            for within in _ranges(scope):
                numbers += self._dialect.files_with(self._connection(), names, humps=humps, within=within, limit=wanted)
            if scope.is_narrowed or (scope.trees is not None and len(scope.trees) > MAX_RANGES):
                numbers = list(filter(self._allows(scope, numbers), numbers))
        numbers = numbers[:limit]
        files = {file.id: file for file in self.get(File, numbers)}
        trees = self._trees_of(files.values())
        meant = set(names)
        found = []
        for number, (symbols, _) in self.file_contents(numbers).items():
            file = files[number]
            tree = trees[file.tree]
            nodes = symbol_nodes(tree.root, file.path, symbols)
            found += [
                FoundSymbol((number << PLACE_BITS) + place, nodes[place], symbol, file, tree)
                for place, symbol in enumerate(symbols)
                if name_of(symbol.name) in meant
            ]
        return found

    # --- chunks by vectors ---

    def put_code_vectors(self, model: str, vectors: Iterable[tuple[bytes, NDArray[np.float32]]]) -> int:
        """Store vectors of chunks by hash; returns how many."""
        from recollect.store.code_vector_index import STAMP
        from recollect.store.vector_index import to_blob

        with self._dialect.errors(), self._dialect.write() as connection:
            stamp = increment(connection, STAMP)
            rows = [(model, content, to_blob(vector), stamp) for content, vector in vectors]
            connection.executemany(upsert("code_embeddings", ("model", "hash", "embedding", "stamp"), 2), rows)
        return len(rows)

    def lacking_code_vectors(self, model: str, limit: int, files: Sequence[int] | None = None) -> list[LackingVector]:
        """Return chunks without a vector of `model`: of these files, in this order, or of all, newest first."""
        return self._followed(model).lacking(limit, files)

    def code_vector_coverage(self, model: str, trees: Sequence[int] | None = None) -> tuple[int, int]:
        """Return how many distinct chunks of trees have a vector of `model`, and how many have none."""
        return self._followed(model).coverage(trees)

    def drop_code_vectors(self, *, unused_only: bool) -> int:
        """Delete vectors of chunks, all or those that no chunk uses; returns how many."""
        from recollect.store.code_vector_index import EPOCH

        used = self._followed("").used_hashes() if unused_only else set()
        with self._dialect.errors(), self._dialect.write() as connection:
            all_rows = list(connection.execute("SELECT model, hash FROM code_embeddings"))
            doomed = [(model, content) for model, content in all_rows if bytes(content) not in used]
            connection.executemany("DELETE FROM code_embeddings WHERE model = ? AND hash = ?", doomed)
            if doomed:
                increment(connection, EPOCH)
        return len(doomed)

    def search_code_vectors(
        self, model: str, query: NDArray[np.float32], scope: CodeScope, limit: int
    ) -> list[CodeMatch]:
        """Return the chunks nearest to `query` by cosine."""
        index = self._followed(model)
        allows = None
        if scope.is_narrowed:
            ids = self._rows("SELECT id FROM files WHERE chunk_count > 0")
            allows = self._allows(scope, [int(row[0]) for row in ids])
        return index.nearest_chunks(query, scope.trees, allows, limit)

    def code_cosines(self, model: str, query: NDArray[np.float32], ids: Sequence[int]) -> dict[int, float]:
        """Return the cosine of each of these chunks that has a vector of `model`."""
        return self._followed(model).cosines_of(query, ids)

    def _followed(self, model: str) -> CodeVectors:
        index = self._code_vectors.get(model)
        if index is None:
            from recollect.store.code_vector_index import CodeVectors

            index = self._code_vectors.setdefault(model, CodeVectors(model))
        with self._dialect.errors(), self._dialect.snapshot() as connection:
            index.follow(connection, self._spans)
        return index

    def _spans(self, files: Sequence[int]) -> Mapping[int, list[ChunkSpan]]:
        return {file: spans for file, (_, spans) in self.file_contents(files).items()}


def _ranges(scope: CodeScope) -> list[tuple[int, int] | None]:
    """Return the ranges of file numbers to search; None for all files."""
    if scope.trees is None or len(scope.trees) > MAX_RANGES:
        return [None]
    return [files_of_tree(tree) for tree in scope.trees]
