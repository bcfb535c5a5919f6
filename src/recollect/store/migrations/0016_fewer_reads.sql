-- What the context of a session is chosen by: with all of it in one index, no row is read that is not shown.
CREATE INDEX IF NOT EXISTS idx_memories_context ON memories (namespace, superseded_by, source, importance, created_at, seq);

-- New vectors are found by their stamp; with the part before it, all vectors of the model were looked at.
DROP INDEX IF EXISTS idx_memory_embeddings_model;
CREATE INDEX IF NOT EXISTS idx_memory_embeddings_stamp ON memory_embeddings (model, stamp, part);
