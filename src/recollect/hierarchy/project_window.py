"""The context window of a project: the memory manager of document 004.

    look_up ─► level 1 ─► level 2 ─► level 4 ─► level 3, promoted
    start_task ─► candidates ─► placement        complete_task, cleanup, eviction ─► archive

The state is in the engine's store, one for each namespace; all processes share it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from recollect import clock as system_clock
from recollect.engine import Documents, Engine, Sources, current_error, input_checks, namespace_of, without_secrets
from recollect.errors import ContentTooLarge, InvalidInput, NotFound, StoreCorrupt
from recollect.hierarchy import promotion
from recollect.hierarchy.eviction import EvictionContext, effective_policy, expire, relieve
from recollect.hierarchy.file_forms import ItemForms, text_item
from recollect.hierarchy.global_knowledge import Knowledge
from recollect.hierarchy.level_lookup import look_up
from recollect.hierarchy.model import Filled, GlobalKnowledge, Item, LevelUse, LookedUp, MemoryStats, Moved, Task
from recollect.hierarchy.policies import ESTIMATED_PER_BYTE, PROFILES, TOKENS_PER_BYTE, Policy, profile
from recollect.hierarchy.promotion import WindowContext
from recollect.hierarchy.window_state import (
    Changed,
    State,
    WindowStore,
    access_count,
    archive,
    find_item,
    items_at,
    level_size,
    level_use,
    level_uses,
    put,
)
from recollect.model import Memory

# The default name of a text in level 1.
IMMEDIATE = "immediate"


class MemoryManager:
    """The context window of one project: immediate context, working set, archive and global knowledge."""

    def __init__(
        self,
        engine: Engine | None = None,
        namespace: str = ".",
        *,
        profile: str | None = None,
        policy: Policy | None = None,
        clock: Callable[[], int] = lambda: system_clock.now(),
    ) -> None:
        """Open the window of a project.

        engine: the engine to use; default: a new one, closed with this object
        namespace: the project, as a path or a name; its code has to be indexed for anything to be found
        profile: standard, small, large, interactive, or auto by project size; default: the last one, initially standard
        policy: your own rules instead of a profile
        clock: returns the time in Unix seconds
        """
        self._own = Engine() if engine is None else None
        self.engine = engine or self._own or Engine()
        found = namespace_of(input_checks.text("namespace", namespace))
        if found is None:
            raise InvalidInput("a context window needs a project", hint="Give the project as a path or a name.")
        self.namespace = found
        self._profile, self._policy, self._clock = profile, policy, clock
        self._documents = Documents(self.engine.store, found)
        self._window = WindowStore(self._documents)
        self._knowledge = Knowledge(self.engine, found, self._documents)
        if profile is not None and policy is None:
            self._rules(State())  # raises for an unknown profile

    # --- document 004: queries ---

    def get_immediate_context(self) -> str:
        """Return level 1 as one text: texts, then files under their names.

        A single text is returned exactly as it was set.
        """
        context = self._context()
        items = items_at(self._seen(context), 1)
        texts = [item for item in items if item.form == "text"]
        if len(items) == 1 and texts:
            return texts[0].text
        ordered = [*texts, *(item for item in items if item.form != "text")]
        return "\n".join(_block(item, context.forms) for item in ordered)

    def get_working_set(self) -> dict[str, str]:
        """Return the files and memories of levels 2 and 1 with their texts."""
        context = self._context()
        state = self._seen(context)
        found: dict[str, str] = {}
        first = {item.name: item for item in items_at(state, 1)}
        for item in (*items_at(state, 2), *items_at(state, 1)):
            if item.form != "text" and item.name not in found:
                try:
                    found[item.name] = context.forms.joined(first.get(item.name, item), item)
                except NotFound:
                    continue  # deleted since; the next clean-up evicts it
        return found

    def get_archive_item(self, path: str) -> str:
        """Return a file of level 3 by its path, or a memory as `memory:ID`. Raises NotFound.

        It counts as an access: dependencies of the file are promoted to level 2, and a frequently read file to level 1.
        """
        context = self._context()
        name = context.named(input_checks.text("path", path))
        text = context.forms.text(name)
        self._change(context, lambda state: promotion.accessed(state, context, name), kept=[name])
        return text

    def query_global_knowledge(self, query: str = "") -> str:
        """Return the parts of level 4 about a question; without a question, all of it."""
        most = self._most_known()
        return self._knowledge.about(input_checks.query(query), most) if query.strip() else self.global_knowledge().text

    # --- writes ---

    def set_immediate_context(self, content: str, name: str = IMMEDIATE) -> tuple[Moved, ...]:
        """Put a text into level 1, replacing the earlier one of this name; returns the moves.

        name: such as `error` for the current error. Raises ContentTooLarge
        """
        label = input_checks.label("name", name) or IMMEDIATE
        text, made = without_secrets(input_checks.text("content", content)), self._clock()
        item = text_item(without_secrets(label), text, "set", made)
        context = self._context()
        level = context.policy.level1
        if not level.fits(item.size_bytes, item.tokens):
            raise ContentTooLarge(
                f"the text has {item.size_bytes:,} bytes and {item.tokens:,} tokens; the limit of level 1 is "
                f"{level.max_bytes:,} bytes and {level.max_tokens:,} tokens",
                hint="Shorten it, or save it to a file: files are shortened to fit.",
            )
        return self._change(
            context, lambda state: put(state, item, trigger="asked", reason="set as immediate context", now=made)
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
        context = self._context()
        name = context.named(input_checks.text("path", file_path))
        context.forms.text(name)  # raises before anything moves
        step = promotion.opened if level == 1 else promotion.fetched
        return self._change(context, lambda state: step(state, context, name), kept=[name]).moved

    def demote_to_archive(self, file_path: str) -> tuple[Moved, ...]:
        """Evict a file or a memory from levels 1 and 2. Returns the moves. Raises NotFound."""
        context = self._context()
        asked = input_checks.text("path", file_path).strip()
        state = self._window.read()
        name = asked if find_item(state, asked) is not None else context.sources.meant(asked) or asked
        if find_item(state, name) is None:
            hint = "`recollect window show` lists levels 1 and 2."
            raise NotFound(f"{asked} is not in level 1 or 2", hint=hint, path=asked)
        return self._change(
            context, lambda state: archive(state, [name], trigger="asked", reason="evicted on request", now=context.now)
        ).moved

    # --- management ---

    def get_memory_stats(self) -> MemoryStats:
        """Return the size of each level in bytes and tokens, the hit rate, and the tokens saved."""
        context = self._context()
        state = self._seen(context)
        indexed = sum(source.size_bytes for source in context.sources.files.values())
        rows = self.engine.store.columns(Memory, ("content",), {"namespace": self.namespace})
        available = indexed + sum(len(row[0].encode()) for row in rows)
        known = self._known()
        levels = level_uses(state, effective_policy(state, context.policy))
        count, tokens = len(context.sources.files) + len(rows), int(available * ESTIMATED_PER_BYTE)
        third = level_use(context.policy, 3, count, available, tokens)
        cost = sum(level_size(state, number)[1] for number in (1, 2))
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
            levels=(*levels, third, level_use(context.policy, 4, len(known.sections), known.bytes, known.tokens)),
        )

    def cleanup(self) -> tuple[Moved, ...]:
        """Evict items that are unused for too long or no longer exist. Returns the moves."""
        context = self._context()

        def tidy(state: State) -> State:
            lost = [
                item.name
                for item in state.items
                if item.form != "text" and context.forms.made(item, "whole", 2) is None
            ]
            return archive(state, lost, trigger="unused", reason="it no longer exists", now=context.now)

        return self._change(context, tidy).moved

    def get_access_count(self, file_path: str) -> int:
        """Return how often a file was read within the access window."""
        context = self._context()
        window = context.policy.promotion.access_window_s
        return access_count(self._window.read(), context.named(file_path), now=context.now, window_s=window)

    def check_promotion(self, file_path: str) -> tuple[Moved, ...]:
        """Promote a file that was read often enough; returns the moves."""
        context = self._context()
        name = context.named(input_checks.text("path", file_path))
        return self._change(context, lambda state: promotion.if_frequent(state, context, name), kept=[name]).moved

    # --- tasks ---

    def start_task(self, description: str, files: Sequence[str] = (), *, error: str = "") -> Filled:
        """Start a task: fill levels 1 and 2 from search, dependencies, history, edits, errors and memories.

        Items of an earlier task are evicted first. Returns the placed items and why.

        description: the task: an issue, an error, a sentence
        files: files that are known to matter; they come first, whole if they fit. error: the current error message
        """
        from recollect.hierarchy.placement import place
        from recollect.hierarchy.task_candidates import candidates, is_about_text, mentioned

        asked = without_secrets(input_checks.query(description))
        context = self._context(fresh=True)
        if not context.sources.files:
            hint = "Run `recollect index` in the project, or choose another project."
            raise NotFound(f"{self.namespace} is not indexed", hint=hint, namespace=self.namespace)
        named = tuple(dict.fromkeys(map(context.file, input_checks.several("files", files))))
        current = tuple(dict.fromkeys((*named, *mentioned(context.sources, asked))))
        found = candidates(self.engine, context.sources, asked, current)
        is_text = is_about_text(asked)
        placed = place(found, context.policy, context.forms, context.sources, asked, context.now, text=is_text)
        task = Task(description=asked, started_at=context.now, files=named)
        wrong = without_secrets(error) or current_error(self.engine.store, self.namespace)

        def begin(state: State) -> State:
            kept = {item.name for item in placed.items}
            state = _ended(state, context.now, "a new task started", kept)
            profile = context.policy.name if context.policy.name in PROFILES else state.profile
            state = msgspec.structs.replace(state, task=task, profile=profile)
            state = promotion.error(state, wrong, context.now) if wrong else state
            return promotion.filled(state, placed.items, context.now)

        state = self._change(context, begin, kept=current).state
        return Filled(
            task=task,
            profile=context.policy.name,
            items=tuple(item for item in state.items if item.form != "text"),
            levels=level_uses(state, effective_policy(state, context.policy)),
            placed=sum(item.form != "text" for item in state.items),
            considered=len(found.files),
            left_out=tuple(placed.left_out),
            notes=found.notes,
        )

    def complete_task(self) -> tuple[Moved, ...]:
        """End the task: evict everything from levels 1 and 2, keep the statistics. Returns the moves."""
        try:
            context = self._context()
            return self._change(context, lambda state: _ended(state, context.now, "task complete")).moved
        except StoreCorrupt:
            self._window.forget()
            return ()

    def look_up(self, query: str) -> LookedUp:
        """Find something by path, name or question: in level 1, then 2, then by level 4 in level 3, and promote it."""
        context = self._context()
        asked = without_secrets(input_checks.query(query))
        found = look_up(self._seen(context), context, self._knowledge, asked)
        changed = self._change(context, found.step, kept=[row.name for row in found.found])
        return LookedUp(
            query=asked,
            asked=found.asked,
            served_by=found.served_by,
            found=tuple(found.found),
            moved=changed.moved,
            notes=(*found.notes, *context.sources.notes),
        )

    # --- inspection ---

    def items(self) -> tuple[Item, ...]:
        """Return the items of levels 1 and 2, level 1 first."""
        return tuple(sorted(self._seen(self._context()).items, key=lambda item: item.level))

    def events(self) -> tuple[Moved, ...]:
        """Return the last promotions and demotions, oldest first, each with its reason."""
        return self._window.read().events

    def task(self) -> Task | None:
        """Return the current task, or None."""
        return self._window.read().task

    def levels(self) -> tuple[LevelUse, ...]:
        """Return the use of levels 1 and 2."""
        context = self._context()
        state = self._seen(context)
        return level_uses(state, effective_policy(state, context.policy))

    def policy(self) -> Policy:
        """Return the rules in force."""
        state = self._window.read()
        return effective_policy(state, self._rules(state))

    def global_knowledge(self) -> GlobalKnowledge:
        """Return level 4 as it is now."""
        return self._knowledge.of_all(self._most_known())

    def close(self) -> None:
        """Close the engine if this object created it."""
        if self._own is not None:
            self._own.close()

    def __enter__(self) -> MemoryManager:
        return self

    def __exit__(self, *problem: object) -> None:
        self.close()

    # --- internals ---

    def _change(self, context: WindowContext, step: Callable[[State], State], kept: Sequence[str] = ()) -> Changed:
        """Expire unused items, apply a step, then evict what does not fit."""

        def whole(state: State) -> State:
            policy = effective_policy(state, context.policy)
            state = expire(state, policy, context.forms, context.now)
            after = step(state)
            return relieve(after, EvictionContext(context.policy, context.forms, context.now, kept))

        return self._window.change(whole)

    def _seen(self, context: WindowContext) -> State:
        """Return the state without expired items."""
        state = self._window.read()
        return expire(state, effective_policy(state, context.policy), context.forms, context.now)

    def _context(self, *, fresh: bool = False) -> WindowContext:
        sources = Sources(self.engine.context, self.engine.links, self.namespace)
        state = State() if fresh and self._profile else self._window.read()
        return WindowContext(sources, ItemForms(self.engine, sources), self._rules(state, sources), self._clock())

    def _rules(self, state: State, sources: Sources | None = None) -> Policy:
        if self._policy is not None:
            return self._policy
        name = self._profile or state.profile
        total = 0
        if name == "auto":
            total = sum(row.size_bytes for row in (sources or self.engine.sources(self.namespace)).files.values())
        return profile(name, total)

    def _most_known(self) -> int:
        level4 = self._rules(self._window.read()).level4
        return min(filter(None, (level4.max_bytes, int((level4.max_tokens or 0) / TOKENS_PER_BYTE))), default=0)

    def _known(self) -> GlobalKnowledge:
        """Return the stored level 4; an empty one if the project is not indexed."""
        try:
            return self._knowledge.of_all(self._most_known(), fresh=False)
        except NotFound:
            return GlobalKnowledge(sections=())


def _ended(state: State, now: int, reason: str, kept: set[str] | None = None) -> State:
    names = [item.name for item in state.items if item.name not in (kept or ())]
    state = archive(state, dict.fromkeys(names), trigger="task complete", reason=reason, now=now)
    return msgspec.structs.replace(state, task=None, level2_bytes=0, retention_s=0)


def _block(item: Item, forms: ItemForms) -> str:
    label = {"part": " (excerpt)", "outline": " (outline)"}.get(item.form, "")
    try:
        return f"=== {item.name}{label} ===\n{forms.shown(item)}\n"
    except NotFound as problem:
        return f"=== {item.name} ===\n[{problem.message}]\n"
