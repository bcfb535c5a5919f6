"""Commands that run given tests and no others, by test runner.

A runner is a row: its languages, the files that show that a project uses it, and how it names tests.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from recollect.code.code_records import RunTests

# Tests named in a command; for more, whole files are run.
MOST_NAMED = 40
# Files named in a command; for more, their folders.
MOST_FILES = 40


class Trial(NamedTuple):
    """A test to run: its file, language and qualified name; empty for the whole file."""

    path: str
    language: str
    name: str = ""


Words = Callable[[Sequence[Trial]], list[str]]


class Runner(NamedTuple):
    """A test runner.

    marks: names of files, in the root or in the folder of a package; one of them must exist
    """

    name: str
    languages: frozenset[str]
    marks: tuple[str, ...]
    words: Words
    paths: str = ""  # only test files whose path fits


def commands(trials: Iterable[Trial], names: frozenset[str]) -> tuple[RunTests, ...]:
    """Return the commands that run tests, in the order of their first test.

    names: names of the files in the root and beside manifests, which show the tools of the project
    """
    chosen: dict[str, list[Trial]] = {}
    for trial in dict.fromkeys(trials):
        runner = _runner(trial, names)
        if runner is not None:
            chosen.setdefault(runner.name, []).append(trial)
    found = []
    for name, tests in chosen.items():
        words = BY_NAME[name].words(tests)
        found.append(RunTests(command=" ".join(words), runner=name, tests=len(tests)))
    return tuple(found)


def _runner(trial: Trial, names: frozenset[str]) -> Runner | None:
    for runner in RUNNERS:
        fits = not runner.paths or re.search(runner.paths, trial.path)
        if trial.language in runner.languages and fits and (not runner.marks or names & set(runner.marks)):
            return runner
    return None


def _files(tests: Sequence[Trial]) -> list[str]:
    """Return the files of tests, or their folders if there are many."""
    files = list(dict.fromkeys(trial.path for trial in tests))
    if len(files) <= MOST_FILES:
        return files
    return list(dict.fromkeys(posixpath.dirname(path) or "." for path in files))


def _pytest(tests: Sequence[Trial]) -> list[str]:
    whole = {trial.path for trial in tests if not trial.name}
    named = [trial for trial in tests if trial.path not in whole]
    if len(named) > MOST_NAMED:
        return ["pytest", *map(shlex.quote, _files(tests))]
    nodes = [f"{trial.path}::{trial.name.replace('.', '::')}" for trial in named]
    return ["pytest", *map(shlex.quote, [*nodes, *_files([trial for trial in tests if trial.path in whole])])]


def _by_file(*before: str) -> Words:
    return lambda tests: [*before, *map(shlex.quote, _files(tests))]


def _go(tests: Sequence[Trial]) -> list[str]:
    folders = dict.fromkeys("./" + (posixpath.dirname(trial.path) or ".") for trial in tests)
    names = list(dict.fromkeys(trial.name.rpartition(".")[2] for trial in tests if trial.name))
    packages = [folder.replace("/./", "/").removesuffix("/.") for folder in folders]
    if not names or len(names) > MOST_NAMED or any(not trial.name for trial in tests):
        return ["go", "test", *map(shlex.quote, packages)]
    return ["go", "test", *map(shlex.quote, packages), "-run", shlex.quote(f"^({'|'.join(names)})$")]


def _cargo(tests: Sequence[Trial]) -> list[str]:
    names = list(dict.fromkeys(re.split(r"::|\.", trial.name)[-1] for trial in tests if trial.name))
    if not names or len(names) > MOST_NAMED or any(not trial.name for trial in tests):
        return ["cargo", "test"]
    return ["cargo", "test", "--", *map(shlex.quote, names)]


def _classes(tests: Sequence[Trial]) -> dict[str, list[str]]:
    """Return the methods of each test class of a JVM language; none means all."""
    found: dict[str, list[str]] = {}
    whole: dict[str, list[str]] = {}
    for trial in tests:
        owner, _, method = trial.name.rpartition(".")
        stem = posixpath.basename(trial.path).partition(".")[0]
        if method[:1].isupper() or not owner:
            whole[method if method[:1].isupper() else stem] = []
        else:
            found.setdefault(owner.rpartition(".")[2], []).append(method)
    return found | whole


def _maven(tests: Sequence[Trial]) -> list[str]:
    parts = [f"{name}#{'+'.join(methods)}" if methods else name for name, methods in _classes(tests).items()]
    return ["mvn", "test", shlex.quote(f"-Dtest={','.join(parts)}")]


def _gradle(tests: Sequence[Trial]) -> list[str]:
    found = _classes(tests).items()
    parts = [f"*{name}.{method}" for name, methods in found for method in methods]
    whole = [f"*{name}" for name, methods in found if not methods]
    return ["gradle", "test", *(word for part in (*parts, *whole) for word in ("--tests", shlex.quote(part)))]


def _dotnet(tests: Sequence[Trial]) -> list[str]:
    names = dict.fromkeys(trial.name or posixpath.basename(trial.path).partition(".")[0] for trial in tests)
    terms = "|".join(f"FullyQualifiedName~{name}" for name in list(names)[:MOST_NAMED])
    return ["dotnet", "test", "--filter", shlex.quote(terms)]


def _named(start: str, ends: str) -> tuple[str, ...]:
    return tuple(start + end for end in ends.split())


SCRIPT = frozenset({"javascript", "typescript", "tsx"})
JVM = frozenset({"java", "kotlin", "scala"})

# The first runner whose marks exist runs a test.
RUNNERS: tuple[Runner, ...] = (
    Runner("pytest", frozenset({"python"}), (), _pytest, r"\.py$"),
    Runner("vitest", SCRIPT, _named("vitest.config.", "ts mts js mjs"), _by_file("npx", "vitest", "run")),
    Runner("jest", SCRIPT, _named("jest.config.", "js ts mjs cjs json"), _by_file("npx", "jest")),
    Runner("mocha", SCRIPT, _named(".mocharc.", "js json yml yaml cjs"), _by_file("npx", "mocha")),
    # package.json names the runner.
    Runner("npm", SCRIPT, ("package.json",), _by_file("npm", "test", "--")),
    Runner("go", frozenset({"go"}), ("go.mod",), _go),
    Runner("cargo", frozenset({"rust"}), ("Cargo.toml",), _cargo),
    Runner("maven", JVM, ("pom.xml",), _maven),
    Runner("gradle", JVM, ("build.gradle", "build.gradle.kts"), _gradle),
    Runner("rspec", frozenset({"ruby"}), ("Gemfile", ".rspec"), _by_file("bundle", "exec", "rspec"), r"_spec\.rb$"),
    Runner("phpunit", frozenset({"php"}), ("composer.json", "phpunit.xml"), _by_file("vendor/bin/phpunit")),
    Runner("dotnet", frozenset({"csharp"}), (), _dotnet),
    Runner("mix", frozenset({"elixir"}), ("mix.exs",), _by_file("mix", "test"), r"_test\.exs$"),
    Runner("bats", frozenset({"bash"}), (), _by_file("bats"), r"\.bats$"),
)  # fmt: skip
BY_NAME = {runner.name: runner for runner in RUNNERS}
