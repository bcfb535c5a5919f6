"""Fingerprints of errors, equal for every occurrence although times, numbers and folders differ.

    output ─► lines of the error ─► numbers, paths, times normalised ─► hash

A Python traceback counts by its last line, a compiler's output by its first errors, a silent failure by its command.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.text.digest import digest
from recollect.text.lazy_patterns import compiled

# Nothing that a tool was to work on.
NOTHING = (
    r"\bno (?!such )(?:\S{1,30} ){0,2}?(?:tests?|specs?|files?|packages?|projects?|targets?) (?:\S{1,30} ){0,2}?"
    r"(?:ran|run|found|in|match\w*|were)\b|(?:not|n't) match any\b"
)
# Lines of errors, most specific first; the first kind that occurs counts.
_TELLING: tuple[re.Pattern[str], ...] = (
    # KeyError: 'x' · java.lang.IllegalStateException: … · TypeError [ERR_X]: … · ** (Mix) …
    compiled(
        r"^(?:E\s+|Caused by: |Uncaught )?[\w.$]{0,100}(?:Error|Exception|Warning|Panic)\b(?: \[\w+\])?:? .*"
        r"|^\*\* \([A-Z][\w.]{0,100}\) .*"
    ),
    compiled(r"^(?:E\s+)?(?:[\w$]+\.){0,20}[A-Z]\w*(?:Error|Exception|Interrupt|Exit)$"),
    # error[E0425]: … · src/a.c:3:5: error: … · fatal: … · npm ERR! … · [ERROR] A.java:[3,5] … · cart_test.go:14: …
    compiled(
        r"^.{0,200}?\b(?:error(?:\[\w+\]| TS\d+| CS\d+)?|fatal error|fatal|panicked at|npm ERR!|ERR!)[:!]? .*"
        r"|^\[error\] .*|^--- FAIL: .*|^\w[\w.]*_test\.go:\d+: .*|^assertion `.* failed.*|^\d+\) \w+::\w+.*"
        r"|^Failed asserting .*",
        re.IGNORECASE,
    ),
    # E501 Line too long · a.py:1:8: F401 … · --> a.py:3:1 · CartTest > total() FAILED · Failed adds twice [12 ms]
    compiled(
        r"^(?:FAILED|FAIL|ERROR|✗|✘|not ok|(?:\S+:\d+:\d+: )?[A-Z]{1,5}\d{3,4})\b.*|^--> \S+:\d+.*|^\S.{0,200} FAILED$"
        r"|^Failed \S.{0,200} \[[\d.,< ]+m?s\]$"
    ),
    compiled(
        rf".*(?:{NOTHING}).*"
        r"|.*\b(?:command not found|no such file or directory|permission denied|cannot find|could not|not found"
        r"|undefined reference|unresolved|unable to|failed to|segmentation fault|killed|timed out|refused|denied"
        r"|does not exist|is not recognized|no module named|no rule to make target|syntax error)\b.*",
        re.IGNORECASE,
    ),
)  # fmt: skip

# What a tool says of any failure: where it stopped, or how many failed. It counts where nothing says why.
_SUMMARY = compiled(
    r"^\w*make(?:\[\d+\])?: \*\*\* \[.*\] Error \d+|\[INFO\] BUILD FAILURE|\[ERROR\] (?:COMPILATION ERROR|Tests run:"
    r"|(?:Failures|Errors):|Failed to execute goal .*(?:There are test failures|Compilation failure))"
    r"|FAILURE: Build failed|BUILD FAILED\b|Execution failed for task"
    r"|> (?:Compilation (?:failed|error)\b|There were failing tests)|> Task \S+ FAILED"
    r"|collect2: error: ld returned|FAIL(?:\s+\S+\s+[\d.]+s)?$|Found \d+ errors?\b"
    r"|test result: FAILED|FAILED \| |Tests: \d+, |\d+ (?:examples?, |tests completed, |offenses? detected)"
    r"|ninja: build stopped|\[error\] (?:one|\w+) errors? found|\[\*\] \d+ (?:potentially )?fixable|\d+% tests passed, "
    r"|Failed! "
)
# What says nothing of an error.
_NOISE = compiled(
    r"^(?:\w*make(?:\[\d+\])?: (?:Entering|Leaving) directory|\[INFO\]|\[ERROR\](?:$|\s*(?:->|To see the full|Re-run"
    r"|For more information|After correcting|\[Help))|\* (?:What went wrong|Try|Where|Get more help)"
    r"|> (?:Run|Get more) |\d+ actionable tasks?|\[error\] Total time|FAILURES!$)"
)
# A command that make prints before it runs it.
_ECHO = compiled(r"^[\w./+-]+ (?:.*\s)?(?:--?\w|>)")
# The time before each line of a log.
_STAMP = compiled(r"^\W?\d{4}-\d\d-\d\d[T ]\S+[ \t]+", re.MULTILINE)
# Lines of an error that count.
LINES = 3
LINE_CHARACTERS = 300
# Errors stand at the beginning or at the end of an output.
LOOK_CHARACTERS = 40_000
# A longer command is an inline program.
COMMAND_CHARACTERS = 4_000

# Frames that tools draw around what they say.
_DRAWN = " " + "".join(map(chr, range(0x2500, 0x2580)))
_ANSI = compiled(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*+\x07")
# What differs between occurrences, and its replacement. The order counts.
_EQUAL: tuple[tuple[re.Pattern[str], str], ...] = (
    # A rule of a linter, in any file and of any name: a.py:1:8: F401 `os` … · A.cs(6,56): error CA1062: … 'Total' …
    (compiled(r"^\S{1,200}(?::\d+:\d+|\(\d+,\d+\)): (?:error |warning )?(?=[A-Z]{1,5}\d{3,4}\b|[CWEFR]: \w+/)"), ""),
    (compiled(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (compiled(r"\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\b(?=\s|$|\])"), "<time>"),
    (compiled(r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b"), "<id>"),
    (compiled(r"\b0x[0-9a-fA-F]+\b"), "<hex>"),
    (compiled(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,64}\b"), "<hex>"),
    (compiled(r"\bhttps?://[^\s'\"<>)]+"), "<url>"),
)
_RULE, _QUOTED = compiled(r"^(?!CS|TS|FS|BC)[A-Z]{1,5}\d{3,4}\b"), compiled(r"'[^']*'|`[^`]*`|\"[^\"]*\"")
_PATH = compiled(
    r"(?:[A-Za-z]:)?(?:~|\.{0,2})?(?:[\\/][\w.@+\-]+){2,}[\\/]?|(?<![\w.@+\-])(?:[\w.@+\-]++[\\/])+[\w.@+\-]+"
)
_NUMBER = compiled(r"(?<![A-Za-z_\d])\d+(?:[.,]\d+)*")


class Failure(NamedTuple):
    """An error: its fingerprint and its lines."""

    fingerprint: str
    message: str


def failure(output: str, command: str = "", exit_code: int | None = None) -> Failure:
    """Return the error of an output; of a silent one, the exit code."""
    lines = telling(output)
    if lines:
        return Failure(digest("\n".join(map(normal, lines)), 16), "\n".join(lines))
    every = _told_lines(output)
    own = [line for line in every if not _is_frame(line) and not _ECHO.match(line)]
    said = (own[-1:] or [line for line in every if _SUMMARY.match(line)] or every[-1:] or [""])[0]
    ended = f"exit status {exit_code}" if exit_code is not None else "failed"
    return Failure(digest(f"{normal(command)}\n{ended}\n{normal(said)}", 16), said or ended)


def telling(output: str) -> list[str]:
    """Return the first distinct error lines of an output."""
    lines = _own(_told_lines(output))
    for pattern in _TELLING:
        found = [line for line in lines if pattern.match(line)]
        if found:
            # A traceback ends with its error; a compiler's first error causes the others.
            chosen = found[-1:] if "Traceback (most recent call last):" in output else found
            first: dict[str, str] = {}
            for line in chosen:
                first.setdefault(normal(line), line)
            return list(first.values())[:LINES]
    return []


def unstamped(text: str) -> str:
    """Return a text without the times before lines of a pasted log."""
    return _STAMP.sub("", text)


def shows_another(text: str, known: str) -> bool:
    """Tell whether a message with a pasted log shows an error, and none of those that a known text names."""
    found = telling(unstamped(text).partition("\n")[2])
    cores = [normal(line.removeprefix("E ").strip()) for line in found]
    return bool(cores) and not any(core in normal(known) for core in cores)


def _own(lines: list[str]) -> list[str]:
    """Return the lines without those that any failure of a tool has, unless there are no others."""
    return [line for line in lines if not _is_frame(line)] or lines


def _is_frame(line: str) -> bool:
    return bool(_SUMMARY.match(line) or _NOISE.match(line))


def lines_of(output: str) -> list[str]:
    """Return the lines of both ends of an output, cut to bound the time of patterns."""
    if len(output) > 2 * LOOK_CHARACTERS:
        output = output[:LOOK_CHARACTERS] + "\n" + output[-LOOK_CHARACTERS:]
    return [line.strip()[:LINE_CHARACTERS] for line in _ANSI.sub("", output).splitlines() if line.strip()]


def _told_lines(output: str) -> list[str]:
    return [told for line in lines_of(output) if (told := line.strip(_DRAWN))]


def normal(line: str) -> str:
    """Return the beginning of a line, normalised."""
    line = line[: 2 * LINE_CHARACTERS]
    for pattern, stands in _EQUAL:
        line = pattern.sub(stands, line)
    if _RULE.match(line):  # not of a compiler, whose errors differ by what they name
        line = _QUOTED.sub("<name>", line)
    line = _PATH.sub(_short, line)
    return " ".join(_NUMBER.sub("<n>", line).split()).lower()


def same_command(command: str) -> str:
    """Return a command without folder, variables, redirections and a trailing filter."""
    words = " ".join(command[:COMMAND_CHARACTERS].split())
    words = re.sub(r"^(?:cd \S+ ?(?:&&|;) ?)+", "", words)
    words = re.sub(r"^(?:[A-Z_][A-Z0-9_]*=\S* )+", "", words)
    words = re.sub(r" ?(?:2>&1|2>/dev/null|>/dev/null|&>/dev/null)", "", words)
    return re.sub(r" ?\| ?(?:tail|head|cat|less|grep|tee)\b[^|]*$", "", words).strip()


def _short(match: re.Match[str]) -> str:
    """Return the last part of a path; one with digits is a temporary file."""
    last = re.split(r"[\\/]", match[0].rstrip("\\/"))[-1]
    return (
        "<path>" if any(c.isdigit() for c in last) and not last.endswith((".py", ".js", ".ts", ".rs", ".go")) else last
    )
