"""One client of a server: the version it negotiated, the calls it waits for, and how to tell it something.

    expect ─► (withdraw) ─► settle       a withdrawn call stops at its next report and is never answered

Calls run in threads of their own while withdrawals arrive in another; every method is a single step on a set, which
needs no lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.errors import Cancelled
from recollect.progress import Listener
from recollect.surface.mcp.jsonrpc import Reply, RequestId, is_id, notification

# Of a long task with a known end, about this many steps are told; more would only fill the pipe.
PROGRESS_STEPS = 100
# A line of a status bar.
MESSAGE_CHARACTERS = 200


class Peer:
    """A client. `emit` sends it a notification, from any thread."""

    def __init__(self, emit: Callable[[Reply], None]) -> None:
        self.emit = emit
        self.version = ""
        self._waiting: set[RequestId] = set()
        self._withdrawn: set[RequestId] = set()

    def expect(self, *request_ids: RequestId) -> None:
        """Note that these calls will be answered later, so that withdrawing them counts from now on."""
        self._waiting.update(request_ids)

    def withdraw(self, *request_ids: RequestId) -> None:
        """Withdraw these calls, or all; what is not waiting is left alone."""
        self._withdrawn.update(self._waiting.intersection(request_ids) if request_ids else tuple(self._waiting))

    def has_withdrawn(self, request_id: RequestId) -> bool:
        """Tell whether nobody wants the answer to this call any more."""
        return request_id in self._withdrawn

    def settle(self, *request_ids: RequestId) -> None:
        """Forget calls that are over."""
        self._waiting.difference_update(request_ids)
        self._withdrawn.difference_update(request_ids)

    def refuse_withdrawn(self, request_id: RequestId) -> None:
        """Raise Cancelled if the call was withdrawn."""
        if request_id in self._withdrawn:
            raise Cancelled("The client withdrew the request.")

    def listener(self, request_id: RequestId, token: object) -> Listener:
        """Return what a call reports to: it stops withdrawn work, and tells a client with a token how far it is."""
        from recollect.render.untrusted import oneline  # a server starts without it

        told = 0.0

        def hear(done: int, total: int | None, message: str) -> None:
            nonlocal told
            self.refuse_withdrawn(request_id)
            step = (total or 0) / PROGRESS_STEPS if done != total else 0
            if not is_id(token) or done <= told or done - told < step:
                return
            told = done
            params: dict[str, Any] = {"progressToken": token, "progress": done}
            if total is not None:
                params["total"] = total
            if message:
                params["message"] = oneline(message, MESSAGE_CHARACTERS)
            self.emit(notification("notifications/progress", params))

        return hear
