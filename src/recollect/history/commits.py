"""Records of the commits of a project that give a reason, one for a pull request.

    commit ─► noise? ─► message ─► worth ─┬► Found
    merge of a pull request ─► its commits┘
       └────► tally ─► files that change together ─► Found

Commits come newest first, so a revert is known before the commit that it reverts: both records say so. A reverted
revert does not count. Files that change together count under their current names; pairs that were seen once are dropped
when there are too many.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from recollect import progress
from recollect.history import change_worth, commit_log
from recollect.history.change_worth import is_aside
from recollect.history.commit_log import Commit
from recollect.history.commit_message import SECTIONS, Message, is_noise, plain_subject, prefixed, read
from recollect.history.history_record import Found, Landed, Source, clipped
from recollect.text.display import day

# Files in the metadata of a commit, and commits that are named with a pull request.
NAMED_FILES = 6
NAMED_COMMITS = 20
# A decision with its reasons fits, a pasted log does not.
BODY_CHARACTERS = 900
SUBJECT_CHARACTERS = 200
# The reason of a revert that is repeated with the reverted commit.
REASON_CHARACTERS = 300
# Commits per report of progress.
STEP = 50


class Revert(NamedTuple):
    """A revert: its commit, time and reason."""

    sha: str
    at: int
    why: str


class Change(NamedTuple):
    """A commit with its message."""

    commit: Commit
    message: Message


class Git(Source):
    """The commits of the checkout that give a reason."""

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        """Yield the records of commits, newest first, then files that change together."""
        parents = commit_log.parents(root, since, notes=self.notes)
        if not parents:
            return
        tally = Tally(commit_log.tracked(root))
        reverts = _Reverts()
        changes: dict[str, Change] = {}
        merges: list[Change] = []
        for number, commit in enumerate(commit_log.commits(root, since, notes=self.notes)):
            if number % STEP == 0:
                progress.report(number, len(parents), "reading commits")
            change = Change(commit._replace(author=_name(commit.author), message=""), read(commit.message))
            self._land(change)
            is_dull = is_noise(commit, change.message)
            if len(commit.parents) > 1:
                # A project's own tool may write the subject; the text of the request follows it.
                if (change.message.pull or change.message.sentences) and not is_dull:
                    merges.append(change)
                continue
            if not is_dull:
                tally.add(change.commit)
                changes[commit.sha] = change
        releases = Releases(root, parents)
        for commit, message, own in _grouped(changes, merges, parents):
            by = reverts.of(commit, message)
            found = _found(commit, message, by, own) or (None if by else releases.line(commit, message))
            if found is not None:
                yield releases.dated(found, commit)
        yield from tally.found()

    def _land(self, change: Change) -> None:
        commit = change.commit
        landed = Landed(commit.sha, tuple(file.path for file in commit.files[:NAMED_FILES]))
        for name in (*change.message.issues, commit.sha[:7]):
            self.landed.setdefault(name, landed)


def _grouped(
    changes: dict[str, Change], merges: Sequence[Change], parents: dict[str, tuple[str, ...]]
) -> Iterator[tuple[Commit, Message, list[str]]]:
    """Yield the pull requests, each with its commits, and the commits that came without one, newest first."""
    children = Counter(parent for above in parents.values() for parent in above)
    merged: dict[str, tuple[Change, list[Change]]] = {}
    for merge in merges:
        own = [
            changes[sha]
            for sha in commit_log.branch_commits(merge.commit.sha, parents, children)
            if sha in changes and not changes[sha].message.is_revert
        ]
        for change in own:
            merged.setdefault(change.commit.sha, (merge, own))
    told: set[str] = set()
    for sha, change in changes.items():
        request, own = merged.get(sha, (None, []))
        if request is None:
            yield *change, []
        elif request.commit.sha not in told:
            told.add(request.commit.sha)
            yield *_joined(request, own), [each.commit.sha for each in own]


class Releases:
    """Lines of the changelog that a project does not write: subjects of commits that change its interface, by tag."""

    def __init__(self, root: Path, parents: dict[str, tuple[str, ...]]) -> None:
        self._project = root.name
        # A tag such as `api/v1.2.0` is of a part of the project.
        every = commit_log.tags(root).items()
        self._tags = {name: tag for name, tag in every if _RELEASE.search(name) and "/v" not in name}
        self._of = commit_log.released(self._tags, parents)
        self._newest = max((tag.at for tag in self._tags.values()), default=0)

    def line(self, commit: Commit, message: Message) -> Found | None:
        """Return a commit without a reason as a change of its release; None if its users would not notice it."""
        paths = [file.path for file in commit.files]
        is_ours = message.kind in SECTIONS or bool(message.issues and _ACTS.match(message.subject))
        if message.is_chore or message.is_revert or not is_ours or change_worth.is_aside(paths):
            return None
        head = prefixed(message.subject)
        text = _PULL_NUMBER.sub("", f"{head.scope}: {head.rest}" if head.scope else head.rest)
        section = SECTIONS.get(message.kind, "")
        value = change_worth.line_worth(text, section)
        if value < change_worth.LISTED:
            return None
        return Found(
            key=f"commit:{commit.sha}",
            rule="change",
            content=text,
            memory_type="context",
            at=commit.at,
            importance=0.4,
            author=commit.author or None,
            tags=("git", "release"),
            metadata={"sha": commit.sha, "files": paths[:NAMED_FILES], "issues": list(message.issues)},
            title=section,
            # A repair without its cause is only listed with its release.
            worth=LINE if value > change_worth.REPAIR and change_worth.names_code(text) else change_worth.LISTED,
            head=commit.sha,
            refers=(*message.issues, commit.sha[:7]),
            pull=message.pull,
        )

    def dated(self, found: Found, commit: Commit) -> Found:
        """Return the record of a commit with its release."""
        name = self._of.get(commit.sha, "")
        version = _RELEASE.search(name)
        number = version[0].replace("_", ".") if version else ""
        said = f"{self._project} unreleased"
        if version:
            said = f"{self._project} {number} ({day(self._tags[name].at)})"
        elif commit.at < self._newest:  # of a branch that was never tagged
            said = f"{self._project} in {day(commit.at)[:7]}"
        placed = found._replace(group=f"release {name or said}", release=said)
        if found.rule != "change":
            return placed
        return placed._replace(
            content=f"{said}{f', {found.title}' if found.title else ''}: {found.content}",
            title=None,
            metadata={**found.metadata, "version": number},
        )


_RELEASE = re.compile(r"(?<!\d)\d{1,6}(?:[._]\d{1,6}){1,4}(?:[-._]?(?:alpha|beta|rc|[ab])[._-]?\d{0,6})?$")
# Without a convention, a subject is taken for a change of the interface if it begins so.
_ACTS = re.compile(
    r"(?:[\w./-]{1,30}: )?(?:add|support|allow|introduce|implement|expose|export|deprecate|remove|rename|drop"
    r"|default|require)s?\b",
    re.IGNORECASE,
)
_PULL_NUMBER = re.compile(r"(?: ?\((?:#|gh-)\d{1,9}\)){1,5}$")
# What such a line is worth: just enough to be kept.
LINE = change_worth.FLOOR


def _joined(merge: Change, own: Sequence[Change]) -> Change:
    """Return a pull request as one commit: its title, the sentences and the files of its commits."""
    first = own[-1].message
    title = merge.message.subject
    # The title of a request of one commit is mostly its subject, cut to fit.
    subject = first.subject if len(own) == 1 and (first.sentences or not title) else title or first.subject
    spoken = {plain_subject(sentence): sentence for sentence in merge.message.sentences}
    for change in reversed(own):
        head = change.message.subject
        for sentence in (*((head,) if change_worth.is_reason(head) else ()), *change.message.sentences):
            spoken.setdefault(plain_subject(sentence), sentence)
    spoken.pop(plain_subject(subject), None)
    files = tuple(dict.fromkeys(file for change in reversed(own) for file in change.commit.files))
    message = first._replace(
        subject=subject,
        sentences=tuple(spoken.values()),
        issues=tuple(dict.fromkeys((*merge.message.issues, *(name for each in own for name in each.message.issues))))[
            :10
        ],
        is_breaking=any(each.message.is_breaking for each in (merge, *own)),
        pull=merge.message.pull,
    )
    return Change(merge.commit._replace(files=files, author=own[-1].commit.author), message)


class _Reverts:
    """The reverts among the commits that were read so far."""

    def __init__(self) -> None:
        self._by_sha: dict[str, Revert] = {}
        self._by_subject: dict[str, Revert] = {}

    def of(self, commit: Commit, message: Message) -> Revert | None:
        """Return what reverted a commit, and remember it if it reverts another."""
        by = self._by_sha.pop(commit.sha[:7], None) or self._by_subject.pop(plain_subject(message.subject), None)
        if message.is_revert and by is None:
            revert = Revert(commit.sha, commit.at, clipped(" ".join(_why(message)), REASON_CHARACTERS))
            if message.undoes:
                self._by_sha[message.undoes[:7]] = revert
            elif message.undoes_subject:
                self._by_subject[message.undoes_subject] = revert
        return by


def _found(commit: Commit, message: Message, by: Revert | None, commits: Sequence[str]) -> Found | None:
    paths = [file.path for file in commit.files]
    what = change_worth.kind(message)
    value = change_worth.worth(message, paths)
    if by is not None and value:  # a reverted change is a lesson
        value = max(value, change_worth.worth(message._replace(undoes=by.sha), paths))
    if what is None or value < (change_worth.LISTED if what == change_worth.TOLD else change_worth.FLOOR):
        return None
    lines = [told(message)]
    if by is not None:
        because = f": {by.why}" if by.why else "."
        lines.append(f"It was reverted by commit {by.sha[:12]} on {day(by.at)}{because}")
    # Its files are metadata: their names would hide the words of the message from a search by meaning.
    lines.append(f"Commit {commit.sha[:12]}, {day(commit.at)}")
    about: dict[str, object] = {"sha": commit.sha, "files": paths[:NAMED_FILES]}
    about |= {"commits": list(commits[:NAMED_COMMITS])} if commits else {}
    about |= {"reverts": message.undoes or message.undoes_subject} if message.is_revert else {}
    about |= {"reverted_by": by.sha} if by is not None else {}
    about |= {"issues": list(message.issues)} if message.issues else {}
    return Found(
        key=f"commit:{commit.sha}",
        rule=what.rule,
        content="\n\n".join(lines),
        memory_type=what.memory_type,
        at=commit.at,
        importance=what.importance,
        author=commit.author or None,
        tags=("git", *(("revert",) if what == change_worth.REVERT else ()), *(("reverted",) if by is not None else ())),
        metadata=about,
        replaced_by=f"commit:{by.sha}" if by is not None else None,
        ended_at=by.at if by is not None else None,
        worth=value,
        head=commit.sha,
        refers=(*message.issues, commit.sha[:7], *(sha[:7] for sha in commits[:NAMED_COMMITS])),
        pull=message.pull,
    )


def told(message: Message) -> str:
    """Return the subject and the sentences that matter: all of a short message, else the first and the reasons."""
    subject = clipped(message.subject, SUBJECT_CHARACTERS)
    parts = message.sentences
    if sum(len(part) + 1 for part in parts) > BODY_CHARACTERS:
        room = BODY_CHARACTERS
        chosen: set[int] = set()
        for place in sorted(
            range(len(parts)), key=lambda place: (place > 0 and not change_worth.is_reason(parts[place]), place)
        ):
            if len(parts[place]) < room:
                chosen.add(place)
                room -= len(parts[place]) + 1
        parts = tuple(parts[place] for place in sorted(chosen))
    return "\n\n".join(filter(None, (subject, _paragraph(parts))))


def _paragraph(parts: Sequence[str]) -> str:
    """Return sentences as text; items stay on lines of their own."""
    text = ""
    for part in parts:
        is_item = part.startswith("- ")
        text += ("\n" if is_item or "\n" in text[text.rfind("\n- ") :][1:] else " ") * bool(text) + part
    return text


def _why(message: Message) -> list[str]:
    """Return the reasons of a revert, or its text without the formula."""
    rest = [part for part in message.sentences if not re.match(r"\s*(?:this )?reverts? ", part, re.IGNORECASE)]
    return [part for part in rest if change_worth.is_reason(part)] or rest


def _name(author: str) -> str:
    """Return a name without an email address."""
    words = [word for word in author.split() if "@" not in word[1:-1]]
    return clipped(" ".join(words) or author.partition("@")[0].strip("<> "), 100)


# Commits of more files are moves and reformattings.
MOST_FILES = 30
# About 60 MB.
MOST_PAIRS = 400_000
# The least number and share of common commits; less is chance, or tells an editor nothing.
LEAST_SUPPORT = 4
LEAST_CONFIDENCE = 0.4
# Partners listed for a file, and files with a list, the most changed first: a few of all memories.
PARTNERS = 5
TOLD_FILES = 40


class Tally:
    """Counts over the commits of a history."""

    def __init__(self, present: Collection[str]) -> None:
        self._present = present
        self._names: dict[str, str] = {}
        self._pairs: Counter[tuple[str, str]] = Counter()
        self._times: Counter[str] = Counter()
        self._last: dict[str, int] = {}

    def add(self, commit: Commit) -> None:
        """Count a commit."""
        paths = sorted({path for file in commit.files if (path := self._now(file.path)) in self._present})
        for file in commit.files:
            if file.before:
                self._names[file.before] = self._now(file.path)
        if not paths or len(paths) > MOST_FILES:
            return
        self._times.update(paths)
        for path in paths:
            self._last[path] = max(self._last.get(path, 0), commit.at)
        self._pairs.update(combinations(paths, 2))
        if len(self._pairs) > MOST_PAIRS:
            self._pairs = Counter({pair: times for pair, times in self._pairs.items() if times > 1})

    def found(self) -> Iterator[Found]:
        """Yield a record for each file that others change with."""
        partners: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for (first, second), times in self._pairs.items():
            if times >= LEAST_SUPPORT:
                partners[first].append((times, second))
                partners[second].append((times, first))
        code = (path for path in partners if not is_aside((path,)))
        often = sorted(code, key=lambda path: (-self._times[path], path))
        for path in often[:TOLD_FILES]:
            least = LEAST_CONFIDENCE * self._times[path]
            close = sorted((row for row in partners[path] if row[0] >= least), key=lambda row: (-row[0], row[1]))
            if close:
                yield self._pairing(path, close[:PARTNERS])

    def _now(self, path: str) -> str:
        return self._names.get(path, path)

    def _pairing(self, path: str, close: list[tuple[int, str]]) -> Found:
        of = self._times[path]
        told = "; ".join(f"{other} (in {times} of its {of} commits, {100 * times // of} %)" for times, other in close)
        return Found(
            key=f"together:{path}",
            rule="together",
            title=f"Files that usually change with {path}",
            content=f"Files that usually change with {path}: {told}.",
            memory_type="pattern",
            at=self._last[path],
            importance=0.5,
            tags=("git", "co-change"),
            metadata={
                "path": path,
                "commits": of,
                "together": [{"path": other, "commits": times} for times, other in close],
            },
        )
