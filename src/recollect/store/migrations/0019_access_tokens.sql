-- Access tokens for HTTP: the hash of each secret, and what it allows. Not logged: an undo must not revive a revoked token.
CREATE TABLE access_tokens (
    id           TEXT PRIMARY KEY,
    name         TEXT NOT NULL,
    hash         TEXT NOT NULL,
    scope        TEXT NOT NULL,
    projects     TEXT NOT NULL DEFAULT '[]',
    created_at   INTEGER NOT NULL,
    expires_at   INTEGER,
    last_used_at INTEGER,
    revoked_at   INTEGER
);
