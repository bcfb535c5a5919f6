"""Answers to a question: hits with their reasons, places in the code, and packed context."""

from __future__ import annotations

from typing import Literal

from recollect.model.memory_answer import Freshness
from recollect.model.row import Memory
from recollect.model.vocabulary import BranchStanding, ProfileName, Record

# Where nothing known answers.
EVIDENCE = "no stored knowledge matches; this is what hooks recorded"
# Where all that is shown is only the nearest.
NEAREST = "nothing matches the question closely; these are the nearest memories"


class Share(Record, frozen=True, kw_only=True):
    """The share of one kind of evidence in a hit's score; it may be negative."""

    meaning: str
    share: float


class Signals(Record, frozen=True, kw_only=True):
    """Why a memory was found: its rank in each search, its cosine, the words it matches, and what each signal added.

    matched_terms: words of the query, as typed. dated: it is from the time in the query, or names a day of it
    """

    lexical_rank: int | None = None
    semantic: float | None = None
    semantic_rank: int | None = None
    matched_terms: tuple[str, ...] = ()
    dated: bool = False
    shares: tuple[Share, ...] = ()


class Judged(Record, frozen=True, kw_only=True):
    """A language model's score for a hit, its reason, and the search score that it replaced."""

    model: str
    score: float
    reason: str
    replaced: float


class Excerpt(Record, frozen=True, kw_only=True):
    """The passage of a memory that matched: where in its content it begins and ends."""

    start: int
    end: int


class Moment(Record, frozen=True, kw_only=True):
    """A relative time in a memory, such as "yesterday": its words, where they end, and the date they mean."""

    words: str
    end: int
    means: str


class Reply(Record, frozen=True, kw_only=True):
    """The reply that follows a hit in its session: its beginning, with dates for relative times."""

    memory_id: str
    text: str
    author: str | None = None


class Branched(Record, frozen=True, kw_only=True):
    """The branch that a memory was written on, as seen from the one that is checked out.

    standing: here: the same branch; merged: its work is part of this one; elsewhere: it is not; unknown: git
    or the repository is missing. note: that, in words
    """

    name: str
    standing: BranchStanding
    note: str


class Hit(Record, frozen=True, kw_only=True):
    """A recalled memory with its score and the reason it is here.

    passage: what of it matched; times: what its words for times mean, in the passage or in all of a short memory
    reply: the turn that answers it. folded: memories that say the same and are not hits of their own
    freshness: whether its code has changed. branch: where it was written, unless on the default branch
    superseded_by: which memory replaces it; one that it does not have itself is a guess from the words of both
    doubted_by: a newer memory that may replace it, as was found when that was stored
    use: how it was used when injected, if requested. origin: team for one of the team server, else empty
    """

    memory: Memory
    score: float
    reason: str
    signals: Signals
    superseded_by: str | None = None
    doubted_by: str | None = None
    judged: Judged | None = None
    passage: Excerpt | None = None
    times: tuple[Moment, ...] = ()
    reply: Reply | None = None
    folded: tuple[str, ...] = ()
    freshness: Freshness = Freshness()
    branch: Branched | None = None
    use: str = ""
    origin: str = ""

    def told(self, start: int, end: int) -> str:
        """Return a part of the content with what its words for times mean in brackets: `yesterday [2023-05-07]`."""
        text, done = "", start
        for moment in self.times:
            if done < moment.end <= end:
                text += f"{self.memory.content[done : moment.end]} [{moment.means}]"
                done = moment.end
        return text + self.memory.content[done:end]


class CodeHit(Record, frozen=True, kw_only=True):
    """A place in the code that answers a question: path from the root, lines, and the symbol that it is or lies in.

    score: how likely it is right, 0 to 1. shares: what each kind of evidence added, where that was asked for
    """

    path: str
    start_line: int
    end_line: int
    language: str
    score: float
    reason: str = ""
    symbol: str = ""
    kind: str = ""
    signature: str = ""
    doc: str = ""
    root: str = ""
    namespace: str | None = None
    shares: tuple[Share, ...] = ()


class Recall(Record, frozen=True, kw_only=True):
    """The answer to a query; `notes` say what was degraded while answering.

    places: where in indexed code the question leads, if it concerns code
    """

    query: str
    hits: tuple[Hit, ...]
    mode: Literal["hybrid", "lexical"]
    notes: tuple[str, ...] = ()
    places: tuple[CodeHit, ...] = ()


class PackedMemory(Record, frozen=True, kw_only=True):
    """A memory in a pack: which, how relevant, how many tokens, and what of it was taken, with the reply to it."""

    memory_id: str
    score: float
    tokens: int
    text: str
    reply_id: str | None = None


class Packed(Record, frozen=True, kw_only=True):
    """The best context for a task within a budget of tokens, as one text and by source: memories, places in code."""

    task: str
    text: str
    tokens: int
    budget: int
    sources: tuple[PackedMemory, ...]
    notes: tuple[str, ...] = ()
    places: tuple[CodeHit, ...] = ()


class ScoringWeights(Record, frozen=True, kw_only=True):
    """The weights of recall in force for a namespace, or for all: their profile, and for whom they were set.

    source: namespace or global where they were set, else default. The weights sum to 1.
    """

    profile: ProfileName
    weights: dict[str, float]
    source: Literal["namespace", "global", "default"]
    namespace: str | None = None
