"""Nonsense over HTTP: a small part of what bench/http_load.py sends."""

from __future__ import annotations

from argparse import Namespace

import http_load


def test_nonsense_gets_answers_and_the_server_lives_on() -> None:
    found = http_load.fuzz(Namespace(messages=1_600, seed=11))
    assert found["messages"] > 1_000
    assert (found["server_errors"], found["traces"], found["hangs"], found["alive"]) == (0, 0, 0, True)
    assert {"200", "400", "404"} <= set(found["statuses"])
