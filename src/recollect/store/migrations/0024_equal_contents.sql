-- SQLite prefers the index with more known columns: by that of briefings, each store read all memories of its project to
-- find an equal one, and importing 90,000 took half an hour.
DROP INDEX IF EXISTS idx_memories_content_hash;
CREATE INDEX idx_memories_content_hash ON memories (content_hash, namespace, observed, superseded_by);
