"""Command memory: invocations that worked, ranked by how surely and how lately; and those that failed before them.

    failed `pytest` ─ worked `uv run pytest`      in one session, nothing changed in between: run it the second way

A failure that went away because code was changed says nothing against the command, so that such are not linked.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from recollect.capture.extract.command import is_looking, program
from recollect.capture.lesson import line
from recollect.model import CommandKind, KnownCommand, Variant
from recollect.patterns.chance import surely
from recollect.patterns.kind import Invocation, invocation
from recollect.patterns.seen import NAMED

# After a month a command is worth half as much: projects change how they are built.
HALF_LIFE_S = 30 * 86_400
# Moving files about is nobody's way to build something.
_PLAIN = frozenset(
    "rm mv cp mkdir rmdir touch chmod chown ln kill pkill killall open xdg-open source read wait".split()
)
# What everybody asks for first: how this project is built, tested and run.
_LAST = frozenset({"other", "git"})
# Who looks longer for the right way did something else in between.
LINKED_WITHIN_S = 3_600
VARIANTS = 3
ERROR_CHARACTERS = 160


class Run(NamedTuple):
    """One run of a command line. directory: where, from the root of the project; told: what it said, if it failed."""

    id: str
    at: int
    session: str
    namespace: str | None
    line: str
    directory: str
    worked: bool
    told: str = ""


_Key = tuple[str | None, str, str]


class _Used(NamedTuple):
    run: Run
    what: Invocation

    @property
    def key(self) -> _Key:
        return self.run.namespace, self.what.directory, self.what.command


def known_commands(runs: Iterable[Run], edits: Mapping[str, Sequence[int]], now: int) -> list[KnownCommand]:
    """Return every invocation that worked, the best first, each with the variants that failed before it.

    edits: by session, when files were changed
    """
    used = sorted(
        (each for run in runs if (each := _used(run)) is not None), key=lambda each: (each.run.at, each.run.id)
    )
    by_key: dict[_Key, list[_Used]] = defaultdict(list)
    for each in used:
        by_key[each.key].append(each)
    failed = _variants(used, by_key, edits)
    found = [
        _known(uses, failed.get(key, ()), now) for key, uses in by_key.items() if any(each.run.worked for each in uses)
    ]
    return sorted(found, key=lambda row: (row.kind in _LAST, -row.score, -row.last_at, row.command))


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
    used: Sequence[_Used], by_key: Mapping[_Key, list[_Used]], edits: Mapping[str, Sequence[int]]
) -> dict[_Key, list[Variant]]:
    """Return, for what worked, the variants of it that failed just before in the same session and never worked."""
    waiting: dict[str, list[_Used]] = defaultdict(list)
    linked: dict[_Key, Counter[_Key]] = defaultdict(Counter)
    for each in used:
        if not each.run.worked:
            waiting[each.run.session].append(each)
            continue
        left: list[_Used] = []
        for before in waiting[each.run.session]:
            if each.run.at - before.run.at > LINKED_WITHIN_S:
                continue
            if not _is_variant(before, each):
                left.append(before)
            elif before.key != each.key and not _changed(edits.get(each.run.session, ()), before.run.at, each.run.at):
                linked[each.key][before.key] += 1
        waiting[each.run.session] = left
    found: dict[_Key, list[Variant]] = {}
    for key, others in linked.items():
        never = [other for other, _ in others.most_common() if not any(each.run.worked for each in by_key[other])]
        found[key] = [_variant(by_key[other]) for other in never[:VARIANTS]]
    return found


def _is_variant(before: _Used, after: _Used) -> bool:
    """Tell whether two invocations are for the same: of one kind, with a word in common, or of one program."""
    if _family(before.what) == _family(after.what):
        return True
    return before.what.kind != "other" and before.what.kind == after.what.kind and bool(_words(before) & _words(after))


def _family(what: Invocation) -> tuple[CommandKind, str]:
    return what.kind, program(what.command)


def _words(each: _Used) -> set[str]:
    return {word for word in each.what.command.split() if not word.startswith("-") and "=" not in word}


def _changed(moments: Sequence[int], after: int, before: int) -> bool:
    return any(after <= moment <= before for moment in moments)


def _variant(uses: Sequence[_Used]) -> Variant:
    last = uses[-1]
    where = f"cd {last.what.directory} && " if last.what.directory else ""
    return Variant(
        command=where + last.what.command,
        failures=len(uses),
        error=line(last.run.told, ERROR_CHARACTERS),
        last_at=last.run.at,
    )
