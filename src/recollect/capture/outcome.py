"""Outcome of a command, by its exit code or by its output.

    exit code of the command itself ─► ok | failed
    its output, line by line        ─► ok | failed | unknown, by the tables FAILED, PASSED, SIGNS, ENDINGS, LAST_WORDS

A success needs proof: exit code 0, or a tool's own success line. Without proof the outcome is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Literal

from recollect.capture.error_fingerprint import NOTHING, lines_of
from recollect.capture.invocation import LOOKING, TASK_RUNNERS, Part, bare, is_looking, is_only_varied, kind, parts
from recollect.capture.observation_lesson import TOLD_CHARACTERS
from recollect.model import CommandKind
from recollect.text.lazy_patterns import compiled

Outcome = Literal["ok", "failed", ""]


# Lines by which a tool says that it failed, whatever follows. Patterns match from the start of a stripped line.
FAILED: tuple[str, ...] = (
    # pytest, unittest, tox
    r"=+ .*\b[1-9]\d* (?:failed|errors?)\b",
    r"(?=.*\b[1-9]\d* (?:failed|errors?)\b)\d+ \w+(?:, \d+ \w+)*+ in [\d.]+m?s",
    r"\d+ deselected in |(?:=+ )?no tests ran\b",
    r"(?:FAILED|ERROR) \S+\.py\b",
    r"E {3,}\S",
    r"FAILED \((?:failures|errors|unexpected)|NO TESTS RAN$|INTERNALERROR>|.*\bfailed :\($",
    r"!+ (?:Interrupted|stopping after|_pytest|KeyboardInterrupt)",
    r"(?:FAIL|ERROR): \w+ \(",
    r"\S+: FAIL (?:code|✖)",
    # jest, vitest, mocha, node --test, bun, playwright, cypress
    r"(?:Tests|Test Suites|Test Files|Snapshots):? .*\b[1-9]\d* failed\b",
    r"(?:\d+% tests passed, )?[1-9]\d* (?:fail|failing|(?:tests? )?failed(?: out of \d+)?)$",
    r"[#ℹ] fail [1-9]|not ok \d+\b(?!.*# (?:TODO|SKIP))",
    r"✖ +\d+ of \d+ failed",
    # go, cargo, ctest, rspec, minitest, ExUnit, phpunit, dotnet, gradle, deno
    r"-+ FAIL: |FAIL(?:\s+\S.*)?$",
    r"test result: FAILED",
    r"Diff in .*:\d+:?$",
    r"The following tests FAILED:",
    r"\d+ (?:examples?|tests?|runs?)(?: completed)?, (?:\d+ \w+, )*?[1-9]\d* (?:failures?|failed|errors?)\b",
    r"FAILED \| \d+ passed",
    r"(?:FAILURES|ERRORS)!$|Tests: \d+, .*(?:Failures|Errors): [1-9]",
    r"Build FAILED\.|Failed! +- Failed: +[1-9]|.*\berror (?:CS|MSB|NETSDK|NU|FS|BC)\d+: |ra(?:ke|ils) aborted!",
    # git, ssh, aws
    r"! \[(?:remote )?rejected\] |Automatic merge failed; |Host key verification failed\.|Unable to locate credentials",
    # ruff, mypy, tsc, biome, black, pyright, eslint, prettier, shellcheck, golangci-lint, php, pre-commit
    r"Found [1-9]\d* (?:errors?|diagnostics?)\b(?!.*\b0 remaining)",
    r"Would reformat: |ruff failed$|No fixes available \(|\[\*\] \d+ (?:potentially )?fixable",
    r"\d+ files? would be reformatted",
    r"(?:.{0,200}?[\s:])?error TS\d+: ",
    r"[1-9]\d* errors?, \d+ warnings?",
    r"✖ \d+ problems? \([1-9]\d* errors?|ESLint found too many warnings",
    r"\[warn\] Code style issues (?:found )?in |\[error\] \S",
    r"In \S+ line \d+:$",
    r"[1-9]\d* issues?:$",
    r"(?:PHP )?(?:Fatal|Parse) error: ",
    r".{1,100}?\.{3,}Failed$|- exit code: [1-9]",
    # make, cmake, ninja, alembic, maven, gradle, bazel, webpack, next, esbuild, node
    r"g?make(?:\[\d+\])?: \*\*\* ",
    r"-- Configuring incomplete|FAILED: (?!0\b)",
    r"(?:\[\w+\] )?BUILD FAIL(?:URE|ED)\b|FAILURE: Build failed",
    r"\[ERROR\] (?:COMPILATION ERROR|Failed to execute goal|Tests run: .*(?:Failures|Errors): [1-9])",
    r"webpack .*compiled with [1-9]\d* errors?|(?:. )?Failed to compile\b|(?:> )?Build failed (?:with [1-9]|because)",
    r"✘ \[ERROR\] |Node\.js v\d+\.\d+\.\d+$",
    # npm, yarn, pnpm, uv, poetry
    r"npm (?:ERR!|error) |(?:.*\s)?ELIFECYCLE\b|ERR_PNPM_\w|error [A-Z]",
    r"× (?:No solution|Failed|Dependency)|.*\bversion solving failed\.?$",
    # docker, kubectl, terraform, ansible, aws, systemd
    r"(?:docker: )?Error response from daemon: ",
    r"(?:\S+: )?(?:ERROR: )?(?:Cannot|.*permission denied while trying to) connect to the Docker daemon",
    r"no configuration file provided: not found|service \".*\" is not running",
    r"Error from server\b|The connection to the server .* was refused",
    r"[│╷] ?Error: ",
    r"fatal: \[.*\]: |\S+ \| (?:UNREACHABLE|FAILED)!|\S+ +: ok=\d+ .*\b(?:failed|unreachable)=[1-9]",
    r"An error occurred \(\w+\) when calling ",
    r"Job for \S+ failed\b",
    # git, gh, wget, ssh
    r"CONFLICT \(",
    r"(?:.* failed: )?(?:GraphQL|HTTP [45]\d\d): |You are not logged into any GitHub hosts",
    r".*\bERROR [45]\d\d: ",
    r"(?:\S+: )?Permission denied \(publickey",
)

# Lines by which a tool says that it succeeded.
PASSED: tuple[str, ...] = (
    # tests
    r"(?:=+ )?\d+ passed\b(?!.*\b[1-9]\d* (?:failed|failures?|errors?)\b)",
    r"OK(?: \((?:skipped|expected failures)=.*)?$|OK \(\d+ tests?,",
    r"congratulations :\)|nox > Session .* was successful",
    r"Tests:? (?!.*\b[1-9]\d* failed\b).*\b[1-9]\d* passed\b",
    r"\d+ passing \(",
    r"(?:[#ℹ] fail 0|0 fail)$",
    r"✔ +All specs passed!",
    r"ok \| \d+ passed.*\b0 failed",
    r"ok\s+\S+\s+(?:\(cached\)|[\d.]+s)",
    r"test result: ok\.",
    r"100% tests passed, 0 tests failed|Passed! +- Failed: +0,",
    r"[1-9]\d* (?:examples?|tests?|runs?), (?:\d+ assertions, )?0 failures(?!.*\b[1-9]\d* errors?\b)",
    # checks and formatters
    r"All checks passed!|Success: no issues found|Found \d+ errors? \(\d+ fixed, 0 remaining\)",
    r"\d+ files? (?:already formatted|left unchanged|reformatted)",
    r"0 errors, \d+ warnings?|✖ \d+ problems? \(0 errors,|0 issues\.$",
    r"All matched files use Prettier code style!",
    r"Your code has been rated at 10\.00/10",
    r"\d+ files? inspected, no offenses|\[OK\] No errors",
    r".{1,100}?\.{3,}(?:Passed|\(no files.*)$",
    # builds
    r"g?make(?:\[\d+\])?: (?:Nothing to be done for|.* is up to date\.)",
    r"-- Build files have been written to: |ninja: no work to do\.",
    r"(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b|Build (?:succeeded\b|complete!)",
    r"Finished .*\btarget\(s\) in ",
    r"webpack .*compiled (?:successfully|with \d+ warnings?)|✓ built in ",
    # packages and services
    r"(?:added|removed|changed) \d+ packages?\b|up to date(?:,| in) |(?:\S+ +)?Done in [\d.]+ ?m?s\b",
    r"Successfully (?:installed|uninstalled|built|rebased and updated) |Bundle complete!|Requirement already satisfied",
    r"➤ YN0000: .*\bDone\b|(?:#\d+ )?naming to .*\bdone$|STATUS: deployed|\*\* \w+ SUCCEEDED \*\*",
    r"(?:Resolved|Installed|Audited|Uninstalled) \d+ packages? in ",
    r"[\w.\-]+/\S+ (?:created|configured|unchanged|patched|scaled|restarted)$",
    r"Apply complete! |No changes\. |Success! The configuration is valid|Plan: \d+ to add, ",
    r"\S+ +: ok=\d+ .*\bunreachable=0 +failed=0",
    r"\[\S+(?: \(root-commit\))? [0-9a-f]{7,}\] |[0-9a-f]{7,}\.\.[0-9a-f]{7,} +\S+ -> ",
    r"Already up[ -]to[ -]date\.?$|Everything up-to-date$|Switched to (?:a new )?branch ",
    r".* saved \[\d+(?:/\d+)?\]$",
)

# Lines that end a command, unless a tool says afterwards that it succeeded: of the shell, of compilers, of linters.
SIGNS: tuple[str, ...] = (
    r"(?:Execution halted|compilation terminated\.|BEGIN failed--compilation aborted.*)$",
    # bash: line 1: foo: command not found · zsh: command not found: foo · /bin/sh: 1: foo: not found
    r"(?:\S+: )*?(?:line \d+: |\d+: )?\S+: command not found$",
    r"(?:\S+ )?[Cc]ommand not found: \S",
    r"(?:\S*/)?(?:ba|z|da|k|a)?sh: .*(?:not found|No such file or directory|Permission denied|unbound variable)$",
    r"(?:fish: )?Unknown command:? \S",
    r"Command '.*' not found|The program '.*' is currently not installed|'.*' is not recognized as an internal or",
    r"(?:[Ee]rror: )?(?:unknown|unrecognized|unexpected|invalid|no such) (?:shorthand |sub)?(?:flag|option|command)\b",
    r"(?:Segmentation fault|Aborted|Bus error|Illegal instruction|Killed|Terminated)(?: \(core dumped\))?$",
    r"\S+: line \d+: .*(?:unexpected E|unbound variable|syntax error|bad substitution|Permission denied)",
    # pytest: error: unrecognized arguments · psql: error: connection …
    r"(?:\S*/)?[\w.\-]+(?: [\w\-]+)?: (?:error|fatal|ERROR): \S",
    # a.c:3:5: error: … · A.java:3: error: … · x.go:5:2: undefined: … · a.py:1:1: F401 …
    r"\S.{0,200}?:\d+(?::\d+)?: (?:fatal |internal compiler )?error: ",
    r"error\[E\d+\]: ",
    r"(?:vet: )?(?:\.{0,2}/)?[^\s:]+\.go:\d+:\d+: \S",
    r"go: .*\b(?:cannot|not found|no such|unknown|missing|errors?|invalid|requires)\b",
    r"package \S+ is not in (?:std|GOROOT)|package \S+: no Go files in |\S+: cannot find module providing ",
    r"[^\s:]+\.\w+:\d+:\d+: [A-Z]{1,5}\d{2,5}:? \S",
    r"\S+:\d+:in .*: .* \([A-Z]\w*(?:::\w+)*\)$",
    r"\*\* \([A-Z]\w*(?:\.\w+)*\) ",
    # curl: (6) Could not resolve host · ERROR:  relation "x" does not exist · ERROR 1045 (28000): Access denied
    r"curl: \(\d+\) \S",
    r"(?:psql:\S* )?(?:ERROR|FATAL|PANIC): {2}\S",
    r"ERROR \d+ \(\w+\)(?: at line \d+)?: ",
    r"E: \S",
    r"Exception in thread \".*\" \S",
    r"thread '.*' (?:\(\d+\) )?panicked at |panic: \S",
)

# Errors that a program may survive. They count near the end of an output, unless it goes on.
ENDINGS: tuple[str, ...] = (
    r"Traceback \(most recent call last\):|Error in .* : ",
    r"(?:Uncaught )?(?:[\w$]{1,60}\.){0,10}[A-Z]\w*(?:Error|Exception|Interrupt)(?: \[\w+\])?(?:: .*)?$",
    r"(?!ERROR: pip's dependency resolver)(?:Fatal error|fatal error|FATAL|Fatal|fatal|ERROR|Error|error): +\S",
    r"(?:.*\b)?(?:exit(?:ed with)?|returned)(?: a)?(?: non-zero)?(?: exit)? (?:code|status):? [1-9]\d*\b",
    r"\S+: .*(?:No such file or directory|Permission denied|Operation not permitted|Read-only file system)\.?$",
    r"\S+: .*(?:Address already in use|Connection (?:refused|timed out)|No space left on device)\.?$",
)
# The last lines of a program that gives up.
LAST_WORDS: tuple[str, ...] = (
    r"(?:Failed|failed|Unable|unable) to \w",
    r"(?:Cannot|cannot|Can't|can't|Could not|could not|Couldn't|couldn't) \w",
    r"(?:Error|ERROR|error) (?!handling)(?:while |when )?\w+ing\b",
)
_GOES_ON = compiled(
    r".*\b(?:retry\w*|done|finished|succe\w+|complet\w+|recover\w+|continu\w+|listening|started|ready|saved|skipp\w+"
    r"|ignor\w+|fall(?:ing)? ?back|passed|INFO|DEBUG)\b",
    re.IGNORECASE,
)

# Lines that may follow the last error, or the success line: hints, notes, times.
ENDING_LINES = 20
# Lines in which a program gives up, or the last of several commands reports success.
LAST_LINES = 3

# Programs whose exit code 1 means "no".
_ANSWERING = frozenset("grep egrep fgrep rg ag diff cmp test [ [[ which pgrep".split())
# Last commands that succeed whatever the one before did.
_ENDING_WELL = LOOKING | frozenset("tee : done fi esac } ) xargs".split())
# Commands that show output of other programs: only errors under their own name count.
_SHOWING = tuple(
    "docker logs, kubectl logs, kubectl describe, podman logs, gh run view, gh pr view, gh pr diff, gh issue view, "
    "systemctl status, heroku logs, fly logs, git stash".split(", ")
)
_SHOWING_ALONE = (["journalctl"], ["dmesg"], ["watch"])
# pytest: no such option · ls: cannot access 'x': No such file or directory
_COMPLAINT = compiled(r"(?:\S*/)?([\w.+\-\[]+)(?: [\w\-]+)?: (?:line )?(?:\d+: )?(.+)")
_TROUBLE = compiled(
    r"no such|not found|cannot|can't|could not|couldn't|unable|failed|fatal|denied|refused|invalid|unrecognized"
    r"|unknown|illegal|missing|unexpected|unterminated|unmatched|not a |is a directory|too many|no rule|no module"
    r"|error|\S:\d+: |bad |requires|must |not permitted|no space|does not exist|syntax",
    re.IGNORECASE,
)
# Tools of these kinds print only their own messages: one that names something missing is a failure.
_OWN_WORDS: frozenset[CommandKind] = frozenset(
    {"test", "lint", "format", "build", "install", "migrate", "deploy", "git"}
)
_GIVES_UP = compiled(
    r"(?!(?:npm )?(?:warn|note|info|hint|notice)).*\b(?:not found|no such|cannot|can't|could not|couldn't|unable to"
    r"|denied|refused|does not exist|doesn't exist|is not (?:installed|running|available)|unexpected error"
    r"|not logged in)\b",
    re.IGNORECASE,
)
# `make; echo "exit: $?"`
_PRINTS_CODE = compiled(r"echo\b.*\$(?:\?|\{?PIPESTATUS)")
_PRINTED_CODE = compiled(
    r"\W*(?:(?:exit|rc|ret|status|return|code|result)\w*(?:[ _](?:code|status))?\W{0,4})?(\d{1,3})\W*$", re.IGNORECASE
)

_UNREACHABLE = compiled(r"(?i)connect.{0,120}(?:refused|failed|timed out)|(?:n.?t|failed to|unable to) connect")
# Errors of a missing program, of an unknown command or task, and of one that was written wrongly: its option, module or
# file is unknown.
_NO_PROGRAM = r"command not found|exit status 127\b|sh: (?:\d{1,6}: )?\S{1,100}: not found|is not recognized as"
_UNKNOWN = (
    rf"{_NO_PROGRAM}|exit status 126\b"
    r"|missing script|command \"[^\"]{1,60}\" not found"
    r"|\bno (?:task|target|script|test runner|rule to make target)\b|does not contain recipe"
    r"|\b(?:task|target|script) ['\"`]\S{1,60}['\"`] (?:not found|does not exist|could not be found)"
    r"|\berror: (?:task|script) not found"
)
# … and those that say as little of the work: Python's `-m`, a system's own Python, a new branch, a server that runs.
_UNFIT = (
    rf"{_UNKNOWN}|(?<!error: )\bno module named [^\s'\"]|externally-managed|has no upstream branch"
    r"|address (?:is )?already in use|\bport \d{1,5} is (?:already )?in use|port is already allocated"
)
_MISUSE = compiled(
    rf"{_UNKNOWN}|provided: not found|no module named|modulenotfounderror|is not recognized"
    r"|(?:unknown|unrecognized|unsupported|unexpected|invalid|no such|requires an?) (?:command|subcommand|option|flag"
    r"|argument|shorthand|choice|file or directory|service)|not an? \w+ command"
    r"|not a git repository|can't open file|could not find a p|usage:|externally-managed"
    r"|permission denied|cannot find module|\bis (?:retired|obsolete)\b|\buse \S{1,60} instead\b"
    r"|\b(?:was|has been) (?:renamed|removed|replaced)\b|\b(?:managed (?:by|with)|configured to use) \w"
    r"|\b(?:find|open|read|enoent)\b.{0,100}(?:cargo\.toml|pyproject\.toml|go\.mod|package\.json|pom\.xml|main module)"
    r"|go\.mod file not found|not contain main module|there is no pom\b|\bno config(?:uration)? files?\b"
    r"|\bpath doesn't exist|\bno 'script_location' key|toolchain '[^']{1,80}' is not installed"
    r"|\bfrom server \(notfound\)|does not match the namespace|\bno makefile found|\bonly accepted on\b"
    r"|\bmay not be used on\b|\bneed to run with\b",
    re.IGNORECASE,
)
# What a compiler or a test says of code: a place, a coded error, an exception, an assertion.
_OF_CODE = compiled(
    r"[\w\])]\.\w{1,10}[:(]\d|\b[Ee]rror:? ?\[?[A-Z]{1,6}\d{2,5}\b|\bFAIL|[a-z](?:Error|Exception)\b|\bassert"
)
# What is not there, with the words around it.
_ABSENT = compiled(
    r"(?:\S{1,100} ){0,3}(?:not (?:be )?found|no such|not an? (?:directory|file|folder)|(?:not|n't) (?:exist|match)"
    r"|(?:cannot|can't|could not|couldn't|unable to) (?:find|open|locate)|unknown|no (?:\w{1,30} ){1,2}named)\b.{0,60}",
    re.IGNORECASE,
)


def by_exit_code(command: str, code: int) -> bool | None:
    """Tell whether a command failed by its exit code; None if that is of another command.

    `make | tail`, `make || true` and `make; echo done` end with 0 whatever make did.
    """
    line = parts(command)
    if not line:
        return code != 0
    if code:
        return None if code == 1 and _program(line[-1].text) in _ANSWERING else True
    last = line[-1]
    if not last.text or last.operator == "||":
        return None
    if last.operator not in ("|", ";") or "pipefail" in command or "set -e" in command:
        return False
    is_filter = _program(last.text) in _ENDING_WELL
    return None if is_filter and not all(is_looking(part.text) for part in line[:-1]) else False


def by_output(command: str, output: str) -> Outcome:
    """Return the outcome that an output proves."""
    lines = lines_of(output)
    line = parts(command)
    names = frozenset(_program(part.text) for part in line)
    if not lines:
        return ""
    if (told := _echoed(line, lines[-1])) is not None:
        return told
    if _shows(line):
        return "failed" if any(_complains(each, names) for each in lines) else ""
    working = sum(not is_looking(part.text) for part in line)
    found = _judged(lines, names, len(lines) - (ENDING_LINES if working < 2 else LAST_LINES))
    if not found and len(lines) <= LAST_LINES and kind(command) in _OWN_WORDS:
        return "failed" if any(map(_GIVES_UP.match, lines)) else ""
    return found


def _echoed(line: Sequence[Part], last: str) -> Outcome | None:
    """Return the outcome that a command line prints itself: `make && echo yes || echo no`, `make; echo $?`."""
    for part in line:
        code = _PRINTED_CODE.match(last) if _PRINTS_CODE.match(part.text) else None
        if code is not None:
            return "failed" if int(code[1]) else "ok"
        if part.operator in ("&&", "||") and part.text.removeprefix("echo ").strip("'\" ") == last:
            return "ok" if part.operator == "&&" else "failed"
    return None


@lru_cache(maxsize=1_024)
def is_misuse(told: str) -> bool:
    """Tell whether an error says that a command was written wrongly, rather than that the code is wrong."""
    return _MISUSE.search(told[:TOLD_CHARACTERS]) is not None


def is_misplaced(told: str, command: str, other: str) -> bool:
    """Tell whether a command was given what is not there, or nothing to do, and a similar one something else.

    The argument that the error names is missing in the other command, which has its option. What a command installs is
    no place.
    """
    error, words, others = told[:TOLD_CHARACTERS].partition("` failed")[2], bare(command), bare(other)
    if _OF_CODE.search(error) or kind(command) == "install" or not is_only_varied(command, other):
        return False
    if re.search(NOTHING, error, re.IGNORECASE):
        return True
    said = [f"/{word.strip('.:/')}" for word in re.findall(r"[\w./:@+\-]+", " ".join(_ABSENT.findall(error)))]
    return any(
        len(name := word.rpartition("=")[2].strip("'\"./:")) > 2
        and word not in others
        and (before[0] != "-" or before in others)
        and any(each.endswith(f"/{name}") for each in said)
        for before, word in pairwise(words)
    )


def is_unfit(told: str) -> bool:
    """Tell whether an error is about the call, not the work: no such command or task, no upstream, a port in use."""
    return re.search(_UNFIT, told[:TOLD_CHARACTERS], re.IGNORECASE) is not None


def is_missing(told: str, command: str) -> bool:
    """Tell whether an error says that the program or the task of a command does not exist."""
    error, words = told[:TOLD_CHARACTERS].partition("` failed")[2], bare(command)
    named = {word.strip("./:") for word in re.findall(r"[\w./:\-]+", error)}
    own = words[1:] if words and words[0] in TASK_RUNNERS else words[:1]
    return is_unfit(error) and not named.isdisjoint(own)


def is_unreachable(told: str) -> bool:
    """Tell whether an error says that a server did not answer where it was looked for."""
    return _UNREACHABLE.search(told[:TOLD_CHARACTERS]) is not None


def is_no_program(told: str) -> bool:
    """Tell whether an error says that a program is not installed."""
    return re.search(_NO_PROGRAM, told[:TOLD_CHARACTERS], re.IGNORECASE) is not None


def _judged(lines: Sequence[str], names: frozenset[str], proven_from: int) -> Outcome:
    """Return the outcome that lines prove; a success line cancels the errors before it."""
    failed, passed, signs, endings, last_words = _tables()
    is_passed = is_ended = has_error = False
    for number, line in enumerate(lines):
        if passed.match(line):
            is_passed, is_ended, has_error = is_passed or number >= proven_from, False, False
        elif failed.match(line):
            return "failed"
        elif signs.match(line) or _complains(line, names):
            is_ended = True
        elif number >= len(lines) - ENDING_LINES and endings.match(line):
            has_error = True
        elif _GOES_ON.match(line):
            has_error = False
        elif number >= len(lines) - LAST_LINES and last_words.match(line):
            has_error = True
    return "failed" if is_ended or has_error else "ok" if is_passed else ""


@cache
def _tables() -> tuple[re.Pattern[str], ...]:
    """Return the tables as one pattern each, compiled on first use."""
    return tuple(compiled("|".join(table)) for table in (FAILED, PASSED, SIGNS, ENDINGS, LAST_WORDS))


def _complains(line: str, names: frozenset[str]) -> bool:
    """Tell whether a line is an error of a program of the command, or of its shell."""
    said = _COMPLAINT.match(line)
    if said is not None and said[1].endswith("sh") and said[1] not in names:
        missing = re.match(
            r"(?:command not found: |Unknown command: )?([\w.+\-/]+)(?:: (?:command )?not found)?$", said[2]
        )
        if missing is not None and _TROUBLE.search(said[2]):
            return missing[1] in names
        said = _COMPLAINT.match(said[2])  # bash: line 1: cd: nowhere: No such file or directory
    return said is not None and said[1] in names and _TROUBLE.search(said[2]) is not None


def _shows(line: Sequence[Part]) -> bool:
    """Tell whether every command of a line only shows files or what other programs wrote."""
    return all(is_looking(part.text) or _shows_logs(bare(part.text)) for part in line)


def _shows_logs(words: Sequence[str]) -> bool:
    if " ".join(words[:2]) == "docker compose":
        return "logs" in words
    return " ".join(words[:3]).startswith(_SHOWING) or words[:1] in _SHOWING_ALONE


def _program(part: str) -> str:
    """Return the program of a part; the interpreter for `python3 -m pytest`."""
    words = part.strip("() ").split()
    while words and ("=" in words[0] or words[0] in ("sudo", "time", "exec", "command", "env", "nice", "nohup")):
        words = words[1:]
    return words[0].rsplit("/", 1)[-1] if words else ""
