"""Shared memories: Markdown files in a repository, written by `share` and read after `trust`.

    share ─► .recollect/shared/*.md ─► commit, review, merge ─► pull ─► read when the folder has changed

A changed file supersedes its memory, and a deleted file archives it; both can be undone. The ids in a file refer to
files of the same repository only, so a file cannot change other memories.
"""

import os
import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from recollect import clock
from recollect.consolidate.candidate import ARCHIVED
from recollect.engine.memory.anchor_drafts import NOTHING, Prepared, spoken_text
from recollect.engine.records import input_checks, repository_trust
from recollect.engine.records.checkout import work_tree
from recollect.engine.records.identity import project_root, repository_root
from recollect.engine.records.memory_rows import TRUST, existing, headline, new_memory, replace, unwanted
from recollect.engine.records.output_file import refuse_elsewhere, written
from recollect.engine.records.record_redaction import without_secrets
from recollect.errors import ContentTooLarge, Forbidden, InvalidInput, StorageError
from recollect.git import read
from recollect.importing.shared_file import (
    FOLDER,
    MAX_BYTES,
    Found,
    SharedMemory,
    blob_hash,
    file_name,
    fingerprint,
    listing,
    read_all,
    to_text,
)
from recollect.model import (
    SHARED,
    Anchor,
    Memory,
    MemoryType,
    RepositoryTrust,
    Shared,
    SharedEntry,
    SharedFile,
    SharedRead,
)
from recollect.operations import operation
from recollect.text.display import oneline, plural
from recollect.text.redaction.redact import redact_value, told

if TYPE_CHECKING:
    from recollect.engine.context import Context
    from recollect.engine.memory.anchoring import Anchoring
    from recollect.engine.models.embedding_queue import Embedding
    from recollect.engine.records.scope import Scope
    from recollect.store.sql import Store
    from recollect.store.transaction import Transaction

# The name space of the ids of files, by project and key.
_SPACE = uuid.UUID("8c1d0a54-6f0f-5b0a-8a3e-51c1c3a0f6d2")
# A folder that was seen and not read: its fingerprint follows.
UNREAD = "unread:"
RETIRED = "its shared file was deleted"
MAX_SHARED = 500
# Versions of a memory that are followed to the current one.
MAX_VERSIONS = 50


class Draft(NamedTuple):
    """A file to be read, the memory it becomes, and its anchors."""

    file: Found
    shared: SharedMemory
    memory: Memory
    prepared: Prepared


class SharedMemories:
    """Shares memories with a repository, and reads what it shares."""

    def __init__(self, context: "Context", *, scope: "Scope", anchoring: "Anchoring", embedding: "Embedding") -> None:
        self._context = context
        self._scope = scope
        self._anchoring = anchoring
        self._embedding = embedding

    @operation("share_memories", "share", idempotent=True, positional=("memory_ids",))
    def share(
        self, memory_ids: tuple[str, ...] = (), *, kind: tuple[MemoryType, ...] = (), namespace: str | None = None
    ) -> Shared:
        """Share memories through the repository. Each becomes a small Markdown file below .recollect/shared.

        Commit the files like code. People who pull run `recollect trust` once. Sharing again
        updates the files of memories that changed. A memory with a secret is refused.

        memory_ids: memories to share
        kind: share all memories of these types
        namespace: project path; default: this project
        """
        project, root = self._place(namespace)
        # Another work tree of the repository may have other files: only those of the main one are read.
        is_main = str(root) == project
        notes = list(self.refresh(project)) if is_main else []
        known = self._context.store.find(SharedFile, {"namespace": project})
        names = {row.memory_id: row for row in known if row.name}
        drafts = [self._shared(memory, names) for memory in self._chosen(project, memory_ids, kind, names)]
        entries = []
        for memory, shared, name in drafts:
            content = to_text(shared).encode()
            before = names[memory.id].hash if is_main and memory.id in names else None
            is_new = self._write_file(root / FOLDER / name, content, before)
            if is_new is None:
                notes.append(f"{FOLDER}/{name} was changed by others and is kept as it is")
                continue
            entries.append(
                SharedEntry(memory_id=memory.id, path=f"{FOLDER}/{name}", title=headline(memory), written=is_new)
            )
        written = {entry.memory_id for entry in entries}
        if is_main:
            with self._context.store.transaction("share_memories") as transaction:
                for memory, shared, name in (draft for draft in drafts if draft[0].id in written):
                    _keep(transaction, project, name, shared.id, blob_hash(to_text(shared).encode()), memory.id)
        if any(entry.written for entry in entries):
            notes.append("commit the files to share them")
        if not self._is_trusted(project):
            notes.append("`recollect trust` reads what others share here")
        return Shared(root=str(root), files=tuple(entries), notes=tuple(notes))

    @operation("trust_repository", "trust", idempotent=True, positional=("path",))
    def trust(self, path: str = ".") -> RepositoryTrust:
        """Trust a repository and read the memories it shares. They are read again when they change.

        The memories become part of its project, marked as shared by the repository. They are data, not instructions.
        If the origin of the repository changes, it is not trusted until you run this again.

        path: folder of the repository
        """
        root = self._repository(path, "trust")
        trust = repository_trust.add(self._context.settings.home_path, root)
        entries = listing(Path(root))
        read = self._read(root, entries, fingerprint(entries))
        return RepositoryTrust(root=root, trusted=True, commit=trust.commit, origin=trust.origin, read=read)

    @operation("untrust_repository", "untrust", idempotent=True, positional=("path",))
    def untrust(self, path: str = ".") -> RepositoryTrust:
        """Untrust a repository: stop reading its shared files. Memories that were read stay.

        path: folder of the repository
        """
        root = self._repository(path, "untrust")
        was = repository_trust.remove(self._context.settings.home_path, root)
        return RepositoryTrust(root=root, trusted=False, notes=() if was else ("it was not trusted",))

    # --- reading ---

    def refresh(self, project: str | None) -> tuple[str, ...]:
        """Read the shared files of a project if they have changed; returns notes. A busy store is no error."""
        if project is None or not os.path.isabs(project):  # noqa: PTH117 - a name is not a path
            return ()
        entries = listing(Path(project))
        try:
            seen = self._context.store.get(SharedFile, [_row_id(project)])
            mark = fingerprint(entries) if entries or seen else ""
            if not mark or (seen and seen[0].hash.removeprefix(UNREAD) == mark):
                return ()
            if self._is_trusted(project):
                return tuple(_notes(self._read(project, entries, mark)))
            with self._context.store.transaction("read_shared", patiently=False) as transaction:
                _keep(transaction, project, "", "", UNREAD + mark, "")
        except StorageError:
            return ()
        return (_offer(len(entries)),) if entries else ()

    def standing(self, project: str) -> tuple[str, ...]:
        """Return what is wrong with the shared files of a project: not trusted, or files that are skipped."""
        entries = listing(Path(project)) if project else []
        if entries and not self._is_trusted(project):
            return (_offer(len(entries)),)
        return tuple(f"{FOLDER}/{file.name} {file.problem}" for file in read_all(entries) if file.problem)

    def _is_trusted(self, root: str) -> bool:
        home = os.path.realpath(self._context.settings.home_path)
        # A home folder that is a repository would share recollect's own folder.
        is_own = home == os.path.realpath(Path(root) / ".recollect")
        return not is_own and repository_trust.is_trusted(self._context.settings.home_path, root)

    def _read(self, project: str, entries: "list[os.DirEntry[str]]", mark: str) -> SharedRead:
        """Make memories of files that are new or changed, and retire those whose file is gone."""
        files = list(read_all(entries))
        known = _rows(self._context.store, project)
        drafts, problems = [], [f"{FOLDER}/{file.name} {file.problem}" for file in files if file.problem]
        for file in files:
            if file.memory is not None and (file.memory.id not in known or known[file.memory.id].hash != file.hash):
                try:
                    drafts.append(self._draft(project, file, file.memory))
                except (InvalidInput, clock.CpuLimitExceeded) as problem:
                    problems.append(f"{FOLDER}/{file.name} {problem}")
        # A memory comes after the one that it supersedes.
        drafts.sort(key=lambda draft: (draft.shared.created, draft.file.name))
        kept = {file.memory.id for file in files if file.memory is not None}
        unclear = {file.name for file in files if file.memory is None}
        fates: Counter[str] = Counter()
        with self._context.store.transaction("read_shared") as transaction:
            known = _rows(transaction, project)
            for draft in drafts:
                fates[self._take(transaction, draft, known)] += 1
            for row in known.values():
                if row.hash and row.key not in kept and row.name not in unclear:
                    fates["retired"] += _retire(transaction, row)
            _keep(transaction, project, "", "", mark, "")
            batch = transaction.batch
        self._embedding.wake()
        outcome = {name: fates[name] for name in ("created", "changed", "retired")}
        batch = batch if any(outcome.values()) else ""
        return SharedRead(**outcome, total=len(entries), skipped=tuple(problems), batch=batch)

    def _draft(self, project: str, file: Found, shared: SharedMemory) -> Draft:
        """Return a file as a memory of the project, whatever the file says of its origin. Raises InvalidInput."""
        about = {"file": file.name, "created": shared.created, "supersedes": shared.supersedes}
        with clock.cpu_limit(clock.RECORD_CPU_S):
            memory, _ = new_memory(
                clock.now(),
                content=input_checks.content(shared.content, max_bytes=self._context.settings.max_content_bytes),
                memory_type=input_checks.memory_type(shared.kind),
                tags=input_checks.tags(shared.tags),
                metadata={SHARED: {**about, "anchors": list(shared.anchors)}},
                namespace=project,
                created_at=min(shared.created, clock.now()),
                title=input_checks.label("title", shared.title),
                author=input_checks.label("author", shared.author),
                source="import",
                trust=TRUST["imported"]["import"],
            )
            return Draft(file, shared, memory, self._anchors(memory, shared.anchors))

    def _anchors(self, memory: Memory, given: Sequence[str]) -> Prepared:
        for anchors in (given, ()):  # a place that this checkout does not have is no reason to refuse the memory
            try:
                return self._anchoring.prepare(spoken_text(memory), memory.namespace, anchors)
            except InvalidInput:
                continue
        return NOTHING

    def _take(self, transaction: "Transaction", draft: Draft, known: dict[str, SharedFile]) -> str:
        """Write what a file says; returns created, changed, known or refused."""
        memory, row = draft.memory, known.get(draft.shared.id)
        if row is not None and row.hash == draft.file.hash:
            return "known"  # another process was faster
        old = _current(transaction, row.memory_id) if row is not None else _twin(transaction, memory)
        fate = "known"
        if row is not None and old is None and unwanted(transaction, [row.memory_id]):
            fate, kept = "refused", row.memory_id
        elif old is not None and old.content_hash == memory.content_hash:
            kept = old.id
            fate = _refreshed(transaction, old, memory) if row is not None else "known"
        else:
            fate, kept = ("created" if old is None else "changed"), transaction.insert(memory).id
            self._anchoring.write(transaction, memory, draft.prepared)
            if old is not None:
                replace(transaction, old, memory)
            self._supersede(transaction, draft, known)
        assert memory.namespace is not None  # noqa: S101 - it is the project
        shown = _keep(transaction, memory.namespace, draft.file.name, draft.shared.id, draft.file.hash, kept)
        known[draft.shared.id] = shown
        return fate

    def _supersede(self, transaction: "Transaction", draft: Draft, known: dict[str, SharedFile]) -> None:
        """Mark the memory of another shared file as superseded, if this one says so and neither is already."""
        other = known.get(draft.shared.supersedes)
        old = transaction.get(Memory, [other.memory_id]) if other is not None else []
        if old and old[0].superseded_by is None and old[0].id != draft.memory.id:
            replace(transaction, old[0], draft.memory)

    # --- sharing ---

    def _place(self, namespace: str | None) -> tuple[str, Path]:
        """Return the project and the work tree that its files are written to."""
        project = self._scope.target(namespace)
        if project is None or repository_root(Path(project)) != project:
            raise InvalidInput(
                f"{project or 'this folder'} is not a git repository", hint="Run it inside of one, or give --project."
            )
        here = Path(work_tree("."))
        root = here if namespace is None and project_root(here) == project else Path(project)
        folder = root / ".recollect"
        if folder.is_symlink() or os.path.realpath(folder) == os.path.realpath(self._context.settings.home_path):
            raise InvalidInput(f"{folder} cannot hold shared memories: it is a link or the home folder of recollect")
        return project, root

    def _chosen(self, project: str, ids: Sequence[str], kinds: Sequence[str], known: Iterable[str]) -> list[Memory]:
        if not ids and not kinds:
            hint = "Give ids (`recollect list` shows them) or --kind decision."
            raise InvalidInput("there is nothing to share", hint=hint)
        store, now = self._context.store, clock.now()
        found = [existing(store, name) for name in input_checks.several("memory_ids", ids)]
        for memory in found:
            _refuse(memory, project, now)
        types = tuple(input_checks.memory_type(kind) for kind in input_checks.several("kind", kinds))
        where = {"namespace": project, "memory_type": types, "observed": False, "superseded_by": None}
        # Those that came with the repository, too: the reader may have corrected them.
        for origin in ({"source": ("user", "assistant")}, {"id": tuple(known)}) if types else ():
            found += [row for row in store.find(Memory, where | origin, order="seq") if not row.is_expired(now)]
        chosen = list({memory.id: memory for memory in found}.values())
        if len(chosen) > MAX_SHARED:
            raise InvalidInput(f"{len(chosen)} memories are too many at once", hint=f"Share at most {MAX_SHARED}.")
        return chosen

    def _shared(self, memory: Memory, known: dict[str, SharedFile]) -> "tuple[Memory, SharedMemory, str]":
        """Return what a memory says in its file, and the name of the file. Raises InvalidInput for a secret."""
        store, row = self._context.store, known.get(memory.id)
        about: dict[str, Any] = cast("dict[str, Any]", memory.metadata.get(SHARED, {})) if memory.is_shared else {}
        given = store.find(Anchor, {"memory_id": memory.id, "origin": "given"})
        anchors = {f"{each.path}::{each.symbol}" if each.symbol else each.path for each in given}
        older = store.find(Memory, {"namespace": memory.namespace, "superseded_by": memory.id}, order="seq")
        replaced = next((known[each.id].key for each in older if each.id in known), "")
        shared = SharedMemory(
            id=row.key if row is not None else memory.id,
            kind=memory.memory_type,
            content=memory.content,
            created=int(about.get("created", memory.created_at)),
            title=memory.title or "",
            author=memory.author or "",
            supersedes=str(about.get("supersedes", "")) or replaced,
            tags=tuple(sorted(memory.tags)),
            anchors=tuple(sorted(anchors or about.get("anchors", ()))),
        )
        kinds = (*without_secrets(memory)[1], *redact_value(list(shared.anchors))[1])
        if kinds:
            hint = f"Remove it: `recollect update {memory.id[:8]} --content TEXT`. Nothing was shared."
            raise InvalidInput(f"memory {memory.id[:8]} contains a secret ({told(kinds)})", hint=hint)
        if len(to_text(shared).encode()) > MAX_BYTES:
            raise ContentTooLarge(f"memory {memory.id[:8]} is too long to share: {MAX_BYTES // 1024} KB at most")
        return memory, shared, row.name if row is not None else file_name(shared)

    def _write_file(self, target: Path, content: bytes, before: str | None) -> bool | None:
        """Write a file unless it has this content; returns whether it was written. None: others have changed it.

        before: the hash of the file when it was written or read the last time, where that is known
        """
        found = read(target, MAX_BYTES, follows=False) or b""
        unified = found.replace(b"\r\n", b"\n")
        if unified == content:
            return False
        if found and before and before not in (blob_hash(found), blob_hash(unified)):
            return None
        refuse_elsewhere(self._context, target)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as problem:
            raise InvalidInput(f"{target.parent} cannot be created: {problem.strerror}") from None
        with written(self._context, target, overwrite=True) as file:
            os.fchmod(file.fileno(), 0o644)  # a file of the repository, not of the home folder
            file.write(content)
        return True

    def _repository(self, path: str, command: str) -> str:
        if self._context.writes_as == "assistant":
            hint = f"Run `recollect {command}` in a terminal."
            raise Forbidden("an assistant cannot decide which repositories are trusted", hint=hint)
        root = repository_root(Path(input_checks.text("path", path)).expanduser())
        if root is None:
            raise InvalidInput(f"{path} is not in a git repository", hint="Give the folder of one.", path=path)
        return root


# --- rows ---


def _row_id(project: str, key: str = "") -> str:
    return str(uuid.uuid5(_SPACE, f"{project}\n{key}"))


def _rows(rows: "Store | Transaction", project: str) -> dict[str, SharedFile]:
    return {row.key: row for row in rows.find(SharedFile, {"namespace": project}) if row.name}


def _keep(transaction: "Transaction", project: str, name: str, key: str, hash_: str, memory_id: str) -> SharedFile:
    """Write the row of a file, or of the folder."""
    row_id, values = _row_id(project, key), {"name": name, "hash": hash_, "memory_id": memory_id}
    if transaction.get(SharedFile, [row_id]):
        return transaction.update(SharedFile, row_id, values)
    return transaction.insert(SharedFile(id=row_id, namespace=project, key=key, read_at=clock.now(), **values))


def _current(transaction: "Transaction", memory_id: str) -> Memory | None:
    """Return the current version of a memory in its project; None if it was deleted."""
    found = next(iter(transaction.get(Memory, [memory_id])), None)
    for _ in range(MAX_VERSIONS):
        newer = transaction.get(Memory, [found.superseded_by]) if found is not None and found.superseded_by else []
        if found is None or not newer or newer[0].namespace != found.namespace:
            break
        found = newer[0]
    return found


def _twin(transaction: "Transaction", memory: Memory) -> Memory | None:
    """Return a current memory of the project that says the same."""
    where = {"content_hash": memory.content_hash, "namespace": memory.namespace, "observed": False}
    found = transaction.find(Memory, {**where, "superseded_by": None}, order="seq")
    return next((row for row in found if not row.is_expired(clock.now())), None)


def _refreshed(transaction: "Transaction", old: Memory, new: Memory) -> str:
    """Update the fields beside the content of a memory, and bring it back if its file was gone."""
    fields = ("title", "tags", "memory_type", "author")
    values = {name: getattr(new, name) for name in fields if getattr(new, name) != getattr(old, name)}
    kept = old.metadata.get(ARCHIVED)
    if isinstance(kept, dict) and kept.get("why") == RETIRED:
        values["expires_at"] = kept.get("expires_at")
        values["metadata"] = {name: value for name, value in old.metadata.items() if name != ARCHIVED}
    if not values:
        return "known"
    transaction.update(Memory, old.id, {**values, "updated_at": clock.now()})
    return "changed"


def _retire(transaction: "Transaction", row: SharedFile) -> int:
    """Archive the memory of a deleted file; returns how many were archived."""
    now = clock.now()
    transaction.update(SharedFile, row.id, {"hash": ""})
    memory = _current(transaction, row.memory_id)
    if memory is None or memory.is_expired(now):
        return 0
    about = {"at": now, "why": RETIRED, "expires_at": memory.expires_at}
    transaction.update(Memory, memory.id, {"expires_at": now, "metadata": {**memory.metadata, ARCHIVED: about}})
    return 1


def _refuse(memory: Memory, project: str, now: int) -> None:
    """Raise InvalidInput for a memory that cannot be shared with this project."""
    reasons = (
        (memory.namespace is None, "is for all projects", "Store it for this project first."),
        (memory.namespace != project, f"belongs to another project: {memory.namespace}", "Share it in that project."),
        (memory.observed, "is an observed event, not knowledge", "Store what follows from it, and share that."),
        (memory.superseded_by is not None, "was superseded", f"Share {(memory.superseded_by or '')[:8]} instead."),
        (memory.is_expired(now), "is archived", f"`recollect consolidate restore {memory.id[:8]}` brings it back."),
    )
    for applies, reason, hint in reasons:
        if applies:
            raise InvalidInput(f"memory {memory.id[:8]} {reason}", hint=hint, memory_id=memory.id)


def _offer(count: int) -> str:
    return f"this repository shares {plural(count, 'memory', 'memories')}; `recollect trust` reads them"


def _notes(read: SharedRead) -> Iterator[str]:
    fates = {"new": read.created, "changed": read.changed, "retired": read.retired}
    if told := ", ".join(f"{number:,} {name}" for name, number in fates.items() if number):
        yield f"memories shared by the repository: {told}"
    for skipped in read.skipped:
        yield f"skipped: {oneline(skipped, 200)}"
