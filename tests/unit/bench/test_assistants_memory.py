"""The judge of bench/assistants_memory.py: what it takes for held, and what it does not."""

from __future__ import annotations

import html
import json
from typing import Any

import pytest

import assistants_memory as bench
from assistants import complaints
from assistants_memory import PARTS, Told

PART = PARTS[1]
BEFORE, AFTER = bench.neighbours(PART, PARTS)
NAMES = {
    **{f"preference {part.client}": f"the preference stated to {part.client}" for part in PARTS},
    "decision": f"the decision of {BEFORE.client} is the first hit",
    "replaced": f"the decision of {BEFORE.client} holds",
    "invocation": f"the invocation that {AFTER.client} found",
    "fix": "the fix of its own failure",
    "open": "the killed session is open",
    "failing": "the killed session is still failing",
    "twice": "nothing is told twice",
}
HIT = f"decision, just now, 0.91, 7a3c58af · matches orders: {BEFORE.decision}"


def block(*lines: str) -> str:
    return "\n".join(('<recollect-context note="Memories">', *lines, "</recollect-context>\n"))


BRIEFING = block(
    f"## {bench.RULES}",
    *(f"- {part.preference}" for part in PARTS),
    f"## {bench.OPEN}",
    "- 2026-11-16 (gemini, not ended): Changed shop/returns.py. Still failing: `python3 -m checks.returns` failed",
    f"## {bench.COMMANDS}",
    f"- test: `{PART.right}`",
)
HINT = block(f"`{AFTER.wrong}` failed here before; `{AFTER.right}` works (once, last 2026-11-16).")
FIX = block("What fixed it (once):", f"- Changed shop/{PART.area}.py (+1 −1): `{PART.before}` became `{PART.after}`.")


def told(briefing: str = BRIEFING, prompt: str = "", *results: str) -> list[Told]:
    """Return what a session was told whose second request repeats the first."""
    first: dict[str, Any] = {"messages": [{"content": [{"text": f"{briefing}\nPlease!\n{prompt}"}]}]}
    second = {"messages": [*first["messages"], *({"content": f"exit code 1\n{result}"} for result in results)]}
    return bench.told([first, second], {"session_start_text": briefing.strip(), "prompt_text": prompt.strip()})


def broken(lines: list[Told], answer: str) -> set[str]:
    """Return the checks that fail, by their short names."""
    checks = bench.second_checks(PART, PARTS, lines, answer)
    assert set(checks) == set(NAMES.values())
    return {short for short, name in NAMES.items() if not checks[name]}


ANSWERS = [
    json.dumps({"notice": "data", "hits": [HIT, "insight: \"else\""]}, separators=(",", ":")),
    f"2 memories.\n~~~\n1. decision, just now, 0.91, 7a3c58af\n  {BEFORE.decision}\n2. insight\n  else\n~~~",
]  # fmt: skip


@pytest.mark.parametrize("answer", ANSWERS, ids=["structured", "text"])
@pytest.mark.parametrize("fix_with_prompt", [True, False])
def test_a_session_that_was_told_everything_holds(answer: str, fix_with_prompt: bool) -> None:
    lines = told(BRIEFING, FIX, HINT) if fix_with_prompt else told(BRIEFING, "", HINT, FIX)
    assert broken(lines, answer) == set()
    assert bench.unexpected(PARTS, lines) == []
    assert {row.place for row in lines} == {"briefing", "tool"} | ({"prompt"} if fix_with_prompt else set())


def test_escaped_blocks_are_read() -> None:
    assert told(html.escape(BRIEFING, quote=False), "", html.escape(HINT)) == told(BRIEFING, "", HINT)


@pytest.mark.parametrize(
    ("briefing", "results", "answer", "expected"),
    [
        (BRIEFING.replace(f"## {bench.RULES}", "## Decisions"), (HINT, FIX), ANSWERS[0],
         {name for name in NAMES if name.startswith("preference")}),
        (BRIEFING.replace("never with print", "not with print"), (HINT, FIX), ANSWERS[0], {"preference gemini"}),
        (BRIEFING.replace("shop/returns.py", "shop/mail.py"), (HINT, FIX), ANSWERS[0], {"open", "failing"}),
        (BRIEFING.replace("checks.returns", "checks.mail"), (HINT, FIX), ANSWERS[0], {"failing"}),
        (BRIEFING, (FIX,), ANSWERS[0], {"invocation"}),
        (BRIEFING, (HINT,), ANSWERS[0], {"fix"}),
        (BRIEFING, (HINT, FIX, FIX.replace("once", "twice")), ANSWERS[0], {"twice"}),
        (BRIEFING, (HINT, FIX), ANSWERS[0].replace("just now", "superseded"), {"replaced"}),
        (BRIEFING, (HINT, FIX), '{"hits":["context: a question","' + HIT + '"]}', {"decision"}),
        (BRIEFING, (HINT, FIX), "Nothing relevant is stored.", {"decision", "replaced"}),
    ],
)  # fmt: skip
def test_what_is_missing_is_named(briefing: str, results: tuple[str, ...], answer: str, expected: set[str]) -> None:
    assert broken(told(briefing, "", *results), answer) == expected


def test_a_line_of_a_briefing_that_nobody_expects_is_listed() -> None:
    lines = told(BRIEFING.replace(f"## {bench.OPEN}", f"## {bench.OPEN}\n- Read shop/prices.py"))
    assert bench.unexpected(PARTS, lines) == [f"briefing, {bench.OPEN}: - Read shop/prices.py"]


def test_a_log_that_repeats_what_was_told_is_no_complaint() -> None:
    quotes = ['a.log: [hook stdout] "<recollect-context>"', 'a.log: "content": "Traceback: the hook failed']
    assert complaints({"hook_errors": [*quotes, "a.log: hook failed: timeout"]}) == ["a.log: hook failed: timeout"]


def test_only_the_session_that_is_killed_waits() -> None:
    for part in PARTS:
        assert bench.WAITING in json.dumps(bench.first_script(part, killed=True))
        scripts = bench.first_script(part, killed=False), bench.second_script(part, *bench.neighbours(part, PARTS))
        assert bench.WAITING not in json.dumps(scripts)
        assert part.preference in scripts[0]["prompt"]


def test_without_a_rig_or_an_assistant_rows_say_why(tmp_path: Any) -> None:
    names = [part.client for part in PARTS]
    rig = tmp_path / "rig.py"
    assert {row["why"] for row in bench.outcome(None, None, names, "gemini", None)} == {"there is no rig: --rig RIG.PY"}
    rig.write_text("")
    (row,) = bench.outcome(rig, tmp_path, ["codex"], "gemini", None)
    assert (row["status"], row["why"]) == ("skipped", "codex is not installed: --clients DIR")
