-- Files of shared memories: what was last read of each, and the memory it became. Not logged: an undone import is not repeated.
CREATE TABLE shared_files (
    id        TEXT PRIMARY KEY,
    namespace TEXT NOT NULL,
    name      TEXT NOT NULL,
    key       TEXT NOT NULL,
    hash      TEXT NOT NULL,
    memory_id TEXT NOT NULL DEFAULT '',
    read_at   INTEGER NOT NULL
);
CREATE INDEX idx_shared_files_namespace ON shared_files (namespace);
CREATE INDEX idx_shared_files_memory ON shared_files (memory_id);

-- The latest write of a memory for the team server, by the memory's id; a sent one has the id that it has there.
CREATE TABLE team_writes (
    id        TEXT PRIMARY KEY,
    write_id  TEXT NOT NULL,
    project   TEXT NOT NULL,
    action    TEXT NOT NULL,
    remote_id TEXT NOT NULL DEFAULT '',
    made_at   INTEGER NOT NULL,
    due_at    INTEGER NOT NULL,
    tries     INTEGER NOT NULL DEFAULT 0,
    sent_at   INTEGER NOT NULL DEFAULT 0,
    failure   TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_team_writes_due ON team_writes (sent_at, due_at);

-- Calls with an access token, the latest ones: who read and wrote what.
CREATE TABLE token_calls (
    id         TEXT PRIMARY KEY,
    at         INTEGER NOT NULL,
    token_id   TEXT NOT NULL,
    name       TEXT NOT NULL,
    operation  TEXT NOT NULL,
    project    TEXT NOT NULL DEFAULT '',
    outcome    TEXT NOT NULL,
    memory_ids TEXT NOT NULL DEFAULT '[]',
    created    INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_token_calls_at ON token_calls (at);
CREATE INDEX idx_token_calls_token ON token_calls (token_id, at);
