"""The context window, as blocks."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.hierarchy import model
from recollect.model import Record
from recollect.render.block import (
    PARTICULAR_CHARACTERS,
    Block,
    Entry,
    Facts,
    Grid,
    Line,
    Listing,
    Quote,
    Show,
    listed,
    notes,
    present,
)
from recollect.render.quantities import dated, size
from recollect.render.untrusted import inline, visible
from recollect.text.display import plural

# The reason for the place of an item, on one line of a list.
WHY_CHARACTERS = 160
# Files that did not fit and are named.
LEFT_OUT = 10

FORMS = {"whole": "whole", "part": "in part", "outline": "outline", "text": "text", "memory": "memory"}


# --- levels and items ---


def _entry(item: model.Item) -> Entry:
    head = f"level {item.level}, {FORMS[item.form]}, {size(item.size_bytes)}, {item.tokens:,} tokens"
    return Entry(inline(item.name), head, inline(item.why, WHY_CHARACTERS))


def _items(items: tuple[model.Item, ...], total: int) -> list[Block]:
    if not total:
        return [Line("Levels 1 and 2 are empty.", "weak")]
    return [*_listed(tuple(map(_entry, items))), *_more(len(items), total)]


def _listed(entries: tuple[Entry, ...]) -> list[Block]:
    return [Listing(entries)] if entries else []


def _more(shown: int, total: int) -> list[Block]:
    return [Line(f"{total - shown:,} more: raise limit.", "weak")] if total > shown else []


def _levels(levels: tuple[model.LevelUse, ...]) -> list[Block]:
    rows = tuple(
        (
            str(row.level),
            row.name,
            f"{row.items:,}",
            size(row.size_bytes) + (f" of {size(row.max_bytes)}" if row.max_bytes else ""),
            f"{row.tokens:,}" + (f" of {row.max_tokens:,}" if row.max_tokens else ""),
        )
        for row in levels
    )
    return [Grid(("level", "name", "items", "size", "tokens"), rows)] if rows else []


# --- moves ---


def _event(event: model.Moved) -> Entry:
    way = (
        f"level {event.from_level} → {event.to_level}"
        if event.from_level != event.to_level
        else f"stays in level {event.to_level}"
    )
    reason = "" if event.reason == event.trigger else inline(event.reason, WHY_CHARACTERS)
    return Entry(inline(event.name), f"{way}, {event.trigger}", reason)


def _moves(answer: model.WindowMoves, _now: int | None) -> list[Block]:
    head = Line(f"{plural(answer.total, 'move')}.", "good") if answer.total else Line("Nothing moved.", "weak")
    listed = [*_listed(tuple(map(_event, answer.moved))), *_more(len(answer.moved), answer.total)]
    return [head, *listed, *_levels(answer.levels), *notes(answer.notes)]


# --- a task ---


def _task(task: model.Task, now: int | None) -> list[Block]:
    facts = (("started", dated(task.started_at, now)), ("files", inline(", ".join(task.files))))
    return [Quote("Task", present(facts), visible(task.description))]


def _filled(answer: model.Filled, now: int | None) -> list[Block]:
    head = f"Placed {plural(answer.placed, 'item')} of {plural(answer.considered, 'candidate file')}."
    left = inline(", ".join(answer.left_out[:LEFT_OUT]), PARTICULAR_CHARACTERS)
    return [
        Line(head, "good"),
        *_levels(answer.levels),
        *_task(answer.task, now),
        *_items(answer.items, answer.placed),
        Facts(present((("profile", inline(answer.profile)), ("did not fit", left)))),
        *notes(answer.notes),
    ]


# --- look-ups ---


def _found(row: model.FoundItem, _now: int | None) -> list[Block]:
    facts = (
        ("from", f"level {row.level}, {FORMS[row.form]}"),
        ("why", inline(row.why, WHY_CHARACTERS)),
        ("tokens", f"{row.tokens:,}"),
    )
    return [Quote(inline(row.name), facts, visible(row.text))]


def _looked_up(answer: model.LookedUp, now: int | None) -> list[Block]:
    way = " → ".join(map(str, answer.asked))
    served = f"found in level {answer.served_by}" if answer.served_by else "nothing found"
    blocks: list[Block] = [Line(f"Levels searched: {way}; {served}.", "good" if answer.served_by else "weak")]
    for row in answer.found:
        blocks += _found(row, now)
    return [*blocks, *_listed(tuple(map(_event, answer.moved))), *notes(answer.notes)]


# --- the whole window ---


def _stats(stats: model.MemoryStats, _now: int | None) -> list[Block]:
    facts = (
        ("hit rate", f"{100 * stats.hit_rate:.0f} % of {plural(stats.queries, 'look-up')}"),
        ("tokens", f"{stats.tokens:,} in levels 1 and 2, {stats.tokens_saved:,} saved"),
        ("moves", f"{stats.promotions:,} up, {stats.demotions:,} down"),
    )
    return [*_levels(stats.levels), Facts(facts)]


def _view(view: model.WindowView, now: int | None) -> list[Block]:
    about: list[Block] = [Facts(present((("project", inline(view.namespace)), ("profile", inline(view.profile)))))]
    if view.text:  # one level was asked for
        return [*about, Quote("Text", (), visible(view.text)), *notes(view.notes)]
    blocks = [
        *about,
        *_stats(view.stats, now),
        *(_task(view.task, now) if view.task else [Line("No task is started.", "weak")]),
        *_items(view.items, view.items_total),
    ]
    if view.events:
        blocks += [Line("Last moves:"), Listing(tuple(map(_event, view.events)))]
    return [*blocks, *notes(view.notes)]


SHOWN: Mapping[type[Record], Show] = {
    model.Item: listed(_entry),
    model.LevelUse: lambda row, _now: _levels((row,)),
    model.Moved: listed(_event),
    model.WindowMoves: _moves,
    model.Filled: _filled,
    model.FoundItem: _found,
    model.LookedUp: _looked_up,
    model.WindowView: _view,
}
