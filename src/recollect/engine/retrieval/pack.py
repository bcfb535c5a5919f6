"""Pack: the hits of a recall as one text within a token budget.

    - [context, 2023-05-08, Ada, 5f0c…] Where did the build break yesterday [2023-05-07]?
        reply by assistant (91ab…): In the linker: the new flag is not known there
    - [decision, 2023-05-09, 77d0…] Flags are checked in check_flags (changed: src/link.py::check_flags was edited …)
    - [code, src/link.py:12-40] Method Linker.run: def run(self, flags: list[str]) -> int — Link what was compiled.

A line is a memory, or the matching passage of a long memory. Places in the code have a share of the budget; replies use
the rest.

A memory whose code changed or moved is marked. A memory whose code is gone is left out and counted in a note, since
advice about deleted code misleads an assistant. A search still finds it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from recollect import clock
from recollect.model import CodeHit, Hit, Packed, PackedMemory, Recall
from recollect.text.display import clip, day, short_id
from recollect.text.lazy_patterns import compiled
from recollect.text.paraphrases import statements
from recollect.text.passages import head
from recollect.text.questions import only_asks
from recollect.text.token_count import tokens

# Hits that are tried: more than any sensible budget holds.
CANDIDATES = 50
# What of a reply is packed: about as much as most turns say; the id leads to the rest.
REPLY_CHARACTERS = 300
# What of a place in the code is packed: its signature and the first sentences of its documentation.
PLACE_CHARACTERS = 200

# … and the part of the budget for them: a task begins at the code, and memories alone would fill any budget.
PLACES_PART = 4

# Verdicts that are shown beside a memory.
DOUBTFUL = frozenset({"changed", "moved", "unverified"})
# Standings of a branch that are shown beside a memory.
UNMERGED = frozenset({"elsewhere", "unknown"})

# Parts of a task that are looked up besides the whole, and the words of the least one: “commit it”.
MOST_PARTS, LEAST_PART = 4, 2
_BETWEEN_PARTS = compiled(r"[.,;]\s+|\s(?:and|then|with|but)\s")

_GONE = "{count} omitted, their code no longer exists (`recollect drift`)"


def parts_of(task: str) -> list[str]:
    """Return the parts of a task that asks for several things; none of a question, whose words belong together."""
    if only_asks(task):
        return []
    parts = [part for part in _BETWEEN_PARTS.split(task) if len(part.split()) >= LEAST_PART]
    return parts if 1 < len(parts) <= MOST_PARTS else []


def packed(found: Recall, budget: int) -> Packed:
    """Return the hits that fit into the budget, best first, each as one line that names its source."""
    places = _fitting(found.places, budget // PLACES_PART)
    lines: dict[str, str] = {}
    said: frozenset[tuple[str, ...]] = frozenset()
    spent, gone = sum(map(tokens, places.values())), 0
    for hit in found.hits:
        text = shown(hit)
        says = statements(text)
        line = _line(hit, text)
        if hit.freshness.verdict == "gone":
            gone += 1
            continue
        # What was replaced or has ended, and what says nothing that was not said above, would only cost tokens.
        if is_over(hit) or (says and says <= said) or spent + tokens(line) > budget:
            continue
        lines[hit.memory.id] = line
        said |= says
        spent += tokens(line)
    sources = tuple(_with_replies(found, lines, budget - spent))
    text = "".join((*(source.text for source in sources), *places.values()))
    return Packed(
        task=found.query,
        text=text,
        tokens=tokens(text),
        budget=budget,
        sources=sources,
        notes=(*found.notes, *([_GONE.format(count=gone)] if gone else ())),
        places=tuple(found.places[number] for number in places),
    )


def is_over(hit: Hit) -> bool:
    """Tell whether a memory was replaced, or no longer holds.

    What was replaced on a branch that is not merged here still holds here: such a hit is not marked as replaced.
    """
    memory = hit.memory
    if hit.superseded_by is not None or memory.superseded_by is not None:
        return hit.superseded_by is not None
    return memory.valid_to is not None and memory.valid_to <= clock.now()


def _fitting(places: Sequence[CodeHit], left: int) -> dict[int, str]:
    """Return the places in the code that still fit, each as one line, by their number."""
    lines: dict[int, str] = {}
    for number, place in enumerate(places):
        line = _place(place)
        if tokens(line) <= left:
            lines[number] = line
            left -= tokens(line)
    return lines


def _with_replies(found: Recall, lines: dict[str, str], left: int) -> Iterator[PackedMemory]:
    """Yield the packed memories, each with its reply if that fits and is not packed itself."""
    for hit in found.hits:
        line = lines.get(hit.memory.id)
        if line is None:
            continue
        answer = _reply(hit) if hit.reply is not None and hit.reply.memory_id not in lines else ""
        if tokens(answer) > left:
            answer = ""
        left -= tokens(answer)
        yield PackedMemory(
            memory_id=hit.memory.id,
            score=hit.score,
            tokens=tokens(line + answer),
            text=line + answer,
            reply_id=hit.reply.memory_id if hit.reply is not None and answer else None,
        )


def shown(hit: Hit) -> str:
    """Return the content on one line, times worked out; of a long memory the passage that matched."""
    whole = len(hit.memory.content)
    if hit.passage is None or (hit.passage.start, hit.passage.end) == (0, whole):
        return " ".join(hit.told(0, whole).split())
    text = " ".join(hit.told(hit.passage.start, hit.passage.end).split())
    if above := head(hit.memory.content):
        return text if text.startswith(" ".join(above.split())) else f"{above} {text}"
    return f"{'… ' if hit.passage.start else ''}{text}{' …' if hit.passage.end < whole else ''}"


def _line(hit: Hit, text: str) -> str:
    memory = hit.memory
    by = f", {_flat(memory.author)}" if memory.author else ""
    doubt = f" ({_flat(hit.freshness.note)})" if hit.freshness.verdict in DOUBTFUL else ""
    if hit.branch is not None and hit.branch.standing in UNMERGED:
        doubt += f" ({_flat(hit.branch.note)})"
    if hit.doubted_by is not None:
        doubt += f" (a later note may replace it: {short_id(hit.doubted_by)})"
    origin = ", team server" if hit.origin else ""
    return f"- [{memory.kind}, {day(memory.said_at)}{by}, {short_id(memory.id)}{origin}] {text}{doubt}\n"


def _place(place: CodeHit) -> str:
    symbol = _flat(f"{place.kind} {place.symbol}")
    told = _flat(" — ".join(part for part in (place.signature, place.doc) if part))
    where = _flat(f"{place.path}:{place.start_line}-{place.end_line}")
    return f"- [code, {where}] {': '.join(part for part in (symbol, clip(told, PLACE_CHARACTERS)) if part)}\n"


def _reply(hit: Hit) -> str:
    if hit.reply is None:
        return ""
    by = f" by {_flat(hit.reply.author)}" if hit.reply.author else ""
    return f"    reply{by} ({short_id(hit.reply.memory_id)}): {clip(_flat(hit.reply.text), REPLY_CHARACTERS)}\n"


def _flat(text: str) -> str:
    return " ".join(text.split())
