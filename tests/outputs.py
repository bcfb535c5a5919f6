"""Outputs of real tools, from outputs.txt: a command, what it printed, and how it ended as far as that proves it.

A head `#: failed [class] $ command` starts each; the classes are those that a field test tried with Codex.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_HEAD = re.compile(r"^#: (?P<outcome>failed|ok|unknown)(?: \[(?P<name>.*)\])? \$ (?P<command>.+)\n", re.MULTILINE)


class Output(NamedTuple):
    """One run of a command. outcome: failed, ok, or empty where nothing proves it"""

    command: str
    text: str
    outcome: str
    field_test: str


def outputs() -> list[Output]:
    """Return every sample, in the order of the file."""
    whole = Path(__file__).with_suffix(".txt").read_text()
    heads = list(_HEAD.finditer(whole))
    ends = [head.start() for head in heads[1:]] + [len(whole)]
    return [
        Output(
            head["command"],
            whole[head.end() : end].strip("\n"),
            head["outcome"].replace("unknown", ""),
            head["name"] or "",
        )
        for head, end in zip(heads, ends, strict=True)
    ]
