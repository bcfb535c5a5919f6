"""A process that reads files for another one, over its standard input and output.

    →  length, Order               what to read
    ←  length, list of answers     one per task, in order

A length is four bytes. The process ends when its input does.
"""

from __future__ import annotations

import gc
import signal
import struct
import sys
from typing import BinaryIO, NamedTuple

import msgspec

from recollect.code.read import Task, read
from recollect.store.code_protocol import IndexedFile, Touched

HEADER = struct.Struct(">I")
# Records are made by the hundred thousand and none refers to itself: looking for cycles every 700 of them is wasted.
GC_THRESHOLD = 100_000


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
    # Ctrl-C reaches every process of a terminal; the one that asked decides what it means.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.freeze()
    gc.set_threshold(GC_THRESHOLD)
    serve(sys.stdin.buffer, sys.stdout.buffer)


def serve(orders: BinaryIO, answers: BinaryIO) -> None:
    """Answer every order of a stream."""
    decoder, encoder = msgspec.msgpack.Decoder(Order), msgspec.msgpack.Encoder()
    while len(head := orders.read(HEADER.size)) == HEADER.size:
        order = decoder.decode(orders.read(HEADER.unpack(head)[0]))
        content = encoder.encode([answer(order, task) for task in order.tasks])
        answers.write(HEADER.pack(len(content)))
        answers.write(content)
        answers.flush()


def answer(order: Order, task: Task) -> Answer:
    """Read one file."""
    if order.is_program:
        from recollect.code.resolve.translate import translate

        return Answer(None, program=translate(order.root, task, order.max_bytes))
    found = read(order.root, task, order.max_bytes)
    return Answer(found) if isinstance(found, IndexedFile) else Answer(None, found)
