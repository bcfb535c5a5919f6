"""Commands: what each is for, which worked, and which variants failed before."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.capture.invocation import COMMAND_KINDS, RULES, invocation, kind
from recollect.model import KnownCommand
from recollect.patterns.known_commands import HALF_LIFE_S, Moment, Run, known_commands, replaced

NOW = 1_767_000_000


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("pytest -q", "test"), ("uv run pytest tests", "test"), (".venv/bin/python -m pytest", "test"),
        ("npm test", "test"), ("npm run test:unit", "test"), ("make -j8 check-e2e", "lint"), ("go test ./...", "test"),
        ("cargo test && git commit -m x", "test"), ("npm ci && npm test", "test"),
        ("make", "build"), ("npm run build", "build"), ("docker build .", "build"), ("./gradlew assemble", "build"),
        ("python -m build", "build"), ("tsc", "build"), ("tsc --noEmit", "lint"),
        ("ruff check .", "lint"), ("ruff format .", "format"), ("make lint", "lint"), ("cargo fmt", "format"),
        ("npx prettier --write .", "format"), ("pre-commit run -a", "lint"),
        ("docker compose up -d", "run"), ("npm run dev", "run"), ("python app.py", "run"), ("./server", "run"),
        ("python manage.py migrate", "migrate"), ("alembic upgrade head", "migrate"), ("rails db:migrate", "migrate"),
        ("pip install -e .", "install"), ("yarn", "install"), ("uv sync", "install"), ("go mod tidy", "install"),
        ("kubectl apply -f k8s", "deploy"), ("./scripts/deploy.sh prod", "deploy"), ("npm publish", "deploy"),
        ("git push origin fix-tests", "git"), ("gh pr create --fill", "git"), ("gh release create v1", "deploy"),
        ("pnpm vitest run", "test"), ("yarn eslint .", "lint"),
        ("cargo +nightly test", "test"), ("docker compose -f deploy/compose.yaml up -d", "run"),
        ("kubectl -n shop apply -f k8s", "deploy"), ("npm --prefix web test", "test"), ("git -C web push", "git"),
        ("psql -c 'select 1'", "other"), ("redis-cli ping", "other"), ("", "other"),
    ],
)  # fmt: skip
def test_what_a_command_is_for(command: str, expected: str) -> None:
    assert kind(command) == expected


def test_every_kind_has_rules_or_needs_none() -> None:
    assert {rule.kind for rule in RULES} | {"git", "other"} == set(COMMAND_KINDS)


def test_an_invocation_is_told_apart_from_its_folder_its_output_and_messages() -> None:
    found = invocation("cd web && CI=1 pnpm test --run 2>&1 | tail -5", "packages")
    assert found == ("CI=1 pnpm test --run", "packages/web", "test")
    assert invocation("cd .. && make", "web") == ("make", "", "build")
    assert invocation("cd /elsewhere && make") == ("make", "/elsewhere", "build")
    assert invocation('git commit -m "long words"') == ("git commit -m …", "", "git")


@pytest.mark.parametrize("line", ["", "  ", "cat <<EOF\nx\nEOF", "for x in a; do\n echo $x\ndone", "make " + "x" * 400])
def test_what_nobody_runs_again_is_no_invocation(line: str) -> None:
    assert invocation(line) is None


class Log:
    """Runs, one a minute, in one session unless told otherwise."""

    def __init__(self) -> None:
        self.runs: list[Run] = []
        self.edits: dict[str, list[Moment]] = {}

    def run(self, line: str, *, worked: bool = True, times: int = 1, session: str = "a", **more: Any) -> None:
        for _ in range(times):
            number = len(self.runs)
            values = {"id": str(number), "at": NOW + 60 * number, "namespace": "/app", "directory": "", **more}
            values = {"told": "" if worked else f"{line} failed", **values}
            self.runs.append(Run(session=session, line=line, worked=worked, **values))

    def edit(self, session: str = "a") -> None:
        self.edits.setdefault(session, []).append((NOW + 60 * len(self.runs) - 30, ""))

    def known(self, now: int = NOW) -> list[KnownCommand]:
        return known_commands(self.runs, self.edits, now)


def test_commands_that_worked_are_ranked_by_how_surely_and_how_lately() -> None:
    log = Log()
    log.run("make test", times=10)
    log.run("make test", worked=False)
    log.run("npm test", times=2)
    log.run("make fails", worked=False, times=5)
    log.run("ls -la", times=9)
    first, second = log.known()
    assert (first.command, first.kind, first.successes, first.failures) == ("make test", "test", 10, 1)
    assert second.command == "npm test"
    log.run("cargo test", times=10, at=NOW - 2 * HALF_LIFE_S)
    assert [row.command for row in log.known()] == ["make test", "npm test", "cargo test"]
    assert log.known()[2].score == pytest.approx(0.7225 / 4, abs=0.001)


def test_a_variant_that_failed_just_before_is_linked_to_what_worked() -> None:
    log = Log()
    log.run("pytest -q tests", worked=False, times=2)
    log.run("cat pyproject.toml")
    log.run("uv run pytest -q tests")
    (found,) = log.known()
    assert found.command == "uv run pytest -q tests"
    (variant,) = found.failed
    assert (variant.command, variant.failures, variant.error) == ("pytest -q tests", 2, "pytest -q tests failed")


@pytest.mark.parametrize(
    ("wrong", "told", "right"),
    [
        ("cargo test", "error: could not find `Cargo.toml` in `/app` or any parent directory", "cd rust && cargo test"),
        ("go test ./...", "go: cannot find main module", "cd svc && go test ./..."),
        ("psql -l", "psql: error: connection refused", "docker compose exec -T db psql -l"),
    ],
)
def test_the_folder_or_the_container_of_a_command_may_be_what_was_wrong(wrong: str, told: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False, told=told)
    log.run(right)
    (found,) = log.known()
    assert [each.command for each in found.failed] == [wrong]


@pytest.mark.parametrize(
    ("wrong", "told", "right"),
    [
        (
            "alembic upgrade head",
            "FAILED: No config file 'alembic.ini' found, or file has no '[alembic]' section",
            "alembic -c migrations/alembic.ini upgrade head",
        ),
        (
            "alembic -c migrations/alembic.ini upgrade head",
            "FAILED: Path doesn't exist: 'migrations/alembic'.",
            "alembic upgrade head",
        ),
        ("git push", "fatal: not a git repository (or any of the parent directories): .git", "git -C web push"),
        ("docker compose up -d", "no configuration file provided: not found", "docker compose -f ops/dev.yaml up -d"),
        ("docker compose -f dev.yaml up", "open /app/dev.yaml: no such file or directory", "docker compose up"),
        (
            "kubectl rollout restart deploy/web",
            'Error from server (NotFound): deployments.apps "web" not found',
            "kubectl -n shop rollout restart deploy/web",
        ),
        ("npm test", "npm error enoent Could not read package.json", "npm --prefix web test"),
        ("make dist", "make: *** No rule to make target 'dist'.  Stop.", "make -C web dist"),
        ("cargo +nightly test", "error: toolchain 'nightly-x86_64-unknown-linux-gnu' is not installed", "cargo test"),
        ("terraform plan", "Error: No configuration files", "terraform -chdir=infra plan"),
        ("make", "make: *** No targets specified and no makefile found.  Stop.", "make -C firmware"),
        (
            "cargo build --target wasm32",
            "error: the option `Z` is only accepted on the nightly compiler",
            "cargo +nightly build --target wasm32",
        ),
    ],
)
def test_the_options_before_a_subcommand_may_be_what_was_wrong(wrong: str, told: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False, told=told)
    log.run(right)
    (found,) = log.known()
    assert (found.command, [each.command for each in found.failed]) == (right, [wrong])


def test_other_options_before_a_subcommand_do_not_replace_a_command_that_was_right() -> None:
    log = Log()
    log.run("make -C web test", worked=False, told="FAILED tests/test_cart.py::test_total - assert 1 == 2")
    log.run("git push", worked=False, told="! [rejected] main -> main (fetch first)")
    log.run("make test")
    log.run("git -C web push")
    log.run("git -C web commit")
    assert all(found.failed == () for found in log.known())


def test_a_failure_says_nothing_of_its_command_if_files_were_changed_or_it_works_itself() -> None:
    log = Log()
    log.run("pytest -q tests", worked=False)
    log.edit()
    log.run("pytest -x tests")
    assert [row.failed for row in log.known()] == [()]
    log.run("pytest -v tests", worked=False)
    log.run("pytest -x tests")
    log.run("pytest -v tests")
    assert [row.failed for row in log.known()] == [(), ()]


def test_what_failed_in_another_session_or_was_for_something_else_is_not_linked() -> None:
    log = Log()
    log.run("npm run build", worked=False, session="b")
    log.run("docker push shop", worked=False)
    log.run("pnpm run build")
    assert [row.failed for row in log.known()] == [()]


def test_projects_and_folders_keep_their_commands_apart() -> None:
    log = Log()
    log.run("make test")
    log.run("make test", directory="web")
    log.run("cd web && make test")
    log.run("make test", namespace="/lib")
    found = {(row.namespace, row.directory): row.successes for row in log.known()}
    assert found == {("/app", ""): 1, ("/app", "web"): 2, ("/lib", ""): 1}


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("node test/run.mjs", "node --experimental-vm-modules test/run.mjs"),
        ("python3 tools/seed.py", "python3 -u tools/seed.py"),
        ("pip install -r requirements.txt", "uv pip install -r requirements.txt"),
        ("go test ./...", "nix develop -c go test ./..."),
        ("psql shop", "psql -U shop shop"),
        ("npm install", "npm install --legacy-peer-deps"),
        ("psql shop", "psql -h localhost -p 6543 shop"),
        ("kubectl apply -f k8s", "kubectl apply -n shop -f k8s"),
    ],
)
def test_a_wrapper_or_further_options_may_be_what_was_missing(wrong: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False)
    log.run(right)
    assert [(row.command, [each.command for each in row.failed]) for row in log.known()] == [(right, [wrong])]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("cargo run", "cargo run --help"),
        ("pytest tests", "pytest tests -k fast"),
        ("git push", "git push --force"),
        ("curl http://localhost:8000", "curl -s http://localhost:8000"),
        ("tox -e lint", "pip install tox -e lint && tox -e lint"),
        ("psql shop", "psql -U shop bakery"),
        ("psql shop", "psql -h"),
        ("make seed", "make -n seed"),
        ("psql -p 5432 shop", "psql -p 6543 shop"),
    ],
)
def test_help_a_selection_or_another_task_replaces_nothing(wrong: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False)
    log.run(right)
    assert all(not row.failed for row in log.known())


def test_further_options_replace_nothing_if_another_command_may_have_helped() -> None:
    log = Log()
    log.run("psql shop", worked=False)
    log.run("createdb shop")
    log.run("psql -U shop shop")
    assert all(not row.failed for row in log.known())


NO_SCRIPT = 'npm error Missing script: "test"'
NO_RULE = "make: *** No rule to make target 'test'.  Stop."
REFUSED = "connection to server at localhost, port 5432 failed: Connection refused"


@pytest.mark.parametrize(
    ("wrong", "error", "right"),
    [
        ("npm test", NO_SCRIPT, "pnpm vitest run"),
        ("npm test", NO_SCRIPT, "npx jest"),
        ("npm test", NO_SCRIPT, "make check"),
        ("make test", NO_RULE, "make check"),
        ("make test", NO_RULE, "uv run pytest -q"),
        ("just test", "error: Justfile does not contain recipe `test`.", "go test ./..."),
        ("make format", "make: *** No rule to make target 'format'.  Stop.", "ruff format ."),
        ("pytest -q", "bash: pytest: command not found", "make test"),
        ("python3 -m pytest", "/usr/bin/python3: No module named pytest", "make test"),
        ("npm run seed", 'npm error Missing script: "seed"', "make seed"),
        ("psql -p 5432 shop", f"psql: error: {REFUSED}", "psql -p 6543 shop"),
        ("curl http://localhost:3000/up", "curl: (7) Failed to connect to localhost", "curl http://localhost:8080/up"),
    ],
)
def test_what_does_not_exist_is_replaced_by_the_next_for_the_same_job(wrong: str, error: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 2): {error}")
    log.run("cat Makefile")
    log.run(right)
    assert [(row.command, [each.command for each in row.failed]) for row in log.known()] == [(right, [wrong])]


@pytest.mark.parametrize(
    ("wrong", "error", "right"),
    [
        ("make test", "FAILED tests/a.py::test_x - assert 1 == 2", "make check"),
        ("make test", "FAILED tests/a.py::test_x - assert 1 == 2", "pytest -q"),
        ("make test", NO_RULE, "make build"),
        ("make test", NO_RULE, "ruff check ."),
        ("make build", "make: *** No rule to make target 'app.o', needed by 'app'.  Stop.", "docker build ."),
        ("make test", "make: *** No rule to make target 'app.o', needed by 'test_app'.  Stop.", "pytest -q"),
        ("npm test", "sh: 1: vitest: not found", "npx playwright test"),
        ("npm test", NO_SCRIPT, "npm run check"),
        ("npm test", NO_SCRIPT, "pytest -q"),
        ("pytest -q", "bash: pytest: command not found", "npm test"),
        ("pytest -q", "bash: pytest: command not found", "go test ./..."),
        ("pytest -q", "ModuleNotFoundError: No module named 'pytest_mock'", "make test"),
        ("ruff check .", "bash: ruff: command not found", "make lint"),
        ("npm run lint", 'npm error Missing script: "lint"', "npx tsc --noEmit"),
        ("curl http://localhost:3000/a/1", "curl: (7) Failed to connect", "curl http://localhost:3000/a/2"),
        ("psql shop", f"psql: error: {REFUSED}", "psql bakery"),
        ("pytest -k db --port 1", f"E   OperationalError: {REFUSED}", "pytest -k db --port 2"),
    ],
)
def test_another_job_replaces_nothing(wrong: str, error: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 2): {error}")
    log.run(right)
    assert all(not row.failed for row in log.known())


MISPLACED = [
    ("go build", "no Go files in /w", "go build ./cmd/lobby"),
    ("pytest", "==== no tests ran in 0.01s ====", "pytest src/tests"),
    ("pytest", "==== no tests ran in 0.01s ====", "cd api && pytest"),
    ("npx jest src/cart", "No tests found, exiting with code 1", "npx jest packages/cart"),
    ("mix test test/room", "Paths given did not match any directory/file: test/room", "mix test apps/chat/test/room"),
    ("cmake --build build", "Error: /app/build is not a directory", "cmake --build --preset dev"),
    ("cmake --build --preset old", 'CMake Error: No such build preset in /app: "old"', "cmake --build --preset dev"),
    ("ninja -C out", "Error: no such thing as out here", "ninja -C build"),
    ("pytest tests/card.py", "ERROR: file or directory not found: tests/card.py", "pytest tests/cart.py -x"),
    ("cargo test -p shpo", "error: package ID specification `shpo` did not match any packages", "cargo test -p shop"),
    ("make tests", "make: *** No rule to make target 'tests'.  Stop.", "make check"),
    ("mix format --check", '** (Mix) Could not invoke task "format": 1 error found!', "mix format --check-formatted"),
    (
        "mix phx.gen.migration a",
        '** (Mix) The task "phx.gen.migration" could not be found.',
        "mix ecto.gen.migration a",
    ),
]


@pytest.mark.parametrize(("wrong", "error", "right"), MISPLACED)
def test_what_is_not_there_is_replaced_by_what_the_next_command_names(wrong: str, error: str, right: str) -> None:
    log = Log()
    log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 2): {error}")
    log.run("ls")
    log.run(right)
    command = right.removeprefix("cd api && ")
    assert [(row.command, [each.command for each in row.failed]) for row in log.known()] == [(command, [wrong])]
    assert replaced(log.runs, log.edits) == set(), "no memory of the success is left"
    log.runs[-1] = log.runs[-1]._replace(memory_id="m")
    log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 2): {error}", session="b")
    log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 1): E   assert 1 == 2", fingerprint="f")
    assert replaced(log.runs, log.edits) == {log.runs[0].id, log.runs[3].id}


@pytest.mark.parametrize(
    ("wrong", "error", "right"),
    [
        ("cargo build -p core", "error: could not compile `core` (lib) due to 1 previous error", "cargo build -p web"),
        ("cargo build -p core", "error[E0583]: file not found for module `core`", "cargo build -p web"),
        ("pytest tests/a.py", "FAILED tests/a.py::test_x - assert 1 == 2", "pytest tests/b.py"),
        ("pytest tests/a.py", "E   AssertionError: no files found in tests/a.py", "pytest tests/b.py"),
        ("pytest", "=== 1 failed, 30 passed in 0.2s ===", "pytest -k fast"),
        ("pytest", "no tests ran in 0.01s", "pytest --version tests"),
        ("pytest", "no tests ran in 0.01s", "pytest -x"),
        ("pytest --cov", "=== 1 failed, 30 passed in 0.2s ===", "pytest --cov-report=html"),
        ("npm test -- --watch", "Tests: 1 failed, 2 passed, 3 total", "npm test -- --silent"),
        ("gcc main.c", "main.c:3:5: error: main not found", "gcc other.c"),
        ("npx tsc -p web", "web/src/a.ts(3,5): error TS2304: Cannot find name 'web'.", "npx tsc -p api"),
        (
            "docker build -t web .",
            "ERROR: failed to solve: process did not complete: exit code: 1",
            "docker build -t a .",
        ),
        ("cd web && terraform apply", "Error: creating bucket (web): BucketExists", "cd infra && terraform apply"),
        ("cmake --build build", "Error: /app/build is not a directory", "cmake --preset dev"),
        ("cmake --build build", "Error: /app/build is not a directory", "cmake -B build"),
        ("pip install shpo", "ERROR: No matching distribution found for shpo", "pip install shop"),
        ("make build", "ld: cannot find -lbuild", "make dist"),
        ("git fetch shpo", "fatal: 'shpo' could not be found", "git fetch shop"),
    ],
)
def test_what_fails_in_the_code_or_is_asked_for_is_replaced_by_no_other_argument(
    wrong: str, error: str, right: str
) -> None:
    log = Log()
    log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 2): {error}")
    log.run(right)
    assert all(not row.failed for row in log.known())


def test_other_arguments_replace_nothing_after_another_command_worked_or_a_file_was_changed() -> None:
    log = Log()
    wrong, error, right = MISPLACED[0]
    for session in "ab":
        log.run(wrong, worked=False, told=f"`{wrong}` failed (exit status 2): {error}", session=session)
        log.edit(session) if session == "a" else log.run("make gen", session=session)
        log.run(right, session=session)
    assert all(not row.failed for row in log.known())


def test_another_tool_replaces_nothing_after_another_command_worked_or_a_file_was_changed() -> None:
    log = Log()
    told = f"`make test` failed (exit status 2): {NO_RULE}"
    log.run("make test", worked=False, told=told)
    log.run("make deps")
    log.run("pytest -q")
    log.run("make test", worked=False, told=told, session="b")
    log.edit("b")
    log.run("go test ./...", session="b")
    assert all(not row.failed for row in log.known())
