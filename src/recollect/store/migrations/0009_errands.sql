-- What is left for a language model to do, one row each, until it is done or given up. A queue: emptying it leaves every
-- memory as it is. `target` is the memory or the session it is about, `due_at` when it may be begun; taking one moves that
-- on, so that no other process takes it, and so that it comes back if whoever took it dies.
CREATE TABLE errands (
    id      TEXT PRIMARY KEY,
    kind    TEXT NOT NULL,
    target  TEXT NOT NULL,
    made_at INTEGER NOT NULL,
    due_at  INTEGER NOT NULL,
    tries   INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_errands_due_at ON errands (due_at);
