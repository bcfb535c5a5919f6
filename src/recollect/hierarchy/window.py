"""The context window of a project: the manager of document 004, under its names, with what fills and empties it.

    look_up ─► level 1 ─► level 2 ─► level 4 ─► level 3, promoted
    start_task ─► fill ─► place        complete_task, cleanup, pressure ─► archive

State is kept in the engine's store, one for each namespace: every process sees what another one moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType

import msgspec

from recollect.clock import now
from recollect.engine import Engine
from recollect.engine.code.indexed_project import Sources
from recollect.engine.memory.library_state import Documents
from recollect.engine.records import input_checks
from recollect.engine.records.identity import namespace_of
from recollect.engine.records.record_redaction import fields_without_secrets
from recollect.engine.sessions.observed_events import current_error
from recollect.errors import ContentTooLarge, InvalidInput, NotFound, StoreCorrupt
from recollect.hierarchy import arriving
from recollect.hierarchy.arriving import Desk
from recollect.hierarchy.content import measured
from recollect.hierarchy.expiry import expire
from recollect.hierarchy.keeping import Changed, Keeping
from recollect.hierarchy.knowledge import Knowledge
from recollect.hierarchy.levels import TOKENS_PER_BYTE
from recollect.hierarchy.looking import look_up
from recollect.hierarchy.model import Filled, GlobalKnowledge, Item, LevelUse, LookedUp, MemoryStats, Moved, Task
from recollect.hierarchy.policies import PROFILES, Policy, profile
from recollect.hierarchy.pressure import Case, in_force, relieve
from recollect.hierarchy.shapes import Shapes
from recollect.hierarchy.state import State, archive, at, counted, held, put, taken, uses
from recollect.model import Memory

# Names of the texts that level 1 may hold: what was set, and the error of the current operation.
IMMEDIATE, ERROR = "immediate", "error"


class MemoryManager:
    """The context window of one project: immediate context, working set, archive and global knowledge."""

    def __init__(
        self,
        engine: Engine | None = None,
        namespace: str = ".",
        *,
        profile: str | None = None,
        policy: Policy | None = None,
        clock: Callable[[], int] = now,
    ) -> None:
        """Open the window of a project.

        engine: the engine to use; default: a new one, closed with this object
        namespace: the project, as a path or a name; its code has to be indexed for anything to be found
        profile: standard, small, large, interactive, or auto by project size; default: the last one, initially standard
        policy: rules of your own instead of a profile's
        clock: gives the time in Unix seconds
        """
        self._own = Engine() if engine is None else None
        self.engine = engine or self._own or Engine()
        found = namespace_of(input_checks.text("namespace", namespace))
        if found is None:
            raise InvalidInput("a context window needs a project", hint="Give the project as a path or a name.")
        self.namespace = found
        self._profile, self._policy, self._clock = profile, policy, clock
        self._documents = Documents(self.engine.store, found)
        self._keeping = Keeping(self._documents)
        self._knowledge = Knowledge(self.engine, found, self._documents)
        if profile is not None and policy is None:
            self._rules(State())  # an unknown one is told now

    # --- what document 004 names: queries ---

    def get_immediate_context(self) -> str:
        """Return level 1 as one text: what was set, then files under their names.

        A text alone is returned exactly as it was set.
        """
        desk = self._desk()
        items = at(self._seen(desk), 1)
        texts = [item for item in items if item.form == "text"]
        if len(items) == 1 and texts:
            return texts[0].text
        ordered = [*texts, *(item for item in items if item.form != "text")]
        return "\n".join(_block(item, desk.shapes) for item in ordered)

    def get_working_set(self) -> dict[str, str]:
        """Return the files and memories that the task needs, with their texts: level 2, and the files of level 1."""
        desk = self._desk()
        state = self._seen(desk)
        found: dict[str, str] = {}
        for item in (*at(state, 2), *at(state, 1)):
            if item.form != "text" and item.name not in found:
                try:
                    found[item.name] = desk.shapes.shown(item)
                except NotFound:
                    continue  # deleted since; the next clean-up lets go of it
        return found

    def get_archive_item(self, path: str) -> str:
        """Return a file of level 3 by its path, or a memory as `memory:ID`. Raises NotFound.

        It counts as an access; what the file uses is promoted to level 2, and the file itself to level 1 if it is read
        often.
        """
        desk = self._desk()
        name = desk.named(input_checks.text("path", path))
        text = desk.shapes.text(name)
        self._change(desk, lambda state: arriving.accessed(state, desk, name), kept=[name])
        return text

    def query_global_knowledge(self, query: str = "") -> str:
        """Return what level 4 has about a question; without a question, all of level 4."""
        most = self._most_known()
        return self._knowledge.about(input_checks.query(query), most) if query.strip() else self.global_knowledge().text

    # --- writes ---

    def set_immediate_context(self, content: str, name: str = IMMEDIATE) -> tuple[Moved, ...]:
        """Put a text into level 1, replacing the one that was set before; files stay if they fit.

        name: what it is, such as `error` for the error of the current operation. Returns what moved. Raises
        ContentTooLarge
        """
        label = input_checks.label("name", name) or IMMEDIATE
        text, made = self._clean(input_checks.text("content", content)), self._clock()
        size = measured(text)
        item = Item(
            name=self._clean(label),
            level=1,
            form="text",
            size_bytes=size.size_bytes,
            tokens=size.tokens,
            why="set",
            placed_at=made,
            used_at=made,
            text=text,
        )
        desk = self._desk()
        level = desk.policy.level1
        if not level.fits(size.size_bytes, size.tokens):
            raise ContentTooLarge(
                f"the text has {size.size_bytes:,} bytes and {size.tokens:,} tokens; the limit of level 1 is "
                f"{level.max_bytes:,} bytes and {level.max_tokens:,} tokens",
                hint="Shorten it, or save it to a file: files are shortened to fit.",
            )
        return self._change(
            desk, lambda state: put(state, item, trigger="asked", reason="set as immediate context", now=made)
        ).moved

    def promote_to_working_set(self, file_path: str) -> None:
        """Promote a file and the definitions it uses to level 2. Raises NotFound."""
        self.promote(file_path, 2)

    def promote(self, file_path: str, level: int = 2) -> tuple[Moved, ...]:
        """Promote a file, or a memory as `memory:ID`, to level 2, or to level 1 if it is being edited.

        In level 1 the definitions that the file uses are added if they fit. Returns the moves.
        """
        if level not in (1, 2):
            raise InvalidInput(f"cannot promote to level {level}", hint="Use level 1 or 2.", field="level")
        desk = self._desk()
        name = desk.named(input_checks.text("path", file_path))
        desk.shapes.text(name)  # what is gone is told before anything moves
        step = arriving.opened if level == 1 else arriving.fetched
        return self._change(desk, lambda state: step(state, desk, name), kept=[name]).moved

    def demote_to_archive(self, file_path: str) -> tuple[Moved, ...]:
        """Evict a file or a memory from levels 1 and 2. Returns the moves. Raises NotFound."""
        desk = self._desk()
        asked = input_checks.text("path", file_path).strip()
        state = self._keeping.read()
        name = asked if held(state, asked) is not None else desk.sources.meant(asked) or asked
        if held(state, name) is None:
            hint = "`recollect context-window` lists levels 1 and 2."
            raise NotFound(f"{asked} is not in level 1 or 2", hint=hint, path=asked)
        return self._change(
            desk, lambda state: archive(state, [name], trigger="asked", reason="evicted on request", now=desk.now)
        ).moved

    # --- management ---

    def get_memory_stats(self) -> MemoryStats:
        """Return the size of each level in bytes and tokens, the hit rate, and the tokens saved."""
        desk = self._desk()
        state = self._seen(desk)
        indexed = sum(source.size_bytes for source in desk.sources.files.values())
        rows = self.engine.store.columns(Memory, ("content",), {"namespace": self.namespace})
        available = indexed + sum(len(row[0].encode()) for row in rows)
        known = self._known()
        levels = uses(state, in_force(state, desk.policy))
        third = _use(desk.policy, 3, len(desk.sources.files) + len(rows), available, int(available * TOKENS_PER_BYTE))
        cost = sum(taken(state, number)[1] for number in (1, 2))
        return MemoryStats(
            level1_size=levels[0].size_bytes,
            level2_size=levels[1].size_bytes,
            level3_size=available,
            level4_size=known.bytes,
            hit_rate=round(state.hits / state.queries, 4) if state.queries else 0.0,
            queries=state.queries,
            hits=state.hits,
            tokens=cost,
            tokens_saved=max(0, third.tokens - cost),
            promotions=state.promotions,
            demotions=state.demotions,
            levels=(*levels, third, _use(desk.policy, 4, len(known.sections), known.bytes, known.tokens)),
        )

    def cleanup(self) -> tuple[Moved, ...]:
        """Evict items that are unused for too long or no longer exist. Returns the moves."""
        desk = self._desk()

        def tidy(state: State) -> State:
            lost = [item.name for item in state.items if item.form != "text" and desk.shapes.whole(item) is None]
            return archive(state, lost, trigger="unused", reason="it no longer exists", now=desk.now)

        return self._change(desk, tidy).moved

    def get_access_count(self, file_path: str) -> int:
        """Return how often a file was read within the access window."""
        desk = self._desk()
        window = desk.policy.promotion.access_window_s
        return counted(self._keeping.read(), desk.named(file_path), now=desk.now, window_s=window)

    def check_promotion(self, file_path: str) -> tuple[Moved, ...]:
        """Promote a file that was read often enough; returns the moves."""
        desk = self._desk()
        name = desk.named(input_checks.text("path", file_path))
        return self._change(desk, lambda state: arriving.if_frequent(state, desk, name), kept=[name]).moved

    # --- tasks ---

    def start_task(self, description: str, files: Sequence[str] = (), *, error: str = "") -> Filled:
        """Start a task: fill levels 1 and 2 from search, dependencies, edits, errors and memories.

        Items of an earlier task are evicted first. Returns the placed items and why.

        description: the task: an issue, an error, a sentence
        files: files that are known to matter; they come first. error: the current error message
        """
        from recollect.hierarchy.fill import candidates
        from recollect.hierarchy.placing import place

        asked = self._clean(input_checks.query(description))
        desk = self._desk(fresh=True)
        if not desk.sources.files:
            hint = "Run `recollect index` in the project, or choose another project."
            raise NotFound(f"{self.namespace} is not indexed", hint=hint, namespace=self.namespace)
        named = tuple(dict.fromkeys(map(desk.file, input_checks.several("files", files))))
        found = candidates(self.engine, desk.sources, asked, named)
        placed = place(found, desk.policy, desk.shapes, desk.sources, asked, desk.now)
        task = Task(description=asked, started_at=desk.now, files=named)
        wrong = self._clean(error) or current_error(self.engine.store, self.namespace)

        def begin(state: State) -> State:
            kept = {item.name for item in placed.items}
            state = _ended(state, desk.now, "a new task started", kept)
            profile = desk.policy.name if desk.policy.name in PROFILES else state.profile
            state = msgspec.structs.replace(state, task=task, profile=profile)
            state = arriving.error(state, wrong, desk.now) if wrong else state
            for item in placed.items:
                state = arriving.placed(state, item, desk.now)
            return state

        state = self._change(desk, begin, kept=named).state
        return Filled(
            task=task,
            profile=desk.policy.name,
            items=tuple(item for item in state.items if item.form != "text"),
            levels=uses(state, in_force(state, desk.policy)),
            placed=sum(item.form != "text" for item in state.items),
            considered=len(found.files),
            left_out=tuple(placed.left_out),
            notes=found.notes,
        )

    def complete_task(self) -> tuple[Moved, ...]:
        """End the task: evict everything from levels 1 and 2, keep the statistics. Returns the moves."""
        try:
            desk = self._desk()
            return self._change(desk, lambda state: _ended(state, desk.now, "task complete")).moved
        except StoreCorrupt:
            self._keeping.forget()
            return ()

    def look_up(self, query: str) -> LookedUp:
        """Find something by path, name or question: in level 1, then 2, then by level 4 in level 3, and promote it."""
        desk = self._desk()
        asked = self._clean(input_checks.query(query))
        found = look_up(self._seen(desk), desk, self._knowledge, asked)
        changed = self._change(desk, found.step, kept=[row.name for row in found.found])
        return LookedUp(
            query=asked,
            asked=found.asked,
            served_by=found.served_by,
            found=tuple(found.found),
            moved=changed.moved,
            notes=(*found.notes, *desk.sources.notes),
        )

    # --- what there is to see ---

    def items(self) -> tuple[Item, ...]:
        """Return what is in levels 1 and 2 now, level 1 first."""
        return tuple(sorted(self._seen(self._desk()).items, key=lambda item: item.level))

    def events(self) -> tuple[Moved, ...]:
        """Return the last promotions and demotions, oldest first, each with its reason."""
        return self._keeping.read().events

    def task(self) -> Task | None:
        """Return the current task, or None."""
        return self._keeping.read().task

    def levels(self) -> tuple[LevelUse, ...]:
        """Return how full levels 1 and 2 are."""
        desk = self._desk()
        state = self._seen(desk)
        return uses(state, in_force(state, desk.policy))

    def policy(self) -> Policy:
        """Return the rules in force."""
        state = self._keeping.read()
        return in_force(state, self._rules(state))

    def global_knowledge(self) -> GlobalKnowledge:
        """Return level 4 as it is now."""
        return self._knowledge.of_all(self._most_known())

    def close(self) -> None:
        """Close the engine, if it was made by this."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> MemoryManager:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- what the above share ---

    def _change(self, desk: Desk, step: Callable[[State], State], kept: Sequence[str] = ()) -> Changed:
        """Take a step: first what is due goes, then the step, then what does not fit gives way."""

        def whole(state: State) -> State:
            policy = in_force(state, desk.policy)
            state = expire(state, policy, desk.shapes.whole, desk.now)
            after = step(state)
            return relieve(after, Case(desk.policy, desk.shapes, desk.now, kept))

        return self._keeping.change(whole)

    def _seen(self, desk: Desk) -> State:
        """Return the state without expired items."""
        state = self._keeping.read()
        return expire(state, in_force(state, desk.policy), desk.shapes.whole, desk.now)

    def _desk(self, *, fresh: bool = False) -> Desk:
        sources = self.engine.sources(self.namespace)
        state = State() if fresh and self._profile else self._keeping.read()
        return Desk(sources, Shapes(self.engine, sources), self._rules(state, sources), self._clock())

    def _rules(self, state: State, sources: Sources | None = None) -> Policy:
        if self._policy is not None:
            return self._policy
        name = self._profile or state.profile
        total = 0
        if name == "auto":
            total = sum(row.size_bytes for row in (sources or self.engine.sources(self.namespace)).files.values())
        return profile(name, total)

    def _most_known(self) -> int:
        return self._rules(self._keeping.read()).level4.max_bytes or 0

    def _known(self) -> GlobalKnowledge:
        """Return level 4 as it was last made; of a project that is not indexed nothing is known."""
        try:
            return self._knowledge.of_all(self._most_known(), fresh=False)
        except NotFound:
            return GlobalKnowledge(sections=())

    def _clean(self, text: str) -> str:
        """Return a text without secrets: what is kept is kept without them."""
        cleaned: str = fields_without_secrets({"text": text})[0]["text"]
        return cleaned


def _ended(state: State, now: int, reason: str, kept: set[str] | None = None) -> State:
    names = [item.name for item in state.items if item.name not in (kept or ())]
    state = archive(state, dict.fromkeys(names), trigger="task complete", reason=reason, now=now)
    return msgspec.structs.replace(state, task=None, level2_bytes=0, retention_s=0)


def _block(item: Item, shapes: Shapes) -> str:
    forms = {"whole": "", "part": " (excerpt)", "outline": " (outline)", "memory": "", "text": ""}
    try:
        return f"=== {item.name}{forms[item.form]} ===\n{shapes.shown(item)}\n"
    except NotFound as problem:
        return f"=== {item.name} ===\n[{problem.message}]\n"


def _use(policy: Policy, number: int, items: int, size_bytes: int, tokens: int) -> LevelUse:
    level = policy.level(number)
    return LevelUse(
        level=number,
        name=level.name,
        items=items,
        size_bytes=size_bytes,
        tokens=tokens,
        max_bytes=level.max_bytes,
        max_tokens=level.max_tokens,
    )
