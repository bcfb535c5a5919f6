"""Questions: the end of a sentence, the forms of a question, and whether a text only asks."""

from __future__ import annotations

import re

from recollect.text.lazy_patterns import compiled
from recollect.text.terms import terms

# Longer texts state something.
MOST_CHARACTERS = 2_000

SENTENCE = compiled(r"(?<=[.!?。！？])\s+|\n+")
# A sentence that asks by its end, its first words or a tag, also without a question mark.
QUESTION = compiled(
    r"[?:]\W*$"
    r"|^(?:can|could|would|will|shall|should|does|did|is|are|was|were|am|has|what|why|how|which|where|who|isn't"
    r"|aren't|wasn't|doesn't|didn't|shouldn't|wouldn't|couldn't|can't|won't)\b"
    r"|^(?:do|don't|have|haven't) (?:we|you|i|they|the|these|those)\b"
    r"|, (?:right|yeah|yes|correct|no|ok|okay|make sense)\W*$",
    re.IGNORECASE,
)
# Words before a question: "Hi, ", "ok so ", "quick question: ".
_LEAD = compiled(
    r"(?:(?:hi|hello|hey|ok|okay|so|and|but|well|please|pls|plz|bitte|quick|question|thanks|thank you|sorry|also|now"
    r"|then|never ?mind|just)\b\W*+)*+",
    re.IGNORECASE,
)
# Beside a question, a polite request or a guess of one word names nothing but that: "pls check", "maybe change it".
_POLITE = compiled(r"\b(?:please|pls|plz|bitte)\b", re.IGNORECASE)
_GUESS = compiled(r"\b(?:maybe|perhaps|possibly)\b", re.IGNORECASE)
_PRONOUNS = frozenset("mir uns das es mal".split())  # German; English ones are stop words
_WHAT = r"(?:where|how|what|which|why|when|whether|whose|who)\b"
_ANYONE = r"(?:some|any)(?:one|body)"
# Who is asked: "can you", "could someone please", "anyone".
_ASKED = (
    rf"(?:(?:(?:can|could|would|will) )?(?:you|{_ANYONE}) (?:please )?"
    r"|please |i(?:['’]d| would)? (?:want|need|like) you to )"
)
_REQUEST = compiled(
    rf"(?:(?:do you|(?:does )?{_ANYONE}) (?:know|remember|recall)s?"
    rf"|(?:{_ASKED}|let us |let me |let['’]?s (?=find out\b))?+(?:(?:tell|show|remind|teach) (?:me|us)|let me know"
    rf"|look up|find out|(?:explain|describe)(?= (?:{_WHAT}|(?:\S+ ){{0,5}}?to (?:me|us)\b|the\b|this\b|it\b))"
    r"|give me(?! (?:\w+,? ){0,3}(?:answers|replies|explanations|options)\b))"
    r"|i(?: want| need|(?: would|['’]d) (?:like|love)) to know|i wonder|any idea"
    rf"|(?:i(?:['’]m| am) )?(?:curious|wondering)(?= (?:about |to |on |in )?{_WHAT})"
    r"|(?:i(?:['’]m| am) )?(?:looking|searching) for)\b",
    re.IGNORECASE,
)
# A request for what has not happened yet is a rule: "show me a plan before you edit", "tell me when it drops".
_STANDING = compiled(
    r"\b(?:whenever|each time|every time|as soon as|(?:before|after) (?:you|any|each|every|\w+ing)\b)"
    r"|, (?:always|never)\b"
    r"|\bme(?: know)? when\b(?!.{0,100}?\b(?:was|were|(?:is|are)(?=\W*$)|did|do|does|had|will|\w+ed)\b)",
    re.IGNORECASE,
)
_ENDS = compiled(r"\?[\s)\"'”’]*+\Z")
# Who seeks an answer. "We should check whether" may be a convention, and "do not ask which" is a rule.
_SEEKS = (
    r"(?:let['’]?s |let (?:us|me) |i (?:should|need to|have to) |(?:(?:i|we)(?:['’]m|['’]re| am| are)? )?"
    r"(?:can(?:['’]t|not| not)|do(?:n['’]t| not)|not|no longer) (?:quite |really )?"
    r"(?=sure|certain|clear|know|remember|recall|tell))"
)
# Who lacks knowledge, before what is lacking: "I forgot which", "no clue why", "trying to find out where".
_LACKS = (
    r"(?:(?:i|we)(?:['’](?:m|ve|d|re)| (?:am|are|was|were|have|had|would))? )?(?:(?:really|just|also|still) )?"
    r"(?:(?:no|any) (?:idea|clue)|forg[eo]t|wondering|unsure|not sure|help me understand"
    r"|(?:needs?|want|like|love|try|trying) to (?:know|find out|see|learn|understand))"
    rf" (?:(?:about|to|on|in) )?(?:{_WHAT}|if\b)"
)
# A verb before its subject: "is the queue durable", "do we know", "can anyone say".
_INVERTED = (
    r"(?:(?:is|are|was|were|does|did|can|could|should|would|will)(?:n['’]t)?"
    r"|(?:do|have|has)(?:n['’]t)?(?= (?:we|you|i|they|it|(?:any|some)\w*)\b))"
    r" (?:we|you|i|they|it|there|this|that|these|those|the|our|my|(?:any|some)\w*) \w"
)
_BY = r"(?:(?:use|take|read|run) [^,;:–—]{1,40}? to )?"
_SEEK = r"(?:find|figure|work) out|look (?:at|into|up)|clarify|investigate|determine"
# A question inside of a sentence: "not sure where", "let's check how". Not of a noun ("the document which"), and not
# "make sure", which begins a rule.
_INDIRECT = (
    rf"\b(?<!\bthe )(?<!\ba )(?<!each )(?<!every )(?<!make )(?:{_SEEK}|(?:un)?(?:sure|clear|certain)|check|see|know|"
    r"document|remember|recall|(?:tell|remind|show)(?: me| us)?|ask|verify|explain|describe|understand|no idea|wonder)"
    rf"(?: about| exactly| again)? {_WHAT}"
)
INDIRECT = compiled(_INDIRECT, re.IGNORECASE)
_WHENEVER = r"(?!.*\b(?:always|never|before|after|every|each|whenever)\b)"
# Who is asked to find something out.
_WHO = (
    r"(?:(?:we|i) (?:should|must|need to|have to) |needs? to |(?:(?:can|could|would|should) )?(?:some|any)(?:one|body) "
    r"(?:please )?(?:(?:should|must|needs? to|has to) )?)?+"
)
# Who gets information once. What a product tells its users is a rule.
_WHOM = (
    r"(?!.{0,30}?\b(?:users?|customers?|clients?|callers?|visitors?|admins?)\b)"
    r"(?:him|her|them|every(?:one|body)|(?-i:[A-Z]\w+)|(?:the|my|our|this|that)(?: [\w-]++){1,3}?)"
)
# A clause at the end of a request: "I always forget", "we have no idea".
_FORGETS = compiled(
    r"(?:,|\s[-–—])\s*(?:(?:because|since|as|but) )?(?:i|we)\b[^,;:]{0,20}?(?:\bforg[eo]t\w*"
    r"|(?:n['’]t|\bnot|\bnever|\bno) (?:\w+ )?(?:remember|recall|know|sure|idea|clue)\b)[^,;:]{0,30}\Z",
    re.IGNORECASE,
)
# A whole sentence that asks without a question mark: inverted, or with something to find out. An imperative to check
# something whenever something happens, or to document it, may be a rule; a further clause may be an answer.
_SOUGHT = compiled(
    r"(?:(?:where|how|why|when)(?: (?:many|much|long|often|big|large)(?: \w++){0,2}?)?"
    r"(?:['’]s| (?:is|are|was|were|do|does|did))\b"
    r"|how (?:many|much|long|often|big|large) (?!.*\b(?:is|are|was|were|has|have|must|should|can|depends?)\b)"
    r"|(?:what|who) (?:is|are|was|were) (?:the|our|this|that|these|those)\b"
    r"|(?:what|which)(?: \w++){0,2}? (?:do|does|did|should|can) (?:we|you|i|they|it|the|our|this|that)\b"
    r"|(?:what|which)(?: (?!(?:we|you|i|it|they|he|she|this|that|is|are|matters|counts)\b)\w++){1,3}? "
    r"(?:is|are|was|were|do|does|did|should|can|must|will|would|has|have) (?:the|our|this|that|these|those|an?)\b"
    rf"|{_WHENEVER}{_ASKED}?+(?:tell|show|remind|teach|(?:explain|describe) to) {_WHOM} {_WHAT}"
    rf"|{_WHENEVER}{_WHO}(?:(?:{_SEEK}) {_WHAT}|check (?!whether){_WHAT})"
    rf"|{_WHENEVER}(?:check|verify|test|count|look|see|search)\b[^;:–—]{{1,200}}?(?:,|\band|\bthen) (?:then )?"
    r"(?:report (?:back|to me)|(?:tell|show) (?:me|us)|let (?:me|us) know)\b"
    rf"|{_INVERTED}|{_WHENEVER}{_LACKS}|(?:(?<=please )(?!ask)|{_SEEKS}){_WHENEVER}{_BY}{_INDIRECT})"
    r"[^,;:–—]*+(?:, (?:please|thanks|again|too|though)\b[^,;:–—]*+)?\Z",
    re.IGNORECASE,
)
# The same in other languages: "sag mir bitte, wo die Backups liegen", not "zeig mir immer, was".
_WHAT_ELSE = (
    r"(?:wo|wohin|woher|wie|was|wer|wann|warum|wieso|ob|welche[mnrs]?|d[óo]nde|qu[ée]|c[óo]mo|cu[áa]l|cu[áa]ndo"
    r"|qui[ée]n|o[ùu]|comment|pourquoi|quand|quel(?:le)?s?|onde|quem|qual|quais|quando|como|por qu[eê]|o que"
    r"|waar|hoe|wat|wie|wanneer|waarom|welke?|dove|come|chi|cosa|perch[ée]|quale|quali|где|как\w*|что|кто|когда|почему"
    r"|gdzie|jak\w*|kto|kiedy|dlaczego)\b"
)
_TELL = (
    r"(?:sag|sagt|nenn|zeig|erklär|verrat|schau|prüfe?|dime|dinos|muéstrame|dis|dites|montre"
    r"|(?:me |nos )?(?:diga?|conta|explica|explique|mostra|mostre)|preciso saber|zeg|leg|laat|vertel"
    r"|dimmi|dicci|spiegami|mostrami|(?:рас)?скажи(?:те)?|покажи|объясни|powiedz|pokaż|wyjaśnij)"
    r"(?:[- ](?:mir|uns|moi|nous|me|mij|ons|mi|мне|нам))?\b"
)
_ASKED_ELSEWHERE = compiled(
    r"(?!.*\b(?:immer|nie|stets|künftig|jede[mnrs]?|siempre|cada|nunca|toujours|chaque|jamais|sempre"
    r"|altijd|nooit|elke|mai|всегда|zawsze)\b)"
    rf"(?:{_TELL}.{{0,80}}?\b{_WHAT_ELSE}"
    rf"|kannst du\b.{{0,40}}?\b(?:sagen|zeigen|prüfen|nachsehen|schauen)\b.{{0,20}}?\b{_WHAT_ELSE}"
    rf"|{_WHAT_ELSE}.{{0,200}}?\b(?:sag|zeig) (?:mir|uns)\b)",
    re.IGNORECASE,
)


def only_asks(text: str, query: str | None = None) -> bool:
    """Tell whether every sentence of a text is a question or a request for information.

    query: of a recorded prompt, a sentence that begins like a question or has no other terms than this query counts,
    too. Of knowledge that would be too much: "which port is used is set in config.toml"
    """
    if len(text) > MOST_CHARACTERS:
        return False
    sentences = [part for part in SENTENCE.split(text.strip()) if any(char.isalnum() for char in part)]
    is_loose, known = query is not None, set(terms(query or ""))
    return bool(sentences) and all(
        _asks(part)
        or ("?" in text and _begs(part))
        or (is_loose and (QUESTION.search(_LEAD.sub("", part, 1)) or known.issuperset(terms(part))))
        for part in sentences
    )


def asks_elsewhere(text: str) -> bool:
    """Tell whether a sentence in another language than English requests information."""
    return _ASKED_ELSEWHERE.match(_LEAD.sub("", text, 1)) is not None


def states_nothing(text: str) -> bool:
    """Tell whether every sentence of a text asks, also inside of a request or rule: it replaces no statement."""
    return all(_asks(part) or INDIRECT.search(part) for part in SENTENCE.split(text.strip()))


def is_standing_order(text: str) -> bool:
    """Tell whether a text asks to be told or shown something whenever it happens: a rule, no question."""
    return bool(_REQUEST.match(text) and _STANDING.search(text))


def _begs(sentence: str) -> bool:
    lead = _LEAD.match(sentence)
    begin = lead.end() if lead else 0
    if not _POLITE.search(sentence, 0, begin) and not _GUESS.search(sentence):
        return False
    return len(set(terms(_GUESS.sub("", sentence[begin:]))) - _PRONOUNS) <= 1


def _asks(sentence: str) -> bool:
    start = _LEAD.match(sentence)
    begin = start.end() if start else 0
    sentence = sentence[:begin] + _FORGETS.sub("", sentence[begin:])
    # A greeting states nothing either.
    is_standing = _STANDING.search(sentence) and "never" not in sentence[:begin].lower()
    is_request = _REQUEST.match(sentence, begin) and not is_standing
    is_sought = _SOUGHT.match(sentence, begin) or asks_elsewhere(sentence[begin:])
    return begin == len(sentence) or bool(is_request or _ENDS.search(sentence) or is_sought)
