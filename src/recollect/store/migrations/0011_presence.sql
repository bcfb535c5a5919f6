-- What was put before an assistant unasked: which memory, in which session, when, at which event and why. `mark` is that of
-- the observation that was the occasion (observations.mark). Never logged: nobody undoes that something was said.
CREATE TABLE injections (
    id         TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    memory_id  TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    at         INTEGER NOT NULL,
    event      TEXT NOT NULL,
    why        TEXT NOT NULL DEFAULT '',
    mark       TEXT NOT NULL DEFAULT ''
);
CREATE INDEX idx_injections_session_id ON injections (session_id, at);
CREATE INDEX idx_injections_memory_id ON injections (memory_id);
CREATE INDEX idx_injections_at ON injections (at);

-- How a session stood before its conversation was compacted, and since when its assistant has forgotten what was said
-- before: then it was compacted, or cleared.
ALTER TABLE sessions ADD COLUMN snapshot TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN window_at INTEGER NOT NULL DEFAULT 0;
