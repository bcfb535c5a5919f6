"""Fast path: the answer to a prompt in a tenth of a second and without an engine.

A hook asks a running server; without one it reads the database itself. Loading an engine would take too long, so this
loads only the standard library, the search terms and the full text: no records, no numpy, no embedding model. The
candidates are found by words, and by vectors that the shipped model made of memories earlier; the prompt gets an
approximate one (providers/query_vector.py). recall/prompt_evidence.py tells how relevant they are. What is left out or
told with a newer memory is as in prompt_relevance.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from recollect import clock
from recollect.capture.error_fingerprint import shows_another, unstamped
from recollect.capture.filter import cleaned, is_noise, mark
from recollect.capture.observation import BadPayload, Observation
from recollect.capture.payload import read
from recollect.engine.records.identity import namespace_of
from recollect.errors import RecollectError
from recollect.recall import PACK_RELEVANCE, doubts, feedback
from recollect.recall.gather import gather_words
from recollect.recall.lexical import Likely, likely, rarity
from recollect.recall.prompt_evidence import relevant
from recollect.recall.query import Query, understand
from recollect.settings import Settings, load
from recollect.store.fast_path_reader import FastPathReader, Remembered
from recollect.text.passages import MAX_PASSAGES, head, passages

if TYPE_CHECKING:
    from recollect.engine.hook_responses.context_block import Line
    from recollect.store.passage import Passage, TermCounts

# The question is at the beginning of a prompt; the rest was pasted.
PROMPT_CHARACTERS = 2_000
# Most memories in an answer.
MOST = 5
# One word matches too many memories: "fix it", "tests?", "go on".
LEAST_WORDS = 2
# The newest known memories whose vectors are read, 16 ms of CPU, and how many of the nearest join those found by words.
NEWEST = 500
NEAREST = 8


def fast_answer(payload: bytes, *, home: str = "", event: str = "", assistant: str = "") -> str | None:
    """Return the text to inject for a prompt; None: nothing, zero bytes, also for other events.

    Like HookResponses.answer, without an engine: fenced as data, without secrets, within its limits. A bad payload or
    store is no error. Injected memories are recorded.

    home: the folder of the database; empty: from the settings
    """
    with suppress(RecollectError, BadPayload, sqlite3.Error, OSError, ValueError, RecursionError):
        seen = cleaned(read(payload, event=event, assistant=assistant))
        if seen.event == "prompt" and not is_noise(seen) and seen.session:
            return answered(load({"home": home or None}), seen)
    return None


def answered(settings: Settings, seen: Observation) -> str | None:
    """Return the answer to a prompt. Raises sqlite3.Error and RecollectError."""
    query = understand(unstamped(seen.text[:PROMPT_CHARACTERS]), now=clock.now())
    if len(query.terms) < LEAST_WORDS or not settings.prompt_tokens or settings.database_url:
        return None  # a server is asked by the process that is connected to it, or by none
    scope = namespace_of(seen.cwd if seen.cwd.startswith(("/", "~")) else settings.namespace or None)
    scopes = (scope, None) if scope is not None else (None,)
    with FastPathReader(str(settings.database_path), scopes=scopes) as store:
        if not store.is_ours():
            return None
        lines = tuple(_lines(store, query, seen, feedback.read(store.setting(feedback.key(scope))), settings))
        if not lines:
            return None
        # Imported late: most prompts get no answer.
        from recollect.engine.hook_responses.context_block import Section, block

        made = block([Section("", lines)], budget=settings.prompt_tokens)
        if made is None:
            return None
        at, occasion = clock.now(), mark(seen)[0]
        store.note(
            (clock.new_id(), seen.session, line.memory_id, at, seen.event, line.why, occasion) for line in made.lines
        )
        return made.text


def _lines(
    store: FastPathReader, query: Query, seen: Observation, learnt: feedback.Learnt | None, settings: Settings
) -> Iterator[Line]:
    rows, counts, by_words, cosines = candidates(store, query, settings)
    found = relevant(query, rows, by_words, cosines)
    reason = "match by words and meaning" if cosines else "keyword match"
    least = PACK_RELEVANCE if learnt is None else feedback.likely(PACK_RELEVANCE, -feedback.EARLIER)
    places = _best(rows, found, least)
    if not places:
        return
    from recollect.engine.hook_responses.context_block import EARLIER_CHARACTERS, Line, flat
    from recollect.engine.memory.verdicts import is_outdated, overall
    from recollect.text.paraphrases import statements

    memories = store.remembered([rows[place].memory_id for place in places])
    places = [place for place in places if rows[place].memory_id in memories]
    if learnt is not None:
        offers = store.offers(list(memories))
        leans = {row.id: _lean(learnt, row, *offers.get(row.id, (0, 0))) for row in memories.values()}
        ids = [rows[place].memory_id for place in places]
        worth = [feedback.likely(found.relevance[place], leans[name]) for place, name in zip(places, ids, strict=True)]
        places = [place for place, each in zip(places, worth, strict=True) if each >= PACK_RELEVANCE]
    replaced = _replaced(query, rarity(query, counts), rows, found, places, memories)
    links = {name: row for name, row in _newer(store, memories).items() if _may_be_told(row, seen)}
    newer = {row.id: row for row in links.values()}
    verdicts = {name: overall(rows) for name, rows in store.verdicts([*memories, *newer]).items()}
    told = store.told(seen.session)
    said: frozenset[tuple[str, ...]] = frozenset()
    count = 0
    by_id = {rows[place].memory_id: place for place in places}
    for name, earlier in doubts.together(by_id, links).items():
        memory = newer.get(name) or memories[name]
        place = by_id.get(name)
        best = next(by_id[each] for each in by_id if each in (name, *earlier))
        says = statements(memory.content)
        is_told = memory.id in told
        verdict = verdicts.get(memory.id, "unanchored")
        over = memory.id in replaced or is_outdated(memory.source, verdict) or not _may_be_told(memory, seen)
        if not is_told and (count == MOST or over or (says and says <= said)):
            continue
        said |= says
        if not is_told:
            count += 1
            text = _text(memory, rows[place].pid if place is not None else 0)
            olds = [flat(memories[older].content, EARLIER_CHARACTERS) for older in earlier]
            line = _told(memory, text, verdict, doubts.earlier_text(olds))
            yield Line(line, memory.id, f"{found.relevance[best]:.2f}: {reason}")


def _newer(store: FastPathReader, memories: Mapping[str, Remembered]) -> dict[str, Remembered]:
    """Return, by the id of a memory, the newer one that may have replaced it."""
    links = store.doubts(list(memories), doubts.POSSIBLE)
    return doubts.newer_versions(links, store.remembered) if links else {}


class Candidates(NamedTuple):
    """Passages in order of place, their relevance by words alone, and the cosines of all that have a vector."""

    rows: Sequence[Passage]
    counts: TermCounts
    by_words: Likely
    cosines: Mapping[int, float]


def candidates(store: FastPathReader, query: Query, settings: Settings) -> Candidates:
    """Return the passages that share words with a prompt, and those nearest to it."""
    counts = store.term_counts(query.terms, query.name_terms)
    rows = gather_words(store, query, counts, where=None).passages
    cosines = _cosines(store, query, [row.pid for row in rows if row.eligible], settings)
    near = set(sorted(cosines, key=cosines.__getitem__)[-NEAREST:]).difference(row.pid for row in rows)
    rows = sorted((*rows, *store.passages(near)), key=lambda row: row.pid) if near else rows
    return Candidates(rows, counts, likely(query, rows, counts), cosines)


def _cosines(store: FastPathReader, query: Query, pids: Sequence[int], settings: Settings) -> dict[int, float]:
    """Return the cosines of passages of known memories with the prompt; none without vectors of the shipped model."""
    if settings.embed_provider != "local":
        return {}
    from recollect.providers.query_vector import cosines, model_id, query_vector

    held = store.vectors(model_id(settings.enrichment), pids, NEWEST)
    with suppress(OSError):  # a damaged installation: words are enough
        vector = query_vector(query.text) if held else None
        if vector is not None:
            return dict(zip(held, cosines(vector, list(held.values())), strict=True))
    return {}


def _lean(learnt: feedback.Learnt, memory: Remembered, offered: int, used: int) -> float:
    kind = feedback.kind_of(memory.memory_type, memory.category, memory.source)
    return feedback.leaning(learnt.kinds.get(kind, 0.0), feedback.own(used, offered, learnt, kind) if offered else 0.0)


def _best(rows: Sequence[Passage], found: Likely, least: float) -> list[int]:
    """Return the places of relevant memories, the best passage of each, best first."""
    best: dict[str, int] = {}
    for place in sorted(range(len(rows)), key=lambda place: -found.scores[place]):
        if rows[place].eligible and round(found.relevance[place], 4) >= least:
            best.setdefault(rows[place].memory_id, place)
    return list(best.values())


def _replaced(
    query: Query,
    weights: Sequence[float],
    rows: Sequence[Passage],
    found: Likely,
    places: Sequence[int],
    memories: dict[str, Remembered],
) -> frozenset[str]:
    """Return the memories that a newer one among the best supersedes."""
    if len(places) < 2:
        return frozenset()
    from recollect.recall.supersede import STATING_DEPTH, Version, replaces, supersede

    versions = [
        Version(
            number,
            rows[place].at,
            found.scores[place],
            rows[place].tokens,
            partial(_text, memories[rows[place].memory_id], rows[place].pid),
        )
        for number, place in enumerate(places[:STATING_DEPTH])
        # A summary repeats others and is no newer version of them.
        if memories[rows[place].memory_id].source != "consolidation"
    ]
    newest = supersede(query, dict(zip(query.terms, weights, strict=True)), versions)
    older = [rows[places[version.place]].memory_id for version in newest if replaces(newest[0], version)]
    return frozenset(memory_id for memory_id in older if memories[memory_id].source != "import")


def _may_be_told(memory: Remembered, seen: Observation) -> bool:
    if memory.superseded_by is not None or (memory.source == "hook" and memory.session_id == seen.session):
        return False
    if memory.category == "fix" and shows_another(seen.text, memory.content):
        return False
    return all(end is None or end > clock.now() for end in (memory.valid_to, memory.expires_at))


def _told(memory: Remembered, text: str, verdict: str, earlier: str) -> str:
    from recollect.engine.hook_responses.context_block import DOUBTFUL, remembered

    doubts = (
        f"its code {'is' if verdict == 'unverified' else 'has'} {verdict}" if verdict in DOUBTFUL else "",
        f"from branch {memory.branch}" if memory.branch else "",
        earlier,
    )
    by = memory.author or memory.source
    state = "fresh" if verdict == "fresh" else ""
    return remembered(memory.memory_type, memory.created_at, by, text, state, "; ".join(filter(None, doubts)))


def _text(memory: Remembered, pid: int) -> str:
    """Return a memory, or of a long one the passage that matched, below the head of its list."""
    parts = passages(memory.content)
    part = min(pid % MAX_PASSAGES, len(parts) - 1)
    above = head(memory.content) if part else ""
    return f"{above}\n{parts[part]}" if above else parts[part]
