"""The records worth keeping: one for each change, the worthiest first, no more than a limit.

    records of all sources ─► same change in two sources? one record ─► worth with age ─► the best, the rest of a
    release in a few

A commit that says the same as a line of the changelog is one memory: the fuller text stays, and names the other source.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from recollect.history.change_worth import FLOOR, aged
from recollect.history.changelogs import joined
from recollect.history.history_record import Found, Landed
from recollect.text.terms import terms

# Of the memories, this part may hold several changes of a release each: they keep old releases findable.
JOINED_PART = 3
# Characters of such a list, the shortest that leave room for all; of too many releases, a list holds several.
LIST_SIZES = (1_200, 2_400, 4_800)
# A commit says more than its line in a list: it needs so much less to stay alone.
COMMIT_BONUS = 0.05
# A change that both a commit and a changelog tell matters more.
TOLD_TWICE = 0.1
# Two records that name the same issue say the same if so much of the shorter one is in the other; without, if so much.
ALIKE_BARE, ALIKE_REFERRED, ALIKE = 0.2, 0.5, 0.85
LEAST_WORDS = 6
# A commit of the months before a release made a change of its list if they share so many of the terms of both.
SAME_LINE, LEAST_TERMS, MONTHS_BEFORE = 0.6, 4, 400 * 86_400
# Rare words by which similar records are found, and how many records may share one.
RARE, CROWD = 4, 30
MOST_SOURCES = 5

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]{3,40}")
_COMMON = frozenset(
    "this that with from when have been were will into only also than then they there commit files".split()
)


class Row(NamedTuple):
    """A record with its source."""

    source: str
    found: Found


class Selection(NamedTuple):
    """The kept records by source, how many there were, and how many said the same as another one."""

    kept: Mapping[str, Sequence[Found]]
    found: Mapping[str, int]
    merged: int


def select(found: Mapping[str, Sequence[Found]], most: int, landed: Mapping[str, Landed]) -> Selection:
    """Return at most so many records, the worthiest ones, in the order of their sources."""
    written = [each.at for each in found.get("changelog", ()) if each.rule == "change"]
    first, last = min(written, default=0), max(written, default=0)
    rows = [
        Row(source, _placed(each, landed))
        for source, records in found.items()
        for each in records
        # Subjects of commits are the changelog only where the project writes none.
        if source != "git" or each.rule != "change" or not first <= each.at <= last
    ]
    single = _single(rows)
    newest = max((row.found.at for row in single), default=0)
    worths = [_rank(row.found, newest) for row in single]
    ranked = sorted(range(len(single)), key=lambda place: (-worths[place], place))
    ranked = [place for place in ranked if single[place].found.worth >= FLOOR]
    least = most - most // JOINED_PART
    few = _few(single, ranked[:least], most - least)
    alone = ranked[: most - len(few)]
    few = _few(single, alone, most - len(alone))
    chosen = [single[place] for place in sorted(alone)]
    kept: dict[str, list[Found]] = {source: [] for source in found}
    for row in (*chosen, *few):
        kept[row.source].append(row.found)
    total = {source: sum(row.source == source for row in rows) for source in found}
    return Selection(kept, total, len(rows) - len(single) + sum(row.found.metadata["changes"] - 1 for row in few))


def _placed(found: Found, landed: Mapping[str, Landed]) -> Found:
    """Return a line of a changelog with the commit that made the change, where it names one."""
    if found.rule != "change":
        return found
    commit = next((landed[name] for name in reversed(found.refers) if name in landed), None)
    if commit is None:
        return found
    return found._replace(head=commit.sha, metadata={**found.metadata, "files": list(commit.files)})


def _rank(found: Found, newest: int) -> float:
    """Return the worth by which a record competes for a place."""
    value = aged(found.worth, found.at, newest) if found.worth < 1 else 1.0
    return value + COMMIT_BONUS if found.key.startswith("commit:") and found.rule != "change" else value


def _few(rows: Sequence[Row], alone: Collection[int], most: int) -> list[Row]:
    """Return the changes of each release that are not kept alone as at most so many lists, the newest first."""
    groups: dict[tuple[str, str], list[Found]] = defaultdict(list)
    kept = set(alone)
    for place, row in enumerate(rows):
        if row.found.group and place not in kept:
            groups[row.source, row.found.group].append(row.found)
    newest_first = sorted(groups.items(), key=lambda group: -group[1][0].at)
    series: dict[tuple[str, str], list[Found]] = defaultdict(list)
    for (source, _), changes in newest_first:
        series[source, changes[0].metadata.get("path", "")] += changes
    few: list[Row] = []
    for parts, size in itertools.product((newest_first, list(series.items())), LIST_SIZES):
        few = [Row(source, one) for (source, _), changes in parts for one in joined(changes, size)]
        if len(few) <= most:
            break
    return sorted(few, key=lambda row: -row.found.at)[:most]


# --- records that say the same ---


def _single(rows: Sequence[Row]) -> list[Row]:
    """Return the rows without those that say the same as a fuller one, in their order."""
    words = [_words(row.found) for row in rows]
    often = Counter(word for each in words for word in each)
    index: dict[str, list[int]] = defaultdict(list)
    kept: dict[int, Row] = {}
    for place, row in enumerate(rows):
        names = _names(row.found, words[place], often)
        twin = next((other for other in _near(names, index) if _is_same(rows, words, kept, place, other)), None)
        if twin is None:
            kept[place] = row
            at = place
        else:
            longer = len(words[place]) > len(words[twin]) * 1.3
            kept[twin] = _merged(row, kept[twin]) if longer else _merged(kept[twin], row)
            words[twin] = words[place] if longer else words[twin]
            at = twin
        for name in names:
            index[name].append(at)
    return [kept[place] for place in sorted(kept)]


def _near(names: Iterable[str], index: Mapping[str, list[int]]) -> Iterator[int]:
    seen = dict.fromkeys(place for name in names for place in index.get(name, ())[-CROWD:])
    yield from seen


def _names(found: Found, words: frozenset[str], often: Mapping[str, int]) -> list[str]:
    """Return the issues that a record names, and the rarest words of its first line and of the rest."""
    first = words.intersection(_split(_first_line(found)))
    rare = (_rarest(part, often) for part in (first, words - first))
    return [*found.refers, *(word for part in rare for word in part)]


def _rarest(words: Collection[str], often: Mapping[str, int]) -> list[str]:
    return sorted((word for word in words if often[word] > 1), key=lambda word: (often[word], word))[:RARE]


def _is_same(rows: Sequence[Row], words: Sequence[frozenset[str]], kept: Mapping[int, Row], one: int, two: int) -> bool:
    """Tell whether two records say the same. A change and its revert do not, though they use the same words."""
    first, second = rows[one].found, kept[two].found if two in kept else rows[two].found
    if _is_revert(first) != _is_revert(second) or (_is_revert(first) and first.rule == second.rule):
        return False
    if any(each.replaced_by or (not each.refers and each.rule in _OWN) for each in (first, second)):
        return False
    if first.group and first.group == second.group and first.rule == second.rule == "change":
        return words[one] == words[two]
    if first.pull and second.pull and first.pull != second.pull:
        # Requests for one issue do parts of it, and one may name another; one that was ported back has the same title.
        titles = [_split(_first_line(each)) for each in (first, second)]
        return len(titles[0] & titles[1]) >= ALIKE * max(1, *map(len, titles))
    fewest = min(len(words[one]), len(words[two]))
    share = len(words[one] & words[two]) / fewest if fewest else 0.0
    is_referred = not set(first.refers).isdisjoint(second.refers)
    is_own = first.pull in second.refers or second.pull in first.refers
    if is_own:
        return share >= ALIKE_BARE  # a changelog names the request
    if is_referred:
        # A later release removes what one deprecates; a change that was ported back is told in the same words.
        is_ported = first.rule == second.rule == "change" and first.group != second.group
        return share >= (ALIKE if is_ported else ALIKE_REFERRED) and fewest > 1
    if _is_listed(first, second) or _is_listed(second, first):
        return True
    if first.refers and second.refers and first.rule == second.rule == "change":
        return False  # each names its own request
    # Few words are in many a longer text.
    most = max(len(words[one]), len(words[two]))
    return share >= ALIKE and fewest >= LEAST_WORDS and most <= 2 * fewest


def _is_listed(line: Found, commit: Found) -> bool:
    """Tell whether a line of a changelog says what the first line of a commit says."""
    if line.rule != "change" or commit.rule == "change" or not 0 <= line.at - commit.at <= MONTHS_BEFORE:
        return False
    one, two = (frozenset(terms(_first_line(each))) for each in (line, commit))
    # Where both name a request, they name two, and say the same of two parts of a project.
    share = ALIKE if line.refers and commit.pull else SAME_LINE
    return len(one & two) >= max(LEAST_TERMS, share * len(one | two))


def _first_line(found: Found) -> str:
    return found.content.partition(": ")[2] if found.rule == "change" else found.content.partition("\n")[0]


def _is_revert(found: Found) -> bool:
    text = found.content.partition(": ")[2] if found.rule == "change" else ""
    return found.rule == "revert" or text[:6].lower() == "revert"


# Lists of files and rules use the same words for different things.
_OWN = frozenset({"together", "rule"})


def _words(found: Found) -> frozenset[str]:
    text = found.content.partition("\n\nCommit ")[0]
    if found.rule == "change":
        text = text.partition(": ")[2]
    return _split(text)


def _split(text: str) -> frozenset[str]:
    return frozenset(word for word in map(str.lower, _WORD.findall(text)) if word not in _COMMON)


def _merged(full: Row, other: Row) -> Row:
    """Return a record that names the source of another one, too."""
    keep, also = full.found, other.found
    about = {**also.metadata, **keep.metadata}
    named = {
        "from": other.source,
        **{name: also.metadata[name] for name in ("sha", "path", "version") if name in also.metadata},
    }
    about["also"] = [*keep.metadata.get("also", ()), *also.metadata.get("also", ()), named][:MOST_SOURCES]
    content = keep.content
    if also.rule == "change" and len(about["also"]) < MOST_SOURCES:
        content = _released(keep, also)
    refers = tuple(dict.fromkeys((*keep.refers, *also.refers)))[:20]
    head = keep.head if full.source == "git" or other.source != "git" else also.head
    worth = min(1.0, max(keep.worth, also.worth) + TOLD_TWICE * (full.source != other.source))
    return Row(
        full.source,
        keep._replace(
            content=content, metadata=about, refers=refers, head=head, worth=worth, pull=keep.pull or also.pull
        ),
    )


def _released(keep: Found, also: Found) -> str:
    """Return the content of a record with the release that a changelog names, and what it says if that differs."""
    release, text = also.release, also.content.partition(": ")[2]
    said = "" if _words(also) <= _words(keep) else f": {text.rstrip('.')}"
    if release in keep.content and (not said or keep.rule == "change"):
        return keep.content
    if keep.rule == "change":
        return f"{keep.content.rstrip('.')}. Also in {release}."
    return f"{keep.content}\nReleased in {release}{said}."
