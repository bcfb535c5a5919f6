-- What hooks saw. Derived from what assistants handed over, never logged: nobody undoes that something happened.

-- One event of a session. `id` is the name of the spooled payload, which is how each is kept exactly once; `mark` tells
-- two deliveries of the same event. Names sort by time.
CREATE TABLE observations (
    id          TEXT PRIMARY KEY,
    mark        TEXT NOT NULL,
    at          INTEGER NOT NULL,
    session_id  TEXT,
    namespace   TEXT,
    assistant   TEXT NOT NULL DEFAULT '',
    event       TEXT NOT NULL,
    tool        TEXT NOT NULL DEFAULT '',
    target      TEXT NOT NULL DEFAULT '',
    outcome     TEXT NOT NULL DEFAULT '',
    fingerprint TEXT NOT NULL DEFAULT '',
    told        TEXT NOT NULL DEFAULT '',
    memory_id   TEXT
);
CREATE INDEX idx_observations_mark ON observations (mark);
CREATE INDEX idx_observations_session_id ON observations (session_id, id);
CREATE INDEX idx_observations_target ON observations (target, tool);
CREATE INDEX idx_observations_at ON observations (at);

-- What made a failure go away, by the fingerprint of its error; `id` is the observation that failed, so that each is
-- counted once however often it is looked at.
CREATE TABLE fixes (
    id          TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    namespace   TEXT,
    memory_id   TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    error       TEXT NOT NULL DEFAULT '',
    steps       TEXT NOT NULL DEFAULT '[]',
    seen_at     INTEGER NOT NULL
);
CREATE INDEX idx_fixes_fingerprint ON fixes (fingerprint);
CREATE INDEX idx_fixes_memory_id ON fixes (memory_id);

-- Which assistant, on which branch, when it was last heard of, how it ended, and the memory that sums it up.
ALTER TABLE sessions ADD COLUMN assistant TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN branch TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN seen_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN ended_by TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN insight_id TEXT;
