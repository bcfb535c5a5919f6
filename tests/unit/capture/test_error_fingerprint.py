"""The same error has the same fingerprint, whenever and wherever it happens; another one has another."""

from __future__ import annotations

import re

import pytest

from recollect.capture.error_fingerprint import failure, normal, same_command, shows_another, telling

TRACEBACK = """Traceback (most recent call last):
  File "/home/{user}/shop/price.py", line {line}, in gross
    return net * RATES[country]
           ~~~~~^^^^^^^^^
KeyError: 'se'
"""
MSBUILD = "src/{file}(6,43): error {rule}"
DOTNET = "Failed {test} [{time} ms]\n  orders.Open() should be empty but had 1 item\nFailed!  1 of {all}"
RUBOCOP = "{file}: C: {rule}\n1 offense detected"
SAME = (
    (TRACEBACK.format(user="ann", line=7), TRACEBACK.format(user="bob", line=312)),
    ("src/a.c:3:5: error: expected ';' before '}' token", "/tmp/b7/src/a.c:41:9: error: expected ';' before '}' token"),
    ("[2026-01-02 03:04:05] ERROR: lost worker 17", "[2027-11-12 13:14:15,999] ERROR: lost worker 4711"),
    ("Error: object 0x7ffe12ab is gone", "Error: object 0x00dead00 is gone"),
    ("fatal: bad object 3f2a9c1d", "fatal: bad object 00ffab12cd"),
    ("\x1b[31mError: no route\x1b[0m", "Error: no route"),
    ("Error: GET http://localhost:8000/a?id=1 failed", "Error: GET http://127.0.0.1:9/b failed"),
    ("shop/cart.py:1:8: F401 [*] `os` imported but unused", "shop/tax.py:9:8: F401 [*] `os` imported but unused"),
    (RUBOCOP.format(file="app/loan.rb:10:11", rule="Rails/TimeZone: Do not use Time.now without zone."),
     RUBOCOP.format(file="app/fee.rb:9:7", rule="Rails/TimeZone: Do not use Time.now without zone.")),
    (MSBUILD.format(file="Box.cs", rule="CA1062: In method 'bool Box.IsWarm(Log log)', validate parameter 'log'"),
     MSBUILD.format(file="Bed.cs", rule="CA1062: In method 'void Bed.Make(Kit kit)', validate parameter 'kit'")),
    (DOTNET.format(test="a draft is not billed", time=31, all=99),
     DOTNET.format(test="a draft is not billed", time=29, all=104)),
)  # fmt: skip
DIFFERENT = (
    ("KeyError: 'se'", "KeyError: 'dk'"),
    ("ModuleNotFoundError: No module named 'yaml'", "ModuleNotFoundError: No module named 'toml'"),
    ("cp: /etc/shop/Cargo.toml: No such file or directory", "cp: /etc/shop/package.json: No such file or directory"),
    ("error[E0425]: cannot find value `x`", "error[E0433]: cannot find value `x`"),
    (RUBOCOP.format(file="app/loan.rb:10:11", rule="Rails/TimeZone: Do not use Time.now without zone."),
     RUBOCOP.format(file="app/fee.rb:3:3", rule="Metrics/MethodLength: Method has too many lines. [14/10]")),
    (MSBUILD.format(file="Box.cs", rule="CS0103: The name 'logger' does not exist in the current context"),
     MSBUILD.format(file="Box.cs", rule="CS0103: The name 'minutes' does not exist in the current context")),
    (DOTNET.format(test="a draft is not billed", time=31, all=99),
     DOTNET.format(test="a refund is billed", time=31, all=99)),
)  # fmt: skip


@pytest.mark.parametrize(("first", "second"), SAME)
def test_an_error_is_recognised_again(first: str, second: str) -> None:
    assert failure(first).fingerprint == failure(second).fingerprint


@pytest.mark.parametrize(("first", "second"), DIFFERENT)
def test_other_errors_are_told_apart(first: str, second: str) -> None:
    assert failure(first).fingerprint != failure(second).fingerprint


EXUNIT = """  1) test join (RoomTest)
     ** (ArgumentError) unknown registry: R
     stacktrace:
       (chat 0.1.0) lib/room.ex:2: Room.join/1"""


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (TRACEBACK.format(user="ann", line=7), ["KeyError: 'se'"]),
        ("a.c:1:1: error: x\na.c:2:2: error: y\nmake: *** [all] Error 1", ["a.c:1:1: error: x", "a.c:2:2: error: y"]),
        ("bash: frobnicate: command not found", ["bash: frobnicate: command not found"]),
        ("error: no route\nmake[1]: *** [Makefile:4: up] Error 1", ["error: no route"]),
        ("make: *** [Makefile:4: up] Error 1", ["make: *** [Makefile:4: up] Error 1"]),
        (DOTNET.format(test="a draft is not billed", time=31, all=9), ["Failed a draft is not billed [31 ms]"]),
        (EXUNIT, ["** (ArgumentError) unknown registry: R"]),
        ("╷\n│ Error: No such input variable\n│\n│   on main.tf line 2\n╵", ["Error: No such input variable"]),
        ("No tests found, exiting with code 1\nRun with `--pass`", ["No tests found, exiting with code 1"]),
        ("all is well\n12 passed", []),
    ],
)  # fmt: skip
def test_the_lines_that_tell_an_error_are_found(output: str, expected: list[str]) -> None:
    assert telling(output)[: len(expected) or 1] == expected


@pytest.mark.parametrize(
    ("message", "is_another"),
    [
        ("CI is red\n2026-11-17T10:02:14.2Z E   ModuleNotFoundError: No module named 'yaml'", False),
        ("CI is red\n2026-11-17T10:02:14.2Z E   AssertionError: assert 19 == 20\n1 failed", True),
        ("CI is red, the tests fail with the error that yaml is missing", False),
        ("CI is red\n12 passed", False),
        ("", False),
    ],
)
def test_a_pasted_log_shows_the_known_error_or_another(message: str, is_another: bool) -> None:
    known = "`pytest -q` failed (exit status 1): E ModuleNotFoundError: No module named 'yaml'\nWhat fixed it: x"
    assert shows_another(message, known) is is_another


# Outputs of tools that failed, with the lines that say why, and where, marked.
OUTPUTS = """
» up is retired, use run
make: *** [Makefile:4: up] Error 1
====
cc -o app app.c
» make: *** [Makefile:4: build] Error 1
====
./gen.sh > out.h
» make[1]: *** [Makefile:3: out.h] Error 2
make[1]: Leaving directory '/app/sub'
make: *** [Makefile:7: all] Error 2
====
go test ./...
» --- FAIL: TestTotal (0.00s)
» cart_test.go:14: got 5, want 6
FAIL
FAIL example.com/shop 0.01s
make: *** [Makefile:9: test] Error 1
====
» a.c:(.text+0x9): undefined reference to `foo'
collect2: error: ld returned 1 exit status
====
[INFO] Compiling 14 source files
[ERROR] COMPILATION ERROR :
» [ERROR] /app/Cart.java:[12,9] cannot find symbol
[INFO] BUILD FAILURE
[INFO] Total time:  3.2 s
[ERROR] Failed to execute goal x:compile (default-compile) on project shop: Compilation failure
[ERROR] /app/Cart.java:[12,9] cannot find symbol
[ERROR] -> [Help 1]
====
[ERROR] Failures:
» [ERROR] CartTest.total:14 expected: <5> but was: <6>
[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 0
[ERROR] Failed to execute goal x:test (default-test) on project shop: There are test failures.
====
» [INFO] BUILD FAILURE
[INFO] Total time: 3 s
====
> Task :test FAILED
» CartTest > total() FAILED
3 tests completed, 1 failed
FAILURE: Build failed with an exception.
* What went wrong:
Execution failed for task ':test'.
> There were failing tests. See the report at: file:///app/build/index.html
* Try:
> Run with --scan to get full insights.
BUILD FAILED in 4s
3 actionable tasks: 1 executed, 2 up-to-date
====
FAILURE: Build failed with an exception.
* What went wrong:
A problem occurred evaluating root project 'shop'.
» > Could not get unknown property 'version' for root project 'shop'.
BUILD FAILED in 1s
====
» FAILURE: Build failed with an exception.
* What went wrong:
====
» 1) CartTest::testTotal
» Failed asserting that 6 matches expected 5.
FAILURES!
Tests: 3, Assertions: 3, Failures: 1.
====
» E501 Line too long (120 > 100)
» --> a.py:3:1
Found 1 error.
====
» shop/cart.py:1:8: F401 [*] `os` imported but unused
Found 1 error.
[*] 1 fixable with the `--fix` option.
"""


@pytest.mark.parametrize("output", OUTPUTS.split("====\n"))
def test_the_line_that_says_why_tells_more_than_the_last(output: str) -> None:
    why = [line[2:] for line in output.splitlines() if line.startswith("» ")]
    assert failure(output.replace("» ", "")).message.splitlines() == why


def test_the_same_assertion_in_another_test_is_another_error() -> None:
    outputs = OUTPUTS.replace("» ", "").split("====\n")
    other = [re.sub(r"(?i)(?<=test)total|(?<=test\.)total|total(?=\()|a(?=\.py)", "sum", text) for text in outputs]
    changed = [(one, two) for one, two in zip(outputs, other, strict=True) if one != two]
    assert len(changed) == 5
    assert all(failure(one).fingerprint != failure(two).fingerprint for one, two in changed)


def test_a_silent_failure_is_known_by_its_command_and_code() -> None:
    silent = failure("", "make lint", 2)
    assert silent.message == "exit status 2"
    assert silent.fingerprint == failure("", "make lint", 2).fingerprint
    assert silent.fingerprint != failure("", "make lint", 3).fingerprint
    assert silent.fingerprint != failure("", "make test", 2).fingerprint


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q tests",
        "cd /nowhere/shop && pytest -q tests",
        "CI=1 DEBUG=x pytest  -q tests",
        "pytest -q tests 2>&1 | tail -20",
        "  pytest -q\n tests ",
    ],
)
def test_a_command_is_the_same_however_it_is_dressed(command: str) -> None:
    assert same_command(command) == "pytest -q tests"


@pytest.mark.parametrize(
    "text", ["a." * 40_000, "=" * 80_000, "1" * 80_000, "/a" * 40_000, "\x1b[" * 40_000, "Error " * 9_000]
)
def test_no_output_takes_long(text: str) -> None:
    assert failure(text, text).fingerprint
    assert normal(text[:300])
