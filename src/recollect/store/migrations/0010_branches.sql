-- Where a memory was written: the branch, unless it was the default one, and the commit that its work tree was at. A
-- commit with a plus had no commit of the branch's own below it yet: what the memory is about came later.
ALTER TABLE memories ADD COLUMN branch TEXT;
ALTER TABLE memories ADD COLUMN head TEXT;
CREATE INDEX idx_memories_branch ON memories (branch);
