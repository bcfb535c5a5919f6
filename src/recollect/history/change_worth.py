"""The worth of a change as a memory, by its words: reasons, rejected ways, causes of bugs, changes of an interface.

A worth is between 0 and 1; below FLOOR nothing is kept. The weights were set by reading samples of the histories of
flask, typeorm and tokio, and judging them by bench/history-criteria.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from recollect.history.commit_message import Message, says_nothing
from recollect.model import MemoryType

# Less is not worth a memory.
FLOOR = 0.45
# Half of the code of a project is replaced in about five years, and what was said about it is worth half then.
HALF_LIFE_S = 5 * 365 * 86_400
# What is left of the worth of the oldest: a reason outlives most code.
OLDEST = 0.5
# A reason has words.
REASON_WORDS = 4
TOLD_WORDS = 8
# A body of so many words explains, whatever words it uses; of a fix, so many tell its cause.
EXPLAINED_WORDS, FIX_WORDS = 40, 20
# One of so many tells something beside its subject: it is listed with its release.
LISTED_WORDS = 10

# Phrases that give a cause, a purpose, a constraint, or the behaviour before; those of _HINT only with another one.
_REASON = re.compile(
    r"\b(?:because|due to|caused? by|root cause|otherwise|so that|in order to (?:avoid|prevent|keep|not|make)"
    r"|as a result"
    r"|the (?:\w+ )?(?:problem|reason|issue|cause|bug|motivation|idea|goal) (?:is|was|here|with|of|being|occurs?"
    r"|arises?)|to (?:avoid|prevent|work ?around|guard against|protect|not break|preserve|stay compatible)"
    r"|would(?: have| be|n't| not| also| then| only| never| otherwise)? \w+|leads? to|led to|results? in|resulted in"
    r"|turned? out|turns out|without (?:this|that|it|the)|since (?:we|it|this|the|that|there|they|a|all|these)\b"
    r"|as (?:it|this|they|the \w+|there) (?:is|was|are|were|can|could|do|does|did|would|will|has|have)"
    r"|regress\w*|race condition|races|deadlock\w*|unsound\w*|undefined behaviou?r|vulnerab\w*|memory leaks?"
    r"|can(?:not| not|'t)|could(?: not|n't)|must(?: not|n't)|should(?: not|n't)|impossible|not possible|unable to"
    r"|instead(?: of)?|rather than|no longer|previously|formerly|used to|before this|until now|up to now|at the moment"
    r"|however|although|even though|unlike|which (?:means?|meant|caused?s?|makes?|made|is why|leads|led|breaks|broke)"
    r"|this (?:means|meant|caused?s?|makes|made|is because|was because|breaks|broke|happens|happened|fails|failed"
    r"|prevents|avoids)"
    r"|fail(?:s|ed)? (?:when|if|because|with|on|to|for)|crash(?:es|ed)? (?:when|if|on)|panic(?:s|ked)? (?:when|if|on)"
    r"|(?:did|does|do|was|were|is|are|has|have)(?: not|n't)\b|decid\w+|cho(?:se|ose|sen)|trade-?offs?|deliberate\w*"
    r"|intention\w*|back(?:wards?)?[- ]compatib\w+|incompatib\w+|breaking change|too (?:\w+ ){0,2}(?:slow|large|"
    r"strict|many|much|big|long|late|early|expensive|costly)|for (?:performance|security|compatibility|consistency"
    r"|safety))\b",
    re.IGNORECASE,
)
_HINT = re.compile(
    r"\b(?:but|while|by default|require[sd]?|guarantee\w*|allows? (?:us|users?|one|you|the)"
    r"|makes? it (?:im)?possible|currently|deprecat\w+|"
    r"unnecessar\w+|redundant|never|must|to (?:allow|ensure|support|make sure|match)|needs? to|this (?:allows|fixes"
    r"|ensures))\b",
    re.IGNORECASE,
)
# In a subject alone, only these give a reason.
_CAUSAL = re.compile(
    r"\b(?:because|due to|caused by|so that|otherwise|since (?:it|we|the|they|this)|to (?:avoid|prevent|work ?around"
    r"|guard against)|as it)\b",
    re.IGNORECASE,
)
# Users never see what begins so; further on, it is mentioned in passing.
INTERNAL_CHARACTERS = 80
_INTERNAL = re.compile(r"\b(?:internal(?:ly|s)?|refactor\w*|type (?:hints?|annotations?)|typing|mypy)\b", re.IGNORECASE)
_HOUSEKEEPING = re.compile(
    r"\b(?:(?:doc|unit)?tests?|docs?|documentation|docstrings?|comments?|clean(?:ed)?[ -]?ups?)\b", re.IGNORECASE
)
# Words that deny a way which was thought of.
_REJECTED = re.compile(
    r"\bdecided (?:against|not to)\b|\b(?:we|i) (?:chose|opted) not to\b|\bnot an option\b|\bnot worth (?:it|the)\b"
    r"|\babandon(?:ed|ing) (?:the|this|that)"
    r"|\b(?:considered|tried|attempted|explored|experimented with)\b[^.]{0,160}\b(?:but|however|did(?: not|n't)"
    r"|was too|were too|would|turned out)\b"
    r"|\b(?:alternatives?|another (?:option|approach|way|solution|possibility)|other (?:options?"
    r"|approach(?:es)?))\b[^.]{0,160}\b(?:but|however|would|could|is to|was to|were|not|too)\b"
    r"|\b(?:we|one|it|i|you) could\b[^.]{0,120}\b(?:but|however|though)\b"
    r"|\b(?:approach|option|idea|proposal|solution|design|patch|variant) (?:was|is|were|has been) (?:rejected"
    r"|dropped|discarded|abandoned)\b|\bin favou?r of\b[^.]{0,120}\b(?:because|since|as|due|too|so)\b"
    r"|\b(?:instead of|rather than)\b[^.]{0,160}\b(?:because|since|too|due to)\b"
    r"|\b(?:because|since|due to)\b[^.]{0,160}\b(?:instead of|rather than)\b",
    re.IGNORECASE,
)
# Changes that users of an interface notice.
_INTERFACE = re.compile(
    r"\b(?:remov(?:e[sd]?|al|ing)|delet(?:e[sd]?|ing)|drop(?:s|ped)?|deprecat\w+|renam(?:e[sd]?|ing)|replac(?:e[sd]?"
    r"|ing)|no longer|breaking"
    r"|backwards?[- ]incompatib\w+|default(?:s|ed)?|now (?:\w+ )?(?:returns?|raises?|requires?|throws?|uses?"
    r"|accepts?|rejects?|an error)"
    r"|requires?|minimum|disallow(?:s|ed)?|forbid(?:s|den)?|merged (?:with|into)|moved (?:to|into|from)|superseded"
    r"|obsolete|chang(?:e[sd]?|ing)\b[^.]{0,60}\b(?:to|from)|switch(?:ed)? (?:to|from))\b",
    re.IGNORECASE,
)
_ADDED = re.compile(
    r"\b(?:add(?:s|ed|ing)?|new|introduc\w+|support\w*|implement\w*|allow(?:s|ed)?|accepts?|can (?:now |be )?"
    r"|expos\w+|export\w*|enabl\w+"
    r"|provid\w+|stabili[sz]\w+|options?|settings?|parameters?)\b",
    re.IGNORECASE,
)
_FIX = re.compile(
    r"\b(?:fix\w*|bugs?|crash\w*|regression|leak\w*|race|deadlock|broken|incorrect\w*|wrong\w*|correct\w*|prevent\w*"
    r"|avoid\w*|handl\w+|ensur\w+"
    r"|don'?t|do not|panics?|fails?)\b",
    re.IGNORECASE,
)
# A name of code: in quotes, with a dot, an underscore, a call, or capitals inside.
_NAME = re.compile(
    r"`[^`\n]{2,80}`|\b\w+\(\)|\b[A-Za-z]\w*(?:\.\w+){1,4}\b|\b\w+_\w+\b|\b[a-z]+[A-Z]\w*\b|\b(?!Git[BHL]|JavaS"
    r"|TypeS|MySQL|MariaDB|Postgre|DevT|WebA|YouT|MacO|OpenS)[A-Z]\w*[a-z][A-Z]\w*\b|--[a-z][\w-]+|\B@\w+"
)

_ASIDE = re.compile(
    r"(?:^|/)(?:docs?|documentation|examples?|tests?|testsuite|testing|requirements|spec|specs|__tests__|benchmarks?"
    r"|benches|sample|samples|\.github|\.circleci|"
    r"\.husky|\.vscode|scripts|artwork|website|locales?|ci|e2e|fixtures?|typings?-tests?)/|(?:^|/)(?:\.[\w.-]+"
    r"|[A-Z_]+|[\w.-]+\.(?:md|mdx|rst|txt|adoc|lock|ya?ml|ini|cfg|svg|png"
    r"|html|css))$|(?:[._]test|[._]spec|_tests?|-test)\.\w+$|(?:^|/)(?:test_[^/]*|conftest|package(?:-lock)?\.json"
    r"|setup\.py|tox\.ini|Makefile|Dockerfile|pnpm-lock\.yaml)$",
)  # fmt: skip


class Kind(NamedTuple):
    """The kind of a change: its rule, memory type and importance."""

    rule: str
    memory_type: MemoryType
    importance: float


BREAKING = Kind("breaking", "decision", 0.75)
REVERT = Kind("revert", "decision", 0.7)
REJECTED = Kind("rejected", "decision", 0.65)
REASON = Kind("reason", "decision", 0.6)
FIX = Kind("fix", "insight", 0.5)
TOLD = Kind("told", "context", 0.4)

# The worth of each kind before reasons, names and length count.
BASE = {BREAKING: 0.7, REVERT: 0.55, REJECTED: 0.7, REASON: 0.5, FIX: 0.45}


def is_reason(sentence: str) -> bool:
    """Tell whether a sentence gives a reason or rejects a way."""
    return strength(sentence) == 1.0


def strength(sentence: str) -> float:
    """Return how surely a sentence gives a reason: 1, 0.5 for a hint, or 0."""
    if len(sentence.split()) < REASON_WORDS:
        return 0.0
    if _REASON.search(sentence) or _REJECTED.search(sentence):
        return 1.0
    return 0.5 if _HINT.search(sentence) else 0.0


def is_rejection(text: str) -> bool:
    """Tell whether a text rejects a way that was thought of."""
    return bool(_REJECTED.search(text))


def names_code(text: str) -> bool:
    """Tell whether a text names code."""
    return bool(_NAME.search(text))


def changes_interface(text: str) -> bool:
    """Tell whether users of an interface notice what a text says."""
    return bool(_INTERFACE.search(text))


def is_aside(paths: Iterable[str]) -> bool:
    """Tell whether all files are documents, tests or settings; not if there are none."""
    some = list(paths)
    return bool(some) and all(_ASIDE.search(path) for path in some)


def kind(message: Message) -> Kind | None:
    """Return the kind of a change; None if its body tells nothing."""
    if message.is_revert:
        return REVERT
    if message.is_breaking:
        return BREAKING
    if any(is_rejection(sentence) for sentence in message.sentences):
        return REJECTED
    is_fix = repairs(message)
    if sum(map(strength, message.sentences)) >= 1 or (_CAUSAL.search(message.subject) and names_code(message.subject)):
        return FIX if is_fix else REASON
    words = sum(len(sentence.split()) for sentence in message.sentences)
    if words >= (FIX_WORDS if is_fix else EXPLAINED_WORDS):
        return FIX if is_fix else REASON
    is_dull = _INTERNAL.search(message.subject) or _HOUSEKEEPING.search(message.subject)
    return TOLD if words >= LISTED_WORDS and not is_dull else None


def repairs(message: Message) -> bool:
    """Tell whether a change repairs something, by its kind or subject."""
    return message.kind == "fix" or (not message.kind and bool(_FIX.search(message.subject)))


def worth(message: Message, paths: Sequence[str]) -> float:
    """Return what a change is worth, without its age; 0 if it has no kind or is about tests and documents only."""
    found = kind(message)
    if found is None:
        return 0.0
    reasons = sum(map(strength, message.sentences))
    if (message.is_chore or is_aside(paths)) and not (found in (BREAKING, REJECTED) and reasons > 1):
        return 0.0
    if found == TOLD:
        return LISTED
    words = len(message.text.split())
    value = BASE[found] + 0.06 * min(reasons, 4)
    value += 0.06 * names_code(message.text) + 0.06 * changes_interface(message.subject)
    value += 0.04 * (message.kind in ("feat", "fix", "perf"))
    if words < TOLD_WORDS:
        value -= 0.12
    return max(0.0, min(value, 1.0))


def aged(value: float, at: int, newest: int) -> float:
    """Return a worth with its age: half of it is lost with the half-life, up to OLDEST."""
    age = max(0, newest - at)
    return value * (OLDEST + (1 - OLDEST) * float(0.5 ** (age / HALF_LIFE_S)))


# --- lines of changelogs ---

# Lines of a changelog that say as little as the noise among subjects, beside that.
_TRIVIAL = re.compile(
    r"(?:docs?|documentation|tests?|ci|chore|build|internal|style|website|readme|examples?|deps|deps-dev"
    r"|dependencies|meta|benches?|benchmark)\b[\w, /-]{0,20}[:(]"
    r"|(?:add|new|improve|update|polish|refactor|clean ?up|tweak)\w* (?:\w+ ){0,3}(?:docs?|documentation"
    r"|docstrings?|examples?|readme|tests?|comments?|ci|changelog|wording|links?|badges?)\b"
    r"|(?:internal|refactor\w*|cleanup|code cleanup|various|misc\w*|minor|small|other|several)\b.{0,50}$"
    r"|@?\S+ made their first|full changelog|new contributors|(?:thanks to|(?:fix )?contributed by)\b"
    r"|(?:limit|pin)\w* \S+ (?:to |version )?[<=>~]",
    re.IGNORECASE,
)
# What is no word of a change: the part of the project before it, and its request: “[docker] Bump … (#12 by ada)”.
_BESIDE = re.compile(r"\A\**\[(?!BREAKING)[^\]]{1,60}\]\**:? +| ?\(#\d{1,9}[^()]{0,60}\)\.?\Z")
_TRIVIAL_SECTION = re.compile(
    r"(?:improved )?doc(?:s|umentation|umented)?\b|contributor|build|ci\b|chores?|tests?\b|dependenc|misc.*doc"
    r"|maintenance|credits|thanks|patch notes$|closed issues",
    re.IGNORECASE,
)
# Maintenance that users notice, whatever it is listed under.
_BREAKING = re.compile(
    r"\bBREAKING\b|\b(?i:drop\w*(?: [\w.]+){0,2} support|no longer supports?|minimum (?:\w+ )?version)\b"
)
_SECURITY = re.compile(
    r"\bCVE-\d|\bGHSA-|\bsecurity\b|\bvulnerab|\binjection\b|\bdenial[- ]of[- ]service\b", re.IGNORECASE
)
_STRONG_SECTION = re.compile(r"remov|deprecat|break|incompatib|security|major|upgrad|migrat", re.IGNORECASE)

# What lines of a changelog are worth, by what they say. What only names its subject is listed with its release.
REMOVAL, SAFETY, ADDITION, REPAIR, LISTED = 0.8, 0.8, 0.6, 0.5, 0.2
_WHEN = re.compile(
    r"\b(?:when|if|while|after|before|unless|until|where|during|without|with|on|in|from)\b", re.IGNORECASE
)


def is_trivial(text: str) -> bool:
    """Tell whether a line of a changelog is about documents, tests, builds or dependencies."""
    text = _BESIDE.sub("", text)
    return bool(_TRIVIAL.match(text)) or says_nothing(text)


def line_worth(text: str, section: str = "") -> float:
    """Return what a line of a changelog is worth, without its age; 0 for trivia."""
    text = _BESIDE.sub("", text)
    words = len(text.split())
    if words < 2 or is_trivial(text):
        return 0.0
    if _TRIVIAL_SECTION.match(section) or _TRIVIAL_SECTION.match(section.rpartition(" › ")[2]):
        return REMOVAL if _BREAKING.search(text) else 0.0
    if _SECURITY.search(text):
        return SAFETY
    if _INTERNAL.search(text, 0, INTERNAL_CHARACTERS) or _INTERNAL.search(section):
        return LISTED if words > 4 else 0.0
    has_name = names_code(text)
    is_said = has_name or words > 6 or "support" in text.lower()
    if (_STRONG_SECTION.search(section) and (has_name or words > 3)) or (changes_interface(text) and is_said):
        return REMOVAL
    if _ADDED.search(text) and not _FIX.match(text) and (has_name or words > 8):
        return ADDITION
    # A repair is worth more than its place in a list if it says what went wrong when.
    if is_reason(text) or (words > 9 and _WHEN.search(text) and (has_name or words > 12)):
        return REPAIR
    return LISTED
