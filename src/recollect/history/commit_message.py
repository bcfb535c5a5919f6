"""Commit messages: subject, body and trailers; which commits are noise; which kind of knowledge a message holds.

Squashed commits list the messages of their parts, mostly words like "WIP": short ones are left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.history.commit_log import Commit
from recollect.history.history_record import clipped
from recollect.model import MemoryType

# Fewer words say nothing unless there is a body.
LEAST_WORDS = 3

_CONVENTIONAL = re.compile(r"(?P<kind>[a-z]{2,12})(?:\((?P<scope>[^)]{1,60})\))?(?P<bang>!)?:\s+\S")
_KINDS = frozenset("feat fix docs style refactor perf test tests build ci chore revert deps release".split())
_TRAILER = re.compile(
    r"(?:signed-off-by|co-authored-by|(?:reviewed|acked|tested|reported|suggested|helped|generated|assisted)-by|cc|bug"
    r"|change-id|reviewed-on|git-svn-id|piperorigin-revid|differential revision|pull request resolved|backport-of|refs?"
    r"|commit-queue|auto-submit|extra|committer|branch)\s?:.*|\(?cherry[- ]picked from .*|--HG--"
    r"|(?:(?:closes|fixe[sd]|refs?|see|resolves):?\s+)?(?:(?:#|gh-)\d+[.,;\s]*)+",
    re.IGNORECASE,
)
_REVERT_SUBJECT = re.compile(
    r"(?:this )?reverts?:?\s+[\"“'](?P<what>.+?)[\"”']\s*(?:\(#\d+\))?\.?$|revert:\s+(?P<rest>.+)", re.IGNORECASE
)
_REVERT_SHA = re.compile(
    r"(?:this )?revert(?:s|ing|ed)?(?: the)?(?: commits?)?\s+(?P<sha>[0-9a-f]{7,40})\b", re.IGNORECASE
)
_PULL = re.compile(r" ?\((?:#|gh-|!)\d++\)$", re.IGNORECASE)
_ISSUE = re.compile(r"(?:#|\bgh-|\b(?=[A-Z]{2,10}-\d)[A-Z]{2,10}-)\d{1,7}\b")

_BOT = re.compile(
    r"\[bot\]|\bbot\b|dependabot|renovate|greenkeeper|github[- ]actions|pre-commit-ci|weblate|transifex|jenkins|pyup",
    re.IGNORECASE,
)
_TOOLS = r"black|isort|ruff|prettier|flake8|pep ?8|mypy|lint\w*"
_MENDED = r"(?:fix(?:ed|es)?|correct(?:ed)?) (?:a |some |minor |small )*"
# Subjects without information, by the name under which they are counted.
_NOISE: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile("|".join(patterns), re.IGNORECASE))
    for name, patterns in {
        "merge": (
            r"merge (?:branch|pull request|remote|tag|commit|master|main)\b",
            r"merged? (?:in )?(?:from|into)\b",
        ),
        "fixup": (r"(?:fixup|squash|amend)! ", r"(?:wip|tmp|temp)\b"),
        "version": (
            r"(?:bump|update|upgrade|pin)\b.{0,80}\b(?:from|to)\s+v?\d",
            r"bump(?:ed|ing)?\b.{0,40}\bversions?\b",
            r"v?\d++\.\d\S*+$",
            r"(?:prepare|preparing|start|tag|post)\b.{0,20}\brelease\b",
            r"(?:release|version)\s+v?\d",
            r"back to dev|set version|\[?(?:automated|automatic)\]? |\[pre-commit",
            (
                r"(?:update|updated|sync)\b.{0,20}\b"
                r"(?:changelog|changes|authors|contributors|dependencies|submodules?|lock ?files?|translations)\b"
            ),
        ),
        "small": (
            rf"{_MENDED}(?:typos?|spelling|white ?space|format\w*|grammar|style|tests?|ci|{_TOOLS})\b.{{0,20}}$",
            rf"(?:typos?|format(?:ting)?|clean ?up|cosmetics?|nits?|oops|minor|{_TOOLS})\b.{{0,12}}$",
            r"(?:update|create|edit|delete) [\w.\-/]+\.(?:md|rst|txt|ya?ml|json|toml)$",
            rf"initial commit$|(?:run|apply) (?:{_TOOLS})\b",
        ),
    }.items()
)
_EMPTY_KINDS = frozenset("style ci chore deps release build".split())


class Message(NamedTuple):
    """A commit message; kind and scope by the convention `kind(scope): subject`.

    undoes, undoes_subject: the reverted commit, by its hash or by its subject
    """

    subject: str
    body: str
    kind: str = ""
    scope: str = ""
    is_breaking: bool = False
    undoes: str = ""
    undoes_subject: str = ""
    issues: tuple[str, ...] = ()

    @property
    def is_revert(self) -> bool:
        return bool(self.undoes or self.undoes_subject)


def read(text: str) -> Message:
    """Return a parsed message."""
    first, _, rest = text.strip().partition("\n")
    subject = " ".join(first.split())
    kind = scope = ""
    is_breaking = False
    convention = _CONVENTIONAL.match(subject)
    if convention and convention["kind"] in _KINDS:
        kind, scope, is_breaking = convention["kind"], convention["scope"] or "", bool(convention["bang"])
    quoted = _REVERT_SUBJECT.match(subject)
    is_revert = quoted is not None or kind == "revert" or subject.lower().startswith("revert")
    named = _REVERT_SHA.search(rest) or (_REVERT_SHA.match(subject) if is_revert else None)
    undone = (quoted["what"] or quoted["rest"] or "") if quoted else ""
    return Message(
        subject=subject,
        body=_body(rest),
        kind=kind,
        scope=scope,
        is_breaking=is_breaking or "BREAKING CHANGE" in rest or "BREAKING-CHANGE" in rest,
        # A body that mentions a revert in passing is not one.
        undoes=named["sha"] if named and (is_revert or named.start() < 3) else "",
        undoes_subject=plain_subject(undone) if is_revert else "",
        issues=tuple(dict.fromkeys(_ISSUE.findall(text)))[:10],
    )


def plain_subject(subject: str) -> str:
    """Return a subject as a revert quotes it, without its pull request number."""
    return _PULL.sub("", " ".join(subject.split())).strip().lower()


def noise(commit: Commit, message: Message) -> str:
    """Return in a word why a commit is noise; "" if it is not."""
    if _BOT.search(commit.author):
        return "bot"
    if message.is_revert:
        return ""
    for reason, pattern in _NOISE:
        if pattern.match(message.subject) and (reason != "small" or len(message.body) < 80):
            return reason
    if not message.body and (len(message.subject.split()) < LEAST_WORDS or message.kind in _EMPTY_KINDS):
        return "small"
    return ""


def _body(text: str) -> str:
    """Return the body without trailers, rules and short items of squashed commits."""
    kept: list[str] = []
    for line in text.strip().splitlines():
        words = line.strip()
        if _TRAILER.fullmatch(words) or (words and not words.strip("-=*_~# ")):
            continue
        if words.startswith(("* ", "- ")) and len(words.split()) <= LEAST_WORDS + 1:
            continue
        kept.append(line.rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


# --- kinds of knowledge ---

# A decision with its reasons fits, a pasted log does not.
BODY_CHARACTERS = 1_200
SUBJECT_CHARACTERS = 200

_REJECTED = re.compile(
    r"\binstead of\b|\brather than\b|\bdecided (?:against|not to)\b|\balternative(?:s|ly)?\b|\bconsidered\b|\babandon"
    r"|\brejected\b|\bdid(?: not|n't) work\b|\bdoes(?: not|n't) work\b|\bturned? out\b|\bwe could\b.{0,120}\bbut\b"
    r"|\btried\b.{0,120}\bbut\b|\bnot an option\b|\bnot worth\b|\bin favou?r of\b",
    re.IGNORECASE | re.DOTALL,
)
_REASON = re.compile(
    r"\bbecause\b|\bso that\b|\bin order to\b|\bto (?:avoid|prevent|ensure|make sure|allow|keep|support|match)\b"
    r"|\botherwise\b|\bdue to\b|\bthe reason\b|\b(?:the|this) (?:problem|issue|bug|cause)\b|\broot cause\b|\bthis way\b"
    r"|\bthat way\b|\bthis (?:allows|makes|means|avoids|fixes|ensures|prevents|lets)\b|\bdecided\b|\bchose\b|\bprefer\b"
    r"|\bno longer\b|\bsince (?:we|it|this|the|that|there)\b|\bas (?:we|it|this|the) (?:is|was|are|can|do|does|would)\b"
    r"|\bcaused? (?:by|a|the)\b|\bleads? to\b|\bwould (?:fail|break|crash|raise|be)\b|\bwithout this\b"
    r"|\bneed(?:s|ed)? to\b",
    re.IGNORECASE,
)
_FIX = re.compile(r"\b(?:fix\w*|bug|crash\w*|regression|leak\w*|race|deadlock|broken|incorrect|wrong)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"'(`A-Z*-])|\n\s*\n|\n(?=\s*[*\-•] )")


class Kind(NamedTuple):
    """The kind of a commit: its rule, memory type and importance."""

    rule: str
    memory_type: MemoryType
    importance: float


BREAKING = Kind("breaking", "decision", 0.75)
REVERT = Kind("revert", "decision", 0.7)
REJECTED = Kind("rejected", "decision", 0.65)
REASON = Kind("reason", "decision", 0.6)
FIX = Kind("fix", "insight", 0.5)
CHANGE = Kind("change", "context", 0.4)
SUBJECT = Kind("subject", "context", 0.3)


def kind(message: Message) -> Kind:
    """Return the kind of a commit; the first rule that fits counts."""
    if message.is_revert:
        return REVERT
    if message.is_breaking:
        return BREAKING
    text = f"{message.subject}\n{message.body}"
    if message.body and _REJECTED.search(text):
        return REJECTED
    if _REASON.search(text):
        return REASON
    if message.kind == "fix" or _FIX.search(message.subject):
        return FIX
    return CHANGE if message.body else SUBJECT


def told(message: Message) -> str:
    """Return a short message whole, else its beginning and its reasons."""
    subject = clipped(message.subject, SUBJECT_CHARACTERS)
    if len(message.body) <= BODY_CHARACTERS:
        return f"{subject}\n\n{message.body}" if message.body else subject
    parts = [part.strip() for part in _SENTENCE.split(message.body) if part and part.strip()]
    chosen: set[int] = set()
    room = BODY_CHARACTERS
    ranked = sorted(range(len(parts)), key=lambda place: (not is_reason(parts[place]) and place > 1, place))
    for place in ranked:
        if len(parts[place]) < room:
            chosen.add(place)
            room -= len(parts[place]) + 1
    body = " ".join(parts[place] for place in sorted(chosen)) or clipped(message.body, BODY_CHARACTERS)
    return f"{subject}\n\n{body}"


def reasons(text: str) -> list[str]:
    """Return the sentences that give a reason."""
    return [" ".join(part.split()) for part in _SENTENCE.split(text) if part and is_reason(part)]


def is_reason(sentence: str) -> bool:
    """Tell whether a sentence gives a reason or rejects an option."""
    return bool(_REASON.search(sentence) or _REJECTED.search(sentence))
