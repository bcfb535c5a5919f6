"""The prompt and the verdict of the LLM judge, which rates the best hits.

    hits ─► excerpt ─► prompt ─► the model ─► verdict ─► merge ─► hits in the order of their judged relevance

Prompt and answer are those of document 000. An answer may repeat the prompt, and with it the words of the memory, which
may look like a verdict; a repeated prompt is removed before parsing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from recollect.model import Hit, Judged
from recollect.text.display import day

QUESTION = "Is this memory relevant to the context? Rate its relevance from 0 to 1."
PROMPT = f"""Context: {{context}}

Memory: {{text}}
Metadata: {{metadata}}

{QUESTION}
Score: <number 0-1>
Reason: <brief explanation>"""

# What a verdict may cost: a number and a sentence are about 60 tokens; some models say hello first.
VERDICT_TOKENS = 200
# How much of a long memory is judged: about 1,000 tokens hold the match and what follows it.
SHOWN_CHARACTERS = 4_000
METADATA_CHARACTERS = 400
# A question may be a whole file; what is asked is said in this much.
CONTEXT_CHARACTERS = 4_000
# How far an answer is read; no model was allowed to say more.
ANSWER_CHARACTERS = 2_000
# A brief explanation; what is longer is no explanation any more.
REASON_CHARACTERS = 300

# Before a number stand at most signs of emphasis, and the bracket of the placeholder that it fills in. Infinity and NaN
# are no digits, so they are no score.
_NUMBER = r"[\s*_`<(\[]*(?P<sign>-?)(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<unit>\s*%|\s*/\s*[0-9]+)?"
_LABEL = r"Score[*_`]*+(?:\s*+\([^()\n]*+\))?+[*_`]*+\s*+[:=]"
# A line of its own is meant as the score; only without one is it looked for within a sentence.
_SCORE = (
    re.compile(rf"^[ \t>*_#`-]*{_LABEL}{_NUMBER}", re.IGNORECASE | re.MULTILINE),
    re.compile(rf"\b{_LABEL}{_NUMBER}", re.IGNORECASE),
)
_REASON = re.compile(r"\bReason(?:ing)?[*_`]*\s*[:=][\s*_`]*", re.IGNORECASE)
_BLANK_LINE = re.compile(r"\n\s*\n")
_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)


class Verdict(NamedTuple):
    """The relevance of a memory, from 0 to 1, and the reason."""

    score: float
    reason: str


def prompt(context: str, text: str, metadata: Mapping[str, Any] | None = None) -> str:
    """Return the prompt of document 000 for one memory."""
    told = ", ".join(f"{name}={value}" for name, value in (metadata or {}).items())
    return PROMPT.format(context=context, text=text, metadata=told or "none")


def verdict(answer: str, asked: str = "") -> Verdict | None:
    """Return the verdict in an answer; None if it has no score.

    A score out of range is the nearest one in it; "85 %" and "7/10" are what they mean. Nothing that stands in an echo
    of the prompt `asked` counts.
    """
    said = _own_words(answer, asked)
    found = next((match for pattern in _SCORE if (match := pattern.search(said))), None)
    if found is None:
        return None
    score = _value(found)
    if not math.isfinite(score):
        return None
    return Verdict(min(1.0, max(0.0, score)), _reason(said))


def _reason(said: str) -> str:
    """Return the explanation, up to the end of its paragraph, on one line."""
    label = _REASON.search(said)
    if label is None or said.startswith("<brief explanation>", label.end()):
        return ""
    paragraph = _BLANK_LINE.split(said[label.end() :], maxsplit=1)[0]
    return " ".join(paragraph.split())[:REASON_CHARACTERS]


def _own_words(answer: str, asked: str) -> str:
    """Return the answer without reasoning and without a repeated prompt."""
    said = _THOUGHTS.sub("", answer)
    if asked:
        said = said.replace(asked, "")
    if QUESTION in said:
        return said.rpartition(QUESTION)[2][:ANSWER_CHARACTERS]
    # An echo that was cut off before the question: all of it may be the memory's words.
    return "" if said.lstrip().startswith(("Context:", "Memory:")) else said[:ANSWER_CHARACTERS]


def _value(found: re.Match[str]) -> float:
    value = float(found["number"])
    unit = (found["unit"] or "").strip()
    if unit == "%":
        value /= 100
    elif unit:
        # Not "0.8/1", which is 0.8 anyway, but also not "5/0".
        value /= max(1.0, float(unit.removeprefix("/")))
    return -value if found["sign"] else value


def question(hit: Hit, context: str) -> str:
    """Return the prompt for a hit: its matching part and its metadata."""
    memory = hit.memory
    known = {
        "type": memory.memory_type,
        "date": day(memory.said_at),
        "title": memory.title,
        "author": memory.author,
        "category": memory.category,
        "tags": " ".join(memory.tags),
        "superseded": "yes" if hit.superseded_by else "",
    }
    told = {name: value for name, value in {**memory.metadata, **known}.items() if value not in (None, "")}
    metadata = {name: _short(value) for name, value in told.items()}
    return prompt(context[:CONTEXT_CHARACTERS], excerpt(hit), metadata)


def _short(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return " ".join(text.split())[:METADATA_CHARACTERS]


def excerpt(hit: Hit) -> str:
    """Return the content of a hit, or of a long one the part that begins with what was found."""
    content = hit.memory.content
    start = min(hit.passage.start if hit.passage else 0, max(0, len(content) - SHOWN_CHARACTERS))
    return content[start : start + SHOWN_CHARACTERS]


def merge(hits: Sequence[Hit], verdicts: Mapping[str, Verdict], model: str) -> list[Hit]:
    """Return the hits in order of judged relevance; hits without a verdict keep theirs.

    A memory that replaces another is as relevant as what it replaces, and comes first: who asks about the old one
    must see the new one.
    """
    judged = [_judged(hit, verdicts.get(hit.memory.id), model) for hit in hits]
    scores = {hit.memory.id: hit.score for hit in judged}
    replaced = {hit.memory.id: hit.superseded_by for hit in judged if hit.superseded_by in scores}
    depth = dict.fromkeys(scores, 0)
    for old in replaced:
        newer, steps = replaced.get(old), 1
        # The bound ends a circle of replacements, which an import may bring.
        while newer is not None and steps <= len(replaced):
            scores[newer] = max(scores[newer], scores[old])
            newer, steps = replaced.get(newer), steps + 1
        depth[old] = steps
    raised = [msgspec.structs.replace(hit, score=scores[hit.memory.id]) for hit in judged]
    return sorted(raised, key=lambda hit: (-hit.score, depth[hit.memory.id]))


def _judged(hit: Hit, said: Verdict | None, model: str) -> Hit:
    if said is None:
        return hit
    judged = Judged(model=model, score=said.score, reason=said.reason, replaced=hit.score)
    return msgspec.structs.replace(hit, score=said.score, judged=judged)
