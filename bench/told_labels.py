"""Labels of bench/told.py: which lines are useful, useless or wrong at a moment.

A label names something a developer would want remembered, with the words that a line about it contains. What is useful
depends on the moment: a preference is useful at every start until another replaces it, a decision where its area is at
hand, open work until it is done. Lines that match no label are useless.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

ALL = "*"
ALWAYS = frozenset({"preference", "style", "command"})
PREFERENCES = frozenset({"preference", "style"})


class Words:
    """Words that a line must contain: whole words, `prefix*`, alternatives `a|b`, and `!word` for none of it."""

    def __init__(self, text: str) -> None:
        self._wanted = [_pattern(word) for word in text.split() if not word.startswith("!")]
        self._unwanted = [_pattern(word[1:]) for word in text.split() if word.startswith("!")]

    def __bool__(self) -> bool:
        return bool(self._wanted)

    def are_in(self, line: str) -> bool:
        """Return whether the line has all wanted words and none of the others."""
        return (
            bool(self._wanted)
            and all(pattern.search(line) for pattern in self._wanted)
            and not any(pattern.search(line) for pattern in self._unwanted)
        )


def _pattern(word: str) -> re.Pattern[str]:
    parts = (re.escape(part.rstrip("*")) + ("" if part.endswith("*") else r"(?!\w)") for part in word.split("|"))
    return re.compile(rf"(?<!\w)(?:{'|'.join(parts)})", re.IGNORECASE)


@dataclass(frozen=True)
class Label:
    """Something to remember; area: of a decision, "*" for the whole project; replaces: the label that ends with it."""

    name: str
    kind: str
    project: str
    words: Words
    area: str = ALL
    replaces: str = ""


class Verdict(NamedTuple):
    """What a line is (useful, useless, wrong), why, and the labels it matches."""

    kind: str
    why: str
    labels: frozenset[str] = frozenset()


class Moment(NamedTuple):
    """Where lines are shown: the project, the labels that are useful now, and the labels shown in this session."""

    project: str
    useful: frozenset[str]
    shown: set[str]


@dataclass
class Labels:
    """All labels of a month and their state on its way."""

    labels: Mapping[str, Label]
    never: tuple[tuple[Words, str], ...]
    stated: dict[str, int] = field(default_factory=dict)
    over: set[str] = field(default_factory=set)

    def state(self, name: str, session: int) -> None:
        """Note that a fact was stated, or open work left, in a session of this number."""
        label = self.labels[name]
        self.stated.setdefault(name, session)
        self.over.discard(name)
        if label.replaces:
            self.over.add(label.replaces)

    def end(self, name: str) -> None:
        """Note that open work is done."""
        self.over.add(name)

    def standing(self, project: str, kinds: Collection[str] = ()) -> Iterator[Label]:
        """Yield the labels in force in a project, of these kinds or of all."""
        for name in self.stated:
            label = self.labels[name]
            if name not in self.over and label.project in (project, ALL) and (not kinds or label.kind in kinds):
                yield label

    def at_start(self, project: str, areas: Collection[str]) -> frozenset[str]:
        """Return the labels that are useful at a session start with these areas at hand."""
        found = self.standing(project)
        return frozenset(
            label.name for label in found
            if label.kind in ALWAYS or label.kind == "thread" or label.area == ALL or label.area in areas
        )  # fmt: skip

    def judge(self, line: str, title: str, moment: Moment) -> Verdict:
        """Return what a line is worth at a moment, and note what it shows."""
        for words, why in self.never:
            if words.are_in(f"{title}: {line}"):
                return Verdict("wrong", why)
        hits = {name for name in self.stated if self.labels[name].words.are_in(line)}
        useful = frozenset(hits & moment.useful)
        if useful - moment.shown:
            moment.shown.update(useful)
            return Verdict("useful", "", useful)
        if useful:
            return Verdict("useless", "said twice", useful)
        return self._without_use(moment.project, hits)

    def _without_use(self, project: str, hits: Iterable[str]) -> Verdict:
        found = [self.labels[name] for name in hits]
        here = [label for label in found if label.project in (project, ALL)]
        if any(label.name not in self.over for label in here):
            return Verdict("useless", "not at hand")
        if any(label.kind in ("thread", "command") for label in here):
            return Verdict("useless", "done work or old command")
        if here:
            return Verdict("wrong", f"superseded: {here[0].name}")
        return Verdict("wrong", f"of {found[0].project}: {found[0].name}") if found else Verdict("useless", "no label")


def from_tables(tables: Mapping[str, Any]) -> Labels:
    """Return the labels of a file of bench/told."""
    main = tables["main"]
    labels = {}
    for name, row in tables["fact"].items():
        labels[name] = _label(name, row, row["kind"], main)
    for name, row in tables["thread"].items():
        labels[name] = _label(name, row, "thread", main)
    never = tuple((Words(row["words"]), row["why"]) for row in tables["never"])
    return Labels(labels, never)


def _label(name: str, row: Mapping[str, str], kind: str, main: str) -> Label:
    project, area = row.get("project", main), row.get("area", ALL)
    return Label(name, kind, project, Words(row["words"]), area, row.get("replaces", ""))


def content_lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield title and line for every line of an injected text that is not structure: fences, titles, lead-ins.

    A lead-in ends with a colon and has something below it: a deeper line, or a bullet where it is none itself.
    """
    title = ""
    rows = [line for line in text.splitlines() if line.strip()]
    for line, below in zip(rows, [*rows[1:], ""], strict=False):
        bare = line.strip()
        if bare.startswith("#"):
            title = bare.lstrip("# ")
        elif bare.endswith(":") and _leads(line, below):
            title = bare.rstrip(":")
        elif not bare.startswith(("<recollect", "</recollect")):
            yield title, bare


def _leads(line: str, below: str) -> bool:
    deeper = len(below) - len(below.lstrip()) > len(line) - len(line.lstrip())
    return deeper or (below.lstrip().startswith("-") and not line.lstrip().startswith("-"))
