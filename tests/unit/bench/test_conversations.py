"""Files of conversations and documents become records, whatever of the optional is missing."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import conversations

CHAT: dict[str, Any] = {
    "name": "allotment",
    "headline_categories": [1],
    "category_names": {"1": "plain", "2": "odd"},
    "conversations": [
        {
            "id": "c1",
            "speakers": ["Ida", "Bo"],
            "sessions": [
                {
                    "id": "S1",
                    "date": "2021-03-04T05:06",
                    "turns": [
                        {"id": "1", "speaker": "Ida", "text": "I dug over the bed."},
                        {"id": "2", "speaker": "Bo", "text": "Look!", "caption": "a wheelbarrow"},
                    ],
                },
                {"id": "S2", "turns": [{"id": "3", "speaker": "Ida", "text": "Beans are up."}]},
            ],
            "questions": [
                {"id": "q1", "category": 1, "question": "Who dug?", "evidence": ["1"], "evidence_corrected": ["2"]},
                {"id": "q2", "category": 2, "question": "What is up?", "evidence": []},
            ],
        }
    ],
}

ASSISTANT: dict[str, Any] = {
    "conversations": [
        {
            "id": "c1",
            "sessions": [
                {
                    "id": "S1",
                    "date": "2022-01-01",
                    "turns": [
                        {"id": "u", "speaker": "user", "text": "Rename the flag."},
                        {"id": "a", "speaker": "assistant", "text": "Done."},
                    ],
                }
            ],
            "questions": [{"id": "q", "question": "Which flag?", "evidence": ["u"]}],
        }
    ]
}

SETS: dict[str, Any] = {
    "sets": [
        {
            "id": "s1",
            "kind": "sessions",
            "documents": [
                {"id": "d1", "date": "2021-01-01", "text": "Use tabs."},
                {"id": "d2", "date": "2021-02-01", "text": "Use spaces."},
            ],
            "queries": [
                {"id": "q1", "category": "style", "query": "Tabs?", "current": ["d2"], "superseded": ["d1"]},
                {"id": "q2", "category": "style", "query": "Spaces?", "current": ["d2"], "superseded": []},
            ],
            "labels": [{"document": "d1", "topic": "indent", "kind": "add", "text": "tabs"}],
        }
    ]
}


def written(folder: Path, name: str, document: dict[str, Any]) -> Path:
    path = folder / name
    text = json.dumps(document)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["chat.json", "chat.json.gz"])
def test_a_conversation_is_read_plain_or_packed(tmp_path: Path, name: str) -> None:
    read = conversations.read_conversations(written(tmp_path, name, CHAT))
    assert (read.name, read.headline, read.category_names["2"]) == ("allotment", {"1"}, "odd")
    (conversation,) = read.conversations
    assert list(conversation.turns) == ["1", "2", "3"]
    assert conversation.session_of == {"1": "S1", "2": "S1", "3": "S2"}
    assert [session.at for session in conversation.sessions] == [1614834360, None]
    assert conversation.questions[0] == conversations.Question("q1", "1", "Who dug?", ("1",), ("2",))
    assert conversation.questions[1].corrected == ()


def test_a_caption_is_part_of_what_is_stored_and_of_the_size(tmp_path: Path) -> None:
    turns = conversations.read_conversations(written(tmp_path, "chat.json", CHAT)).conversations[0].turns
    assert turns["2"].content == "Look! [shares a wheelbarrow]"
    assert turns["2"].line == "Bo: Look! [shares a wheelbarrow]"
    assert turns["2"].tokens == len("Look!a wheelbarrow") / 4
    assert turns["1"].content == "I dug over the bed."


def test_an_assistant_and_its_user_are_speakers_like_others(tmp_path: Path) -> None:
    read = conversations.read_conversations(written(tmp_path, "assistant.json.gz", ASSISTANT))
    assert read.name == "assistant"
    assert [turn.speaker for turn in read.conversations[0].turns.values()] == ["user", "assistant"]
    assert read.conversations[0].questions[0].corrected == ("u",)


def test_without_headline_categories_every_category_is_one(tmp_path: Path) -> None:
    assert conversations.read_conversations(written(tmp_path, "a.json", ASSISTANT)).headline == {"all"}


def test_a_limit_takes_the_first_questions_and_all_turns(tmp_path: Path) -> None:
    (conversation,) = conversations.read_conversations(written(tmp_path, "a.json", CHAT), limit=1).conversations
    assert [question.id for question in conversation.questions] == ["q1"]
    assert len(conversation.turns) == 3


def test_document_sets_keep_their_order_and_leave_labels_behind(tmp_path: Path) -> None:
    name, (read,) = conversations.read_document_sets(written(tmp_path, "notes.json", SETS))
    assert (name, read.id, read.kind) == ("notes", "s1", "sessions")
    assert [(document.id, document.at) for document in read.documents] == [("d1", 1609459200), ("d2", 1612137600)]
    assert [query.superseded for query in read.queries] == [("d1",), ()]


@pytest.mark.parametrize(
    ("date", "at"),
    [
        ("1970-01-02", 86400),
        ("1970-01-01T01:00", 3600),
        ("1970-01-01T01:00:00Z", 3600),
        ("1970-01-01T01:00+01:00", 0),
        ("some day in May", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_without_a_zone_is_utc_and_no_date_is_none(date: str | None, at: int | None) -> None:
    assert conversations.moment(date) == at


def test_the_unrelated_prompts_are_many_and_different() -> None:
    prompts = conversations.UNRELATED_PROMPTS
    assert len(prompts) >= 60
    assert len(set(prompts)) == len(prompts)
    assert all(prompt.strip() == prompt for prompt in prompts)
