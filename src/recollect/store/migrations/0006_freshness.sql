-- What following a memory's code needs: how the anchor came about, when its hash was taken (0: not yet), what kind of
-- thing it names, and a sketch of its text by which it is found again after it moved and changed.
ALTER TABLE anchors ADD COLUMN origin TEXT NOT NULL DEFAULT 'found';
ALTER TABLE anchors ADD COLUMN taken_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE anchors ADD COLUMN kind TEXT NOT NULL DEFAULT '';
ALTER TABLE anchors ADD COLUMN sketch TEXT NOT NULL DEFAULT '';

-- What became of an anchor, by the code as last indexed. Derived: made again by comparing anchors with the index.
CREATE TABLE anchor_states (
    id        TEXT PRIMARY KEY REFERENCES anchors (id) ON DELETE CASCADE,
    memory_id TEXT NOT NULL,
    verdict   TEXT NOT NULL,
    path      TEXT NOT NULL,
    symbol    TEXT,
    hash      TEXT NOT NULL DEFAULT '',
    file_hash TEXT NOT NULL DEFAULT '',
    since     INTEGER NOT NULL DEFAULT 0,
    stamp     INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_anchor_states_memory_id ON anchor_states (memory_id);
CREATE INDEX idx_anchor_states_path ON anchor_states (path);
CREATE INDEX idx_anchor_states_verdict ON anchor_states (verdict);

-- Names that a memory writes as code and that no indexed file defines yet. Derived from the text of memories.
CREATE TABLE mentions (
    id        TEXT PRIMARY KEY,
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    name      TEXT NOT NULL
);
CREATE INDEX idx_mentions_memory_id ON mentions (memory_id);
CREATE INDEX idx_mentions_name ON mentions (name);
