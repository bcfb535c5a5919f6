"""Every assistant, connected and disconnected over every form its files may have: not a byte of them changes."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from recollect.surface.assistants import jsonc, probe
from recollect.surface.assistants.assistant_table import (
    ASSISTANTS,
    BY_NAME,
    Assistant,
    Hooks,
    Own,
    Part,
    Roots,
    Scope,
    Server,
    TomlServer,
    file_of,
    installed,
    project_folder,
    roots,
)
from recollect.surface.assistants.entry import Install
from recollect.surface.assistants.init_ledger import Ledger
from recollect.surface.assistants.plan import Work, apply_changes, connect, disconnect

INSTALL = Install("/opt/my py/bin/python3", ("/opt/my py/bin/recollect",), "/opt/it's/recollect/hook.py")


@pytest.fixture
def work(tmp_path: Path) -> Work:
    person, project = tmp_path / "person", tmp_path / "project"
    for folder in (person, project / ".git"):
        folder.mkdir(parents=True)
    where = roots({}, home=person, project=project, recollect=person / ".recollect")
    return Work(INSTALL, where, Ledger(person / ".recollect"))


def everything(folder: Path) -> dict[str, tuple[Any, ...]]:
    """Return every file, link and folder below one, with its bytes, target and permissions."""
    found: dict[str, tuple[Any, ...]] = {}
    for path in sorted(folder.rglob("*")):
        name, mode = str(path.relative_to(folder)), stat.S_IMODE(path.lstat().st_mode)
        if path.is_symlink():
            found[name] = ("link", path.readlink())
        else:
            found[name] = ("file", mode, path.read_bytes()) if path.is_file() else ("folder", mode)
    return found


# --- Files as people have them ---------------------------------------------------------------------------------------


def filled(parts: list[Part]) -> dict[str, Any]:
    """Return what somebody else may have in a file: a server and a hook in the very places that ours go to."""
    value: dict[str, Any] = {"theme": "dark", "list": [1, [], {}], "empty": {}}
    for part in parts:
        if isinstance(part, Server):
            value[part.keys[0]] = {"other": {"command": "other", "args": ["//", "/* */"]}}
        if isinstance(part, Hooks):
            foreign = {"type": "command", "command": "other --hook"}
            row = {"matcher": "Bash", "hooks": [foreign]} if part.grouped else foreign
            value["hooks"] = {part.events[0].name: [row], "Unknown": [row]}
            value |= {"version": 1} if part.version else {}
    return value


def hollow(parts: list[Part]) -> dict[str, Any]:
    """Return containers that hold nothing yet, in the places that ours go to."""
    value: dict[str, Any] = {}
    for part in parts:
        if isinstance(part, Server):
            value[part.keys[0]] = {}
        if isinstance(part, Hooks):
            value["hooks"] = {part.events[0].name: []}
    return value


def commented(parts: list[Part]) -> str:
    """Return a file with comments in every place, and commas before closing brackets."""
    rows = []
    for key, value in filled(parts).items():
        text = json.dumps(value, indent=4).replace("\n", " // end of line\n").replace("[ //", "[ /* in */ //")
        rows.append(f'    /* before */ {json.dumps(key)}: {text}, // after "{key}", {{not}} code\n    // alone\n')
    return "// first line\n{ // opening\n" + "\n".join(rows) + "    /* last */\n} // closing\n// end"


Form = Callable[[list[Part]], str]

FORMS: Mapping[str, Form] = {
    "an empty file": lambda parts: "",
    "a blank file": lambda parts: " \n\r\n",
    "an empty object": lambda parts: "{}\n",
    "an object with a space": lambda parts: "{ }",
    "an object over two lines": lambda parts: "{\n}\n",
    "an object with a comment only": lambda parts: "{\n  // nothing yet\n}\n",
    "two spaces": lambda parts: json.dumps(filled(parts), indent=2) + "\n",
    "tabs, CRLF, no newline at the end": lambda parts: json.dumps(filled(parts), indent="\t").replace("\n", "\r\n"),
    "one dense line": lambda parts: json.dumps(filled(parts), separators=(",", ":")),
    "one line": lambda parts: json.dumps(filled(parts)) + "\n",
    "a byte order mark": lambda parts: "\ufeff" + json.dumps(filled(parts), indent=3),
    "empty containers": lambda parts: json.dumps(hollow(parts), indent=4),
    "empty containers on one line": lambda parts: json.dumps(hollow(parts)).replace("{}", "{ }"),
    "comments": commented,
    "comments, tabs, CRLF": lambda parts: commented(parts).replace("    ", "\t").replace("\n", "\r\n"),
}

TOML = """\
# my Codex
model = "gpt"   # the good one

[mcp_servers.other]
command = "other"  # [mcp_servers.recollect] is not here
args = [
  "a", # comment
]

[projects."/home/me/it's"]
trust_level = "trusted"
# the end"""

TOML_FORMS: Mapping[str, str] = {
    "an empty file": "",
    "a blank file": "\n\n",
    "comments": TOML,
    "a newline at the end": TOML + "\n",
    "blank lines at the end": TOML + "\n\n\n",
    "CRLF": TOML.replace("\n", "\r\n") + "\r\n",
    "a byte order mark": "\ufeff" + TOML,
    "a text over several lines": 'note = """\n[mcp_servers.recollect]\ncommand = "no"\n"""\n',
    "a line": 'model = "gpt"',
}

EVERY: list[tuple[str, Scope]] = [
    (row.name, scope) for row in ASSISTANTS for scope in ("user", "project") if row.parts(scope)
]

# Those with a JSON file that others write in, too.
SHARED = [
    (name, scope)
    for name, scope in EVERY
    if any(isinstance(part, Server | Hooks) for part in BY_NAME[name].parts(scope))
]

# One of those that differ in nothing but the paths of their files.
DIFFERENT = list({
    tuple(part._replace(paths=()) for part in BY_NAME[name].parts(scope)): (name, scope)
    for name, scope in reversed(SHARED)
}.values())  # fmt: skip


def test_the_table_knows_thirteen_ways_and_most_of_them_per_project() -> None:
    assert len(ASSISTANTS) == len(BY_NAME) == 13
    assert (len(EVERY), len(SHARED), len(DIFFERENT)) == (25, 23, 13)


def by_file(assistant: Assistant, scope: Scope, where: Roots) -> dict[Path, list[Part]]:
    found: dict[Path, list[Part]] = {}
    for part in assistant.parts(scope):
        found.setdefault(file_of(part, where), []).append(part)
    return found


def write(path: Path, text: str, mode: int = 0o644) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    path.chmod(mode)


def round_trip(assistant: Assistant, scope: Scope, work: Work, folder: Path) -> None:
    """Connect, look, connect again, disconnect; everything must be as it was, and nothing of others ever different."""
    before = everything(folder)
    changes = connect(assistant, scope, work)
    assert changes
    apply_changes(changes, work.ledger)
    assert connect(assistant, scope, work) == []
    assert_connected(assistant, scope, work)
    again = Ledger(work.where["recollect"])  # another process
    apply_changes(disconnect(assistant, scope, work._replace(ledger=again)), again)
    assert everything(folder) == before


def assert_connected(assistant: Assistant, scope: Scope, work: Work) -> None:
    """Both directions: what the table wants is in the files, as words that a shell gives back unharmed."""
    parts = assistant.parts(scope)
    lines = probe.hook_lines(assistant, scope, work.where)
    wanted = [row for part in parts if isinstance(part, Hooks) for row in part.events]
    wanted += [part.event for part in parts if isinstance(part, Own) and part.event]
    if wanted:
        assert [line.words for line in lines] == [
            [INSTALL.python, "-I", "-S", INSTALL.hook, row.name, assistant.name, *row.moment.split()] for row in wanted
        ]
    words = probe.server_words(assistant, scope, work.where)
    toolset = ["--toolset", assistant.toolset] if assistant.toolset else []
    assert (words == ["/opt/my py/bin/recollect", "serve", *toolset]) == any(
        isinstance(part, Server | TomlServer) or part.paths[0].endswith("plugin/.mcp.json") for part in parts
    )


@pytest.mark.promise("B9")
@pytest.mark.parametrize(("name", "scope"), EVERY)
def test_files_and_folders_that_were_not_there_are_gone_again(
    name: str, scope: Scope, work: Work, tmp_path: Path
) -> None:
    round_trip(BY_NAME[name], scope, work, tmp_path)


@pytest.mark.promise("B9")
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "scope"), DIFFERENT)
def test_files_of_any_form_are_byte_for_byte_what_they_were(
    name: str, scope: Scope, form: str, work: Work, tmp_path: Path
) -> None:
    assistant = BY_NAME[name]
    for path, parts in by_file(assistant, scope, work.where).items():
        if all(isinstance(part, Server | Hooks) for part in parts):
            text = FORMS[form](parts)
            if text.strip():
                jsonc.parse(text.removeprefix("\ufeff"))
            write(path, text)
    round_trip(assistant, scope, work, tmp_path)


@pytest.mark.promise("B9")
@pytest.mark.parametrize("form", TOML_FORMS)
@pytest.mark.parametrize("scope", ["user", "project"])
def test_toml_of_any_form_is_byte_for_byte_what_it_was(scope: Scope, form: str, work: Work, tmp_path: Path) -> None:
    codex = BY_NAME["codex"]
    for path, parts in by_file(codex, scope, work.where).items():
        if isinstance(parts[0], TomlServer):
            write(path, TOML_FORMS[form])
    round_trip(codex, scope, work, tmp_path)


@pytest.mark.parametrize(("name", "scope"), SHARED)
def test_links_stay_links_and_permissions_stay(name: str, scope: Scope, work: Work, tmp_path: Path) -> None:
    """Settings kept in a repository of one's own are linked from where the assistant looks for them."""
    assistant = BY_NAME[name]
    for number, (path, parts) in enumerate(by_file(assistant, scope, work.where).items()):
        if isinstance(parts[0], Own):
            continue
        real = tmp_path / "dotfiles" / f"{number}.json"
        write(real, "" if isinstance(parts[0], TomlServer) else json.dumps(filled(parts)), 0o600)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(real)
    round_trip(assistant, scope, work, tmp_path)


def test_a_link_to_nothing_is_followed(work: Work, tmp_path: Path) -> None:
    path = work.where["claude.json"]
    path.symlink_to(tmp_path / "elsewhere" / "claude.json")
    round_trip(BY_NAME["claude"], "user", work, tmp_path)


def test_what_others_wrote_after_us_stays(work: Work) -> None:
    path = work.where["~"] / ".cursor" / "hooks.json"
    cursor = BY_NAME["cursor"]
    apply_changes(connect(cursor, "user", work), work.ledger)
    value = json.loads(path.read_bytes())
    value["hooks"]["stop"].insert(0, {"command": "theirs"})
    value["hooks"]["afterFileEdit"] = [{"command": "theirs"}]
    path.write_text(json.dumps(value, indent=7))
    apply_changes(disconnect(cursor, "user", work), work.ledger)
    theirs = {"stop": [{"command": "theirs"}], "afterFileEdit": [{"command": "theirs"}]}
    assert json.loads(path.read_bytes()) == {"version": 1, "hooks": theirs}


def test_all_assistants_at_once_leave_no_trace(work: Work, tmp_path: Path) -> None:
    """Folders that several of them need are made by the first and removed by the last."""
    before = everything(tmp_path)
    for name, scope in EVERY:
        apply_changes(connect(BY_NAME[name], scope, work), work.ledger)
    for name, scope in EVERY:
        apply_changes(disconnect(BY_NAME[name], scope, work), work.ledger)
    assert everything(tmp_path) == before


def test_a_file_is_copied_once_and_only_for_its_owner(work: Work) -> None:
    path = work.where["claude.json"]
    write(path, '{"oauth": "secret"}', 0o600)
    claude = BY_NAME["claude"]
    apply_changes(connect(claude, "user", work), work.ledger)
    (copy,) = work.ledger.folder.glob("*-.claude.json")
    other = work._replace(install=INSTALL._replace(command=("/new/bin/recollect",)))
    apply_changes(connect(claude, "user", other), other.ledger)
    assert copy.read_bytes() == b'{"oauth": "secret"}'
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(work.ledger.folder.stat().st_mode) == 0o700
    apply_changes(disconnect(claude, "user", other), other.ledger)
    assert not copy.exists()
    assert path.read_bytes() == b'{"oauth": "secret"}'


def test_an_assistant_is_noticed_by_its_program_or_its_folder(
    work: Work, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    monkeypatch.setenv("PATH", str(programs))
    assert installed(work.where) == []
    write(programs / "codex", "#!/bin/sh\n", 0o755)
    (work.where["config"] / "zed").mkdir(parents=True)
    assert [row.name for row in installed(work.where)] == ["codex", "zed"]


def test_variables_of_the_programs_are_honoured(tmp_path: Path) -> None:
    given = {"XDG_CONFIG_HOME": "/x", "CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/o"}
    where = roots(given, home=tmp_path, project=tmp_path, recollect=tmp_path)
    files = {str(file_of(part, where)) for name in ("claude", "codex", "amp") for part in BY_NAME[name].user}
    assert files == {
        "/c/.claude.json", "/c/settings.json", "/o/config.toml", "/o/hooks.json", "/x/amp/settings.json",
    }  # fmt: skip


def test_the_project_is_the_work_tree(tmp_path: Path) -> None:
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert project_folder(below) == below
    (tmp_path / "a" / ".git").write_text("gitdir: elsewhere")  # a worktree
    assert project_folder(below) == tmp_path / "a"


def test_opencode_gets_the_file_it_already_has(work: Work) -> None:
    path = work.where["config"] / "opencode" / "opencode.jsonc"
    write(path, "{ // mine\n}\n")
    changes = connect(BY_NAME["opencode"], "user", work)
    assert [change.path.name for change in changes] == ["opencode.jsonc", "recollect.js"]


@pytest.mark.parametrize(("answers_at", "runs"), [(1, 1), (3, 3), (99, probe.TRIES)])
def test_a_hook_that_was_too_late_for_its_answer_is_tried_again(tmp_path: Path, answers_at: int, runs: int) -> None:
    hook, log = tmp_path / "hook.sh", tmp_path / "runs"
    hook.write_text(
        'mkdir -p "$RECOLLECT_HOME/spool/new" && cat > "$RECOLLECT_HOME/spool/new/x"\n'
        f"echo run >> {log}\n[ $(wc -l < {log}) -lt {answers_at} ] || echo '{probe.CANARY.decode()}'\n"
    )
    line = probe.Line("Stop", ["sh", str(hook), "Stop", "claude", "prompt"])
    wrong = probe.check_hook(line, os.environ)
    assert wrong == ("" if answers_at <= probe.TRIES else "the hook of Stop did not print its answer")
    assert len(log.read_text().splitlines()) == runs
