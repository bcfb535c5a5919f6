"""Told: how much of what assistants are told unasked is useful, useless or wrong, over a simulated month.

    python bench/told.py [--split NAME] [--mode server|hook] [--sessions N] [--stated] [--show] [--save]

A developer works for a month in three projects with five assistants (bench/told/*.toml): prompts, reads, edits,
commands, failures and fixes, preferences, decisions, changes of mind, killed sessions, small talk. Every event goes
through the calls of the hooks: an answer where one may be given, then the queue. Labels in the tables say what is
right.

    briefing   lines at session starts, tokens, preferences alive after 5, 20 and 60 sessions
    prompt     lines for prompts; at the end of the month: related prompts answered, unrelated prompts silent
    failure    lines for failed commands; at the end of the month: right, missed and wrong hints

Mode `server` answers with vectors and processes the queue at once. Mode `hook` does what a hook does without a server:
it answers prompts by the fast path, and the queue waits for the next session start, after which vectors are made.
Steer by `dev`; the others have other projects, facts and wordings, each by another author. All of them have been looked
at by now: docs/adr says what each showed when it was new. `--show` prints every injected text with a verdict per line
instead of JSON. `--stated` stores each fact in the moment it is stated: what would come out if extraction were perfect.
"""

from __future__ import annotations

import argparse
import random
import re
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import measure
import told_month
from recollect import Engine, clock
from recollect.providers.cache import CachedEmbedder
from recollect.providers.local import LocalEmbedder
from recollect.text.token_count import tokens
from told_month import Project, Session, Step
from told_payloads import ASSISTANTS, Payload, Talk

# --- told labels ---

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
        """Return what a line is worth at a moment, and note what it shows.

        What it names as earlier is no wrong statement beside the one that replaced it. A label that holds counts as
        shown there, too.
        """
        for words, why in self.never:
            if words.are_in(f"{title}: {line}"):
                return Verdict("wrong", why)
        line, *earlier = EARLIER.split(line, maxsplit=1)
        hits = self._named(line)
        doubted = self._named(" ".join(earlier)) - hits
        replaced = {name for name in doubted & self.over if not self._is_replaced_by(name, hits)}
        for names in (hits, replaced):
            if not names & moment.useful and (verdict := self._without_use(moment.project, names)).kind == "wrong":
                return verdict
        hits |= doubted - self.over
        useful = frozenset(hits & moment.useful)
        if useful - moment.shown:
            moment.shown.update(useful)
            return Verdict("useful", "as earlier" if useful <= doubted else "", useful)
        if useful:
            return Verdict("useless", "said twice", useful)
        return self._without_use(moment.project, hits)

    def _named(self, text: str) -> set[str]:
        """Return the labels that a text states."""
        return {name for name in self.stated if self.labels[name].words.are_in(text)}

    def _is_replaced_by(self, name: str, hits: Collection[str]) -> bool:
        """Tell whether one of these labels is in force and replaced a label."""
        return any(self.labels[hit].replaces == name for hit in hits if hit not in self.over)

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


# What a line says to be earlier (src/recollect/recall/doubts.py).
EARLIER = re.compile(r"[(; ]+earlier, may no longer hold: ")
MODES = ("server", "hook")
AFTER = (5, 20, 60)
# The memory types of labels.
TYPES = {"cause": "insight", "fact": "context"}
# Seconds between two steps of a session.
STEP_S = 40
GROUPS = {"preference": "preferences", "style": "preferences", "thread": "threads", "command": "commands"}
MARKS = {"useful": "+", "useless": "·", "wrong": "!"}


class Clock:
    """The time of the simulation, in seconds."""

    at = told_month.BEGIN


class Shown(NamedTuple):
    """An injected text: where, at which session or prompt, and its lines with their verdicts."""

    place: str
    moment: str
    text: str
    lines: tuple[tuple[str, Verdict], ...]

    def count(self, kind: str) -> int:
        """Return how many lines have this verdict."""
        return sum(verdict.kind == kind for _, verdict in self.lines)

    @property
    def labels(self) -> frozenset[str]:
        """The labels that useful lines show."""
        return frozenset().union(*(verdict.labels for _, verdict in self.lines))


class Month:
    """A month of one split in one mode, with everything that was injected."""

    def __init__(
        self, split: str, mode: str, folder: Path, embedder: CachedEmbedder, simulated: Clock, *, stated: bool = False
    ) -> None:
        self.clock = simulated
        self.tables = told_month.tables(split)
        self.labels = from_tables(self.tables)
        self.mode = mode
        self.stated = stated
        self.folder = folder
        self.engine = Engine(home=str(folder / "recollect"), embedder=embedder)
        self.engine.branches.asks_git = mode == "server"
        self.projects = {name: Project(folder / name, row) for name, row in self.tables["project"].items()}
        self.main: str = self.tables["main"]
        self.shown: list[Shown] = []
        self.alive: dict[int, list[bool]] = {after: [] for after in AFTER}
        self.present: Counter[str] = Counter()
        self.prompts: list[dict[str, Any]] = []
        self.failures: list[dict[str, Any]] = []

    # --- the month ---

    def live(self, most: int | None = None) -> None:
        """Let the sessions happen, at most so many."""
        for session in told_month.sessions(self.tables)[:most]:
            self._session(session)

    def _session(self, session: Session) -> None:
        self.clock.at = session.at
        project = self.projects[session.project]
        useful = self.labels.at_start(session.project, project.at_hand(session.branch))
        project.begin(session.branch)
        talk = ASSISTANTS[session.by](session.name, project.root, self.folder / "home")
        moment = Moment(session.project, useful, set())
        payload = talk.start()
        self._check_briefing(session, useful, self._tell(payload, "briefing", session.name, moment))
        if self.mode == "hook":
            self.engine.capture.finish()
        self._take(payload)
        for step in session.steps:
            self.clock.at += STEP_S
            self._step(session, talk, step, moment.shown)
        if session.steps[-1].verb != "kill":
            self.clock.at += STEP_S
            self._take(talk.end())
        if self.mode == "server":
            self.engine.embedding.catch_up()

    def _check_briefing(self, session: Session, useful: frozenset[str], briefing: Shown | None) -> None:
        """Note which of the useful labels a session start shows, and which preferences are alive."""
        labels = briefing.labels if briefing else frozenset()
        for name in useful:
            kind = GROUPS.get(self.labels.labels[name].kind, "decisions")
            self.present[f"{kind} useful"] += 1
            self.present[f"{kind} shown"] += name in labels
        if session.project != self.main:
            return
        for label in self.labels.standing(session.project, PREFERENCES):
            since = session.number - self.labels.stated[label.name]
            if since in self.alive:
                self.alive[since].append(label.name in labels)

    def _step(self, session: Session, talk: Talk, step: Step, shown: set[str]) -> None:
        if step.verb == "kill":
            return
        if step.verb == ">":
            moment = Moment(session.project, self._helping(step.marks), shown)
            payload = talk.prompt(step.words[0])
            said = self._tell(payload, "prompt", f"{session.name}: {step.words[0]}", moment)
            self._take(payload)
            self.prompts.append({"part": "month", "helps": bool(moment.useful), "answered": said is not None})
        elif step.verb == "<":
            self._take(talk.stop(step.words[0]))
        elif step.verb in ("run", "commit"):
            self._run(session, talk, step)
        elif step.verb == "store":
            self._store(session, *step.words)
        else:
            self._take(self._file(talk, self.projects[session.project], step))
        self._mark(step, session)

    def _run(self, session: Session, talk: Talk, step: Step) -> None:
        if step.verb == "commit":
            self.projects[session.project].commit(step.words[0])
            self._take(talk.run(f'git commit -am "{step.words[0]}"', 0, f"[{session.branch} 1a2b3c4] {step.words[0]}"))
            return
        command, exit_code, output, *fix = step.words
        payload = talk.run(command, int(exit_code), output)
        self._failure(payload, f"{session.name}: {command}", exit_code != "0", Words(fix[0] if fix else ""))
        self._take(payload)

    def _store(self, session: Session, kind: Any, content: str) -> None:
        """Store a memory as an assistant does over MCP."""
        self.engine.memories.store(content, memory_type=kind, namespace=str(self.projects[session.project].root))

    def _store_stated(self, label: Label, step: Step, session: Session) -> None:
        """Store the sentence that states a fact, where extraction is taken to be perfect."""
        if not self.stated or step.verb == "store" or label.kind == "command":
            return
        sentences = re.split(r"(?<=[.:?!]) ", step.words[0])
        content = next((text for text in sentences if label.words.are_in(text)), step.words[0])
        namespace = None if label.project == ALL else str(self.projects[session.project].root)
        kind: Any = TYPES.get(label.kind, label.kind)
        self.engine.memories.store(content, memory_type=kind, namespace=namespace)

    def _file(self, talk: Talk, project: Project, step: Step) -> Payload:
        """Do a step on a file, and return what the hook gets."""
        path, *words = step.words
        if step.verb == "new":
            project.write(path, words[0])
            return talk.write(path, words[0])
        before = project.read(path)
        if step.verb == "read":
            return talk.read(path, before)
        old, new = words if step.verb == "edit" else _appended(before, words[0])
        assert old in before, f"{path} has no {old!r}"
        project.write(path, before.replace(old, new, 1))
        return talk.edit(path, old, new, before)

    def _helping(self, marks: tuple[str, ...]) -> frozenset[str]:
        """Return the labels that help with a prompt: those named, the work it ends, and what it replaces."""
        names = {mark[1:] for mark in marks if mark[0] == "?"}
        names |= {mark.removeprefix("done:") for mark in marks if mark.startswith("done:")}
        stated = {mark[1:] for mark in marks if mark[0] == "+"}
        names |= stated | {self.labels.labels[name].replaces for name in stated}
        return frozenset(name for name in names if name in self.labels.stated and name not in self.labels.over)

    def _mark(self, step: Step, session: Session) -> None:
        for mark in step.marks:
            if mark[0] == "+":
                self.labels.state(mark[1:], session.number)
                self._store_stated(self.labels.labels[mark[1:]], step, session)
            elif mark.startswith("open:"):
                self.labels.state(mark.removeprefix("open:"), session.number)
            elif mark.startswith("done:"):
                self.labels.end(mark.removeprefix("done:"))

    # --- the end of the month ---

    def ask(self) -> None:
        """Ask related and unrelated prompts, and repeat failures, each in a session of its own."""
        self.clock.at = told_month.BEGIN + told_month.DAYS * told_month.DAY
        self.engine.capture.drain()
        if self.mode == "server":
            self.engine.embedding.catch_up()
        for place, (names, wording, prompt) in enumerate(self.tables["prompts"]["asked"]):
            said = self._prompt(place, prompt, frozenset(names.split()))
            right = said is not None and names.split()[0] in said.labels and not said.count("wrong")
            row = {"part": "related", "wording": wording, "answered": said is not None, "right": right}
            self.prompts.append({**row, "prompt": prompt})
        for place, prompt in enumerate(self.tables["prompts"]["unrelated"]):
            said = self._prompt(1000 + place, prompt, frozenset())
            self.prompts.append({"part": "unrelated", "answered": said is not None, "prompt": prompt})
        for place, row in enumerate(self.tables["failure"]):
            name = row.get("project", self.main)
            talk = self._talk(2000 + place, row["by"], name)
            payload = talk.run(row["command"], row["exit"], row["output"])
            self._failure(payload, f"{row['by']}: {row['command']}", True, Words(row["fix"]))

    def _prompt(self, place: int, prompt: str, useful: frozenset[str]) -> Shown | None:
        talk = self._talk(place, told_month.BY[place % len(told_month.BY)], self.main)
        return self._tell(talk.prompt(prompt), "prompt", prompt, Moment(self.main, useful, set()))

    def _talk(self, place: int, by: str, project: str) -> Talk:
        self.clock.at += STEP_S
        return ASSISTANTS[by](f"asked-{place}", self.projects[project].root, self.folder / "home")

    # --- hooks ---

    def _tell(self, payload: Payload, place: str, name: str, moment: Moment) -> Shown | None:
        """Return what is injected for a payload, with a verdict per line; None: nothing."""
        text = self._answer(payload)
        if not text:
            return None
        lines = tuple((line, self.labels.judge(line, title, moment)) for title, line in content_lines(text))
        self.shown.append(Shown(place, name, text, lines))
        return self.shown[-1]

    def _failure(self, payload: Payload, name: str, failed: bool, fix: Words) -> None:
        """Note what is injected for a command, which may have failed; fix: the words of the right hint."""
        text = self._answer(payload)
        found = list(content_lines(text or ""))
        is_right = any(fix.are_in(line) for _, line in found)
        if failed or text:
            self.failures.append({"name": name, "known": bool(fix), "told": bool(text), "right": is_right})
        if text:
            lines = tuple((line, _hint(line, fix, is_right)) for _, line in found)
            self.shown.append(Shown("failure", name, text, lines))

    def _answer(self, payload: Payload) -> str | None:
        lexical = self.mode == "hook"
        return self.engine.presence.answer(
            payload.raw, event=payload.event, assistant=payload.assistant, lexical=lexical
        )

    def _take(self, payload: Payload) -> None:
        """Queue a payload as a hook does; a server processes it within seconds."""
        self.engine.capture.put(payload.raw, event=payload.event, assistant=payload.assistant)
        if self.mode == "server":
            self.engine.capture.drain()


def _appended(before: str, text: str) -> tuple[str, str]:
    """Return the edit that appends a text to a file: its last line, and that line with the text after it."""
    last = before.rstrip("\n").rsplit("\n", 1)[-1]
    return last, f"{last}\n{text}"


def _hint(line: str, fix: Words, is_right: bool) -> Verdict:
    """Return the verdict on a line of a failure hint: a step must name the fix, other lines follow the whole hint."""
    if fix.are_in(line) or (is_right and not line.startswith("-")):
        return Verdict("useful", "")
    return Verdict("useless", "another step") if is_right else Verdict("wrong", "not the fix")


@contextmanager
def simulated(seed: int) -> Iterator[Clock]:
    """Replace the clock and the random ids of recollect while the block runs."""
    now, new_id, made, ids = clock.now, clock.new_id, Clock(), random.Random(seed)
    clock.now = lambda: made.at
    clock.new_id = lambda: str(uuid.UUID(int=ids.getrandbits(128), version=4))
    try:
        yield made
    finally:
        clock.now, clock.new_id = now, new_id


# --- the report ------------------------------------------------------------------------------------------------------


def run(split: str, mode: str, embedder: CachedEmbedder, most: int | None = None, *, stated: bool = False) -> Month:
    """Return a month that was lived, at most so many sessions of it, with its questions at the end.

    stated: store each fact when it is stated
    """
    with tempfile.TemporaryDirectory() as folder, simulated(seed=7) as made:
        month = Month(split, mode, Path(folder), embedder, made, stated=stated)
        with month.engine:
            month.live(most)
            month.ask()
    return month


def report(month: Month) -> dict[str, Any]:
    """Return the numbers of a month."""
    briefings = [tokens(row.text) for row in month.shown if row.place == "briefing"]
    useful = sum(row.count("useful") for row in month.shown)
    spent = sum(tokens(row.text) for row in month.shown)
    return {
        "lines": _lines(month.shown),
        "places": {
            place: _lines([row for row in month.shown if row.place == place])
            for place in ("briefing", "prompt", "failure")
        },
        "tokens_per_start": {"mean": _mean(briefings), "max": max(briefings, default=0)},
        "tokens_per_useful_line": round(spent / useful, 1) if useful else None,
        "preferences_alive_after": {
            str(after): {"share": _share(rows), "n": len(rows)} for after, rows in month.alive.items()
        },
        "useful_at_start_shown": {
            kind: _ratio(month.present[f"{kind} shown"], month.present[f"{kind} useful"])
            for kind in ("preferences", "decisions", "threads", "commands")
        },
        "related": _related(month.prompts, ("plain", "other")),
        "related_by_wording": {wording: _related(month.prompts, (wording,)) for wording in ("plain", "other", "far")},
        "unrelated": _silent([row for row in month.prompts if row["part"] == "unrelated"]),
        "prompts_of_the_month": {
            "nothing_helps": _silent([row for row in month.prompts if row["part"] == "month" and not row["helps"]]),
        },
        "failures": _failures(month.failures),
        "reasons": _reasons(month.shown),
        "frequent_useless": _frequent(month.shown, "useless", 12),
        "frequent_wrong": _frequent(month.shown, "wrong", 12),
    }  # fmt: skip


def _lines(rows: list[Shown]) -> dict[str, Any]:
    count = {kind: sum(row.count(kind) for row in rows) for kind in MARKS}
    total = sum(count.values())
    shares = {kind: _ratio(number, total) for kind, number in count.items()}
    return {"n": total, **shares, "wrong_lines": count["wrong"]}


def _related(prompts: list[dict[str, Any]], wordings: tuple[str, ...]) -> dict[str, Any]:
    rows = [row for row in prompts if row["part"] == "related" and row["wording"] in wordings]
    answered = [row for row in rows if row["answered"]]
    return {
        "n": len(rows),
        "answered": _ratio(len(answered), len(rows)),
        "right_of_answered": _share([row["right"] for row in answered]),
        "right": _share([row["right"] for row in rows]),
    }


def _silent(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {"n": len(rows), "silent": _share([not row["answered"] for row in rows])}


def _failures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    known, unknown = [row for row in rows if row["known"]], [row for row in rows if not row["known"]]
    return {
        "known": len(known),
        "right": sum(row["right"] for row in known),
        "missed": sum(not row["told"] for row in known),
        "wrong": sum(row["told"] and not row["right"] for row in known),
        "unknown": len(unknown),
        "unknown_told": sum(row["told"] for row in unknown),
    }


def _reasons(shown: list[Shown]) -> dict[str, int]:
    found = Counter(f"{verdict.kind}: {verdict.why}" for row in shown for _, verdict in row.lines if verdict.why)
    return dict(found.most_common())


def _frequent(shown: list[Shown], kind: str, most: int) -> dict[str, int]:
    lines = ((row.place, line) for row in shown for line, verdict in row.lines if verdict.kind == kind)
    found = Counter(f"{place}: {line[:160]}" for place, line in lines)
    return dict(found.most_common(most))


def _share(rows: list[bool]) -> float | None:
    return _ratio(sum(rows), len(rows))


def _ratio(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def _mean(rows: list[int]) -> float:
    return round(sum(rows) / len(rows), 1) if rows else 0.0


def show(month: Month) -> Iterator[str]:
    """Yield every injected text with a verdict per line."""
    for row in month.shown:
        yield f"\n== {row.place} · {row.moment} · {tokens(row.text)} tokens"
        for line, verdict in row.lines:
            yield f"{MARKS[verdict.kind]} {line}" + (f"   [{verdict.why}]" if verdict.why else "")
    related = [row for row in month.prompts if row["part"] == "related"]
    yield from _listed("related, silent", (row["prompt"] for row in related if not row["answered"]))
    yield from _listed(
        "related, answered without the memory",
        (row["prompt"] for row in related if row["answered"] and not row["right"]),
    )
    yield from _listed(
        "unrelated, answered",
        (row["prompt"] for row in month.prompts if row["part"] == "unrelated" and row["answered"]),
    )
    yield from _listed(
        "failures with a known fix, no right hint",
        (row["name"] for row in month.failures if row["known"] and not row["right"]),
    )


def _listed(title: str, lines: Iterator[str]) -> Iterator[str]:
    yield f"\n== {title}"
    yield from lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--split", choices=told_month.SPLITS, help="default: all")
    parser.add_argument("--mode", choices=MODES, help="default: both")
    parser.add_argument("--sessions", type=int, help="live only the first N sessions")
    parser.add_argument("--stated", action="store_true", help="store each fact when it is stated")
    parser.add_argument("--show", action="store_true", help="print injected texts with verdicts instead of JSON")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    chosen = parser.parse_args()
    embedder = CachedEmbedder(LocalEmbedder(), capacity=100_000)
    result: dict[str, Any] = {}
    for split in [chosen.split] if chosen.split else told_month.SPLITS:
        for mode in [chosen.mode] if chosen.mode else MODES:
            before = time.process_time()
            month = run(split, mode, embedder, chosen.sessions, stated=chosen.stated)
            result.setdefault(split, {})[mode] = {**report(month), "cpu_s": round(time.process_time() - before, 1)}
            if chosen.show:
                print("\n".join([f"\n#### {split}, {mode}", *show(month)]))
    if not chosen.show:
        measure.publish("told-stated" if chosen.stated else "told", result, save=chosen.save)


if __name__ == "__main__":
    main()
