"""What each use of a tool teaches: the type, the tags and the words."""

from __future__ import annotations

import json

import pytest
from tests import payloads

from recollect.capture.extract import lesson
from recollect.capture.extract.shell_tool import program
from recollect.capture.filter import cleaned
from recollect.capture.invocation import is_looking
from recollect.capture.observation_lesson import Lesson, Place
from recollect.capture.payload import read
from recollect.engine.sessions.hook_ingest import outline

PLACE = Place(payloads.ROOT, payloads.ROOT)
PATH = f"{payloads.ROOT}/price.py"


def learnt(raw: bytes, event: str = "", assistant: str = "") -> Lesson:
    return lesson(cleaned(read(raw, event=event, assistant=assistant)), PLACE, outline)


@pytest.mark.promise("E19")
def test_reading_teaches_what_a_file_defines_and_is_for_and_keeps_none_of_it() -> None:
    found = learnt(payloads.looked("src/price.py"))
    assert found.content == "Read src/price.py: Prices of the shop. It defines TAX, gross."
    assert (found.memory_type, found.tags) == ("context", ("ext:py", "dir:src", "file:price.py"))
    assert found.paths == (f"{payloads.ROOT}/src/price.py",)
    assert "return net" not in json.dumps(found._asdict())


def test_a_part_that_was_read_says_which() -> None:
    file = {"filePath": PATH, "content": "def a():\n    pass\n", "startLine": 40, "totalLines": 90, "numLines": 2}
    found = learnt(payloads.used("Read", {"file_path": PATH}, {"type": "text", "file": file}))
    assert found.content == "Read price.py (lines 40–41 of 90). It defines a."


@pytest.mark.promise("E19")
def test_looking_for_files_is_a_pattern() -> None:
    found = learnt(payloads.used("Glob", {"pattern": "**/*.py"}, {"filenames": ["a.py", f"{payloads.ROOT}/b/c.py"]}))
    assert found.content == "Looked for files `**/*.py`: 2 files: a.py, b/c.py."
    assert (found.memory_type, found.tags, found.paths) == ("pattern", ("glob:**/*.py", "discovery"), ())


@pytest.mark.promise("E19")
@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ({"mode": "files_with_matches", "filenames": ["a.py"]}, "1 file: a.py"),
        ({"mode": "content", "filenames": [], "content": "a.py:2:x\nb/c.py:9:y\na.py:4:z"}, "2 files: a.py, b/c.py"),
        ({"mode": "content", "filenames": [], "content": ""}, "nothing found"),
    ],
)
def test_searching_is_a_pattern(response: dict[str, object], expected: str) -> None:
    found = learnt(payloads.used("Grep", {"pattern": "def +gross"}, response))
    assert found.content == f"Searched for `def +gross`: {expected}."
    assert (found.memory_type, found.tags) == ("pattern", ("pattern:def +gross", "search"))


@pytest.mark.promise("E19")
@pytest.mark.parametrize("tool", ["Edit", "MultiEdit"])
def test_an_edit_is_a_decision_in_words(tool: str) -> None:
    change = {"old_string": "TAX = 19", "new_string": "TAX = 25"}
    given = {"file_path": PATH, **(change if tool == "Edit" else {"edits": [change]})}
    found = learnt(payloads.used(tool, given, {"filePath": PATH, "originalFile": payloads.SOURCE}))
    assert found.content == "Changed price.py (+1 −1): `TAX = 19` became `TAX = 25`.\n\n- TAX = 19\n+ TAX = 25"
    assert (found.memory_type, found.tags) == ("decision", ("ext:py", "file:price.py"))
    assert found.paths == (PATH,)


@pytest.mark.promise("E19")
def test_a_new_file_is_a_decision_without_its_text() -> None:
    given = {"file_path": PATH, "content": payloads.SOURCE}
    found = learnt(payloads.used("Write", given, {"type": "create", "filePath": PATH, "originalFile": None}))
    assert found.content == "Created price.py (7 lines): Prices of the shop. It defines TAX, gross."
    assert found.memory_type == "decision"


def test_a_file_written_anew_says_what_changed() -> None:
    given = {"file_path": PATH, "content": payloads.SOURCE.replace("19", "25")}
    found = learnt(payloads.used("Write", given, {"type": "update", "originalFile": payloads.SOURCE}))
    assert found.content.startswith("Changed price.py (+1 −1): `TAX = 19` became `TAX = 25`")


def test_the_reason_of_an_edit_is_kept() -> None:
    given = {"file_path": PATH, "instruction": "taxes were raised", "old_string": "TAX = 19", "new_string": "TAX = 25"}
    raw = payloads.gemini("AfterTool", tool_name="replace", tool_input=given, tool_response={"llmContent": "ok"})
    assert "\nWhy: taxes were raised" in learnt(raw).content


PATCH = """*** Begin Patch
*** Update File: price.py
@@
-TAX = 19
+TAX = 25
*** Add File: docs/tax.md
+# Taxes
+They were raised.
*** Delete File: old.py
*** End Patch
"""


@pytest.mark.parametrize("given", [{"command": PATCH}, {"input": PATCH}, PATCH])
def test_a_patch_tells_every_file(given: object) -> None:
    raw = payloads.codex(
        "PostToolUse", tool_name="apply_patch", tool_input=given, tool_response="Done", tool_use_id="1"
    )
    found = learnt(raw)
    assert found.content.split("\n\n")[0].splitlines() == [
        "Changed price.py (+1 −1): `TAX = 19` became `TAX = 25`.",
        "Created docs/tax.md (2 lines): Taxes",
        "Deleted old.py.",
    ]
    assert found.paths == tuple(f"{payloads.ROOT}/{name}" for name in ("price.py", "docs/tax.md", "old.py"))
    assert found.memory_type == "decision"


def test_a_command_that_failed_is_remembered_with_its_error() -> None:
    found = learnt(payloads.failed("make test", "Exit code 2\ncc a.c\na.c:3:1: error: expected ';'\n"))
    assert found.content == "`make test` failed (exit status 2):\na.c:3:1: error: expected ';'"
    assert (found.outcome, found.target) == ("failed", "make test")
    assert found.tags == ("cmd:make test", "failure", f"error:{found.fingerprint}")


def test_a_command_of_codex_failed_if_its_output_says_so() -> None:
    output = "Traceback (most recent call last):\n  File \"a.py\", line 1\nKeyError: 'se'"
    for said, outcome in ((output, "failed"), ("12 passed", "ok"), ("collecting", ""), ("", "")):
        raw = payloads.codex("PostToolUse", tool_name="Bash", tool_input={"command": "pytest"}, tool_response=said)
        assert learnt(raw).outcome == outcome


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la", True),
        ("cat a.py | head -3 && git status", True),
        ("sed -n 1,10p a.py", True),
        ("sed -i s/a/b/ a.py", False),
        ("echo x > a.py", False),
        ("make test", False),
        ("git commit -m x", False),
        ("pip install x 2>/dev/null", False),
    ],
)
def test_looking_around_is_noted_and_not_remembered(command: str, expected: bool) -> None:
    assert is_looking(command) is expected
    found = learnt(payloads.ran(command))
    assert (found.content == "") is expected
    assert found.outcome == "ok"


def test_the_program_of_a_command_is_its_tag() -> None:
    assert program("cd /x && CI=1 npm run build") == "npm run"
    assert program("/usr/bin/python3 -m pytest") == "python3"
    assert program("sudo docker compose up") == "docker compose"


def test_a_sub_agent_says_the_same_by_either_way() -> None:
    used = learnt(payloads.used("Agent", {"prompt": "look"}, {"content": [{"type": "text", "text": "It is in b.py"}]}))
    ended = learnt(payloads.claude("SubagentStop", last_assistant_message="It is in b.py", agent_id="a1"))
    assert used.content == ended.content == "A sub-agent reported: It is in b.py"


def test_pages_and_other_servers_are_told_in_short() -> None:
    page = {"url": "https://example.org/x", "result": "word " * 4_000, "code": 200}
    fetched = learnt(payloads.used("WebFetch", {"url": "https://example.org/x", "prompt": "what"}, page))
    assert fetched.content.startswith("Fetched https://example.org/x: word word")
    assert len(fetched.content) < 800
    called = learnt(
        payloads.used("mcp__files__move", {"src": "a", "options": {"x": 1}}, [{"type": "text", "text": "ok"}])
    )
    assert called.content == "Called `mcp__files__move`(src=a, options=…): ok"
    assert called.tags == ("mcp", "server:files")


def test_a_prompt_is_context_of_little_importance() -> None:
    found = learnt(payloads.claude("UserPromptSubmit", prompt="raise the tax"))
    assert (found.content, found.memory_type, found.importance) == ("raise the tax", "context", 0.3)
    assert found.metadata == {"source": "UserPromptSubmit"}


def test_a_failed_use_of_any_tool_has_a_fingerprint() -> None:
    error = "String to replace not found in file."
    raw = payloads.claude("PostToolUseFailure", tool_name="Edit", tool_input={"file_path": PATH}, error=error)
    found = learnt(raw)
    assert found.content == f"Editing price.py failed: {error}"
    assert (found.outcome, found.target, bool(found.fingerprint)) == ("failed", PATH, True)


def test_members_are_named_with_what_they_belong_to() -> None:
    text = "class A:\n    def b(self): ...\n\n    def c(self): ...\n\n\ndef d(): ...\n"
    assert learnt(payloads.looked("x.py", text)).content == "Read x.py. It defines A (b, c), d."
