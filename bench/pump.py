"""Scanners of outside text: how much longer each takes when its input is twice as long.

    python bench/pump.py [--only WORD …] [--patterns | --scanners] [--without-redaction] [--save]

A generator repeats fragments: a fixed list, and what the patterns of a scanner's modules match (`pump_fragments.py`).
Measured are the scanners (`pump_scanners.py`) and, one by one, all patterns that were compiled while they were loaded
and run. The size grows until a case takes some milliseconds; then n is compared with 2n in CPU time. Linear is 2,
quadratic 4; a case over the limit counts as endless.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import gc
import importlib
import pkgutil
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import measure
from pump_fragments import FIXED, NUMBERED, Family, families

GROWTH = 2.5  # linear is 2; noise and caches that are left add up to a quarter
SUSPECT = 2.2  # what is above is measured again
LEAST_S = 0.003  # below this the clock says nothing
LIMIT_S = 4.0
DOUBLINGS, REPEATS = 3, 5
MOST_FRAGMENTS = 60  # of the patterns behind one scanner; the patterns themselves are tried with all
SIZES = (4_000, 16_000)  # the first size, and the one that a fast scanner is tried with
PATTERN_SIZES = (6_000, 6_000)  # a pattern that is quadratic takes 50 ms here

# Patterns in tables, by module and beginning: how they are used, and how many characters they can be given.
KNOWN: tuple[tuple[str, str, str, int], ...] = (
    ("capture.fingerprint", "", "match", 600),  # lines are cut to 300 characters
    ("code.endpoints", "[\\w.]", "match", 0),
    ("code.endpoints", "RequestMapping", "match", 0),
    ("code.endpoints", "(?P<method>", "match", 0),
    ("code.diff.work_tree", "b'", "finditer", 4_096),  # entries of git, each with one path
    ("code.extract", "\\b(?:(?:export", "search", 60),  # looked for right before a definition
    ("code.freshness.mention", "\\s*(?P<chain>", "fullmatch", 200),  # between backticks
    ("code.ignore", "", "match", 255),  # one name of a path
    ("code.gather", "(?<![\\w.])([", "search", 200),  # OWNER_CHARACTERS
    ("code.manifests.families", "", "search", 255),  # the name of a file
    ("code.nest", "(?<=\\w)<", "search", 200),  # NAME_CHARACTERS
    ("code.testing", "", "search", 255),  # names of files and symbols
    ("history.message", "(?:bump", "match", 0),
    ("history.message", "(?:fix", "match", 0),
    ("surface.assistants.jsonc", "(?:[ ", "match", 0),
    ("code.references", "(.*)", "fullmatch", 0),
    ("code.references", "[\\w.:]+$", "search", 200),  # BACKWARDS_CHARACTERS
    ("code.resolve.plain", "(?:^|[", "search", 200),
    ("code.resolve.plain", "(.*?)[", "fullmatch", 400),  # a parameter of a signature
)

METHODS = frozenset({"match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"})


class Measured(NamedTuple):
    """The worst case of a scanner: its growth per doubling, its times in milliseconds from
    `size` on, and the text as it is repeated."""

    growth: float
    size: int
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
            if sum(PARSING) < limit / 2:
                return float("inf")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        best = min(best, time.thread_time() - before - sum(PARSING))
    return best


# What tree-sitter took in one run. Some grammars are quadratic on text that is no code; `page.parse` stops them after
# PARSE_SECONDS, with a note. What is around them is measured here.
PARSING: list[float] = []


def set_parsing_aside() -> None:
    """Measure the time of tree-sitter's parser apart from that of the readers."""
    from recollect.code import page

    parse = page._parse

    def timed(*given: Any) -> Any:
        before = time.thread_time()
        try:
            return parse(*given)
        finally:
            PARSING.append(time.thread_time() - before)

    page._parse = timed


def _over(*_: object) -> None:
    raise _Over


def growth(scan: Callable[[str], object], family: Family, sizes: tuple[int, int] = SIZES) -> Measured:
    """Return how the time of a scanner grows over one family of texts, per doubling."""
    size = sizes[0]
    if (once := seconds(scan, family.text(size))) < LEAST_S and size < sizes[1]:
        size = sizes[1]
        once = seconds(scan, family.text(size))
    twice = seconds(scan, family.text(2 * size)) if LEAST_S <= once < float("inf") else once
    if twice <= SUSPECT * once < float("inf"):
        return _measured(twice / once if once >= LEAST_S else 0.0, [once, twice], size, family)
    times = [once]  # other work on the machine is in these numbers: the least of several, over three doublings
    while len(times) <= DOUBLINGS and times[-1] < LIMIT_S / 4:
        times[-1] = seconds(scan, family.text(size << len(times) - 1), REPEATS)
        times.append(seconds(scan, family.text(size << len(times)), REPEATS))
    # The least of the last two doublings: a cache that overflows is a step, not growth.
    ratio = min((large / small for small, large in pairwise(times[-3:])), default=float("inf"))
    return _measured(ratio, times, size, family)


def _measured(ratio: float, times: list[float], size: int, family: Family) -> Measured:
    return Measured(round(ratio, 2), size, [round(1e3 * each, 1) for each in times], repr(tuple(family)))


def worst(scan: Callable[[str], object], chosen: Iterable[Family], sizes: tuple[int, int] = SIZES) -> Measured:
    """Return the case that grows most; the first that is far from linear ends the search."""
    found = Measured(0.0, 0, [], "")
    for family in chosen:
        one = growth(scan, family, sizes)
        if one.growth > found.growth:
            found = one
        if found.growth > GROWTH * 1.3:
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
        while frame is not None and frame.f_globals.get("__name__") == "re":
            frame = frame.f_back
        module = frame.f_globals.get("__name__", "") if frame is not None else ""
        if module.split(".")[0] in ("recollect", "memory_lib"):
            self.found.setdefault((module, made.pattern, made.flags), made)
        return made


def load() -> None:
    """Import every module of the source."""
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
            if module == f"recollect.{known}" and str(text).startswith(begins):
                methods, limit = {method}, limit_
        own = families(text, flags)
        fixed = [Family("", fragment, end) for fragment in FIXED for end in ("", "\x00")]
        yield f"{module} {text!r:.200}", worst(runner(pattern, methods, limit), [*own, *fixed], PATTERN_SIZES)


# --- scanners ---


def scanners(found: Compiled, only: list[str], *, with_redaction: bool = True) -> Iterator[tuple[str, Measured]]:
    """Yield the worst case of each scanner: the fixed families, and those of its modules' patterns."""
    import pump_scanners as table

    for row in table.scanners():
        if only and not any(word in row.name for word in only):
            continue
        if "text.redact" in row.modules and not with_redaction:
            continue
        modules = {f"recollect.{module}" for module in row.modules}
        fragments: dict[str, None] = {}
        for module, text, flags in found.found:
            if module in modules:
                fragments.update(dict.fromkeys(family.fragment for family in families(text, flags)))
        fragments = dict.fromkeys(list(fragments)[:: len(fragments) // MOST_FRAGMENTS + 1])
        chosen = [Family(row.start, fragment, row.end) for fragment in {**dict.fromkeys(FIXED), **fragments}]
        chosen += [Family(row.start, fragment, f"\x00{row.end}") for fragment in fragments]
        chosen += [Family(row.start, fragment, row.end, numbered=True) for fragment in NUMBERED]

        def scan(text: str, row: table.Scanner = row) -> None:
            with contextlib.suppress(table.REFUSED):
                row.scan(text)

        yield row.name, worst(scan, chosen)


def without_redaction() -> None:
    """Take redaction out of the modules that call it, to measure what is around it."""
    from recollect.text import redact

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
            with contextlib.suppress(table.REFUSED):
                row.scan("a = 1\n")
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
