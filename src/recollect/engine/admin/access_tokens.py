"""Access tokens: who may call the operations over HTTP. Only the hash of a secret is stored."""

import hashlib
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import msgspec

from recollect import clock
from recollect.engine.records import input_checks
from recollect.engine.records.identity import PRIVATE, namespace_of, private_namespace
from recollect.errors import Conflict, Forbidden, InvalidInput, NotFound, StorageError, Unauthorized
from recollect.model import AccessScope, AccessToken, TokenCreated, TokenPage, TokenState, TokenView
from recollect.operations import operation
from recollect.text.time_arguments import read_age, read_moment

if TYPE_CHECKING:
    from recollect.engine.admin.oidc_tokens import OidcTokens
    from recollect.engine.context import Context

# A secret is PREFIX, the id of its token, "_", and 256 random bits. Redaction knows it by the prefix.
PREFIX: Final = "rcl_"
ID_BYTES = 6
RANDOM_BYTES = 32
# Longer text is no secret of ours: it is refused before it is hashed.
MAX_SECRET_CHARACTERS = 128
# The last use is recorded at most so often: a request must not become a write.
USE_RECORDED_S = 60
SCOPES: tuple[AccessScope, ...] = ("read", "write", "admin")


class Grant(NamedTuple):
    """The rights of a caller: a scope, and the projects it is limited to; no projects: all of them."""

    token_id: str
    name: str
    scope: AccessScope
    projects: tuple[str, ...]


# A caller on this machine who needs no token.
LOCAL: Final = Grant("", "local", "admin", ())


class AccessTokens:
    """Creates, lists, revokes and checks access tokens."""

    def __init__(self, context: "Context") -> None:
        self._context = context
        self._recorded: dict[str, int] = {}

    @operation("create_token", "create-token")
    def create(
        self,
        name: str,
        *,
        scope: AccessScope = "read",
        projects: tuple[str, ...] = (),
        person: str | None = None,
        expires: str = "90d",
    ) -> TokenCreated:
        """Create an access token for the HTTP server. The answer shows its secret once.

        Only a hash of the secret is stored. Scope read can search, write can also store and change memories, admin can
        do everything: delete projects, name files of this machine, manage tokens. A lost token is revoked and replaced.

        name: what it is for, such as ci
        scope: write includes read, admin includes both
        projects: limit it to these, path or name; default: all projects
        person: limit it to the projects and the namespace private:PERSON
        expires: age like 90d, a date, or never
        """
        import secrets

        self._refuse_assistant("create-token")
        now = clock.now()
        token_id = secrets.token_hex(ID_BYTES)
        secret = f"{PREFIX}{token_id}_{secrets.token_urlsafe(RANDOM_BYTES)}"
        token = AccessToken(
            id=token_id,
            name=input_checks.name("name", input_checks.label("name", name)),
            hash=_hash(secret),
            scope=cast(AccessScope, input_checks.one_of("scope", scope, SCOPES)),
            projects=_projects(projects, person),
            created_at=now,
            expires_at=_expiry(expires, now),
        )
        with self._context.store.transaction("create_token") as transaction:
            if transaction.find(AccessToken, {"name": token.name, "revoked_at": None}, limit=1):
                hint = f"Choose another name, or run `recollect admin revoke-token {token.name}` first."
                raise Conflict(f"there is already a token named {token.name}", hint=hint, name=token.name)
            transaction.insert(token)
        return TokenCreated(token=_view(token, now), secret=secret)

    @operation("list_tokens", "tokens", read_only=True)
    def list(self) -> TokenPage:
        """List access tokens with scope, projects, expiry and last use. Secrets are never shown."""
        now = clock.now()
        rows = self._context.store.find(AccessToken, order="-created_at")
        return TokenPage(tokens=tuple(_view(row, now) for row in rows))

    @operation("revoke_token", "revoke-token", destructive=True, idempotent=True)
    def revoke(self, token: str) -> TokenView:
        """Revoke an access token. The next request with it is refused, and `undo` does not bring it back.

        token: id or name of the token
        """
        self._refuse_assistant("revoke-token")
        given = input_checks.text("token", token).strip()
        now = clock.now()
        with self._context.store.transaction("revoke_token") as transaction:
            found = transaction.get(AccessToken, [given])
            found = found or transaction.find(AccessToken, {"name": given}, order="-created_at")
            if not found:
                hint = "`recollect admin tokens` lists the tokens."
                raise NotFound(f"no access token has the id or name {given}", hint=hint, token=given)
            # Of several with one name at most one is not revoked.
            row = min(found, key=lambda each: each.revoked_at is not None)
            if row.revoked_at is None:
                row = transaction.update(AccessToken, row.id, {"revoked_at": now})
        return _view(row, now)

    def check(self, secret: str) -> Grant:
        """Return the rights of the token with this secret, ours or of the OIDC issuer. Raises Unauthorized.

        The database is asked each time, so that a token revoked by another process is refused at once.
        """
        import hmac

        if self.oidc is not None and not secret.startswith(PREFIX):
            return Grant(*self.oidc.check(secret))
        row = self._named_by(secret)
        # Every wrong secret gets the same answer; only the holder of a right one learns that it has expired.
        if row is None or not hmac.compare_digest(_hash(secret), row.hash):
            raise Unauthorized("the access token is not valid")
        now = clock.now()
        state = _state(row, now)
        if state != "active":
            hint = "Create a new one with `recollect admin create-token`."
            raise Unauthorized(f"the access token {row.name} is {state}", hint=hint)
        self._record_use(row, now)
        return Grant(row.id, row.name, row.scope, row.projects)

    @cached_property
    def oidc(self) -> "OidcTokens | None":
        """The issuer whose tokens count too; None: there is none. Raises ConfigError for wrong settings."""
        if not self._context.settings.oidc_issuer:
            return None
        from recollect.engine.admin.oidc_tokens import OidcTokens

        return OidcTokens(self._context.settings)

    def _named_by(self, secret: str) -> AccessToken | None:
        """Return the token whose id is in a secret. Ids are not secret: how long a look-up takes may show."""
        is_ours = isinstance(secret, str) and secret.isascii() and secret.startswith(PREFIX)
        if not is_ours or len(secret) > MAX_SECRET_CHARACTERS:
            return None
        token_id = secret.removeprefix(PREFIX).partition("_")[0]
        return next(iter(self._context.store.get(AccessToken, [token_id])), None)

    def _record_use(self, row: AccessToken, now: int) -> None:
        if now - max(row.last_used_at or 0, self._recorded.get(row.id, 0)) < USE_RECORDED_S:
            return
        self._recorded[row.id] = now
        # A statistic: a busy or read-only store must not refuse a request.
        with suppress(StorageError), self._context.store.transaction("use_token", patiently=False) as transaction:
            transaction.update(AccessToken, row.id, {"last_used_at": now})

    def _refuse_assistant(self, command: str) -> None:
        """Raise Forbidden for an assistant: text that it reads must not make it hand out access."""
        if self._context.writes_as == "assistant":
            hint = f"Run `recollect admin {command}` in a terminal."
            raise Forbidden("an assistant cannot create or revoke access tokens", hint=hint)


def _hash(secret: str) -> str:
    """Return what is kept of a secret.

    One round of SHA-256 is enough: 256 random bits cannot be guessed, however fast a guess is. Slow hashes are for
    passwords that people choose.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


def _projects(values: object, person: object) -> tuple[str, ...]:
    """Return namespaces, each once. None of them may be blank: that would mean memories of all projects."""
    found = [namespace_of(value) for value in input_checks.several("projects", values)]
    if None in found:
        raise InvalidInput("projects contains an empty name", hint="Omit projects for all projects.", field="projects")
    if any(name.startswith(PRIVATE) for name in found if name is not None):
        raise InvalidInput(
            "projects contains a private namespace", hint="Name its owner with --person.", field="projects"
        )
    if person is not None:
        found.insert(0, private_namespace(input_checks.name("person", input_checks.label("person", person))))
    return tuple(dict.fromkeys(name for name in found if name is not None))


def _expiry(expires: object, now: int) -> int | None:
    """Return when a token expires: after an age, or at the end of a date; None: never."""
    text = input_checks.text("expires", expires).strip()
    if text.lower() == "never":
        return None
    age = None if text.lower().endswith("ago") else read_age(text)
    moment = now + age if age is not None else read_moment(text, now, last=True)
    if moment is None or not now < moment <= input_checks.LAST_SECOND:
        hint = "Use an age like 90d, a date in the future like 2027-11-15, or never."
        raise InvalidInput(f'expires cannot be "{text}"', hint=hint, field="expires")
    return moment


def _state(row: AccessToken, now: int) -> TokenState:
    if row.revoked_at is not None:
        return "revoked"
    return "expired" if row.expires_at is not None and row.expires_at <= now else "active"


def _view(row: AccessToken, now: int) -> TokenView:
    shown = {name: value for name, value in msgspec.structs.asdict(row).items() if name != "hash"}
    return TokenView(state=_state(row, now), **shown)
