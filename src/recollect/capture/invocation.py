"""Command lines: their parts, their kind (test, build, …), and the invocation that is worth keeping.

cd web && CI=1 pnpm test --run 2>&1 | tail -5   ─►   directory web, CI=1 pnpm test --run, a test
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Mapping
from functools import lru_cache
from itertools import dropwhile, pairwise
from typing import NamedTuple, get_args

from recollect.model import CommandKind
from recollect.text.lazy_patterns import compiled

# A longer line is an inline program.
COMMAND_CHARACTERS = 300

INVOCATIONS = 2_048

COMMAND_KINDS: tuple[str, ...] = get_args(CommandKind)


class Rule(NamedTuple):
    """A kind, the beginnings of its command lines, and the names of its tasks (`make lint`)."""

    kind: CommandKind
    starts: str
    tasks: str


# In order; beginnings are tried before tasks.
RULES: tuple[Rule, ...] = (
    Rule("format", "black, isort, prettier, gofmt, rustfmt, clang-format, yapf, dprint, shfmt, autopep8, ruff format, "
         "cargo fmt, go fmt, terraform fmt, mix format, biome format", "format fmt prettier"),
    Rule("lint", "ruff, eslint, flake8, pylint, mypy, pyright, ty, tsc --noEmit, golangci-lint, shellcheck, hadolint, "
         "stylelint, rubocop, phpstan, biome, pre-commit, swiftlint, ktlint, checkstyle, actionlint, cargo clippy, "
         "cargo check, go vet", "lint typecheck types check checks"),
    Rule("deploy", "kubectl apply, kubectl rollout, helm install, helm upgrade, terraform apply, ansible-playbook, "
         "fly deploy, flyctl deploy, vercel, netlify deploy, firebase deploy, serverless deploy, sls deploy, "
         "cdk deploy, gcloud app deploy, gcloud run deploy, eb deploy, twine upload, npm publish, pnpm publish, "
         "cargo publish, gh release create, docker push, aws s3 sync, uv publish", "deploy publish release ship"),
    Rule("migrate", "alembic, flyway, dbmate, goose, sqlx migrate, prisma migrate, knex migrate, diesel migration",
         "migrate migration migrations makemigrations"),
    Rule("test",
         "pytest, py.test, unittest, tox, nox, jest, vitest, mocha, ava, karma, rspec, phpunit, ctest, "
         "cypress, playwright test, behave, bats, mix test, dotnet test, cargo test, cargo nextest, go test, "
         "swift test, zig test, deno test, bun test, node --test", "test tests spec specs e2e unit coverage verify"),
    Rule("install",
         "pip install, pip3 install, uv pip, uv sync, uv add, uv lock, poetry install, poetry add, pdm install, "
         "conda install, brew install, apt install, apt-get install, gem install, composer install, npm install, "
         "npm i, npm ci, pnpm install, pnpm i, pnpm add, yarn install, yarn add, bun install, bun add, bundle install, "
         "cargo add, cargo install, go get, go mod, dotnet restore, pod install", "install setup bootstrap deps"),
    Rule("build", "tsc, vite build, webpack, rollup, esbuild, next build, docker build, docker compose build, "
         "podman build, cargo build, go build, go install, dotnet build, swift build, zig build, mix compile, build, "
         "hatch build, poetry build, uv build, bazel build, cmake, ninja, gcc, g++, clang, rustc, javac, xcodebuild, "
         "turbo build, nx build", "build compile bundle dist assemble package all"),
    Rule("run", "docker compose up, docker-compose up, podman compose up, docker run, podman run, cargo run, go run, "
         "dotnet run, deno run, swift run, uvicorn, gunicorn, flask run, rails server, rails s, streamlit run, "
         "java -jar", "start dev serve server runserver preview up run watch"),
)  # fmt: skip
# By the first word, longer beginnings first.
_STARTS: dict[str, list[tuple[list[str], CommandKind]]] = defaultdict(list)
for _words, _kind in sorted(
    ((start.split(), rule.kind) for rule in RULES for start in rule.starts.split(", ")), key=lambda row: -len(row[0])
):
    _STARTS[_words[0]].append((_words, _kind))
_TASKS: tuple[tuple[frozenset[str], CommandKind], ...] = tuple(
    (frozenset(rule.tasks.split()), rule.kind) for rule in RULES
)
# Programs that run another in a container, which they name first.
_ELSEWHERE = ("docker compose exec", "docker-compose exec", "docker exec", "podman exec", "kubectl exec")
# Programs that only run another.
_RUNNERS: tuple[tuple[str, ...], ...] = tuple(
    tuple(words.split())
    for words in ("sudo", "time", "exec", "command", "env", "nice", "nohup", "uv run", "poetry run",
                  "pdm run", "hatch run", "pipenv run", "npx", "bunx", "pnpm exec", "pnpm dlx", "bundle exec",
                  "python -m", *_ELSEWHERE)
)  # fmt: skip
# Task runners, and the kind of an unknown task.
TASK_RUNNERS: Mapping[str, CommandKind] = {
    "make": "build", "just": "other", "task": "other", "rake": "other", "npm": "other", "pnpm": "other",
    "yarn": "install", "bun": "other", "gradle": "build", "gradlew": "build", "mvn": "build", "mvnw": "build",
    "invoke": "other", "turbo": "other", "nx": "other", "mix": "other", "rails": "other", "manage.py": "other",
}  # fmt: skip
# Programs that take the arguments of another.
_SAME = {"pnpm": "npm", "yarn": "npm", "bun": "npm", "gradlew": "gradle", "mvnw": "mvn",
         "docker-compose": "docker compose"}  # fmt: skip
_NODE = frozenset({"npm", "npx", "pnpm", "yarn", "bun", "bunx", "node"})
# Kinds whose tools do the same; linters check different things.
_ONE_JOB: frozenset[CommandKind] = frozenset({"test", "format", "migrate"})
# Programs whose subcommand says what they do, and options before it that have a value.
SUBCOMMANDS = frozenset(
    "git gh npm pnpm yarn cargo go docker kubectl helm pip uv make poetry terraform dotnet mvn gradle bundle rails "
    "alembic docker-compose".split()
)
_VALUED = frozenset(
    "-C -c -f -n -p -H --file --config --namespace --context --kubeconfig --prefix --cwd --dir --directory --project "
    "--project-directory --project-name --profile --env-file --git-dir --work-tree --manifest-path --filter -w "
    "--workspace".split()
)
_GIT = frozenset({"git", "gh", "glab", "hub", "svn", "hg", "jj"})
_SCRIPT = compiled(r"(?:[\w.\-]++/)*+[\w.\-]+\.(?:sh|py|js|ts|mjs|rb|pl|exs)|\.{1,2}/\S+")
_INTERPRETERS = frozenset({"python", "python3", "node", "ruby", "perl", "bash", "sh", "deno", "tsx", "php", "elixir"})

# A module within a package.
_MODULE = compiled(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)++")
_PYTHON = compiled(r"python[\d.]*+|py")

_FOLDER = compiled(r"^\(?\s*(?:cd|pushd)\s+(\"[^\"]+\"|'[^']+'|\S+?)\s*(?:&&|;)\s*")
_VARIABLE = compiled(r"^(?:[A-Za-z_]\w*=(?:\"[^\"]*\"|'[^']*'|\S*)\s+)+")
_QUIET = compiled(r"(?:(?<!\s)\s++)?+(?:2>&1|\d?>>?\s*+/dev/null|&>\s*+/dev/null)")
_SHORTENS = compiled(r"\s*+(?:tail|head|cat|less|grep|tee|wc|sort)\b")
_MESSAGE = compiled(
    r"(\s(?:-m|-am|--message|--title|--body|-b|-t)[ =]?)(\"[^\"]*\"|'[^']*'|\$\([^()]*+(?:\([^()]*+\)[^()]*+)*+\))",
    re.DOTALL,
)


# Commands that only read; they are not remembered.
LOOKING = frozenset(
    "ls ll cat head tail less more pwd cd echo printf which type whoami date env printenv stat file wc du df tree find "
    "grep rg ag fd sed awk sort uniq cut tr diff cmp jq true false sleep test ps top free uname id history export set "
    "man help clear exit bat eza column xxd od strings basename dirname realpath readlink".split()
)
_LOOKING_GIT = frozenset("status log diff show branch remote blame ls-files rev-parse describe config grep".split())
_QUOTED = compiled(r"""\\.|'[^']*+'|"(?:[^"\\]|\\.)*+\"""", re.DOTALL)
_WRITES = compiled(r">\s*(?!/dev/null|&)\S")

# Options that try nothing, or only change what is printed.
_ONLY_SHOWS = compiled(
    r"-h$|-n$|-[vVqs]+$|--(?:help|version|usage|dry-run|list|check|show|verbose|quiet|silent|debug|trace|log|plan)"
)

# Operators within quotes, substitutions and escapes do not count.
_TOKEN = compiled(
    r"""'[^']*+'|"(?:[^"\\]|\\.)*+"|\$\([^()]*+\)|\\.|(?P<operator>&&|\|\||\|&|[|;\n]|(?<![<>&])&(?![>&]))"""
    r"""|[^'"$\\&|;\n]++|.""",
    re.DOTALL,
)


class Part(NamedTuple):
    """One command of a command line, and the operator before it: &&, ||, |, ; or &; empty for the first."""

    text: str
    operator: str


class Invocation(NamedTuple):
    """A command, its folder if the line names one, and its kind."""

    command: str
    directory: str
    kind: CommandKind


@lru_cache(maxsize=INVOCATIONS)
def invocation(line: str, directory: str = "") -> Invocation | None:
    """Return the invocation of a command line that was run in a folder; None for inline programs.

    A leading `cd`, commit messages, and filters of the output are removed.
    """
    if not line.strip() or "<<" in line or len(line) > 4 * COMMAND_CHARACTERS:
        return None
    text = _MESSAGE.sub(r"\1…", line.strip())
    if "\n" in text:
        return None
    while found := _FOLDER.match(text):
        directory = _joined(directory, found[1].strip("\"'"))
        text = text[found.end() :]
    text = _QUIET.sub("", text)
    parts = text.split("|")
    while len(parts) > 1 and _SHORTENS.match(parts[-1]):
        parts.pop()
    text = " ".join("|".join(parts).split())
    if not text or len(text) > COMMAND_CHARACTERS:
        return None
    return Invocation(text, directory, kind(text))


def parts(line: str) -> list[Part]:
    """Return the commands of a command line in order; operators within quotes do not count.

    A line that ends with & has an empty last part. What follows the first line of a here-document is no command.
    """
    if "<<" in line:
        line = line.strip().partition("\n")[0]
    found: list[Part] = []
    operator, text = "", []
    for token in _TOKEN.finditer(line):
        if token["operator"] is None:
            text.append(token[0])
            continue
        if said := "".join(text).strip():
            found.append(Part(said, operator))
            operator = ""
        text = []
        # A line break after an operator joins nothing.
        operator = operator if token[0] == "\n" and operator else token[0].replace("\n", ";").replace("|&", "|")
    said = "".join(text).strip()
    return [*found, Part(said, operator)] if said or operator == "&" else found


def bare(part: str) -> list[str]:
    """Return the words of a command without variables, runners, interpreters and the folder of its program.

    `CI=1 uv run pytest -x`, `python3 -m pytest -x` and `.venv/bin/pytest -x` are all `pytest -x`; `pnpm test` and
    `yarn test` are `npm test`, and `./gradlew test` is `gradle test`. `sh lint.sh` and `./lint.sh` are `lint.sh`;
    `python3 -m shop.report`, `python3 -u shop/report.py` and `python3 shop/report.py` are `shop/report.py`.
    """
    words = _bare(_VARIABLE.sub("", f"{part.strip('() ')} ").split())
    if words and ("/bin/" in words[0] or ("/" in words[0] and not _SCRIPT.fullmatch(words[0]))):
        words = _bare([words[0].rsplit("/", 1)[-1], *words[1:]])
    words = _run_script(words)
    if len(words) > 1 and words[0] in _INTERPRETERS and _SCRIPT.fullmatch(words[1]):
        words = words[1:]
    if words and _SCRIPT.fullmatch(words[0]):
        words = [words[0].removeprefix("./"), *words[1:]]
    elif words and _MODULE.fullmatch(words[0]):
        words = [words[0].replace(".", "/") + ".py", *words[1:]]
    return [*_SAME[words[0]].split(), *words[1:]] if words and words[0] in _SAME else words


def plain(words: list[str]) -> list[str]:
    """Return a command without the options before its subcommand: `git -C web push` is `git push`."""
    if not words or words[0].rsplit("/", 1)[-1] not in SUBCOMMANDS:
        return words
    start = 2 if words[:2] == ["docker", "compose"] else 1
    rest = words[start:]
    while rest and rest[0].startswith(("-", "+")):
        rest = rest[2 if rest[0] in _VALUED else 1 :]
    return [*words[:start], *rest] if rest else words


def is_another_way(command: str, other: str, *, is_missing: bool) -> bool:
    """Tell whether two commands give the same task to task runners or scripts, or use one tool for the same purpose.

    `make deploy-staging`, `npm run deploy:staging` and `scripts/deploy.sh staging` have the same task.
    is_missing: the first does not exist; a tool may do what its task says, or a task what its tool does
    """
    words, others, purpose = bare(command), bare(other), kind(command)
    task, other_task = _task_words(words), _task_words(others)
    if task == other_task != frozenset():
        return True
    if purpose in ("other", "git") or purpose != kind(other):
        return False
    programs = {each[0].rsplit("/", 1)[-1] for each in (words, others) if each}
    if len(programs) < 2 or not is_missing or purpose not in _ONE_JOB or bool(task) == bool(other_task):
        return len(programs) < 2
    return "npm" not in programs or all(_VARIABLE.sub("", each).split()[0] in _NODE for each in (command, other))


def is_wrapped(command: str, other: str) -> bool:
    """Tell whether a command is another one, whole, after a program that runs it: `nix develop -c go test ./...`."""
    words, wrapped = command.split(), other.split()
    return len(words) > len(wrapped) > 1 and words[-len(wrapped) :] == wrapped and len(parts(command)) == 1


def has_more_options(command: str, other: str) -> bool:
    """Tell whether a command is another one with further options, which do more than show something."""
    words, rest = other.split(), command.split()
    more = [word for word in rest if word not in words]
    left = iter(rest)
    is_same = words[:1] == rest[:1] and all(word in left for word in words)
    is_same = is_same and (rest[: len(words)] == words or rest[-1] == words[-1])
    # A short option with a value does more: `psql -h localhost shop`.
    alone = [word for word, after in pairwise([*rest, "-"]) if word in more and (word[1:2] == "-" or after not in more)]
    return is_same and any(word[0] == "-" for word in more) and not any(map(_ONLY_SHOWS.match, alone))


def completes_option(command: str, other: str) -> bool:
    """Tell whether two commands differ in one option, and one has it in full: `--check` and `--check-formatted`."""
    words, others = bare(command), bare(other)
    differ = [sorted(pair) for pair in zip(words, others, strict=False) if pair[0] != pair[1]]
    if len(words) != len(others) or len(differ) != 1:
        return False
    short, long = differ[0]
    return len(short) > 3 and short[:2] == "--" and long.startswith(short) and "=" not in long


def is_only_varied(command: str, other: str) -> bool:
    """Tell whether two commands have one program and purpose, and the other not just further options."""
    words, others, purpose = bare(command), bare(other), kind(command)
    more = [word for word in others if word not in words]
    if purpose in ("other", "git") or purpose != kind(other) or any(map(_ONLY_SHOWS.match, more)):
        return False
    size = 2 if {*words[:1]} & {*SUBCOMMANDS, *TASK_RUNNERS} else 1
    return plain(words)[:size] == plain(others)[:size] and not (more and all(word[0] == "-" for word in more))


def _task_words(words: list[str]) -> frozenset[str]:
    """Return the words of the task of a task runner or script; none for another program."""
    name = words[0].rsplit("/", 1)[-1] if words else ""
    task = [name.rpartition(".")[0]] if words and _SCRIPT.fullmatch(words[0]) and name not in TASK_RUNNERS else []
    if not task and name not in TASK_RUNNERS:
        return frozenset()
    task += [word for word in words[1:] if word[0] != "-" and word != "run"]
    found = frozenset(part.removesuffix("s") for word in task for part in re.split(r"[^a-z0-9]+", word.lower()) if part)
    # By convention `make check` runs the tests; that of npm checks types.
    return frozenset({"test"}) if found == {"check"} and name != "npm" else found


def is_looking(command: str) -> bool:
    """Tell whether every part of a command only reads."""
    if _WRITES.search(_QUOTED.sub("", command)):
        return False
    return all(_looks(part.text.split()) for part in parts(command) if part.text)


def _looks(words: list[str]) -> bool:
    if words[0] == "git":
        return len(words) < 2 or plain(words)[1] in _LOOKING_GIT
    if words[0] == "sed" or words[0] == "find":
        return not {"-i", "-delete", "-exec"} & set(words)
    return words[0].rsplit("/", 1)[-1] in LOOKING


def kind(command: str) -> CommandKind:
    """Return the kind of a command; of several in a row, the last known kind."""
    found: CommandKind = "other"
    for part in parts(command):
        known = _of_part(_VARIABLE.sub("", part.text).split())
        # A commit at the end is not the purpose of the line.
        if known != "other" and not (known == "git" and found != "other"):
            found = known
    return found


def _of_part(words: list[str]) -> CommandKind:
    words = _bare([words[0].rsplit("/", 1)[-1], *words[1:]] if words and "/bin/" in words[0] else words)
    words = plain(words)
    if not words:
        return "other"
    if named := _by_start(words):
        return named
    words = _run_script(words)
    program = words[0].rsplit("/", 1)[-1]
    if program in _SAME and len(words) > 1 and (named := _by_start(words[1:])):
        return named  # `pnpm vitest run`
    if program in _GIT:
        return "git"
    is_run = program in _INTERPRETERS and len(words) > 1 and not words[1].startswith("-")
    if is_run and not words[1].endswith("manage.py"):
        return _task(words[1:2]) or "run"
    if _SCRIPT.fullmatch(words[0]) and program not in TASK_RUNNERS:
        return _task(words[:1]) or "run"
    if is_run or program in TASK_RUNNERS:
        return _task(words[1:]) or TASK_RUNNERS.get(program, "other")
    return "other"


def _by_start(words: list[str]) -> CommandKind | None:
    return next((name for start, name in _STARTS.get(words[0], ()) if words[: len(start)] == start), None)


def _bare(words: list[str]) -> list[str]:
    """Return a command without runners and their options."""
    for _ in range(4):  # `sudo env uv run python -m pytest` is as deep as it gets
        words = ["python", *words[1:]] if words and _PYTHON.fullmatch(words[0]) else words
        runner = next((row for row in _RUNNERS if tuple(words[: len(row)]) == row), None)
        if runner is None:
            break
        words = _after_options(words[len(runner) :])
        words = _after_options(words[1:]) if " ".join(runner) in _ELSEWHERE else words
    return words


def _run_script(words: list[str]) -> list[str]:
    """Return an interpreter and its script without the options between them: `node --experimental-vm-modules a.mjs`."""
    rest = _after_options(words[1:]) if words and words[0] in _INTERPRETERS else []
    return [words[0], *rest] if rest and _SCRIPT.fullmatch(rest[0]) else words


def _after_options(words: list[str]) -> list[str]:
    return [*dropwhile(lambda word: word.startswith("-") or "=" in word, words)]


def _task(words: list[str]) -> CommandKind | None:
    """Return the kind of a task by its name: `test:unit`, `db:migrate`, `scripts/deploy.sh`."""
    named = {part for word in words if not word.startswith("-") for part in re.split(r"[^a-z0-9]+", word.lower())}
    return next((name for tasks, name in _TASKS if named & tasks), None)


def _joined(directory: str, into: str) -> str:
    """Return a folder within a folder, from the root of the project; others stay as written."""
    if into.startswith(("/", "~", "$")):
        return into
    whole = posixpath.normpath(posixpath.join(directory, into))
    return "" if whole == "." else whole
