"""Turn a statement of a person into a rule in the imperative, or leave it out.

    no, please always run the linter first!    Always run the linter first.
    we never commit generated files            Never commit generated files.
    I prefer tabs over spaces                  Prefer tabs over spaces.
    you should not touch the migrations        Do not touch the migrations.
    I think this looks odd, can you fix it?    left out: a request about the moment

There is no model to rewrite anything else: a line of chat in an instructions file would be obeyed for ever.
"""

from __future__ import annotations

import re

# Longer sentences are a task or a story, shorter ones no rule.
MOST_WORDS, LEAST_WORDS = 40, 2

# What is said before a rule, and belongs to the conversation.
_LEAD = re.compile(
    r"(?:(?:no|nope|ok|okay|hey|hi|so|well|and|but|please|pls|again|also|btw|fyi|hmm|actually|remember|note|important|rule|"
    r"convention|preference|from now on|in (?:the )?future|going forward|as (?:i )?said(?: before)?|once more|"
    r"remember that|remember to|make sure (?:to|that you|you)|be sure to|i(?:'d| would) (?:like|prefer) (?:you )?to|"
    r"i want you to|i need you to|(?:can|could|would|will) you(?: please)?|you (?:have|need) to|we (?:have|need) to|"
    r"(?:let's|let us)|it is important to)\b[\s,:;.!\-–—]*)",
    re.IGNORECASE,
)
_MOST_LEADS = 4
# A rule about a person: what it becomes. The verb follows.
_SUBJECTS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"(?:i|we|you)\s+(?:{words})\s+", re.IGNORECASE), rule)
    for words, rule in (
        (r"(?:should|must|shall|can|may|do|will) not|(?:shouldn|mustn|don|can|won)['’]?t|cannot", "Do not "),
        (r"(?:should|must|will|shall)\s+never|never", "Never "),
        (r"(?:should|must|will|shall)\s+always|always", "Always "),
        (r"(?:should|must|will|shall)\s+only|only", "Only "),
        (r"should|must|shall", ""),
    )
)
_PREFERENCE = re.compile(r"(?:i|we)\s+(?:strongly\s+|really\s+|generally\s+)?(prefer|use|avoid|want)\s+", re.IGNORECASE)
_NEGATED = re.compile(r"(?:don['’]?t|do not)\s+", re.IGNORECASE)
# What only the conversation explains: persons and thanks; in a prompt also the moment and what was pointed at.
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|me|my|mine|you|you're|your|he|she|thanks|thank|sorry|hello|lol|wtf|ugh|oops|maybe|perhaps|guess|"
    r"think)\b|\?|…$",
    re.IGNORECASE,
)
_POINTING = re.compile(
    r"\b(?:they|this|that|these|those|it|its|here|above|below|today|now|yesterday|tomorrow|just|again|same)\b",
    re.IGNORECASE,
)
# A rule that a stored memory states of a thing: it needs no rewriting.
_NORM = re.compile(
    r"\b(?:must|never|always|only|may not|(?:is|are) (?:not allowed|forbidden)|required)\b", re.IGNORECASE
)
_SITUATION = re.compile(
    r"(?:in|for|when|before|after|if|on|with|to|inside|outside|whenever|at)\s[^,]{2,80},\s*", re.IGNORECASE
)
_ADVERB = re.compile(r"(?:always|never|only|do not|avoid|prefer|no)\s", re.IGNORECASE)
_VERBS = frozenset(
    """add align annotate answer append apply ask assert avoid await batch begin benchmark bind bound build bump cache
    call catch check choose clean close combine comment commit compare compile compose configure convert copy
    cover create declare default define delete deploy derive disable document drop emit enable encode end ensure
    escape exclude explain export expose extend fetch find fix follow format freeze generate give group guard
    handle hide ignore implement import include indent inherit initialise initialize inject inline install
    introduce keep leave let limit link lint load lock log make mark measure merge migrate mock move name open
    order parse pass pick pin place plan prefer prefix print profile prune push put quote raise read rebase
    record refactor regenerate register reject release reload remove rename render replace require reset resolve
    restart retry return reuse review roll rollback round run sanitise sanitize save seed send separate
    serialise serialize set ship show sign skip sort specify split squash start state stick stop store stream
    strip submit suffix switch tag take target test throw track translate treat type update upgrade use validate
    verify version wait want warn wrap write""".split()
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[A-Za-z]+")


def imperative(text: str, *, is_stored: bool = False) -> str:
    """Return the first rule of a text as an imperative sentence; empty if it states none.

    is_stored: the text was stored as a rule, so one that is stated of a thing is taken as it is
    """
    for sentence in _SENTENCE.split(text.strip())[:20]:
        rule = _rule(sentence, is_stored=is_stored)
        if rule:
            return rule
    return ""


def _rule(sentence: str, *, is_stored: bool) -> str:
    plain = sentence.strip(" \t,.!;:-–—*•\"'")
    for _ in range(_MOST_LEADS):
        plain = _LEAD.sub("", plain, count=1) if _LEAD.match(plain) else plain
    plain = _without_person(plain)
    words = _WORD.findall(plain)
    if not LEAST_WORDS <= len(words) <= MOST_WORDS or sentence.rstrip().endswith("?"):
        return ""
    said = _SITUATION.sub("", plain, count=1) if _SITUATION.match(plain) else plain
    if not _is_imperative(said) and not (is_stored and _NORM.search(plain)):
        return ""
    bare = re.sub(r"`[^`]*`", "", plain)
    if _PERSONAL.search(bare) or (not is_stored and _POINTING.search(bare)):
        return ""
    return plain[0].upper() + plain[1:] + "."


def _without_person(plain: str) -> str:
    for pattern, rule in _SUBJECTS:
        match = pattern.match(plain)
        if match:
            return rule + plain[match.end() :]
    preferred = _PREFERENCE.match(plain)
    if preferred and preferred[1].lower() != "want":
        return preferred[1].capitalize() + " " + plain[preferred.end() :]
    negated = _NEGATED.match(plain)
    return "Do not " + plain[negated.end() :] if negated else plain


def _is_imperative(plain: str) -> bool:
    first = _WORD.match(plain)
    return _ADVERB.match(plain) is not None or (first is not None and first[0].lower() in _VERBS)
