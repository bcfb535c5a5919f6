"""A service that shortens observations or tells sessions, and is down, slow, broken or lying: nothing seen is lost.

The service is a real one on this machine that speaks each protocol; what hooks leave is taken in as a command would.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests import payloads
from tests.faults.child import PATIENCE_S, Child
from tests.faults.test_model_failure import FAULTS, KEY, asked_about, spoken
from tests.service import Reply, Service, serving

from recollect.engine import Engine
from recollect.model import Errand, Memory, Observed
from recollect.providers.chat import SERVICES

EVERY = pytest.mark.parametrize("name", SERVICES)
SECRET = "ghp_0123456789abcdefABCDEF0123456789abcd"
PAGE = " ".join(f"Rule {number} in tax_table.md says that all prices are gross." for number in range(12))
SHORT = "The page https://shop.example/0 says that by tax_table.md all prices are gross, in twelve rules."
TOLD = "The page https://shop.example/0 was read for what it says about prices; nothing was changed."


def fetched(number: int = 0, page: str = PAGE) -> bytes:
    """Return a page that was fetched, in Claude Code."""
    return payloads.used("WebFetch", {"url": f"https://shop.example/{number}", "prompt": "Tax?"}, {"result": page})


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as server:
        yield server


def opened(home: Path, service: Service, name: str, **options: Any) -> Engine:
    compress = {"compress_url": service.url, "compress_provider": name, "compress_api_key": KEY}
    telling = {"llm_url": service.url, "llm_provider": name, "llm_api_key": KEY, "llm_retries": 0, "summaries": "model"}
    rest = {"home": str(home), "embed_provider": "off", "compress_min_characters": 300}
    return Engine(**{**rest, **compress, **telling, **options})


def answering(name: str) -> Any:
    """Return the answers of a service that does what it is asked."""

    def answer(body: Any) -> dict[str, Any]:
        return spoken(name, TOLD if "<notes>" in asked_about(body) else SHORT)

    return answer


def contents(engine: Engine) -> list[str]:
    return [memory.content for memory in engine.store.find(Memory, {"memory_type": "context"}, order="seq")]


@pytest.mark.promise("E21", "E24")
@EVERY
def test_observations_are_shortened_and_sessions_told_over_every_protocol(
    home: Path, service: Service, name: str
) -> None:
    service.answer = answering(name)
    with opened(home, service, name) as engine:
        engine.capture.put(fetched(page=f"{PAGE} The token is {SECRET}."))
        assert engine.capture.ingest().compressed == 1
        assert contents(engine) == [SHORT]
        answer = engine.sessions.summarize("c-1")
        assert answer.session.summary == TOLD and answer.notes == ()
        (spent,) = engine.admin.spending().today[:1]
        assert (spent.calls, spent.tokens, spent.failures) == (2, 200, 0)
    assert len(service.asked) == 2
    assert SECRET not in repr(service.asked)
    assert SERVICES[name].path in {asked.path for asked in service.asked}


@pytest.mark.promise("E21")
@EVERY
@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_on_any_fault_what_was_seen_stays_as_it_is_silently_and_health_says_so(
    home: Path, service: Service, name: str, fault: Reply
) -> None:
    service.answer = lambda body: fault
    with opened(home, service, name, llm_timeout_s=0.1) as engine:
        for number in range(3):
            engine.capture.put(fetched(number))
        taken = engine.capture.ingest()
        assert (taken.stored, taken.compressed, taken.bad, taken.notes) == (3, 0, 0, ())
        assert service.heard(1) == 1  # a dead service costs one time-out, not one for every observation
        assert len(contents(engine)) == 3 and all(PAGE[:100] in content for content in contents(engine))
        check = next(row for row in engine.admin.health().checks if row.name == "language model")
        assert check.status == "degraded" and "paused" in check.detail and "3 to compress" in check.detail
        answer = engine.sessions.summarize("c-1")
        assert answer.notes[0].startswith("summarized by built-in rules: ") and answer.memory is not None
        assert answer.memory.metadata["summary_by"] == "rules"
        assert KEY not in repr((taken, answer, check, engine.admin.spending(), engine.store.find(Memory)))
        assert engine.recall.search("prices").hits


@EVERY
def test_a_service_that_echoes_its_prompt_changes_nothing(home: Path, service: Service, name: str) -> None:
    service.answer = lambda body: spoken(name, asked_about(body))
    with opened(home, service, name) as engine:
        engine.capture.put(fetched())
        assert engine.capture.ingest().compressed == 0
        assert PAGE[:100] in contents(engine)[0]
        assert "repeats the prompt" in engine.sessions.summarize("c-1").notes[0]


@EVERY
@pytest.mark.parametrize(
    "fault", [FAULTS["429"], FAULTS["500"], FAULTS["connection dropped"]], ids=["429", "500", "drop"]
)
def test_a_passing_fault_is_got_over_by_trying_again(home: Path, service: Service, name: str, fault: Reply) -> None:
    service.answer = answering(name)
    service.replies = [fault]
    with opened(home, service, name, llm_retries=1) as engine:
        engine.capture.put(fetched())
        assert engine.capture.ingest().compressed == 1
        assert len(service.asked) == 2


def test_a_process_that_is_killed_while_a_service_shortens_has_stored_what_was_seen(
    home: Path, service: Service
) -> None:
    arrived = threading.Event()

    def keep_silent(_: Any) -> Reply:
        arrived.set()
        return Reply(fault="silence")

    service.answer = keep_silent
    options = {"home": str(home), "embed_provider": "off", "compress_provider": "ollama",
               "compress_url": service.url, "compress_min_characters": 300}  # fmt: skip
    with Child("take_in", payload=fetched().decode(), options=options) as child:
        assert child.hear() == "ready"
        child.tell()
        assert arrived.wait(PATIENCE_S)
        child.kill()
    service.answer = answering("ollama")
    with Engine(**options) as engine:
        assert engine.store.count(Observed) == 1 and PAGE[:100] in contents(engine)[0]
        assert engine.store.count(Errand) == 1  # whoever comes after the lease does it
        assert engine.store.check(thorough=True) == []
