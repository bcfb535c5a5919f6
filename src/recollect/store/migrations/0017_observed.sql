-- What hooks saw is evidence: it answers a search only where no knowledge does. Fixes are knowledge.
ALTER TABLE memories ADD COLUMN observed INTEGER NOT NULL DEFAULT 0;
UPDATE memories SET observed = 1 WHERE source = 'hook' AND (category IS NULL OR category <> 'fix');
-- Which memories are observed is asked with every search; most stores of a library have none.
CREATE INDEX idx_memories_observed ON memories (observed, namespace) WHERE observed = 1;
