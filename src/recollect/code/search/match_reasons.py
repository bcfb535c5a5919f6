"""Explain why a file matches, from its signals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from recollect.code.search import SIGNALS
from recollect.model import Share


class Evidence(NamedTuple):
    """A kind of evidence: its text for a negative share, and its signals, which overlap and are added up."""

    against: str
    signals: Sequence[str]


# By the text for a positive share.
EVIDENCE: Mapping[str, Evidence] = {
    "defines a name from the query": Evidence(
        "defines no name from the query", sorted(SIGNALS["definitions"] - {"doc"})
    ),
    "its path matches": Evidence("its path does not match", sorted(SIGNALS["path"])),
    "named in the error report": Evidence("not named in the error report", sorted(SIGNALS["pointers"])),
    "its documentation matches": Evidence("its documentation does not match", ("doc",)),
    "its text matches": Evidence(
        "its text matches few words",
        sorted({"best", "covered", "covered_best"} | SIGNALS["headline"] - {"lead_path"} | SIGNALS["parts"]),
    ),
    "matches several times": Evidence("matches few times", ("several", "many", "total")),
    "near files that match": Evidence("few files near it match", ("near",)),
    "close in meaning": Evidence("not close in meaning", sorted(SIGNALS["vectors"])),
    "the expected kind of file": Evidence(
        "a test, example, document, data file or copy, or code for another platform",
        sorted(SIGNALS["penalties"]),
    ),
    "the main file of its folder": Evidence("not the main file of its folder", ("entry",)),
    "a large file": Evidence("a small file", ("length",)),
}

# Reasons: (text, kind of evidence, signal, its least value). A sum can be positive without any evidence of its kind,
# when other files have even less; the least value rules that out. Of each kind the first that holds is used.
REASONS: tuple[tuple[str, str, str, float], ...] = (
    ("defines the name", "defines a name from the query", "defines", 0.5),
    ("defines similar names", "defines a name from the query", "names", 0.01),
    ("in the traceback", "named in the error report", "frame", 0.01),
    ("named in the error report", "named in the error report", "cited", 0.5),
    ("path", "its path matches", "stem", 0.01),
    ("folder", "its path matches", "folder", 0.01),
    ("documentation", "its documentation matches", "doc", 0.01),
    ("text", "its text matches", "covered_best", 0.01),
    # The logarithm of one more than the places: from two on.
    ("several times", "matches several times", "many", 1.0),
    ("close in meaning", "close in meaning", "cosine_spread", 0.01),
)
# Reasons that are parts of one sentence: "matches the query in its text and path, several times".
MATCHING = ("text", "path", "folder", "documentation", "several times")
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
    strongest = [true[kind] for kind in sorted(true, key=lambda kind: -sums[kind])[:NAMED]]
    parts = [_matching(strongest) if words in MATCHING else words for words in strongest]
    return "; ".join(dict.fromkeys(parts)) or "closest match"


def _matching(reasons: Sequence[str]) -> str:
    """Return where a file matches the query, as one sentence."""
    places = [words for words in MATCHING[:-1] if words in reasons]
    listed = " and ".join(filter(None, (", ".join(places[:-1]), *places[-1:])))
    where = f" in its {listed}" if places else ""
    often = f"{',' * bool(places)} {MATCHING[-1]}" if MATCHING[-1] in reasons else ""
    return f"matches the query{where}{often}"


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
