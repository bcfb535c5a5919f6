"""Features of a sentence for the statement model: words, sequences, classes of words, form, neighbours and message.

"never use `any`"   w:never  b:^ never  s3:^ never *  k3:^ never use  first:all  first:all & has:<name>  name
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations, pairwise
from typing import NamedTuple

from recollect.capture.prose import Sentence

# Later words of a long sentence say little about its kind.
READ_WORDS = 60
# A run of words that the model does not know is one gap.
GAP = "*"
_EDGES = ".,;:!?()[]{}\"'*“”…"
_IN_NAMES = "/\\_@#·`("
_ITEMS = ("- ", "* ", "• ")
_LENGTHS = (6, 10, 16, 26)
# What the ending of a word tells of its part of speech, the first that fits.
_ENDINGS = ("ing", "ed", "ly", "tion", "ment", "ness", "er", "able", "al", "ive", "n't", "s")
# Pasted documents and answers of assistants are long, have lists, and have sentences that begin like these.
_LONG, _LISTS = (10, 20), (4, 9)
_VOICE = ("i'll ", "i've ", "let me ", "i can see", "i need to", "you're right", "here's ")


class Lexicon(NamedTuple):
    """Words that are no gap in a skeleton, and the classes of words: of the first one, and of later ones."""

    frequent: frozenset[str]
    first: dict[str, str]
    later: dict[str, str]


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


def message_features(said: Sequence[Sentence], is_answer: bool) -> frozenset[str]:
    """Return the features of all sentences of a message: whose it is, questions, and signs of a pasted document."""
    items = sum(sentence.is_answer or sentence.text.lstrip()[:2] in _ITEMS for sentence in said)
    voices = sum(sentence.plain.lower().lstrip(" -*•").startswith(_VOICE) for sentence in said)
    counted = (("long", len(said), _LONG), ("list", items, _LISTS), ("voice", voices, (2,)))
    found = {f"{name}:{bound}" for name, count, bounds in counted for bound in bounds if count >= bound}
    asks = any(sentence.plain.rstrip().endswith("?") for sentence in said)
    return frozenset(found | ({"asks"} if asks else set()) | ({"answer"} if is_answer else set()))


def features(
    said: Sequence[Sentence], place: int, start: int, lexicon: Lexicon, of_message: AbstractSet[str]
) -> frozenset[str]:
    """Return the features of a sentence of a message that begins at an offset, after its filler words."""
    sentence = said[place]
    found = words(sentence.plain[start:])
    return frozenset(
        (
            *_sequences(found),
            *_skeleton(found, lexicon),
            *_classes(sentence.text[start:], found, lexicon),
            *_form(sentence, found),
            *_around(said, place),
            *of_message,
        )
    )


def _sequences(found: list[str]) -> Iterator[str]:
    """Yield the words, and what follows what."""
    framed = ["^", *found, "$"]
    yield from (f"w:{word}" for word in found)
    yield from (f"b:{one} {two}" for one, two in pairwise(framed))


def _skeleton(found: list[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield sequences of frequent words around gaps, and around the classes of other words: the form of a sentence."""
    masked = [word if word in lexicon.frequent else GAP for word in found]
    bones = [word for place, word in enumerate(masked) if word != GAP or not place or masked[place - 1] != GAP]
    yield from (f"s{size}:{part}" for size, part in _runs(bones) if GAP in part)
    yield f"o:{' '.join(bones[:3])}"
    yield from (f"k{size}:{part}" for size, part in _runs([_shape(word, lexicon) for word in found]))


def _runs(sequence: list[str]) -> Iterator[tuple[int, str]]:
    framed = ["^", *sequence, "$"]
    yield from ((size, " ".join(framed[at : at + size])) for size in (2, 3) for at in range(len(framed) - size + 1))


def _shape(word: str, lexicon: Lexicon) -> str:
    if word in lexicon.frequent or not word[0].isalpha():
        return word
    return "V" if lexicon.first.get(word) == "order" else _ending(word) or "x"


def _ending(word: str) -> str:
    return next((f"-{end}" for end in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2), "")


def _classes(text: str, found: list[str], lexicon: Lexicon) -> Iterator[str]:
    """Yield the classes of the first word and of later ones, the length, and all pairs of these."""
    first = found[0] if found else ""
    single = {f"first:{lexicon.first.get(first) or (first if first[:1] == '<' else _ending(first))}"}
    endings = {"-ed": "past"}
    named = (word if word[0] == "<" else lexicon.later.get(word) or endings.get(_ending(word)) for word in found[1:])
    single |= {f"has:{name}" for name in named if name}
    if any(token[:1].isupper() and token[1:2].islower() for token in text.split()[1:]):
        single.add("has:Name")
    single.add(f"len:{sum(len(found) >= bound for bound in _LENGTHS)}")
    yield from single
    yield from (f"{one} & {other}" for one, other in combinations(sorted(single), 2))


def _form(sentence: Sentence, found: list[str]) -> Iterator[str]:
    text = sentence.text.rstrip()
    yield f"1:{found[0] if found else ''}"
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
