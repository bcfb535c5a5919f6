"""One client of a server: its name and protocol version, its pending and cancelled calls, and notifications to it.

    expect ─► (withdraw) ─► settle       a withdrawn call stops at its next progress report and gets no response

Calls run in their own threads while cancellations arrive in another; every method is one step on a set and needs no
lock.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from recollect.errors import Cancelled
from recollect.progress import Listener
from recollect.surface.mcp.jsonrpc import Reply, RequestId, is_id, notification

# About this many progress reports of a long task are sent; more would only fill the pipe.
PROGRESS_STEPS = 100
# A line of a status bar.
MESSAGE_CHARACTERS = 200


class Peer:
    """A client. `emit` sends it a notification, from any thread."""

    def __init__(self, emit: Callable[[Reply], None]) -> None:
        self.emit = emit
        self.version = ""
        self.client = ""
        self._waiting: set[RequestId] = set()
        self._withdrawn: set[RequestId] = set()

    def expect(self, *request_ids: RequestId) -> None:
        """Register calls that are pending, so that they can be withdrawn."""
        self._waiting.update(request_ids)

    def withdraw(self, *request_ids: RequestId) -> None:
        """Withdraw these pending calls, or all."""
        self._withdrawn.update(self._waiting.intersection(request_ids) if request_ids else tuple(self._waiting))

    def has_withdrawn(self, request_id: RequestId) -> bool:
        """Return whether the call was withdrawn."""
        return request_id in self._withdrawn

    def settle(self, *request_ids: RequestId) -> None:
        """Remove calls that ended."""
        self._waiting.difference_update(request_ids)
        self._withdrawn.difference_update(request_ids)

    def refuse_withdrawn(self, request_id: RequestId) -> None:
        """Raise Cancelled if the call was withdrawn."""
        if request_id in self._withdrawn:
            raise Cancelled("The client withdrew the request.")

    def listener(self, request_id: RequestId, token: object) -> Listener:
        """Return the progress callback of a call: it stops withdrawn work and notifies a client that sent a token."""
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
