"""The briefing at session start: what is useful now, short, true and once."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests import payloads
from tests.fakes import FrozenClock
from tests.trees import git, write

from recollect import Engine, clock
from recollect.model import Anchor, AnchorState, Memory, Session
from recollect.settings import Settings
from recollect.text.token_count import tokens

NOW = 1_767_000_000
DAY = 86_400
RULE = "Always use pytest -x, never unittest"
CENTS = "Prices are kept as integer cents because floats lost a cent in March"


class Shop:
    """A repository, and the hooks of assistants that work in it."""

    def __init__(self, root: Path, engine: Engine, time: FrozenClock) -> None:
        self.root, self.engine, self.time, self.calls = root, engine, time, 0

    def store(self, content: str, kind: str = "decision", **values: Any) -> str:
        given = {"memory_type": kind, "namespace": str(self.root), "amend": False, **values}
        return self.engine.memories.store(content, **given).memory.id

    def hear(self, session: str, raw: bytes, assistant: str = "claude", event: str = "") -> None:
        """Take in what a hook hands over, some seconds after what came before."""
        self.time.advance(10)
        self.engine.capture.put(self._of(session, raw), event=event, assistant=assistant)
        assert self.engine.capture.drain().bad == 0

    def leaves(self, session: str, raw: bytes) -> None:
        """Leave what a hook hands over in the queue."""
        name = json.loads(raw)["hook_event_name"]
        self.engine.capture.put(self._of(session, raw), event=name, assistant="claude")

    def asks(self, session: str, prompt: str, assistant: str = "claude") -> None:
        event = "BeforeAgent" if assistant == "gemini" else "UserPromptSubmit"
        self.hear(session, payloads.claude(event, prompt=prompt), assistant)

    def prompts(self, session: str, prompt: str) -> str:
        raw = self._of(session, payloads.claude("UserPromptSubmit", prompt=prompt))
        return self.engine.presence.answer(raw) or ""

    def edits(self, session: str, path: str, assistant: str = "claude") -> None:
        self.hear(session, payloads.edited("TAX = 19", "TAX = 25", path=path, call=self._call()), assistant)

    def runs(self, session: str, command: str, assistant: str = "claude") -> None:
        self.hear(session, payloads.ran(command, "1 passed in 0.1s", call=self._call()), assistant)

    def fails(self, session: str, command: str, error: str) -> None:
        self.hear(session, payloads.failed(command, f"Exit code 1\n{error}", call=self._call()))

    def answers(self, session: str, text: str, assistant: str = "claude") -> None:
        raw = payloads.claude("Stop", last_assistant_message=text)
        if assistant == "gemini":
            raw = payloads.claude("AfterAgent", prompt="", prompt_response=text)
        self.hear(session, raw, assistant)

    def ends(self, session: str) -> None:
        self.hear(session, payloads.claude("SessionEnd", reason="exit"))

    def works(self, session: str, request: str, path: str, answer: str) -> None:
        """Let a session do something and end well."""
        self.asks(session, request)
        self.edits(session, path)
        self.answers(session, answer)
        self.ends(session)

    def starts(self, session: str, assistant: str = "claude", source: str = "startup") -> str:
        raw = self._of(session, payloads.claude("SessionStart", source=source))
        said = self.engine.presence.answer(raw, event="SessionStart", assistant=assistant) or ""
        self.hear(session, raw, assistant, "SessionStart")
        return said

    def _of(self, session: str, raw: bytes) -> bytes:
        moved = raw.replace(payloads.ROOT.encode(), str(self.root).encode())
        return json.dumps({**json.loads(moved), "session_id": session}).encode()

    def _call(self) -> str:
        self.calls += 1
        return f"call-{self.calls}"


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> FrozenClock:
    frozen = FrozenClock(NOW)
    monkeypatch.setattr(clock, "now", frozen)
    monkeypatch.setenv("GIT_COMMITTER_DATE", f"@{NOW} +0000")
    return frozen


@pytest.fixture
def shop(tmp_path: Path, time: FrozenClock) -> Iterator[Shop]:
    root = Path(os.path.realpath(tmp_path)) / "shop"
    write(root, dict.fromkeys(("shop/price.py", "shop/tax.py", "web/page.py", "price.py"), payloads.SOURCE))
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    with Engine(embed_provider="off") as engine:
        yield Shop(root, engine, time)


def lines(text: str, title: str) -> list[str]:
    """Return the lines of a section."""
    rows = text.partition(f"## {title}\n")[2].splitlines()
    end = next((place for place, row in enumerate(rows) if row.startswith(("##", "</", "More"))), len(rows))
    return rows[:end]


# --- preferences ---


@pytest.mark.promise("E18")
def test_a_preference_is_in_the_briefing_after_sixty_sessions(shop: Shop) -> None:
    shop.store(RULE, "preference", importance=0.7)
    for number in range(60):
        shop.time.advance(DAY // 2)
        shop.works(f"w{number}", f"change number {number} of the price", "shop/price.py", "The price is changed.")
        shop.store(f"The price list of supplier {number} comes by mail in week {number}", importance=0.9)
    assert f"## Preferences and conventions\n- {RULE}\n" in shop.starts("last")


def test_important_decisions_do_not_hide_a_preference(shop: Shop) -> None:
    for number in range(40):
        shop.store(f"Decision {number}: supplier {number} delivers to warehouse {number} on Mondays", importance=0.95)
    shop.store("Answer in British English", "preference", namespace=None, importance=0.4)
    small = shop.engine.presence.context(namespace=str(shop.root), tokens=150).text
    assert "- Answer in British English\n" in small


def test_what_matters_most_has_a_place_beside_many_preferences_and_the_room_is_used(shop: Shop) -> None:
    for number in range(12):
        shop.store(f"Supplier {number} delivers to warehouse {number}")
    assert len(lines(shop.starts("s1"), "Decisions and facts")) == 12
    for number in range(40):
        shop.store(f"Rule {number}: always write the report of department {number} in plain words", "preference")
    shop.store("Production is frozen until the audit ends: do not merge into release", importance=0.95)
    assert lines(shop.starts("s2"), "Decisions and facts")[0].startswith("- Production is frozen")


def test_a_long_imported_history_does_not_hide_a_decision_made_here_or_shared(shop: Shop) -> None:
    name = shop.store("Orders are kept for ten years, because the tax office asks for them", importance=0.5)
    (here,) = shop.engine.store.get(Memory, [name])
    with shop.engine.store.transaction("import-history") as transaction:
        for number in range(40):
            said, mark = f"flask {number}.0 (2012-01-01): `handler{number}` takes no argument any more", f"h{number}"
            row = {"id": f"learnt-{number}", "seq": 100 + number, "content": said, "content_hash": mark}
            learnt = {"source": "import", "category": "change", "metadata": {"from": "changelog", "written": mark}}
            transaction.insert(
                msgspec.structs.replace(here, importance=0.7, created_at=NOW - 5_000 * DAY, **row, **learnt)
            )
        shared = msgspec.structs.replace(
            here, id="shared", seq=200, content="Invoices are sent on Mondays", content_hash="h", source="import"
        )
        transaction.insert(shared)
    told = lines(shop.starts("s"), "Decisions and facts")
    assert sorted(told) == ["- Invoices are sent on Mondays (import)", f"- {here.content}"]


def test_a_summary_of_a_cluster_is_not_told(shop: Shop) -> None:
    name = shop.store("Orders are kept for ten years, because the tax office asks for them", importance=0.5)
    (row,) = shop.engine.store.get(Memory, [name])
    title = "4 memories about orders"
    with shop.engine.store.transaction("cluster") as transaction:
        summary = {"content": f"{title}: they are kept", "content_hash": "h", "source": "consolidation", "title": title}
        transaction.insert(msgspec.structs.replace(row, id="summary", seq=100, importance=0.9, **summary))
    assert title not in shop.starts("s")


def test_the_important_and_the_repeated_preference_comes_first(shop: Shop) -> None:
    shop.store("Write docstrings in the imperative", "style", importance=0.5, metadata={"times": 8})
    shop.time.advance(DAY)
    shop.store("Keep functions short", "style", importance=0.5)
    shop.store("Never push to main", "preference", importance=0.9)
    assert lines(shop.starts("s"), "Preferences and conventions") == [
        "- Never push to main",
        "- Write docstrings in the imperative",
        "- Keep functions short",
    ]


def test_much_knowledge_about_the_work_at_hand_does_not_hide_a_preference(shop: Shop) -> None:
    for number in range(40):
        shop.store(f"Rate {number} of shop/price.py is for deliveries to warehouse {number} on Mondays", importance=0.9)
    shop.store(RULE, "preference", importance=0.4)
    write(shop.root, {"shop/price.py": "TAX = 25\n"})
    said = shop.starts("s")
    assert f"- {RULE}\n" in said
    assert "Rate 39 of shop/price.py" in said


def test_very_many_preferences_leave_room_for_the_work_at_hand(shop: Shop) -> None:
    for number in range(60):
        shop.store(f"Rule {number}: always write the report of department {number} in plain words", "preference")
    shop.store("The tax in shop/price.py is rounded half up")
    write(shop.root, {"shop/price.py": "TAX = 25\n"})
    said = shop.starts("s")
    rules = "\n".join(lines(said, "Preferences and conventions"))
    assert tokens(rules) > tokens(said) // 3
    assert "rounded half up" in said
    assert tokens(said) <= 600


def test_a_rule_that_a_newer_one_replaced_is_not_told(shop: Shop) -> None:
    old = shop.store("Lines have at most 100 characters", "style")
    shop.store("Lines have at most 88 characters", "style", supersedes=old)
    assert lines(shop.starts("s"), "Preferences and conventions") == ["- Lines have at most 88 characters"]


# --- decisions ---


@pytest.mark.promise("E18")
def test_what_is_about_changed_files_comes_first_and_what_is_about_others_not_at_all(shop: Shop) -> None:
    shop.store("The tax in shop/tax.py is rounded half up", importance=0.4)
    shop.store(CENTS, importance=0.7)
    page = shop.store("Pages are rendered on the server", importance=0.9)
    with shop.engine.store.transaction("test") as transaction:
        transaction.insert(Anchor(id=clock.new_id(), memory_id=page, path="web/page.py", hash="h", created_at=NOW))
    assert "shop/tax.py" in shop.starts("s1")
    write(shop.root, {"shop/tax.py": "TAX = 25\n"})
    assert lines(shop.starts("s2"), "Decisions and facts") == [
        "- The tax in shop/tax.py is rounded half up",
        f"- {CENTS}",
    ]


def test_files_of_the_branch_and_its_name_are_at_hand(shop: Shop) -> None:
    for number in range(12):
        shop.store(f"Supplier {number} delivers to warehouse {number} on Mondays", importance=0.8)
    shop.store("The page module must stay free of I/O: page.py", importance=0.3)
    shop.store("Coupons are never rounded", importance=0.3)
    git(shop.root, "switch", "-q", "-c", "feature/coupons")
    write(shop.root, {"web/page.py": "TITLE = 'Shop'\n"})
    git(shop.root, "commit", "-q", "-a", "-m", "second")
    first, second, *_ = lines(shop.starts("s"), "Decisions and facts")
    assert (first, second) == ("- The page module must stay free of I/O: page.py", "- Coupons are never rounded")


def test_a_decision_is_about_the_files_of_the_session_it_comes_from(shop: Shop) -> None:
    shop.works("w1", "render the title of the page", "web/page.py", "web/page.py has a title.")
    shop.store("Titles are in sentence case", session_id="w1")
    for number in range(3):
        shop.works(f"p{number}", "raise the price", "shop/price.py", "Raised in shop/price.py.")
    assert "sentence case" not in shop.starts("s1")
    shop.works("w2", "shorten the page", "web/page.py", "web/page.py is shorter.")
    assert "sentence case" in shop.starts("s2")


@pytest.mark.promise("B10")
def test_a_decision_of_another_branch_is_told_once_it_is_merged_without_a_server_too(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(shop.root)
    git(shop.root, "switch", "-q", "-c", "try/redis")
    write(shop.root, {"price.py": "TAX = 20\n"})
    git(shop.root, "commit", "-q", "-a", "-m", "try")
    shop.store("Baskets are kept in Redis")
    assert "Redis" in alone(shop, "s1")
    git(shop.root, "switch", "-q", "main")
    assert "Redis" not in alone(shop, "s2")
    git(shop.root, "merge", "-q", "--no-ff", "-m", "merge", "try/redis")
    assert "Redis" in alone(shop, "s3")


def alone(shop: Shop, session: str) -> str:
    """Return the briefing by a process of its own, as a hook without a server makes it."""
    with Engine(embed_provider="off") as engine:
        engine.branches.asks_git = False
        return Shop(shop.root, engine, shop.time).starts(session)


def test_changed_code_is_said_beside_a_memory(shop: Shop) -> None:
    for number in range(30):
        shop.store(f"Supplier {number} delivers to warehouse {number} on every second Monday of the month")
    changed = shop.store("The lexer lives in shop/lex.py", importance=0.9)
    with shop.engine.store.transaction("test") as transaction:
        anchor = Anchor(id=clock.new_id(), memory_id=changed, path="shop/lex.py", hash="h", created_at=NOW)
        transaction.insert(anchor)
        state = AnchorState(id=anchor.id, memory_id=changed, path=anchor.path, hash="h", verdict="changed", since=NOW)
        transaction.insert(state)
    shop.edits("w", "shop/lex.py")
    said = shop.starts("s")
    assert "- The lexer lives in shop/lex.py (shop/lex.py changed since this was written)\n" in said


def test_what_was_only_observed_is_no_decision(shop: Shop) -> None:
    shop.hear("w", payloads.looked("shop/price.py", call="r"))
    shop.works("w", "raise the tax", "shop/price.py", "Raised the tax in shop/price.py.")
    write(shop.root, {"shop/price.py": "TAX = 25\n"})
    assert shop.starts("s") == ""


def test_an_old_memory_is_told_with_its_date_and_one_of_an_assistant_with_that(shop: Shop) -> None:
    shop.store("Invoices are numbered without gaps", importance=0.9)
    shop.time.advance(100 * DAY)
    shop.store("The bank throttles bursts", "insight", source="assistant")
    assert lines(shop.starts("s"), "Decisions and facts") == [
        "- Invoices are numbered without gaps (2025-12-29)",
        "- The bank throttles bursts (assistant)",
    ]


def test_a_fact_of_last_week_has_its_date_and_one_that_was_stated_again_has_none(shop: Shop) -> None:
    facts = ("Orders reach us as HL7", "Invoices are numbered without gaps")
    for fact in facts:
        shop.store(fact, importance=0.9)
    shop.time.advance(8 * DAY)
    shop.asks("w", f"Keep in mind that {facts[0][:1].lower()}{facts[0][1:]}.")
    shop.ends("w")
    assert set(lines(shop.starts("s"), "Decisions and facts")) == {f"- {facts[0]}", f"- {facts[1]} (2025-12-29)"}


def test_a_rule_has_its_date_where_a_newer_memory_is_about_the_same(shop: Shop) -> None:
    for rule in ("Presets get saved as xml, one file per preset", "Keep functions short"):
        shop.store(rule, "style")
        shop.time.advance(DAY + 1)
    shop.store("Xml presets are horrible to diff, we write json", "style")
    dated = [line for line in lines(shop.starts("s"), "Preferences and conventions") if "(20" in line]
    assert dated == ["- Presets get saved as xml, one file per preset (2025-12-29)"]


def test_nothing_is_said_twice(shop: Shop) -> None:
    shop.store(CENTS)
    shop.store(CENTS + ".", "preference")
    for end in ("", "."):
        shop.store("The basket in shop/basket.py holds whole numbers" + end)
    shop.asks("w", f"{CENTS}. Change the basket in shop/basket.py")
    shop.edits("w", "shop/basket.py")
    said = shop.starts("s")
    assert said.count("integer cents") == said.count("whole numbers") == 1
    assert "(claude, not ended): Change the basket in shop/basket.py. Changed shop/basket.py\n" in said


def test_a_short_statement_that_a_longer_one_contains_is_not_told_again(shop: Shop) -> None:
    shop.store("Run everything through uv, never call pip directly", "preference")
    shop.store("uv, not pip", "context")
    assert shop.starts("s").count("uv") == 1
    shop.store("Indent with tabs, not with spaces", "context")
    shop.store("Indent with spaces, not with tabs", "style")
    assert shop.starts("t").count("Indent with") == 2


def test_a_cause_is_told_with_its_file_or_not_at_all(shop: Shop) -> None:
    shop.works("w", "fix the tax", "shop/tax.py", "The root cause was the plus sign.")
    shop.asks("v", "why is the page so slow?")
    shop.answers("v", "The root cause was a missing index.")
    shop.ends("v")
    assert lines(shop.starts("s"), "Decisions and facts") == [
        "- The root cause was the plus sign. (in shop/tax.py; assistant)"
    ]


def test_a_session_that_asks_for_its_briefing_after_the_prompt_is_not_told_its_own_words(shop: Shop) -> None:
    shop.asks("w", "From now on always use tabs, never spaces.")
    assert shop.starts("w") == ""
    assert "always use tabs" in shop.starts("w", source="compact")
    assert "always use tabs" in shop.starts("s")


def test_an_answer_to_the_prompt_does_not_take_the_commands_out_of_the_briefing(shop: Shop) -> None:
    shop.store(CENTS)
    for number in range(2):
        shop.runs(f"w{number}", "make test")
        shop.ends(f"w{number}")
    assert "integer cents" in shop.prompts("s", "Are prices kept as integer cents or as floats?")
    assert lines(shop.starts("s"), "Commands that work here") == ["- test: `make test`"]
    assert "integer cents" not in shop.starts("s", source="resume")


# --- open work ---


def test_a_killed_session_is_told_to_the_next_one_and_summarized(shop: Shop) -> None:
    shop.asks("w", "add a coupon field to the cart")
    shop.edits("w", "shop/price.py")
    assert lines(shop.starts("s1", "codex"), "Open work") == [
        "- 2025-12-29 (claude, not ended): add a coupon field to the cart. Changed shop/price.py"
    ]
    (session,) = shop.engine.store.get(Session, ["w"])
    assert (session.ended_at, session.summary) == (
        None, "Asked for: add a coupon field to the cart\nChanged: shop/price.py"
    )  # fmt: skip
    shop.time.advance(1_200)
    assert lines(shop.starts("s2"), "Open work") == [
        "- 2025-12-29 (claude, interrupted): add a coupon field to the cart. Changed shop/price.py"
    ]
    (session,) = shop.engine.store.get(Session, ["w"])
    assert (session.ended_at, session.ended_by) == (session.seen_at, "left")
    shop.asks("w", "go on with the coupon")
    (session,) = shop.engine.store.get(Session, ["w"])
    assert (session.ended_at, session.ended_by) == (None, "")


@pytest.mark.parametrize("edits", [True, False])
@pytest.mark.parametrize("answer", ["", "Which separator do you want?", "The export is in shop/price.py."])
def test_the_task_of_a_killed_session_is_told_though_its_last_prompt_answers_something(
    shop: Shop, edits: bool, answer: str
) -> None:
    shop.asks("w", "Add a CSV export to shop/export.py")
    if edits:
        shop.edits("w", "shop/price.py")
    if answer:
        shop.answers("w", answer)
    shop.asks("w", "We decided to use semicolons as separators")
    shop.time.advance(1_200)
    said = shop.starts("s1")
    assert said.count("semicolons") == 1
    if edits or not answer:
        (line,) = lines(said, "Open work")
        assert "Add a CSV export to shop/export.py" in line


@pytest.mark.parametrize(("is_finished", "told"), [(True, 0), (False, 2)])
def test_a_session_that_was_asked_to_go_on_and_finished_closes_the_one_before(
    shop: Shop, is_finished: bool, told: int
) -> None:
    shop.asks("w", "Add a CSV export to shop/export.py")
    shop.edits("w", "shop/price.py")
    shop.time.advance(1_200)
    shop.starts("w2")
    shop.asks("w2", "ok, continue")
    shop.edits("w2", "web/page.py")
    if is_finished:
        shop.answers("w2", "The CSV export is done.")
        shop.ends("w2")
    shop.time.advance(1_200)
    assert len(lines(shop.starts("s1"), "Open work")) == told


def test_interrupted_work_comes_before_what_only_fails(shop: Shop) -> None:
    shop.asks("w", "add a coupon field to the cart")
    shop.edits("w", "shop/price.py")
    for number in range(3):
        shop.asks(f"f{number}", f"load the orders of warehouse {number} into the report")
        shop.edits(f"f{number}", f"web/page{number}.py")
        shop.fails(f"f{number}", f"python3 load{number}.py", f"KeyError: 'warehouse {number}'")
        shop.answers(f"f{number}", "I changed web/page.py.")
        shop.ends(f"f{number}")
    found = lines(shop.starts("s1", "codex"), "Open work")
    assert len(found) > 1
    assert found[0] == "- 2025-12-29 (claude, not ended): add a coupon field to the cart. Changed shop/price.py"


def works_on_others(shop: Shop, sessions: int) -> Iterator[list[str]]:
    """Yield the open work that ordinary sessions are told; each changes another file, tests it and ends."""
    for number in range(sessions):
        yield lines(shop.starts(f"o{number}"), "Open work")
        shop.asks(f"o{number}", f"load the orders of warehouse {number}")
        shop.edits(f"o{number}", f"shop/warehouse{number}.py")
        shop.runs(f"o{number}", "pytest")
        shop.answers(f"o{number}", f"The orders of warehouse {number} are loaded.")
        shop.ends(f"o{number}")


def test_finished_work_stays_closed_however_many_sessions_follow(shop: Shop) -> None:
    shop.asks("w", "add rate limiting to the login endpoint")
    shop.edits("w", "shop/auth.py")
    shop.works("w2", "right, finish the rate limiting", "shop/auth.py", "Rate limiting is done.")
    assert list(works_on_others(shop, 12)) == [[]] * 12


def test_a_session_that_was_not_ended_is_told_for_some_sessions_but_not_for_good(shop: Shop) -> None:
    shop.asks("w", "add rate limiting to the login endpoint")
    shop.edits("w", "shop/auth.py")
    found = [len(told) for told in works_on_others(shop, 12)]
    assert found == sorted(found, reverse=True) and found[5] == 1 and found[-1] == 0


def test_sessions_that_were_not_ended_do_not_hide_a_failing_test(shop: Shop) -> None:
    for number in range(4):
        shop.asks(f"w{number}", f"add a coupon field to the form of warehouse {number}")
        shop.edits(f"w{number}", f"web/form{number}.py")
        if number == 0:
            shop.fails("w0", "pytest tests/test_form.py", "KeyError: 'coupon'")
            shop.answers("w0", "I changed web/form0.py.")
            shop.ends("w0")
    found = lines(shop.starts("s1", "codex"), "Open work")
    assert "form of warehouse 3" in found[0] and "Still failing: `pytest tests/test_form.py`" in found[1]


def test_a_newer_session_on_the_same_files_closes_an_open_one(shop: Shop) -> None:
    shop.asks("w", "add a coupon field to the cart")
    shop.edits("w", "shop/price.py")
    assert lines(shop.starts("s1"), "Open work")
    shop.works("w2", "finish the coupon", "shop/price.py", "The coupon is in shop/price.py.")
    assert lines(shop.starts("s2"), "Open work") == []


def test_what_still_fails_stays_open_though_a_newer_session_worked_on_the_same_files(shop: Shop) -> None:
    shop.asks("w", "add a coupon field to the cart and to the page")
    shop.edits("w", "shop/price.py")
    shop.edits("w", "web/page.py")
    shop.fails("w", "pytest tests/test_page.py", "KeyError: 'coupon'")
    shop.works("w2", "round the prices", "shop/price.py", "The prices in shop/price.py are rounded.")
    (line,) = lines(shop.starts("s1"), "Open work")
    assert "Still failing: `pytest tests/test_page.py` failed" in line
    shop.runs("w3", "pytest tests/test_page.py")
    shop.ends("w3")
    assert lines(shop.starts("s2"), "Open work") == []


def test_small_talk_afterwards_does_not_close_it_and_two_weeks_do(shop: Shop) -> None:
    shop.asks("w", "add a coupon field to the cart")
    shop.edits("w", "shop/price.py")
    for number in range(30):
        shop.asks(f"t{number}", "thanks! what is the weather like?")
        shop.answers(f"t{number}", "Sunny.")
    assert len(lines(shop.starts("s1"), "Open work")) == 1
    shop.time.advance(15 * DAY)
    assert lines(shop.starts("s2"), "Open work") == []


def test_what_fails_and_what_is_left_is_told_until_it_is_done(shop: Shop) -> None:
    shop.asks("w", "make the tests of the tax pass")
    shop.edits("w", "shop/tax.py")
    shop.fails("w", "pytest tests/tax", "E   KeyError: 'se'")
    shop.answers("w", "I raised the tax. The report still needs the Swedish rate. Shall I go on?")
    shop.ends("w")
    (line,) = lines(shop.starts("s1"), "Open work")
    assert line == (
        "- 2025-12-29 (claude): make the tests of the tax pass. Changed shop/tax.py. "
        "Still failing: `pytest tests/tax` failed (exit status 1): E KeyError: 'se'. "
        "Left: The report still needs the Swedish rate."
    )
    shop.asks("w2", "look at the Swedish rate")
    shop.runs("w2", "pytest tests/tax")
    shop.answers("w2", "`pytest tests/tax` passes, nothing remains to be done.")
    assert lines(shop.starts("s2"), "Open work") == []


@pytest.mark.parametrize(
    "answer", ["Lint still fails; I could not finish.", "I could not finish as `make lint` still fails."]
)
def test_what_fails_is_told_once(shop: Shop, answer: str) -> None:
    shop.asks("w", "make the linter pass")
    shop.fails("w", "make lint", "shop/price.py:3:1: E501 line too long")
    shop.answers("w", answer)
    shop.ends("w")
    (line,) = lines(shop.starts("s1"), "Open work")
    assert line == (
        "- 2025-12-29 (claude): make the linter pass. "
        "Still failing: `make lint` failed (exit status 1): shop/price.py:3:1: E501 line too long"
    )


@pytest.mark.parametrize("is_ended", [True, False])
def test_a_session_in_which_nothing_succeeded_is_open_work(shop: Shop, is_ended: bool) -> None:
    shop.asks("w", "make the build green")
    shop.fails("w", "cargo test", "test result: FAILED. 3 passed; 1 failed")
    shop.fails("w", "ruff check .", "Found 1 error.")
    shop.fails("w", "ssh box", "ssh: connect to host box port 22: Connection refused")
    if is_ended:
        shop.answers("w", "cargo test fails in cart::tests::total.")
        shop.ends("w")
    shop.asks("t", "tell me a joke")
    shop.answers("t", "Light attracts bugs.")
    shop.ends("t")
    (line,) = lines(shop.starts("s1"), "Open work")
    state = "" if is_ended else ", not ended"
    assert line == (
        f"- 2025-12-29 (claude{state}): make the build green. "
        "Still failing: `cargo test` failed (exit status 1): test result: FAILED. 3 passed; 1 failed; "
        "`ruff check .` failed (exit status 1): Found 1 error."
    )


def test_a_command_that_does_not_exist_does_not_hide_what_is_left(shop: Shop) -> None:
    shop.asks("w", "raise the tax")
    shop.fails("w", "tsat", "bash: tsat: command not found")
    shop.answers("w", "The tax in shop/tax.py still needs the Swedish rate.")
    shop.ends("w")
    (line,) = lines(shop.starts("s1"), "Open work")
    assert line.endswith("raise the tax. Left: The tax in shop/tax.py still needs the Swedish rate.")


def test_a_command_that_was_written_wrongly_is_no_open_work(shop: Shop) -> None:
    shop.works("w", "raise the tax", "shop/price.py", "I raised the tax in shop/price.py.")
    shop.fails("w", "mise run check", "mise ERROR no task check found")
    shop.ends("w")
    assert "Still failing" not in shop.starts("s1")
    shop.asks("w2", "move the tax")
    shop.edits("w2", "shop/tax.py")
    shop.fails("w2", "pytest tests/tax", "E   ModuleNotFoundError: No module named 'shop.tax'")
    shop.ends("w2")
    assert "Still failing: `pytest tests/tax`" in shop.starts("s2")


def test_a_command_that_another_one_replaced_in_an_earlier_session_leaves_nothing_open(shop: Shop) -> None:
    wrong, error = "python manage.py test", "ModuleNotFoundError: No module named 'django'"
    shop.fails("s1", wrong, error)
    shop.runs("s1", f"poetry run {wrong}")
    shop.fails("s2", wrong, error)
    text = shop.starts("s3")
    assert "Still failing" not in text
    assert f"`poetry run {wrong}` (not `{wrong}`)" in text


def test_other_arguments_of_a_replaced_command_leave_nothing_open_unless_the_code_is_wrong(shop: Shop) -> None:
    shop.fails("s1", "pytest", "ModuleNotFoundError: No module named 'django'")
    shop.runs("s1", "uv run pytest")
    shop.fails("s2", "pytest tests/test_net.py", "ModuleNotFoundError: No module named 'django'")
    assert "Still failing" not in shop.starts("s3")
    shop.fails("s4", "pytest tests/test_net.py", "E   AssertionError: assert 1 == 2")
    assert "Still failing: `pytest tests/test_net.py`" in shop.starts("s5")


@pytest.mark.parametrize(
    ("command", "error"),
    [
        ("python -m pytest tests/test_net.py", "/usr/bin/python: No module named pytest"),
        ("make tset", "make: *** No rule to make target 'tset'.  Stop."),
        ("pip install x", "error: externally-managed-environment"),
        ("git push", "fatal: The current branch feat/x has no upstream branch."),
        ("npm run dev", "Error: listen EADDRINUSE: address already in use :::3000"),
        ("docker compose up", "Bind for 0.0.0.0:5432 failed: port is already allocated"),
    ],
)
def test_an_error_of_the_call_is_no_open_work(shop: Shop, command: str, error: str) -> None:
    shop.asks("w", "raise the tax")
    shop.fails("w", command, error)
    shop.answers("w", "I could not run it.")
    shop.ends("w")
    assert "Still failing" not in shop.starts("s1")


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ("The form is there. Not done yet: the form has no tariff field.", "the form has no tariff field."),
        ("The form is there. Open point: who may see the form.", "who may see the form."),
        ("The form is there. Still open: the form has no error state yet.", "the form has no error state yet."),
        ("The form is there. Next I would add its tests.", "Next I would add its tests."),
        ("The form is there, its translations are pending.", "The form is there, its translations are pending."),
        ("I left the German form for later.", "I left the German form for later."),
        (
            "The form is there, but `tariff` is not written yet; next: write it in form.rs.",
            "The form is there, but `tariff` is not written yet; next: write it in form.rs.",
        ),
        ("All fields are in the form; still open: its tests.", "All fields are in the form; still open: its tests."),
        ("The form hasn't been translated yet.", "The form hasn't been translated yet."),
        ("I renamed the next: label of the form.", ""),
        ("The next: label of the form is longer.", ""),
        ('The form says `; next: pay` and its badge "not yet paid".', ""),
        ("The form is not written to disk.", ""),
        ("The script makes the form when it is not there yet.", ""),
        ("The form was not loaded yet, so the first click failed.", ""),
        ("No field of the form is missing; all tests pass.", ""),
        ("I could not finish the tickets as a key is missing.", "I could not finish the tickets as a key is missing."),
        ("The form is there.\n\n**Still to do:**\n- the docs of the form", "the docs of the form"),
        ("Das Formular ist da, die Tests fehlen noch.", "Das Formular ist da, die Tests fehlen noch."),
        ("Le formulaire est là, il reste les tests.", "Le formulaire est là, il reste les tests."),
        ("El formulario está; faltan las pruebas.", "El formulario está; faltan las pruebas."),
        ("The form is there. Still to do: nothing.", ""),
    ],
)
@pytest.mark.parametrize("is_seen", [True, False])
def test_the_end_of_an_answer_tells_what_is_left(shop: Shop, answer: str, left: str, is_seen: bool) -> None:
    shop.asks("w", "add a customs form")
    if is_seen:
        shop.edits("w", "shop/form.py")
    shop.answers("w", answer)
    shop.ends("w")
    changed = " Changed shop/form.py." if is_seen else ""
    expected = [f"- 2025-12-29 (claude): add a customs form.{changed} Left: {left}"] if left else []
    assert lines(shop.starts("s1"), "Open work") == expected


@pytest.mark.parametrize("last", ["right, do it", "nice.", "danke", "perfect, bye", "thanks, have a nice weekend"])
def test_agreeing_and_small_talk_are_no_task(shop: Shop, last: str) -> None:
    shop.asks("w", "fix the price bug in shop/price.py")
    shop.answers("w", "In the rounding?")
    shop.asks("w", last)
    shop.edits("w", "shop/price.py")
    shop.time.advance(1_200)
    (line,) = lines(shop.starts("s1"), "Open work")
    assert line == "- 2025-12-29 (claude, interrupted): fix the price bug in shop/price.py. Changed shop/price.py"


def test_the_task_is_told_where_its_last_prompt_agrees_and_states_a_rule(shop: Shop) -> None:
    shop.asks("w", "Morning! Where were we with the customs form?")
    shop.answers("w", "The tariff code was missing.")
    shop.asks("w", f"right, add it. {RULE}")
    shop.edits("w", "shop/price.py")
    shop.time.advance(1_200)
    (line,) = lines(shop.starts("s1"), "Open work")
    assert line.endswith("Where were we with the customs form? Changed shop/price.py")


def test_a_session_that_is_done_and_trivia_are_no_open_work(shop: Shop) -> None:
    shop.works("w", "raise the tax", "shop/price.py", "I raised the tax in shop/price.py, all tests pass.")
    for assistant in ("claude", "codex", "gemini", "copilot"):
        shop.asks(f"q-{assistant}", "where are login sessions kept?", assistant)
        shop.answers(f"q-{assistant}", "In Redis.", assistant)
    shop.asks("haiku", "write a haiku about spring rain")
    assert shop.starts("s") == ""


def test_one_question_left_open_in_several_assistants_is_one_line(shop: Shop) -> None:
    for assistant in ("claude", "codex", "gemini"):
        shop.asks(f"w-{assistant}", "Where does shop/tax.py round?", assistant)
    said = shop.starts("s")
    assert said.count("Where does shop/tax.py round?") == 1


# --- commands ---


def test_one_working_command_of_each_kind_is_told_with_the_variant_that_failed(shop: Shop) -> None:
    shop.fails("w", "pytest -x", "bash: pytest: command not found")
    for _ in range(2):
        for command in ("python3 -m pytest -x", "python3 -m pytest -x tests/unit/test_tax.py", "ruff check .", "ls -l"):
            shop.runs("w", command)
    shop.runs("w", "npm run build")
    shop.fails("w", "python manage.py migrate", "bash: python: command not found")
    shop.runs("w", "uv run python manage.py migrate")
    shop.runs("w", "pip install -e .")
    assert lines(shop.starts("s"), "Commands that work here") == [
        "- test: `python3 -m pytest -x` (not `pytest -x`)",
        "- lint: `ruff check .`",
        "- migrate: `uv run python manage.py migrate` (not `python manage.py migrate`)",
    ]


def test_the_command_of_these_days_replaces_an_older_habit(shop: Shop) -> None:
    for _ in range(6):
        shop.runs("w1", "make test")
    shop.time.advance(20 * DAY)
    for _ in range(3):
        shop.runs("w2", "uv run pytest -n auto")
    assert lines(shop.starts("s"), "Commands that work here") == ["- test: `uv run pytest -n auto`"]


def test_each_tool_that_tests_is_told_the_newest_first_and_three_at_most(shop: Shop) -> None:
    for command in ("go test ./...", "pytest -q", "npm test", "cargo test") * 2 + ("pytest -q",):
        shop.runs("w", command)
    told = ["- test: `pytest -q`", "- test: `cargo test`", "- test: `npm test`"]
    assert lines(shop.starts("s"), "Commands that work here") == told


# --- the whole ---


@pytest.mark.promise("B5")
def test_a_briefing_has_at_most_600_tokens_and_fewer_if_there_is_less_to_say(shop: Shop) -> None:
    assert Settings.context_tokens.default == 600
    assert shop.starts("s0") == ""
    shop.store(RULE, "preference")
    assert tokens(shop.starts("s1")) < 80
    for number in range(80):
        kind = ("decision", "preference", "insight", "context")[number % 4]
        shop.store(f"Fact {number}: supplier {number} delivers to warehouse {number} on Mondays, rain or shine", kind)
    shop.asks("w", "raise the price")
    shop.edits("w", "shop/price.py")
    said = shop.starts("s2")
    assert 400 < tokens(said) <= 600
    assert "## Open work\n" in said


def test_the_command_shows_what_the_hook_says(shop: Shop) -> None:
    shop.store(RULE, "preference")
    shop.store(CENTS)
    assert shop.engine.presence.context(namespace=str(shop.root)).text == shop.starts("s")


def test_rules_come_back_after_a_compaction_beside_what_the_session_did(shop: Shop) -> None:
    shop.store(RULE, "preference")
    shop.starts("w")
    shop.asks("w", "raise the tax")
    for number in range(60):
        shop.edits("w", f"shop/a_long_folder_name/for_supplier_{number}/price_of_supplier_{number}.py")
    shop.hear("w", payloads.claude("PreCompact", trigger="auto"))
    said = shop.starts("w", source="compact")
    assert f"- {RULE}\n## This session before compaction\nAsked for: raise the tax\n" in said
    assert tokens(said) <= 600


def test_a_statement_is_told_once_after_a_compaction(shop: Shop) -> None:
    shop.asks("w", f"{RULE}. We decided to keep prices as integer cents. Raise the tax in shop/tax.py.")
    shop.edits("w", "shop/tax.py")
    shop.hear("w", payloads.claude("PreCompact", trigger="auto"))
    said = shop.starts("w", source="compact")
    assert (said.count("pytest -x"), said.count("integer cents")) == (1, 1)
    assert lines(said, "This session before compaction") == [
        "Asked for: Raise the tax in shop/tax.py.", "Changed: shop/tax.py",
    ]  # fmt: skip
