-- A briefing reads what was said here and what was imported apart: without its source and category in the index, every
-- memory of a project was read to find that none was imported (100 ms at 100,000).
DROP INDEX IF EXISTS idx_memories_briefing;
CREATE INDEX idx_memories_briefing ON memories (namespace, observed, superseded_by, memory_type, importance, seq, source, category);
