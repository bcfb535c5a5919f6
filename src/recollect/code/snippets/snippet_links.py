"""Links between code snippets, and what linked snippets take over from each other.

    subjects weighted by rarity ─► similarity ─► the first rule that holds ─► link type

Similarity is a cosine over words, so that it does not depend on the languages. Linked snippets refine each other:

    tags       tags of most neighbours of the same problem, pattern or bug
    context    without a given description: that of the nearest neighbour that does the same
    weight     a link whose ends share neighbours is stronger

Refining is a function of the links, so doing it twice changes nothing.
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

# The relationship of each link type in the graph; the type itself is a property of the edge. A progression leads from
# the earlier to the later; the others are symmetric.
RELATIONSHIPS: Mapping[LinkType, Relation] = {
    "solution": "SIMILAR_TO",
    "pattern": "SHARES_THEME",
    "technology": "RELATES_TO",
    "debugging": "RELATES_TO",
    "progression": "LEADS_TO",
}

# Required similarity for each type, set on one half of bench/evolution.py: there no wrong pair reaches 0.30, and 0.45
# finds four of five right ones; real code shares more words. In the held-out half 1 pair in 118 is wrong. A shared
# error, pattern or technology is evidence by itself, so that less similarity is required.
SAME_PROBLEM = 0.45
SAME_BUG, SAME_ERROR = 0.45, 0.30
SAME_PATTERN = 0.15
SAME_TECHNOLOGY = 0.10
NEXT_STEP, SAME_NAMES = 0.40, 0.5
# Weight of the cosine of vectors beyond the level of any two snippets.
USUAL_COSINE, COSINE_SHARE = 0.5, 0.25
# Added to the number of memories: in a small store no word is frequent.
PRIOR_MEMORIES = 50
# Words named as the reason.
REASONS = 3

# Common imports, which show no technology.
EVERYWHERE = frozenset(
    """os sys re json math time typing collections fmt errors strings java util io stdio stdlib string stdlib.h fs path
    http net react_dom random datetime itertools functools dataclasses vector iostream system crate super""".split()
)


class Pair(NamedTuple):
    """The input of the rules: the similarity of two snippets, and what they share."""

    older: Snippet
    newer: Snippet
    alike: float
    names: float
    errors: frozenset[str]
    patterns: frozenset[str]
    technologies: frozenset[str]
    words: tuple[str, ...]


class Related(NamedTuple):
    """A link: its type, its weight from 0 to 1, and the reason."""

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
    """Return the rarity of a word, 0 to 1, given how many memories have it."""
    total = memories + PRIOR_MEMORIES
    return max(0.0, math.log(total / (holding + 1)) / math.log(total))


def relate(
    older: Snippet, newer: Snippet, rarities: Mapping[str, float], cosine: float | None = None
) -> Related | None:
    """Return the link between two snippets, or None.

    rarities: by stem; default: 1. cosine: of their vectors, if known
    """
    found = pair(older, newer, rarities, cosine)
    for type_, holds in RULES:
        if holds(found):
            return Related(type_, round(min(1.0, found.alike), 3), _why(type_, found))
    return None


def pair(older: Snippet, newer: Snippet, rarities: Mapping[str, float], cosine: float | None = None) -> Pair:
    """Return the input of the rules for two snippets."""
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
    """Return words for stems."""
    texts = (text for each in snippets for text in (each.context, *each.defines[:4], *each.keywords, *each.concepts))
    words: dict[str, str] = {}
    for word in words_of(" ".join(texts)):
        words.setdefault(stem(word), word)
    return tuple(words.get(root, root) for root in roots)


def _weighed(weights: Mapping[str, float], rarities: Mapping[str, float]) -> dict[str, float]:
    return {root: weight * rarities.get(root, 1.0) for root, weight in weights.items()}


def _names_shared(one: Snippet, other: Snippet) -> float:
    """Return the share of common words in defined names, of the snippet with fewer."""
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


# Neighbours with a tag, in number and as a share, before it is added: one may be a mistake.
TAG_NEIGHBOURS, TAG_SHARE = 2, 0.6
# Tags of a snippet.
MOST_TAGS = 12
# How much each shared neighbour reduces the doubt about a link, and how many count.
SUPPORT, SUPPORTERS = 0.15, 4
# Smaller gains do not change a link.
LEAST_GAIN = 0.01

# Links that pass on tags. Snippets of one technology may have different subjects.
TEACHING: frozenset[LinkType] = frozenset({"solution", "pattern", "debugging", "progression"})
# Links that pass on descriptions: both ends do the same.
TELLING: frozenset[LinkType] = frozenset({"solution", "progression"})


class Neighbour(NamedTuple):
    """A linked snippet with the link type and its tags."""

    type: LinkType
    snippet: Snippet
    tags: tuple[str, ...]


def refined_tags(snippet: Snippet, tags: Sequence[str], neighbours: Sequence[Neighbour]) -> tuple[str, ...]:
    """Return the tags of a snippet with those of most neighbours; never a language."""
    teachers = [each for each in neighbours if each.type in TEACHING]
    counts = Counter(tag for each in teachers for tag in dict.fromkeys(each.tags))
    least = max(TAG_NEIGHBOURS, TAG_SHARE * len(teachers))
    learnt = sorted(tag for tag, count in counts.items() if count >= least and tag not in LANGUAGES)
    learnt = [tag for tag in learnt if tag != "debugging" or snippet.is_fix]
    return tuple(dict.fromkeys((*tags, *learnt)))[: max(MOST_TAGS, len(tags))]


def refined_context(base: str, snippet: Snippet, neighbours: Sequence[Neighbour]) -> str:
    """Return the description of a snippet, or that of its nearest neighbour if none was given.

    base: the original description. neighbours: the strongest first. A given description stays unchanged: more words
    would make the snippet harder to find.
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
    """Return the weight of a link: never lower than before, higher with shared neighbours."""
    doubt = (1 - found) * (1 - SUPPORT) ** min(supporters, SUPPORTERS)
    target = round(1 - doubt, 3)
    return target if target >= weight + LEAST_GAIN else weight


def supporters(one: Collection[str], other: Collection[str]) -> int:
    """Return how many neighbours two snippets share."""
    return len(set(one) & set(other))
