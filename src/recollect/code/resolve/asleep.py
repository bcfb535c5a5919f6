"""Asleep: functions of files that are only looked into, until somebody asks for what they do.

A group looks into hundreds of files and enters a few of their functions. What any other would do is not worked out: it
returns nothing to anybody here. A function wakes when it is called, or when an attribute that it gives something to is
asked of its class.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from recollect.code.resolve import execute
from recollect.code.resolve.program import Assign, Member

if TYPE_CHECKING:
    from recollect.code.resolve.frame import Frame
    from recollect.code.resolve.values import Function
    from recollect.code.resolve.world import World


def put_to_sleep(function: Function) -> None:
    """Let a function wait until it is needed."""
    function.is_asleep = True
    owner = function.frame.owner
    if owner is not None:
        for statement in function.scope.body:
            if isinstance(statement, Assign) and isinstance(statement.target, Member):
                owner.giving.setdefault(statement.target.name, []).append(function)


def wake(world: World, prepare: Callable[[Function], None], function: Function) -> None:
    """Evaluate a function body when the queue is empty."""
    if not function.is_asleep:
        return
    function.is_asleep = False
    world.woken += 1
    around: Frame | None = function.frame
    while around is not None:
        around.fill()
        around = around.parent

    def read() -> None:
        prepare(function)
        for frame in (function.frame, *world.parts.get(function, ())):
            execute.run(world, frame)

    world.work.later.append(read)
