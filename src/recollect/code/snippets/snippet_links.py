"""Relate: whether two pieces of code belong together, how, how strongly and why.

    subjects weighed by how rare their words are ─► how alike ─► the first rule of the table that holds ─► link type

Rules go from the most telling to the least. Being alike is a cosine over words, so that two pieces in different
languages are as alike as two in one.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from recollect.code.index.languages import BY_NAME as LANGUAGES
from recollect.code.snippets.analyse import CONTEXT_CHARACTERS, Snippet, one_line, stem, subject, words_of
from recollect.code.snippets.concepts import BY_NAME
from recollect.model import Relation
from recollect.model.coding import LinkType

# How each link type is kept in the graph: as one of its relationships, with the type in the link's properties. A step
# leads from the earlier to the later; the others hold both ways.
RELATIONSHIPS: Mapping[LinkType, Relation] = {
    "solution": "SIMILAR_TO",
    "pattern": "SHARES_THEME",
    "technology": "RELATES_TO",
    "debugging": "RELATES_TO",
    "progression": "LEADS_TO",
}

# How alike two pieces must be for each type, set on one half of bench/evolution.py: there no wrong pair is as alike as
# 0.30, and 0.45 still finds four of five right ones; the room between is for real code, which shares more words. In the
# half held out 1 pair in 118 is wrong. A shared error, pattern or technology is evidence by itself, so that less of the
# subject must be shared.
SAME_PROBLEM = 0.45
SAME_BUG, SAME_ERROR = 0.45, 0.30
SAME_PATTERN = 0.15
SAME_TECHNOLOGY = 0.10
NEXT_STEP, SAME_NAMES = 0.40, 0.5
# What closeness in meaning adds beyond the level that any two pieces of code have.
USUAL_COSINE, COSINE_SHARE = 0.5, 0.25
# In a store of a few memories no word can be called frequent: rarity is counted as if there were this many more.
PRIOR_MEMORIES = 50
# Words named as the reason.
REASONS = 3

# Imports that everything has: they tell nothing of a technology.
EVERYWHERE = frozenset(
    """os sys re json math time typing collections fmt errors strings java util io stdio stdlib string stdlib.h fs path
    http net react_dom random datetime itertools functools dataclasses vector iostream system crate super""".split()
)


class Pair(NamedTuple):
    """Two pieces as the rules see them: how alike they are, and what they share."""

    older: Snippet
    newer: Snippet
    alike: float
    names: float
    errors: frozenset[str]
    patterns: frozenset[str]
    technologies: frozenset[str]
    words: tuple[str, ...]


class Related(NamedTuple):
    """How two pieces belong together: the link type, how strongly from 0 to 1, and why, in words."""

    type: LinkType
    weight: float
    why: str


Rule = Callable[[Pair], bool]

RULES: tuple[tuple[LinkType, Rule], ...] = (
    (
        "debugging",
        lambda pair: (
            pair.older.is_fix and pair.newer.is_fix and pair.alike >= (SAME_ERROR if pair.errors else SAME_BUG)
        ),
    ),
    (
        "progression",
        lambda pair: (
            pair.newer.is_step
            and pair.older.language == pair.newer.language
            and pair.names >= SAME_NAMES
            and pair.alike >= NEXT_STEP
        ),
    ),
    ("solution", lambda pair: pair.alike >= SAME_PROBLEM),
    ("pattern", lambda pair: bool(pair.patterns) and pair.alike >= SAME_PATTERN),
    ("technology", lambda pair: bool(pair.technologies) and pair.alike >= SAME_TECHNOLOGY),
)


def rarity(memories: int, holding: int) -> float:
    """Return how much a word tells, 0 to 1, given in how many memories it stands."""
    total = memories + PRIOR_MEMORIES
    return max(0.0, math.log(total / (holding + 1)) / math.log(total))


def relate(
    older: Snippet, newer: Snippet, rarities: Mapping[str, float], cosine: float | None = None
) -> Related | None:
    """Return how two pieces belong together, None where they do not.

    rarities: how much each stem tells; one that is missing tells all. cosine: how close they are in meaning, if known
    """
    found = pair(older, newer, rarities, cosine)
    for type_, holds in RULES:
        if holds(found):
            return Related(type_, round(min(1.0, found.alike), 3), _why(type_, found))
    return None


def pair(older: Snippet, newer: Snippet, rarities: Mapping[str, float], cosine: float | None = None) -> Pair:
    """Return what two pieces share, as the rules see it."""
    one, other = (_weighed(subject(each), rarities) for each in (older, newer))
    shared = sorted(one.keys() & other.keys(), key=lambda root: (-one[root] * other[root], root))
    norm = math.sqrt(sum(value**2 for value in one.values()) * sum(value**2 for value in other.values()))
    alike = sum(one[root] * other[root] for root in shared) / norm if norm else 0.0
    if cosine is not None:
        alike += COSINE_SHARE * max(0.0, cosine - USUAL_COSINE)
    return Pair(
        older=older,
        newer=newer,
        alike=alike,
        names=_names_shared(older, newer),
        errors=frozenset(older.errors) & frozenset(newer.errors),
        patterns=_of_kinds(older, "algorithm", "pattern") & _of_kinds(newer, "algorithm", "pattern"),
        technologies=_technologies(older) & _technologies(newer),
        words=_as_written(shared[:REASONS], older, newer),
    )


def _as_written(roots: list[str], *snippets: Snippet) -> tuple[str, ...]:
    """Return stems as the words that they are of."""
    texts = (text for each in snippets for text in (each.context, *each.defines[:4], *each.keywords, *each.concepts))
    words: dict[str, str] = {}
    for word in words_of(" ".join(texts)):
        words.setdefault(stem(word), word)
    return tuple(words.get(root, root) for root in roots)


def _weighed(weights: Mapping[str, float], rarities: Mapping[str, float]) -> dict[str, float]:
    return {root: weight * rarities.get(root, 1.0) for root, weight in weights.items()}


def _names_shared(one: Snippet, other: Snippet) -> float:
    """Return which share of the words in the names of the piece with fewer of them the other one has, too."""
    first, second = ({stem(word) for word in words_of(" ".join(each.defines[:4]))} for each in (one, other))
    fewest = min(len(first), len(second))
    return len(first & second) / fewest if fewest else 0.0


def _of_kinds(snippet: Snippet, *kinds: str) -> frozenset[str]:
    return frozenset(name for name in snippet.concepts if BY_NAME[name].kind in kinds)


def _technologies(snippet: Snippet) -> frozenset[str]:
    return _of_kinds(snippet, "technology") | {name.lower() for name in snippet.imports} - EVERYWHERE


def _why(type_: LinkType, found: Pair) -> str:
    evidence: Mapping[LinkType, tuple[str, frozenset[str]]] = {
        "debugging": ("same error", found.errors),
        "pattern": ("same pattern", found.patterns),
        "technology": ("same technology", found.technologies),
    }
    label, shared = evidence.get(type_, ("", frozenset()))
    parts = [f"{label}: {', '.join(sorted(shared))}"] if shared else []
    if found.words:
        parts.append(f"both about {', '.join(found.words)}")
    return "; ".join(parts)


# A tag is taken over from so many neighbours, and from such a share of them: one neighbour may be a mistake.
TAG_NEIGHBOURS, TAG_SHARE = 2, 0.6
# More tags than this tell nothing apart.
MOST_TAGS = 12
# What each shared neighbour takes away from the doubt about a link, and how many of them count.
SUPPORT, SUPPORTERS = 0.15, 4
# A link is not touched for less.
LEAST_GAIN = 0.01

# Links by which tags and contexts are taken over. A technology is shared by what is about quite different things.
TEACHING: frozenset[LinkType] = frozenset({"solution", "pattern", "debugging", "progression"})
# Links whose other end does the same, so that what is said of it holds here, too.
TELLING: frozenset[LinkType] = frozenset({"solution", "progression"})


class Neighbour(NamedTuple):
    """A linked piece: how it is linked, and what is known of it."""

    type: LinkType
    snippet: Snippet
    tags: tuple[str, ...]


def refined_tags(snippet: Snippet, tags: Sequence[str], neighbours: Sequence[Neighbour]) -> tuple[str, ...]:
    """Return the tags of a piece with what most of its neighbours are tagged with; never a language or fewer tags."""
    teachers = [each for each in neighbours if each.type in TEACHING]
    counts = Counter(tag for each in teachers for tag in dict.fromkeys(each.tags))
    least = max(TAG_NEIGHBOURS, TAG_SHARE * len(teachers))
    learnt = sorted(tag for tag, count in counts.items() if count >= least and tag not in LANGUAGES)
    learnt = [tag for tag in learnt if tag != "debugging" or snippet.is_fix]
    return tuple(dict.fromkeys((*tags, *learnt)))[: max(MOST_TAGS, len(tags))]


def refined_context(base: str, snippet: Snippet, neighbours: Sequence[Neighbour]) -> str:
    """Return the line about a piece: what somebody said of it, or of its nearest neighbour where nobody did.

    base: the line as it was before any evolution. neighbours: the strongest first. What somebody said of their own
    code stays: more words in it would make it harder to find, not easier.
    """
    if snippet.is_given:
        return base
    said = (each.snippet for each in neighbours if each.type in TELLING and each.snippet.is_given)
    teacher = next(said, None)
    if teacher is None:
        return base
    where = f" ({snippet.language})" if snippet.language else ""
    return one_line(teacher.context)[: CONTEXT_CHARACTERS - len(where)].rstrip(". ") + where


def strengthened(weight: float, found: float, supporters: int) -> float:
    """Return the weight of a link: not below what it was or what its ends show now, more with shared neighbours."""
    doubt = (1 - found) * (1 - SUPPORT) ** min(supporters, SUPPORTERS)
    target = round(1 - doubt, 3)
    return target if target >= weight + LEAST_GAIN else weight


def supporters(one: Collection[str], other: Collection[str]) -> int:
    """Return how many neighbours two pieces share."""
    return len(set(one) & set(other))
