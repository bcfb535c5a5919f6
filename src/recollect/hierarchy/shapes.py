"""Shapes: what is in a level as text, and how it gets from one form to another: by what is on disk and in the index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from recollect.engine.code.indexed_project import Sources, SymbolRow
from recollect.errors import NotFound
from recollect.hierarchy.content import Text, measured, outline, part, part_of
from recollect.hierarchy.levels import TOKENS_PER_BYTE
from recollect.hierarchy.model import Form, Item

if TYPE_CHECKING:
    from recollect.engine import Engine

MEMORY = "memory:"


class Shapes:
    """The forms of files and memories of one project; a file is read once."""

    def __init__(self, engine: Engine, sources: Sources) -> None:
        self._engine = engine
        self._sources = sources
        self._texts: dict[str, str] = {}

    def text(self, name: str) -> str:
        """Return the whole text of a file or a memory. Raises NotFound."""
        if name not in self._texts:
            self._texts[name] = self._read(name)
        return self._texts[name]

    def _read(self, name: str) -> str:
        if name.startswith(MEMORY):
            return self._engine.memories.get(name.removeprefix(MEMORY)).content
        return self._sources.text(name)

    def shown(self, item: Item) -> str:
        """Return the text of something in a level, in the form it has there. Raises NotFound."""
        if item.form == "text":
            return item.text
        if item.form in ("whole", "memory"):
            return self.text(item.name)
        rows = self._sources.symbols(item.name)
        if item.form == "outline":
            return outline(self.text(item.name), rows).text
        return part_of(self.text(item.name), rows, item.symbols, item.size_bytes)

    def made(self, item: Item, form: Form, level: Literal[1, 2], max_bytes: int = 0) -> Item | None:
        """Return something in a form in a level; None if it is gone. max_bytes: of a part"""
        if item.form == "text":
            return msgspec.structs.replace(item, level=level)
        try:
            text = self.text(item.name)
        except NotFound:
            return None
        if item.name.startswith(MEMORY):
            return _with(item, measured(text), "memory", level)
        if form == "whole":
            return _with(item, measured(text), form, level)
        rows = self._sources.symbols(item.name)
        if form == "outline":
            return _with(item, outline(text, rows), form, level)
        return _with(item, self._part(text, rows, item.symbols, max_bytes), form, level)

    def _part(self, text: str, rows: list[SymbolRow], wanted: tuple[str, ...], max_bytes: int) -> Text:
        """Return a part within a number of bytes, and within the tokens that belong to so many in a level."""
        max_tokens, most = int(max_bytes * TOKENS_PER_BYTE), max_bytes
        made = part(text, rows, wanted, most)
        while made.tokens > max_tokens and most > 0:
            # Cut by as much as it is over, and a little more: other symbols have other tokens.
            most = int(most * max_tokens / made.tokens * 0.98)
            made = part(text, rows, wanted, most)
        return made

    # --- as pressure asks for it ---

    def whole(self, item: Item) -> Item | None:
        """Return the whole of it, for level 2."""
        return self.made(item, "whole", 2)

    def part(self, item: Item, max_bytes: int) -> Item | None:
        """Return the symbols of it that matter, in the level it is in."""
        return self.made(item, "part", item.level, max_bytes)

    def outline(self, item: Item) -> Item | None:
        """Return its outline, in the level it is in."""
        return self.made(item, "outline", item.level)


def _with(item: Item, text: Text, form: Form, level: Literal[1, 2]) -> Item:
    return msgspec.structs.replace(
        item,
        level=level,
        form=form,
        size_bytes=text.size_bytes,
        tokens=text.tokens,
        symbols=text.symbols or item.symbols,
        lines=text.lines,
    )
