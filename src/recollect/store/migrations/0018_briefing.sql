-- What a briefing is chosen by: the most important known memories of a type, the newest of these first.
DROP INDEX IF EXISTS idx_memories_context;
CREATE INDEX IF NOT EXISTS idx_memories_briefing ON memories (namespace, observed, superseded_by, memory_type, importance, seq);

-- What was changed and run lately in a project.
CREATE INDEX IF NOT EXISTS idx_observations_namespace ON observations (namespace, at);
