"""The dashboard in a browser: what a person sees and does in every view, on 600 memories and 12 sessions."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.dashboard import AXE, HOSTILE, MEMORIES, SESSIONS, Prepared, VizProcess, browser, prepare
from tests.waiting import PATIENCE_S

VIEWS = ("search", "briefing", "sessions", "health")
PATIENCE_MS = 1_000 * PATIENCE_S


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    return prepare(tmp_path_factory.mktemp("dashboard"))


@pytest.fixture(scope="module")
def viz(store: Prepared) -> Iterator[VizProcess]:
    with VizProcess(store.home, cwd=store.shop) as process:
        yield process


class Seen:
    """What the page did besides showing itself."""

    def __init__(self, page: Any) -> None:
        self.trouble: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", lambda line: self.trouble.append(line.text) if line.type in ("error", "warning") else None)
        page.on("pageerror", lambda problem: self.trouble.append(str(problem)))
        page.on("request", lambda request: self.hosts.add(request.url.split("/")[2] if "//" in request.url else "data"))


@pytest.fixture(scope="module")
def opened(viz: VizProcess) -> Iterator[tuple[Any, Seen]]:
    with browser() as started:
        page = started.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
        page.set_default_timeout(PATIENCE_MS)
        seen = Seen(page)
        page.goto(viz.address)
        page.wait_for_selector(".view:not([aria-busy])")
        yield page, seen


@pytest.fixture
def page(opened: tuple[Any, Seen], viz: VizProcess) -> Iterator[Any]:
    """Yield the page; whatever a test does, nothing may fail silently or leave this machine."""
    tab, seen = opened
    tab.set_viewport_size({"width": 1280, "height": 900})
    yield tab
    assert seen.trouble == []
    assert seen.hosts == {f"127.0.0.1:{viz.port}"}
    assert tab.evaluate("window.hacked") is None


def go(page: Any, viz: VizProcess, where: str) -> None:
    """Open a view by its address, as a deep link does."""
    page.goto("about:blank")
    page.goto(f"{viz.url}/#/{where}")
    page.wait_for_selector(".view:not([aria-busy])")


def page_of(view: str, store: Prepared) -> str:
    """Return the address of a view with something in it."""
    special = {
        "search": "search?q=hostile",
        "briefing": f"briefing?project={store.shop}",
        "memory": f"memory/{store.anchored}",
    }
    return special.get(view, view)


# --- search ---


def test_search_lists_the_newest_and_pages_through_all(page: Any, viz: VizProcess) -> None:
    go(page, viz, "search")
    assert f"{MEMORIES + 7:,} memories, newest first" in page.inner_text(".found")
    assert page.locator(".hit").count() == 30
    page.click("text=Show more")
    page.locator(".hit").nth(59).wait_for()


def test_search_answers_as_you_type_with_score_reason_and_freshness(page: Any, viz: VizProcess) -> None:
    go(page, viz, "search")
    page.type("input[type=search]", "prices tax gross", delay=20)
    page.wait_for_selector(".hit:has-text('19 % tax') .score")
    first = page.locator(".hit").first
    assert "code changed" in first.inner_text() and "matches" in first.inner_text() and "shop" in first.inner_text()
    assert 0 < float(first.locator(".score").inner_text()) <= 1
    assert first.locator("mark").all_inner_texts()[:2] == ["Prices", "tax"]
    assert "q=prices" in page.url  # a deep link to the same answer


def test_filters_and_the_day_narrow_the_answer(page: Any, viz: VizProcess) -> None:
    go(page, viz, "search?q=payment+service+retried")
    page.select_option("select[aria-label=Kind]", "decision")
    page.wait_for_selector(".hit .kind:not([data-kind=decision])", state="detached")
    page.select_option("select[aria-label=Project]", "payments")
    page.wait_for_selector(".hit:not(:has-text('payments'))", state="detached")
    assert page.locator(".hit").count() > 0
    go(page, viz, "search?ago=600")
    total = int(page.inner_text(".found").split()[0].replace(",", ""))
    assert 0 < total < MEMORIES / 2  # most were not stored then
    assert page.inner_text(".asof output") != "now"


# --- memory ---


def test_a_memory_shows_its_code_its_facts_and_what_it_replaced(page: Any, viz: VizProcess, store: Prepared) -> None:
    go(page, viz, f"memory/{store.anchored}")
    page.wait_for_selector(".code")
    assert "def gross(net, rate):" in page.inner_text(".code")
    assert "% different" in page.inner_text(".anchor")
    assert "injected" in page.inner_text("aside") and "used" in page.inner_text("aside")
    go(page, viz, f"memory/{store.amended}")
    assert "Replaces: We deploy the shop with helm" in page.inner_text("article")
    page.click("article .note a")
    page.wait_for_selector("text=Superseded by:")


def test_an_edit_is_in_the_history_and_can_be_undone(page: Any, viz: VizProcess, store: Prepared) -> None:
    go(page, viz, f"memory/{store.amended}")
    page.click("text=Edit")
    page.fill("dialog textarea", "We deploy the shop with ansible 2")
    page.click("dialog >> text=Save")
    page.wait_for_selector(".memory-text:has-text('ansible 2')")
    assert "since the cluster is gone" in page.inner_text(".diff del")
    page.click(".history button >> nth=0")
    page.wait_for_selector(".memory-text:has-text('since the cluster is gone')")


def test_archive_supersede_delete_and_purge_ask_and_do_as_they_say(page: Any, viz: VizProcess) -> None:
    go(page, viz, "search?q=case+424")
    page.click(".hit >> nth=0")
    page.wait_for_selector(".actions")
    page.click(".actions >> text=Archive")
    page.wait_for_selector(".crumbs >> text=archived")
    page.click(".actions >> text=Restore")
    page.wait_for_selector(".actions >> text=Archive")
    page.click("text=Supersede")
    page.fill("dialog textarea", "Case 424 was wrong from the start")
    page.click("dialog >> text=Save")
    page.wait_for_selector(".memory-text:has-text('wrong from the start')")
    assert "Replaces:" in page.inner_text("article")
    page.click(".actions >> text=Delete")
    page.click("dialog >> text=Cancel")
    assert page.locator(".memory-text").count() == 1
    page.click(".actions >> text=Delete")
    page.click("dialog button.danger")
    page.click("text=Undo")
    page.wait_for_selector(".memory-text:has-text('wrong from the start')")
    page.click(".actions >> text=Purge")
    assert "cannot be undone" in page.inner_text("dialog")
    page.click("dialog button.danger")
    page.wait_for_selector("text=No byte of it is left")


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_shown_as_text(page: Any, viz: VizProcess, text: str) -> None:
    """A fixture asserts that no script of it ran. Control and bidi characters are shown as escapes."""
    go(page, viz, "search?q=hostile")
    page.wait_for_selector(".hit")
    shown = page.inner_text(".hits")
    escaped = "".join(mark if mark.isprintable() else json.dumps(mark)[1:-1] for mark in text)
    escaped = escaped.replace("\\u001b", "\\x1b").replace("\\u0007", "\\x07")
    assert escaped in shown
    assert page.locator("main img, main script, main b").count() == 0


# --- briefing ---


def test_the_briefing_is_word_for_word_what_an_assistant_gets(page: Any, viz: VizProcess, store: Prepared) -> None:
    go(page, viz, f"briefing?project={store.shop}")
    assert "Never push to main without a review" in page.inner_text(".brief")
    assert "importance 0.90" in page.inner_text(".brief")
    page.click("summary")
    text = page.inner_text(".raw")
    assert text.startswith("<recollect-context note=") and "- Never push to main without a review" in text
    page.fill("textarea", "how do we deploy the shop with ansible?")
    page.wait_for_selector("h2:has-text('For this prompt')")
    assert "ansible" in page.inner_text(".brief") and "Never push" not in page.inner_text(".brief")


def test_a_useless_line_is_not_injected_again_until_undone(page: Any, viz: VizProcess, store: Prepared) -> None:
    go(page, viz, f"briefing?project={store.shop}")
    line = ".line:has-text('Never push to main')"
    page.click(f"{line} >> text=Useless")
    page.wait_for_selector(line, state="detached")
    page.click(".note >> text=Undo")
    page.wait_for_selector(line)


# --- sessions ---


def test_sessions_show_events_injected_memories_and_their_use(page: Any, viz: VizProcess) -> None:
    go(page, viz, "sessions")
    assert f"{SESSIONS} sessions, newest first" in page.inner_text(".session-list")
    assert {"claude", "codex", "gemini"} <= {name.lower() for name in page.locator(".assistant").all_inner_texts()}
    page.click("a.session:has(.assistant:has-text('claude')) >> nth=0")
    page.wait_for_selector(".timeline li.failed:has-text('AssertionError')")
    page.click(".injected summary")
    injected = page.inner_text(".injected")
    assert "its file was opened" in injected and "not used" in injected and "importance" in injected
    names, values = (page.locator(f".numbers {part}").all_inner_texts() for part in ("dt", "dd"))
    numbers = dict(zip(names, values, strict=True))
    assert int(numbers["injected"]) > int(numbers["of them used"]) > 0
    tokens = [int(numbers[name].removeprefix("about ")) for name in ("tokens injected", "tokens of used memories")]
    assert tokens[0] > tokens[1] > 0


# --- health ---


def test_health_shows_the_store_and_settles_drift_one_by_one(page: Any, viz: VizProcess) -> None:
    go(page, viz, "health")
    numbers = page.inner_text(".numbers.large")
    assert "memories" in numbers and f"{SESSIONS}" in numbers and "schema" in numbers
    assert "keyword-only" in page.inner_text(".checks >> nth=0")
    assert "updated" in page.inner_text("#indexed")
    before = page.inner_text("#drift [role=status]")
    assert "19 % tax" in page.inner_text(".case")  # stated memories come before observed ones
    page.click(".case >> text=Still true")
    page.wait_for_selector("#drift >> text=Kept.")
    assert page.inner_text("#drift .small[role=status]") != before
    page.click("#drift .note >> text=Undo")
    page.wait_for_selector(".case:has-text('19 % tax')")


def test_the_installation_is_checked_on_request(page: Any, viz: VizProcess) -> None:
    go(page, viz, "health")
    page.click("#assistants button")
    page.wait_for_selector("#assistants .checks li:has-text('recollect home')")


# --- keyboard, accessibility, size ---


def focus_of(page: Any) -> str:
    """Return the text or the label of the element that has the focus."""
    told: str = page.evaluate(
        "(document.activeElement.getAttribute('aria-label') || document.activeElement.innerText || '').trim()"
    )
    return told


def tabbed(page: Any, target: str, most: int = 80) -> None:
    """Press the tab key until an element has the focus, as somebody without a mouse does; then press Enter."""
    for _ in range(most):
        if focus_of(page).startswith(target):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not reach {target}")


def test_keys_search_walk_a_list_edit_and_go_back(page: Any, viz: VizProcess) -> None:
    go(page, viz, "health")
    page.keyboard.press("g")
    page.keyboard.press("s")
    page.wait_for_selector(".view-search:not([aria-busy])")
    page.keyboard.press("Escape")
    page.keyboard.press("/")
    page.keyboard.type("ansible helm cluster")
    page.wait_for_selector(".hit:has-text('ansible')")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.className") == "hit"
    page.keyboard.press("Enter")
    page.wait_for_selector(".view-memory .actions")
    page.keyboard.press("e")
    page.wait_for_selector("dialog[open]")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="detached")
    page.keyboard.press("Escape")
    page.wait_for_selector(".view-search")
    page.keyboard.press("?")
    assert "next, previous" in page.inner_text("dialog")
    page.keyboard.press("Escape")


def test_every_action_is_reached_with_the_tab_key(page: Any, viz: VizProcess, store: Prepared) -> None:
    """Each action is a button in the order of the page, and the focus stays near it after it is done."""
    go(page, viz, f"memory/{store.amended}")
    names = page.locator(".actions button").all_inner_texts()
    assert names == ["Edit", "Supersede", "Archive", "Delete", "Purge"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # skip to the content: the view stays
    assert page.evaluate("document.activeElement.id") == "main" and "memory/" in page.url
    tabbed(page, "Archive")
    page.wait_for_selector(".actions >> text=Restore")
    assert focus_of(page) == "Edit"
    tabbed(page, "Restore")
    page.wait_for_selector(".actions >> text=Archive")
    for name in ("Supersede", "Delete", "Purge"):
        tabbed(page, name)
        page.wait_for_selector("dialog[open]")
        page.keyboard.press("Escape")
        page.wait_for_selector("dialog", state="detached")
        assert focus_of(page) == name
    go(page, viz, f"briefing?project={store.shop}")
    tabbed(page, "Useless")
    page.wait_for_selector(".note")
    tabbed(page, "Undo")
    page.wait_for_selector(".note", state="detached")
    go(page, viz, "health")
    tabbed(page, "Still true")
    page.wait_for_selector("#drift >> text=Kept.")
    tabbed(page, "Undo", most=1)  # it has the focus already
    page.wait_for_selector("#drift .note", state="detached")
    tabbed(page, "Preview Forget")
    page.wait_for_selector(".plan >> text=Would change")
    assert page.locator(".steps-list li").count() > 0
    tabbed(page, "Apply")
    page.wait_for_selector("#clean-up .note")
    tabbed(page, "Undo", most=1)
    page.wait_for_selector("#clean-up .note", state="detached")


def serious(tab: Any) -> list[tuple[str, list[str]]]:
    """Return the serious violations that axe-core finds on the page."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed: `make test` installs it if npm is there")
    tab.wait_for_load_state("networkidle")
    # The policy of the page forbids foreign scripts: they are evaluated by the debugger, not loaded.
    tab.evaluate(AXE.read_text(encoding="utf-8"))
    found = tab.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    grave = [row for row in found if row["impact"] in ("serious", "critical")]
    return [(row["id"], [node["html"] for node in row["nodes"]][:3]) for row in grave]


@pytest.mark.parametrize("view", [*VIEWS, "memory", "welcome"])
def test_axe_finds_no_serious_violation(page: Any, viz: VizProcess, store: Prepared, view: str) -> None:
    go(page, viz, page_of(view, store))
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        assert serious(page) == []
    page.emulate_media(color_scheme="light")


@pytest.mark.parametrize("view", [*VIEWS, "memory", "welcome"])
def test_a_small_screen_is_wide_enough_and_has_targets_for_a_finger(
    page: Any, viz: VizProcess, store: Prepared, view: str
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, viz, page_of(view, store))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    heights = "[...document.querySelectorAll('main button, main select')].map((one) => one.offsetHeight || 40)"
    assert min(page.evaluate(heights), default=40) >= 36


# --- an empty store, and a session that may only read ---


def test_an_empty_store_explains_the_first_steps(tmp_path: Path, opened: tuple[Any, Seen]) -> None:
    with VizProcess(tmp_path / "home") as empty:
        tab = opened[0].context.browser.new_page()
        tab.goto(empty.address)
        tab.wait_for_selector("text=Nothing is stored yet")
        assert "recollect init" in tab.inner_text("main")
        for view in ("briefing", "sessions", "health"):
            go(tab, empty, view)
            assert "did not work" not in tab.inner_text("main")
        tab.close()


def test_a_read_only_session_shows_and_changes_nothing(store: Prepared, opened: tuple[Any, Seen]) -> None:
    with VizProcess(store.home, "--read-only") as viewer:
        tab = opened[0].context.browser.new_page()
        tab.goto(viewer.address)
        tab.wait_for_selector(".hit")
        assert "read-only" in tab.inner_text("#side")
        go(tab, viewer, f"memory/{store.anchored}")
        assert "19 % tax" in tab.inner_text("article") and tab.locator(".actions").count() == 0
        answer = tab.evaluate(
            "fetch('/api/v1/delete_memory', {method: 'POST', headers: {'content-type': 'application/json'},"
            f" body: JSON.stringify({{memory_id: '{store.anchored}'}})}}).then((one) => one.status)"
        )
        assert answer == 403
        tab.close()


# --- who is served ---


def ask(viz: VizProcess, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", viz.port, timeout=PATIENCE_MS / 1000)
    try:
        connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
    finally:
        connection.close()


PATHS = (
    "/",
    "/static/app.js",
    "/static/style.css",
    "/session.json",
    "/doctor.json",
    "/api/v1/stats",
    "/mcp",
    "/nothing",
)


@pytest.mark.parametrize("path", PATHS)
def test_without_the_cookie_nothing_is_served(viz: VizProcess, path: str) -> None:
    for given in ({}, {"cookie": f"recollect_{viz.port}=wrong"}, {"cookie": "\x01;;="}, {"authorization": "Bearer x"}):
        status, headers, body = ask(viz, path, accept="text/html", **given)
        assert status == 401
        assert b"recollect" not in body.lower()
        assert "set-cookie" not in headers


def test_the_address_works_once_and_the_cookie_is_strict(tmp_path: Path) -> None:
    with VizProcess(tmp_path / "home") as viz:
        assert ask(viz, "/open?t=wrong")[0] == 401
        status, headers, _ = ask(viz, f"/open?t={viz.ticket}")
        assert status == 200
        cookie, *flags = headers["set-cookie"].split("; ")
        assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(flags)
        assert ask(viz, f"/open?t={viz.ticket}")[0] == 401
        status, headers, _ = ask(viz, "/", cookie=cookie)
        assert status == 200
        policy = headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert (headers["x-content-type-options"], headers["referrer-policy"]) == ("nosniff", "no-referrer")
        assert ask(viz, "/", cookie=cookie, host="evil.example")[0] == 421
        assert ask(viz, "/api/v1/stats", cookie=cookie, origin="http://evil.example")[0] == 403
        assert ask(viz, "/static/../viz_server.py", cookie=cookie)[0] == 404
        assert ask(viz, "/static/..%2fpages.py", cookie=cookie)[0] == 404
