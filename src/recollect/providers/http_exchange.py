"""JSON requests to a provider over HTTP, with retries, limits and checked answers.

    connection error, time-out, 408, 429, 5xx  ─► wait, retry       everything else  ─► fail at once

Nothing leaves the machine but the request: a redirect is not followed (it would carry the key to wherever it points),
and a service on this machine is never reached through a proxy. The key is in no message, hint or detail.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec

from recollect import clock
from recollect.errors import ConfigError, InvalidInput, ProviderError
from recollect.parsing import parse_json

if TYPE_CHECKING:
    from http.client import HTTPResponse
    from urllib.error import HTTPError
    from urllib.request import OpenerDirector, Request

Answer = TypeVar("Answer")

FIRST_PAUSE_S = 0.5  # doubled after each try: three retries wait at most 3.5 s, about what loading a model takes
MAX_PAUSE_S = 30.0  # however long a service asks us to wait: a user waits for the caller
MAX_ANSWER_BYTES = 64 * 2**20  # 64 vectors of 16,384 numbers, the largest we ask for, are about 23 MB of JSON
MAX_SAID_BYTES = 8_192  # read of what comes with an error status; half is looked at, so no key straddles its end
EXCERPT_CHARACTERS = 200  # of what a service says about an error: enough for its sentence, too little to fill a log

PASSING_STATUSES = frozenset({408, 429})  # and every 5xx
KEY_STATUSES = frozenset({401, 403})  # the words that come with these may quote the key, so they are not repeated

HINTS = {
    401: "Check the key of this provider.",
    403: "Check the key of this provider and its permissions.",
    404: "Check the provider's address and the model name. A local model must be pulled first.",
    429: "The provider's rate limit is reached: try again later.",
}


def _chance() -> float:
    return int.from_bytes(os.urandom(4)) / 2**32


class Patience(NamedTuple):
    """The timeout of one answer and the number of retries; tests replace `sleep` and `chance`."""

    timeout_s: float = 30.0
    retries: int = 3
    sleep: Callable[[float], None] = time.sleep
    chance: Callable[[], float] = _chance  # from 0 to 1: spreads the retries of many processes


class _Fault(NamedTuple):
    """Why there is no answer, and whether a retry may help."""

    reason: str
    status: int = 0
    is_passing: bool = True
    asked_pause_s: float | None = None


class Exchange:
    """The connection to one service: its name, address, key and patience."""

    def __init__(
        self,
        name: str,
        url: str,
        *,
        failure: type[ProviderError] = ProviderError,
        headers: Mapping[str, str] | None = None,
        secret: str = "",
        patience: Patience | None = None,
        max_bytes: int = MAX_ANSWER_BYTES,
    ) -> None:
        """Send nothing yet. Raises ConfigError for an address or key that cannot be used.

        `failure` is the class of every error raised later; `secret` is what must never be shown of `headers`.
        """
        from urllib.parse import urlsplit

        if not (secret.isascii() and secret.isprintable()):
            raise ConfigError(f"the key of {name} contains invalid characters", provider=name)
        _check_address(name, url)
        self.name = name
        self._parts = urlsplit(url)
        self.url = f"{self._parts.scheme}://{self._parts.netloc}{self._parts.path.rstrip('/')}"
        self._failure = failure
        self._headers = {"Content-Type": "application/json", "User-Agent": "recollect", **(headers or {})}
        self._secret = secret
        self._patience = patience or Patience()
        self._max_bytes = max_bytes

    def post(self, path: str, body: Mapping[str, Any], answer: type[Answer]) -> Answer:
        """Return what the service answers to `body`, as a value of the type `answer`.

        Raises the `failure` of this exchange when no answer comes, or one of another form. One try takes at most twice
        `timeout_s`: once for the first byte, once for all of them.
        """
        from urllib.request import Request

        query = f"?{self._parts.query}" if self._parts.query else ""
        address = f"{self.url}{path}{query}"
        request = Request(address, msgspec.json.encode(body), self._headers)  # noqa: S310 - http or https, checked
        return self._parsed(request, answer)

    def get(self, path: str, answer: type[Answer]) -> Answer:
        """Return what the service has at `path`, as `post` does."""
        from urllib.request import Request

        query = f"?{self._parts.query}" if self._parts.query else ""
        return self._parsed(Request(f"{self.url}{path}{query}", headers=self._headers), answer)  # noqa: S310 - checked

    def _parsed(self, request: Request, answer: type[Answer]) -> Answer:
        content = self._patiently(request)
        try:
            read: Answer = parse_json(content, what="its content", kind=answer)
            return read
        except InvalidInput as problem:
            raise self.failed(f"returned an unreadable response: {problem.message}") from None

    def failed(self, what: str, *, hint: str = "", **details: Any) -> ProviderError:
        """Return the error to raise, without the key in its message."""
        message = f"{self.name} at {self.url} {self._hide_key(what)}"
        return self._failure(message, hint=hint, provider=self.name, url=self.url, **details)

    def _hide_key(self, text: str) -> str:
        return text.replace(self._secret, "***") if self._secret else text

    def _patiently(self, request: Request) -> bytes:
        tries, outcome = 1, self._once(request)
        while isinstance(outcome, _Fault) and outcome.is_passing and tries <= self._patience.retries:
            self._patience.sleep(self._pause_s(tries, outcome.asked_pause_s))
            tries, outcome = tries + 1, self._once(request)
        if isinstance(outcome, bytes):
            return outcome
        what = f"{outcome.reason} ({tries} tries)" if tries > 1 else outcome.reason
        raise self.failed(what, hint=HINTS.get(outcome.status, ""), status=outcome.status, tries=tries)

    def _pause_s(self, tries: int, asked_s: float | None) -> float:
        """Return the pause after so many tries: as asked, otherwise doubling with jitter."""
        if asked_s is None:
            asked_s = FIRST_PAUSE_S * 2 ** (tries - 1) * (1 - self._patience.chance() / 2)
        return min(asked_s, MAX_PAUSE_S)

    def _once(self, request: Request) -> bytes | _Fault:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError

        try:
            with self._opener.open(request, timeout=self._patience.timeout_s) as response:
                return self._content(response)
        except HTTPError as problem:
            with problem:
                return self._refusal(problem)
        except URLError as problem:
            return self._silence(problem.reason)
        except (OSError, HTTPException, UnicodeError) as problem:  # the last: a host name that cannot be looked up
            return self._silence(problem)

    def _silence(self, problem: object) -> _Fault:
        if isinstance(problem, TimeoutError):
            return _Fault(f"timed out after {self._patience.timeout_s:g} s")
        return _Fault(f"did not answer: {str(problem) or type(problem).__name__}")

    def _refusal(self, problem: HTTPError) -> _Fault:
        status = problem.code
        said = "" if status in KEY_STATUSES else self._said(problem)
        return _Fault(
            f"returned {status} {problem.reason}{f': {said}' if said else ''}",
            status,
            status in PASSING_STATUSES or status >= 500,
            _retry_after_s(problem.headers.get("Retry-After", "")),
        )

    def _said(self, problem: HTTPError) -> str:
        """Return the start of an error body on one line; the key is hidden before the cut."""
        from http.client import HTTPException

        try:
            text = problem.read(MAX_SAID_BYTES).decode("utf-8", "replace")
        except (OSError, HTTPException):
            return ""
        return " ".join(self._hide_key(text)[: MAX_SAID_BYTES // 2].split())[:EXCERPT_CHARACTERS]

    def _content(self, response: HTTPResponse) -> bytes | _Fault:
        content = bytearray()
        deadline = time.monotonic() + self._patience.timeout_s
        while piece := response.read1(2**16):
            content += piece
            if len(content) > self._max_bytes:
                return _Fault(f"returned more than {self._max_bytes // 2**20} MB", is_passing=False)
            if time.monotonic() > deadline:
                return self._silence(TimeoutError())
        if response.length:
            return _Fault("closed the connection before the end of its response")
        return bytes(content)

    @cached_property
    def _opener(self) -> OpenerDirector:
        from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

        class Stay(HTTPRedirectHandler):
            def redirect_request(self, *_: Any) -> None:
                return None

        host = self._parts.hostname or ""
        is_here = host in ("localhost", "::1", "0.0.0.0") or host.startswith("127.")  # noqa: S104 - asked, not bound
        return build_opener(ProxyHandler({} if is_here else None), Stay())


def _check_address(name: str, url: str) -> None:
    """Raise ConfigError unless `url` is usable; never quotes it, as it may hold a password."""
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not url.isascii() or not url.isprintable() or " " in url:
        raise ConfigError(
            f"the address of {name} is not a web address",
            hint="Use http://host:port or https://host/path.",
            provider=name,
        )
    if parts.username is not None:
        raise ConfigError(
            f"the address of {name} contains a user name or password",
            hint="Remove it from the address and set the key separately.",
            provider=name,
        )


def _retry_after_s(value: str) -> float | None:
    """Return the seconds of a Retry-After header, a number or a date; None if unreadable."""
    from email.utils import parsedate_to_datetime

    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - clock.now())
    except (ValueError, OverflowError):
        return None
