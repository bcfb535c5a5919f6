"""All operations: those of the engine, and those of the libraries that use it."""

from recollect.engine import OPERATIONS as ENGINE
from recollect.hierarchy.context_window import ContextWindow
from recollect.operations import Operation, collect

OPERATIONS: dict[str, Operation] = {**ENGINE, **collect({"window": ContextWindow}, on_top=True)}
