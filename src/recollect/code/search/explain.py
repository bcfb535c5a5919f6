"""Explain: why a file was found, in words that are true of its signals."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.code.search.rank import Ranked

# Kinds of evidence in words for people, and the signals each is made of.
EVIDENCE: Mapping[str, tuple[str, ...]] = {
    "defines the name": ("defines", "defines_here"),
    "names like the question's words": ("named", "named_relative", "names", "names_relative"),
    "its path says so": ("stem", "stem_whole", "stem_relative", "folder"),
    "its documentation says so": ("doc",),
    "holds the words": ("best", "covered", "covered_best"),
    "several places in it match": ("several", "many"),
    "close in meaning": ("cosine", "cosine_relative", "cosine_spread"),
}
# Kinds named in a reason: the strongest say enough.
NAMED = 3


def reason(ranked: Ranked) -> str:
    """Return the strongest kinds of evidence for a file."""
    sums = {meaning: sum(ranked.shares.get(name, 0.0) for name in names) for meaning, names in EVIDENCE.items()}
    strongest = sorted((meaning for meaning in sums if sums[meaning] > 0), key=lambda meaning: -sums[meaning])
    return "; ".join(strongest[:NAMED]) or "the nearest there is"
