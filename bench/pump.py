"""Scanners of outside text: how much longer each takes when its input is twice as long.

    python bench/pump.py [--only WORD …] [--patterns | --scanners] [--without-redaction] [--save]

A generator repeats fragments: a fixed list, and the shortest texts that parts of a scanner's patterns match.
Measured are the scanners (`pump_scanners.py`) and, one by one, all patterns that were compiled while they were loaded
and run. Each family of texts is screened in CPU time: one run of 2 KB, and one of 16 KB (8 KB of code, which is parsed
once). Cases that grow by more than SUSPECT per doubling are measured again; cases that still do are doubled up to
128 KB. Linear is 2, quadratic 4; a case over the limit counts as endless. The screening does not see a quadratic part
that takes less than a fifth of the time of the longer text.
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import pkgutil
import re
import re._constants as c  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain, groupby, islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import measure

# --- pump fragments ---

# What scanners of text, code and data know: white space, quotes, brackets, comments, list and heading marks, escapes.
FIXED = (
    " ", "\n", "\t", "\r", " \n", "\n ", '"', "'", "`", "```", "```\n", "\\", '\\"', "(", ")", "((", "[", "]", "[[",
    "{", "}", "<", ">", "<a ", "<a>", "</a>", "<!--", "/*", "*/", "//", "// a\n", "#", "# ", "# a\n", "## a\n\n", "- ",
    "- a\n", "-", "--", "---\n", "=", "===\n", "a = ", "a: ", "a: b\n", "a:\n", " a:\n", "a", "aB", "A", "a ", "a\n",
    "a.", "a-", "a_", "a/", "a,", "a, ", "a. ", "A. ", "a.b ", "a::", "a->", "a(", "a()", "a(b)\n", "a`", "`a` ", "a@",
    "a@b.", "0", "1.", "1 ", "0.0", "1,", "1-", "12-", "0x", ".", "..", ". ", "../", ",", ", ", ";", ";\n", ":", "::",
    "/", "a/b ", "**/", "*", "**", "*a", "?", "!", "|", "| a ", "||", "&", "&&", " && ", "+", "+a\n", "-a\n", "$", "${",
    "$(", "%", "@", "@@", "@a\n", "@@ -1 +1 @@\n", "~", "~~~", "^", "_", "é", "字", "。", "\x00", "\x1b[", "\u2028",
    "👍", "\ufeff", "\U0001f1e6", "https://", "http://a.b/c ", "2024-01-01 ", "10:00 ", "May 5 ", "last week ", "the ",
    "class a:\n", "def a():\n", "function a(){", "if (a) {", "import a\n", "from a import b\n", "{\n", "}\n",
    '{"a":', '{"a":1}\n', '"a":1,', "[1,", "\\n", "<<", "<<A\n", "'''", '"""', "#[", "r#", "#if a\n", "begin\n",
    "end\n",
)  # fmt: skip

# Fragments with a number, so that each is another name: loops over what was seen before show in them.
NUMBERED = (
    "a% ",
    "a%\n",
    "<a%>",
    "`a%` ",
    "a%: 1\n",
    "a% = 1\n",
    "def a%():\n    pass\n",
    "class A%:\n    pass\n",
    "class A% { int a%; }\n",
    "function a%() { a%(); }\n",
    "import a%\n",
    "- [a%] a\n",
    "[a%]\n",
    "[a%.b]\nc = 1\n",
    '"a%": 1,',
    "# a%\n",
    "@a%\n",
    "from a% import b%\n",
    "a%.py ",
    "* a%::b\n",
    "use a%::b;\n",
    "<a% b='c'/>",
    "diff --git a/a% b/a%\n",
    "--- a/a%\n+++ b/a%\n@@ -1 +1 @@\n-a\n+b\n",
    "fn a%() { a%(); }\n",
)

# Ends that make the whole text fail to match, or succeed late.
ENDS = ("", "\x00", "\n", "!", " x")

# Fragments of one pattern: enough for the longest pattern in the source, with an end to what alternatives multiply.
MOST = 160


class Family(NamedTuple):
    """A text that grows: a beginning, a fragment that is repeated, and an end; numbered: % is the number of each."""

    start: str
    fragment: str
    end: str
    numbered: bool = False

    def text(self, size: int) -> str:
        """Return the text with about `size` characters of repeats."""
        if self.numbered:
            count = max(1, size // (len(self.fragment) + 4))
            return self.start + "".join(self.fragment.replace("%", str(number)) for number in range(count)) + self.end
        return self.start + self.fragment * max(1, size // len(self.fragment)) + self.end


def families(pattern: str | bytes, flags: int) -> list[Family]:
    """Return the texts that could make a pattern repeat its work."""
    try:
        tree = parser.parse(pattern, flags)
    except re.error:
        return []
    found: dict[Family, None] = {}
    pieces = dict.fromkeys(piece for piece in islice(_pieces(list(tree), ""), MOST * 4) if piece[1])
    for start, fragment in islice(pieces, MOST):
        for end in ENDS:
            found[Family(start, fragment, end)] = None
            found[Family("", fragment, end)] = None
    return list(found)


def _pieces(tree: Sequence[Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield (what comes before, what to repeat) of a sequence: its beginnings, its repeats, and inside of them."""
    said = before
    own = ""
    for at, (kind, value) in enumerate(tree):
        for inner in _inside(kind, value):
            yield from _pieces(inner, said)
        if kind in REPEAT_KINDS:
            _low, high, body = value
            if high == c.MAXREPEAT or high > 8:
                for text in _texts(body):
                    yield said, text
                    yield said, text + _example(tree[at + 1 :])[:6]
        step = _example([(kind, value)])
        said, own = said + step, own + step
        yield before, own
        yield said, step


REPEAT_KINDS = (c.MAX_REPEAT, c.MIN_REPEAT, c.POSSESSIVE_REPEAT)


def _inside(kind: Any, value: Any) -> list[Any]:
    if kind in REPEAT_KINDS:
        return [list(value[2])]
    if kind is c.SUBPATTERN:
        return [list(value[3])]
    if kind is c.BRANCH:
        return [list(branch) for branch in value[1]]
    if kind is c.ATOMIC_GROUP:
        return [list(value)]
    if kind in (c.ASSERT, c.ASSERT_NOT):
        return [list(value[1])]
    return []


def _texts(tree: Any) -> list[str]:
    """Return shortest texts of a repeated body: one for each alternative and each range of a class at its top."""
    items = list(tree)
    if len(items) == 1:
        kind, value = items[0]
        if kind is c.IN:
            return _members(value)
        if kind is c.SUBPATTERN:
            return _texts(value[3])
        if kind is c.BRANCH:
            return [text for branch in value[1] for text in _texts(branch)]
        if kind is c.ANY:
            return ["a", " ", "-", "'", '"']
    return [_example(items)]


CATEGORIES = {
    c.CATEGORY_DIGIT: "1",
    c.CATEGORY_NOT_DIGIT: "a",
    c.CATEGORY_SPACE: " ",
    c.CATEGORY_NOT_SPACE: "a",
    c.CATEGORY_WORD: "a",
    c.CATEGORY_NOT_WORD: "-",
}
CANDIDATES = "a -\n'\"(<{[.,:;/\\1A_\t*#=>|`é字\x00"


def _members(members: Any) -> list[str]:
    """Return one character of each part of a class; of a negated class the first candidates that it holds."""
    if members and members[0][0] is c.NEGATE:
        kept = [sign for sign in CANDIDATES if not any(_holds(part, sign) for part in members[1:])]
        return kept[:4] or ["\x07"]
    found: list[str] = []
    for kind, value in members:
        if kind is c.LITERAL:
            found.append(chr(value))
        elif kind is c.RANGE:
            found.append(chr(value[0]))
        elif kind is c.CATEGORY:
            found += (
                ["a", "1", "_"]
                if value is c.CATEGORY_WORD
                else ([" ", "\n"] if value is c.CATEGORY_SPACE else [CATEGORIES[value]])
            )
    return list(dict.fromkeys(found)) or ["a"]


def _holds(part: Any, sign: str) -> bool:
    kind, value = part
    if kind is c.LITERAL:
        return chr(value) == sign
    if kind is c.RANGE:
        return bool(value[0] <= ord(sign) <= value[1])
    name = {c.CATEGORY_DIGIT: r"\d", c.CATEGORY_SPACE: r"\s", c.CATEGORY_WORD: r"\w"}
    wanted = {**name, c.CATEGORY_NOT_DIGIT: r"\D", c.CATEGORY_NOT_SPACE: r"\S", c.CATEGORY_NOT_WORD: r"\W"}
    return kind is c.CATEGORY and re.match(wanted[value], sign) is not None


def _example(tree: Any) -> str:
    """Return a short text that a sequence matches, look-arounds and back references aside."""
    return "".join(_one(kind, value) for kind, value in tree)


def _one(kind: Any, value: Any) -> str:
    if kind is c.LITERAL:
        return chr(value)
    if kind is c.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    if kind is c.ANY:
        return "a"
    if kind is c.IN:
        return _members(value)[0]
    if kind is c.BRANCH:
        return _example(value[1][0])
    if kind is c.SUBPATTERN:
        return _example(value[3])
    if kind is c.ATOMIC_GROUP:
        return _example(value)
    if kind in REPEAT_KINDS:
        low, high, body = value
        return _example(body) * max(low, 1 if low == 0 and high != 1 else low)
    return ""


GROWTH = 2.5  # linear is 2; noise and caches that are left add up to a quarter
ENOUGH = 1.3 * GROWTH  # far from linear: other families of the scanner are not tried
SUSPECT = 2.15  # what is above is measured again
LEAST_S = 0.000_75  # a case that is below this at 8 KB takes less than 1 s for 256 KB, even if it is quadratic
LIMIT_S = 4.0
DOUBLINGS, REPEATS = 3, 5
MOST_FRAGMENTS = 60  # of the patterns behind one scanner; the patterns themselves are tried with all
SMALL = 2_000  # the screening compares this many characters with 16,000; with 8,000 where a text is parsed
SLOW_PARSE_S = 0.025  # a parser that takes longer for the small text is tried with twice as many characters only

# Patterns in tables, by module and beginning: how they are used, and how many characters they can be given.
KNOWN: tuple[tuple[str, str, str, int], ...] = (
    ("recollect.capture.error_fingerprint", "", "match", 600),  # lines are cut to 300 characters
    ("recollect.code.index.endpoints", "[\\w.]", "match", 0),
    ("recollect.code.index.endpoints", "RequestMapping", "match", 0),
    ("recollect.code.index.endpoints", "(?P<method>", "match", 0),
    ("recollect.code.diff.work_tree", "b'", "finditer", 4_096),  # entries of git, each with one path
    ("recollect.code.index.extract", "\\b(?:(?:export", "search", 60),  # looked for right before a definition
    ("recollect.code.anchors.mention", "\\s*(?P<chain>", "fullmatch", 200),  # between backticks
    ("recollect.code.index.ignore_rules", "", "match", 255),  # one name of a path
    ("recollect.code.index.definitions", "(?<![\\w.])([", "search", 200),  # OWNER_CHARACTERS
    ("recollect.code.manifests.families", "", "search", 255),  # the name of a file
    ("recollect.code.index.definitions", "(?<=\\w)<", "search", 200),  # NAME_CHARACTERS
    ("recollect.code.index.symbol_properties", "", "search", 255),  # names of files and symbols
    ("recollect.history.commit_message", "(?:bump", "match", 0),
    ("recollect.history.commit_message", "(?:fix", "match", 0),
    ("recollect.history.commit_message", "(?:re-?)?(?:fix", "match", 0),
    ("recollect.history.commit_message", ".{0,40}", "match", 0),
    ("recollect.history.commit_message", "merge (?:branch", "match", 0),
    ("recollect.text.document_headings", "\\s*+(```", "match", 0),
    ("recollect.history.changelogs", "(?:^|", "search", 4_096),  # the path of a file
    ("recollect.history.changelogs", "(?:^|[/_", "search", 4_096),
    ("recollect.surface.assistants.jsonc", "(?:[ ", "match", 0),
    ("recollect.code.index.references", "(.*)", "fullmatch", 0),
    ("recollect.code.index.references", "[\\w.:]+$", "search", 200),  # BACKWARDS_CHARACTERS
    ("recollect.code.links.line_types", "(?:^|[", "search", 200),
    ("recollect.code.links.signature_types", "(.*?)[", "fullmatch", 400),  # a parameter of a signature
)

METHODS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})


class Measured(NamedTuple):
    """The worst case of a scanner: its growth per doubling, its times, and the text as it is repeated."""

    growth: float
    sizes: list[int]
    ms: list[float]
    family: str


class _Over(Exception):
    """The limit is reached."""


def seconds(scan: Callable[[str], object], text: str, repeats: int = 1, limit: float = LIMIT_S) -> float:
    """Return the least CPU time of some runs, tree-sitter's aside; infinite over the limit.

    The clock is the thread's: that of the process ticks in steps of 4 ms while a timer of the process is set.
    """
    best = float("inf")
    for _ in range(repeats):
        PARSING.clear()
        before = time.thread_time()
        try:
            signal.setitimer(signal.ITIMER_PROF, limit)
            scan(text)
        except _Over:
            return float("inf")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        best = min(best, time.thread_time() - before - sum(spent for spent, _ in PARSING))
    return best


# What tree-sitter took in one run: the time spent, and the time that parsing took when the tree was not kept yet. Some
# grammars are quadratic on text that is no code; `page.parse` stops them after PARSE_SECONDS, with a note.
PARSING: list[tuple[float, float]] = []


def set_parsing_aside() -> None:
    """Measure the readers of code apart from tree-sitter's parser: its time neither counts nor meets the limit.

    Trees are kept for the next runs: parsing takes most of this benchmark's time, and freeing a tree is the parser's
    time, too.
    """
    from recollect.code.index import page

    parse, is_safe = page._parse, page._is_safe

    @lru_cache(maxsize=8)
    def kept(source: bytes, language: Any) -> tuple[Any, list[str], float]:
        before = time.thread_time()
        notes: list[str] = []
        return parse(source, language, notes), notes, time.thread_time() - before

    def timed(source: bytes, language: Any, notes: list[str]) -> Any:
        before = time.thread_time()
        left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
        tree, said, took = kept(source, language)
        notes += said
        signal.setitimer(signal.ITIMER_PROF, left)
        PARSING.append((time.thread_time() - before, took))
        return tree

    def asked(name: str, source: bytes) -> bool:
        before = time.thread_time()
        answer = is_safe(name, source)
        PARSING.append((time.thread_time() - before, 0.0))
        return answer

    page._parse, page._is_safe = timed, asked


def _over(*_: object) -> None:
    raise _Over


def growth(scan: Callable[[str], object], family: Family) -> Measured:
    """Return how the time of a scanner grows over one family of texts, per doubling."""
    once = seconds(scan, family.text(SMALL))
    doublings = DOUBLINGS if not PARSING else 1 if sum(took for _, took in PARSING) > SLOW_PARSE_S else 2
    sizes = [SMALL, SMALL << doublings]
    times = [once, seconds(scan, family.text(sizes[1]))]
    ratio = _per_doubling(times, doublings)
    if ratio > SUSPECT:  # other work on the machine is in these numbers: the least of several
        times = [seconds(scan, family.text(size), REPEATS) for size in sizes]
        ratio = _per_doubling(times, doublings)
    if ratio <= SUSPECT:
        return Measured(round(ratio, 2), sizes, _milliseconds(times), repr(tuple(family)))
    sizes, times = sizes[1:], times[1:]
    while len(times) <= DOUBLINGS and times[-1] < LIMIT_S / 4 and ratio > SUSPECT:
        sizes.append(2 * sizes[-1])
        times.append(seconds(scan, family.text(sizes[-1]), REPEATS))
        ratio = times[-1] / times[-2]
    # The least of the last two doublings: a cache that overflows is a step, not growth.
    ratio = min((large / small for small, large in pairwise(times[-3:])), default=float("inf"))
    return Measured(round(ratio, 2), sizes, _milliseconds(times), repr(tuple(family)))


def _per_doubling(times: list[float], doublings: int) -> float:
    small, large = times
    if large < LEAST_S:
        return 0.0
    return float("inf") if large == float("inf") else float((large / small) ** (1 / doublings))


def _milliseconds(times: list[float]) -> list[float]:
    return [round(1e3 * each, 1) for each in times]


def worst(scan: Callable[[str], object], chosen: Iterable[Family]) -> Measured:
    """Return the case that grows most; the first that is far from linear ends the search."""
    found = Measured(0.0, [], [], "")
    for family in chosen:
        found = max(found, growth(scan, family), key=lambda row: row.growth)
        if found.growth > ENOUGH:
            break
    return found


# --- patterns ---


class Compiled:
    """Every pattern that the source compiles while this is in place, by module."""

    def __init__(self) -> None:
        self.found: dict[tuple[str, Any, int], re.Pattern[Any]] = {}
        self._compile = re._compile  # type: ignore[attr-defined]

    def __enter__(self) -> Compiled:
        re._compile = self._spy  # type: ignore[attr-defined]
        return self

    def __exit__(self, *_: object) -> None:
        re._compile = self._compile  # type: ignore[attr-defined]

    def _spy(self, pattern: Any, flags: Any) -> re.Pattern[Any]:
        made: re.Pattern[Any] = self._compile(pattern, flags)
        frame: Any = sys._getframe(1)
        while frame is not None and frame.f_globals.get("__name__") in ("re", __name__):
            frame = frame.f_back
        module = frame.f_globals.get("__name__", "") if frame is not None else ""
        if module.split(".")[0] in ("recollect", "memory_lib"):
            self.found.setdefault((module, made.pattern, made.flags), made)
        return made


def load() -> None:
    """Import every module of the source, with its lazy patterns compiled at once, but for those of redaction."""
    from recollect.text import lazy_patterns

    late = lazy_patterns.compiled
    lazy_patterns.compiled = lambda source, flags=0: (
        re.compile(source, flags) if isinstance(source, str) else late(source, flags)
    )
    for package in ("recollect", "memory_lib"):
        for row in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}."):
            if not row.name.endswith("__main__"):
                importlib.import_module(row.name)


def uses(folder: Path) -> dict[tuple[str, str], set[str]]:
    """Return by module and name of a pattern how the source uses it; patterns written in place by themselves."""
    found: dict[tuple[str, str], set[str]] = {}
    for path in sorted(folder.rglob("*.py")):
        module = ".".join(path.relative_to(folder).with_suffix("").parts)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            owner, method = node.func.value, node.func.attr
            if method not in METHODS or not isinstance(owner, ast.Name):
                continue
            first = node.args[0] if node.args else None
            if owner.id != "re":
                found.setdefault((module, owner.id), set()).add(method)
            elif isinstance(first, ast.Constant):
                found.setdefault((module, repr(first.value)), set()).add(method)
    return found


def runner(pattern: re.Pattern[Any], methods: set[str], limit: int = 0) -> Callable[[str], object]:
    """Return what the source does with a pattern; limit: in parts of so many characters."""

    def run(text: str) -> None:
        step = limit or len(text)
        for start in range(0, len(text), step):
            part = text[start : start + step]
            once(part.encode() if isinstance(pattern.pattern, bytes) else part)

    def once(given: Any) -> None:
        for method in sorted(methods):
            if method in ("match", "fullmatch", "search"):
                getattr(pattern, method)(given)
            else:
                for _ in pattern.finditer(given):
                    pass

    return run


def patterns(found: Compiled, used: dict[tuple[str, str], set[str]], only: list[str]) -> Iterator[tuple[str, Measured]]:
    """Yield the worst case of each pattern."""
    for (module, text, flags), pattern in sorted(found.found.items(), key=lambda row: (row[0][0], str(row[0][1]))):
        if only and not any(word in module for word in only):
            continue
        names = [name for name, value in vars(sys.modules[module]).items() if value is pattern]
        methods = set().union(*(used.get((module, name), set()) for name in (repr(text), *names))) or {"finditer"}
        limit = 0
        for known, begins, method, limit_ in KNOWN:
            if module == known and str(text).startswith(begins):
                methods, limit = {method}, limit_
        own = families(text, flags)
        fixed = [Family("", fragment, end) for fragment in FIXED for end in ("", "\x00")]
        yield f"{module} {text!r:.200}", worst(runner(pattern, methods, limit), [*own, *fixed])


# --- scanners ---


def scanners(found: Compiled, only: list[str], *, with_redaction: bool = True) -> Iterator[tuple[str, Measured]]:
    """Yield the worst case of each scanner: the fixed families, and those of its modules' patterns."""
    import pump_scanners as table

    chosen = [
        row
        for row in table.scanners()
        if (not only or any(word in row.name for word in only))
        and (with_redaction or "recollect.text.redaction.redact" not in row.modules)
    ]
    for _, group in groupby(chosen, key=lambda row: row.parsed_as or row.name):
        rows = list(group)
        own = {row.name: _families(row, found) for row in rows}
        worst_of = {row.name: Measured(0.0, [], [], "") for row in rows}
        # Family by family, so that all scanners of a language are tried with the tree that is parsed once.
        for family in dict.fromkeys(chain.from_iterable(own.values())):
            for row in rows:
                if family in own[row.name] and worst_of[row.name].growth <= ENOUGH:
                    one = growth(row.scan_safely, family)
                    worst_of[row.name] = max(worst_of[row.name], one, key=lambda each: each.growth)
        yield from worst_of.items()


def _families(row: Any, found: Compiled) -> dict[Family, None]:
    fragments: dict[str, None] = {}
    for module, text, flags in found.found:
        if module in row.modules:
            fragments.update(dict.fromkeys(family.fragment for family in families(text, flags)))
    fragments = dict.fromkeys(list(fragments)[:: len(fragments) // MOST_FRAGMENTS + 1])
    chosen = [Family(row.start, fragment, row.end) for fragment in {**dict.fromkeys(FIXED), **fragments}]
    chosen += [Family(row.start, fragment, f"\x00{row.end}") for fragment in fragments]
    chosen += [Family(row.start, fragment, row.end, numbered=True) for fragment in NUMBERED]
    return dict.fromkeys(chosen)


def without_redaction() -> None:
    """Take redaction out of the modules that call it, to measure what is around it."""
    from recollect.text.redaction import redact

    same = {"masked": lambda source: source, "redact": lambda text: redact.Redacted(text, ())}
    for module in [module for name, module in sys.modules.items() if name.startswith("recollect.")]:
        for name, function in same.items():
            if getattr(module, name, None) is getattr(redact, name, 0) and module is not redact:
                setattr(module, name, function)


def main() -> int:
    """Measure and print; the exit code says whether everything is linear."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="*", default=[], help="scanners or modules whose name holds one of these words")
    parser.add_argument("--patterns", action="store_true", help="patterns alone")
    parser.add_argument("--scanners", action="store_true", help="scanners alone")
    parser.add_argument("--without-redaction", action="store_true", help="leave redaction out of every scanner")
    parser.add_argument("--save", action="store_true", help="keep the result under bench/results")
    given = parser.parse_args()
    gc.disable()  # it runs when it likes; nothing here makes cycles that matter
    signal.signal(signal.SIGPROF, _over)
    set_parsing_aside()
    rows: dict[str, dict[str, Any]] = {"scanners": {}, "patterns": {}}
    with Compiled() as found:
        load()
        import pump_scanners as table

        for row in table.scanners():  # patterns that are compiled when they are first used
            row.scan_safely("a = 1\n")
        if given.without_redaction:
            without_redaction()
    kinds = (
        []
        if given.patterns
        else [("scanners", scanners(found, given.only, with_redaction=not given.without_redaction))]
    )
    if not given.scanners:
        kinds.append(("patterns", patterns(found, uses(measure.ROOT / "src"), given.only)))
    for kind, results in kinds:
        for name, result in results:
            rows[kind][name] = result._asdict()
            mark = "" if result.growth <= GROWTH else f" NOT LINEAR {result}"
            print(f"{kind} {name}: {result.growth}{mark}", file=sys.stderr, flush=True)
    most = max((row["growth"] for table_ in rows.values() for row in table_.values()), default=0.0)
    measure.publish(
        "pump",
        {"growth": most, "limit": GROWTH, "counted": {k: len(v) for k, v in rows.items()}, **rows},
        save=given.save,
    )
    return 1 if most > GROWTH else 0


if __name__ == "__main__":
    sys.exit(main())
