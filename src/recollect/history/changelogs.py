"""Changelogs, release notes and upgrade guides: one record per notable change, with its version and date.

    file ─► sections ─► version and date of a heading ─► items and paragraphs ─► worth ─► Found

A change is written at the commit of its release tag; where there is no tag, its date tells the commit.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from recollect.history import commit_log
from recollect.history.change_worth import LISTED, REMOVAL, REPAIR, is_trivial, line_worth
from recollect.history.commit_message import SECTIONS, issue, prefixed
from recollect.history.history_record import FileSource, Found, Text, clipped, moment
from recollect.history.project_documents import compact, pieces, prose, sections
from recollect.model import MemoryType
from recollect.text.dates import MONTHS
from recollect.text.display import day
from recollect.text.passages import LIST_HEAD

# What is kept of one change; more is a tutorial.
CHANGE_CHARACTERS = 900
GUIDE_CHARACTERS = 1_100
# … and of a commit in a list.
ITEM_CHARACTERS = 300
# Fewer words of prose are a piece of code.
GUIDE_WORDS = 15
# … and fewer of a paragraph among lists lead to one.
PROSE_WORDS = 10
# Changes of one file: more are generated.
MOST_CHANGES = 8_000
# Lines below a heading that may say when a version was released.
DATED_LINES = 4
HEADING_CHARACTERS = 120

_KINDS = r"\.(?:md|mdx|markdown|rst|rest|txt|adoc|asciidoc)"
_CHANGELOG = re.compile(
    rf"(?:^|/)(?:change(?:s|log)s?|change[-_]log|history|news|release(?:s|[-_ ]?notes?)"
    rf"|whats?[-_]?new)(?:[-_][\w-]+(?:\.\d[\w-]*)*)?(?:{_KINDS})?$"
    rf"|(?:^|/)(?:docs?|documentation)/(?:[^/]+/)*(?:releases?|release[-_]notes|changelogs?|changes|whatsnew"
    rf"|news)/(?:[^/]+/)*[^/]+{_KINDS}$"
    rf"|(?:^|/)(?:changelogs?|release[-_]notes)/[^/]+{_KINDS}$",
    re.IGNORECASE,
)
_GUIDE = re.compile(
    rf"(?:^|[/_.\d-])(?:upgrad(?:e|ing)|migrat(?:e|ing|ion))(?:[-_ ][\w.-]*|[-_ ]?guide)?{_KINDS}$", re.IGNORECASE
)
_FOREIGN = re.compile(
    r"(?:^|/)(?:tests?|fixtures?|examples?|migrations|testdata|__tests__|i18n|locales?)/", re.IGNORECASE
)
_NAMED = re.compile(r"v?(?P<version>\d{1,4}(?:[._]\d{1,4}){1,3})(?:[-_. ].*)?", re.IGNORECASE)
_VERSION = re.compile(
    r"\W{0,8}(?:(?P<name>[A-Za-z@][\w@/.-]{0,60}?)[ @-]{1,3})?(?:version |release |v)?\[?v?"
    r"(?P<version>\d{1,4}\.\d{1,4}(?:\.\d{1,6}){0,2}(?:\.x)?(?:[-.]?(?:alpha|beta|rc|a|b|dev|pre|next|canary"
    r"|m)[.-]?\d{0,6})?)(?![\w.]*\w{4})(?P<rest>.*)",
    re.IGNORECASE,
)
# A version on a line of its own, without the marks of a heading.
_BARE_VERSION = re.compile(r"(?:\A|(?<=\n\n))(?=v?\d{1,4}\.\d{1,4}\.\d{1,6}\S{0,20} - \w[\w ,-]{4,30}\n\n)")
_UNRELEASED = re.compile(r"\W{0,4}(?:unreleased|upcoming|next(?: release)?|main|master|head)\b.{0,30}", re.IGNORECASE)
_ISO = re.compile(r"\b(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d\d?)[-/.](?P<day>\d\d?)\b")
_MONTH = "|".join(sorted({name for full in MONTHS for name in (full, full[:3], f"{full[:3]}.")}, key=len, reverse=True))
_WORDED = re.compile(
    rf"\b(?P<first>\d{{1,2}})(?:st|nd|rd|th)? (?P<m1>{_MONTH}),? (?P<y1>(?:19|20)\d\d)\b"
    rf"|\b(?P<m2>{_MONTH}) (?P<second>\d{{1,2}})(?:st|nd|rd|th|!)?,? (?P<y2>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(r"(?P<indent>[ \t]*)(?:[-*+•]|\d{1,3}[.)]|\*\*|--) +(?P<text>\S.*)")
# A line that stands for a heading.
_LABEL = re.compile(r"(?=\S{3,20}(?: \S{1,20}){0,3}\Z)(?:[A-Z][A-Z &/-]+:?|\*\*[^*]+\*\*:?|[A-Z][\w &/-]+:)")
# Names of packages, whose changes are the items below.
_NAMES = re.compile(r"(?:`[^`\s]{1,60}`|[@\w][\w@/.-]{1,60})(?:, ?(?:`[^`\s]{1,60}`|[@\w][\w@/.-]{1,60})){0,40}:?")
_EMOJI = re.compile(r":[a-z_]{2,30}: *")
_TAG = re.compile(r"<[^<>]{1,80}>\s*")
_CODE = re.compile(r"\s*(?:```|~~~|\.\. [\w-]+::)")
_NUMBER = re.compile(r"(?:#|\bgh-|\bGH-|\b[A-Z]{2,10}-)\d{1,7}\b")
_ROLE = re.compile(r":(?P<role>[\w:+-]{1,40}):`(?P<text>[^`\n]{1,200})`")
_LINK = re.compile(r"!?\[(?P<text>[^\][\n]{0,300})\](?:\((?:<[^>\s]{0,600}>|[^()\s]{0,600})\)|\[[^\]\n]{0,80}\])")
_RST_LINK = re.compile(r"`(?P<text>[^`<\n]{1,200}) <[^>\s`]{1,600}>`__?")
_SHA = re.compile(r"\b[0-9a-f]{7,40}\b")
_CREDIT = re.compile(
    r"^(?:\W{0,3}#\d+\W{0,3})?(?:`?[0-9a-f]{7,40}`?\W{1,3})?Thanks .{1,120}?! - | [-–—]? ?by @[\w-]+(?: (?:and"
    r"|,) @[\w-]+){0,5}(?: in \S{1,200})?$",
    re.IGNORECASE,
)
# The commit before a change, or its author behind the number of an issue.
_COMMIT = re.compile(r"\A(?:`[0-9a-f]{7,40}`|(?=[a-f]{0,40}\d)[0-9a-f]{7,40}) +(?=\S)|(?<=\d\)) \([^()#]{2,60}\)\Z")
_FIRST_NUMBER = re.compile(r"\A(?:#|gh-)\d{1,7}:? (?=[\w`\[])", re.IGNORECASE)
_TAIL_WORD = re.compile(
    r"[,;.(\[]*+(?:(?:#|gh-)\d+|[0-9a-f]{7,40}|https?://[^\s)]*|@[\w-]+|closes|fixes|via|see|thanks|by|PR"
    r"|issues?|ticket|in|and|&)?[\])]*+[.,;:]*+",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"#\d|gh-\d|https?:|@\w|[0-9a-f]{7}", re.IGNORECASE)
# Between a name and a version in a tag.
_MARKS = ("-", "-v", "@", "_", "/v", "-parent-")


class Release(NamedTuple):
    """A version with its date, from the heading of its changes."""

    version: str
    at: int = 0
    name: str = ""


class Line(NamedTuple):
    """One change of a release, and the heading above it; written: the text with its kind."""

    release: Release
    section: str
    text: str
    refers: tuple[str, ...]
    is_prose: bool
    written: str


def is_changelog(path: str) -> bool:
    """Tell whether a file lists the changes of releases."""
    return bool(_CHANGELOG.search(path)) and not _FOREIGN.search(path) and not _GUIDE.search(path)


def is_guide(path: str) -> bool:
    """Tell whether a file says how to upgrade."""
    return bool(_GUIDE.search(path)) and not _FOREIGN.search(path)


def lines(text: str, path: str) -> Iterator[Line]:
    """Yield the changes that a changelog lists."""
    release = _of_file(path)
    depth = 0
    for part in sections(_BARE_VERSION.sub("## ", text), path):
        names = part.headings
        found = [(place, each) for place, name in enumerate(names) if (each := version_of(name))]
        if found:
            own = (row for row in reversed(found[1:]) if not _is_other(names[row[0]], row[1]))
            depth, release = next(own, found[0])
        elif names and _UNRELEASED.fullmatch(names[-1]):
            depth, release = len(names) - 1, Release("unreleased")
        if release is None:
            continue
        below = names[depth + 1 :] if found or depth else names[1:]
        if not release.at:
            release = release._replace(at=_date("\n".join((*below, *part.text.splitlines()[:DATED_LINES]))))
        section = _EMOJI.sub("", " › ".join(name for name in below if not _is_date(name)))
        for is_prose, scope, block in blocks(part.text):
            plain, refers = cleaned(block)
            if is_prose and _LABEL.fullmatch(block):
                section = plain  # "BUG FIXES:" stands for a heading
            elif plain:
                head = prefixed(plain)
                scope, text = (head.scope or scope, head.rest) if head.kind in SECTIONS else (scope, plain)
                text = f"{scope}: {text}" if scope else text
                above = "Breaking changes" if head.is_breaking else section or SECTIONS.get(head.kind, "")
                yield Line(release, above, text, refers, is_prose, plain)


def version_of(heading: str) -> Release | None:
    """Return the version and date that a heading names; None if it names none."""
    plain = _LINK.sub(lambda link: link["text"], heading)[:HEADING_CHARACTERS]
    found = _VERSION.fullmatch(plain)
    if found is None or len(_ISO.sub("", _WORDED.sub("", found["rest"])).split()) > 5:
        return None
    name = found["name"] or ""
    return Release(found["version"], _date(plain), "" if name.lower() in ("version", "release", "v") else name)


def _is_other(heading: str, release: Release) -> bool:
    """Tell whether a heading within a release is about another program, as "Python 3.9 minimum version"."""
    return bool(release.name and heading.partition(release.version)[2].strip(" ()0123456789.-/"))


def _of_file(path: str) -> Release | None:
    """Return the version in the name of a file or its folder, as in docs/releases/2.0.txt."""
    for part in reversed(path.split("/")):
        if named := _NAMED.fullmatch(part):
            return Release(named["version"].replace("_", "."))
    return None


def _is_date(heading: str) -> bool:
    return not _ISO.sub("", _WORDED.sub("", heading)).strip(" ().")


def _date(text: str) -> int:
    if iso := _ISO.search(text):
        return moment(f"{iso['year']}-{iso['month']:0>2}-{iso['day']:0>2}")
    if word := _WORDED.search(text):
        name = (word["m1"] or word["m2"]).lower()[:3]
        month = next(number for number, full in enumerate(MONTHS, 1) if full.startswith(name))
        return moment(f"{word['y1'] or word['y2']}-{month:02}-{word['first'] or word['second']:0>2}")
    return 0


def blocks(text: str) -> Iterator[tuple[bool, str, str]]:
    """Yield the items and paragraphs of a section: whether it is prose, the names above it, its text in one line.

    Items within items belong to the outer one, unless that only names packages.
    """
    block: list[str] = []
    names, above = "", -1
    is_item, indent, in_code = False, 0, False
    for line in [*text.splitlines(), ""]:
        if _CODE.match(line):
            in_code = not in_code if "::" not in line else False
            continue
        item = None if in_code else _ITEM.fullmatch(line)
        if item is not None and is_item and len(item["indent"]) > indent and _NAMES.fullmatch(" ".join(block)):
            # More names than two would hide the words of the change.
            first = block[0].rstrip(":").split(", ")
            names, above = ", ".join(first if len(first) < 3 else [*first[:2], "…"]), indent
            block, is_item = [], False
        starts = item is not None and not (is_item and len(item["indent"]) > indent)
        is_over = not line.strip() and not is_item
        if block and (starts or is_over or (is_item and line.strip() and not line[0].isspace() and not block[-1])):
            yield not is_item, names, " ".join(filter(None, block))
            block, is_item = [], False
        if item is not None and starts:
            names = names if len(item["indent"]) > above else ""
            is_item, indent, block = True, len(item["indent"]), [item["text"]]
        elif item is not None:
            block += [] if is_trivial(item["text"]) else [f"• {item['text']}"]
        elif not in_code and (line.strip() or is_item):
            block.append(line.strip())
    if any(block):
        yield not is_item, names, " ".join(filter(None, block))


def cleaned(text: str) -> tuple[str, tuple[str, ...]]:
    """Return a change without links and credits, and the issues, requests and commits that it names."""
    refers: dict[str, None] = dict.fromkeys(map(issue, _NUMBER.findall(text)))

    def role(found: re.Match[str]) -> str:
        if found["role"] in ("issue", "pr", "pull", "gh", "ghsa", "ticket", "commit", "user", "cve"):
            refers.update(dict.fromkeys(f"#{number}" for number in re.findall(r"\d{1,7}", found["text"])))
            return ""
        return f"`{found['text'].partition(' <')[0].lstrip('~!')}`"

    for sha in _SHA.findall(text):
        if not sha.isdigit():
            refers.setdefault(sha[:7])
    for url in re.findall(r"/(?:pull|issues|pulls|merge_requests)/(\d{1,7})\b", text):
        refers.setdefault(f"#{url}")
    plain = _ROLE.sub(role, text.replace("``", "`"))
    for link in (_LINK, _RST_LINK):
        plain = link.sub(lambda found: found["text"], plain)
    plain = _FIRST_NUMBER.sub("", _COMMIT.sub("", _CREDIT.sub("", " ".join(plain.split()))))
    plain = _without_tail(plain).replace("**", "").strip(" -–—,;:")
    return plain, tuple(refers)[:10]


def _without_tail(text: str) -> str:
    """Return a text without the references at its end."""
    words = text.split()
    end = len(words)
    while end and _TAIL_WORD.fullmatch(words[end - 1]):
        end -= 1
    tail = words[end:]
    # Words such as "in" are part of the sentence where no reference follows.
    first = next((place for place, word in enumerate(tail) if _REFERENCE.search(word)), None)
    if first is None:
        return text
    while first and not tail[first - 1].endswith("."):
        first -= 1
    return " ".join([*words[:end], *tail[:first]])


class Changelogs(FileSource):
    """Changelogs, release notes and upgrade guides."""

    doing = "reading changelogs"

    def __init__(self) -> None:
        super().__init__()
        self._project = ""
        self._tags: Mapping[str, commit_log.Tag] = {}

    def wanted(self, names: list[str]) -> list[str]:
        return [name for name in names if is_changelog(name) or is_guide(name)]

    def records(self, root: Path, since: int | None) -> Iterator[Found]:
        self._project = root.name
        self._tags = commit_log.tags(root)
        yield from super().records(root, since)

    def read(self, file: Text) -> Iterator[Found]:
        return self._guide(file) if is_guide(file.path) else self._changes(file)

    def _changes(self, file: Text) -> Iterator[Found]:
        package = _package(file.path, self._project)
        seen: set[str] = set()
        latest = file.at
        for number, line in enumerate(lines(file.text, file.path)):
            value = line_worth(line.text, "" if line.is_prose else line.section)
            if line.is_prose and (value < REPAIR or len(line.text.split()) < PROSE_WORDS):
                value = 0.0  # an introduction
            name = f"{line.release.name or package} {line.release.version}"
            key = f"{file.path}#{line.release.version}#{_digest(line.written)}"
            if value < LISTED or key in seen or number > MOST_CHANGES:
                continue
            seen.add(key)
            tag = self._tag(line.release, package)
            at = line.release.at or (tag.at if tag else 0)
            latest = at or latest
            yield _change(file, line, name, key=key, at=latest, dated=bool(at), tag=tag)._replace(worth=value)

    def _tag(self, release: Release, package: str) -> commit_log.Tag | None:
        heads = ("v", "", *(f"{name}{mark}" for name in (package, release.name, "release") for mark in _MARKS))
        names = (head + release.version for head in heads)
        return next((self._tags[name] for name in names if name in self._tags), None)

    def _guide(self, file: Text) -> Iterator[Found]:
        counted: dict[str, int] = {}
        for part in sections(file.text, file.path):
            for piece in pieces(compact(part.text), GUIDE_CHARACTERS):
                # Links alone are a table of contents.
                words = _LINK.sub("", " ".join(prose(piece))).split()
                if not part.headings or len(words) < GUIDE_WORDS:
                    continue
                head = _TAG.sub("", " › ".join(part.headings))
                number = counted[head] = counted.get(head, 0) + 1
                yield Found(
                    key=f"{file.path}#{head}#{number}",
                    rule="upgrade",
                    title=clipped(f"{file.path} › {head}", 200),
                    content=f"{file.path} › {head}\n\n{piece}",
                    memory_type="context",
                    at=file.at,
                    importance=0.55,
                    tags=("changelog", "upgrade"),
                    metadata={"path": file.path},
                    worth=REMOVAL,
                    head=file.sha,
                )


def _change(file: Text, line: Line, name: str, *, key: str, at: int, dated: bool, tag: commit_log.Tag | None) -> Found:
    when = f" ({day(at)})" if dated else ""
    above = f", {line.section}" if line.section else ""
    value = line_worth(line.text, line.section)
    kind: MemoryType = "decision" if value >= REMOVAL else "context"
    return Found(
        key=key,
        rule="change",
        content=f"{name}{when}{above}: {clipped(line.text, CHANGE_CHARACTERS)}",
        release=f"{name}{when}",
        memory_type=kind,
        at=at,
        importance=0.55 if value >= REMOVAL else 0.4,
        tags=("changelog",),
        metadata={
            "path": file.path,
            "version": line.release.version,
            **({"issues": list(line.refers)} if line.refers else {}),
        },
        head=tag.sha if tag else None,
        group=f"{file.path}#{line.release.version}",
        refers=line.refers,
    )


def joined(changes: Sequence[Found], most: int = GUIDE_CHARACTERS) -> Iterator[Found]:
    """Yield the changes of releases, newest first, as a few records, where there are too many for one each."""
    numbers: Counter[str] = Counter()
    part: list[Found] = []
    for change in (*changes, None):
        if part and (change is None or sum(map(len, map(_item, part))) + len(_item(change)) > most):
            first, last = part[0], part[-1]
            is_one = first.group == last.group
            versions = {each.group: each.metadata.get("version") or each.release for each in part}
            items = "\n".join(f"- {'' if is_one else versions[each.group] + ': '}{_item(each)}" for each in part)
            refers = tuple(dict.fromkeys(name for each in part for name in each.refers))
            numbers[first.group] += 1
            name = first.release if is_one else f"{last.release} to {first.release}"
            yield first._replace(
                key=f"{first.group}#rest{numbers[first.group]}",
                rule="release",
                title=None,  # it would be a part of the meaning of each line
                content=f"{name}{LIST_HEAD}\n\n{items}",
                author=None,
                tags=("changelog",),
                memory_type="context",
                importance=0.4,
                refers=(),
                metadata={
                    **{name: first.metadata[name] for name in ("path", "version") if name in first.metadata},
                    **({} if is_one else {"also": [{"version": version} for version in list(versions.values())[1:]]}),
                    "changes": len(part),
                    "commits": [sha for each in part for sha in _commits(each) if sha],
                    "issues": list(refers),
                },
            )
            part = []
        if change is not None:
            part.append(change)


def _item(change: Found) -> str:
    """Return a record as one line of a list; of a commit, its first sentences and what a changelog says of it."""
    if change.rule == "change":
        return change.content.partition(": ")[2]
    text, _, source = change.content.partition("\n\nCommit ")
    released = source.partition("\nReleased in ")[2].partition(": ")[2]
    return " ".join(clipped(" ".join(each.split()), ITEM_CHARACTERS) for each in (text, released) if each)


def _commits(change: Found) -> list[str]:
    """Return the commits of a record: its own, and those of a pull request."""
    return list(dict.fromkeys((*change.metadata.get("commits", ()), change.metadata.get("sha", ""))))


def _package(path: str, project: str) -> str:
    """Return the name of the package that a changelog is about: its folder, or the project."""
    folder = posixpath.dirname(path)
    is_whole = re.match(r"(?:docs?|documentation|changelogs?|releases?|src|\.github)\b", folder, re.IGNORECASE)
    return project if is_whole else posixpath.basename(folder) or project


def _digest(text: str) -> str:
    return hashlib.sha256(" ".join(text.lower().split()).encode()).hexdigest()[:16]
