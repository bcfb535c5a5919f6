"""Presence: what is said to an assistant at the moments its hooks tell of, and mostly that is nothing.

    tool failed ─► the fix that worked before

Nobody asked, so whatever is said must be worth it: what does not clearly concern the moment costs zero bytes. Nothing
here stores the payload: that goes through the spool like any other.
"""

from typing import TYPE_CHECKING

from recollect.engine.context_block import block, flat

if TYPE_CHECKING:
    from recollect.engine.root import Engine
    from recollect.model import KnownFix

# What one answer in the middle of a conversation may cost, in tokens.
ANSWER_TOKENS = 600
STEP_CHARACTERS = 300


class Presence:
    """What is said unasked."""

    def __init__(self, engine: "Engine") -> None:
        self._engine = engine

    def answer(self, payload: bytes, *, event: str = "", assistant: str = "", lexical: bool = False) -> str | None:
        """Return the text to put before the assistant for what its hook was given; None: nothing, zero bytes.

        The text is fenced as data, without secrets, and within its limits. Never raises for what a payload holds, nor
        for the state of the store: whoever cannot help stays silent.

        event, assistant: what the hook was told on its command line
        lexical: do without vectors and whatever else is slow to load
        """
        from recollect.errors import RecollectError

        try:
            fix = self._engine.capture.fix_of(payload, event=event, assistant=assistant)
        except (RecollectError, OSError):
            return None
        return None if fix is None else _told(fix)


def _told(fix: "KnownFix") -> str | None:
    import time

    day = time.strftime("%Y-%m-%d", time.gmtime(fix.seen_at))
    times = "once" if fix.times == 1 else f"{fix.times} times"
    lines = [f"This error was seen before: {flat(fix.error, STEP_CHARACTERS)}", f"What fixed it ({times}, last {day}):"]
    lines += [f"- {flat(step, STEP_CHARACTERS)}" for step in fix.steps]
    return block(lines, budget=ANSWER_TOKENS)
