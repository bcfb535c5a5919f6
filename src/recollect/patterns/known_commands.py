"""Command memory: invocations that worked, ranked by success rate and age, and the variants that failed before them.

    failed `pytest` ─ worked `uv run pytest`      in one session, no edit in between: the second replaces the first

A failure that an edit may have resolved is not linked with the success.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.capture.extract.shell_tool import program
from recollect.capture.invocation import (
    Invocation,
    bare,
    completes_option,
    has_more_options,
    invocation,
    is_another_way,
    is_looking,
    is_wrapped,
)
from recollect.capture.observation_lesson import line
from recollect.capture.outcome import is_misplaced, is_missing, is_misuse, is_no_program, is_unreachable
from recollect.model import KnownCommand, Variant
from recollect.patterns.pattern_counts import NAMED, surely
from recollect.text.lazy_patterns import compiled

# Projects change how they are built.
HALF_LIFE_S = 30 * 86_400
# Commands that only manage files.
_PLAIN = frozenset(
    "rm mv cp mkdir rmdir touch chmod chown ln kill pkill killall open xdg-open source read wait".split()
)
# Kinds that are ranked after those that build, test and run the project.
_LAST = frozenset({"other", "git"})
# Kinds whose further options may leave out what fails.
_CHECKING = frozenset({"test", "lint", "format", "git"})
_PORT = compiled(r"(?<=[:=\s])\d+\b")
# After a longer pause the two runs are unrelated.
LINKED_WITHIN_S = 3_600
VARIANTS = 3
ERROR_CHARACTERS = 160


class Run(NamedTuple):
    """One run of a command line. directory: where, from the root of the project.

    told, fingerprint: of its error, if it failed. memory_id: the memory of it
    """

    id: str
    at: int
    session: str
    namespace: str | None
    line: str
    directory: str
    worked: bool
    told: str = ""
    fingerprint: str = ""
    memory_id: str = ""


class Replacement(NamedTuple):
    """An invocation that works where another fails: how often it worked, when last, and the memory of that run."""

    wrong: str
    right: str
    times: int
    last_at: int
    memory_id: str


# A second, and the id of the observation, which orders those of one second.
Moment = tuple[int, str]
_Key = tuple[str | None, str, str]


class _Used(NamedTuple):
    run: Run
    what: Invocation

    @property
    def key(self) -> _Key:
        return self.run.namespace, self.what.directory, self.what.command

    @property
    def moment(self) -> Moment:
        return self.run.at, self.run.id


def known_commands(runs: Iterable[Run], edits: Mapping[str, Sequence[Moment]], now: int) -> list[KnownCommand]:
    """Return every invocation that worked, the best first, each with the variants that failed before it.

    edits: by session, when files were changed
    """
    used = _in_order(runs)
    by_key: dict[_Key, list[_Used]] = defaultdict(list)
    for each in used:
        by_key[each.key].append(each)
    failed = _variants(used, by_key, edits)
    found = [
        _known(uses, failed.get(key, ()), now) for key, uses in by_key.items() if any(each.run.worked for each in uses)
    ]
    return sorted(found, key=lambda row: (row.kind in _LAST, -row.score, -row.last_at, row.command))


def replacement(failing: Run, runs: Iterable[Run], edits: Mapping[str, Sequence[Moment]]) -> Replacement | None:
    """Return the invocation that worked after one like this failed alike; None if none did, or this one worked since.

    runs: of one project. edits: by session, when files were changed. An invocation with other arguments is alike if it
    was written wrongly.
    """
    wrong, used = _used(failing), _in_order(runs)
    return _replacement_of(wrong, used, _links(used, edits)) if wrong is not None else None


def replaced(runs: Iterable[Run], edits: Mapping[str, Sequence[Moment]]) -> set[str]:
    """Return the ids of the failed runs of a project instead of which another invocation works."""
    used = _in_order(runs)
    links = _links(used, edits)
    return {each.run.id for each in used if not each.run.worked and _replacement_of(each, used, links)}


def _replacement_of(wrong: _Used, used: Sequence[_Used], links: Sequence[tuple[_Used, _Used]]) -> Replacement | None:
    links = [link for link in links if _fails_alike(link[0].run, wrong.run)]
    same = [link for link in links if link[0].key == wrong.key]
    if not same and is_misuse(wrong.run.told):
        same = [link for link in links if _begins_alike(wrong, *link)]
    worked = [each for each in used if each.run.worked] if same else []
    found = [_replacement(wrong, before, after, worked) for before, after in same]
    return max((each for each in found if each is not None), key=lambda each: (each.times, each.last_at), default=None)


def _fails_alike(before: Run, now: Run) -> bool:
    """Tell whether two runs failed with the same error; shells report a missing program in different words."""
    return before.fingerprint == now.fingerprint or (is_no_program(before.told) and is_no_program(now.told))


def _begins_alike(wrong: _Used, before: _Used, after: _Used) -> bool:
    """Tell whether a command begins with the words that were replaced in another one."""
    old, new = before.what.command.split(), after.what.command.split()
    while len(old) > 1 and len(new) > 1 and old[-1] == new[-1]:
        old, new = old[:-1], new[:-1]
    return wrong.what.command.split()[: len(old)] == old


def _replacement(wrong: _Used, before: _Used, after: _Used, worked: Sequence[_Used]) -> Replacement | None:
    """Return a replacement by its successes; None without the memory of one, or if the wrong one worked later."""
    right = [each.run for each in worked if each.key == after.key]
    again = [each.run for each in worked if each.key in (wrong.key, before.key)]
    last = right[-1]
    if not last.memory_id or (again and again[-1].at >= last.at):
        return None
    into = "" if after.what.directory == wrong.what.directory else _into(after.what)
    return Replacement(before.what.command, into + after.what.command, len(right), last.at, last.memory_id)


def _in_order(runs: Iterable[Run]) -> list[_Used]:
    return sorted((each for run in runs if (each := _used(run)) is not None), key=lambda each: each.moment)


def _used(run: Run) -> _Used | None:
    if is_looking(run.line):
        return None
    what = invocation(run.line, run.directory)
    if what is None or is_looking(what.command) or (what.kind == "other" and program(what.command) in _PLAIN):
        return None
    return _Used(run, what)


def _known(uses: list[_Used], failed: Sequence[Variant], now: int) -> KnownCommand:
    worked = [each.run for each in uses if each.run.worked]
    last = max(run.at for run in worked)
    age = max(0, now - last)
    first = uses[0]
    return KnownCommand(
        command=first.what.command,
        kind=first.what.kind,
        directory=first.what.directory,
        namespace=first.run.namespace,
        successes=len(worked),
        failures=len(uses) - len(worked),
        session_count=len({each.run.session for each in uses}),
        last_at=last,
        score=round(surely(len(worked), len(uses)) * 0.5 ** (age / HALF_LIFE_S), 4),
        failed=tuple(failed),
        evidence=tuple(run.id for run in worked[: -NAMED - 1 : -1]),
    )


def _variants(
    used: Sequence[_Used], by_key: Mapping[_Key, list[_Used]], edits: Mapping[str, Sequence[Moment]]
) -> dict[_Key, list[Variant]]:
    """Return, for what worked, the variants of it that failed just before in the same session and never worked."""
    linked: dict[_Key, Counter[_Key]] = defaultdict(Counter)
    for before, after in _links(used, edits):
        linked[after.key][before.key] += 1
    found: dict[_Key, list[Variant]] = {}
    for key, others in linked.items():
        never = [other for other, _ in others.most_common() if not any(each.run.worked for each in by_key[other])]
        found[key] = [_variant(by_key[other]) for other in never[:VARIANTS]]
    return found


def _links(used: Sequence[_Used], edits: Mapping[str, Sequence[Moment]]) -> list[tuple[_Used, _Used]]:
    """Return failures, each with the variant that worked next in its session.

    If a file was changed in between, the change may be why, unless the program of the first is not installed.
    """
    waiting: dict[str, list[_Used]] = defaultdict(list)
    found: list[tuple[_Used, _Used]] = []
    latest: dict[str, Moment] = {}
    for each in used:
        worked = latest.get(each.run.session, (0, ""))
        if not each.run.worked:
            waiting[each.run.session].append(each)
            continue
        left: list[_Used] = []
        for before in waiting[each.run.session]:
            if each.run.at - before.run.at > LINKED_WITHIN_S:
                continue
            if not _is_variant(before, each, is_next=worked < before.moment):
                left.append(before)
            elif before.key != each.key and (
                is_no_program(before.run.told) or not _changed(edits.get(each.run.session, ()), before, each)
            ):
                found.append((before, each))
        waiting[each.run.session] = left
        latest[each.run.session] = each.moment
    return found


def _is_variant(before: _Used, after: _Used, *, is_next: bool) -> bool:
    """Tell whether an invocation that worked is another way to write one that failed.

    The same command by another runner is. If no other command worked in between, it may have further options, another
    port where no server answered, other arguments for what is not there, or be another tool for what does not exist.
    Another folder, or other arguments, are if the first was written wrongly. is_next: whether none worked in between
    """
    told, old, new = before.run.told, before.what.command, after.what.command
    wrong, right, is_alike = bare(old), bare(new), before.what.kind == after.what.kind
    is_same = wrong == right or is_wrapped(new, old)
    if is_next and is_alike and before.what.kind not in _CHECKING:
        is_elsewhere = is_unreachable(told) and _PORT.sub("0", old) == _PORT.sub("0", new)
        is_same = is_same or is_elsewhere or has_more_options(new, old)
    if is_same and before.what.directory == after.what.directory:
        return True
    if is_next and (completes_option(old, new) or is_misplaced(told, old, new)):
        return True
    if not is_misuse(told):
        return False
    if is_alike and program(" ".join(wrong)) == program(" ".join(right)):
        return True
    return is_another_way(old, new, is_missing=is_next and is_missing(told, old))


def _changed(moments: Sequence[Moment], before: _Used, after: _Used) -> bool:
    return any(before.moment < moment < after.moment for moment in moments)


def _variant(uses: Sequence[_Used]) -> Variant:
    last = uses[-1]
    return Variant(
        command=_into(last.what) + last.what.command,
        failures=len(uses),
        error=line(last.run.told, ERROR_CHARACTERS),
        last_at=last.run.at,
    )


def _into(what: Invocation) -> str:
    return f"cd {what.directory} && " if what.directory else ""
