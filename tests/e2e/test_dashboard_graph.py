"""The graph and the map in a browser: drawn, searched, walked and listed, by pointer and by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.dashboard import AXE, HOSTILE, VizProcess, browser
from tests.waiting import PATIENCE_S

from recollect import Engine

PATIENCE_MS = 1_000 * PATIENCE_S
WEBGL = ("--use-gl=angle", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader")
SOURCES = {
    "shop/price.py": (
        "from shop.tax import rate\n\n\ndef gross(net):\n    return net * rate()\n\n\n"
        "def total(nets):\n    return sum(map(gross, nets))\n"
    ),
    "shop/tax.py": "def rate():\n    return 1.19\n",
    "mail/send.py": "def send(text):\n    return check(text)\n\n\ndef check(text):\n    return bool(text)\n",
}
TOPICS = (
    "We deploy the shop with ansible",
    "Prices are rounded half up",
    "Mail is sent by the queue worker",
    "Backups run every night",
)
MEMORIES = 100


class Prepared(NamedTuple):
    home: Path
    folder: Path
    hostile: str


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    home, folder = tmp_path_factory.mktemp("graph") / "home", tmp_path_factory.mktemp("code")
    for name, text in SOURCES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    with Engine(home=str(home)) as engine:
        engine.code.index(str(folder))
        for number in range(MEMORIES):
            engine.memories.store(f"{TOPICS[number % 4]}: rule {number}", namespace="app", deduplicate=False)
        hostile = engine.memories.store(HOSTILE[0], namespace="app").memory.id
        engine.memories.associate(hostile, f"sym:{folder}/shop/price.py::gross", relationship="EXPLAINS")
        engine.embedding.catch_up()
    return Prepared(home, folder, hostile)


@pytest.fixture(scope="module")
def viz(store: Prepared) -> Iterator[VizProcess]:
    with VizProcess(store.home, RECOLLECT_EMBED_PROVIDER="local", RECOLLECT_WATCH="false") as process:
        yield process


@pytest.fixture(scope="module")
def opened(viz: VizProcess) -> Iterator[tuple[Any, list[str]]]:
    with browser(*WEBGL) as started:
        page = started.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce").new_page()
        page.set_default_timeout(PATIENCE_MS)
        trouble: list[str] = []
        page.on(
            "console",
            lambda line: trouble.append(f"{line.text} {line.location}") if line.type in ("error", "warning") else None,
        )
        page.on("pageerror", lambda problem: trouble.append(str(problem)))
        page.goto(viz.address)
        page.wait_for_selector("#side nav a")
        yield page, trouble


@pytest.fixture
def page(opened: tuple[Any, list[str]]) -> Iterator[Any]:
    """Yield the page; the software renderer's remarks on its own speed do not count."""
    tab, trouble = opened
    yield tab
    assert [line for line in trouble if "GL Driver Message" not in line] == []
    assert tab.evaluate("window.hacked") is None


def go(page: Any, viz: VizProcess, where: str, drawn: str) -> None:
    page.goto("about:blank")
    page.goto(f"{viz.url}/#/{where}")
    page.wait_for_selector(drawn, state="attached")


def graph(page: Any, viz: VizProcess, query: str = "") -> None:
    go(page, viz, f"graph{query}", "canvas[data-nodes]")


def find(page: Any, name: str) -> None:
    page.fill(".find", name)
    page.press(".find", "Enter")
    page.wait_for_selector(f".panel h2.title:text-is('{name}')")


def listed(page: Any) -> list[str]:
    found: list[str] = page.locator(".panel .list .name").all_inner_texts()
    return found


# --- the graph ---


def test_the_graph_is_drawn_and_everything_in_it_is_listed(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    assert page.locator("canvas[data-nodes]").get_attribute("data-nodes") == "9"
    assert "9 nodes" in page.inner_text(".bar [role=status]")
    assert {*SOURCES, "gross", "total", "rate", "send", "check"} <= set(listed(page))
    assert any("mail" in name for name in page.locator(".legend .name").all_inner_texts())


def test_a_node_is_found_by_name_and_shows_its_links(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "gross")
    rows = page.locator(".panel .list li").all_inner_texts()
    assert any("rate" in row and "calls →" in row for row in rows)
    assert any("shop/price.py" in row and "← contains" in row for row in rows)
    assert "node=sym" in page.url  # a deep link to the same node
    graph(page, viz, page.url.partition("#/graph")[2])
    page.wait_for_selector(".panel h2.title:text-is('gross')")


def test_a_click_selects_and_escape_lets_go(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "rate")  # it lies in the middle now
    page.locator(".drawing").focus()
    page.keyboard.press("Escape")
    page.wait_for_selector(".panel h2:text('Most central')")
    box = page.locator(".drawing").bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".panel h2.title:text-is('rate')")


def test_zooming_stretches_the_picture_until_it_is_drawn_again(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "rate")  # it lies in the middle now
    page.wait_for_timeout(400)  # it rests
    turn = """(by) => {
      const box = document.querySelector(".drawing").getBoundingClientRect();
      const at = {clientX: box.left + box.width / 2, clientY: box.top + box.height / 2, deltaY: by, bubbles: true};
      document.querySelector(".drawing").dispatchEvent(new WheelEvent("wheel", {...at, cancelable: true}));
      return document.querySelector("canvas").style.transform;
    }"""
    assert page.evaluate(turn, -100).endswith("scale(1.17351)")
    page.wait_for_function("() => document.querySelector('canvas').style.transform === ''")
    assert page.evaluate(turn, -2000) == ""  # too coarse to stretch
    box = page.locator(".drawing").bounding_box()
    page.keyboard.press("Escape")
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.wait_for_selector(".panel h2.title:text-is('rate')")


def test_keys_pan_and_zoom_and_reach_every_neighbour(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "gross")
    page.locator(".drawing").focus()
    before = page.locator(".stage").screenshot()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("+")
    page.wait_for_timeout(400)  # it rests: all lines are drawn
    assert page.locator(".stage").screenshot() != before
    page.keyboard.press("j")
    first = page.evaluate("document.activeElement.textContent")
    page.keyboard.press("Enter")
    page.wait_for_function(
        "(name) => name.startsWith(document.querySelector('.panel h2.title').textContent)", arg=first
    )


def test_the_neighbourhood_of_a_node_can_be_drawn_alone(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "rate")
    page.click("button:text-is('Neighbourhood')")
    page.wait_for_selector(".banner:has-text('Around rate')")
    page.select_option(".banner select", "1")
    page.wait_for_selector(".bar [role=status]:has-text('3 nodes')")
    page.click("button:text-is('Whole graph')")
    page.wait_for_selector(".bar [role=status]:has-text('9 nodes')")


def test_the_path_between_two_nodes_is_listed_in_order(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "total")
    page.click("button:text-is('Path to…')")
    page.fill(".find", "rate")
    page.press(".find", "Enter")
    page.wait_for_selector("h2:text('Path of 2 links')")
    assert listed(page) == ["total", "gross", "rate"]


def test_the_impact_of_a_symbol_is_listed_with_its_confidence(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    find(page, "rate")
    page.click("button:text-is('Impact')")
    page.wait_for_selector("h2:text('A change affects')")
    assert {"gross", "total"} <= set(listed(page))
    assert "direct" in page.inner_text(".panel")


def test_filters_hide_kinds_and_say_how_many_are_left(page: Any, viz: VizProcess) -> None:
    graph(page, viz)
    page.click("summary:text('Filters')")
    page.uncheck(".kinds label:has-text('Function') input")
    page.wait_for_selector(".bar [role=status]:has-text('4 of 9 nodes')")
    page.check(".kinds label:has-text('Function') input")
    page.fill("input[type=range]", "100")
    page.wait_for_selector(".bar [role=status]:has-text('1 of 9 nodes')")


def test_a_hostile_memory_is_text_in_the_graph_and_leads_to_its_page(
    page: Any, viz: VizProcess, store: Prepared
) -> None:
    graph(page, viz, f"?node={store.hostile}")
    page.wait_for_selector(".panel h2.title:has-text('<img src=x')")
    assert page.locator(".panel a.button").get_attribute("href") == f"#/memory/{store.hostile}"


# --- the map ---


def test_the_map_names_its_clusters_and_links_to_memories(page: Any, viz: VizProcess) -> None:
    go(page, viz, "map", "canvas[data-points]")
    assert page.locator("canvas[data-points]").get_attribute("data-points") == str(MEMORIES + 1)
    assert "variance" in page.inner_text(".bar [role=status]")
    names = " ".join(page.locator(".legend .name").all_inner_texts())
    assert "ansible" in names or "mail" in names or "prices" in names
    page.locator(".legend button").first.click()
    page.wait_for_selector("h2:text('Memories of')")
    page.locator(".panel .list:not(.legend) button").first.click()
    page.wait_for_selector("h2:text('Nearest on the map')")
    assert len(listed(page)) == 12
    assert "node=" in page.url  # a deep link to the same memory
    page.click("text=Open memory")
    page.wait_for_selector(".view-memory")


def test_the_map_turns_by_key_and_drag_and_can_be_flat(page: Any, viz: VizProcess) -> None:
    go(page, viz, "map", "canvas[data-points]")
    stage = page.locator(".stage")
    pictures = [stage.screenshot()]
    page.locator(".drawing").focus()
    page.keyboard.press("ArrowRight")
    page.wait_for_timeout(300)
    pictures.append(stage.screenshot())
    box = stage.bounding_box()
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + 300, box["y"] + 260, steps=3)
    page.mouse.up()
    page.wait_for_timeout(300)
    pictures.append(stage.screenshot())
    page.click("button:text-is('2-D')")
    page.wait_for_timeout(300)
    pictures.append(stage.screenshot())
    assert len(set(pictures)) == 4
    assert "flat=1" in page.url


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_both_views_are_accessible(page: Any, viz: VizProcess, theme: str) -> None:
    if not AXE.exists():
        pytest.skip("axe-core is not installed: make test installs it")
    page.emulate_media(color_scheme=theme)
    for where, drawn in (("graph", "canvas[data-nodes]"), ("map", "canvas[data-points]")):
        go(page, viz, where, drawn)
        page.evaluate(AXE.read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        serious = [rule for rule in found["violations"] if rule["impact"] in ("serious", "critical")]
        assert [(rule["id"], rule["nodes"][0]["html"]) for rule in serious] == []


def test_without_webgl_the_lists_still_work(viz: VizProcess, opened: tuple[Any, list[str]]) -> None:
    page = opened[0].context.new_page()
    page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    page.goto(f"{viz.url}/#/graph")
    page.wait_for_selector(".drawing:has-text('no WebGL')")
    assert {"gross", "rate"} <= set(listed(page))
    page.close()
