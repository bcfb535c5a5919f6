"""Knowledge: level 4 of a project, rebuilt when its code changed, and its parts that are relevant to a question."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from recollect.engine.memory.library_state import Documents
from recollect.hierarchy.model import GlobalKnowledge
from recollect.model import Record

if TYPE_CHECKING:
    from recollect.engine import Engine
    from recollect.model import CodeHit

# Places in the code that a question is answered with.
PLACES = 5
# A place that is less likely to be right than this has nothing to do with the question.
RELATED = 0.15

_WORD = re.compile(r"\w{3,}")
# Words of questions that are in every text.
_COMMON = frozenset(
    (
        "all",
        "and",
        "are",
        "can",
        "does",
        "find",
        "for",
        "from",
        "has",
        "how",
        "into",
        "not",
        "that",
        "the",
        "this",
        "use",
    )
).union(("used", "uses", "using", "was", "what", "where", "which", "who", "why", "with"))


class Kept(Record, frozen=True, kw_only=True):
    """What is kept of level 4: the state of the index it was made from, how large it was to be, and the knowledge."""

    generation: int
    max_bytes: int
    knowledge: GlobalKnowledge


class Knowledge:
    """What is known of one project as a whole."""

    def __init__(self, engine: Engine, namespace: str, documents: Documents) -> None:
        self._engine, self._namespace, self._documents = engine, namespace, documents

    def of_all(self, max_bytes: int, *, fresh: bool = True) -> GlobalKnowledge:
        """Return all of it; made now if the code changed since it was made, or if there is none.

        fresh: false is content with what was made before the code changed
        """
        text = self._documents.read("overview")
        kept = _decoded(text)
        generation = self._engine.code_store.code_generation()
        if kept is not None and kept.max_bytes == max_bytes and (kept.generation == generation or not fresh):
            return kept.knowledge
        from recollect.hierarchy.overview import overview

        made = overview(self._engine, self._namespace, max_bytes=max_bytes)
        new = Kept(generation=generation, max_bytes=max_bytes, knowledge=made)
        self._documents.swap("overview", text, msgspec.json.encode(new).decode())  # another process made the same
        return made

    def about(self, query: str, max_bytes: int) -> str:
        """Return what of it bears on a question: the files it leads to, then what the sections say of its words."""
        lines = [f"- {_place(hit)}: {hit.reason}" for hit in self.places(query)]
        found = ["## Files\n\n" + "\n".join(lines) + "\n"] if lines else []
        wanted = [word.lower() for word in _WORD.findall(query) if word.lower() not in _COMMON]
        for title, text in self.of_all(max_bytes).sections:
            said = [line for line in text.splitlines() if any(word in line.lower() for word in wanted)]
            if said:
                found.append(f"## {title}\n\n" + "\n".join(said) + "\n")
        return "\n".join(found)

    def places(self, query: str, limit: int = PLACES) -> tuple[CodeHit, ...]:
        """Return the places in the code that a question leads to, best first; none if it has nothing to do with it."""
        return self._engine.code.search(query, limit=limit, namespace=self._namespace, min_score=RELATED).hits


def _place(hit: CodeHit) -> str:
    return f"{hit.path}:{hit.start_line}" + (f" {hit.symbol}" if hit.symbol else "")


def _decoded(text: str | None) -> Kept | None:
    try:
        return msgspec.json.decode(text, type=Kept) if text else None
    except msgspec.DecodeError:
        return None  # derived: made anew
