"""Commands that worked in a project, and lessons for its instructions file."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.model import CommandKind, CommandPage, KnownCommand, Limit, Memory, Observed, Proposal
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.sessions.capture import Capture
    from recollect.patterns.known_commands import Replacement

# Observations read when a command fails, the latest: some busy weeks, in a tenth of a second.
RECENT = 3_000
RECENT_FAILURES = 300


class Commands:
    """Finds commands that worked."""

    def __init__(self, context: "Context", *, capture: "Capture") -> None:
        self._context = context
        self._capture = capture

    @operation("list_commands", "commands", read_only=True, listed=("kind", "project"))
    def list(self, *, kind: CommandKind | None = None, namespace: str | None = None, limit: Limit = 20) -> CommandPage:
        """List commands that worked here, most reliable first. Call it before you build, test or run a project.

        Commands rank by their share of successful runs and by age. Each has the variants that failed.

        kind: such as test, build, run or lint
        """
        most = input_checks.whole("limit", limit, least=1, most=1000)
        if kind is not None:
            from recollect.capture.invocation import COMMAND_KINDS

            input_checks.one_of("kind", kind, COMMAND_KINDS)
        self._capture.catch_up()
        found = [row for row in self.known(namespace_of(namespace)) if kind is None or row.kind == kind]
        return CommandPage(commands=tuple(found[:most]), total=len(found))

    @operation("distil", "distil", positional=("path",), listed=("path", "apply"))
    def distil(
        self,
        path: str = ".",
        *,
        file: str | None = None,
        apply: str | None = None,
        limit: Limit = 12,
    ) -> Proposal:
        """Distil lessons into lines for AGENTS.md or CLAUDE.md. They come from recurring preferences, corrections and
        commands. Returns a diff; apply writes it.

        Nothing is written until you pass the id of a proposal as apply. It is refused if the file or the memories
        changed meanwhile. Lines go to a section of their own; known lines are not proposed again.

        path: folder of the project
        file: file to add to; default: AGENTS.md or CLAUDE.md
        apply: id of the proposal to write
        limit: maximum number of lines
        """
        from recollect.engine.sessions.instruction_proposals import distil

        most = input_checks.whole("limit", limit, least=1, most=1000)
        wanted = None if apply is None else input_checks.text("apply", apply).strip()
        self._capture.catch_up()
        return distil(self._context, self.known, input_checks.text("path", path), file, wanted, most)

    def replacement(self, row: Observed, memory: Memory | None) -> "Replacement | None":
        """Return the command that works here instead of one that just failed; None if none is known.

        row, memory: the failure, which need not be stored yet
        """
        from recollect.capture.invocation import bare, is_wrapped, kind
        from recollect.capture.outcome import is_no_program
        from recollect.engine.sessions.observed_events import edits, observed, remembered_runs, run_of
        from recollect.patterns.known_commands import replacement

        if row.tool != "shell" or row.namespace is None:
            return None
        store, about = self._context.store, {"namespace": row.namespace, "tool": "shell", "outcome": "failed"}
        failed = store.find(Observed, about, order="-at", limit=RECENT_FAILURES)
        is_missing, error = is_no_program(row.told), row.fingerprint
        same = [each for each in failed if each.fingerprint == error or (is_missing and is_no_program(each.told))]
        if not same:
            return None
        rows = observed(store, row.namespace, None, "tool", RECENT)
        wanted, tool, sessions = kind(row.target), bare(row.target)[:1], {each.session_id for each in same}
        alike = [
            each
            for each in rows
            if each.session_id in sessions
            or (each.tool == "shell" and (kind(each.target) == wanted or bare(each.target)[:1] == tool))
            or is_wrapped(each.target, row.target)
        ]
        return replacement(run_of(row, memory), remembered_runs(store, alike), edits(rows))

    def known(self, namespace: str | None) -> Sequence[KnownCommand]:
        """Return the commands that worked in a project, or in all, best first."""
        from recollect.engine.sessions.observed_events import edits, observed, runs
        from recollect.patterns.known_commands import known_commands

        rows = observed(self._context.store, namespace, None, "tool")
        return known_commands(runs(self._context.store, rows, namespace), edits(rows), clock.now())
