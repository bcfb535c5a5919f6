"""The files of the dashboard: all are listed and shipped, small, and none can turn a memory into markup."""

from __future__ import annotations

import gzip
import re
from importlib.resources import files
from pathlib import Path

import pytest

from recollect.engine import LOCAL_GRANT
from recollect.surface.dashboard import viz_server as pages
from recollect.surface.dashboard.viz_server import FILES, TYPES, BrowserSession

STATIC = Path(str(files("recollect.surface.dashboard").joinpath("static")))
# Compressed, everything together.
MOST_BYTES = 600_000
OURS = [name for name in FILES if name.endswith(".js") and not name.startswith("vendor/")]


def test_every_file_is_served_and_every_served_file_is_there() -> None:
    there = {path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file()}
    assert {name for name in there if not name.endswith((".md", ".txt"))} == {*FILES, "index.html"}
    assert all(name.rpartition(".")[2] in TYPES for name in FILES)


def test_the_bundle_is_small() -> None:
    assert sum(len(gzip.compress((STATIC / name).read_bytes())) for name in (*FILES, "index.html")) <= MOST_BYTES


@pytest.mark.parametrize("name", OURS)
def test_no_script_of_ours_writes_markup(name: str) -> None:
    text = (STATIC / name).read_text(encoding="utf-8")
    assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc", text)
    assert not re.findall(r"https?://(?!www\.w3\.org/)", text)


def test_no_page_has_inline_code() -> None:
    page = (STATIC / "index.html").read_text(encoding="utf-8")
    assert not re.findall(r"<script>|<style|\son\w+=|\sstyle=|https?://", page)


def test_a_ticket_dies_of_old_age(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter((0.0, pages.TICKET_S + 1.0, pages.TICKET_S + 1.0))
    monkeypatch.setattr(pages.time, "monotonic", lambda: next(clock))
    session = BrowserSession(LOCAL_GRANT, 1)
    assert session.redeem(session.ticket) == ""
