"""Places: where in indexed code a question to the memory leads, if it concerns code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import CodeHit

if TYPE_CHECKING:
    from recollect.engine.retrieval.query_arguments import Asked
    from recollect.engine.root import Engine

# Beside memories a few places are enough; `search_code` has more.
PLACES = 3
# What is shown unasked must be worth it. Over 19 projects, by words alone: 75 of 100 questions about the code get a
# place, 84 of 100 of those the right one first; of 1,159 everyday prompts one gets a place, of 1,121 questions about
# agreements and incidents elsewhere 18.
UNASKED_RELEVANCE = 0.7


def places(engine: Engine, asked: Asked, *, wanted: bool | None) -> tuple[tuple[CodeHit, ...], tuple[str, ...]]:
    """Return the places in the code of the projects asked about that answer a question, and notes.

    wanted: true also takes what is less certain and says what was missing; none takes what is certain, and only where
    the question is not narrowed to memories of a kind or of another time
    """
    if wanted is False or (wanted is None and _is_narrowed(asked)):
        return (), ()
    # One small query decides where nothing is indexed: an ordinary recall is not slower for it.
    is_indexed = engine.code_store.code_generation() > 0
    if not is_indexed and not wanted:
        return (), ()
    scope = engine.code.within({field: value for field, value in (asked.where or {}).items() if field == "namespace"})
    if not is_indexed or scope.trees == ():
        return (), engine.code.why_nothing(scope) if wanted else ()
    from recollect.engine.code.code_search import Sought, search_code

    limit = min(PLACES, asked.limit)
    if wanted:
        found = search_code(engine, Sought(asked.text, scope, limit, asked.least, explain=asked.explain))
        return found.hits, found.notes
    # By words alone: a recall does not wait for vectors of code to be read.
    sought = Sought(asked.text, scope, limit, UNASKED_RELEVANCE, explain=asked.explain)
    return search_code(engine, sought, by_meaning=False).hits, ()


def _is_narrowed(asked: Asked) -> bool:
    """Tell whether memories of a kind or of another time are asked for, which code cannot be."""
    return asked.as_of is not None or not {"namespace"}.issuperset(asked.where or ())
