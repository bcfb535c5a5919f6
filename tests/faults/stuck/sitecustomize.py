"""Loaded at the start of every Python process whose PYTHONPATH names this folder: prompts that hang the process.

    stuck: python    a loop of Python
    stuck: regex     a regular expression that backtracks for years
    stuck: native    a loop of native code, which no signal handler interrupts
    stuck: waiting   waits for ever
    stuck: told      a loop of Python

The last two write the id of their process to $STUCK_STARTED and hold that pipe until the process ends.
"""

import os
import re
import signal
from typing import Any

from recollect.engine.sessions import spool_drain
from recollect.engine.sessions.hook_ingest import EventReader

_of_bytes = EventReader.parse

if "STUCK_CPU_S" in os.environ:
    spool_drain.LIMIT_CPU_S = float(os.environ["STUCK_CPU_S"])


def tell() -> None:
    os.write(os.open(os.environ["STUCK_STARTED"], os.O_WRONLY), b"%d\n" % os.getpid())


def wait() -> None:
    tell()
    while True:
        signal.pause()


def loop() -> None:
    while True:
        pass


def tell_and_loop() -> None:
    tell()
    loop()


STUCK = {
    b"stuck: python": loop,
    b"stuck: regex": lambda: re.match(r"(a|a)*$", "a" * 100 + "b"),
    b"stuck: native": lambda: sum(range(10**15)),
    b"stuck: waiting": wait,
    b"stuck: told": tell_and_loop,
}


def of_bytes(self: EventReader, raw: bytes, *values: Any, **named: Any) -> Any:
    for sign, hang in STUCK.items():
        if sign in raw:
            hang()
    return _of_bytes(self, raw, *values, **named)


EventReader.parse = of_bytes  # type: ignore[method-assign]
