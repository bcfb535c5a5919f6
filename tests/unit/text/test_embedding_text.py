"""Enrich: what stands before the text of a memory when it is embedded."""

from __future__ import annotations

import msgspec
import pytest

from recollect.engine.models.embedded_text import (
    ENRICHMENTS,
    MAX_RELATIONS,
    Related,
    enrich_memory_text,
    name_memory_text,
)
from recollect.model import Memory
from recollect.settings import SETTINGS

BARE = Memory(id="m", content="We keep the index in memory.")
MEMORY = Memory(
    id="m",
    content="We keep the index in memory.",
    memory_type="decision",
    namespace="/home/me/app",
    tags=("rust", "perf", "ext:rs"),
)
LINKS = [Related("Cache design", "PART_OF", True), Related("Config struct", "RELATES_TO", False)]


@pytest.mark.promise("E9")
def test_the_documented_text_is_as_document_002_prints_it() -> None:
    assert enrich_memory_text(MEMORY, LINKS, "We keep it.") == (
        "[decision] [namespace:/home/me/app] [tags:rust,perf,ext:rs]\n"
        "Related: -> Cache design (PART_OF); <- Config struct (RELATES_TO)\n"
        "We keep it."
    )


def test_what_a_memory_does_not_have_is_not_mentioned() -> None:
    assert enrich_memory_text(BARE, [], "We keep it.") == "[context]\nWe keep it."
    assert name_memory_text(BARE, [], "We keep it.") == "We keep it."


def test_the_marks_of_a_stated_memory_are_not_embedded() -> None:
    stated = msgspec.structs.replace(BARE, tags=("stated", "rule", "rust"))
    assert name_memory_text(stated, [], "We keep it.") == "rust\nWe keep it."


@pytest.mark.promise("E9")
def test_at_most_eight_links_are_named() -> None:
    many = [Related(f"name{number}", "RELATES_TO", True) for number in range(20)]
    for enrich in (enrich_memory_text, name_memory_text):
        text = enrich(BARE, many, "text")
        assert [f"name{number}" in text for number in range(20)] == [number < MAX_RELATIONS for number in range(20)]
    assert MAX_RELATIONS == 8


def test_the_lean_text_names_what_a_memory_belongs_to_and_nothing_else() -> None:
    assert name_memory_text(MEMORY, LINKS, "We keep it.") == "Cache design; rust; perf\nWe keep it."


def test_links_that_come_from_comparing_texts_are_not_what_a_memory_belongs_to() -> None:
    found = [Related("Much alike", name, True) for name in ("SIMILAR_TO", "SHARES_THEME", "SUMMARIZES", "PRECEDED_BY")]
    assert name_memory_text(BARE, [*found * 3, LINKS[0]], "text") == "Cache design\ntext"


def test_a_name_is_said_once() -> None:
    twice = [Related("rust", "PART_OF", True), Related("rust", "RELATES_TO", True)]
    assert name_memory_text(MEMORY, twice, "text") == "rust; perf\ntext"


def test_off_leaves_a_text_as_it_is() -> None:
    assert ENRICHMENTS["off"].enrich(MEMORY, LINKS, "text") == "text"
    assert not ENRICHMENTS["off"].ends


@pytest.mark.parametrize("name", ENRICHMENTS)
def test_every_enrichment_can_be_set_and_ends_with_the_text(name: str) -> None:
    (row,) = [row for row in SETTINGS if row.name == "enrichment"]
    assert row.parse(name) == name
    assert ENRICHMENTS[name].enrich(MEMORY, LINKS, "the text itself").endswith("the text itself")
