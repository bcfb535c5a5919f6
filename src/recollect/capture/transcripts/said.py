"""Said: which sentences of a conversation are worth more than the moment: rules, wishes, decisions, causes.

A person says what is wanted from now on; an assistant says what it chose, what did not work, and what the cause was. A
sentence has to say so itself: a question, a quotation, code and what is only asked for now say nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.model import MemoryType

# Shorter sentences say nothing by themselves; longer ones are paragraphs of something pasted.
LEAST_WORDS = 5
MOST_CHARACTERS = 400
# What is looked at of one message: people do not write more, they paste it.
LOOKED_AT = 20_000
# Sentences of one message that are kept: who states more rules at once has pasted a document.
OF_A_MESSAGE = 5


class Said(NamedTuple):
    """A sentence worth keeping: which rule found it, what kind of memory it is, and what it is worth."""

    rule: str
    text: str
    memory_type: MemoryType
    importance: float


class Rule(NamedTuple):
    """What a sentence must say, and what it then is."""

    name: str
    memory_type: MemoryType
    importance: float
    cue: re.Pattern[str]


def _cue(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


# The first that fits counts.
USER: tuple[Rule, ...] = (
    Rule("rejected", "decision", 0.65, _cue(
        r"\b(?:we|i)(?:'ve| have)? (?:decided|chose|agreed) (?:not to|against)\b", r"\bdecided against\b",
        r"\bruled? (?:it |that |this )?out\b", r"\bnot an option\b",
        r"\bdid(?: not|n't) work (?:out|because|since|last)\b", r"\bwe (?:already )?tried\b.{0,160}\b(?:but|and it)\b",
        r"\bwe (?:dropped|abandoned|moved away from|got rid of)\b",
    )),
    Rule("decision", "decision", 0.7, _cue(
        r"\b(?:we|i)(?:'ve| have)? (?:decided|chosen|chose|agreed|settled)\b", r"\bthe decision (?:is|was)\b",
        r"\bdecision:", r"\blet'?s (?:go with|stick (?:with|to)|switch to|standardi[sz]e on)\b",
        r"\bwe(?:'re| are) (?:going|sticking) with\b", r"\bwe(?:'ll| will) (?:use|keep|go with|stick (?:with|to))\b",
    )),
    Rule("preference", "preference", 0.7, _cue(
        r"\b(?:i|we)(?:'d| would)? (?:much |strongly |really )?prefer\b", r"\bi(?:'d| would) rather\b",
        r"\bi (?:really )?(?:like|love|hate|dislike|can't stand)\b(?! to know)", r"\bmy preference\b",
    )),
    Rule("convention", "style", 0.7, _cue(
        r"\b(?:we|you|i|please) (?:should |must |need to )?(?:always|never)\b", r"(?:^|, )(?:always|never) \w",
        r"\bfrom now on\b", r"\bgoing forward\b", r"\b(?:our|the|a|by) (?:convention|house style)\b",
        r"\bin this (?:repo|repository|project|code ?base)\b.{0,80}\b(?:we|use|must|should|is|are|do)\b",
        r"\bwe (?:only |generally |usually |normally )?use\b", r"\bwe (?:do not|don't) (?:use|want|allow|commit|do)\b",
        r"\b(?:do not|don't) ever\b", r"\bthe rule (?:is|here)\b", r"\bmust (?:always|never|not)\b",
        r"\bshould (?:always|never)\b", r"\bmake sure (?:you |to )?(?:always|never)\b",
    )),
)  # fmt: skip
ASSISTANT: tuple[Rule, ...] = (
    Rule("cause", "insight", 0.6, _cue(
        r"\b(?:the )?root cause (?:is|was|of)\b",
        r"\bthe (?:real |actual |underlying )?(?:problem|issue|bug|failure|error) (?:is|was)"
        r" (?:that|caused by|in|because)\b",
        r"\b(?:it )?turn(?:s|ed) out (?:that|to be)?\b", r"\bwas (?:failing|broken|caused) because\b",
    )),
    Rule("rejected", "decision", 0.55, _cue(
        r"\b(?:i|we)(?:'ve| have)? (?:decided|chose|opted) (?:not to|against)\b", r"\bdecided against\b",
        r"\b(?:i|we) tried\b.{0,160}\bbut\b", r"\bthat approach (?:did(?: not|n't)|does(?: not|n't)|won't) work\b",
        r"\bdid(?: not|n't) work (?:because|since|as)\b", r"\b(?:i|we) (?:ruled out|rejected|abandoned|reverted)\b",
        r"\bis not an option\b",
    )),
    Rule("decision", "decision", 0.6, _cue(
        r"\b(?:i|we)(?:'ve| have)? (?:decided|chosen|chose|opted|settled)\b", r"\b(?:i|we) went with\b", r"\bdecision:",
        r"\b(?:i|we)(?:'ll| will|'ve| have)? (?:use|used|using|keep|kept|switched to)\b"
        r".{1,160}\b(?:because|instead of|rather than|so that)\b",
    )),
)  # fmt: skip
RULES = {"user": USER, "assistant": ASSISTANT}

# One look at a whole text, to pass over the many that say nothing of the kind.
_ANY = {
    "user": re.compile(
        r"always|never|prefer|rather|decided|decision|chose|agreed|settled|let'?s |we |from now on|going forward|conven"
        r"|house style|rule|must|i (?:really )?(?:like|love|hate|dislike|can't)|option|make sure|don't ever|do not ever"
        r"|in this (?:repo|proj|code)|did(?:n't| not) work|ruled? ",
        re.IGNORECASE,
    ),
    "assistant": re.compile(
        r"root cause|turn(?:s|ed) out|decided|decision:|chose|opted|settled|went with|tried|ruled out|rejected"
        r"|abandoned|reverted|work because|not an option|that approach|instead of|rather than|because|so that"
        r"|(?:is|was) (?:that|caused|in\b)",
        re.IGNORECASE,
    ),
}
_CODE = re.compile(
    r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|^[ \t]*>[^\n]*$|^(?: {4,}|\t)\S[^\n]*$", re.DOTALL | re.MULTILINE
)
_TAG = re.compile(r"<(\w[\w-]{0,40})(?: [^<>]{0,200})?>")
_CLOSER = re.compile(r"</(\w[\w-]{0,40})>")
_SENTENCE = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(`A-Z*\-])|\n\s*\n|\n(?=\s*(?:[*\-•]|\d+[.)]) )|\n(?=#)")
_LEAD = re.compile(r"^\s*(?:[*\-•]|\d+[.)]|#+)\s+")
_REASON = re.compile(r"(?:because|since|otherwise|that way|this way|so that|the reason)\b", re.IGNORECASE)
# What is asked for now, or only weighed.
_ASKED = re.compile(
    r"^(?:can|could|would|should|do (?:you|we|i|they)|does|is|are|what|why|how|which|where|who|maybe|perhaps)\b|\?\s*$",
    re.IGNORECASE,
)


def may_say(role: str, text: str) -> bool:
    """Tell by one look whether a text can hold anything worth keeping."""
    return len(text) >= 20 and bool(_ANY[role].search(text, 0, LOOKED_AT))


def said(role: str, text: str) -> Iterator[Said]:
    """Yield the sentences of a message that are worth keeping, each once, with the reason that follows it."""
    prose = _CODE.sub("\n\n", _without_blocks(text[:LOOKED_AT]))
    parts = [" ".join(_LEAD.sub("", part).split()) for part in _SENTENCE.split(prose) if part and part.strip()]
    seen: set[str] = set()
    for place, part in enumerate(parts):
        if len(part.split()) < LEAST_WORDS or len(part) > MOST_CHARACTERS or _ASKED.search(part):
            continue
        rule = next((rule for rule in RULES[role] if rule.cue.search(part)), None)
        if rule is None or part in seen:
            continue
        if len(seen) == OF_A_MESSAGE:
            return
        seen.add(part)
        after = parts[place + 1] if place + 1 < len(parts) else ""
        whole = f"{part} {after}" if _REASON.match(after) and len(part) + len(after) < MOST_CHARACTERS else part
        yield Said(rule.name, whole, rule.memory_type, rule.importance)


def _without_blocks(text: str) -> str:
    """Return a text without what stands between tags: programs put it there."""
    kept: list[str] = []
    place = 0
    last_closed = {closer[1]: closer.start() for closer in _CLOSER.finditer(text)}
    while (tag := _TAG.search(text, place)) is not None:
        is_closed = last_closed.get(tag[1], -1) >= tag.end()
        end = text.find(f"</{tag[1]}>", tag.end()) if is_closed else -1
        if end < 0:
            kept.append(text[place : tag.end()])
            place = tag.end()
        else:
            kept += [text[place : tag.start()], "\n\n"]
            place = end + len(tag[1]) + 3
    return "".join([*kept, text[place:]])
