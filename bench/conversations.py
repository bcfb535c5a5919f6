"""What is stored and asked: labelled conversations and document sets from files, and prompts that nothing answers.

Files are JSON, plain or gzipped. Two shapes, told apart by who reads them:

    conversations   {"name", "headline_categories", "category_names",
                     "conversations": [{"id", "speakers", "sessions": [{"id", "date", "turns": [{"id", "speaker",
                     "text", "caption"?}]}], "questions": [{"id", "category", "question", "evidence",
                     "evidence_corrected"?}]}]}
    document sets   {"name", "sets": [{"id", "kind", "documents": [{"id", "date", "text"}], "queries": [{"id", "query",
                     "current", "superseded"}]}]}

Speakers are whoever speaks: two people, or user and assistant. Times are Unix seconds, read as UTC.
"""

from __future__ import annotations

import gzip
import json
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

# --- chats ---

# The person's name in conversations with an assistant.
USER = "user"


Asked = Mapping[tuple[str, str], Any]  # (conversation, question) → what a search gave: ranked and scores


def has_user(source: Conversations) -> bool:
    """Tell whether the conversations are those of a user with an assistant."""
    return any(turn.speaker == USER for each in source.conversations for turn in each.turns.values())


def newest_first(source: Conversations, asked: Asked) -> dict[str, Any]:
    """Return how often the last version of a changed fact stands above the first one."""
    held = []
    for conversation in source.conversations:
        for question in conversation.questions:
            if question.newer and set(question.newer).isdisjoint(question.older):
                place = {key: at for at, key in enumerate(asked[conversation.id, question.id].ranked)}
                newer = min(place.get(key, len(place)) for key in question.newer)
                held.append(newer < min(place.get(key, len(place)) for key in question.older))
    return {"n": len(held), "newest_first": _share(held)}


def unanswerable(source: Conversations, asked: Asked, threshold: float) -> dict[str, Any]:
    """Return what the threshold for unasked context does to questions without evidence, and to the others."""
    pairs = [(row, asked[each.id, row.id]) for each in source.conversations for row in each.questions]
    best = [max(answer.scores, default=0.0) for question, answer in pairs if not question.evidence]
    answerable = [pair for pair in pairs if pair[0].evidence and pair[0].category in source.headline]
    return {
        "n": len(best),
        "below_threshold": _share([score < threshold for score in best]),
        "best_relevance_median": round(statistics.median(best), 4) if best else None,
        "answerable": {
            "n": len(answerable),
            "any@10": _share([_is_found(*pair, 0.0) for pair in answerable]),
            "any@10_at_threshold": _share([_is_found(*pair, threshold) for pair in answerable]),
        },
    }


def told(newest: Mapping[str, Any], silent: Mapping[str, Any], threshold: float) -> str:
    """Return both in words, nothing where there are no such questions."""
    lines = ""
    if newest["n"]:
        lines += f"Changed facts with the newest version first: {newest['newest_first']:.1%} of {newest['n']}\n"
    if silent["n"]:
        kept = silent["answerable"]
        lines += (
            f"Unanswerable below {threshold}: {silent['below_threshold']:.1%} of {silent['n']}; answerable any@10 "
            f"{kept['any@10']:.1%}, at that threshold {kept['any@10_at_threshold']:.1%}\n"
        )
    return lines


def _is_found(question: Any, answer: Any, least: float) -> bool:
    kept = [key for key, score in zip(answer.ranked, answer.scores, strict=True) if score >= least]
    return not set(question.evidence).isdisjoint(list(dict.fromkeys(kept))[:10])


def _share(held: list[bool]) -> float:
    return round(sum(held) / len(held), 4) if held else 0.0


# What a token costs in characters, for budgets: the usual rule of thumb.
CHARACTERS_PER_TOKEN = 4


@dataclass(frozen=True)
class Turn:
    """One message: who said what, with the description of a picture that came with it."""

    id: str
    speaker: str | None
    text: str
    caption: str | None = None

    @property
    def content(self) -> str:
        """What is stored: the text, and the caption as words."""
        return f"{self.text} [shares {self.caption}]".strip() if self.caption else self.text

    @property
    def line(self) -> str:
        """What the plain ranking reads: the content after its speaker."""
        return f"{self.speaker}: {self.content}" if self.speaker else self.content

    @property
    def tokens(self) -> float:
        """How much of a budget it takes."""
        return len(self.text + (self.caption or "")) / CHARACTERS_PER_TOKEN


@dataclass(frozen=True)
class Session:
    """Turns of one sitting, and when it was; None where the file does not say."""

    id: str
    at: int | None
    turns: tuple[Turn, ...]


@dataclass(frozen=True)
class Question:
    """A question with the turns that answer it.

    corrected: the evidence after a later audit, mostly the same
    older, newer: of a fact that changed, the turns with its first version and with its last one
    """

    id: str
    category: str
    text: str
    evidence: tuple[str, ...]
    corrected: tuple[str, ...]
    older: tuple[str, ...] = ()
    newer: tuple[str, ...] = ()


@dataclass(frozen=True)
class Conversation:
    """Sessions in order of time, and what is asked about them."""

    id: str
    sessions: tuple[Session, ...]
    questions: tuple[Question, ...]

    @cached_property
    def turns(self) -> dict[str, Turn]:
        """Every turn by its id, in order."""
        return {turn.id: turn for session in self.sessions for turn in session.turns}

    @cached_property
    def tokens(self) -> dict[str, float]:
        """The size of every turn."""
        return {key: turn.tokens for key, turn in self.turns.items()}

    @cached_property
    def session_of(self) -> dict[str, str]:
        """The session of every turn."""
        return {turn.id: session.id for session in self.sessions for turn in session.turns}


@dataclass(frozen=True)
class Conversations:
    """The conversations of one file, and which categories of questions its headline numbers are made of."""

    name: str
    headline: frozenset[str]
    category_names: Mapping[str, str]
    conversations: tuple[Conversation, ...]


@dataclass(frozen=True)
class Document:
    """A text of a certain date."""

    id: str
    at: int | None
    text: str


@dataclass(frozen=True)
class Query:
    """A query, the document that holds the version in force, and those whose version it replaced."""

    id: str
    text: str
    current: tuple[str, ...]
    superseded: tuple[str, ...]


@dataclass(frozen=True)
class DocumentSet:
    """One memory of documents, oldest first."""

    id: str
    kind: str
    documents: tuple[Document, ...]
    queries: tuple[Query, ...]


# --- reading ---------------------------------------------------------------------------------------------------------


def read_conversations(path: Path, *, limit: int | None = None) -> Conversations:
    """Return the conversations of a file, with at most `limit` questions each.

    Without headline categories in the file, all of them are.
    """
    document = _read(path)
    conversations = tuple(_conversation(row, limit) for row in document["conversations"])
    asked = {question.category for conversation in conversations for question in conversation.questions}
    headline = document.get("headline_categories")
    return Conversations(
        name=document.get("name") or _stem(path),
        headline=frozenset(map(str, headline)) if headline else frozenset(asked),
        category_names={str(key): name for key, name in document.get("category_names", {}).items()},
        conversations=conversations,
    )


def read_document_sets(path: Path, *, limit: int | None = None) -> tuple[str, tuple[DocumentSet, ...]]:
    """Return the name of a file and its document sets, with at most `limit` queries each."""
    document = _read(path)
    return document.get("name") or _stem(path), tuple(_document_set(row, limit) for row in document["sets"])


def moment(date: str | None) -> int | None:
    """Return the Unix time of an ISO date, taken as UTC where it names no zone; None where it is no date."""
    try:
        parsed = datetime.fromisoformat(date or "")
    except ValueError:
        return None
    return int((parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp())


def _read(path: Path) -> dict[str, Any]:
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open(encoding="utf-8") as file:
        document: dict[str, Any] = json.load(file)
        return document


def _stem(path: Path) -> str:
    return path.name.removesuffix(".gz").removesuffix(".json")


def _conversation(row: dict[str, Any], limit: int | None) -> Conversation:
    return Conversation(
        id=row["id"],
        sessions=tuple(
            Session(id=session["id"], at=moment(session.get("date")), turns=tuple(_turns(session)))
            for session in row["sessions"]
        ),
        questions=tuple(_question(question) for question in row["questions"][:limit]),
    )


def _turns(session: dict[str, Any]) -> Iterator[Turn]:
    for turn in session["turns"]:
        yield Turn(turn["id"], turn.get("speaker") or None, turn.get("text") or "", turn.get("caption") or None)


def _question(row: dict[str, Any]) -> Question:
    evidence = tuple(row.get("evidence") or ())
    groups = row.get("evidence_groups") or {}
    return Question(
        id=row["id"],
        category=str(row.get("category", "all")),
        text=row["question"],
        evidence=evidence,
        corrected=tuple(row.get("evidence_corrected") or evidence),
        older=tuple(groups.get("original_info", ())),
        newer=tuple(groups.get("updated_info", ())),
    )


def _document_set(row: dict[str, Any], limit: int | None) -> DocumentSet:
    return DocumentSet(
        id=row["id"],
        kind=row["kind"],
        documents=tuple(Document(each["id"], moment(each.get("date")), each["text"]) for each in row["documents"]),
        queries=tuple(
            Query(each["id"], each["query"], tuple(each["current"]), tuple(each.get("superseded") or ()))
            for each in row["queries"][:limit]
        ),
    )


# --- what nothing stored answers -------------------------------------------------------------------------------------

# Written for this benchmark. They must find nothing in a memory about somebody's code: everyday matters, small talk,
# and programming in general, in the tones in which people really type.
UNRELATED_PROMPTS = (
    # weather and seasons
    "what's the weather like in Lisbon this weekend?",
    "will it rain tomorrow afternoon?",
    "how cold does it get in Oslo in January",
    "when do the cherry trees blossom in Kyoto?",
    # food
    "give me a recipe for banana bread without eggs",
    "how long do I boil an egg so the yolk stays soft?",
    "what can I cook with chickpeas, spinach and a lemon",
    "is it safe to eat rice that stood out overnight?",
    "what wine goes with grilled salmon?",
    "how do I get sourdough to rise in a cold kitchen?",
    # sports and games
    "who won the football match last night?",
    "how does the offside rule work?",
    "suggest a training plan for my first half marathon",
    "best opening for a beginner at chess?",
    "how many players are there in a rugby team",
    # home, garden, animals
    "my cat keeps waking me up at five, what can I do?",
    "how often should I water a monstera?",
    "how do I get red wine out of a white carpet?",
    "which paint do I need for a damp bathroom ceiling?",
    "why does my dog eat grass",
    # health and body
    "my back hurts after sitting all day, any stretches?",
    "how many hours of sleep does a teenager need?",
    "is it ok to run with a mild cold?",
    # travel
    "plan three days in Porto for a family with two kids",
    "how do I get from the airport in Rome to the city centre?",
    "do I need a visa for a holiday in Vietnam?",
    "what should I pack for a week of hiking in the Alps",
    # money and errands
    "how much should I tip a taxi driver in New York?",
    "what is the difference between a fixed and a variable mortgage?",
    "write a polite letter to my landlord about the broken heating",
    # knowledge
    "why is the sky blue?",
    "who painted the Girl with a Pearl Earring?",
    "what's the capital of Mongolia",
    "how far away is the moon?",
    "explain photosynthesis to a ten year old",
    "when did the Berlin wall fall?",
    "how do bees make honey?",
    "what does the Latin phrase carpe diem mean?",
    # culture
    "recommend a funny novel for a long train ride",
    "what was that film where the man relives the same day?",
    "who sings the song about the yellow submarine",
    "I need a birthday present for my sister, she likes jazz",
    # small talk
    "hi there, how are you doing today?",
    "good morning!",
    "thanks, that was really helpful",
    "tell me a joke about penguins",
    "I'm bored, entertain me",
    "happy new year to you",
    "do you ever get tired?",
    "lol ok never mind",
    "see you tomorrow",
    # programming in general
    "is it still worth learning Haskell these days?",
    "what keyboard do you recommend for somebody who types all day?",
    "who invented the quicksort algorithm?",
    "vim or emacs, what do you prefer?",
    "how do I negotiate a higher salary as a junior engineer?",
    "explain the difference between TCP and UDP",
    "what is the travelling salesman problem?",
    "how do I centre a div?",
    "when was the first computer mouse built?",
    "should I buy a laptop with 16 or 32 gigabytes for video editing?",
)
