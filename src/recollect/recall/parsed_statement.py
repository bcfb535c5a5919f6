"""A sentence parsed into subject, values and words of change.

    "Since May crash reports go to Glitchtip instead of Sentry."
    subject {crash, report}   words {crash, report, go, glitchtip, sentri}   ended {sentri}   cues {from}

A sentence is read clause by clause. The first clause decides whether it is a statement: a question, a proposal or an
example is not. Later clauses that are open are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

from recollect.recall.stated_values import Value, is_amount, tokens, values
from recollect.text.questions import INDIRECT
from recollect.text.terms import STOP_WORDS, terms

# Shorter sentences name something, longer ones tell a story.
LEAST_WORDS, MOST_WORDS = 3, 45
MOST_CHARACTERS = 400
# Statements of one memory that are compared; a text with more is a document.
STATEMENTS = 8
# In a memory of at most so many sentences, one may end what another replaces: "X serves it. Y was switched off."
TOGETHER = 3

Cue = Literal["says so", "changed", "from", "now", "ordered"]
CUES: tuple[Cue, ...] = get_args(Cue)


def _any(words: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


# "Sessions last 45 minutes, they're kept in Redis": the second says more of them, and explains nothing.
_PLACED = r"(?:['’]s|['’]re| is| are) \w+ (?:in|on|at|by|with|from|to|under|via)\b"
_SENTENCE = re.compile(rf"(?<=[.!?;])\s+|\n+|,\s+(?=(?:it|they){_PLACED})", re.IGNORECASE)
_EXPLAINING = re.compile(rf"(?:because|since|otherwise|(?:they|it)(?!{_PLACED})|this|that|he|she)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;–—(]\s+|\s+[–—(-]\s*")
_MONTH = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
)
_SHORT_FORMS = re.compile(r"\b(\w+?)n['’]t\b|\b(do|does|did|is|are|was|were|should|ca|wo)nt\b", re.IGNORECASE)
# "Can you remind me that it is at 4?" states that it is.
_REMINDED = re.compile(
    r"\b(?:so )?(?:can|could|would|will) you (?:please )?(?:remind me|remember|note|keep in mind) that\b"
    r"([^?]{0,300}+)\?*\s*$",
    re.IGNORECASE,
)
_IRREGULAR = {"wo": "will", "ca": "can", "sha": "shall"}
# A clause with one of these states nothing: it asks, supposes, proposes, or gives an example.
_OPEN = re.compile(
    r"\?\W*$|^\[|^\W*(?:is|are|do(?! not)|does|did|should|can|could|what|which|where|why|how|who|suppose)\b|"
    r"\b(?:if|unless|whether|would|could(?! not)|might|maybe|perhaps|probably|possibly|for example|for instance|e\.g|"
    r"wonder\w*|seems?|propos(?:al|es?|ed|ing)|suggest\w*|plans? to|a plan|draft|hopes?|wants? to|like to|"
    r"asked (?:whether|if)|(?:decided|voted) against|(?:was|were|been) (?:rejected|declined)|tell me|remind me|explain|"
    r"let me know|describe|someday|eventually|not yet|next (?:year|quarter|month)|"
    r"(?:says?|said|thinks?|wrote|claims?|argues?) (?:that )?(?:we|he|she|they|it|you)(?:['’]d| should| ought)|"
    rf"will not (?:move|switch|change|migrate|replace)\w*)\b|{INDIRECT.pattern}",
    re.IGNORECASE,
)
# So does one with these, unless it says that something was changed: "we discussed it and moved to X".
_PONDERED = _any(
    r"guess|either(?=.* or )|consider(?:s|ed|ing)?|planned|planning|idea|discuss\w*|talked|thinking|think|thought|"
    r"evaluat\w+|experiment(?:ed|ing)|an experiment|tried"
)
# An answer that tells nothing but its tone, after the name of who gives it: “Ann: Good.”
_ACKNOWLEDGED = re.compile(
    r"(?:[\w-]++(?: [\w-]++)?: )?"
    r"(?:(?:(?:good|nice) (?:morning|afternoon|evening|work|job|day)|oh|yes|no|ok|okay|sure|good|great|perfect|"
    r"excellent|absolutely|certainly|definitely|exactly|precisely|indeed|understood|noted|agreed|right|alright|correct|"
    r"thanks|thank you|welcome|of course|got it|will do|very well)\b\W*+)++(?:[\w-]++\W*+)?",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^\W*(?:if|when|whenever|while|during|unless|before|because|until|for the (?:\w+ )?(?:weekend|week|day|sale|"
    r"freeze|migration|release|demo|launch|audit|event))\b|"
    rf"^\W*since (?!(?:last|version|release|patch|the fix|v?\d|{_MONTH}))",
    re.IGNORECASE,
)
# It holds for a while, or for a part, or besides something else, or nothing changed.
PARTLY = re.compile(
    r"\b(?:while|during|until|till|temporar\w+|for now|for the time being|for maintenance|because of|stopgap|"
    r"meanwhile|this (?:week(?:end)?|month|morning|afternoon|evening|sprint)|today|tonight|tomorrow|weekdays|weekends|"
    r"holidays|before \d{4}|back then|at the time|used to|originally|previously|formerly|initially|and (?:then )?back|"
    r"also|too(?=\W*$)|as well|in addition|additional\w*|besides|second|another|except\w*|apart from|only (?:for|in|"
    r"on|when|if)|still|unchanged|as before|as i said|reminder|added|adds|nothing (?:has )?(?:changed|moved)|"
    r"never (?:moved|switched|changed|migrated)|(?:did|do|does|has|have|was|were|is|are) not (?:been )?(?:move|switch|"
    r"change|migrate|replace|rename|raise|lower|remove|drop)\w*)\b",
    re.IGNORECASE,
)
_PAST = _any(
    r"was|were|had|did|happened|saw|crashed|took|broke|yesterday|ago|last (?:week|month|year|night|time|sprint)|"
    r"in \d{4}|failed (?:on|at|with|in|for)|used \d"
)
_CHANGED = (
    "moved changed renamed increased reduced extended removed migrated replaced switched upgraded downgraded lowered "
    "decreased bumped postponed rescheduled adjusted shortened tightened relaxed doubled halved dropped retired "
    "deprecated became swapped abandoned discontinued gone"
).split()
_CUES: dict[Cue, re.Pattern[str]] = {
    "says so": re.compile(
        r"^\W*updated?\b|\bupdate:|"
        r"\b(?:amend\w*|supersed\w+|overrid\w+|overrul\w+|overturn\w+|correction|(?:was|were) wrong|scrap|forget|"
        r"disregard|ignore what|turns out|turned out|revised|changed (?:my|our) mind|actually|ended up|went with|"
        r"settled on|reverted|rolled back|went back|back to|(?:is|was|were) not it|not \w+ but|"
        r"(?:took|takes|taken) over|(?:handed|hands) over|in place of|in favou?r of|new (?:policy|rule|convention|"
        r"standard|decision|process|default|limit|deadline|contact|owner|value|name|address|time|date))\b",
        re.IGNORECASE,
    ),
    "changed": _any(
        rf"{'|'.join(_CHANGED)}|(?<!is )(?<!are )raised|replaces|moves(?= (?:from|to) )|changes(?= :)|becomes|grew|"
        r"(?:is|are|was|been) sunset|widened|went (?:up|down|from)|belongs to|uninstalled|switched off|shut down"
    ),
    "from": _any(
        r"from (?:now|here|today) on|going forward|moving forward|henceforth|as of|starting (?:in|with|from|on|next)|"
        r"effective|instead|rather than|no longer|any ?(?:more|longer)|(?:is|are) history|no ?body|"
        rf"(?:since|from) (?:last|this (?:week|month|year)|version|release|patch|the fix|v?\d|{_MONTH})"
    ),
    "ordered": re.compile(r"^\W*(?:please )?(?:raise|lower|increase|reduce|bump|change|set) (?=.* to )", re.IGNORECASE),
    "now": _any("now|new|newly|currently|these days|nowadays|decided|agreed|voted"),
}
# What stands behind the first, or before the second, is over.
_ENDING_BEFORE = _any(
    r"instead of|rather than|no longer|no more|not(?!,? any ?(?:more|longer))|replace[sd]?|replacing|dropped|drop|"
    r"scrap|forget|retired|removed|former|old|unlike|abandoned|gave up|stopped|in place of|moved out of|away from|"
    r"deprecated|could not|no ?body|deleted|ignore|ditched|got rid of|off(?= [A-Z])|overturned|wrong about"
)
_NO_MORE = re.compile(r"(?:^|[,;:(–—-]\s+)(?:(?:so|and|with|please)\s+)?no\b(?! longer| more)", re.IGNORECASE)
_FROM = _any(r"from(?= [^.;:]{1,60} to )")
_SHUT_DOWN = _any(
    r"(?:is|are|was|were|has been|have been|got|been|being) (?:now )?(?:switched off|shut down|retired|removed|deleted|"
    r"uninstalled|gone|dropped|replaced|deprecated|decommissioned|turned off|given back|discontinued|abandoned|"
    r"superseded|obsolete|sunset|disabled|cancelled|abolished|reverted|unused|dead|ignored|wiped|banned)|retired|"
    r"gets? (?:removed|deleted|wiped|dropped|ignored)|stopped working|does not work"
)
_ENDING_AFTER = _any(
    r"(?:is|are|was|were|been) (?:now )?(?:forbidden|closed|wrong|history|not it|out(?! of))|is over|(?:has|"
    r"have) left|left(?=\W*$|,)|left (?:the|for|in)|went (?:away|to)|(?:has |have )?(?:moved|changed) (?:to|teams)|"
    r"any ?(?:more|longer)|could not|goes(?=\W*$|,)"
)
_ENDED_REACH = 4
_REACH_CHARACTERS = 80

# Words of change and of time are no part of what a statement is about.
_FILLERS = frozenset(
    """now currently just really please actually also still simply today new update updated correction amend amends
    amended amendment supersede supersedes superseding old anymore longer instead rather going forward moving
    starting effective effect last month year week spring summer autumn winter use uses used using per remember
    note decided agreed voted team want wants example scrap forget said turn turns turned wrong fixed thing
    earlier end ended went settled back every everything everywhere stay stays remain remains future possible
    available needed necessary valid true""".split()
)
_CHANGING = frozenset(
    """move moves moving migrate migration replace replaces switch change changes rename upgrade raise raised increase
    reduce retire becomes sunset reverted revised got shut deleted unused wiped one ones""".split()
).union(_CHANGED)
_STEMS = {
    "built": "build", "sent": "send", "kept": "keep", "ran": "run", "written": "write", "held": "hold", "made": "make",
    "certs": "certif", "cert": "certif", "db": "databas", "repo": "repositori", "repos": "repositori",
    "configuration": "config", "documentation": "doc", "env": "environ", "k8s": "kubernet", "postgresql": "postgr",
}  # fmt: skip
_AUXILIARIES = frozenset(
    "is are was were be been being has have had will must should can may cannot does do did".split()
)
_VERBS = _AUXILIARIES | frozenset(
    """uses use used needs need requires require go goes went run runs live lives hold holds start starts end ends take
    takes took get gets got come comes came support supports keep keeps allow allows serve serves read reads write
    writes store stores sit sits send sends expire expires include includes maintain maintains own owns belong
    belongs become becomes became lock locks log logs leave leaves build builds accept accepts contain contains
    point points listen listens return returns work works depend depends change changes cost costs last lasts let
    lets make makes check checks show shows skip skips clear clears reset resets open opens close closes stay stays
    remain remains answer answers want wants produce produces restart restarts""".split()
) | _CHANGING  # fmt: skip
_NAME = re.compile(r"\w[A-Z]|\w[./_-]\w|\d")
_ACTORS = frozenset("we i you they he she".split())
_PREPOSITIONS = frozenset(
    "to from with by in on at as into onto instead rather than over via through after within".split()
)
_AFTER_VERBS = _PREPOSITIONS | frozenset("the a an up out off our their his her".split())
_IMPERATIVES = frozenset(
    "use format name write keep put run store prefer call send deploy always never set ask".split()
)


class Statement(NamedTuple):
    """A parsed sentence.

    words: all its content words. subject: the words of its subject. ended: words for things that ended.
    partly: the words that limit it. is_open: it is no statement. is_past, is_told: it reports an event.
    """

    text: str
    tokens: tuple[str, ...]
    keys: tuple[str, ...]
    words: frozenset[str]
    subject: frozenset[str]
    values: tuple[Value, ...]
    ended: frozenset[str]
    cues: frozenset[Cue]
    partly: frozenset[str]
    is_open: bool
    is_past: bool
    is_told: bool


def statements(text: str, *, whole: bool = False) -> list[Statement]:
    """Return the sentences of a text that can be compared.

    whole: of a short text also all of it, for one sentence may name the subject and another the change
    """
    found: list[Statement] = []
    for sentence in _SENTENCE.split(text):
        if len(sentence) > MOST_CHARACTERS or _ACKNOWLEDGED.fullmatch(sentence):
            continue
        made = statement(sentence.strip(" \t-*•>"))
        if LEAST_WORDS <= len(made.tokens) <= MOST_WORDS:
            found.append(made)
        if len(found) == STATEMENTS:
            break
    if 1 < len(found) <= TOGETHER:
        ended = frozenset(key for each in found for key in each.ended)
        found = [each._replace(ended=ended) for each in found]
        all_of_it = statement(" ".join(each.text for each in found if not each.is_open and not each.partly))
        if whole and found[0].tokens[:2] == all_of_it.tokens[:2] and len(all_of_it.tokens) <= MOST_WORDS:
            found.append(all_of_it)
    return found


def length_of_statements(text: str) -> int:
    """Return the number of words of a text without the sentences that explain another."""
    first, *later = _SENTENCE.split(text)
    return sum(len(sentence.split()) for sentence in (first, *later) if not _EXPLAINING.match(sentence))


@lru_cache(maxsize=2_048)  # a new memory is compared with the same older ones as the one before it
def statement(sentence: str) -> Statement:
    """Return a sentence taken apart."""
    plain = _SHORT_FORMS.sub(
        lambda found: f"{_IRREGULAR.get((verb := found[1] or found[2]).lower(), verb)} not",
        _REMINDED.sub(r"\1", sentence),
    )
    clauses = list(_clauses(plain))
    main = " , ".join(clauses)
    words = tuple(tokens(main))
    keys = tuple(key_of(word) for word in words)
    cues = frozenset(name for name, pattern in _CUES.items() if pattern.search(main))
    subject = _subject(main)
    return Statement(
        sentence,
        words,
        keys,
        frozenset(filter(None, keys)),
        frozenset(subject),
        tuple(values(words)),
        _ended(plain),
        cues,
        _limits(main),
        plain.rstrip().endswith("?") or (plain.endswith("!") and not cues) or _is_open(clauses[0]),
        bool(_PAST.search(clauses[0])) and not cues - {"now"},
        _is_told(words, keys),
    )


def _is_told(words: Sequence[str], keys: Sequence[str]) -> bool:
    """Tell whether a verb in the past reports an event: “the user logged in”."""
    for place, word in enumerate(words[:-1]):
        if word.lower() in _AUXILIARIES:
            return False
        if place and word.endswith("ed") and keys[place] and keys[place - 1]:
            return words[place + 1].lower() in _AFTER_VERBS
    return False


def _is_open(clause: str) -> bool:
    """Tell whether a clause is no statement; only words before a word of change count."""
    changes = [found.end() for cue in ("says so", "changed") if (found := _CUES[cue].search(clause))]
    if changes:
        return bool(_OPEN.search(clause[: min(changes)]))
    return bool(_OPEN.search(clause) or _PONDERED.search(clause))


def _limits(text: str) -> frozenset[str]:
    return frozenset(found[0].lower() for found in (*PARTLY.finditer(text), *_CONDITION.finditer(text)))


def _clauses(sentence: str) -> Iterator[str]:
    """Yield the first clause, and later ones that are statements."""
    first, *later = _CLAUSE.split(sentence)
    while later and len(first.split()) < LEAST_WORDS:
        first = f"{first}, {later.pop(0)}"
    yield first
    for clause in later:
        is_aside = clause.lower().startswith(("as ", "so ", "to ", "they ", "it "))
        if not _OPEN.search(clause) and not PARTLY.search(clause) and not is_aside:
            yield clause


@lru_cache(maxsize=4_096)
def key_of(word: str) -> str:
    """Return the key of a word for comparison; "" for stop words, values and words of change."""
    lowered = word.lower().removesuffix("'s").removesuffix("’s")
    if lowered in STOP_WORDS or lowered in _FILLERS or lowered in _CHANGING or is_amount(lowered):
        return ""
    if not any(letter.isalpha() for letter in lowered):
        return ""
    return _STEMS.get(lowered) or ((terms(lowered) or [lowered])[-1] if lowered.isalpha() else lowered)


VERB_KEYS = frozenset(filter(None, map(key_of, _VERBS)))


def is_name(word: str, place: int) -> bool:
    """Tell whether a word looks like a name, by capitals, digits, dots, dashes or underscores."""
    return (word[:1].isupper() and place > 0) or bool(_NAME.search(word))


def names(one: Statement) -> frozenset[str]:
    """Return the names that a statement has."""
    pairs = enumerate(zip(one.tokens, one.keys, strict=True))
    return frozenset(key for place, (word, key) in pairs if key and is_name(word, place))


def _subject(text: str) -> list[str]:
    """Return the subject: the words before the verb, or the object of an actor or command."""
    words = [word.lower() for word in tokens(text)]
    keys = [key_of(word) for word in words]
    start = next((place + 1 for place, word in enumerate(words[:12]) if word == ":"), 0)
    start = start if start < len(words) - 2 else 0
    header = [key for key in keys[:start] if key]
    place = next((at for at in range(start, len(words)) if keys[at] or words[at] in _STARTING), None)
    if place is None or words[place] in _AUXILIARIES:
        return header
    if words[place] in _ACTORS or words[place] in _IMPERATIVES or words[place] in _CHANGING:
        return header + _object(words, keys, place + 1 + (words[place] in _ACTORS))
    found: list[str] = []
    for word, key in zip(words[place:], keys[place:], strict=True):
        if found and word in _VERBS:
            return header + found
        if found and word in (",", ".", ":"):
            break
        found.extend((key,) if key else ())
    return header + found[:2]


_STARTING = _ACTORS | _AUXILIARIES | _CHANGING | _IMPERATIVES


def _object(words: Sequence[str], keys: Sequence[str], start: int) -> list[str]:
    """Return the words after a verb up to a preposition, and those after “for”."""
    found: list[str] = []
    # What is used is a value: “we use yarn for packages” is about packages.
    is_in = is_named = not {"use", "uses"}.intersection(words[:start]) or "for" not in words[start:]
    for word, key in zip(words[start:], keys[start:], strict=True):
        if word == "for" or word in _PREPOSITIONS or word in (",", "."):
            is_in = word == "for"
        elif is_in and key:
            found.append(key)
    return found if found or is_named else list(filter(None, keys[start:]))[:1]


def _ended(text: str) -> frozenset[str]:
    """Return the words for things that ended, by this sentence."""
    found: set[str] = {*with_parts(_before(text, _SHUT_DOWN)), *_before(text, _ENDING_AFTER)}
    starts = [*_ENDING_BEFORE.finditer(text), *_NO_MORE.finditer(text)]
    if _CUES["changed"].search(text) or _CUES["says so"].search(text):
        starts += _FROM.finditer(text)
    for match in starts:
        after = re.split(r"[.;:](?!\S)", text[match.end() : match.end() + _REACH_CHARACTERS])[0]
        found.update([key for word in tokens(after) if (key := key_of(word))][:_ENDED_REACH])
    return frozenset(found)


def with_parts(keys: Iterable[str]) -> frozenset[str]:
    """Return words with the parts of those that have dashes: “six-node” is also “node”."""
    found = frozenset(keys)
    return found | {part for key in found for word in re.split("[-/.]", key) if word != key and (part := key_of(word))}


def _before(text: str, pattern: re.Pattern[str]) -> Iterator[str]:
    for match in pattern.finditer(text):
        part = re.split(r"[.;:,](?!\S)", text[max(0, match.start() - _REACH_CHARACTERS) : match.start()])[-1]
        yield from [key for word in tokens(part) if (key := key_of(word))][-_ENDED_REACH:]
