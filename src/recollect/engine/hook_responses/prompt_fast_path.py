"""Fast path: the answer to a prompt by keywords, in a tenth of a second and without an engine.

A hook asks a running server; without one it reads the database itself. Loading an engine would take too long, so this
loads only the standard library, the search terms and the full text: no records, no numpy, no vectors. The model is the
lexical one of every recall, with the threshold of injected memories. A memory must also share enough words with the
prompt that say what it is about. What is left out is as in prompt_relevance.py.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from recollect import clock
from recollect.capture.error_fingerprint import shows_another, unstamped
from recollect.capture.filter import cleaned, is_noise, mark
from recollect.capture.observation import BadPayload, Observation
from recollect.capture.payload import read
from recollect.engine.records.identity import namespace_of
from recollect.errors import RecollectError
from recollect.recall import PACK_RELEVANCE, feedback
from recollect.recall.gather import gather_words
from recollect.recall.lexical import Likely, likely, rarity
from recollect.recall.query import Query, understand
from recollect.settings import Settings, load
from recollect.store.fast_path_reader import FastPathReader, Remembered
from recollect.text.passages import MAX_PASSAGES, head, passages
from recollect.text.terms import terms, words_of_terms

if TYPE_CHECKING:
    from recollect.engine.hook_responses.context_block import Line
    from recollect.store.passage import Passage

# The question is at the beginning of a prompt; the rest was pasted.
PROMPT_CHARACTERS = 2_000
# Most memories in an answer.
MOST = 5
# One word matches too many memories: "fix it", "tests?", "go on".
LEAST_WORDS = 2
# Without vectors, a memory needs this evidence: a shared word counts 1, an everyday word half, a name with two digits
# or an underscore 2, words side by side a half more. A longer passage shares words by chance: for each further 20 words
# it needs 1 more, up to 2.
LEAST_EVIDENCE = 2.0
LONG_EVIDENCE = 2.0
SHORT_WORDS = 20
# Evidence makes a memory so much more likely, in logits: 0.3 becomes 0.55 (bench/told.py, dev).
EVIDENCE = 1.05
# Words of every project and every task, which rarely say what a prompt is about.
EVERYDAY = frozenset(
    terms(
        """add allow answer apply ask back become begin break bring build call change check choose clean close
        code come contain copy count create cut data day decide default define delete describe different done
        drop easy edit end error example exist expect explain fail fast field file fill find finish first fix
        folder follow function get give go good great handle happen hard help hour idea implement import issue
        item job keep kept kind know large last later leave let lib library like line list little load long look
        made make many may mean method minute miss module month move much name need never new next nice number
        object often old one open option order output part pass people per place please point possible problem
        process project put question quick quite read ready really reason remove rename replace request result
        return right run safe save say see send sent set setting show simple slow small something sort src start
        state stay step still stop store sure system table take talk team tell test text thing think time today
        together try turn two type unit update use user value variable version view wait want way week well win
        word work write wrong year yesterday"""
    )
)


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
        lines = tuple(_lines(store, query, seen, feedback.read(store.setting(feedback.key(scope)))))
        # Imported late: most prompts get no answer.
        from recollect.engine.hook_responses.context_block import Section, block

        made = block([Section("", lines)], budget=settings.prompt_tokens) if lines else None
        if made is None:
            return None
        at, occasion = clock.now(), mark(seen)[0]
        store.note(
            (clock.new_id(), seen.session, line.memory_id, at, seen.event, line.why, occasion) for line in made.lines
        )
        return made.text


def _lines(store: FastPathReader, query: Query, seen: Observation, learnt: feedback.Learnt | None) -> Iterator[Line]:
    counts = store.term_counts(query.terms, query.name_terms)
    pool = gather_words(store, query, counts, where=None)
    found = _with_evidence(query, pool.passages, likely(query, pool.passages, counts))
    least = PACK_RELEVANCE if learnt is None else feedback.likely(PACK_RELEVANCE, -feedback.EARLIER)
    places = _best(pool.passages, found, least)
    if not places:
        return
    from recollect.engine.hook_responses.context_block import Line
    from recollect.engine.memory.freshness import is_outdated, overall
    from recollect.text.paraphrases import statements

    memories = store.remembered([pool.passages[place].memory_id for place in places])
    places = [place for place in places if pool.passages[place].memory_id in memories]
    if learnt is not None:
        offers = store.offers(list(memories))
        leans = {row.id: _lean(learnt, row, *offers.get(row.id, (0, 0))) for row in memories.values()}
        ids = [pool.passages[place].memory_id for place in places]
        worth = [feedback.likely(found.relevance[place], leans[name]) for place, name in zip(places, ids, strict=True)]
        places = [place for place, each in zip(places, worth, strict=True) if each >= PACK_RELEVANCE]
    replaced = _replaced(query, rarity(query, counts), pool.passages, found, places, memories)
    verdicts = {memory_id: overall(rows) for memory_id, rows in store.verdicts(list(memories)).items()}
    told = store.told(seen.session)
    said: frozenset[tuple[str, ...]] = frozenset()
    count = 0
    for place in places:
        passage = pool.passages[place]
        memory = memories[passage.memory_id]
        says = statements(memory.content)
        is_told = memory.id in told
        verdict = verdicts.get(memory.id, "unanchored")
        over = memory.id in replaced or is_outdated(memory.source, verdict) or not _may_be_told(memory, seen)
        if not is_told and (count == MOST or over or (says and says <= said)):
            continue
        said |= says
        if not is_told:
            count += 1
            yield Line(_told(memory, passage, verdict), memory.id, f"{found.relevance[place]:.2f}: keyword match")


def _lean(learnt: feedback.Learnt, memory: Remembered, offered: int, used: int) -> float:
    kind = feedback.kind_of(memory.memory_type, memory.category, memory.source)
    return feedback.leaning(learnt.kinds.get(kind, 0.0), feedback.own(used, offered, learnt, kind) if offered else 0.0)


def _with_evidence(query: Query, rows: Sequence[Passage], found: Likely) -> Likely:
    """Return the relevance of passages by words, 0 for those that share too few words with the prompt."""
    words = words_of_terms(query.text)
    relevance = []
    for row, value in zip(rows, found.relevance, strict=True):
        shared: dict[str, float] = {}
        held = set(row.tokens)
        for term in filter(held.__contains__, query.terms):
            word = words.get(term, term)
            shared[word] = max(shared.get(word, 0.0), _weight(term))
        evidence = sum(shared.values()) + 0.5 * (not query.pairs.isdisjoint(pairwise(row.tokens)))
        least = LEAST_EVIDENCE + min(max(0, len(row.tokens) - SHORT_WORDS) / SHORT_WORDS, LONG_EVIDENCE)
        relevance.append(feedback.likely(value, EVIDENCE) if evidence >= least else 0.0)
    return Likely(found.scores, relevance)


def _weight(term: str) -> float:
    """Return the evidence of a shared word."""
    if "_" in term or (sum(map(str.isdigit, term)) > 1 and any(map(str.isalpha, term))):
        return 2.0
    return 0.5 if term in EVERYDAY else 1.0


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


def _told(memory: Remembered, passage: Passage, verdict: str) -> str:
    from recollect.engine.hook_responses.context_block import DOUBTFUL, remembered

    doubts = (
        f"its code {'is' if verdict == 'unverified' else 'has'} {verdict}" if verdict in DOUBTFUL else "",
        f"from branch {memory.branch}" if memory.branch else "",
    )
    text = _text(memory, passage.pid)
    by = memory.author or memory.source
    state = "fresh" if verdict == "fresh" else ""
    return remembered(memory.memory_type, memory.created_at, by, text, state, "; ".join(filter(None, doubts)))


def _text(memory: Remembered, pid: int) -> str:
    """Return a memory, or of a long one the passage that matched, below the head of its list."""
    parts = passages(memory.content)
    part = min(pid % MAX_PASSAGES, len(parts) - 1)
    above = head(memory.content) if part else ""
    return f"{above}\n{parts[part]}" if above else parts[part]
