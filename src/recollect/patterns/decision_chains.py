"""Decision chains: decisions that replaced each other, or concern the same file.

    supersession   A ◄─ B ◄─ C
    place          three and more about one file, on different days

Both are ordered by the time from which they are valid.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from recollect.capture.observation_lesson import line
from recollect.model import Memory, Pattern
from recollect.patterns.pattern_counts import NAMED, beyond

LEAST_REPLACED = 2
# Two decisions about one file are a coincidence.
LEAST_PLACED = 3
# Decisions of one day are parts of one.
LEAST_DAYS = 2
SUBJECT_CHARACTERS = 100


def since(memory: Memory) -> int:
    """Return the time from which a memory is valid."""
    return memory.valid_from if memory.valid_from is not None else memory.created_at


def ordered(memories: Iterable[Memory]) -> list[Memory]:
    """Return memories in the order in which they became valid."""
    return sorted(memories, key=lambda row: (since(row), row.seq, row.id))


def decision_chains(
    decisions: Sequence[Memory], paths: Mapping[str, Iterable[str]], replaced: Iterable[tuple[str, str]]
) -> list[Pattern]:
    """Return the chains among decisions of one project, most certain first.

    paths: by memory, the files it is anchored to. replaced: pairs of ids, the newer first
    """
    by_id = {memory.id: memory for memory in decisions}
    found: list[Pattern] = []
    told: list[frozenset[str]] = []
    for group in _groups(by_id, replaced):
        if len(group) >= LEAST_REPLACED:
            chain = ordered(by_id[name] for name in group)
            said = f"{len(chain)} successive decisions; current: {_called(chain[-1])}"
            # An explicit replacement is hardly chance; each further one adds confidence.
            found.append(_pattern(chain, _called(chain[0]), said, beyond(2 * len(chain), 1)))
            told.append(frozenset(group))
    placed: dict[str, set[str]] = defaultdict(set)
    for name in by_id:
        for path in paths.get(name, ()):
            placed[path].add(name)
    usual = sum(map(len, placed.values())) / len(placed) if placed else 0.0
    for path, names in placed.items():
        chain = ordered(by_id[name] for name in names)
        days = {since(memory) // 86_400 for memory in chain}
        if len(chain) >= LEAST_PLACED and len(days) >= LEAST_DAYS and not any(names <= group for group in told):
            said = f"{len(chain)} decisions about {path}; latest: {_called(chain[-1])}"
            found.append(_pattern(chain, path, said, beyond(len(chain), min(usual, 1.0))))
    return sorted(found, key=lambda row: (-row.confidence, row.subject))


def _groups(by_id: Mapping[str, Memory], replaced: Iterable[tuple[str, str]]) -> list[set[str]]:
    """Return the sets of decisions that are connected by supersession."""
    group: dict[str, set[str]] = {}
    for pair in replaced:
        if by_id.keys() >= set(pair) and len(set(pair)) > 1:
            joined = set(pair).union(*(group.get(name, ()) for name in pair))
            group.update(dict.fromkeys(joined, joined))
    return list({id(each): each for each in group.values()}.values())


def _called(memory: Memory) -> str:
    return line(memory.title or memory.content, SUBJECT_CHARACTERS)


def _pattern(chain: Sequence[Memory], subject: str, told: str, confidence: float) -> Pattern:
    among = list(dict.fromkeys(memory.session_id for memory in reversed(chain) if memory.session_id))
    return Pattern(
        pattern_type="decision_chain",
        subject=subject,
        told=told,
        confidence=round(confidence, 3),
        count=len(chain),
        session_count=len(among),
        sessions=tuple(among[:NAMED]),
        evidence=tuple(memory.id for memory in chain[: -NAMED - 1 : -1]),
        namespace=chain[-1].namespace,
        first_at=since(chain[0]),
        last_at=since(chain[-1]),
    )
