"""Answers about access tokens. None has a hash; a secret is in the answer to its creation alone."""

from __future__ import annotations

from recollect.model.vocabulary import AccessScope, Record, TokenState


class TokenView(Record, frozen=True, kw_only=True):
    """An access token as people see it.

    projects: those it is limited to; empty: all projects. state: whether it can be used now
    """

    id: str
    name: str
    scope: AccessScope
    projects: tuple[str, ...] = ()
    state: TokenState = "active"
    created_at: int
    expires_at: int | None = None
    last_used_at: int | None = None
    revoked_at: int | None = None


class TokenCreated(Record, frozen=True, kw_only=True):
    """A new access token and its secret, which is shown this once."""

    token: TokenView
    secret: str


class TokenPage(Record, frozen=True, kw_only=True):
    """Access tokens, the newest first."""

    tokens: tuple[TokenView, ...]
