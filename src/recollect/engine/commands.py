"""Commands: which invocations worked in a project, and which lesson it should write down for everybody."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect import clock
from recollect.engine import accept
from recollect.engine.identity import namespace_of
from recollect.model import CommandKind, CommandPage, KnownCommand, Limit, Proposal
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.root import Engine


class Commands:
    """What works."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation("list_commands", "commands", read_only=True)
    def list(self, *, kind: CommandKind | None = None, namespace: str | None = None, limit: Limit = 20) -> CommandPage:
        """List the commands that worked: build, test, run and others, with flags and folder, the most reliable first.

        Ranked by the share of runs that worked and by how recent they are. With each come the variants of it that
        failed where it worked, so that nobody tries them again.

        kind: only of this kind: test, build, run, lint, format, install, migrate, deploy, git, other
        namespace: only of this project, as a path or a name; none: of all
        limit: how many at most
        """
        most = accept.whole("limit", limit, least=1, most=1000)
        if kind is not None:
            from recollect.patterns.kind import COMMAND_KINDS

            accept.one_of("kind", kind, COMMAND_KINDS)
        self._engine.capture.catch_up()
        found = [row for row in self.known(namespace_of(namespace)) if kind is None or row.kind == kind]
        return CommandPage(commands=tuple(found[:most]), total=len(found))

    @operation("distil", "distil", positional=("path",))
    def distil(
        self,
        path: str = ".",
        *,
        file: str | None = None,
        apply: str | None = None,
        limit: Limit = 12,
    ) -> Proposal:
        """Propose what recurs as lines for AGENTS.md or CLAUDE.md, as a diff: preferences, corrections, commands.

        Nothing is written until the id of a proposal that was shown is given back with `apply`; if the file or what
        is known has changed since, that is refused. Lines are added to a section of their own, and what the file says
        already is not proposed again.

        path: a folder of the project; none: the current one
        file: the file to add to, within the project; none: AGENTS.md, or CLAUDE.md where only that is there
        apply: the id of the proposal to write
        limit: how many lessons at most
        """
        from recollect.engine.distilling import distil

        most = accept.whole("limit", limit, least=1, most=1000)
        wanted = None if apply is None else accept.text("apply", apply).strip()
        self._engine.capture.catch_up()
        return distil(self._engine, accept.text("path", path), file, wanted, most)

    def known(self, namespace: str | None) -> Sequence[KnownCommand]:
        """Return every command that worked, of a project or of all, the best first."""
        from recollect.engine.events import edits, observed, runs
        from recollect.patterns.command import known_commands

        rows = observed(self._engine.store, namespace, None, "tool")
        return known_commands(runs(self._engine.store, rows, namespace), edits(rows), clock.now())
