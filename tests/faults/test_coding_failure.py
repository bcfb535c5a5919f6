"""A service that analyses code, evolves it or sums up groups, and is down, slow, broken or lying: rules do its work.

The service is a real one on this machine that speaks each protocol; what comes out is what comes out without it, and
the answer and health say so.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from tests.coding import FIBONACCI, FIBONACCI_DP
from tests.consolidations import THEME, store_theme
from tests.fakes import HashingEmbedder
from tests.faults.child import Child
from tests.faults.test_model_failure import FAULTS, KEY, asked_about, spoken
from tests.service import Reply, Service, serving

from recollect.engine import Engine
from recollect.model import Memory
from recollect.providers.chat import SERVICES

EVERY = pytest.mark.parametrize("name", SERVICES)
QUEUE = "def push_job(queue, job):\n    queue.append(job)\n    return len(queue)"
ANALYSED = {"context": "Appends a job to a queue and tells its length", "keywords": ["queue"], "tags": ["jobs"]}
EVOLVED = {"notes": [{"n": 1, "context": "Fibonacci numbers, with and without a table", "tags": ["numbers"]}]}
TOLD = "The billing service uses bankers rounding for the invoice in each case."


def store(engine: Engine) -> tuple[str, ...]:
    return engine.coding.store(QUEUE, workspace_id="jobs").notes


def evolve(engine: Engine) -> tuple[str, ...]:
    return engine.coding.evolve().notes


def cluster(engine: Engine) -> tuple[str, ...]:
    return engine.consolidation.cluster().notes


class Way(NamedTuple):
    """Something that a model may do: what comes before, the call, its answer, and how a note about rules begins."""

    before: Callable[[Engine], object]
    call: Callable[[Engine], tuple[str, ...]]
    answer: str
    note: str


def _coded(engine: Engine) -> None:
    for piece in (FIBONACCI, FIBONACCI_DP):
        engine.coding.store(**{**piece, "context": None})


Kept = list[tuple[Any, ...]]
Rules = Callable[[Way], Kept]
WAYS = {
    "analysis": Way(lambda engine: None, store, json.dumps(ANALYSED), "analysed by built-in rules: "),
    "evolution": Way(_coded, evolve, json.dumps(EVOLVED), "used built-in rules: "),
    "summary": Way(store_theme, cluster, TOLD, "1 summary stays extractive: "),
}
ALL = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def for_each(argument: str, values: Iterable[Any], ids: Iterable[str]) -> Any:
    """Parametrize over every pair of a value, a way and a protocol, without all combinations of the three."""
    cases = [
        pytest.param([*SERVICES][(row + column) % len(SERVICES)], way, value, id=f"{identity}-{of}")
        for row, (value, identity) in enumerate(zip(values, ids, strict=True))
        for column, (of, way) in enumerate(WAYS.items())
    ]
    return pytest.mark.parametrize(("name", "way", argument), cases)


@pytest.fixture
def service() -> Iterator[Service]:
    with serving() as server:
        yield server


def opened(home: Path, service: Service, name: str, **options: Any) -> Engine:
    asking = {"llm_url": service.url, "llm_provider": name, "llm_api_key": KEY, "llm_retries": 0, "summaries": "model"}
    return Engine(**{"home": str(home), "embedder": HashingEmbedder(), **asking, **options})


def prepared(home: Path, way: Way) -> None:
    """Store what a path begins with, before there is any model."""
    with Engine(home=str(home), embedder=HashingEmbedder()) as engine:
        way.before(engine)


def kept(engine: Engine) -> Kept:
    """Return what is remembered, without ids and times."""
    rows = engine.store.find(Memory, order="seq")
    return [(row.content, row.title, row.tags, {**row.metadata, "middle": None}, row.category) for row in rows]


@pytest.fixture(scope="module")
def by_rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    """Return what is remembered where no model is configured, found out once for each way."""

    @cache
    def remembered(way: Way) -> Kept:
        home = tmp_path_factory.mktemp("rules")
        prepared(home, way)
        with Engine(home=str(home), embedder=HashingEmbedder()) as engine:
            way.call(engine)
            return kept(engine)

    return remembered


@ALL
@EVERY
def test_what_a_service_says_is_used_over_every_protocol_and_counted(
    home: Path, by_rules: Rules, service: Service, name: str, way: Way
) -> None:
    service.answer = lambda body: spoken(name, way.answer)
    prepared(home, way)
    with opened(home, service, name) as engine:
        notes = way.call(engine)
        assert not [note for note in notes if "rules" in note or "extract" in note]
        assert kept(engine) != by_rules(way)
        spending = engine.llm.spending()
        assert spending is not None
        assert (spending.calls, spending.tokens, spending.failures) == (1, 100, 0)
    assert len(service.asked) == 1
    assert service.asked[0].path == SERVICES[name].path


@for_each("fault", FAULTS.values(), FAULTS)
def test_on_any_fault_rules_do_it_with_a_note_and_health_says_so(
    home: Path, by_rules: Rules, service: Service, name: str, way: Way, fault: Reply
) -> None:
    service.answer = lambda body: fault
    prepared(home, way)
    with opened(home, service, name, llm_timeout_s=0.1) as engine:
        notes = way.call(engine)
        assert [note for note in notes if note.startswith(way.note)]
        assert kept(engine) == by_rules(way)
        health = engine.admin.health()
        check = next(row for row in health.checks if row.name == "language model")
        assert check.status == "degraded" and "paused" in check.detail and check.mend
        spending = engine.llm.spending()
        assert spending is not None
        assert (spending.calls, spending.failures) == (1, 1) and spending.paused_s > 0
        assert KEY not in repr((notes, health, spending, kept(engine)))
    assert service.heard(1) == 1


@for_each(
    "say",
    [
        lambda body: asked_about(body),
        lambda body: f"```json\n{asked_about(body)}\n```",
        lambda body: "I am sorry, I cannot help with that.",
        lambda body: '{"context": 7, "notes": "none", "links": 3, "keywords": {}}',
        lambda body: '{"context": "See FantasyModule.invented_name in lib/made_up.py for it"}',
        lambda body: "{" * 5_000,
    ],
    ids=["echo", "fenced echo", "refusal", "other types", "made up", "deep"],
)
def test_an_answer_that_may_not_be_used_changes_nothing(
    home: Path, by_rules: Rules, service: Service, name: str, way: Way, say: Callable[[Any], str]
) -> None:
    service.answer = lambda body: spoken(name, say(body))
    prepared(home, way)
    with opened(home, service, name) as engine:
        way.call(engine)
        assert kept(engine) == by_rules(way)


@ALL
@EVERY
@pytest.mark.parametrize("limit", ["llm_max_calls_per_day", "llm_max_tokens_per_day"])
def test_where_the_budget_is_spent_rules_do_it_and_nobody_is_asked(
    home: Path, by_rules: Rules, service: Service, name: str, way: Way, limit: str
) -> None:
    prepared(home, way)
    with opened(home, service, name, **{limit: 0}) as engine:
        notes = way.call(engine)
        assert [note for note in notes if note.startswith(way.note)]
        assert kept(engine) == by_rules(way)
    assert service.asked == []


@ALL
def test_settings_that_can_never_work_cost_nothing_that_was_to_be_kept(home: Path, by_rules: Rules, way: Way) -> None:
    prepared(home, way)
    values = {"llm_provider": "openai", "llm_url": "nowhere", "summaries": "model"}
    with Engine(home=str(home), embedder=HashingEmbedder(), **values) as engine:
        if way.call is cluster:
            assert "stay extractive" in engine.consolidation.cluster(preview=True).notes[-1]
        assert [note for note in way.call(engine) if note.startswith(way.note)]
        assert kept(engine) == by_rules(way)


def test_a_service_that_dies_among_summaries_leaves_the_rest_extracts(home: Path, service: Service) -> None:
    other = "A migration of the warehouse database runs before each nightly deployment"
    with Engine(home=str(home), embedder=HashingEmbedder()) as engine:
        store_theme(engine)
        for number in range(4):
            engine.memories.store(f"{other} in step {number}.", amend=False)
    service.replies = [Reply(spoken("openai", TOLD))]
    service.answer = lambda body: Reply(status=500)
    with opened(home, service, "openai") as engine:
        run = engine.consolidation.cluster()
        summaries = engine.store.find(Memory, {"source": "consolidation"}, order="seq")
        assert len(summaries) == 2 == len(service.asked)
        assert [row.content == TOLD for row in summaries].count(True) <= 1
        assert run.notes[-1].startswith("1 summary stays extractive: ") or "stays extractive" in run.notes[-1]
        engine.admin.undo(run.batch)
        assert engine.store.count(Memory, {"source": "consolidation"}) == 0
        assert engine.store.count(Memory) == 8


# --- one budget for all processes ---


def test_processes_share_the_tokens_of_a_day_and_never_exceed_them(home: Path, service: Service) -> None:
    service.answer = lambda body: spoken("openai", "yes")
    path = home / "recollect.db"
    # A call is counted with what it may cost at most before it is made, and with the 100 that it cost afterwards.
    options = {"llm_provider": "openai", "llm_url": service.url, "llm_max_tokens_per_day": 1_000}
    with ExitStack() as stack:
        children = [stack.enter_context(Child("ask_model", database=path, calls=20, options=options)) for _ in range(2)]
        for child in children:
            assert child.hear() == "ready"
        for child in children:
            child.tell()
        told = [child.hear() for child in children]
    answered = sum(row.count("yes") for row in told)
    assert answered == len(service.asked)
    assert sum(row.count("BUDGET_SPENT") for row in told) == 40 - answered
    with Engine(database=str(path), embed_provider="off") as engine:
        spending = engine.llm.spending()
        assert spending is not None
        assert spending.tokens == 100 * answered
        assert 900 <= spending.tokens <= 1_000 + 100  # the last one may cost more than it was estimated at
        assert THEME not in repr(service.asked)
