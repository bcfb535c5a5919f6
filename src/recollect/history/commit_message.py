"""Commit messages: subject, trailers, and the sentences of a body without templates, logs and squashed small talk."""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.history.commit_log import Commit

# Items of squashed commits with fewer words say nothing.
LEAST_WORDS = 3
# A shorter item of a squashed commit is the subject of a step.
SQUASHED_WORDS = 12
# Longer blocks of code are pasted logs.
CODE_LINES = 3
SENTENCE_CHARACTERS = 600

# The kind of a change before its subject: `fix(parser)!: …`, `Fix: …`, `[Fix] …`.
_PREFIX = re.compile(
    r"(?:\[(?P<tag>[A-Za-z]{2,12})\]:?|(?P<kind>[A-Za-z]{2,12})(?:\((?P<scope>[^)]{1,60})\))?(?P<bang>!)?:)\s+(?=\S)"
)
_AREA = re.compile(
    r"(?:fixe[sd]|fix|refs?|closes) #\d+(?: ?(?:--|-|:|,))? +(?=\S)|[\w/.,*+-]{1,40}: +(?=\S)", re.IGNORECASE
)
_KINDS = {
    name: kind
    for kind, names in {
        "feat": "feat feature new update enhancement improvement breaking",
        "fix": "fix fixes fixed bug bugfix",
        "perf": "perf performance",
        "docs": "docs doc documentation",
        "test": "test tests",
        "deps": "deps upgrade",
        **{name: name for name in "style refactor build ci chore revert release".split()},
    }.items()
    for name in names.split()
}
# The sections of a changelog for the kinds that its readers notice.
SECTIONS = {"feat": "Features", "fix": "Fixes", "perf": "Performance"}
_TRAILER = re.compile(
    r"(?:signed-off-by|co-authored-by|(?:reviewed|acked|tested|reported|suggested|helped|generated|assisted)-by|cc|bug"
    r"|change-id|reviewed-on|git-svn-id|piperorigin-revid|differential revision|pull request resolved|backport-of|refs?"
    r"|commit-queue|auto-submit|extra|committer|authors?|reviewers?|branch|issue|pr|closes|fixes|thanks(?: to)?)\s?:.*"
    r"|\(?cherry[- ]picked from .*|--HG--|(?:co-)?authored by .*",
    re.IGNORECASE,
)
# A line of references alone: "Fixes #12, #13", "See also https://…".
_REFERS = re.compile(
    r"(?:this |also )?(?:closes?|fixe[sd]|fix|refs?|see|see also|resolves?|resolved|part of|related to|relates to"
    r"|addresses|updates|supersedes|replaces|ticket|issue|pr|link)s?\b:?",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"[^\w#]*+(?:(?:[\w.-]{1,80}/[\w.-]{1,80})?#\d+|gh-\d+|https?://\S*+|and|issues?|pr|in)?\W*+", re.IGNORECASE
)
_REVERT_SUBJECT = re.compile(
    r"(?:this )?reverts?:?\s+[\"“'](?P<what>.+?)[\"”']\s*(?:\(#\d+\))?\.?$|revert:\s+(?P<rest>.+)", re.IGNORECASE
)
_REVERT_SHA = re.compile(
    r"(?:this )?revert(?:s|ing|ed)?(?: the)?(?: commits?)?\s+(?P<sha>[0-9a-f]{7,40})\b", re.IGNORECASE
)
_PULL = re.compile(r" ?\((?P<pull>(?:#|gh-|!)\d++)\)$", re.IGNORECASE)
_ISSUE = re.compile(r"(?:#|\bgh-|\b(?=[A-Z]{2,10}-\d)[A-Z]{2,10}-)\d{1,7}\b")
_MERGE = re.compile(r"merge (?:pull request|pr|mr) [#!]?(?P<number>\d+)\b.*", re.IGNORECASE)

_BOT = re.compile(
    r"\[bot\]|\bbot\b|dependabot|renovate|greenkeeper|github[- ]actions|pre-commit-ci|weblate|transifex|jenkins|pyup",
    re.IGNORECASE,
)
_TOOLS = r"black|isort|ruff|prettier|flake8|eslint|tslint|clippy|rustfmt|gofmt|pep ?8|mypy|lint\w*"
_MENDED = (
    r"(?:re-?)?(?:fix(?:ed|es|ing)?|correct(?:ed|s)?|improve[sd]?|update[sd]?|tweak(?:ed|s)?|clean(?:ed)?(?: up)?) "
)
_FILLER = r"(?:a |an |the |some |minor |small |few |more |my |various |several |remaining |last |broken |failing )*"
_SERVICES = r"travis|appveyor|github actions?|circleci|codecov|coveralls|azure pipelines|gitignore|editorconfig"
# Subjects without information. A prefix `kind(scope):` is left out before.
_NOISE = re.compile(
    # merges
    r"merge (?:branch|remote|tag|commit|master|main|upstream|'|\")|squashed '.{1,80}' (?:changes|content) from\b"
    r"|merged? (?:in )?(?:from|into|with|master|main)\b|(?:back)?merge\b.{0,60}\binto\b|sync (?:with|from)\b"
    # steps and trials
    r"|(?:fixup|squash|amend)! |(?:wip|tmp|temp)\b|(?:try|attempt|test|testing|check)\W*$"
    # answers to a review
    r"|.{0,40}\b(?:code )?review(?:er'?s?|s)?(?: (?:comments?|feedback|suggestions?|nits?|fix(?:es)?|changes?))?\W*$"
    r"|(?:address|appl(?:y|ied)|incorporate|respond to)\w*\b.{0,30}\b(?:reviews?|feedback|comments?"
    r"|suggestions?|nits?)\b"
    r"|(?:fix|resolve|handle|implement|remarks?)\w*\b.{0,20}\b(?:review|feedback|nits?|requested changes)\b"
    r"|(?:pr|review|requested|suggested|minor|small|final|more|some|few|various|further) (?:pr )?"
    r"(?:comments?|feedback|changes?|fix(?:es)?|nits?|updates?|tweaks?|improvements?|cleanups?|edits?)\W*$"
    r"|(?:as |per |@\S+ )(?:requested|suggested|discussed)\b.{0,40}$|code ?review\b"
    # releases and dependencies
    r"|(?:bump|update|upgrade|pin|downgrade)\w*\b.{0,80}\b(?:from|to)\s+\S{0,12}\d|bump(?:ed|ing|s)?\b"
    r"|(?:update|upgrade|refresh|renew)\w* (?:the |all |our |some |dev |npm |pip )*(?:deps?|dependenc(?:y|ies)"
    r"|requirements|lock ?files?|submodules?|toolchain|pre-?commit|licenses?|copyright|snapshots?|authors"
    r"|contributors|translations?)\b|\S{0,20}v?\d++\.\d\S*+$|\S{0,30} v?\d++\.\d[\w.-]*+$"
    r"|(?:prepar\w*|start\w*|tag|post|cut|begin|publish|finali[sz]e|draft|next)\b.{0,20}\brelease\b"
    r"|(?:new )?(?:release|version|releasing)\b\W*\s*\S{0,20}\d|release\W*$"
    r"|back to dev|set version|\[?(?:automated|automatic)\]? |\[pre-commit|\[skip|\[ci"
    r"|.{0,30}\b(?:changelog|change ?log|release notes?)\b.{0,25}$"
    # wording, formatting, documents
    rf"|{_MENDED}{_FILLER}(?:typos?|typo'?s|spelling|misspell\w*|white ?space|grammar\w*|wording|punctuation"
    rf"|capitali[sz]ation|doc ?strings?|docs?|documentation|ci|readme|badges?|{_SERVICES}|{_TOOLS})\b.{{0,40}}$"
    rf"|{_MENDED}{_FILLER}(?:tests?|test suite|builds?|imports?|indent\w*|comments?|links?|urls?|examples?|warnings?"
    r"|type ?hints?|annotations?|markup|headings?|formatting|(?:code ?)?styles?|workflows?)(?: in \S+)?\W*$"
    rf"|{_FILLER}(?:typos?|format(?:ting)?|reformat|clean ?ups?|cosmetics?|nits?|oops|minor|style|{_TOOLS}|spelling"
    r"|grammar|whitespace|wording|indentation|refactor(?:ing)?|polish|tweaks?|hotfix|quick ?fix)\b.{0,12}$"
    r"|(?:update|create|edit|delete|add|rename|remove) \S+\.(?:md|rst|txt|ya?ml|json|toml|html|cfg)\W*$"
    r"|(?:update|add|fix|remove)\w* (?:the )?(?:readme|docs?|documentation|badges?|sponsors?|funding)\b.{0,30}$"
    r"|docs?\b|.{0,80}\b(?:in|from|of|to|for)(?: the)?(?: \w+)? (?:docs?|documentation|docstrings?|tutorial"
    r"|readme)\W*$|.{0,60}\b(?:invalid|dead|broken|relative) links?\b"
    r"|(?:document|clarify|clarified|reword|mention|explain)\w* "
    r"|(?:remov|delet|drop)\w* (?:an? |the |some |more |now[- ])*(?:unused|dead|unnecessary|redundant|stale|leftover"
    r"|debug|commented)\b"
    rf"|initial commit$|(?:run|apply|use|enable|add) (?:{_TOOLS})\b|rebuild|re-?generate|regen\b"
    rf"|.{{0,60}}\b(?:{_SERVICES})\b.{{0,20}}$",
    re.IGNORECASE,
)
_DULL_SCOPES = frozenset("deps deps-dev release ci lint typo".split())
_CHORES = frozenset("style ci chore deps release build docs test".split())


class Prefix(NamedTuple):
    """The kind of a change, its scope, whether it breaks something, and the subject without them."""

    kind: str
    scope: str
    is_breaking: bool
    rest: str


def prefixed(subject: str) -> Prefix:
    """Return a subject with its kind; "" where it names none."""
    found = _PREFIX.match(subject)
    name = (found["tag"] or found["kind"]).lower() if found else ""
    if found is None or name not in _KINDS:
        return Prefix("", "", False, subject)
    is_breaking = bool(found["bang"]) or name == "breaking"
    return Prefix(_KINDS[name], found["scope"] or "", is_breaking, subject[found.end() :])


class Message(NamedTuple):
    """A commit message; its kind by the convention `kind(scope): subject`.

    undoes, undoes_subject: the reverted commit, by its hash or by its subject. pull: the number of its request
    """

    subject: str
    sentences: tuple[str, ...]
    kind: str = ""
    is_breaking: bool = False
    undoes: str = ""
    undoes_subject: str = ""
    issues: tuple[str, ...] = ()
    pull: str = ""

    @property
    def is_revert(self) -> bool:
        return bool(self.undoes or self.undoes_subject)

    @property
    def is_chore(self) -> bool:
        """Whether its author calls it a chore: builds, tests, documents."""
        return self.kind in _CHORES

    @property
    def text(self) -> str:
        """Subject and sentences."""
        return "\n".join((self.subject, *self.sentences))


def read(text: str) -> Message:
    """Return a parsed message; of a merged pull request, its title is the subject."""
    first, _, rest = text.strip().partition("\n")
    subject, pull = " ".join(first.split()), ""
    if merged := _MERGE.match(subject):
        pull = f"#{merged['number']}"
        title = ""
        while rest.strip() and (not title or is_trailer(title)):
            title, _, rest = rest.strip().partition("\n")
        subject = f"{' '.join(title.split())} ({pull})" if title and not is_trailer(title) else ""
    elif squashed := _PULL.search(subject):
        pull = issue(squashed["pull"])
    kind, _, is_breaking, _ = prefixed(subject)
    quoted = _REVERT_SUBJECT.match(subject)
    is_revert = quoted is not None or kind == "revert" or subject.lower().startswith("revert")
    named = _REVERT_SHA.search(rest) or (_REVERT_SHA.match(subject) if is_revert else None)
    undone = (quoted["what"] or quoted["rest"] or "") if quoted else ""
    return Message(
        subject=subject,
        sentences=tuple(body_sentences(rest, subject)),
        kind=kind,
        is_breaking=is_breaking or "BREAKING CHANGE" in rest or "BREAKING-CHANGE" in rest,
        # A body that mentions a revert in passing is not one.
        undoes=named["sha"] if named and (is_revert or named.start() < 3) else "",
        undoes_subject=plain_subject(undone) if is_revert else "",
        issues=tuple(dict.fromkeys(map(issue, _ISSUE.findall(text))))[:10],
        pull=pull,
    )


def issue(name: str) -> str:
    """Return an issue as all sources name it: GH-12 is #12."""
    return f"#{name[3:]}" if name[:3].lower() == "gh-" else name


def plain_subject(subject: str) -> str:
    """Return a subject as a revert quotes it, without its pull request number."""
    return _PULL.sub("", " ".join(subject.split())).strip().lower()


def is_noise(commit: Commit, message: Message) -> bool:
    """Tell whether a commit says nothing, whatever its body says."""
    if _BOT.search(commit.author):
        return True
    if message.is_revert:
        return not message.sentences and says_nothing(message.undoes_subject)
    return not message.subject or says_nothing(message.subject)


def says_nothing(subject: str) -> bool:
    """Tell whether a subject is about a merge, a review, a release, wording or formatting."""
    bare = _PULL.sub("", subject)
    head = prefixed(bare)
    if head.kind in ("deps", "release", "style") or head.scope.lower() in _DULL_SCOPES:
        return True
    area = None if head.kind else _AREA.match(bare)
    return bool(_NOISE.match(bare[area.end() :] if area else head.rest))


# --- bodies ---

_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CHECKBOX = re.compile(r"\s*+[-*+] \[[ xX]?\]")
_ITEM = re.compile(r"(?P<indent>\s*+)(?P<mark>[*\-•+]|\d{1,2}[.)])\s+(?P<text>\S.*)")
_HEADING = re.compile(r"#{1,6}\s+\S.*|[A-Z][\w /'-]{2,40}:|\*\*[^*]{2,60}\*\*:?")
_FENCE = re.compile(r"\s*+(?:```|~~~)")
_LOG = re.compile(
    r"\s*+(?:at \S+\(|Traceback |File \"|\$ |>>> |diff --git|@@ |\+\+\+ |--- |index [0-9a-f]{7}|\[\w+\] "
    r"|\d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT|error\[E|\|\s|-->\s|E   )"
)
_END = re.compile(r"(?<=[.!?])\s+(?=[\"'(`A-Z*\[])")
_RULE = re.compile(r"\W*")


def body_sentences(text: str, subject: str = "") -> list[str]:
    """Return the sentences of a body: no trailers, checklists, headings, logs, nor short items of squashed commits."""
    found: dict[str, None] = {}
    for block in _blocks(_COMMENT.sub("", text)):
        for sentence in _END.split(block):
            bare = " ".join(sentence.split())
            if len(bare) > 1 and not _RULE.fullmatch(bare) and not is_trailer(bare):
                found.setdefault(bare[:SENTENCE_CHARACTERS])
    own = plain_subject(subject)
    return [sentence for sentence in found if plain_subject(sentence.removeprefix("- ")).rstrip(".") != own.rstrip(".")]


def is_trailer(line: str) -> bool:
    """Tell whether a line is a trailer, or nothing but references to issues."""
    if _TRAILER.fullmatch(line):
        return True
    refers = _REFERS.match(line)
    words = line[refers.end() if refers else 0 :].split()
    return bool(words or refers) and all(_REFERENCE.fullmatch(word) for word in words)


def _blocks(text: str) -> list[str]:
    """Return the paragraphs and items of a body, each in one line."""
    rows = _without_code(text.strip().splitlines())
    blocks: list[list[str]] = [[]]
    is_squash = sum(row.startswith("* ") for row in rows) > 1
    for row in rows:
        bare = row.strip()
        if not bare or _HEADING.fullmatch(bare) or _CHECKBOX.match(row) or is_trailer(bare):
            blocks.append([])
            continue
        item = _ITEM.fullmatch(row)
        if item is None:
            blocks[-1].append(bare)
        elif is_squash and row.startswith("* "):
            blocks += [[], []] if _is_small(item["text"]) else [[item["text"]], []]
        else:
            blocks.append([f"- {item['text']}" if len(item["text"].split()) > LEAST_WORDS else ""])
    return [" ".join(block) for block in blocks if any(block)]


def _is_small(item: str) -> bool:
    return len(item.split()) < SQUASHED_WORDS or says_nothing(item)


def _without_code(rows: list[str]) -> list[str]:
    """Return lines without pasted logs and long blocks of code."""
    kept: list[str] = []
    block: list[str] | None = None
    for row in rows:
        if _FENCE.match(row):
            if block is not None and len(block) <= CODE_LINES:
                kept.append("`" + " ".join(" ".join(block).split()) + "`")
            block = [] if block is None else None
        elif block is not None:
            block.append(row)
        elif row.startswith(("    ", "\t")) and not _ITEM.match(row) and (not kept or not kept[-1].strip()):
            continue  # an indented block of code
        elif not _LOG.match(row):
            kept.append(row)
    return kept
