"""Fixes: the steps between a failure and the proven success of the same command or tool use, in one session.

    `make test` failed ─ edit a.py ─ pip install x ─ `make test` worked      →  those two steps fixed that error

A success without a step before it is no fix. A failure also counts as resolved if a command for the same purpose that
covers the failed one succeeds.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

import msgspec

from recollect.capture.invocation import (
    bare,
    completes_option,
    invocation,
    is_another_way,
    is_looking,
    is_wrapped,
    kind,
    parts,
    plain,
)
from recollect.capture.outcome import is_misplaced, is_missing, is_misuse
from recollect.model import CommandKind, Observed
from recollect.text.lazy_patterns import compiled

# Steps of a fix; more are a rewrite.
STEPS = 6
# A later success belongs to other work.
WITHIN_S = 6 * 3600

# Tools that make steps; reading is a step only before a failed edit.
_CHANGING = frozenset({"edit", "write", "patch", "shell"})
# The latest failures that are compared with successes.
OPEN = 40
# Options, with values, that do not change what a tool checks.
_HARMLESS = compiled(
    r"-[qvsxnjw]+\d*|-r\w?|--(?:tb|colou?r|verbose|quiet|fix|write|no-header|maxfail|silent|durations|no-cov|ci)(?:=.*)?"
    r"|\d+|auto|-\d*"
)
# An edit of one line, or of some in a row (capture/difference.py).
_BECAME = compiled(
    r"(?P<head>Changed [^`“]+: )(?P<old>`[^`]*`|“[^”]*”) became (?P<new>`[^`]*`|“[^”]*”)(?P<end>(?: in \S+)?\.)"
)
DOCUMENTS = (".md", ".rst", ".adoc")
# A command that fails on purpose.
_TOLD_TO_FAIL = compiled(r"(?:^|[;&|\n(])[^\S\n]*+(?:exit\s++[1-9]\d*+|false)\s*+\)?+\s*+$")


class Pair(NamedTuple):
    """A failure, the success that ended it, and the steps between."""

    failure: Observed
    success: Observed
    steps: tuple[Observed, ...]


def pairs(rows: Iterable[Observed]) -> list[Pair]:
    """Return the fixed failures of a session, in the order of their fixes.

    Rows may come in any order. Of several failures with the same error the last counts.
    """
    found: list[Pair] = []
    seen: list[Observed] = []
    open_failures: dict[tuple[str, str, str], tuple[int, int]] = {}  # the first and the last with that error
    for row in sorted(rows, key=lambda row: row.id):
        if row.event != "tool" or not row.target:
            continue
        thing = (row.tool, row.target)
        if row.outcome == "failed" and row.fingerprint:
            key = (*thing, row.fingerprint)
            open_failures[key] = (open_failures.get(key, (len(seen),))[0], len(seen))
        elif row.outcome == "ok":
            ended = [key for key in open_failures if key[:2] == thing]
            for key in ended:
                first, last = open_failures.pop(key)
                steps = _steps(seen[last], seen[first + 1 :], row)
                if steps and row.at - seen[last].at <= WITHIN_S:
                    found.append(Pair(seen[last], row, steps))
        seen.append(row)
    return found


def unresolved(rows: Iterable[Observed]) -> list[Observed]:
    """Return the unresolved failures, each command or tool use once.

    Commands that only read, or fail on purpose, do not count.
    """
    last: dict[tuple[str, str], Observed] = {}
    proofs: dict[str, _Proof] = {}
    for row in sorted(rows, key=lambda row: row.id):
        if row.event != "tool" or not row.target or not row.outcome:
            continue
        last.pop((row.tool, row.target), None)
        last[row.tool, row.target] = row
        if row.tool == "shell" and row.outcome == "ok":
            proofs.update({part: _Proof(row, part, bare(part), kind(part)) for part in _proven(row.target)})
    failed = [row for row in last.values() if row.outcome == "failed" and not _is_harmless(row)]
    return [row for row in failed[-OPEN:] if row.tool != "shell" or not _is_resolved(row, proofs.values())]


class _Proof(NamedTuple):
    """A successful command: its observation, text, words and kind."""

    row: Observed
    text: str
    words: list[str]
    kind: CommandKind


def _proven(line: str) -> list[str]:
    """Return the commands of a line that its success proves: those after the last semicolon."""
    found: list[str] = []
    for part in reversed(parts(line)):
        found.append(part.text)
        if part.operator not in ("&&", "|"):
            break
    return [text for text in found if text and not is_looking(text)]


def _is_resolved(failure: Observed, proofs: Collection[_Proof]) -> bool:
    """Tell whether every command of a failed line succeeded later, or one that covers it."""
    later = [proof for proof in proofs if proof.row.id > failure.id]
    is_wrong = bool(later) and is_misuse(failure.told)
    wanted = [part.text for part in parts(failure.target) if part.text and not is_looking(part.text)]
    return bool(wanted) and all(
        any(_resolves(proof, text, failure.told, is_wrong=is_wrong) for proof in later) for text in wanted
    )


def _resolves(proof: _Proof, text: str, told: str, *, is_wrong: bool) -> bool:
    """Tell whether the success of a command resolves the failure of another.

    told: what is told of the failure. is_wrong: whether the other was written wrongly, so that another way for the same
    purpose replaces it
    """
    words, purpose = bare(text), kind(text)
    if words == proof.words or is_wrapped(proof.text, text):
        return True
    is_same = words[:1] == proof.words[:1] and plain(words) == plain(proof.words)
    if is_same and (is_wrong or _folder(told, words) == _folder(proof.row.told, proof.words)):
        return True
    if is_wrong and is_another_way(text, proof.text, is_missing=is_missing(told, text)):
        return True
    if purpose == "other" == proof.kind:
        return words[:1] == proof.words[:1] and set(words) < set(proof.words)
    if purpose in ("other", "git") or purpose != proof.kind:
        return False
    is_covered = all(_is_covered(word, words[1:]) for word in proof.words[1:])
    is_alike = is_covered or completes_option(text, proof.text) or is_misplaced(told, text, proof.text)
    return words[:1] == proof.words[:1] and is_alike


def _folder(told: str, words: list[str]) -> str:
    """Return the folder that a line goes to, or that the only option before the subcommand names."""
    line, options = invocation(told.partition("`")[2].partition("`")[0]), words[1 : 1 + len(words) - len(plain(words))]
    folder = line.directory if line is not None else ""
    return options[1] if len(options) == 2 and not folder else " ".join(filter(None, (folder, *options)))


def _is_covered(word: str, wanted: list[str]) -> bool:
    """Tell whether a word of a command covers another command with these words."""
    if word in wanted or word in (".", "./...") or _HARMLESS.fullmatch(word):
        return True
    path = word.removeprefix("./").rstrip("/")
    return any(
        each.removeprefix("./").startswith((f"{path}/", f"{path}::")) or each.rstrip("/") == path for each in wanted
    )


def _is_harmless(row: Observed) -> bool:
    return row.tool == "shell" and (is_looking(row.target) or _TOLD_TO_FAIL.search(row.target) is not None)


def _only_checks(command: str) -> bool:
    """Tell whether a command changes nothing: it reads, tests or lints."""
    checks = kind(command) in ("test", "lint") and "--fix" not in command and "--write" not in command
    return checks or is_looking(command)


def _steps(failure: Observed, between: list[Observed], success: Observed) -> tuple[Observed, ...]:
    """Return the last successful changes after a failure; what they changed before counts as one step with them."""
    wanted = _CHANGING if failure.tool == "shell" else _CHANGING | {"read"}
    steps = [
        row
        for row in between
        if row.tool in wanted
        and row.outcome != "failed"
        and (row.tool, row.target) != (success.tool, success.target)
        and not (row.tool == "shell" and _only_checks(row.target))
    ]
    steps = [row for row in _net(steps) if row.id > failure.id]
    # The error comes from what is run.
    needed = [
        row for row in steps if not row.target.endswith(DOCUMENTS) or row.target.rpartition("/")[2] in failure.told
    ]
    is_code = any(row.tool != "shell" for row in needed)
    return tuple((needed if is_code else steps)[-STEPS:])


def _net(steps: Iterable[Observed]) -> list[Observed]:
    """Return steps in which edits of one line are one edit, in the place of the last; none if they were undone."""
    found: dict[object, tuple[Observed, str]] = {}
    for step in steps:
        now = _BECAME.fullmatch(step.told)
        if now is None:
            found[step.id] = step, ""
            continue
        old = now["old"]
        if (now["head"], old) in found:
            old = found.pop((now["head"], old))[1]
            step = msgspec.structs.replace(step, told=f"{now['head']}{old} became {now['new']}{now['end']}")
        if old != now["new"]:
            key = (now["head"], now["new"])
            found[step.id if key in found else key] = step, old
    return [step for step, _ in found.values()]
