"""Lessons of shell commands: the command, its proven outcome, and the fingerprint of its error."""

from __future__ import annotations

import re

from recollect.capture import tools
from recollect.capture.error_fingerprint import COMMAND_CHARACTERS, failure, same_command
from recollect.capture.invocation import SUBCOMMANDS, is_looking, plain
from recollect.capture.observation import Observation
from recollect.capture.observation_lesson import Lesson, Outline, Place, code, line, tag
from recollect.capture.outcome import by_output

# The importance of a success and of a failure.
WORKED, FAILED = 0.3, 0.5
# The outcome in metadata if nothing proves it.
UNKNOWN = "unknown"


def shell(seen: Observation, place: Place, outline: Outline) -> Lesson:
    """Return the outcome of a command; one that only reads is not remembered."""
    command = tools.text_field(seen.input, "command")[:COMMAND_CHARACTERS].strip()
    if not command:
        return Lesson(told="Ran a command")
    said = _said(seen)
    outcome = by_output(command, said) if seen.failed is None else "failed" if seen.failed else "ok"
    target = line(same_command(command), 400)
    folder = _folder(seen.cwd, place)
    if outcome == "failed":
        return _failed(command, said, seen, target, folder)
    told = f"Ran {code(command, 160)}" + (f" in {folder}" if folder else "")
    lesson = Lesson(told=told, target=target, outcome=outcome)
    if is_looking(command):
        return lesson
    purpose = line(str(seen.input.get("description") or ""))
    return lesson._replace(
        content=told + (f" ({purpose})" if purpose else "") + (": it worked." if outcome == "ok" else "."),
        importance=WORKED,
        category="command",
        tags=(tag("cmd", program(command)), "command"),
        metadata={
            "command": line(command, 400),
            "outcome": outcome or UNKNOWN,
            **_exit(seen),
            **({"directory": folder} if folder else {}),
        },
    )


def _folder(cwd: str, place: Place) -> str:
    """Return the folder of a command below the root of its project; empty if unknown."""
    shown = place.shown(cwd) if cwd and place.root else ""
    return "" if shown.startswith("/") else line(shown, 120)


def _failed(command: str, said: str, seen: Observation, target: str, folder: str) -> Lesson:
    found = failure(said, target, seen.exit_code)
    where = {"directory": folder} if folder else {}
    code_said = f" in {folder}" if folder else ""
    # Of `make | tail` the exit status is that of tail.
    code_said += f" (exit status {seen.exit_code})" if seen.exit_code else ""
    if not said:
        code_said += " and said nothing"
    told = f"{code(command, 160)} failed{code_said}" + (f": {line(found.message)}" if said else "")
    return Lesson(
        told=line(told),
        content=f"{code(command, 400)} failed{code_said}" + (f":\n{found.message}" if said else "."),
        importance=FAILED,
        category="error",
        tags=(tag("cmd", program(command)), "failure", tag("error", found.fingerprint)),
        metadata={"command": line(command, 400), "fingerprint": found.fingerprint, **_exit(seen), **where},
        target=target,
        outcome="failed",
        fingerprint=found.fingerprint,
    )


def _exit(seen: Observation) -> dict[str, int]:
    return {} if seen.exit_code is None else {"exit": seen.exit_code}


def _said(seen: Observation) -> str:
    """Return the output of a command without the assistant's additions."""
    text = seen.error or tools.said(seen.output)
    text = re.sub(r"\A(?:Error: )?Exit code:? \d+\s*\n?|<shellId: [^<>]*+>\s*+\Z", "", text)
    text = re.sub(r"(?m)^(?:Exit Code: -?\d+|Process Group PGID: \d+|Background PIDs: .*)$", "", text)
    return re.sub(r"\AOutput: (?:\(empty\))?|\A\(no output\)\Z", "", text.strip()).strip()


def program(command: str) -> str:
    """Return the program of a command, with its subcommand if that matters: `git commit`."""
    words = same_command(command).split()
    words = words[1:] if words[:1] in (["sudo"], ["time"], ["exec"], ["command"]) else words
    if not words:
        return "sh"
    name, second, *_ = [*plain(words), ""]
    name = name.rsplit("/", 1)[-1]
    return f"{name} {second}" if name in SUBCOMMANDS and re.fullmatch(r"[a-z][a-z0-9\-:]{1,20}", second) else name
