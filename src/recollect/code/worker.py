"""What a process does that reads files for another one: it gets orders, and gives a list of answers, one per task."""

from __future__ import annotations

import os
import signal
from typing import NamedTuple

import msgspec

from recollect.clock import CpuLimitExceeded, cpu_limit
from recollect.code.process import attend, limit_memory
from recollect.code.read import Task, read, time_of
from recollect.code.walk import real
from recollect.store.code_protocol import IndexedFile, Touched

# Twice what the process that asks waits for an answer.
MOST_CPU_S = 120.0
# CPU time for one file. No file of two megabytes takes two seconds. Native code is ended after twice this time.
LIMIT_CPU_S = 15.0
TOO_LONG = "takes too long"
# Memory for reading. Two megabytes of ordinary code take 80 MB and eight take 200 MB. Grammars can take gigabytes for
# a few kilobytes that are no code: then the process ends, and the file is kept as failed.
MOST_BYTES = 1 << 30
# Memory and CPU time for a text that the process that asks then parses itself.
TEXT_BYTES = 1 << 28
TEXT_CPU_S = 3.0


class Order(NamedTuple):
    """Files to read below a root: for the index, or for their programs.

    root: as the file system has it, which need not be Unicode
    language, text: a text that is only parsed; the caller learns whether that ends the process
    """

    root: bytes
    max_bytes: int
    tasks: list[Task]
    is_program: bool = False
    language: str = ""
    text: bytes = b""


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
        limit_memory(TEXT_BYTES if order.language else MOST_BYTES)
        if order.language:
            return encoder.encode(_parsed(order))
        return encoder.encode([_answer(order, task) for task in order.tasks])

    attend(answers, MOST_CPU_S)


def _parsed(order: Order) -> list[Answer]:
    """Parse the text of an order, and answer nothing."""
    from recollect.code.page import Page, parse

    if hasattr(signal, "setitimer"):  # shorten the limit that `attend` has set; it ends the process without a word
        signal.setitimer(signal.ITIMER_PROF, TEXT_CPU_S)
    parse(Page(order.text), order.language)
    return []


def _answer(order: Order, task: Task) -> Answer:
    """Read one file within a limit of CPU time."""
    try:
        with cpu_limit(LIMIT_CPU_S, kill=True):
            return answer(order, task)
    except CpuLimitExceeded:
        return failed(order, task, TOO_LONG)


def failed(order: Order, task: Task, how: str) -> Answer:
    """Return the answer for a file that could not be read."""
    if order.is_program:
        return Answer(None, program=Translated(task.path, "", note=f"parsing {how}"))
    mtime_ns = time_of(f"{os.fsdecode(order.root)}/{real(task.path)}")
    return Answer(IndexedFile(task.path, "", mtime_ns, task.size_bytes, skipped="failed", notes=(f"parsing {how}",)))


def answer(order: Order, task: Task) -> Answer:
    """Read one file."""
    root = os.fsdecode(order.root)
    if order.is_program:
        from recollect.code.links.file_programs import translate

        return Answer(None, program=translate(root, task, order.max_bytes))
    found = read(root, task, order.max_bytes)
    return Answer(found) if isinstance(found, IndexedFile) else Answer(None, found)
