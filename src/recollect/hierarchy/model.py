"""The records of the hierarchy."""

from __future__ import annotations

from recollect.engine.token_cost import size, tokens
from recollect.model import Record


class GlobalKnowledge(Record, frozen=True, kw_only=True):
    """Level 4: what is known of a project as a whole, in titled sections; a map of its code, and none of it.

    sections: title and text of each, in the order in which they are read
    """

    sections: tuple[tuple[str, str], ...]

    @property
    def text(self) -> str:
        """The sections under their titles, as Markdown."""
        return "\n".join(f"## {title}\n\n{text.strip()}\n" for title, text in self.sections)

    @property
    def bytes(self) -> int:
        """How many bytes the text is."""
        return size(self.text)

    @property
    def tokens(self) -> int:
        """About how many tokens the text is, rather too many than too few."""
        return tokens(self.text)
