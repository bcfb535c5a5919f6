"""Outcome: whether a command succeeded, by its exit code or by what it printed.

    exit code of the command itself ─► ok | failed
    its output, line by line        ─► ok | failed | unknown, by the tables TOOLS, SIGNS, ENDINGS, LAST_WORDS

Only proof counts. A success is proven by the exit code 0 or by a tool's own success line. An output without proof of
either leaves the outcome unknown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Literal, NamedTuple

from recollect.capture.fingerprint import lines_of
from recollect.capture.invocation import LOOKING, Part, bare, is_looking, kind, parts
from recollect.capture.lesson import TOLD_CHARACTERS
from recollect.model import CommandKind

Outcome = Literal["ok", "failed", ""]


class Tool(NamedTuple):
    """A tool's own last words: lines that say it failed, whatever follows, and lines that say it succeeded.

    Patterns match from the start of a stripped line.
    """

    name: str
    failed: tuple[str, ...] = ()
    passed: tuple[str, ...] = ()


TOOLS: tuple[Tool, ...] = (
    # --- tests ---
    Tool(
        "pytest",
        (
            r"=+ .*\b[1-9]\d* (?:failed|errors?)\b",
            r"(?=.*\b[1-9]\d* (?:failed|errors?)\b)\d+ \w+(?:, \d+ \w+)*+ in [\d.]+m?s",
            r"\d+ deselected in ",
            r"(?:FAILED|ERROR) \S+\.py\b",
            r"(?:=+ )?no tests ran\b",
            r"!+ (?:Interrupted|stopping after|_pytest|KeyboardInterrupt)",
            r"INTERNALERROR>",
            r"E {3,}\S",
            r"\S+\.py:\d+: [A-Z]\w*(?:Error|Exception)$",
            r"(?:FAIL|ERROR):? Required test coverage of|Coverage failure:",
        ),
        (
            r"(?:=+ )?\d+ passed\b(?!.*\b[1-9]\d* (?:failed|failures?|errors?)\b)",
            r"(?:=+ )?\d+ skipped(?:, \d+ \w+)*+ in [\d.]+m?s",
        ),
    ),
    Tool(
        "unittest",
        (r"FAILED \((?:failures|errors|unexpected)", r"NO TESTS RAN$", r"(?:FAIL|ERROR): \w+ \("),
        (r"OK(?: \((?:skipped|expected failures)=.*)?$",),
    ),
    Tool("tox", (r".*\bfailed :\($", r"\S+: FAIL (?:code|✖)"), (r"congratulations :\)",)),
    Tool("nox", (r"nox > Session .*\bfailed\b",), (r"nox > Session .* was successful",)),
    Tool(
        "jest, vitest",
        (
            r"(?:Tests|Test Suites|Test Files|Snapshots):? .*\b[1-9]\d* failed\b",
            r"No test(?: file)?s found, exiting with code 1",
        ),
        (r"Tests:? (?!.*\b[1-9]\d* failed\b).*\b[1-9]\d* passed\b",),
    ),
    Tool("mocha", (r"[1-9]\d* failing$",), (r"\d+ passing \(",)),
    Tool(
        "node --test, TAP, bun",
        (r"[#ℹ] fail [1-9]", r"not ok \d+\b(?!.*# (?:TODO|SKIP))", r"[1-9]\d* fail$"),
        (r"(?:[#ℹ] fail 0|0 fail)$",),
    ),
    Tool("playwright, ava", (r"[1-9]\d* (?:tests? )?failed$",), (r"\d+ tests? passed$",)),
    Tool("karma, cypress", (r".*Executed .*\([1-9]\d* FAILED\)", r"✖ +\d+ of \d+ failed"), (r"✔ +All specs passed!",)),
    Tool("deno", (r"FAILED \| \d+ passed",), (r"ok \| \d+ passed.*\b0 failed",)),
    Tool(
        "go test",
        (r"-+ FAIL: ", r"FAIL(?:\s+\S.*)?$"),
        (r"ok\s+\S+\s+(?:\(cached\)|[\d.]+s)",),
    ),
    Tool("cargo test", (r"test result: FAILED", r"Summary \[.*\b[1-9]\d* failed"), (r"test result: ok\.",)),
    Tool(
        "ctest",
        (r"\d+% tests passed, [1-9]\d* tests? failed", r"The following tests FAILED:"),
        (r"100% tests passed, 0 tests failed",),
    ),
    Tool(
        "rspec, minitest, ExUnit",
        (
            r"\d+ (?:examples?|tests?|runs?), (?:\d+ \w+, )*?[1-9]\d* (?:failures?|errors?)\b",
            r"ra(?:ke|ils) aborted!",
        ),
        (r"[1-9]\d* (?:examples?|tests?|runs?), (?:\d+ assertions, )?0 failures(?!.*\b[1-9]\d* errors?\b)",),
    ),
    Tool("phpunit", (r"(?:FAILURES|ERRORS)!$", r"Tests: \d+, .*(?:Failures|Errors): [1-9]"), (r"OK \(\d+ tests?,",)),
    Tool(
        "dotnet, swift, xcodebuild",
        (
            r"Build FAILED\.",
            r"Failed! +- Failed: +[1-9]",
            r"\*\* \w+ FAILED \*\*",
            r"Executed \d+ tests?, with [1-9]\d* failures?",
            r".*\berror (?:CS|MSB|NETSDK|NU|FS|BC)\d+: ",
        ),
        (
            r"Build succeeded\b",
            r"Passed! +- Failed: +0,",
            r"\*\* \w+ SUCCEEDED \*\*",
            r"Build complete!",
            r"Executed [1-9]\d* tests?, with 0 failures",
        ),
    ),
    # --- checks and formatters ---
    Tool(
        "ruff, mypy, ty, tsc, biome",
        (
            r"Found [1-9]\d* (?:errors?|diagnostics?)\b(?!.*\b0 remaining)",
            r"Would reformat: |ruff failed$|No fixes available \(|\[\*\] \d+ (?:potentially )?fixable",
            r"\d+ files? would be reformatted",
            r"(?:.{0,200}?[\s:])?error TS\d+: ",
        ),
        (
            r"All checks passed!",
            r"Success: no issues found",
            r"Found \d+ errors? \(\d+ fixed, 0 remaining\)",
            r"Found 0 errors\b",
            r"\d+ files? (?:already formatted|left unchanged|reformatted)",
            r"Checked \d+ files? in .*No fixes applied",
        ),
    ),
    Tool("black", (r"would reformat \S", r"Oh no! ", r"error: cannot format "), (r"All done! ",)),
    Tool("pyright", (r"[1-9]\d* errors?, \d+ warnings?",), (r"0 errors, \d+ warnings?",)),
    Tool(
        "eslint, stylelint",
        (
            r"✖ \d+ problems? \([1-9]\d* errors?",
            r"ESLint found too many warnings",
            r"Oops! Something went wrong!|ESLint couldn't find ",
        ),
        (r"✖ \d+ problems? \(0 errors,",),
    ),
    Tool(
        "prettier",
        (r"\[warn\] Code style issues (?:found )?in ", r"\[error\] \S"),
        (r"All matched files use Prettier code style!",),
    ),
    Tool("pylint", (), (r"Your code has been rated at 10\.00/10",)),
    Tool("shellcheck", (r"In \S+ line \d+:$",)),
    Tool("golangci-lint", (r"[1-9]\d* issues?:$",), (r"0 issues\.$",)),
    Tool("rubocop", (r"\d+ files? inspected, [1-9]\d* offenses?",), (r"\d+ files? inspected, no offenses",)),
    Tool(
        "php, phpstan",
        (r"(?:PHP )?(?:Fatal|Parse) error: ", r"\[ERROR\] Found [1-9]", r"Errors parsing \S"),
        (r"\[OK\] No errors", r"No syntax errors detected in "),
    ),
    Tool(
        "pre-commit", (r".{1,100}?\.{3,}Failed$", r"- exit code: [1-9]"), (r".{1,100}?\.{3,}(?:Passed|\(no files.*)$",)
    ),
    # --- builds ---
    Tool(
        "make",
        (r"g?make(?:\[\d+\])?: \*\*\* ",),
        (r"g?make(?:\[\d+\])?: (?:Nothing to be done for|.* is up to date\.)",),
    ),
    Tool(
        "cmake, ninja",
        (r"CMake Error\b", r"-- Configuring incomplete", r"ninja: (?:build stopped|error|fatal): ", r"FAILED: (?!0\b)"),
        (r"-- Build files have been written to: ", r"ninja: no work to do\.", r"\[100%\] Built target "),
    ),
    Tool(
        "maven, gradle, sbt, bazel",
        (
            r"(?:\[\w+\] )?BUILD FAIL(?:URE|ED)\b",
            r"FAILURE: Build failed",
            r"Execution failed for task ",
            r"\[ERROR\] (?:COMPILATION ERROR|Failed to execute goal)",
        ),
        (r"(?:\[INFO\] )?BUILD SUCCESS(?:FUL)?\b", r"(?:INFO: )?Build completed successfully", r"\[success\] "),
    ),
    Tool(
        "cargo",
        (r"error: could not compile ", r"error: test (?:run )?failed", r"Diff in .*:\d+:?$"),
        (r"Finished .*\btarget\(s\) in ",),
    ),
    Tool(
        "webpack, vite, next, esbuild",
        (
            r"webpack .*compiled with [1-9]\d* errors?",
            r"(?:. )?Failed to compile\b",
            r"error during build:",
            r"✘ \[ERROR\] ",
            r"(?:> )?Build failed (?:with [1-9]|because)",
        ),
        (r"webpack .*compiled (?:successfully|with \d+ warnings?)", r"✓ built in ", r"(?:✓ )?Compiled successfully"),
    ),
    Tool("node", (r"Node\.js v\d+\.\d+\.\d+$",)),
    # --- packages ---
    Tool("npm", (r"npm (?:ERR!|error) ",), (r"(?:added|removed|changed) \d+ packages?\b", r"up to date(?:,| in) ")),
    Tool(
        "yarn, pnpm, bun",
        (
            r"error [A-Z]",
            r"(?:.*\s)?ELIFECYCLE\b",
            r"ERR_PNPM_\w",
            r"➤ YN\d+: .*Failed with errors",
            r"error: script \".*\" exited with code ",
        ),
        (r"(?:\S+ +)?Done in [\d.]+ ?m?s\b", r"➤ YN0000: .*\bDone\b"),
    ),
    Tool("pip", (), (r"Successfully (?:installed|uninstalled|built) ", r"Requirement already satisfied: ")),
    Tool(
        "uv, poetry",
        (r"× (?:No solution|Failed|Dependency)", r".*\bversion solving failed\.?$"),
        (r"(?:Resolved|Installed|Audited|Uninstalled) \d+ packages? in ",),
    ),
    Tool("bundler, composer", (r"Your requirements could not be resolved",), (r"Bundle complete!",)),
    # --- services ---
    Tool(
        "docker",
        (
            r"(?:docker: )?Error response from daemon: ",
            r"(?:ERROR: )?failed to (?:solve|build|do request)\b",
            r"(?:\S+: )?(?:ERROR: )?(?:Cannot|.*permission denied while trying to) connect to the Docker daemon",
            r"docker: .* is not a docker command",
            r"no configuration file provided: not found|service \".*\" is not running",
        ),
        (r"Successfully (?:built|tagged) ", r"(?:#\d+ )?naming to .*\bdone$"),
    ),
    Tool(
        "kubectl, helm",
        (
            r"Error from server\b",
            r"The connection to the server .* was refused",
            r"Unable to connect to the server: ",
            r"Error: (?:INSTALLATION|UPGRADE) FAILED: ",
        ),
        (
            r"[\w.\-]+/\S+ (?:created|configured|unchanged|patched|scaled|restarted)$",
            r"STATUS: deployed",
            r".* successfully rolled out$",
        ),
    ),
    Tool(
        "terraform",
        (r"[│╷] ?Error: ",),
        (r"Apply complete! ", r"No changes\. ", r"Success! The configuration is valid", r"Plan: \d+ to add, "),
    ),
    Tool(
        "ansible",
        (r"fatal: \[.*\]: |\S+ \| (?:UNREACHABLE|FAILED)!", r"\S+ +: ok=\d+ .*\b(?:failed|unreachable)=[1-9]"),
        (r"\S+ +: ok=\d+ .*\bunreachable=0 +failed=0",),
    ),
    Tool("aws", (r"An error occurred \(\w+\) when calling ", r"Unable to locate credentials")),
    Tool(
        "git",
        (r"CONFLICT \(", r"Automatic merge failed; ", r"! \[(?:remote )?rejected\] ", r"error: failed to push "),
        (
            r"\[\S+(?: \(root-commit\))? [0-9a-f]{7,}\] ",
            r"Already up[ -]to[ -]date\.?$",
            r"Everything up-to-date$",
            r"Switched to (?:a new )?branch ",
            r"[0-9a-f]{7,}\.\.[0-9a-f]{7,} +\S+ -> ",
            r"\* \[new (?:branch|tag)\] ",
            r"Successfully rebased and updated ",
        ),
    ),
    Tool("gh", (r"(?:.* failed: )?(?:GraphQL|HTTP [45]\d\d): ", r"You are not logged into any GitHub hosts")),
    Tool("wget", (r".*\bERROR [45]\d\d: ",), (r".* saved \[\d+(?:/\d+)?\]$",)),
    Tool("ssh", (r"(?:\S+: )?Permission denied \(publickey", r"Host key verification failed\.", r"rsync error: ")),
    Tool(
        "systemd", (r"Job for \S+ failed\b", r"Unit \S+ (?:could not be|not) found\.", r"Failed to \w+ \S+\.service: ")
    ),
    Tool("just, task", (r"error: Recipe .* failed\b", r"task: (?:Failed to run task|Task .* does not exist)")),
    Tool("alembic", (r"FAILED: (?!0\b)",)),
)

# Lines that end a command, unless a tool says afterwards that it succeeded: of the shell, of compilers, of linters.
SIGNS: tuple[str, ...] = (
    # bash: line 1: foo: command not found · zsh: command not found: foo · /bin/sh: 1: foo: not found
    r"(?:\S+: )*?(?:line \d+: |\d+: )?\S+: command not found$",
    r"(?:\S+ )?[Cc]ommand not found: \S",
    r"(?:\S*/)?(?:ba|z|da|k|a)?sh: .*(?:not found|No such file or directory|Permission denied|unbound variable)$",
    r"(?:\S*/)?(?:ba|z|da|k|a)?sh: .*\b(?:no matches found|syntax error|parse error|bad interpreter|cannot execute)\b",
    r"/\S+: (?:line )?\d+: \S+: (?:not found|Permission denied|No such file or directory|cannot execute.*)$",
    r"(?:fish: )?Unknown command:? \S",
    r"'.*' is not recognized as an internal or external command",
    r".{0,200}: The term '.*' is not recognized",
    r"Command '.*' not found|The program '.*' is currently not installed",
    r"(?:[Ee]rror: )?(?:unknown|unrecognized|unexpected|invalid|no such) (?:shorthand |sub)?(?:flag|option|command)\b",
    r"(?:Segmentation fault|Aborted|Bus error|Illegal instruction|Killed|Terminated)(?: \(core dumped\))?$",
    r"\S+: line \d+: +\d+ (?:Segmentation fault|Aborted|Bus error|Killed|Terminated)\b",
    r"\S+: line \d+: .*(?:unexpected E|unbound variable|syntax error|bad substitution|Permission denied)",
    r"(?:Execution halted|compilation terminated\.|BEGIN failed--compilation aborted.*)$",
    # python3: No module named pytest · pytest: error: unrecognized arguments · psql: error: connection …
    r"(?:\S*/)?python[\d.]*: (?:No module named|can't open file|can't find|Error while finding module)",
    r"(?:\S*/)?[\w.\-]+(?: [\w\-]+)?: (?:error|fatal|ERROR): \S",
    # a.c:3:5: error: … · A.java:3: error: … · x.go:5:2: undefined: … · a.py:1:1: F401 …
    r"\S.{0,200}?:\d+(?::\d+)?: (?:fatal |internal compiler )?error: ",
    r".{0,250}: undefined reference to ",
    r"(?:\S*/)?(?:ld|ld\.\w+|collect2|clang|gcc|g\+\+|cc1|rustc|javac): .*(?:error|not found|cannot find|returned 1)",
    r"error\[E\d+\]: ",
    r"(?:vet: )?(?:\.{0,2}/)?[^\s:]+\.go:\d+:\d+: \S",
    r"go: .*\b(?:cannot|not found|no such|unknown|missing|errors?|invalid|requires)\b",
    r"(?:\S+: )?no required module provides package ",
    r"package \S+ is not in (?:std|GOROOT)|package \S+: no Go files in |\S+: cannot find module providing ",
    r"[^\s:]+\.\w+:\d+:\d+: [A-Z]{1,5}\d{2,5}:? \S",
    r"e: (?:file:)?\S+\.kts?:",
    r"\S+:\d+:in .*: .* \([A-Z]\w*(?:::\w+)*\)$",
    r"== Compilation error in file ",
    r"\*\* \([A-Z]\w*(?:\.\w+)*\) ",
    # curl: (6) Could not resolve host · ERROR:  relation "x" does not exist · ERROR 1045 (28000): Access denied
    r"curl: \(\d+\) \S",
    r"(?:psql:\S* )?(?:ERROR|FATAL|PANIC): {2}\S",
    r"ERROR \d+ \(\w+\)(?: at line \d+)?: ",
    r"(?:(?:Parse|Runtime) error (?:near|in)|parse error:) ",
    r"Could not connect to Redis at ",
    r"E: \S",
    r"Exception in thread \".*\" \S",
    r"thread '.*' (?:\(\d+\) )?panicked at ",
    r"panic: \S",
    r"Fatal Python error: ",
)  # fmt: skip

# Errors that a program also prints and survives. They count near the end of an output, unless it goes on.
ENDINGS: tuple[str, ...] = (
    r"Traceback \(most recent call last\):|Error in .* : ",
    r"(?:Uncaught )?(?:[\w$]{1,60}\.){0,10}[A-Z]\w*(?:Error|Exception|Interrupt)(?: \[\w+\])?(?:: .*)?$",
    r"(?!ERROR: pip's dependency resolver)(?:Fatal error|fatal error|FATAL|Fatal|fatal|ERROR|Error|error): +\S",
    r"(?:.*\b)?(?:exit(?:ed with)?|returned)(?: a)?(?: non-zero)?(?: exit)? (?:code|status):? [1-9]\d*\b",
    r"\S+: .*(?:No such file or directory|Permission denied|Operation not permitted|Read-only file system)\.?$",
    r"\S+: .*(?:Address already in use|Connection refused|No space left on device)\.?$",
)
# What a program says last, if it gives up.
LAST_WORDS: tuple[str, ...] = (
    r"(?:Failed|failed|Unable|unable) to \w",
    r"(?:Cannot|cannot|Can't|can't|Could not|could not|Couldn't|couldn't) \w",
    r"(?:Error|ERROR|error) (?!handling)(?:while |when )?\w+ing\b",
)
_GOES_ON = re.compile(
    r".*\b(?:retry\w*|done|finished|succe\w+|complet\w+|recover\w+|continu\w+|listening|started|ready|saved|skipp\w+"
    r"|ignor\w+|fall(?:ing)? ?back|passed|INFO|DEBUG)\b",
    re.IGNORECASE,
)

# Lines that may follow the last error, or the success line: hints, notes, times.
ENDING_LINES = 20
# Where a program gives up, and where the last of several commands in a row says that it succeeded.
LAST_LINES = 3

# Programs that end with 1 to say no, which is an answer.
_ANSWERING = frozenset("grep egrep fgrep rg ag diff cmp test [ [[ which pgrep".split())
# The last command of a line that ends well whatever the one before did.
_ENDING_WELL = LOOKING | frozenset("tee : done fi esac } ) xargs".split())
# Commands that show what other programs wrote: only a complaint under the program's own name counts.
_SHOWING = tuple(
    "docker logs, kubectl logs, kubectl describe, podman logs, gh run view, gh pr view, gh pr diff, gh issue view, "
    "systemctl status, heroku logs, fly logs, git stash".split(", ")
)
_SHOWING_ALONE = (["journalctl"], ["dmesg"], ["watch"])
# pytest: no such option · ls: cannot access 'x': No such file or directory
_COMPLAINT = re.compile(r"(?:\S*/)?([\w.+\-\[]+)(?: [\w\-]+)?: (?:line )?(?:\d+: )?(.+)")
_TROUBLE = re.compile(
    r"no such|not found|cannot|can't|could not|couldn't|unable|failed|fatal|denied|refused|invalid|unrecognized"
    r"|unknown|illegal|missing|unexpected|unterminated|unmatched|not a |is a directory|too many|no rule|no module"
    r"|error|\S:\d+: |bad |requires|must |not permitted|no space|does not exist|syntax",
    re.IGNORECASE,
)
# Tools of these kinds print nothing but what they do. If all they say is that something is missing, they failed.
_OWN_WORDS: frozenset[CommandKind] = frozenset(
    {"test", "lint", "format", "build", "install", "migrate", "deploy", "git"}
)
_GIVES_UP = re.compile(
    r"(?!(?:npm )?(?:warn|note|info|hint|notice)).*\b(?:not found|no such|cannot|can't|could not|couldn't|unable to"
    r"|denied|refused|does not exist|doesn't exist|is not (?:installed|running|available)|unexpected error"
    r"|not logged in)\b",
    re.IGNORECASE,
)
# `make; echo "exit: $?"`
_PRINTS_CODE = re.compile(r"echo\b.*\$(?:\?|\{?PIPESTATUS)")
_PRINTED_CODE = re.compile(
    r"\W*(?:(?:exit|rc|ret|status|return|code|result)\w*(?:[ _](?:code|status))?\W{0,4})?(\d{1,3})\W*$", re.IGNORECASE
)

# A command that cannot be run as it was written, whatever the code does: unknown program, option, task or file.
_MISUSE = re.compile(
    r"command not found|: not found|exit status 12[67]\b|no module named|modulenotfounderror|is not recognized"
    r"|(?:unknown|unrecognized|unsupported|unexpected|invalid|no such|requires an?) (?:command|subcommand|option|flag"
    r"|argument|shorthand|choice|file or directory|service)|missing script|no rule to make target|not an? \w+ command"
    r"|not a git repository|can't open file|could not find a p|does not contain recipe|usage:|externally-managed"
    r"|permission denied|cannot find module",
    re.IGNORECASE,
)


def by_exit_code(command: str, code: int) -> bool | None:
    """Tell whether a command failed by its exit code; None if the code is that of something else on the line.

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
    """Return how a command ended as far as its output proves it."""
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


def is_misuse(told: str) -> bool:
    """Tell whether an error says that a command was written wrongly, rather than that the code is wrong."""
    return _MISUSE.search(told[:TOLD_CHARACTERS]) is not None


def _judged(lines: Sequence[str], names: frozenset[str], proven_from: int) -> Outcome:
    """Return what lines prove; a success line counts from a line on, and takes back the errors before it."""
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
    """Return the tables as one pattern each; compiled when an output is first read, since hooks start often."""
    failed = [pattern for tool in TOOLS for pattern in tool.failed]
    passed = [pattern for tool in TOOLS for pattern in tool.passed]
    return tuple(re.compile("|".join(table)) for table in (failed, passed, SIGNS, ENDINGS, LAST_WORDS))


def _complains(line: str, names: frozenset[str]) -> bool:
    """Tell whether a program of a command says under its own name what is wrong, or a shell does not find it."""
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
    """Return the name of the program that a part runs; that of an interpreter for `python3 -m pytest`."""
    words = part.strip("() ").split()
    while words and ("=" in words[0] or words[0] in ("sudo", "time", "exec", "command", "env", "nice", "nohup")):
        words = words[1:]
    return words[0].rsplit("/", 1)[-1] if words else ""
