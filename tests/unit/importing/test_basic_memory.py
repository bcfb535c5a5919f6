"""Lines of a note: what basic-memory takes for an observation or a relation, and what it does not."""

from __future__ import annotations

import pytest

from recollect.importing.basic_memory import Relation, taken_apart


@pytest.mark.parametrize(
    ("line", "category", "content", "tags", "context"),
    [
        ("- [tech] Uses SQLite #database", "tech", "Uses SQLite #database", ("database",), None),
        ("* [why] It was slow (measured)", "why", "It was slow", (), "measured"),
        ("1. [multi word] Numbered", "multi word", "Numbered", (), None),
        ("- [tags] Two in one #a#b", "tags", "Two in one #a#b", ("a", "b"), None),
        ("- without a category #tag", "Note", "without a category #tag", ("tag",), None),
        ("- [call] f(x) stays whole", "call", "f(x) stays whole", (), None),
        ("- [seen] in [[Other]] too", "seen", "in [[Other]] too", (), None),
    ],
)
def test_an_observation_is_taken_out_of_its_note(
    line: str, category: str, content: str, tags: tuple[str, ...], context: str | None
) -> None:
    note = taken_apart(f"Before\n{line}\nAfter")
    assert note.text == "Before\nAfter"
    (found,) = note.observations
    assert (found["category"], found["content"], found["tags"]) == (category, content, tags)
    assert found["metadata"].get("context") == context


@pytest.mark.parametrize(
    ("line", "relation"),
    [
        ("- implements [[Search Design]]", Relation("implements", "Search Design", None)),
        ("- works_at [[Harbour]] (co-founder)", Relation("works_at", "Harbour", "co-founder")),
        ('- "based on" [[Interview]]', Relation("based on", "Interview", None)),
        ("- 'in response to' [[Review]]", Relation("in response to", "Review", None)),
    ],
)
def test_a_relation_is_taken_out_of_its_note(line: str, relation: Relation) -> None:
    assert taken_apart(line) == ("", [], [relation])


@pytest.mark.parametrize(
    "line",
    [
        "- [ ] a task #later",
        "- [x] done",
        "- [-] dropped",
        "- [/] begun",
        "- [00:00:11] spoken",
        "- [text](https://example.org)",
        "- [[Bare link]]",
        "- some other thing [[Target]]",
        "- depends_on [[A]] and [[B]]",
        "- plain",
        "[no] item",
        "> [!info] callout",
        "```\n- [code] no observation\n```",
    ],
)
def test_everything_else_stays_in_the_note(line: str) -> None:
    assert taken_apart(line) == (line, [], [])
