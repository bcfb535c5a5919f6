"""History: what a project's past teaches, so that the first question already finds an answer."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect.engine import accept
from recollect.engine.identity import project_root
from recollect.model import (
    HISTORY_SOURCES,
    TRANSCRIPT_SOURCES,
    HistoryChoice,
    HistorySource,
    Learnt,
)
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.learning import Place
    from recollect.engine.root import Engine
    from recollect.engine.transcripts import Chronicle, Wanted

# Memories of each source: the decisions of ten years, and embedded in the background within some minutes.
MOST = 3_000

# Payloads of hooks that are taken in before transcripts are read: more than an assistant leaves in a day.
DRAINED = 10_000
# Named of what took too long to read; more is counted.
MOST_NAMED = 5

Most = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class Histories:
    """What happened before anybody remembered."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    @operation(
        "import_history", "import-history", idempotent=True, positional=("path",), listed=("path", "since", "dry_run")
    )
    def import_history(
        self,
        path: str = ".",
        *,
        only: tuple[HistoryChoice, ...] = (),
        since: int | str | None = None,
        limit: Most = MOST,
        dry_run: bool = False,
    ) -> Learnt:
        """Import decisions and lessons from a project's history.

        It reads the git log, ADRs, README, AGENTS.md, CLAUDE.md and docs, and TODO, FIXME and HACK comments. It also
        reads the transcripts of Claude Code, Codex, Gemini CLI, OpenCode and Copilot on this machine, of all projects.
        Memories keep their source and date; secrets are replaced. Importing again adds only what is new; a stopped
        import continues.

        path: folder of the project
        only: only these sources
        since: date, age like 2w, or yesterday
        limit: maximum number of memories per source
        dry_run: show what would be imported
        """
        from recollect.engine.learning import Writing
        from recollect.engine.transcripts import Wanted
        from recollect.history.history_sources import SOURCES

        wanted = self._wanted(only)
        # Transcripts are of all projects, wherever they are asked for.
        place = self._place(path, force=not any(name in SOURCES for name in wanted))
        most = accept.whole("limit", limit, least=1, most=100_000)
        start = accept.moment("since", since)
        writing = Writing(self._engine, place, dry_run=dry_run)
        readers = {name: SOURCES[name](most) for name in wanted if name in SOURCES}
        sources = [writing.learn(name, reader, start) for name, reader in readers.items()]
        notes = dict.fromkeys(note for reader in readers.values() for note in reader.notes)
        told = self._transcripts(wanted, Wanted(self._home(), start, most, dry_run, writing.batch), is_named=bool(only))
        sources += told.sources
        changed = writing.changed + told.changed
        if changed and not dry_run:
            self._engine.following.catch_up()
            self._engine.embedding.after_import()
        return Learnt(
            namespace=place.namespace,
            sources=tuple(sources),
            examples=(*writing.examples, *told.examples),
            batch=writing.batch if changed and not dry_run else "",
            dry_run=dry_run,
            redacted=dict(writing.redacted + told.redacted),
            notes=(*notes, *_left_out(writing.left_out), *told.notes),
        )

    def _transcripts(self, names: Sequence[HistorySource], wanted: "Wanted", *, is_named: bool) -> "Chronicle":
        """Read the transcripts of those assistants that are among the sources."""
        from recollect.engine.transcripts import Chronicle

        if not wanted.dry_run:
            # What hooks saw a moment ago comes first: it is not told again.
            self._engine.capture.drain(DRAINED)
        chronicle = Chronicle(self._engine, wanted)
        for name in names:
            if name in TRANSCRIPT_SOURCES:
                chronicle.learn(name, is_named=is_named)
        return chronicle

    def _home(self) -> Path:
        return Path(self._engine.settings.assistants_home).expanduser()

    def _wanted(self, only: Sequence[str]) -> tuple[HistorySource, ...]:
        named = accept.several("only", only)
        for name in named:
            accept.one_of("only", name, (*HISTORY_SOURCES, "transcripts"))
        also = TRANSCRIPT_SOURCES if "transcripts" in named else ()
        return tuple(name for name in HISTORY_SOURCES if not named or name in named or name in also)

    def _place(self, path: str, *, force: bool) -> "Place":
        from recollect.code.place import place
        from recollect.engine.learning import Place

        root = place(accept.text("path", path), force=force).root
        branch, own = self._engine.branches.own(str(root))
        return Place(project_root(root), root, branch, own)


def _left_out(names: Sequence[str]) -> Iterator[str]:
    """Yield a note on what took too long to read."""
    if names:
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        yield f"skipped, took too long to read: {', '.join(names[:MOST_NAMED])}{more}"
