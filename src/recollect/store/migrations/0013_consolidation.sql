-- A run of a cycle of consolidation, besides what document 002 says of it: whose changes it made (changes.batch), when it
-- had finished, and when it was taken back; 0: it was not. A run is entered before it begins, so that no other process
-- begins the same one.
ALTER TABLE consolidation_log ADD COLUMN batch TEXT NOT NULL DEFAULT '';
ALTER TABLE consolidation_log ADD COLUMN finished_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE consolidation_log ADD COLUMN undone_at INTEGER NOT NULL DEFAULT 0;
CREATE INDEX idx_consolidation_log_batch ON consolidation_log (batch);

-- What is archived has expired. Most memories never do: every recall asks whether any has.
CREATE INDEX idx_memories_expires_at ON memories (expires_at) WHERE expires_at IS NOT NULL;
