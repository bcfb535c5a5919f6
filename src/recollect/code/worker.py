"""What a process does that reads files for another one: it gets orders, and gives a list of answers, one per task."""

from __future__ import annotations

from typing import NamedTuple

import msgspec

from recollect.code.process import attend
from recollect.code.read import Task, read
from recollect.store.code_protocol import IndexedFile, Touched

# Twice what the process that asks waits for an answer.
MOST_CPU_S = 120.0


class Order(NamedTuple):
    """Files to read below a root: for the index, or for their programs."""

    root: str
    max_bytes: int
    tasks: list[Task]
    is_program: bool = False


class Translated(NamedTuple):
    """A file's program, what is known of it without reading it, and as much as others can see of it, all packed.

    hash: of the content it was read from; note: why there is none
    """

    path: str
    hash: str
    outline: bytes = b""
    face: bytes = b""
    content: bytes = b""
    note: str = ""


class Answer(NamedTuple):
    """What was read: exactly one of the three."""

    file: IndexedFile | None
    touched: Touched | None = None
    program: Translated | None = None


def main() -> None:
    """Read what is asked for until nobody asks any more."""
    decoder, encoder = msgspec.msgpack.Decoder(Order), msgspec.msgpack.Encoder()

    def answers(content: bytes) -> bytes:
        order = decoder.decode(content)
        return encoder.encode([answer(order, task) for task in order.tasks])

    attend(answers, MOST_CPU_S)


def answer(order: Order, task: Task) -> Answer:
    """Read one file."""
    if order.is_program:
        from recollect.code.resolve.translate import translate

        return Answer(None, program=translate(order.root, task, order.max_bytes))
    found = read(order.root, task, order.max_bytes)
    return Answer(found) if isinstance(found, IndexedFile) else Answer(None, found)
