"""The graph view at full size: layout, first paint, frames while panning, and the size of the page.

    python bench/dashboard.py [--nodes 50000] [--edges 150000] [--frames 150] [--chromium /usr/bin/chromium] [--save]

A graph of communities like those of code is written to a new store, `recollect viz` serves it, and Chromium draws it
with a software renderer (SwiftShader) in a window of 1440 × 900. Panning is one pointer move of 9 pixels per frame, 675
pixels to one side and back: the canvas slides, and is drawn again when its edge comes into sight.

    layout_cpu_ms        the operation graph_layout in a process of its own, the graph loaded
    answer_mb, answer_ms the same over REST when the layout is cached: bytes and time until the last one
    first_paint_ms       the first content of the page
    drawn_ms             from opening #/graph until the graph is drawn, layout cached
    frame_ms             time between two frames while panning
    zoom_frame_ms        the same while zooming: the picture is stretched, and drawn again when it gets coarse
    frame_cpu_ms         CPU time of all Chromium processes per frame of panning, which other programs do not change
    zoom_cpu_ms          the same per frame of zooming
    still_cpu_ms         CPU time of one frame at rest, all edges drawn
    static_kb            all files of the page, compressed one by one with gzip
    load                 the load average before: above 0.5 per core other programs slow the times down
"""

from __future__ import annotations

import argparse
import gzip
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from playwright.sync_api import Page, sync_playwright

import measure
from recollect import Engine

COMMAND = str(Path(sys.executable).with_name("recollect"))
# As Chromium does on a machine without a graphics card: WebGL by SwiftShader, pages put together by the processor.
SWITCHES = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader-webgl", "--enable-unsafe-swiftshader"]
WINDOW = {"width": 1440, "height": 900}
COMMUNITIES = 120
KINDS = ("Function", "Method", "Class", "File", "Test")
RELATIONSHIPS = ("CALLS", "CONTAINS", "IMPORTS", "DEPENDS_ON")
# Of all links, those between communities.
BRIDGES = 0.08
PATIENCE_MS = 180_000
# What a frame at rest is averaged over.
STILLS = 5

PAN = """async (frames) => {
  const host = document.querySelector(".drawing"), box = host.getBoundingClientRect();
  const times = [];
  let x = box.left + box.width / 2;
  for (let place = 0; place < frames + 10; place += 1) {
    const now = await new Promise(requestAnimationFrame);
    times.push(now);
    x += place % 150 < 75 ? 9 : -9;
    const at = {pointerId: 1, clientX: x, clientY: box.top + 300, bubbles: true};
    host.dispatchEvent(new PointerEvent("pointermove", at));
  }
  return times.slice(10);
}"""
ZOOM = """async (frames) => {
  const host = document.querySelector(".drawing"), box = host.getBoundingClientRect();
  const times = [];
  for (let place = 0; place < frames; place += 1) {
    times.push(await new Promise(requestAnimationFrame));
    const at = {clientX: box.left + 400, clientY: box.top + 300, deltaY: place % 60 < 30 ? -20 : 20, cancelable: true};
    host.dispatchEvent(new WheelEvent("wheel", at));
  }
  return times.slice(10);
}"""


def fill(database: Path, nodes: int, edges: int) -> None:
    """Write a graph of communities past the log: few hubs in each, and some links between them."""
    chance = np.random.default_rng(1)
    share = chance.pareto(1.3, COMMUNITIES) + 0.3
    community = np.sort(chance.choice(COMMUNITIES, nodes, p=share / share.sum()))
    first = np.searchsorted(community, np.arange(COMMUNITIES))
    size = np.bincount(community, minlength=COMMUNITIES)
    src = chance.integers(0, nodes, edges)
    # Within its community a node links to earlier ones, which become hubs.
    own = community[src]
    dst = first[own] + (np.maximum(src - first[own], 1) * chance.random(edges) ** 2.5).astype(int)
    far = chance.random(edges) < BRIDGES
    goal = chance.choice(COMMUNITIES, int(far.sum()), p=size / size.sum())
    dst[far] = first[goal] + (size[goal] * chance.random(int(far.sum())) ** 4).astype(int)
    names = [
        f"sym:/srv/app/package{own}/module{place // 40}.py::Class{place // 8}.method{place}"
        for place, own in enumerate(community.tolist())
    ]
    connection = sqlite3.connect(database)
    with connection:
        connection.executemany(
            "INSERT INTO graph_nodes (id, kind, label, namespace) VALUES (?, ?, ?, 'app')",
            ((name, KINDS[place % len(KINDS)], name) for place, name in enumerate(names)),
        )
        connection.executemany(
            "INSERT INTO graph_edges (id, src, dst, relationship, weight, created_at) VALUES (?, ?, ?, ?, 1.0, 0)",
            (
                (str(uuid.UUID(int=place)), names[one], names[other], RELATIONSHIPS[place % len(RELATIONSHIPS)])
                for place, (one, other) in enumerate(zip(src.tolist(), dst.tolist(), strict=True))
            ),
        )
    connection.close()


def served(home: str) -> tuple[subprocess.Popen[str], str]:
    """Start the dashboard; returns its process and its address."""
    environment = {**os.environ, "RECOLLECT_HOME": home, "RECOLLECT_EMBED_PROVIDER": "off", "RECOLLECT_WATCH": "false"}
    process = subprocess.Popen(
        [COMMAND, "viz", "--no-browser"], stdout=subprocess.PIPE, text=True, env=environment, cwd=home
    )
    assert process.stdout is not None
    while line := process.stdout.readline():
        if found := re.search(r"http://\S+", line):
            return process, found[0]
    raise SystemExit("the dashboard did not start")


def browser_cpu_s() -> float:
    """Return the CPU seconds of all Chromium processes that this one started."""
    parents: dict[int, tuple[int, str, float]] = {}
    for entry in Path("/proc").glob("[0-9]*/stat"):
        try:
            head, _, tail = entry.read_text().rpartition(")")
        except OSError:  # it has just ended
            continue
        fields = tail.split()
        spent = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        parents[int(entry.parent.name)] = int(fields[1]), head.partition("(")[2], spent
    total = 0.0
    for number, (_, name, spent) in parents.items():
        above = number
        while above in parents and above != os.getpid():
            above = parents[above][0]
        total += spent if above == os.getpid() and "chrom" in name else 0.0
    return total


def watched(page: Page, address: str, frames: int) -> dict[str, Any]:
    """Return what the browser measured."""
    page.goto(address)
    page.wait_for_selector("#side nav a", timeout=PATIENCE_MS)
    parts = urlsplit(address)
    page.goto(f"{parts.scheme}://{parts.netloc}/#/graph")
    # The first call computes the layout; then the page is opened as on any later visit.
    page.wait_for_selector("canvas[data-nodes]", timeout=PATIENCE_MS)
    began = time.perf_counter()
    answer = page.evaluate(
        "fetch('/api/v1/graph_layout?limit=50000').then((got) => got.arrayBuffer()).then((body) => body.byteLength)"
    )
    answer_ms = (time.perf_counter() - began) * 1000
    page.reload(wait_until="commit")
    page.wait_for_selector("canvas[data-nodes]", timeout=PATIENCE_MS)
    page.wait_for_timeout(1500)
    paint = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    drawn = page.evaluate("performance.getEntriesByName('nodes drawn')[0].startTime")
    page.mouse.move(700, 450)
    page.mouse.down()
    before = browser_cpu_s()
    times = page.evaluate(PAN, frames)
    spent = browser_cpu_s() - before
    page.mouse.up()
    before = browser_cpu_s()
    zoomed = page.evaluate(ZOOM, frames)
    zooming = browser_cpu_s() - before
    page.wait_for_timeout(1500)
    before = browser_cpu_s()
    for _ in range(STILLS):
        page.keyboard.press("0")
        page.wait_for_timeout(700)
    still = browser_cpu_s() - before
    return {
        "answer_mb": round(answer / 1e6, 1),
        "answer_ms": round(answer_ms),
        "first_paint_ms": round(paint),
        "drawn_ms": round(drawn),
        "frame_ms": measure.summary([after - earlier for earlier, after in pairwise(times)]),
        "zoom_frame_ms": measure.summary([after - earlier for earlier, after in pairwise(zoomed)]),
        "frame_cpu_ms": round(spent / (frames + 10) * 1000, 1),
        "zoom_cpu_ms": round(zooming / frames * 1000, 1),
        "still_cpu_ms": round(still / STILLS * 1000, 1),
    }


def static_kb() -> float:
    folder = Path(str(files("recollect.surface.dashboard").joinpath("static")))
    return round(sum(len(gzip.compress(path.read_bytes())) for path in folder.rglob("*") if path.is_file()) / 1000, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", type=int, default=50_000)
    parser.add_argument("--edges", type=int, default=150_000)
    parser.add_argument("--frames", type=int, default=150)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    parser.add_argument("--save", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        with Engine(home=home, embed_provider="off") as engine:
            engine.store.generation()
            fill(engine.settings.database_path, asked.nodes, asked.edges)
            engine.store.graph_written()
            engine.links.graph()
            layout = measure.cpu_ms(lambda: engine.maps.layout(limit=asked.nodes))
        load = [round(value, 2) for value in os.getloadavg()]
        process, address = served(home)
        try:
            with sync_playwright() as driver:
                browser = driver.chromium.launch(executable_path=asked.chromium, args=SWITCHES)
                result = watched(browser.new_page(viewport=WINDOW), address, asked.frames)  # type: ignore[arg-type]
                browser.close()
        finally:
            process.terminate()
            process.wait()
    sizes = {"nodes": asked.nodes, "edges": asked.edges, "layout_cpu_ms": round(layout), "load": load}
    measure.publish("dashboard", {**sizes, **result, "static_kb": static_kb()}, save=asked.save)


if __name__ == "__main__":
    main()
