"""Two processes create and revoke access tokens at the same time: one wins, none is lost, no token comes back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.waiting import PATIENCE_S

from recollect import Engine
from recollect.errors import Unauthorized

# Waits for a line, so that both processes begin together.
RACER = """
import json, sys
from recollect import Engine
from recollect.errors import RecollectError

def tried(call):
    try:
        return call()
    except RecollectError as error:
        return error.code

with Engine(home=sys.argv[1], embed_provider="off") as engine:
    tokens, own = engine.access_tokens, sys.argv[2]
    tokens.list()
    print("ready", flush=True)
    sys.stdin.readline()
    names = [tried(lambda: tokens.create(f"both{number}").secret) for number in range(10)]
    secrets = [tokens.create(f"{own}{number}").secret for number in range(10)]
    used = [tried(lambda: tokens.check(secret).name) for secret in secrets]
    ended = [tried(lambda: tokens.revoke("old").state) for number in range(5)]
    print(json.dumps({"names": names, "secrets": secrets, "used": used, "ended": ended}))
"""


def test_two_processes_create_and_revoke_tokens_at_once(tmp_path: Path) -> None:
    home = str(tmp_path / "home")
    with Engine(home=home, embed_provider="off") as engine:
        old = engine.access_tokens.create("old").secret
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACER, home, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in ("a", "b")
    ]
    for racer in racers:
        assert racer.stdout is not None and racer.stdout.readline() == "ready\n"
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("\n")
        racer.stdin.flush()
    told = [json.loads(racer.communicate(timeout=PATIENCE_S)[0]) for racer in racers]
    assert [racer.returncode for racer in racers] == [0, 0]
    first, second = told
    for one, other in zip(first["names"], second["names"], strict=True):
        assert (one == "CONFLICT") != (other == "CONFLICT")
    assert {tuple(row["used"]) for row in told} == {tuple(f"{own}{n}" for n in range(10)) for own in "ab"}
    assert [set(row["ended"]) for row in told] == [{"revoked"}, {"revoked"}]
    secrets = [secret for row in told for secret in (*row["names"], *row["secrets"]) if secret != "CONFLICT"]
    with Engine(home=home, embed_provider="off") as engine:
        assert len({engine.access_tokens.check(secret).token_id for secret in secrets}) == 30
        with pytest.raises(Unauthorized):
            engine.access_tokens.check(old)
        assert len(engine.access_tokens.list().tokens) == 31
        assert engine.store.check(thorough=True) == []
