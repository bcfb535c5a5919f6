"""Features of a sentence for the statement model: words, sequences of words, form, neighbours and message.

    "never use `any`"   w:never  b:^ never  b:never use  s3:^ never *  name

A feature is a readable string, so the features that decided can be shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise

from recollect.capture.prose import Sentence

# Later words of a long sentence say little about its kind.
READ_WORDS = 60
# A run of words that the model does not know is one gap.
GAP = "*"
_EDGES = ".,;:!?()[]{}\"'*“”…"
_IN_NAMES = "/\\_@#·`("
_ITEMS = ("- ", "* ", "• ")
_LENGTHS = (6, 10, 16, 26)
# Pasted documents and answers of assistants are long, have lists, and have sentences that begin like these.
_LONG, _LISTS = (10, 20), (4, 9)
_VOICE = ("i'll ", "i've ", "let me ", "i can see", "i need to", "you're right", "here's ")


def words(plain: str) -> list[str]:
    """Return the lower-case words of a sentence; names of code, numbers and punctuation are classes."""
    found: list[str] = []
    for token in plain.split()[:READ_WORDS]:
        core = token.strip(_EDGES)
        if _is_name(core):
            found.append("<name>")
        elif any(char.isdigit() for char in core):
            found.append("<num>")
        else:
            found += [part for part in core.lower().replace("–", "-").replace("/", "-").split("-") if part]
        mark = token[len(token.rstrip(_EDGES)) :].lstrip("\"')]}*”")[:1]
        if core and mark and mark in ",;:!":
            found.append(mark)
    return found


def _is_name(core: str) -> bool:
    """Return whether a token is code, a path or a quotation rather than a word."""
    return (
        any(char in core[:-1] for char in "._@")
        or any(char in _IN_NAMES for char in core)
        or core.startswith("--")
        or any(one.islower() and other.isupper() for one, other in pairwise(core))
    )


def message_features(said: Sequence[Sentence]) -> frozenset[str]:
    """Return the features that all sentences of a message have: questions, and signs of a pasted document."""
    items = sum(sentence.is_answer or sentence.text.lstrip()[:2] in _ITEMS for sentence in said)
    voices = sum(sentence.plain.lower().startswith(_VOICE) for sentence in said)
    counted = (("long", len(said), _LONG), ("list", items, _LISTS), ("voice", voices, (2,)))
    found = {f"{name}:{bound}" for name, count, bounds in counted for bound in bounds if count >= bound}
    asks = any(sentence.plain.rstrip().endswith("?") for sentence in said)
    return frozenset(found | ({"asks"} if asks else set()))


def features(
    said: Sequence[Sentence], place: int, start: int, known: AbstractSet[str], of_message: AbstractSet[str]
) -> frozenset[str]:
    """Return the features of a sentence of a message that begins at an offset, after its filler words."""
    sentence = said[place]
    found = words(sentence.plain[start:])
    return frozenset(
        (
            *_sequences(found),
            *_skeleton(found, known),
            *_form(sentence, found),
            *_around(said, place),
            *(f"lead:{word}" for word in words(sentence.plain[:start])),
            *of_message,
        )
    )


def _sequences(found: list[str]) -> Iterator[str]:
    """Yield the words, and what follows what."""
    framed = ["^", *found, "$"]
    yield from (f"w:{word}" for word in found)
    yield from (f"b:{one} {two}" for one, two in pairwise(framed))
    yield from (f"t:{one} {two} {three}" for one, two, three in zip(framed, framed[1:], framed[2:], strict=False))


def _skeleton(found: list[str], known: AbstractSet[str]) -> Iterator[str]:
    """Yield sequences of frequent words around gaps: the form of a sentence without its subject."""
    masked = [word if word in known else GAP for word in found]
    bones = [word for place, word in enumerate(masked) if word != GAP or not place or masked[place - 1] != GAP]
    framed = ["^", *bones, "$"]
    for size in (2, 3, 4):
        for place in range(len(framed) - size + 1):
            part = framed[place : place + size]
            if GAP in part:
                yield f"s{size}:{' '.join(part)}"
    yield f"o:{' '.join(bones[:3])}"


def _form(sentence: Sentence, found: list[str]) -> Iterator[str]:
    text = sentence.text.rstrip()
    yield f"1:{found[0] if found else ''}"
    yield f"len:{sum(len(found) >= bound for bound in _LENGTHS)}"
    yield from (name for name, mark in (("bang", "!"), ("dot", ".")) if text.endswith(mark))
    yield from (name for name, word in (("name", "<name>"), ("num", "<num>")) if word in found)
    capitals = (token.strip(_EDGES) for token in text.split())
    if any(len(token) > 1 and token.isalpha() and token.isupper() for token in capitals):
        yield "caps"
    yield from (
        name for name, is_so in (("numbered", sentence.is_answer), ("item", text.lstrip()[:2] in _ITEMS)) if is_so
    )


def _around(said: Sequence[Sentence], place: int) -> Iterator[str]:
    """Yield how the neighbours in the paragraph begin."""
    if place and not said[place].is_first:
        yield f"prev:{(words(said[place - 1].plain) or [''])[0]}"
    if place + 1 < len(said) and not said[place + 1].is_first:
        yield f"next:{(words(said[place + 1].plain) or [''])[0]}"
