"""Explain: why a file was found, in words that are true of its signals."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.model import Share


class Evidence(NamedTuple):
    """A kind of evidence: its words when it speaks against a file, and the signals it is made of.

    Signals of a kind overlap, so that only their sum means something.
    """

    against: str
    signals: tuple[str, ...]


# By what each kind says when it speaks for a file.
EVIDENCE: Mapping[str, Evidence] = {
    "defines what the question names": Evidence(
        "defines nothing that the question names",
        (
            "defines",
            "defines_rare",
            "defines_rare_relative",
            "defines_here",
            "defines_said",
            "defines_shown",
            "owned",
            "named",
            "named_relative",
            "names",
            "names_relative",
        ),
    ),
    "its path says so": Evidence(
        "its path says nothing of it", ("stem", "stem_whole", "stem_relative", "stem_said", "folder", "lead_path")
    ),
    "the report points to it": Evidence("the report does not point to it", ("frame", "cited", "module")),
    "its documentation says so": Evidence("its documentation does not say so", ("doc",)),
    "holds the words of the question": Evidence(
        "holds few words of the question",
        (
            "best",
            "covered",
            "covered_best",
            "lead",
            "lead_best",
            "led",
            "led_several",
            "told",
            "said",
            "said_best",
            "shown",
            "phrase",
        ),
    ),
    "several places in it match": Evidence("few places in it match", ("several", "many", "total")),
    "lies beside files that match": Evidence("few files beside it match", ("near",)),
    "close in meaning": Evidence("not close in meaning", ("cosine", "cosine_relative", "cosine_spread")),
    "the kind of file that is asked for": Evidence(
        "a test, example, document, data, copy or for another system, which is not asked for",
        ("test", "example", "prose", "data", "copied", "elsewhere", "language"),
    ),
    "the main file of its folder": Evidence("not the main file of its folder", ("entry",)),
    "a large file": Evidence("a small file", ("length",)),
}

# What must be true of a file before a reason says so: (words, kind of evidence, signal, the least it must be). A sum
# may speak for a file though nothing of its kind is there, when others have still less of it. Of a kind, the first
# that is true is said.
REASONS: tuple[tuple[str, str, str, float], ...] = (
    ("defines the name", "defines what the question names", "defines", 0.5),
    ("names like the question's words", "defines what the question names", "names", 0.01),
    ("in the traceback", "the report points to it", "frame", 0.01),
    ("named by the report", "the report points to it", "cited", 0.5),
    ("its path says so", "its path says so", "stem", 0.01),
    ("its folder says so", "its path says so", "folder", 0.01),
    ("its documentation says so", "its documentation says so", "doc", 0.01),
    ("holds the words", "holds the words of the question", "covered_best", 0.01),
    # The logarithm of one more than the places: from two on.
    ("several places in it match", "several places in it match", "many", 1.0),
    ("close in meaning", "close in meaning", "cosine_spread", 0.01),
)
# Kinds named in a reason: the strongest say enough.
NAMED = 3
# Shares smaller than this do not decide anything.
LEAST_SHARE = 0.05


def reason(signals: Mapping[str, float], shares: Mapping[str, float]) -> str:
    """Return the strongest kinds of evidence for a file, given its signals and what each added to its score."""
    sums = _sums(shares)
    true: dict[str, str] = {}
    for words, kind, signal, least in REASONS:
        if sums[kind] > 0 and signals.get(signal, 0.0) >= least:
            true.setdefault(kind, words)
    strongest = sorted(true, key=lambda kind: -sums[kind])[:NAMED]
    return "; ".join(true[kind] for kind in strongest) or "the nearest there is"


def shares_of(shares: Mapping[str, float]) -> tuple[Share, ...]:
    """Return what each kind of evidence added to a file's score or took from it, largest first."""
    sums = sorted(_sums(shares).items(), key=lambda row: -abs(row[1]))
    return tuple(
        Share(meaning=kind if share > 0 else EVIDENCE[kind].against, share=round(share, 3))
        for kind, share in sums
        if abs(share) >= LEAST_SHARE
    )


def _sums(shares: Mapping[str, float]) -> dict[str, float]:
    return {kind: sum(shares.get(name, 0.0) for name in evidence.signals) for kind, evidence in EVIDENCE.items()}
