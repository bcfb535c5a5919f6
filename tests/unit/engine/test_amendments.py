"""What a new memory changes is found when it is stored: linked, marked where there is no doubt, said, never deleted."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.fakes import FrozenClock

from recollect import Engine
from recollect.engine.memory.amendments import LOOKED_UP, Found, _chosen
from recollect.model import Amendment, Edge, Memory, Stored
from recollect.recall.amend import Amended

OLD, NEW = "The request timeout is 30 seconds.", "The request timeout is 60 seconds."


def both(engine: Engine, frozen: FrozenClock, old: str = OLD, new: str = NEW, **options: Any) -> tuple[Memory, Stored]:
    """Store a statement, and another an hour later."""
    first = engine.memories.store(old).memory
    frozen.at += 3600
    return first, engine.memories.store(new, **options)


def links(engine: Engine) -> set[tuple[str, str, str]]:
    return {(edge.src, edge.relationship, edge.dst) for edge in engine.store.find(Edge)}


@pytest.mark.promise("B3")
def test_another_value_supersedes_the_old_one_and_the_answer_says_which_and_why(
    engine: Engine, frozen: FrozenClock
) -> None:
    old, stored = both(engine, frozen)
    new = stored.memory
    assert stored.amends == (
        Amendment(
            memory_id=old.id,
            relationship="EVOLVED_INTO",
            superseded=True,
            why=f"“{NEW}” has a different value than “{OLD}”",
            text=OLD,
        ),
    )
    (kept,) = engine.store.get(Memory, [old.id])
    assert (kept.superseded_by, kept.valid_to, kept.content) == (new.id, new.created_at, OLD)
    assert links(engine) == {
        (f"mem:{old.id}", "EVOLVED_INTO", f"mem:{new.id}"),
        (f"mem:{new.id}", "SUPERSEDES", f"mem:{old.id}"),
    }
    hits = engine.recall.search("What is the request timeout?").hits
    assert [hit.memory.id for hit in hits] == [new.id, old.id] and hits[1].superseded_by == new.id


@pytest.mark.promise("B3")
def test_the_past_is_still_what_it_was(engine: Engine, frozen: FrozenClock) -> None:
    old, _ = both(engine, frozen)
    (then,) = engine.recall.search("request timeout", as_of=frozen.at - 1800).hits
    assert (then.memory.id, then.superseded_by) == (old.id, None)


def test_an_end_invalidates_what_it_ends(engine: Engine, frozen: FrozenClock) -> None:
    old, stored = both(
        engine, frozen, "The gateway retries failed calls.", "The gateway no longer retries failed calls."
    )
    (row,) = stored.amends
    assert (row.memory_id, row.relationship, row.superseded) == (old.id, "INVALIDATED_BY", True)
    assert (f"mem:{old.id}", "INVALIDATED_BY", f"mem:{stored.memory.id}") in links(engine)


def test_an_opposite_contradicts_and_replaces_nothing(engine: Engine, frozen: FrozenClock) -> None:
    old, stored = both(engine, frozen, "The parser is thread-safe.", "The parser is not thread-safe.")
    (row,) = stored.amends
    assert (row.memory_id, row.relationship, row.superseded) == (old.id, "CONTRADICTS", False)
    assert links(engine) == {(f"mem:{stored.memory.id}", "CONTRADICTS", f"mem:{old.id}")}
    assert engine.store.get(Memory, [old.id])[0].superseded_by is None


def test_a_memory_that_says_more_is_linked_and_stays(engine: Engine, frozen: FrozenClock) -> None:
    more = f"{OLD} Retries are made three times, each after a pause that is twice as long as the one before it."
    old, stored = both(engine, frozen, more)
    (row,) = stored.amends
    assert (row.relationship, row.superseded) == ("CONTRADICTS", False) and "still holds" in row.why
    assert engine.store.get(Memory, [old.id])[0].superseded_by is None


def test_a_change_that_the_model_doubts_is_only_linked(
    engine: Engine, frozen: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recollect.recall.amend.LIKELY", 1.0)
    old, stored = both(engine, frozen, "CI runs on GitHub Actions.", "CI runs on GitLab now.")
    (row,) = stored.amends
    assert (row.memory_id, row.relationship, row.superseded) == (old.id, "CONTRADICTS", False)
    assert "may contradict" in row.why


def test_undo_takes_back_all_of_it(engine: Engine, frozen: FrozenClock) -> None:
    old, stored = both(engine, frozen)
    engine.admin.undo()
    assert engine.store.get(Memory, [stored.memory.id]) == []
    assert engine.store.get(Memory, [old.id])[0].superseded_by is None and links(engine) == set()


def test_a_chain_of_changes_replaces_one_by_one(engine: Engine, frozen: FrozenClock) -> None:
    _, second = both(engine, frozen)
    frozen.at += 3600
    third = engine.memories.store("The request timeout is 90 seconds.")
    assert [row.memory_id for row in third.amends] == [second.memory.id]


@pytest.mark.parametrize(
    "options",
    [{"amend": False}, {"namespace": "elsewhere"}, {"source": "hook"}, {"valid_from": 1_600_000_000}],
    ids=["not wanted", "another project", "seen by a hook", "older than what is known"],
)
def test_what_is_not_meant_to_change_anything_changes_nothing(
    engine: Engine, frozen: FrozenClock, options: dict[str, Any]
) -> None:
    old, stored = both(engine, frozen, **options)
    assert stored.amends == () and links(engine) == set()
    assert engine.store.get(Memory, [old.id])[0].superseded_by is None


def test_a_statement_does_not_change_hook_events(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store(OLD, source="hook")
    frozen.at += 1
    assert engine.memories.store(NEW).amends == ()


def test_a_named_superseded_memory_is_replaced_without_comparison(engine: Engine, frozen: FrozenClock) -> None:
    other = engine.memories.store("Calls give up after half a minute.").memory
    old, stored = both(engine, frozen, supersedes=other.id)
    assert stored.amends == ()
    assert engine.store.get(Memory, [old.id])[0].superseded_by is None


def test_what_people_say_of_themselves_is_theirs(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("My alarm is at 6:30.", author="Ann")
    frozen.at += 1
    assert engine.memories.store("My alarm is at 7:00.", author="Bob").amends == ()
    assert len(engine.memories.store("My alarm is at 8:00.", author="Ann").amends) == 1


def test_a_memory_that_is_known_already_changes_nothing_again(engine: Engine, frozen: FrozenClock) -> None:
    both(engine, frozen)
    frozen.at += 1
    again = engine.memories.store(NEW)
    assert (again.created, again.amends) == (False, ())


def test_it_is_found_among_many_about_other_things(engine: Engine, frozen: FrozenClock) -> None:
    for number in range(120):
        engine.memories.store(f"The request handler handler_{number} logs the timeout of its queue.")
    old, stored = both(engine, frozen)
    assert [row.memory_id for row in stored.amends] == [old.id]


def test_most_texts_are_not_even_looked_up(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Any] = []
    search = engine.store.search_text
    monkeypatch.setattr(
        engine.store, "search_text", lambda *given, **more: looked.append(given) or search(*given, **more)
    )
    engine.memories.store("Talked with Ann about prices, taxes and rounding; she prefers whole cents.")
    engine.memories.store("Where do prices come from?")
    engine.memories.store("The limit is 5 MB. " * 200)
    assert looked == []
    engine.memories.store(
        "The limit of uploads is 5 MB. The port of it is 80. The name of the limit is Al. The size of uploads is 3 MB. "
        "The limit lives in etc/a.toml. Uploads live in /var. Uploads are 5 MB. The limit is for uploads."
    )
    assert len(looked) <= LOOKED_UP


def test_importing_looks_nothing_up(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("an import must not search")

    engine.memories.store(OLD)
    monkeypatch.setattr(engine.store, "search_text", refuse)
    assert engine.archive.import_(content='{"content": "The request timeout is 60 seconds."}\n').created == 1


@pytest.mark.promise("B3")
def test_an_amendment_in_other_words_is_linked_without_a_model(
    open_engine: Callable[..., Engine], frozen: FrozenClock
) -> None:
    engine = open_engine(embed_provider="off")
    old, stored = both(
        engine,
        frozen,
        "Nightly backups of the wiki are kept for 14 days.",
        "Update: wiki backups are kept for 60 days.",
    )
    assert [(row.memory_id, row.superseded) for row in stored.amends] == [(old.id, True)]


def test_where_two_older_memories_may_be_meant_none_is_superseded(engine: Engine, frozen: FrozenClock) -> None:
    for text in ("Backups of the wiki go to Borg.", "Backups of the wiki go to Restic."):
        engine.memories.store(text, amend=False)
    frozen.at += 1
    stored = engine.memories.store("We moved the backups to S3.")
    assert [row.memory_id for row in stored.amends if row.superseded] == []


def test_an_imported_document_is_superseded_on_strong_evidence_only(engine: Engine, frozen: FrozenClock) -> None:
    old = engine.memories.store("Fix the session cookie: it no longer leaks into subdomains.", source="import").memory
    frozen.at += 1
    stored = engine.memories.store("The session cookie is no longer sent to subdomains by default.")
    assert stored.amends == () and engine.store.get(Memory, [old.id])[0].superseded_by is None


@pytest.mark.promise("B3")
@pytest.mark.parametrize(
    "question", ["What was the request timeout before?", "Which request timeout did we originally set?"]
)
def test_a_question_about_what_held_before_gets_the_older_version_first(
    engine: Engine, frozen: FrozenClock, question: str
) -> None:
    old, stored = both(engine, frozen)
    hits = engine.recall.search(question).hits
    assert [(hit.memory.id, hit.superseded_by) for hit in hits] == [
        (old.id, stored.memory.id),
        (stored.memory.id, None),
    ]


def test_imported_history_is_not_marked_by_a_search(engine: Engine, frozen: FrozenClock) -> None:
    old = engine.memories.store("Session cookies are signed by the app.", source="import", amend=False).memory
    frozen.at += 1
    new = engine.memories.store("Session cookies are no longer signed by the app.", amend=False).memory
    hits = engine.recall.search("Are session cookies signed by the app?").hits
    assert [(hit.memory.id, hit.superseded_by) for hit in hits] == [(new.id, None), (old.id, None)]


def test_a_later_commit_is_no_newer_version_of_an_earlier_one(engine: Engine, frozen: FrozenClock) -> None:
    rows = []
    for text in ("Session cookies are signed by the app.", "Session cookies must be signed by the app in tests, too."):
        rows.append(engine.memories.store(text, source="import", metadata={"from": "git"}, amend=False).memory.id)
        frozen.at += 1
    hits = engine.recall.search("Are session cookies signed by the app?").hits
    assert [hit.memory.id for hit in hits] == rows


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("Port 8000 is the api.", "Port 8001 is the admin.", False),
        ("Port 8000 is the api.", "Port 8001 is the api.", True),
        ("eu-west-1 is the primary region.", "eu-west-2 is the backup region.", False),
        ("Can't locate revision identified by '3f2a91bc'", 'the user is identified by "email"', False),
    ],
)
def test_statements_that_share_their_frame_only_do_not_contradict(
    open_engine: Callable[..., Engine], old: str, new: str, changes: bool
) -> None:
    engine = open_engine()
    engine.memories.store(old)
    assert bool(engine.memories.store(new).amends) == changes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We use a line length of 100 in this repository.", "I changed my mind about the line length: 88 from now on."),
        (
            "Raw readings are kept for 18 months, then the sweep deletes them.",
            "We keep readings for 24 months, not 18.",
        ),
        ("From now on always use pytest -x, never unittest.", "From now on use unittest again, not pytest."),
        ("Let's go with APScheduler inside the service.", "We drop APScheduler, cron calls the poller once a minute."),
        ("We use npm in this repo.", "We switched to pnpm, npm is gone."),
        ("Comments are written in Norwegian in this codebase.", "Comments in English then, Norwegian is out."),
    ],
)
def test_a_rule_that_is_reversed_is_superseded(open_engine: Callable[..., Engine], old: str, new: str) -> None:
    engine = open_engine()
    first = engine.memories.store(old)
    assert [row.memory_id for row in engine.memories.store(new).amends if row.superseded] == [first.memory.id]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Keys have 32 bytes.", "Salts have 16 bytes, not 32."),
        ("Use ruff for linting, never flake8.", "The docs are built with sphinx, not mkdocs."),
    ],
)
def test_a_rule_about_something_else_is_kept(open_engine: Callable[..., Engine], old: str, new: str) -> None:
    engine = open_engine()
    engine.memories.store(old)
    assert not any(row.superseded for row in engine.memories.store(new).amends)


def test_a_fact_that_was_stated_twice_is_replaced_twice(engine: Engine, frozen: FrozenClock) -> None:
    olds = [
        engine.memories.store(text).memory.id
        for text in ("We deploy the shop on Fridays.", "The shop is deployed on Fridays, after the review.")
    ]
    frozen.at += 1
    stored = engine.memories.store("We deploy the shop on Mondays now.")
    assert sorted(row.memory_id for row in stored.amends if row.superseded) == sorted(olds)


def test_a_memory_is_replaced_with_the_reason_that_it_gives(engine: Engine, frozen: FrozenClock) -> None:
    reason = "Because otherwise the gateway of the provider closes the connection before we get an answer from it."
    old, stored = both(engine, frozen, f"{OLD} {reason}")
    assert [(row.memory_id, row.superseded) for row in stored.amends] == [(old.id, True)]


def test_a_change_by_one_part_counts_more_than_a_possible_one_by_the_whole(engine: Engine) -> None:
    old = engine.memories.store("Tests are kotest specs.").memory
    whole, part = "kotest is out. Specs get ported when touched.", "kotest is out."
    possible = Found(old, Amended("opposite", old.content, whole, 0.9))
    change = Found(old, Amended("ended", old.content, part, 0.86))
    assert [_chosen(found) for found in ([possible, change], [change, possible])] == [[change], [change]]
    assert _chosen([possible]) == [possible]


@pytest.mark.parametrize(
    ("new", "changes"),
    [
        ("The request timeout is 60 seconds.", [False]),
        ("We raised the request timeout to 60 seconds, it is no longer 30 seconds.", [False]),
        ("As agreed, the request timeout is 30 seconds for every client.", []),
    ],
)
def test_what_an_assistant_stores_is_at_most_told_beside_what_a_person_said(
    engine: Engine, frozen: FrozenClock, new: str, changes: list[bool]
) -> None:
    old, stored = both(engine, frozen, new=new, source="assistant")
    assert [row.superseded for row in stored.amends] == changes
    assert engine.store.get(Memory, [old.id])[0].superseded_by is None
    frozen.at += 3600
    again = engine.memories.store("The request timeout is 90 seconds now.")
    assert old.id in [row.memory_id for row in again.amends if row.superseded]


def test_a_rule_is_its_authors_to_change(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store("Lines are at most 100 characters long.", memory_type="style")
    frozen.at += 3600
    assert engine.memories.store("Lines are at most 90 characters long.", source="assistant").amends == ()
    assert [row.superseded for row in engine.memories.store("Lines are at most 80 characters long.").amends] == [
        True,
        True,
    ]


def test_an_assistant_replaces_what_an_assistant_stored(engine: Engine, frozen: FrozenClock) -> None:
    engine.memories.store(OLD, source="assistant")
    frozen.at += 3600
    assert [row.superseded for row in engine.memories.store(NEW, source="assistant").amends] == [True]


@pytest.mark.parametrize(("source", "newer"), [("assistant", None), ("user", True)])
def test_a_search_takes_what_an_assistant_says_for_no_newer_version_of_what_a_person_said(
    engine: Engine, frozen: FrozenClock, source: str, newer: bool | None
) -> None:
    copy = f"As decided: {OLD}"
    old, _ = both(engine, frozen, new=copy, source=source, amend=False)
    hit = next(hit for hit in engine.recall.search("what is the request timeout").hits if hit.memory.id == old.id)
    assert (hit.superseded_by is not None) == bool(newer)
    assert (OLD in engine.recall.pack("what is the request timeout").text.replace(copy, "")) != bool(newer)


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """An engine with the shipped model, which reads statements."""
    with Engine(home=str(tmp_path_factory.mktemp("local"))) as engine:
        yield engine


@pytest.mark.promise("B3")
@pytest.mark.parametrize(
    ("old", "new", "relationship"),
    [
        ("two reviewers per change", "one approval is enough for a merge", "EVOLVED_INTO"),
        ("artifacts go to nexus", "built jars land in artifactory", "EVOLVED_INTO"),
        ("Never push without asking me.", "You can push on your own now.", "EVOLVED_INTO"),
        ("Never push without asking me.", "Pushing is fine, tell me afterwards.", "CONTRADICTS"),
        ("Never push without asking me.", "You can push this one.", ""),
        ("We use Redis for sessions.", "Redis holds the rate limits.", ""),
        ("The ledger service is owned by team Heron.", "The ledger service must not call Heron directly.", ""),
        ("The ledger service is owned by team Heron.", "Team Kestrel owns the ledger service now.", "EVOLVED_INTO"),
        ("The import job was rewritten in events last spring.", "The import job stores events in UTC.", ""),
        ("The import job stores events in UTC.", "The import job stores events in local time now.", "EVOLVED_INTO"),
        ("The map renderer caches results for ten minutes.", "The map renderer caches fonts for a day.", ""),
    ],
)
def test_a_change_in_other_words_is_found_by_meaning(local: Engine, old: str, new: str, relationship: str) -> None:
    here = uuid.uuid4().hex
    first = local.memories.store(old, namespace=here).memory
    local.memories.store("The nightly report is sent to the finance team.", namespace=here)
    stored = local.memories.store(new, namespace=here)
    linked = [(first.id, relationship, relationship == "EVOLVED_INTO")] if relationship else []
    assert [(row.memory_id, row.relationship, row.superseded) for row in stored.amends] == linked
