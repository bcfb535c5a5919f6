"""Level 4 of a project: its overview, rebuilt after code changes, and search in it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from recollect.engine import Documents
from recollect.hierarchy.model import GlobalKnowledge
from recollect.model import CodeHit, Record

if TYPE_CHECKING:
    from recollect.engine import Engine

# Code locations in an answer.
PLACES = 5
# The least score of a relevant location.
RELATED = 0.15

_WORD = re.compile(r"\w{3,}")
# Common words of questions, ignored in a search.
_COMMON = frozenset(
    "all and are can does find for from has how into not that the this use"
    " used uses using was what where which who why with".split()
)


class Kept(Record, frozen=True, kw_only=True):
    """Level 4 as it is stored, with the generation of the index and the bytes of the budget it was built for."""

    generation: int
    budget: int
    knowledge: GlobalKnowledge


class Knowledge:
    """Level 4 of one project."""

    def __init__(self, engine: Engine, namespace: str, documents: Documents) -> None:
        self._engine, self._namespace, self._documents = engine, namespace, documents

    def of_all(self, max_bytes: int, *, fresh: bool = True) -> GlobalKnowledge:
        """Return all of level 4; it is rebuilt if the code changed since.

        fresh: if false, an outdated one is accepted
        """
        text = self._documents.read("overview")
        kept = _decoded(text)
        generation = self._engine.store.code_generation()
        if kept is not None and kept.budget == max_bytes and (kept.generation == generation or not fresh):
            return kept.knowledge
        from recollect.hierarchy.project_overview import overview

        made = overview(self._engine, self._namespace, max_bytes=max_bytes)
        new = Kept(generation=generation, budget=max_bytes, knowledge=made)
        self._documents.swap("overview", text, msgspec.json.encode(new).decode())  # another process stores the same
        return made

    def about(self, query: str, max_bytes: int) -> str:
        """Return the code locations for a question, then the lines of the sections with its words."""
        lines = [
            f"- {hit.path}:{hit.start_line}{f' {hit.symbol}' if hit.symbol else ''}: {hit.reason}"
            for hit in self.places(query)
        ]
        found = ["## Files\n\n" + "\n".join(lines) + "\n"] if lines else []
        wanted = [word.lower() for word in _WORD.findall(query) if word.lower() not in _COMMON]
        for title, text in self.of_all(max_bytes).sections:
            matches = [line for line in text.splitlines() if any(word in line.lower() for word in wanted)]
            if matches:
                found.append(f"## {title}\n\n" + "\n".join(matches) + "\n")
        return "\n".join(found)

    def places(self, query: str, limit: int = PLACES) -> tuple[CodeHit, ...]:
        """Return the relevant code locations for a question, best first."""
        return self._engine.code.search(query, limit=limit, namespace=self._namespace, min_score=RELATED).hits


def _decoded(text: str | None) -> Kept | None:
    try:
        return msgspec.json.decode(text, type=Kept) if text else None
    except msgspec.DecodeError:
        return None  # derived: rebuilt
