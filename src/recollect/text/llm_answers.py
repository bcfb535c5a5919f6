"""Checks of a language model's answer: its own words, copied prompts, invented names."""

from __future__ import annotations

import re
from typing import NamedTuple

# So many words in a row are copied.
COPIED_WORDS = 8
# Shorter numbers may be counts of the summary itself.
NAMING_DIGITS = 3

ANSWER_CHARACTERS = 40_000
# Names that are searched for inside the words of the sources.
MOST_LOOKED_FOR = 100

_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"\A```[\w-]*\n(.*?)\n?```\Z", re.DOTALL)
# "Here is the shortened observation:", "Summary:" on a line of its own.
_GREETING = re.compile(
    r"\A(?:(?:sure|okay|ok|certainly|of course)\b[^\n]{0,80}[!.:,]\s*)?"
    r"(?:(?:here(?:'s| is| are)|below is|this is)\b[^\n]{0,120}:\s*\n?|(?:\*\*)?(?:short(?:ened)?|summary|compressed)"
    r"(?: version| observation| text| summary)?:?(?:\*\*)?:?\s*\n)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\w+")
# Names of code: with an underscore, a dot, a slash, a colon or a hump.
_NAME = re.compile(r"\w+(?:(?:[./\\\-]|::?)\w+)*")
_MADE = re.compile(r"_|\w[./\\]\w|::|[a-z][A-Z]")


class Said(NamedTuple):
    """The accepted answer of a model, or the reason why it is rejected."""

    text: str
    fault: str = ""


def enclosed(text: str, tag: str) -> str:
    """Return data for the inside of a tag, which it cannot close."""
    return text.replace(f"</{tag}", f"<\\/{tag}").replace(f"<{tag}", f"<\\{tag}")


def checked(answer: str, source: str, instructions: str, tag: str, sizes: tuple[int, int]) -> Said:
    """Return the text of an answer, or why it is rejected.

    source: the texts it was made of; no name may come from elsewhere. instructions, tag: those of the prompt
    sizes: the least and the most characters
    """
    said = own_words(answer)
    if len(said) < sizes[0]:
        return Said("", "it is too short")
    if repeats(said, instructions) or f"<{tag}" in said.lower() or f"</{tag}" in said.lower():
        return Said("", "it repeats the prompt")
    if len(said) > sizes[1]:
        return Said("", "it is too long")
    if made_up := invented(said, source):
        return Said("", f"it contains names that are not in the {tag}: {', '.join(made_up[:3])}")
    return Said(said)


def own_words(answer: str) -> str:
    """Return an answer without thoughts, greeting, fence and quotes."""
    said = _THOUGHTS.sub("", answer[:ANSWER_CHARACTERS]).strip()
    said = _GREETING.sub("", said, count=1).strip()
    if fenced := _FENCE.match(said):
        said = fenced[1].strip()
    for opening, closing in (('"', '"'), ("“", "”")):
        if len(said) > 1 and said[0] == opening and said[-1] == closing and opening not in said[1:-1]:
            said = said[1:-1].strip()
    return said


def repeats(said: str, text: str) -> bool:
    """Whether an answer gives back a run of words of `text`: the instructions of a prompt, say."""
    words = [word.lower() for word in _WORD.findall(text)]
    runs = {tuple(words[start : start + COPIED_WORDS]) for start in range(len(words) - COPIED_WORDS + 1)}
    spoken = [word.lower() for word in _WORD.findall(said)]
    return any(tuple(spoken[start : start + COPIED_WORDS]) in runs for start in range(len(spoken) - COPIED_WORDS + 1))


def names(text: str) -> set[str]:
    """Return the names of code in a text, and numbers that are no counts."""
    found = {match[0] for match in _NAME.finditer(text)}
    return {name for name in found if _MADE.search(name) or (name.isdecimal() and len(name) >= NAMING_DIGITS)}


def invented(said: str, *sources: str) -> list[str]:
    """Return the names of an answer that no source has.

    A name is known if its parts are: `Server.start` if a source has `Server` and `start`.
    """
    known = "\n".join(sources).lower()
    parts = set(_WORD.findall(known))
    unknown = sorted(name for name in names(said) if not all(part in parts for part in _WORD.findall(name.lower())))
    # A part of a word counts too ("2.0" of "v2.0"), but this search is slow.
    return [name for name in unknown[:MOST_LOOKED_FOR] if name.lower() not in known] + unknown[MOST_LOOKED_FOR:]
