"""Import memories from a project's history: commits, changelogs, documents, exported threads, transcripts.

    sources ─► Found ─► selection ─► without secrets ─► Memory, its id made of project, source and key

Ids depend on the record alone, so importing again, or continuing a stopped import, leaves the same memories. A record
that has changed since updates its memory, unless a user edited that; deleted memories stay deleted.
"""

import os
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

import msgspec

from recollect import clock, progress
from recollect.engine.records import input_checks, memory_rows
from recollect.engine.records.identity import project_root
from recollect.errors import InvalidInput
from recollect.model import (
    HISTORY_SOURCES,
    TRANSCRIPT_SOURCES,
    Edge,
    HistoryChoice,
    HistorySource,
    Learnt,
    LearntFrom,
    Memory,
)
from recollect.operations import operation
from recollect.text.display import plural

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.importing.transcript_import import TranscriptImport, Wanted
    from recollect.engine.memory.anchor_tracking import AnchorTracking
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.records.branches import Branches
    from recollect.engine.sessions.capture import Capture
    from recollect.history.history_record import Found, Source
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# Memories of a project: what a history of 5,000 commits holds that is worth keeping, embedded within two minutes.
MOST = 1_500
# A folder that holds so many repositories and is not one itself is not a project.
REPOSITORIES = 2
LOOKED_AT = 200

# Hook events that are ingested before transcripts are read: more than a day has.
DRAINED = 10_000
# Records listed in a note.
MOST_NAMED = 5

# Memories of one transaction: enough to be fast, few enough that other writers do not wait long.
BATCH = 200
# Sample titles in the answer of each source: they show what kind of memories were imported.
EXAMPLES = 3
EXAMPLE_CHARACTERS = 120
# The name space of record ids.
_SPACE = uuid.UUID("5f0c2f7e-5d5a-5b0e-9a53-2f0a6d1c7b11")

Most = Annotated[int, msgspec.Meta(ge=1, le=100_000)]


class Place(NamedTuple):
    """The source of an import: the project, and the commits of its branch that the default one lacks."""

    namespace: str
    root: Path
    branch: str | None
    own: frozenset[str]


class HistoryWriter:
    """Writes the memories that sources find, and counts the outcomes."""

    def __init__(self, store: "Store", place: Place, *, dry_run: bool) -> None:
        self._store = store
        self._place = place
        self._dry_run = dry_run
        self.batch = clock.new_id()
        self.redacted: Counter[str] = Counter()
        self.examples: list[str] = []
        self._shown: Counter[str] = Counter()
        self.changed = 0
        # Records that took too long, by source and key.
        self.left_out: list[str] = []

    def learn(self, name: HistorySource, records: "Sequence[Found]", found: int) -> LearntFrom:
        """Write the kept records of a source; returns the outcome counts."""
        fates: Counter[str] = Counter()
        for start in range(0, len(records), BATCH):
            chunk = records[start : start + BATCH]
            ready = [memory for row in chunk if (memory := self._ready(name, row)) is not None]
            fates.update(self._fates(self._store, ready) if self._dry_run else self._write(ready))
            progress.report(start + len(chunk), len(records), "storing memories")
        self.changed += fates["created"] + fates["updated"]
        rules = Counter(row.rule for row in records)
        return LearntFrom(source=name, found=found, rules=dict(rules.most_common()), **fates)

    def replace_lists(self, name: HistorySource, records: "Sequence[Found]") -> int:
        """Delete the lists of releases that a whole import no longer makes, unless edited; returns how many."""
        made = {self._id(name, row.key) for row in records}
        where = {"namespace": self._place.namespace, "source": "import", "category": "release"}
        listed = (row for row in self._store.find(Memory, where) if row.metadata.get("from") == name)
        old = [row.id for row in listed if row.id not in made and memory_rows.is_learnt(row)] if made else []
        if old and not self._dry_run:
            with self._store.transaction("import_history", batch=self.batch) as transaction:
                transaction.delete(Memory, {"id": tuple(old)})
            self.changed += len(old)
        return len(old)

    def _ready(self, source: str, found: "Found") -> Memory | None:
        """Return a record as a memory; None if that takes too long."""
        try:
            with clock.cpu_limit(clock.RECORD_CPU_S):
                return self._memory(source, found)
        except clock.CpuLimitExceeded:
            self.left_out.append(f"{source}: {found.key}")
            return None

    def _write(self, ready: Sequence[Memory]) -> list[str]:
        fates = self._fates(self._store, ready)
        if "created" not in fates and "updated" not in fates:
            return fates  # no lock for nothing
        with self._store.transaction("import_history", batch=self.batch) as transaction:
            fates = self._fates(transaction, ready)
            for memory, fate in zip(ready, fates, strict=True):
                if fate == "created":
                    self._tell(transaction.insert(memory))
                elif fate == "updated":
                    transaction.update(Memory, memory.id, memory_rows.renewed(memory))
                if fate in ("created", "updated") and memory.superseded_by is not None:
                    _link(transaction, memory)
        return fates

    def _fates(self, rows: "Store | Transaction", ready: Sequence[Memory]) -> list[str]:
        """Return the outcome of each memory: created, updated, known or refused."""
        ids = [memory.id for memory in ready]
        known = {memory.id: memory for memory in rows.get(Memory, ids)}
        refused = memory_rows.unwanted(rows, [row_id for row_id in ids if row_id not in known])
        fates: list[str] = []
        for memory in ready:
            old = known.get(memory.id)
            if old is None:
                fates.append("refused" if memory.id in refused else "created")
            else:
                differs = (old.content_hash, old.superseded_by) != (memory.content_hash, memory.superseded_by)
                fates.append("updated" if differs and memory_rows.is_learnt(old) else "known")  # an edited one stays
        return fates

    def _memory(self, source: str, found: "Found") -> Memory:
        place = self._place
        by = found.replaced_by
        is_own = found.metadata.get("sha") in place.own
        memory, kinds = memory_rows.new_memory(
            found.at,
            id=self._id(source, found.key),
            content=found.content,
            memory_type=found.memory_type,
            importance=found.importance,
            tags=found.tags,
            metadata={"from": source, "rule": found.rule, **found.metadata},
            namespace=place.namespace,
            category=found.rule,
            title=found.title,
            author=found.author,
            source="import",
            trust=memory_rows.TRUST["imported"]["import"],
            valid_from=found.at,
            valid_to=found.ended_at,
            superseded_by=self._id(source, by) if by is not None else None,
            branch=place.branch if is_own else None,
            head=found.head,
        )
        self.redacted.update(kinds)
        return msgspec.structs.replace(memory, metadata={**memory.metadata, "written": memory.content_hash})

    def _id(self, source: str, key: str) -> str:
        return str(uuid.uuid5(_SPACE, f"{self._place.namespace}\n{source}\n{key}"))

    def _tell(self, memory: Memory) -> None:
        source = memory.metadata["from"]
        if self._shown[source] < EXAMPLES and memory.importance > 0.5:
            self._shown[source] += 1
            told = memory_rows.headline(memory)
            self.examples.append(told if len(told) <= EXAMPLE_CHARACTERS else told[: EXAMPLE_CHARACTERS - 1] + "…")


class HistoryImport(msgspec.Struct, eq=False):
    """Imports the history of a project."""

    context: "Context"
    capture: "Capture"
    branches: "Branches"
    anchor_tracking: "AnchorTracking"
    embedding: "Embedding"

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
        from_json: str | None = None,
        vectors: bool = True,
        dry_run: bool = False,
    ) -> Learnt:
        """Import decisions and lessons from a project's history.

        It reads the git log, changelogs, release notes, ADRs, README, AGENTS.md, CLAUDE.md, and docs. It keeps records
        that give a reason, reject an option, explain a fix or change an interface, the best ones up to the limit. It
        also reads the transcripts of Claude Code, Codex, Gemini CLI, OpenCode and Copilot on this machine, for all
        projects. Memories keep their source and date; secrets are replaced. Importing again adds only new records; a
        stopped import continues.

        path: folder of the project
        only: only these sources
        limit: maximum number of memories, also of each assistant
        from_json: JSON file of pull requests or issues, exported with gh
        vectors: embed now; without vectors, search is keyword-only until rebuild
        dry_run: show what would be imported
        """
        from recollect.engine.importing.transcript_import import Wanted
        from recollect.history.history_sources import SOURCES

        wanted = self._wanted(only, from_json)
        # Transcripts are of all projects.
        place = self._place(path, force=not any(name in (*SOURCES, "threads") for name in wanted))
        most = input_checks.whole("limit", limit, least=1, most=100_000)
        start = input_checks.moment("since", since)
        writer = HistoryWriter(self.context.store, place, dry_run=dry_run)
        sources, notes, merged = self._project(wanted, writer, place.root, start, most, from_json)
        home = Path(self.context.settings.assistants_home).expanduser()
        told = self._transcripts(wanted, Wanted(home, start, most, dry_run, writer.batch), is_named=bool(only))
        changed = writer.changed + told.changed
        if changed and not dry_run:
            self.anchor_tracking.catch_up()
            notes += self._embedded(wanted=vectors)
        return Learnt(
            namespace=place.namespace,
            sources=(*sources, *told.sources),
            limit=most,
            merged=merged,
            examples=(*writer.examples, *told.examples),
            batch=writer.batch if changed and not dry_run else "",
            dry_run=dry_run,
            redacted=dict(writer.redacted + told.redacted),
            notes=(*notes, *_left_out(writer.left_out), *told.notes),
        )

    def _project(
        self,
        names: Sequence[HistorySource],
        writer: HistoryWriter,
        root: Path,
        since: int | None,
        most: int,
        file: str | None,
    ) -> tuple[list[LearntFrom], list[str], int]:
        """Write the best records of a project's sources; returns the outcomes, notes, and how many were merged."""
        from recollect.history.history_selection import select
        from recollect.history.history_sources import SOURCES
        from recollect.history.thread_export import Threads

        readers: dict[HistorySource, Source] = {name: SOURCES[name]() for name in names if name in SOURCES}
        if file is not None:
            readers["threads"] = Threads(file)
        found: dict[str, list[Found]] = {name: list(reader.records(root, since)) for name, reader in readers.items()}
        git = readers.get("git")
        chosen = select(found, most, git.landed if git is not None else {})
        for name, reader in readers.items():
            writer.left_out += [f"{name}: {path}" for path in reader.left_out]
        sources = [writer.learn(name, chosen.kept[name], chosen.found[name]) for name in readers]
        notes = list(dict.fromkeys(note for reader in readers.values() for note in reader.notes))
        # An import since a date, or of files that took too long, says nothing about the lists of before.
        if since is None and not writer.left_out:
            old = sum(writer.replace_lists(name, chosen.kept[name]) for name in readers)
            notes += [f"replaces {plural(old, 'list')} of an earlier import"] if old else []
        return sources, notes, chosen.merged

    def _embedded(self, *, wanted: bool) -> list[str]:
        """Embed what was imported, if that is wanted; else return a note that says what is missing."""
        if wanted:
            self.embedding.after_import()
            return []
        made, total = self.embedding.coverage()
        if made == total or not self.embedding.model_id:
            return []
        lacking = f"{total - made:,} of {plural(total, 'memory is', 'memories are')} not embedded"
        return [f"{lacking}: search finds them by words, not by meaning; `recollect admin rebuild` embeds them"]

    def _transcripts(self, names: Sequence[HistorySource], wanted: "Wanted", *, is_named: bool) -> "TranscriptImport":
        """Read the transcripts of those assistants that are among the sources."""
        from recollect.engine.importing.transcript_import import TranscriptImport

        if not wanted.dry_run:
            # Hook events come first: transcripts do not repeat them.
            self.capture.drain(DRAINED)
        importer = TranscriptImport(self.context.store, self.capture.reader(), wanted)
        for name in names:
            if name in TRANSCRIPT_SOURCES:
                importer.learn(name, is_named=is_named)
        return importer

    def _wanted(self, only: Sequence[str], file: str | None) -> tuple[HistorySource, ...]:
        named = input_checks.several("only", only)
        if "threads" in named and file is None:
            raise InvalidInput("only: threads needs a file of them", hint="Name it with --from-json FILE.")
        for name in named:
            input_checks.one_of("only", name, (*HISTORY_SOURCES, "transcripts"))
        also = TRANSCRIPT_SOURCES if "transcripts" in named else ()
        return tuple(name for name in HISTORY_SOURCES if not named or name in named or name in also)

    def _place(self, path: str, *, force: bool) -> Place:
        from recollect.code.index.project_root import place

        found = place(input_checks.text("path", path), force=force)
        root = found.root
        if not force and not found.is_git and _repositories(root) >= REPOSITORIES:
            raise InvalidInput(
                f"{root} is not a project: it is a folder of repositories",
                hint="Give the folder of one of them.",
                path=str(root),
            )
        branch, own = self.branches.own(str(root))
        return Place(project_root(root), root, branch, own)


def _repositories(folder: Path) -> int:
    """Return how many of the first folders in a folder are repositories."""
    with os.scandir(folder) as entries:
        return sum((Path(entry.path) / ".git").exists() for entry in islice(entries, LOOKED_AT))


def _left_out(names: Sequence[str]) -> Iterator[str]:
    """Yield a note on records that took too long to read."""
    if names:
        more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
        yield f"skipped, took too long to read: {', '.join(names[:MOST_NAMED])}{more}"


def _link(transaction: "Transaction", memory: Memory) -> None:
    """Link a reverted commit with the one that reverted it, once."""
    newer = transaction.get(Memory, [memory.superseded_by or ""])
    if not newer:
        return
    for row in (newer[0], memory):
        memory_rows.ensure_node(transaction, row)
    edge_id = str(uuid.uuid5(_SPACE, f"{newer[0].id} supersedes {memory.id}"))
    if not transaction.get(Edge, [edge_id]):
        src, dst = memory_rows.node_id(newer[0].id), memory_rows.node_id(memory.id)
        transaction.insert(
            Edge(id=edge_id, src=src, dst=dst, relationship="SUPERSEDES", created_at=newer[0].created_at)
        )
