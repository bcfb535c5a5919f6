"""Said: what a language model answered, read with suspicion before anything is kept of it.

A model may think aloud, say hello, give its prompt back, make things up, or stop in the middle. Whoever asked has a
text of its own to fall back on, so that whatever looks wrong can be refused without loss.
"""

from __future__ import annotations

import re

# So many words in a row are no coincidence: they were copied.
COPIED_WORDS = 8
# Numbers that name something: ports, codes, versions, lines. Shorter ones are counts that a summary may make itself.
NAMING_DIGITS = 3

# No model is asked for more.
ANSWER_CHARACTERS = 40_000
# Names of an answer that are looked for inside the words of its sources; an answer that needs more makes names up.
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
# What programs and not people name things: with a stroke, a dot, a slash or a colon inside, or with a hump.
_NAME = re.compile(r"\w+(?:(?:[./\\\-]|::?)\w+)*")
_MADE = re.compile(r"_|\w[./\\]\w|::|[a-z][A-Z]")


def own_words(answer: str) -> str:
    """Return an answer without the model's thoughts, a greeting before it, and a fence or quotes around it."""
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
    """Return what a text names as programs do: files, symbols, settings, and numbers that are no counts."""
    found = {match[0] for match in _NAME.finditer(text)}
    return {name for name in found if _MADE.search(name) or (name.isdecimal() and len(name) >= NAMING_DIGITS)}


def invented(said: str, *sources: str) -> list[str]:
    """Return what an answer names and no source does, in order: made up, or spelt wrong, which is as bad.

    A name counts as known if its parts are: `Server.start` where a source speaks of `Server` and of `start`.
    """
    known = "\n".join(sources).lower()
    parts = set(_WORD.findall(known))
    unknown = sorted(name for name in names(said) if not all(part in parts for part in _WORD.findall(name.lower())))
    # The inside of a word counts, too ("2.0" of "v2.0"), but each of these looks through all of the sources.
    return [name for name in unknown[:MOST_LOOKED_FOR] if name.lower() not in known] + unknown[MOST_LOOKED_FOR:]
