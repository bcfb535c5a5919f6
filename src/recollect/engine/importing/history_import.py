"""Import memories from a project's history: commits, documents, code notes, transcripts."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec

from recollect.engine.records import input_checks
from recollect.engine.records.identity import project_root
from recollect.model import (
    HISTORY_SOURCES,
    TRANSCRIPT_SOURCES,
    HistoryChoice,
    HistorySource,
    Learnt,
)
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.importing.history_ingest import Place
    from recollect.engine.importing.transcript_import import TranscriptImport, Wanted
    from recollect.engine.memory.anchor_tracking import AnchorTracking
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.records.branches import Branches
    from recollect.engine.sessions.capture import Capture

# Memories of each source: the decisions of ten years, embedded within some minutes.
MOST = 3_000

# Hook events that are ingested before transcripts are read: more than a day has.
DRAINED = 10_000
# Records listed in a note.
MOST_NAMED = 5

Most = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class HistoryImport:
    """Imports the history of a project."""

    def __init__(
        self,
        context: "Context",
        *,
        capture: "Capture",
        branches: "Branches",
        anchoring: "Anchoring",
        anchor_tracking: "AnchorTracking",
        embedding: "Embedding",
    ) -> None:
        self._context = context
        self._capture = capture
        self._branches = branches
        self._anchoring = anchoring
        self._anchor_tracking = anchor_tracking
        self._embedding = embedding

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
        from recollect.engine.importing.history_ingest import HistoryWriter
        from recollect.engine.importing.transcript_import import Wanted
        from recollect.history.history_sources import SOURCES

        wanted = self._wanted(only)
        # Transcripts are of all projects.
        place = self._place(path, force=not any(name in SOURCES for name in wanted))
        most = input_checks.whole("limit", limit, least=1, most=100_000)
        start = input_checks.moment("since", since)
        writer = HistoryWriter(self._context.store, place, dry_run=dry_run)
        readers = {name: SOURCES[name](most) for name in wanted if name in SOURCES}
        sources = [writer.learn(name, reader, start) for name, reader in readers.items()]
        notes = dict.fromkeys(note for reader in readers.values() for note in reader.notes)
        home = Path(self._context.settings.assistants_home).expanduser()
        told = self._transcripts(wanted, Wanted(home, start, most, dry_run, writer.batch), is_named=bool(only))
        sources += told.sources
        changed = writer.changed + told.changed
        if changed and not dry_run:
            self._anchor_tracking.catch_up()
            self._embedding.after_import()
        return Learnt(
            namespace=place.namespace,
            sources=tuple(sources),
            examples=(*writer.examples, *told.examples),
            batch=writer.batch if changed and not dry_run else "",
            dry_run=dry_run,
            redacted=dict(writer.redacted + told.redacted),
            notes=(*notes, *_left_out(writer.left_out), *told.notes),
        )

    def _transcripts(self, names: Sequence[HistorySource], wanted: "Wanted", *, is_named: bool) -> "TranscriptImport":
        """Read the transcripts of those assistants that are among the sources."""
        from recollect.engine.importing.transcript_import import TranscriptImport

        if not wanted.dry_run:
            # Hook events come first: transcripts do not repeat them.
            self._capture.drain(DRAINED)
        importer = TranscriptImport(self._context.store, self._capture.reader(), self._anchoring, wanted)
        for name in names:
            if name in TRANSCRIPT_SOURCES:
                importer.learn(name, is_named=is_named)
        return importer

    def _wanted(self, only: Sequence[str]) -> tuple[HistorySource, ...]:
        named = input_checks.several("only", only)
        for name in named:
            input_checks.one_of("only", name, (*HISTORY_SOURCES, "transcripts"))
        also = TRANSCRIPT_SOURCES if "transcripts" in named else ()
        return tuple(name for name in HISTORY_SOURCES if not named or name in named or name in also)

    def _place(self, path: str, *, force: bool) -> "Place":
        from recollect.code.index.project_root import place
        from recollect.engine.importing.history_ingest import Place

        root = place(input_checks.text("path", path), force=force).root
        branch, own = self._branches.own(str(root))
        return Place(project_root(root), root, branch, own)


def _left_out(names: Sequence[str]) -> Iterator[str]:
    """Yield a note on records that took too long to read."""
    if names:
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        yield f"skipped, took too long to read: {', '.join(names[:MOST_NAMED])}{more}"
