"""Analyse a code snippet by rules: its language, names, concepts, keywords, tags and a description.

    given description (3) · defined names (4) · concepts (3) · text (1) ─► weighted words ─► keywords

Words are compared by their stems and shown in their most frequent form.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from recollect.code.index.languages import BY_NAME as LANGUAGES
from recollect.code.snippets.concepts import BUG_WORDS, BY_NAME, STEP_WORDS, concepts, errors
from recollect.code.snippets.language_guess import recognise
from recollect.text.identifiers import SYNTAX
from recollect.text.terms import STOP_WORDS, stemmer

# A few more than document 003 shows: further keywords repeat the content.
KEYWORDS = 8
TAGS = 8
# The description becomes the title of the memory, which has at most 200 characters.
CONTEXT_CHARACTERS = 180
# Characters that are analysed.
LOOKED_AT = 20_000
# Subjects in the cache: every snippet is compared with some twenty others.
REMEMBERED = 4_096
# Names kept of a snippet: a whole file may define hundreds.
NAMES = 24

SAID, DEFINED, CONCEPT, WRITTEN = 3.0, 4.0, 3.0, 1.0

# Kinds of concepts that are part of the subject.
TELLING = frozenset({"algorithm", "pattern", "technology"})
# Stems of techniques, which say little about the subject.
WIDE = frozenset("recurs recursiv iter dynam program memo memoiz fast faster quick effici optim".split())

# Words of any code and of texts about code.
COMMON = frozenset(
    """add all arg args array as async await bar baz base body bool break build call case catch char class code copy
    count create data def default delete dict do done double element else end err error errors example exception false
    file find first float foo for foreach from func function functions get given handle handler if impl implement
    implementation implemented implements import in index init input int integer interface is item items key keys last
    left len length line list long loop main make map max method methods min mut my new next nil node none not null num
    number numbers obj object of ok old open option out output over param params pass pop print println push put raise
    range read ref res result results return right run self set simple size slice solution some sort std str string
    strings struct sub sum swap test text the then this throw to tmp true try type unwrap up update use using val value
    values var vec version void when where while with write x y z python javascript typescript java golang rust
    ruby snippet way uses defines defined note""".split()
)

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_COMMENT = re.compile(r"^[^\S\n]*+(?:#(?!include|define|\[|!)|//+|/\*+|\*|--|\"\"\")\s*+(.{8,})$", re.MULTILINE)
_STRING = re.compile(r"\"\"\"[\s\S]*?\"\"\"|'[^'\n]*'|\"[^\"\n]*\"")


class Snippet(NamedTuple):
    """The analysis of a code snippet.

    defines, imports: names. context: its description. is_given: the description is not made by rules
    """

    language: str
    context: str
    keywords: tuple[str, ...]
    tags: tuple[str, ...]
    defines: tuple[str, ...] = ()
    imports: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    is_fix: bool = False
    is_step: bool = False
    is_given: bool = False


def analyse(content: str, *, language: str = "", context: str = "") -> Snippet:
    """Return the analysis of a code snippet; never raises for its content.

    language: empty if unknown. context: a given description
    """
    text = content[:LOOKED_AT]
    language = language or recognise(text)
    defined, imported, doc = _structure(text, language)
    said = context.strip() or doc
    plain = spaced(f"{said}\n{text}")
    found = concepts(plain)
    if "recursion" not in found and _calls_itself(text, defined):
        found = ("recursion", *found)
    failures = errors(f"{said}\n{text}")
    prose = f"{said}\n{' '.join(_comments(text))}"
    keywords = _keywords(said, defined, found, text)
    is_fix = bool(BUG_WORDS.search(prose))
    return Snippet(
        language=language,
        context=one_line(said) or _described(language, defined, found, keywords),
        keywords=keywords,
        tags=_tags(language, found, is_fix=is_fix),
        defines=tuple(defined[:NAMES]),
        imports=tuple(imported[:NAMES]),
        concepts=found,
        errors=failures,
        is_fix=is_fix,
        is_step=bool(STEP_WORDS.search(said)),
        is_given=bool(context.strip()),
    )


def one_line(text: str) -> str:
    """Return the first paragraph of a text on one line, cut at a word if it is too long."""
    line = " ".join(re.split(r"\n\s*\n", text.strip(), maxsplit=1)[0].split())
    if len(line) <= CONTEXT_CHARACTERS:
        return line
    return line[: CONTEXT_CHARACTERS - 1].rsplit(" ", 1)[0] + "…"


def spaced(text: str) -> str:
    """Return a text in lower case with identifiers split: `useState` and `use_state` become `use state`."""
    return re.sub(r"[_\W]+", " ", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", text)).lower()


def words_of(text: str) -> Iterator[str]:
    """Yield the words of a text and the parts of its identifiers in lower case, without common ones."""
    for match in _WORD.finditer(text):
        for part in _PART.findall(match[0]):
            word = part.lower()
            if (
                len(word) > 2
                and word.isalpha()
                and word not in STOP_WORDS
                and word not in SYNTAX
                and word not in COMMON
            ):
                yield word


def stem(word: str) -> str:
    """Return the stem of a word."""
    return str(stemmer().stemWord(word))


@lru_cache(maxsize=REMEMBERED)
def subject(snippet: Snippet) -> Mapping[str, float]:
    """Return the subject of a snippet: stems of its keywords, names, description and concepts, with weights."""
    weights: defaultdict[str, float] = defaultdict(float)
    parts: tuple[tuple[float, Iterable[str]], ...] = (
        (DEFINED, words_of(" ".join(snippet.defines[:4]))),
        (SAID, words_of(snippet.context)),
        (CONCEPT, (word for name in snippet.concepts if BY_NAME[name].kind in TELLING for word in words_of(name))),
        (WRITTEN, (word for keyword in snippet.keywords for word in words_of(keyword))),
    )
    for weight, words in parts:
        for root in {stem(word) for word in words}:
            weights[root] = max(weights[root], WRITTEN if root in WIDE else weight)
    return dict(weights)


def _structure(text: str, language: str) -> tuple[list[str], list[str], str]:
    """Return the names that a snippet defines and imports, and its first comment."""
    known = LANGUAGES.get(language)
    comments = _comments(text)
    doc = comments[0] if comments else ""
    if known is None or known.document:
        return [], [], doc
    from recollect.code.index.extract import extract

    found = extract(text.encode("utf-8", "replace"), "snippet", known)
    defined = dict.fromkeys(symbol.name for symbol in found.symbols if symbol.kind != "Constant" or symbol.parent < 0)
    imported = dict.fromkeys(part for row in found.imports for part in _modules(row.module or row.name or ""))
    doc = next((symbol.doc for symbol in found.symbols if symbol.doc), doc)
    return list(defined), list(imported), doc


def _modules(module: str) -> list[str]:
    """Return the first and the last part of an import path."""
    parts = [
        part for part in re.split(r"[./:@\"'<>]+", module) if part and part not in ("std", "h", "com", "org", "github")
    ]
    return [parts[0], parts[-1]] if len(parts) > 1 else parts


def _comments(text: str) -> list[str]:
    said = (match[1].rstrip() for match in islice(_COMMENT.finditer(text), 20))
    return [line.removesuffix("*/").removesuffix('"""').rstrip() for line in said]


def _calls_itself(text: str, defined: list[str]) -> bool:
    """Tell whether a function that a snippet defines calls itself."""
    for name in defined[:4]:
        calls = re.findall(rf"\b{re.escape(name)}\s*\(", text)
        starts = re.findall(rf"(?:def|function|func|fn|fun|int|long|void|static)\s+{re.escape(name)}\s*\(", text)
        if len(calls) > max(1, len(starts)):
            return True
    return False


def _keywords(said: str, defined: list[str], found: tuple[str, ...], text: str) -> tuple[str, ...]:
    """Return the keywords of a snippet, best first."""
    weights: defaultdict[str, float] = defaultdict(float)
    shown: defaultdict[str, Counter[str]] = defaultdict(Counter)
    sources: list[tuple[float, Iterable[str]]] = [
        (DEFINED, words_of(" ".join(defined[:6]))),
        (SAID, words_of(said)),
        (WRITTEN, words_of(_STRING.sub(" ", text))),
    ]
    for weight, words in sources:
        counts = Counter(words)
        for word, count in counts.items():
            root = stem(word)
            shown[root][word] += count
            # Repetition counts, but less than proportionally.
            weights[root] += weight * (1 + min(count - 1, 4) * 0.25)
    special = [name for name in found if BY_NAME[name].kind != "topic"]
    covered = {stem(part) for name in special for part in name.split("-")}
    ranked = [
        shown[root].most_common(1)[0][0]
        for root, _ in sorted(weights.items(), key=lambda row: (-row[1], row[0]))
        if root not in covered
    ]
    return tuple(dict.fromkeys((*special[:4], *ranked)))[:KEYWORDS]


def _tags(language: str, found: tuple[str, ...], *, is_fix: bool) -> tuple[str, ...]:
    topics = (BY_NAME[name].topic for name in found if BY_NAME[name].topic)
    every = (language, *(("debugging",) if is_fix else ()), *topics, *found)
    return tuple(dict.fromkeys(tag for tag in every if tag))[:TAGS]


def _described(language: str, defined: list[str], found: tuple[str, ...], keywords: tuple[str, ...]) -> str:
    """Return a description made by rules."""
    what = f"{language} code".strip() if language else "note"
    names = ", ".join(defined[:3])
    about = ", ".join(name.replace("-", " ") for name in found[:3]) or ", ".join(keywords[:4])
    return one_line(what + (f" that defines {names}" if names else "") + (f": {about}" if about else ""))
