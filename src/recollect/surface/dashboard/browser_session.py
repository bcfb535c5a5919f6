"""Sessions of browsers: an address that works once, exchanged for a cookie.

    address with a ticket ─► used once, within TICKET_S ─► cookie ─► grant, until the process ends

The ticket may stay in the history of the browser and of the terminal; after its use it opens nothing. The cookie is not
readable by scripts and is not sent with requests of other sites.
"""

from __future__ import annotations

import hmac
import secrets
import time
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.datastructures import Headers

    from recollect.engine import Grant

# Long enough to copy the address to a browser.
TICKET_S = 300
RANDOM_BYTES = 32
# Browsers send cookies of one host to all its ports: the port in the name keeps two servers apart.
COOKIE = "recollect_{port}"


class BrowserSession:
    """The one session of a dashboard process."""

    def __init__(self, grant: Grant, port: int) -> None:
        self.grant = grant
        self.ticket = secrets.token_urlsafe(RANDOM_BYTES)
        self._expires = time.monotonic() + TICKET_S
        self._name = COOKIE.format(port=port)
        self._secret = secrets.token_urlsafe(RANDOM_BYTES)
        self._is_used = False

    def redeem(self, ticket: str) -> str:
        """Return the Set-Cookie header for a valid ticket, which is used up by this; empty if it is not valid."""
        if not _same(ticket, self.ticket) or self._is_used or time.monotonic() > self._expires:
            return ""
        self._is_used = True
        return f"{self._name}={self._secret}; Path=/; HttpOnly; SameSite=Strict"

    def grant_of(self, headers: Headers) -> Grant | None:
        """Return the rights of a request by its cookie; None without a valid one."""
        try:
            found = SimpleCookie(headers.get("cookie", "")).get(self._name)
        except CookieError:
            return None
        return self.grant if found is not None and _same(found.value, self._secret) else None


def _same(given: str, secret: str) -> bool:
    return hmac.compare_digest(given.encode(), secret.encode())
