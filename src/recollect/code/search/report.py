"""Parse a bug report or another long text into its parts, and match the files that it names.

    text ─► without template ─► said (prose) and shown (code, commands, output)
                            └─► frames of tracebacks, files and modules, phrases

A report mentions much besides its subject. Prose counts more than pasted text, the innermost frame of a traceback more
than the outer ones, and what an issue template asks for (versions, check lists, headings) not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.text.identifiers import code_terms

# Patterns begin at a word and stay within a line, so that a long line costs its length and not its square.

# What an issue template adds: comments, check boxes, headings, empty answers, versions.
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_FORM = re.compile(
    r"""^\s*+(?:
        [-*]\s*+\[[\ xX]?\].*
        | \#{1,6}\s.* | (?:\*\*|__)[^*_]++(?:\*\*|__)\s*+:?+
        | _No\ response_ | N/?A | None\.? | Description | Summary | \(?last\ modified\ by\ .*
        | (?:(?:steps|how)\ )?to\ reproduce\s*: | (?:expected|actual|current)\ (?:behaviou?r|results?|output)\s*:
        | [-*]?+\s*+\*{0,}+(?:[\w.+\#/-]++\ ){0,3}?
          (?:versions?|os|platform|operating\ system|browsers?|architecture)\**\ ?[:=].*
        | [-*]?+\s*+\*{0,}+(?:python|node(?:js)?|npm|ruby|php|java|jdk|go|rustc?|pip|linux|windows|mac\ ?os)\**
          \ ?[:=]?\s*+v?\d[\w.+-]*+
    )\s*+$""",
    re.IGNORECASE | re.VERBOSE,
)
_URL = re.compile(r"\bhttps?://[^\s)>\]\"'`]+")
# A link to a file of a repository as it was at a commit or a branch.
_SOURCE_URL = re.compile(r"/(?:blob|blame|tree|raw|src)/[^/\s]+/([^\s#?)]{1,400}\.\w{1,5})")

_FENCE = re.compile(r"^\s*(?:```|~~~|\{\{\{|\}\}\})")
_SHOWN_LINE = re.compile(
    r"""^(?:\t|\ {4,})\S | ^\s*(?:>>>|\.\.\.\ |\$\ |@\w+|\#include\b|\|\ )
    | ^\s*(?:from|import|def|class|return|for|if|elif|else|try|except|raise|with|while|assert|async|await|function|const
        |let|var|public|private|protected|use|namespace|package|func|fn|impl|struct|end)\b.*[(:={;\]]
    | ^\s*(?:from\s[\w.]+\s)?import\s[\w.,\s*]+$
    | ^\s*[\w.\[\]'"$>:-]+\s*(?:=|\+=|:=|=>)\s*\S | [;{}]\s*$ | ^\s*[\w.:$>-]+\(.*\)\s*+:?+\s*+$
    | ^\s*File\ ".*",\ line\ \d+ | ^\s*at\ \S.*\d\)?\s*$ | ^\s*Traceback\ \(
    | ^\s*[\w.]*(?:Error|Exception|Warning)\b\s*:""",
    re.VERBOSE,
)

# Frames of tracebacks: a pattern with the path or the dotted class name, and whether the innermost comes last.
_FRAMES: tuple[tuple[re.Pattern[str], bool], ...] = (
    (re.compile(r"File \"(?P<path>[^\"\n]+)\", line \d+"), True),
    (re.compile(r"\bat (?P<dotted>[\w.$]+)\.[\w$<>]+\([\w$]+\.(?:java|kt|scala|groovy):\d+\)"), False),
    (re.compile(r"(?<![\w./\\@~+-])(?P<path>[\w./\\@~+-]+\.php)(?:\(\d+\)|:\d+)"), False),
    (re.compile(r"(?<![\w./\\@~+-])(?P<path>[\w./\\@~+-]+\.[A-Za-z]{1,5}):\d+"), False),
)
_PATH = re.compile(r"(?<![\w/\\.@+-])(?:[\w@.+-]+[/\\])*[\w+-]+(?:\.[\w+-]+)*\.[A-Za-z]{1,5}\b(?!\()")
# Modules, packages and namespaces, with a name in them.
_DOTTED = re.compile(r"(?<![\w/\\.])\\?[A-Za-z_]\w*(?:(?:\.|::|\\)[A-Za-z_]\w*)+")
_IMPORT = re.compile(r"^[ \t]*(?:>>>[ \t]*)?from[ \t]+([\w.]+)[ \t]+import[ \t]+\(?([\w., \t]+)", re.MULTILINE)
_DOTS = re.compile(r"\.|::|\\")

# Of the frames of a long traceback the inner ones count.
MAX_FRAMES = 60
# Names of files and modules looked up at most.
MAX_CITED = 80
# Words of a phrase, and phrases that are looked for in the code.
PHRASE_WORDS = 3
MAX_PHRASES = 400


class Report(NamedTuple):
    """The parts of a long text.

    said, shown: prose, and pasted code, commands and output
    frames: files of tracebacks as parts of their paths without extension, innermost first
    cited: files that are named, likewise; modules: dotted names, likewise
    phrases: words in a row as terms of code: the first one, and all of them between blanks
    """

    lead: str
    said: str
    shown: str
    frames: tuple[tuple[str, ...], ...]
    cited: tuple[tuple[str, ...], ...]
    modules: tuple[tuple[str, ...], ...]
    phrases: tuple[tuple[str, str], ...]


def read(text: str) -> Report:
    """Return the parts of a long text."""
    whole = _COMMENT.sub("", text)
    linked = [found for url in _URL.findall(whole) for found in _SOURCE_URL.findall(url)]
    plain = _URL.sub(" ", whole)
    said, shown = _parted(plain)
    frames = list(dict.fromkeys(_frames(plain)))[:MAX_FRAMES]
    cited = dict.fromkeys(path_parts(path) for path in (*linked, *_PATH.findall(plain)))
    lead, _, rest = said.partition("\n")
    return Report(
        lead=lead,
        said=rest,
        shown=shown,
        frames=tuple(frames),
        cited=tuple(path for path in cited if path not in frames)[:MAX_CITED],
        modules=tuple(dict.fromkeys(_modules(plain)))[:MAX_CITED],
        phrases=tuple(dict.fromkeys(_phrases(f"{said}\n{shown}")))[:MAX_PHRASES],
    )


def path_parts(path: str) -> tuple[str, ...]:
    """Return a path as its parts, the last without extension."""
    parts = [part for part in path.replace("\\", "/").split("/") if part not in ("", ".", "..")]
    if not parts:
        return ()
    return (*parts[:-1], parts[-1].rsplit(".", 1)[0] if "." in parts[-1][1:] else parts[-1])


def _parted(text: str) -> tuple[str, str]:
    """Return prose and pasted text, line by line, without what a template adds."""
    said: list[str] = []
    shown: list[str] = []
    fenced = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            # A fence may open and close in one line.
            fenced = fenced if line.count("```") > 1 else not fenced
        elif not line.strip() or (said and not fenced and _FORM.match(line)):
            continue
        elif fenced or (said and _SHOWN_LINE.search(line)):
            shown.append(line)
        else:
            said.append(line)
    return "\n".join(said), "\n".join(shown)


def _frames(text: str) -> Iterator[tuple[str, ...]]:
    for pattern, is_innermost_last in _FRAMES:
        found = [match.groupdict() for match in pattern.finditer(text)]
        for groups in reversed(found) if is_innermost_last else found:
            if "path" in groups:
                yield path_parts(groups["path"])
            else:
                yield tuple(groups["dotted"].partition("$")[0].split("."))


def _modules(text: str) -> Iterator[tuple[str, ...]]:
    for match in _IMPORT.finditer(text):
        owner = tuple(match[1].strip(".").split("."))
        for name in match[2].split(","):
            if name.strip():
                yield (*owner, name.split()[0])
    for found in _DOTTED.findall(text):
        yield tuple(filter(None, _DOTS.split(found)))


def _phrases(text: str) -> Iterator[tuple[str, str]]:
    for line in text.split("\n"):
        words = [terms for terms in map(code_terms, line.split()) if terms]
        for place in range(len(words) - PHRASE_WORDS + 1):
            row = [term for word in words[place : place + PHRASE_WORDS] for term in word]
            yield row[0], f" {' '.join(row)} "


# Files that represent their folder.
_FOLDERS = frozenset({"__init__", "index", "mod"})
# A name that fits more files than this points to none of them.
MAX_FITTING = 6


class Matches(NamedTuple):
    """For each frame, path and module of a report, the places of the files it may mean."""

    frames: list[list[int]]
    cited: list[list[int]]
    modules: list[list[int]]


def matched(report: Report, paths: Sequence[str]) -> Matches:
    """Return which of the paths each pointer of a report may mean."""
    parts = [path_parts(path) for path in paths]
    by_stem: dict[str, list[int]] = {}
    for place, path in enumerate(parts):
        if not path:
            continue
        by_stem.setdefault(path[-1], []).append(place)
        if path[-1] in _FOLDERS and len(path) > 1:
            by_stem.setdefault(path[-2], []).append(place)
    return Matches(
        [_fitting(pointer, parts, by_stem, least=2) for pointer in report.frames],
        [_fitting(pointer, parts, by_stem, least=1) for pointer in report.cited],
        [_module(pointer, parts, by_stem) for pointer in report.modules],
    )


def _module(pointer: tuple[str, ...], parts: Sequence[tuple[str, ...]], by_stem: dict[str, list[int]]) -> list[int]:
    """Return the files of the longest prefix of a dotted name that is a module."""
    for length in range(len(pointer), 1, -1):
        found = _fitting(pointer[:length], parts, by_stem, least=2)
        if found:
            return found
    return []


def _fitting(
    pointer: tuple[str, ...], parts: Sequence[tuple[str, ...]], by_stem: dict[str, list[int]], least: int
) -> list[int]:
    """Return the files whose path ends most like the pointer: in `least` parts or in all of its own."""
    if not pointer:
        return []
    best: list[int] = []
    most = 0
    for place in by_stem.get(pointer[-1], ()):
        path = parts[place] if parts[place][-1] == pointer[-1] else parts[place][:-1]
        common = _common(pointer, path)
        if common < least and common < len(path):
            continue
        if common > most:
            best, most = [place], common
        elif common == most:
            best.append(place)
    return best if len(best) <= MAX_FITTING else []


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    """Return how many of the last parts are the same."""
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count
