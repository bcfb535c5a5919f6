"""Recurring searches, files, errors and tools of a project, and chains of its decisions."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.errors import InvalidInput
from recollect.model import (
    PATTERN_TYPES,
    DecisionChain,
    Limit,
    Observed,
    Pattern,
    PatternInsights,
    PatternReport,
    PatternType,
    Ratio,
)
from recollect.operations import operation
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.retrieval.memory_search import MemorySearch
    from recollect.engine.sessions.capture import Capture

# A season: events are kept as long.
WINDOW_S = 120 * 86_400
# Below an even chance it is no pattern.
LEAST_CONFIDENCE = 0.5
# A subject is a name or a question, not a page.
SUBJECT_CHARACTERS = 500


class Patterns:
    """Finds patterns in captured events."""

    def __init__(self, context: "Context", *, capture: "Capture", search: "MemorySearch") -> None:
        self._context = context
        self._capture = capture
        self._search = search

    @operation("detect_patterns", "patterns", read_only=True, listed=("project", "limit"))
    def detect(
        self,
        *,
        pattern_types: tuple[PatternType, ...] = (),
        namespace: str | None = None,
        since: int | str | None = None,
        min_confidence: Ratio = LEAST_CONFIDENCE,
        limit: Limit = 50,
    ) -> PatternReport:
        """Detect patterns: repeated searches, files, errors, tools. Returns evidence with each pattern.

        It reads hook events and imported sessions, per project. A search counts after three sessions, a file if it is
        used far more often than others, a tool if it is nearly always chosen, an error if it returns within a session
        or after a fix, decisions if they replaced each other or concern the same file.

        pattern_types: only these types
        since: date, age like 2w, or yesterday; default: four months
        limit: maximum number of results, most certain first
        """
        wanted = _wanted(pattern_types)
        scope = namespace_of(namespace)
        least = input_checks.ratio("min_confidence", min_confidence)
        most = input_checks.whole("limit", limit, least=1, most=1000)
        given = input_checks.moment("since", since)
        start = clock.now() - WINDOW_S if given is None else given
        self._capture.catch_up()
        found, rows = self._found(wanted, scope, start)
        sure = [pattern for pattern in found if pattern.confidence >= least]
        sure.sort(key=lambda row: (-row.confidence, -row.count, row.pattern_type, row.subject))
        left = len(sure) - most
        return PatternReport(
            patterns=tuple(sure[:most]),
            observations=len(rows),
            session_count=len({row.session_id for row in rows if row.session_id}),
            since=start,
            notes=(f"{plural(left, 'more pattern')} not shown: raise limit to see them",) if left > 0 else (),
        )

    @operation("pattern_insights", "insights", read_only=True, listed=("project",))
    def insights(
        self,
        *,
        namespace: str | None = None,
        since: int | str | None = None,
        min_confidence: Ratio = LEAST_CONFIDENCE,
    ) -> PatternInsights:
        """Report insights from detected patterns as Markdown.

        It covers returning errors, repeated searches, often used files and tools.

        since: date, age like 2w, or yesterday; default: four months
        """
        from recollect.patterns.usage_patterns import insights

        report = self.detect(namespace=namespace, since=since, min_confidence=min_confidence, limit=1000)
        return PatternInsights(markdown=insights(report.patterns), patterns=len(report.patterns), notes=report.notes)

    @operation("get_decision_chain", "decisions", read_only=True, listed=("project",))
    def decision_chain(self, subject: str, *, namespace: str | None = None, limit: Limit = 50) -> DecisionChain:
        """Show the decision chain of a file, symbol or topic. Returns decisions in order and what superseded each.

        subject: file, symbol (Cart.total) or topic
        limit: maximum number of decisions, the latest
        """
        from recollect.engine.sessions.decision_history import SEEN, about, chain

        asked = input_checks.text("subject", subject).strip()
        if len(asked) > SUBJECT_CHARACTERS:
            hint = "Give a file, a symbol, or a topic of a few words."
            raise InvalidInput(
                f"subject is too long: the limit is {SUBJECT_CHARACTERS} characters", hint=hint, field="subject"
            )
        most = input_checks.whole("limit", limit, least=1, most=1000)
        scope = namespace_of(namespace)
        self._capture.catch_up()
        store = self._context.store
        links = chain(store, about(store, self._search, asked, scope))
        notes: tuple[str, ...] = ()
        if not links:
            links = chain(store, about(store, self._search, asked, scope, SEEN))
            notes = ("no stored decision about it; these are changes that were captured",) if links else ()
        return DecisionChain(subject=asked, decisions=tuple(links[-most:]), total=len(links), notes=notes)

    def _found(self, wanted: Sequence[str], namespace: str | None, start: int) -> tuple[list[Pattern], list[Observed]]:
        from recollect.engine.sessions.observed_events import observed

        rows = observed(self._context.store, namespace, start, "tool")
        found: list[Pattern] = []
        # Patterns of one project say nothing about another.
        by_project: dict[str | None, list[Observed]] = defaultdict(list)
        for row in rows:
            by_project[row.namespace].append(row)
        for seen in by_project.values():
            for kind, find in _finders().items():
                if kind in wanted:
                    found += find(seen)
        if "decision_chain" in wanted:
            found += self._chains(namespace, start)
        return found, rows

    def _chains(self, namespace: str | None, start: int) -> list[Pattern]:
        from recollect.engine.sessions.decision_history import anchored_paths, decisions, replacements
        from recollect.patterns.decision_chains import decision_chains

        store = self._context.store
        rows = decisions(store, namespace)
        paths, pairs = anchored_paths(store, rows), replacements(store, rows)
        found: list[Pattern] = []
        for scope in dict.fromkeys(row.namespace for row in rows):
            own = [row for row in rows if row.namespace == scope]
            found += decision_chains(own, paths, pairs)
        return [pattern for pattern in found if pattern.last_at >= start]


def _finders() -> dict[str, Callable[[Sequence[Observed]], list[Pattern]]]:
    """Return, by kind, the function that finds patterns in the events of one project."""
    from recollect.patterns.usage_patterns import error_loops, file_hotspots, repeated_searches, tool_preferences

    return {
        "repeated_search": repeated_searches,
        "file_hotspot": file_hotspots,
        "tool_preference": tool_preferences,
        "error_loop": error_loops,
    }


def _wanted(kinds: Sequence[str]) -> tuple[str, ...]:
    named = input_checks.several("pattern_types", kinds)
    for kind in named:
        input_checks.one_of("pattern_types", kind, PATTERN_TYPES)
    return tuple(kind for kind in PATTERN_TYPES if not named or kind in named)
