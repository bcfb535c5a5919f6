"""What chats with an assistant are judged by beside recall: changed facts, and questions without an answer."""

from __future__ import annotations

import statistics
from collections.abc import Mapping
from typing import Any

from conversations import Conversations

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
