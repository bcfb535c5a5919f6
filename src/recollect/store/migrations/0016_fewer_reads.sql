-- What the context of a session is chosen by: with all of it in one index, no row is read that is not shown.
CREATE INDEX idx_memories_context ON memories (namespace, superseded_by, source, importance, created_at, seq);
