"""Message: what a commit says, without what tools added to it; and which of the commits say nothing.

A message is read as its first line, what follows, and the trailers at its end. Squashed commits carry the messages of
what they were made of as a list, mostly of words like "WIP": short ones of those are left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.history.log import Commit

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
# Subjects that say nothing whatever the project is, by what they are called when they are counted.
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
    """What a commit says. kind, scope: by the convention `kind(scope): subject`, where that is followed.

    undoes: the commit that it takes back, as far as it is named; undoes_subject: the same by its first line
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
    """Return what a message says."""
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
    """Return a first line as a revert quotes it: without the number of its pull request."""
    return _PULL.sub("", " ".join(subject.split())).strip().lower()


def noise(commit: Commit, message: Message) -> str:
    """Return why a commit teaches nothing, in a word; "" where it may."""
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
    """Return what follows the first line, without trailers, rules and the small talk of squashed commits."""
    kept: list[str] = []
    for line in text.strip().splitlines():
        words = line.strip()
        if _TRAILER.fullmatch(words) or (words and not words.strip("-=*_~# ")):
            continue
        if words.startswith(("* ", "- ")) and len(words.split()) <= LEAST_WORDS + 1:
            continue
        kept.append(line.rstrip())
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()
