"""OIDC tokens: accept tokens of an issuer whose claims the settings map to rights.

    token ─► key of the issuer, by kid ─► signature, issuer, audience, times ─► first grant whose claim fits ─► Grant

Only RS256 and ES256 are accepted. The type of the issuer's key decides which one, so a token cannot choose how it is
checked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args
from urllib.parse import urlsplit

from recollect.engine.records.identity import namespace_of, private_namespace
from recollect.errors import ConfigError, ProviderError, RecollectError, Unauthorized
from recollect.model import AccessScope
from recollect.providers.http_exchange import Exchange, Patience
from recollect.text.display import oneline

if TYPE_CHECKING:
    from jwt import PyJWK

    from recollect.settings import Settings

# The algorithm of a key, by its type and curve. Symmetric ones and `none` are not among them.
ALGORITHMS: Mapping[tuple[str, str], str] = {("RSA", ""): "RS256", ("EC", "P-256"): "ES256"}
LEAST_RSA_BITS = 2_048
MAX_TOKEN_CHARACTERS = 8_192
# More keys than any issuer has in rotation.
MAX_KEYS = 100
# Keys are fetched again after an hour; for an unknown one, and after a failure, at most once a minute: strangers send
# what they like.
KEYS_S = 3_600.0
REFETCH_S = 60.0
TIMEOUT_S = 5.0
# Clocks of machines differ.
LEEWAY_S = 30
NAME_CHARACTERS = 100
ANYTHING = "*"
# In a grant: the private namespace of the person.
MINE = "me"


class ClaimGrant(NamedTuple):
    """The rights of everybody who has a claim with a value."""

    claim: str
    value: str
    scope: AccessScope
    projects: tuple[str, ...]

    def fits(self, claims: Mapping[str, Any]) -> bool:
        """Tell whether claims have the value: as text, in a list, or among the words of `scope`."""
        found = claims.get(self.claim)
        values = found if isinstance(found, list) else str(found or "").split() if self.claim == "scope" else [found]
        return found not in (None, "", []) and (self.value == ANYTHING or self.value in values)


class Person(NamedTuple):
    """The holder of a token and their rights, in the order of a Grant."""

    id: str
    name: str
    scope: AccessScope
    projects: tuple[str, ...]


class OidcTokens:
    """Checks tokens of one issuer."""

    def __init__(self, settings: Settings) -> None:
        """Raises ConfigError for settings that cannot be used, and if PyJWT is not installed."""
        try:
            import jwt  # noqa: F401
        except ImportError:
            hint = 'Install it: pip install "recollect[teams]". Or remove the setting oidc_issuer.'
            raise ConfigError("tokens of an OIDC issuer need PyJWT", hint=hint, setting="oidc_issuer") from None
        self._issuer = settings.oidc_issuer.rstrip("/")
        self._names = {settings.oidc_issuer, self._issuer}
        self._audience = settings.oidc_audience
        if not self._audience:
            hint = "Set it to the name under which the issuer knows this server."
            raise ConfigError("oidc_issuer needs oidc_audience", hint=hint, setting="oidc_audience")
        _check_address(self._issuer)
        self._grants = tuple(map(_parse, settings.oidc_grants))
        if not self._grants:
            hint = "For example groups:developers=write, or sub:*=read for everybody."
            raise ConfigError("oidc_issuer needs oidc_grants", hint=hint, setting="oidc_grants")
        self._keys: dict[str, PyJWK] = {}
        self._stale_at = self._again_at = 0.0
        self._problem: RecollectError | None = None
        self._lock = threading.Lock()

    def check(self, token: str) -> Person:
        """Return who holds a token, and their rights. Raises Unauthorized, and ProviderError without the issuer."""
        import jwt

        wrong = Unauthorized("the access token is not valid")
        if len(token) > MAX_TOKEN_CHARACTERS or not token.isascii() or token.count(".") != 2:
            raise wrong
        try:
            key = self._key(jwt.get_unverified_header(token))
            if key is None:
                raise wrong
            claims = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm_name],
                audience=self._audience,
                issuer=list(self._names),
                leeway=LEEWAY_S,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise Unauthorized("the access token has expired", hint="Sign in again.") from None
        except (jwt.PyJWTError, ValueError, TypeError):
            raise wrong from None
        return self._grant(claims)

    def _grant(self, claims: Mapping[str, Any]) -> Person:
        subject = str(claims["sub"])
        named = next((claims[name] for name in ("preferred_username", "email") if claims.get(name)), subject)
        for grant in self._grants:
            if grant.fits(claims):
                name = oneline(str(named), NAME_CHARACTERS)
                own = tuple(private_namespace(f"oidc-{subject}") if each == MINE else each for each in grant.projects)
                return Person(f"oidc:{subject}"[:NAME_CHARACTERS], name, grant.scope, own)
        hint = "Ask an administrator of the server to map one of your groups in oidc_grants."
        raise Unauthorized("no claim of the access token grants anything here", hint=hint)

    def _key(self, header: Mapping[str, Any]) -> PyJWK | None:
        """Return the issuer's key of a token, if the token says the algorithm of that key."""
        name, now = str(header.get("kid", "")), time.monotonic()
        with self._lock:
            if now >= self._stale_at or (name not in self._keys and now >= self._again_at):
                self._fetch(now)
            if not self._keys and self._problem is not None:
                raise self._problem
            only = next(iter(self._keys.values())) if len(self._keys) == 1 and not name else None
            key = self._keys.get(name, only)
        return key if key is not None and header.get("alg") == key.algorithm_name else None

    def _fetch(self, now: float) -> None:
        """Fetch the keys; the old ones stay if the issuer does not answer, and it is not asked for each token."""
        self._stale_at = self._again_at = now + REFETCH_S
        try:
            about = _get(f"{self._issuer}/.well-known/openid-configuration")
            if about.get("issuer") not in self._names:
                raise ProviderError(f"{self._issuer} says that its name is another one")
            address = str(about.get("jwks_uri", ""))
            _check_address(address)
            found = _get(address).get("keys")
        except RecollectError as problem:
            self._problem = problem
            return
        made = (_made(key) for key in (found if isinstance(found, list) else [])[:MAX_KEYS])
        self._keys = {str(key.key_id or ""): key for key in made if key is not None}
        self._stale_at, self._problem = now + KEYS_S, None


def _made(data: object) -> PyJWK | None:
    """Return a key of the issuer; None for one that does not count here."""
    import jwt

    if not isinstance(data, dict) or data.get("use", "sig") != "sig":
        return None
    algorithm = ALGORITHMS.get((str(data.get("kty")), str(data.get("crv", ""))))
    if algorithm is None or data.get("alg", algorithm) != algorithm:
        return None
    try:
        key = jwt.PyJWK(data, algorithm=algorithm)
    except (jwt.PyJWTError, ValueError, TypeError):
        return None
    return key if algorithm != "RS256" or key.key.key_size >= LEAST_RSA_BITS else None


def _get(address: str) -> dict[str, Any]:
    exchange = Exchange("the OIDC issuer", address, patience=Patience(timeout_s=TIMEOUT_S, retries=0))
    return exchange.get("", dict[str, Any])


def _check_address(address: str) -> None:
    """Raise ConfigError unless an address has TLS, or is on this machine."""
    parts = urlsplit(address)
    is_here = parts.hostname in ("127.0.0.1", "localhost", "::1")
    if parts.scheme != "https" and not (parts.scheme == "http" and is_here):
        hint = "Keys must come over TLS: a person who can change them can sign tokens."
        raise ConfigError("the address of the OIDC issuer must begin with https://", hint=hint, setting="oidc_issuer")


def _parse(text: str) -> ClaimGrant:
    """Return a grant written as claim:value=scope, or claim:value=scope@project+project."""
    left, equals, right = text.rpartition("=")
    claim, colon, value = left.partition(":")
    scope, at, names = right.partition("@")
    projects = tuple(namespace_of(name) or "" for name in names.split("+")) if at else ()
    if not (equals and colon and claim and value) or scope not in get_args(AccessScope) or "" in projects:
        hint = "Write claim:value=scope, or claim:value=scope@project+project."
        raise ConfigError(f'oidc_grants cannot be "{text}"', hint=hint, setting="oidc_grants")
    return ClaimGrant(claim, value, cast("AccessScope", scope), projects)
