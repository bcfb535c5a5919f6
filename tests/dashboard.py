"""A store for the dashboard, a `recollect viz` process over it, and a browser.

The store has a small project indexed, 600 memories and 12 sessions.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.http_server import COMMAND, PATIENCE_S
from tests.payloads import claude, codex, edited, failed, gemini, in_session, looked, ran
from tests.trees import git

from recollect import Engine, clock

ROOT = Path(__file__).parents[1]
MEMORIES = 600
SESSIONS = 12
DAY = 86_400
# Between two sessions.
SPACING = 11 * 3_600
CHROMIUM = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), ""
)
AXE = ROOT / ".tools/node_modules/axe-core/axe.min.js"

# Text that would be markup, a script, a link, a terminal sequence or reordered text, if it were not shown as text.
HOSTILE = (
    '<img src=x onerror="window.hacked=1"><script>window.hacked=2</script> hostile html in a memory',
    "[click](javascript:window.hacked=3) **bold** `code` <b>hostile markdown</b>",
    "hostile control \x1b[31mred\x07 and \u202egnp.exe\u202c reordered \u200bzero",
)

SUBJECTS = (
    "The payment service", "The search index", "The import job", "The login page", "The cache of prices",
    "The order queue", "The nightly backup", "The release script", "The date parser", "The retry policy",
    "The schema migration", "The upload endpoint", "The session store", "The rate limiter",
    "The feature flag client", "The audit log",
)  # fmt: skip
FACTS = (
    "reads its settings once at start", "writes through a single connection", "is retried three times with backoff",
    "keeps dates in UTC", "must not log request bodies", "is tested against a real database",
    "runs before the deploy, not after it", "uses keyset pagination", "validates input at the boundary",
    "fails closed when the token is missing", "streams large files in chunks", "has a timeout of five seconds",
)  # fmt: skip
REASONS = (
    "because two writers deadlocked in production", "because the vendor throttles bursts", "after the outage in March",
    "so that a crash loses no order", "because reviewers asked for it twice", "since the old way doubled the latency",
    "because customers in other time zones saw wrong totals", "to keep the migration reversible",
)  # fmt: skip
TYPES = ("decision", "insight", "preference", "pattern", "context", "habit", "style")


class Prepared(NamedTuple):
    """The home folder, a project whose code drifted, and ids of memories with a story."""

    home: Path
    shop: Path
    amended: str
    anchored: str


def prepare(folder: Path) -> Prepared:
    """Make the store. Embeddings are off: search is by keywords, and nothing waits for a model."""
    home, shop = folder / "home", folder / "shop"
    with Engine(home=str(home), embed_provider="off") as engine:
        engine.archive.import_(content="\n".join(_memories(MEMORIES)))
        shop.mkdir()
        git(shop, "init", "-q")
        (shop / "price.py").write_text(
            '"""Prices."""\n\nTAX = 19\n\n\ndef gross(net):\n    return net * (100 + TAX) / 100\n'
        )
        engine.code.index(str(shop))
        anchored = engine.memories.store(
            "Prices are computed with 19 % tax in one place, gross(), because invoices must agree",
            memory_type="decision", namespace=str(shop), importance=0.9, anchors=("price.py::gross",),
        ).memory.id  # fmt: skip
        first = engine.memories.store(
            "We deploy the shop with helm", memory_type="decision", namespace=str(shop), importance=0.8
        ).memory.id
        amended = engine.memories.store(
            "We deploy the shop with ansible, not helm, since the cluster is gone",
            memory_type="decision", namespace=str(shop), importance=0.8, supersedes=first, tags=("deploy",),
        ).memory.id  # fmt: skip
        engine.memories.store(
            "Never push to main without a review", memory_type="preference", namespace=str(shop), importance=0.9
        )
        for text in HOSTILE:
            engine.memories.store(
                text, memory_type="preference", namespace=str(shop), importance=0.7, deduplicate=False
            )
        _sessions(engine, shop, SESSIONS)
        (shop / "price.py").write_text(
            '"""Prices."""\n\n\ndef gross(net, rate):\n    return round(net * (1 + rate), 2)\n'
        )
        engine.code.index(str(shop))
    return Prepared(home, shop, amended, anchored)


def _memories(count: int) -> Iterator[str]:
    chance, now = random.Random(7), clock.now()
    yield json.dumps({"kind": "recollect", "format": 1})
    for number in range(count):
        subject, fact, why = chance.choice(SUBJECTS), chance.choice(FACTS), chance.choice(REASONS)
        at = now - chance.randrange(1, 700) * DAY
        yield json.dumps(
            {
                "kind": "memory",
                "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
                "content": f"{subject} {fact} {why} (case {number}).",
                "memory_type": chance.choice(TYPES),
                "importance": round(chance.random(), 2),
                "namespace": chance.choice(("payments", "storefront", "warehouse")),
                "tags": chance.sample(("api", "db", "ops", "security", "tests"), 2),
                "created_at": at,
                "updated_at": at,
                "source": chance.choice(("user", "assistant", "import")),
            }
        )


def _sessions(engine: Engine, shop: Path, count: int) -> None:
    """Play sessions of three assistants, a day apart: they start, ask, read, edit, fail, test and end."""
    real, at = clock.now, clock.now() - count * SPACING
    try:
        for number in range(count):
            at += SPACING
            moment = at
            for raw in _events(number):
                moment += 20
                clock.now = lambda moment=moment: moment  # type: ignore[assignment,misc]
                given = {**json.loads(raw), "cwd": str(shop)}
                payload = json.dumps(given).replace("/nowhere/shop", str(shop)).encode()
                engine.presence.answer(payload)
                engine.capture.put(payload)
            engine.capture.drain()
    finally:
        clock.now = real


def _events(number: int) -> Iterator[bytes]:
    session, tell = f"session-{number:03}", (claude, codex, gemini)[number % 3]
    asked = "how do we deploy the shop?" if number % 2 else "change how prices are computed with tax in gross()"
    if tell is not claude:
        yield in_session(session, tell("SessionStart", source="startup"))
        yield in_session(session, tell("BeforeAgent" if tell is gemini else "UserPromptSubmit", prompt=asked))
        return
    yield in_session(session, claude("SessionStart", source="startup"))
    yield in_session(session, claude("UserPromptSubmit", prompt=asked))
    yield in_session(session, looked())
    yield in_session(session, edited("TAX = 19", f"TAX = {number}"))
    yield in_session(session, failed("pytest -q", f"AssertionError: assert {number} == 19"))
    yield in_session(session, ran("pytest -q", "12 passed"))
    yield in_session(session, claude("Stop", last_assistant_message="Deploy with ansible; prices use gross()."))
    yield in_session(session, claude("SessionEnd", reason="exit"))


class VizProcess:
    """A `recollect viz` process; leaving its block ends it with SIGTERM."""

    def __init__(self, home: Path, *options: str, cwd: Path | None = None, **settings: str) -> None:
        own = {name: value for name, value in os.environ.items() if not name.startswith("RECOLLECT_")}
        self.process = subprocess.Popen(
            [COMMAND, "viz", "--no-browser", *options],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=cwd or home.parent,
            env={**own, "RECOLLECT_HOME": str(home), "RECOLLECT_EMBED_PROVIDER": "off", **settings},
            text=True,
        )
        assert self.process.stdout is not None
        self.said = self.process.stdout.readline() + self.process.stdout.readline()
        found = re.search(r"(http://127\.0\.0\.1:(\d+))/open\?t=(\S+)", self.said)
        assert found, self.process.communicate(timeout=PATIENCE_S)
        self.address, self.url, self.port, self.ticket = found[0], found[1], int(found[2]), found[3]

    def __enter__(self) -> VizProcess:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.remarks = self.process.communicate(timeout=PATIENCE_S)[1]
        assert self.process.returncode == 0


@contextmanager
def browser(*options: str) -> Iterator[Any]:
    """Start Chromium; skips the test if it or Playwright is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if not CHROMIUM:
        pytest.skip("Chromium is not installed: apt-get install chromium")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu-sandbox", *options]
        )
        try:
            yield started
        finally:
            started.close()
