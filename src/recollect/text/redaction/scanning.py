"""Scanning helpers: bounded matches, places judged once per context, dense stretches by samples."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import islice
from typing import NamedTuple, TypeAlias

from recollect.text.lazy_patterns import compiled as compiled


class Found(NamedTuple):
    """The position and the kind of a secret."""

    start: int
    end: int
    kind: str


# Text has at most so many names with values, addresses or joints of literals in a kilobyte: the others are skipped, so
# that each may cost a little.
MOST = 24
MOST_BYTES = 1024


class Gap(NamedTuple):
    """A stretch in which matches of a pattern were skipped, and where the matches before it begin."""

    first: int
    start: int
    end: int


def spaced(
    pattern: re.Pattern[bytes], text: bytes, most: int = MOST, gaps: list[Gap] | None = None
) -> list[re.Match[bytes]]:
    """Return the matches of a pattern; of a kilobyte with more than so many only the first.

    gaps: where the stretches without the others are added
    """
    found: list[re.Match[bytes]] = []
    start = 0
    while True:
        batch = list(islice(pattern.finditer(text, start), most))
        found += batch
        if len(batch) < most:
            return found
        done = batch[-1].end()
        start = max(done, batch[0].start() + MOST_BYTES)
        if gaps is not None and start > done:
            gaps.append(Gap(batch[0].start(), done, start))


# The secret at a place, None for none, and where the search goes on.
Judged: TypeAlias = tuple[Found | None, int]

# Secrets are dense where so many in a row take so many bytes each, as in a dump of passwords. What lies between them is
# replaced with them: it is of no use, and a mark for each would be longer than the text.
DENSE = ((50, 44), (400, 160))
# Behind a dense stretch one place in a kilobyte is judged. If that is a secret, all before it is replaced, too.
SAMPLE_BYTES = 1024
SAMPLE_NEAR = 160
# The kind of a span that holds more than one secret. Such a span may hold marks, too.
SEVERAL = "several"


def remembered(
    judge: Callable[[bytes, int, int], Judged], source: bytes, before: int, behind: int
) -> Callable[[int, int], Judged]:
    """Return `judge` of places in `source`; a place in the same context as an earlier one is not judged again.

    Logs and tables repeat themselves. before, behind: how far the context reaches
    """
    known: dict[bytes, tuple[int, int, str, int]] = {}

    def judged(start: int, end: int) -> Judged:
        context = source[start - before if start > before else 0 : end + behind]
        if context in known:
            first, last, kind, done = known[context]
            return Found(start + first, start + last, kind) if kind else None, start + done
        secret, done = judge(source, start, end)
        if start >= before and done <= end + behind:
            first, last, kind = secret or (start, start, "")
            known[context] = first - start, last - start, kind, done - start
        return secret, done

    return judged


def judge_places(following: Callable[[int], tuple[int, int]], judged: Callable[[int, int], Judged]) -> list[Found]:
    """Return the secrets of a text in order.

    following: where the next place that may hold one begins and ends, at or behind an offset; -1 for nowhere
    """
    found: list[Found] = []
    start, end = following(0)
    while start >= 0:
        secret, done = judged(start, end)
        if secret is not None:
            found.append(secret)
            if dense(found):
                done = _sampled(found, max(done, start + 1), following, judged)
        # A secret that began before its place may end before it, too.
        start, end = following(max(done, start + 1))
    return found


def dense(found: list[Found]) -> int:
    """Return how many of the last secrets lie densely."""
    for least, each in DENSE:
        if len(found) >= least and found[-1].end - found[-least].start <= least * each:
            return least
    return 0


def _sampled(
    found: list[Found], done: int, following: Callable[[int], tuple[int, int]], judged: Callable[[int, int], Judged]
) -> int:
    """Add what follows a dense stretch, as far as samples of it are secrets; return where to go on."""
    while True:
        start, end = following(done + SAMPLE_BYTES)
        if not 0 <= start <= done + SAMPLE_BYTES + SAMPLE_NEAR:
            return done
        secret, last = judged(start, end)
        if secret is None:
            return done
        found.append(Found(done, secret.end, SEVERAL))
        done = max(last, secret.end)


def joined_where_dense(spans: list[Found]) -> list[Found]:
    """Return spans, one for each dense stretch instead of those in it."""
    found: list[Found] = []
    is_dense = False
    for span in spans:
        if is_dense and span.start - found[-1].end <= SAMPLE_NEAR:
            found[-1] = Found(found[-1].start, span.end, SEVERAL)
            continue
        found.append(span)
        count = dense(found)
        is_dense = count > 0
        if is_dense:
            found[-count:] = [Found(found[-count].start, span.end, SEVERAL)]
    return found
