-- When a memory is from: since when it holds or when it was said, otherwise when it was stored. Questions name times.
CREATE INDEX idx_memories_said ON memories ((coalesce(valid_from, created_at)));
