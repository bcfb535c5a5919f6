"""Refine: what a piece of code learns from those it is linked to.

    tags       what most neighbours of the same problem, pattern or bug are tagged with
    context    where nobody said what it does: what somebody said of its nearest neighbour that does the same
    weight     a link whose ends share neighbours is stronger than what either end shows

All three are functions of the links, so that doing it twice changes nothing more.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from recollect.code.languages import BY_NAME as LANGUAGES
from recollect.code.snippet.analyse import CONTEXT_CHARACTERS, Snippet, one_line
from recollect.model.coding import LinkType

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
