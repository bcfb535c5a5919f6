"""What becomes of entries that are there already: ours, older ones, ones written by hand, and of files in trouble."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import ConfigError, Conflict
from recollect.surface.assistants import jsonc, toml
from recollect.surface.assistants.assistant_table import ASSISTANTS, BY_NAME, Assistant, roots
from recollect.surface.assistants.entry import NAME, Install, is_hook_of_ours, starts_recollect
from recollect.surface.assistants.init_ledger import Ledger
from recollect.surface.assistants.plan import Work, apply_changes, connect, disconnect
from recollect.surface.assistants.probe import is_own, server_words

OLD = Install("/old/bin/python", ("/old/bin/recollect",), "/old/recollect/hook.py")
NEW = Install("/new/bin/python", ("/new/bin/recollect",), "/new/recollect/hook.py", home="/other home")
CLAUDE, CODEX, CLINE = BY_NAME["claude"], BY_NAME["codex"], BY_NAME["cline"]


@pytest.fixture
def work(tmp_path: Path) -> Work:
    where = roots({}, home=tmp_path, project=tmp_path / "p", recollect=tmp_path / ".recollect")
    return Work(OLD, where, Ledger(tmp_path / ".recollect"))


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def load(path: Path) -> Any:
    return json.loads(path.read_bytes())


# --- Older entries ---------------------------------------------------------------------------------------------------


def test_an_older_entry_of_ours_is_brought_up_to_date_in_place(work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / ".claude.json", '{"mcpServers": {"a": {"command": "a"}}}')
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    value = load(path)
    value["mcpServers"]["b"] = {"command": "b"}
    value["mcpServers"][NAME]["env"] = {"MINE": "1"}
    write(path, json.dumps(value, indent=1))

    newer = work._replace(install=NEW)
    apply_changes(connect(CLAUDE, "user", newer), work.ledger)
    args = ["--home", "/other home", "serve", "--toolset", CLAUDE.toolset]
    ours = {"type": "stdio", "command": "/new/bin/recollect", "args": args}
    assert load(path) == {
        "mcpServers": {"a": {"command": "a"}, NAME: {**ours, "env": {"MINE": "1"}}, "b": {"command": "b"}}
    }
    hooks = load(tmp_path / ".claude" / "settings.json")["hooks"]
    line = "env 'RECOLLECT_HOME=/other home' /new/bin/python -I -S /new/recollect/hook.py Stop claude"
    assert hooks["Stop"] == [{"hooks": [{"type": "command", "command": line, "timeout": 5}]}]

    apply_changes(disconnect(CLAUDE, "user", newer), work.ledger)
    assert load(path) == {"mcpServers": {"a": {"command": "a"}, "b": {"command": "b"}}}
    assert not (tmp_path / ".claude").exists()


def test_hooks_for_events_we_gave_up_and_doubles_go_away(work: Work, tmp_path: Path) -> None:
    path = tmp_path / ".claude" / "settings.json"
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    value = load(path)
    expected = json.loads(json.dumps(value))
    theirs = {"type": "command", "command": "theirs"}
    value["hooks"]["Notification"] = value["hooks"]["Stop"]
    value["hooks"]["Stop"] = [{"hooks": [theirs]}, *value["hooks"]["Stop"] * 2]
    expected["hooks"]["Stop"] = [{"hooks": [theirs]}, *expected["hooks"]["Stop"]]
    write(path, json.dumps(value))
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    assert load(path)["hooks"] == expected["hooks"]


def test_a_handler_of_ours_among_others_is_the_only_one_touched(work: Work, tmp_path: Path) -> None:
    """Somebody moved our handler into a group of theirs, with a matcher and a patience of their own."""
    path = tmp_path / ".claude" / "settings.json"
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    value = load(path)
    theirs = {"type": "command", "command": "theirs"}
    ours = {**value["hooks"]["PostToolUse"][0]["hooks"][0], "timeout": 99}
    value["hooks"]["PostToolUse"] = [{"matcher": "Bash", "hooks": [theirs, ours]}]
    write(path, json.dumps(value))
    assert connect(CLAUDE, "user", work) == []

    apply_changes(connect(CLAUDE, "user", work._replace(install=NEW)), work.ledger)
    first, second = load(path)["hooks"]["PostToolUse"][0]["hooks"]
    assert first == theirs
    assert (second["command"].split()[-1], "/new/" in second["command"], second["timeout"]) == ("claude", True, 99)

    apply_changes(disconnect(CLAUDE, "user", work), work.ledger)
    assert load(path) == {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [theirs]}]}}


def test_an_entry_written_by_hand_comes_back_in_its_own_words(work: Work, tmp_path: Path) -> None:
    text = '{"mcpServers": {"recollect": {"command":   "recollect", /* mine */ "args": ["serve"]}}}'
    path = write(tmp_path / ".claude.json", text)
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    assert jsonc.parse(path.read_text()).value["mcpServers"][NAME]["command"] == "/old/bin/recollect"
    apply_changes(disconnect(CLAUDE, "user", work), work.ledger)
    assert path.read_text() == text


def test_an_entry_written_by_hand_that_is_as_ours_is_left_alone(work: Work, tmp_path: Path) -> None:
    entry = {"type": "stdio", "command": "/old/bin/recollect", "args": ["serve"]}
    path = write(tmp_path / ".gemini" / "settings.json", json.dumps({"mcpServers": {NAME: entry}}))
    before = path.read_bytes()
    gemini = BY_NAME["gemini"]
    apply_changes(connect(gemini, "user", work), work.ledger)
    assert path.read_bytes() != before
    apply_changes(disconnect(gemini, "user", work), work.ledger)
    assert path.read_bytes() == before


def test_an_entry_written_by_hand_is_removed_if_the_file_was_changed_since(work: Work, tmp_path: Path) -> None:
    path = write(
        tmp_path / ".claude.json", '{"mcpServers": {"recollect": {"command": "recollect", "args": ["serve"]}}}'
    )
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    write(path, json.dumps({**load(path), "theme": "dark"}))
    apply_changes(disconnect(CLAUDE, "user", work), work.ledger)
    assert load(path) == {"theme": "dark"}


def test_without_the_copy_our_entries_are_cut_out(work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / ".claude.json", '{"theme": "dark"}')
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    next(work.ledger.folder.glob("*-.claude.json")).unlink()
    apply_changes(disconnect(CLAUDE, "user", work), work.ledger)
    assert load(path) == {"theme": "dark"}


def test_a_new_table_file_that_others_filled_stays_without_our_table(work: Work, tmp_path: Path) -> None:
    apply_changes(connect(CODEX, "user", work), work.ledger)
    path = tmp_path / ".codex" / "config.toml"
    write(path, 'model = "m"\n\n' + path.read_text())
    apply_changes(disconnect(CODEX, "user", work), work.ledger)
    assert path.read_text() == 'model = "m"\n'


def test_without_the_ledger_our_entries_are_recognised_by_what_they_start(work: Work, tmp_path: Path) -> None:
    write(tmp_path / ".claude.json", '{"mcpServers": {"a": {"command": "a"}}}')
    apply_changes(connect(CLAUDE, "user", work), work.ledger)
    work.ledger.path.unlink()
    lost = work._replace(ledger=Ledger(tmp_path / ".recollect"))
    assert connect(CLAUDE, "user", lost) == []
    apply_changes(disconnect(CLAUDE, "user", lost), lost.ledger)
    assert load(tmp_path / ".claude.json") == {"mcpServers": {"a": {"command": "a"}}}
    left = (tmp_path / ".claude" / "settings.json").read_text()
    assert "hook.py" not in left


def test_a_damaged_ledger_says_where_it_is(tmp_path: Path) -> None:
    write(tmp_path / "backups" / "ledger.json", "{")
    with pytest.raises(ConfigError, match=r"ledger\.json cannot be read"):
        Ledger(tmp_path)


# --- TOML ------------------------------------------------------------------------------------------------------------


def test_a_table_is_brought_up_to_date_with_its_own_tables_kept(work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / ".codex" / "config.toml", 'model = "m"\n')
    apply_changes(connect(CODEX, "user", work), work.ledger)
    text = path.read_text()
    write(path, text + '\n[mcp_servers.recollect.env]\nA = "1"\n\n# theirs\n[mcp_servers.b]\ncommand = "b"\n')
    apply_changes(connect(CODEX, "user", work._replace(install=NEW)), work.ledger)
    servers = toml.parse(path.read_text())["mcp_servers"]
    assert servers[NAME]["command"] == "/new/bin/recollect"
    assert servers[NAME]["env"] == {"A": "1"}
    apply_changes(disconnect(CODEX, "user", work), work.ledger)
    assert path.read_text() == 'model = "m"\n\n# theirs\n[mcp_servers.b]\ncommand = "b"\n'


def test_a_table_written_by_hand_comes_back_in_its_own_words(work: Work, tmp_path: Path) -> None:
    text = "[mcp_servers.'recollect'] # mine\ncommand = 'recollect'\nargs = ['serve']\ntool_timeout_sec = 9\n\n[tui]\n"
    path = write(tmp_path / ".codex" / "config.toml", text)
    apply_changes(connect(CODEX, "user", work), work.ledger)
    assert toml.parse(path.read_text())["mcp_servers"][NAME] == {
        "command": "/old/bin/recollect", "args": ["serve", "--toolset", CODEX.toolset],
        "tool_timeout_sec": 9, "startup_timeout_sec": 20,
    }  # fmt: skip
    apply_changes(disconnect(CODEX, "user", work), work.ledger)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { other = { command = "x" } }\n',
        'mcp_servers.recollect = { command = "/usr/bin/recollect", args = ["serve"] }\n',
    ],
)
def test_a_form_that_cannot_be_edited_safely_is_refused(text: str, work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / ".codex" / "config.toml", text)
    with pytest.raises(ConfigError, match=r"config\.toml"):
        connect(CODEX, "user", work)
    assert path.read_text() == text


# --- Trouble ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "place", "what"),
    [
        ('{\n  "a": 1\n  "b": 2\n}', 3, "a comma or } is expected here"),
        ('{"a": [1, 2}', 1, "a comma or ] is expected here"),
        ('{\n"a": tru\n}', 2, "a value is expected here"),
        ('{"a": 1', 1, "the file ends where a comma or } is expected"),
        ("{'a': 1}", 1, "a string in double quotes is expected here"),
        ('{"a" 1}', 1, "a colon is expected after a key"),
        ('{}\n\n{"b": 1}', 3, "there is text after the end of the document"),
        ('{"a": "\\q"}', 1, "this string has an escape that JSON does not know"),
        ("{ /* ", 1, "a comment does not end"),
        ("[1]", 1, "the document should be an object"),
        ('{\n"mcpServers": []}', 2, "mcpServers should be an object"),
        ("[" * 1000, 1, "nested deeper than 200 levels"),
    ],
)
def test_a_file_that_is_no_json_is_named_with_its_line(
    text: str, place: int, what: str, work: Work, tmp_path: Path
) -> None:
    path = write(tmp_path / ".claude.json", text)
    with pytest.raises(ConfigError) as problem:
        connect(CLAUDE, "user", work)
    assert problem.value.message == f"{path}:{place}: {what}"
    assert problem.value.details == {"path": str(path), "line": place}
    assert path.read_text() == text


def test_a_file_that_is_no_toml_is_named_with_its_line(work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / ".codex" / "config.toml", 'a = 1\nb = "\n')
    with pytest.raises(ConfigError, match=rf"{path}:2: "):
        connect(CODEX, "user", work)


def test_a_file_that_is_not_text_or_cannot_be_read_is_named(work: Work, tmp_path: Path) -> None:
    (tmp_path / ".claude.json").write_bytes(b'{\n"a": "\xff"}')
    with pytest.raises(ConfigError, match=r"\.claude\.json:2: not UTF-8"):
        connect(CLAUDE, "user", work)
    (tmp_path / ".claude.json").unlink()
    (tmp_path / ".claude.json").mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        connect(CLAUDE, "user", work)


def test_links_in_a_circle_are_refused(work: Work, tmp_path: Path) -> None:
    (tmp_path / ".claude.json").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / ".claude.json")
    with pytest.raises(ConfigError):
        connect(CLAUDE, "user", work)


def test_another_server_of_our_name_is_not_ours_to_change(work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / ".claude.json", '{"mcpServers": {"recollect": {"command": "their-notes"}}}')
    with pytest.raises(Conflict, match="another server is named recollect"):
        connect(CLAUDE, "user", work)
    assert disconnect(CLAUDE, "user", work) == []
    write(tmp_path / ".codex" / "config.toml", '[mcp_servers.recollect]\ncommand = "theirs"\n')
    with pytest.raises(Conflict):
        connect(CODEX, "user", work)
    assert disconnect(CODEX, "user", work) == []
    assert "their-notes" in path.read_text()


def test_a_hook_file_of_somebody_else_is_not_overwritten(work: Work, tmp_path: Path) -> None:
    path = write(tmp_path / "Documents" / "Cline" / "Hooks" / "TaskStart", "#!/bin/sh\necho theirs\n")
    with pytest.raises(Conflict) as problem:
        connect(CLINE, "user", work)
    assert "hook.py TaskStart cline" in problem.value.hint
    assert disconnect(CLINE, "user", work) == []
    assert path.read_text() == "#!/bin/sh\necho theirs\n"


def test_a_file_that_changed_since_it_was_looked_at_is_left_alone(work: Work, tmp_path: Path) -> None:
    changes = connect(CLAUDE, "user", work)
    path = write(tmp_path / ".claude.json", '{"new": 1}')
    with pytest.raises(Conflict, match="changed by another program"):
        apply_changes(changes, work.ledger)
    assert path.read_text() == '{"new": 1}'


def args_of(assistant: Assistant, work: Work) -> list[str]:
    apply_changes(connect(assistant, "user", work), work.ledger)
    return (server_words(assistant, "user", work.where) or [])[1:]


def test_a_server_lists_more_tools_where_the_assistant_loads_them_on_demand(work: Work) -> None:
    on_demand = {row.name for row in ASSISTANTS if row.toolset}
    assert on_demand == {"claude", "claude-plugin", "codex"}
    for assistant in ASSISTANTS:
        more = ["--toolset", "core,code,sessions"] if assistant.name in on_demand else []
        assert args_of(assistant, work) == ["serve", *more]


@pytest.mark.parametrize("name", ["claude", "claude-plugin", "codex", "gemini", "opencode"])
def test_a_toolset_that_was_asked_for_is_kept_until_another_is(name: str, work: Work) -> None:
    assistant = BY_NAME[name]
    asked = work._replace(install=OLD._replace(toolset="core,graph"))
    assert args_of(assistant, asked) == ["serve", "--toolset", "core,graph"]
    assert connect(assistant, "user", work) == []
    assert args_of(assistant, work._replace(install=OLD._replace(toolset="all"))) == ["serve", "--toolset", "all"]
    assert args_of(assistant, work._replace(install=NEW))[-3:] == ["serve", "--toolset", "all"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ([], True),
        (["--toolset", "all"], True),
        (["--toolset"], False),
        (["--home", "/theirs"], False),
        (["--toolset", "all", "--home", "/theirs"], False),
    ],
)
def test_a_command_line_of_this_installation_may_name_a_toolset_and_nothing_else(
    more: list[str], expected: bool
) -> None:
    assert is_own(["/old/bin/recollect", "serve", *more], OLD) is expected


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"command": "/x/bin/recollect", "args": ["serve"]}, True),
        ({"command": "uvx", "args": ["recollect", "serve", "--toolset", "core"]}, True),
        ({"command": ["python", "-m", "recollect", "serve"]}, True),
        ({"command": "recollect"}, False),
        ({"command": "serve", "args": ["other"]}, False),
        ({"url": "http://recollect/serve"}, False),
        ("recollect serve", False),
        ({"command": 1, "args": {}}, False),
    ],
)
def test_a_server_is_known_by_what_it_starts(entry: object, expected: bool) -> None:
    assert starts_recollect(entry) is expected


@pytest.mark.parametrize(
    ("handler", "expected"),
    [
        ({"command": "/p -I -S /x/recollect/hook.py Stop claude"}, True),
        ({"bash": "/p -I -S /x/recollect/hook.py stop copilot"}, True),
        ({"command": "/p /x/other/hook.py"}, False),
        ({"command": ["recollect/hook.py"]}, False),
        ("recollect/hook.py", False),
    ],
)
def test_a_hook_is_known_by_what_it_starts(handler: object, expected: bool) -> None:
    assert is_hook_of_ours(handler) is expected
