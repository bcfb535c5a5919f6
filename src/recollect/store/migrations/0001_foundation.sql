-- The tables of document 002 with their documented columns, and what recollect adds to them.
-- Portable SQL: the dialect translates types. Timestamps are Unix seconds.

CREATE TABLE memories (
    id               TEXT PRIMARY KEY,
    content          TEXT NOT NULL,
    memory_type      TEXT NOT NULL,
    importance       REAL NOT NULL DEFAULT 0.5,
    confidence       REAL NOT NULL DEFAULT 1.0,
    access_count     INTEGER NOT NULL DEFAULT 0,
    content_hash     TEXT NOT NULL,
    tags             TEXT NOT NULL DEFAULT '[]',
    metadata         TEXT NOT NULL DEFAULT '{}',
    namespace        TEXT,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    last_accessed_at INTEGER NOT NULL,
    category         TEXT,
    title            TEXT,
    author           TEXT,
    source           TEXT NOT NULL DEFAULT 'user',
    trust            REAL NOT NULL DEFAULT 1.0,
    session_id       TEXT,
    parent_id        TEXT,
    chunk_index      INTEGER,
    valid_from       INTEGER,
    valid_to         INTEGER,
    superseded_by    TEXT,
    expires_at       INTEGER,
    seq              INTEGER NOT NULL UNIQUE,
    rev              INTEGER NOT NULL
);
CREATE INDEX idx_memories_memory_type ON memories (memory_type);
CREATE INDEX idx_memories_content_hash ON memories (content_hash);
CREATE INDEX idx_memories_importance ON memories (importance);
CREATE INDEX idx_memories_created_at ON memories (created_at);
CREATE INDEX idx_memories_namespace ON memories (namespace);
CREATE INDEX idx_memories_session_id ON memories (session_id, seq);
CREATE INDEX idx_memories_parent_id ON memories (parent_id);
CREATE INDEX idx_memories_rev ON memories (rev);

-- One row per passage of a memory and model: two processes with different models fill in their own side by side.
CREATE TABLE memory_embeddings (
    memory_id TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    embedding BLOB NOT NULL,
    model     TEXT NOT NULL DEFAULT 'all-MiniLM-L6-v2',
    part      INTEGER NOT NULL DEFAULT 0,
    stamp     INTEGER NOT NULL,
    PRIMARY KEY (memory_id, model, part)
);
CREATE INDEX idx_memory_embeddings_model ON memory_embeddings (model, part, stamp);

CREATE TABLE graph_nodes (
    id         TEXT PRIMARY KEY,
    kind       TEXT NOT NULL,
    label      TEXT,
    payload    TEXT NOT NULL DEFAULT '{}',
    centrality REAL NOT NULL DEFAULT 0.0,
    memory_id  TEXT REFERENCES memories (id) ON DELETE SET NULL,
    namespace  TEXT,
    rev        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_graph_nodes_kind ON graph_nodes (kind);
CREATE INDEX idx_graph_nodes_memory_id ON graph_nodes (memory_id);
CREATE INDEX idx_graph_nodes_namespace ON graph_nodes (namespace);

CREATE TABLE graph_edges (
    id           TEXT PRIMARY KEY,
    src          TEXT NOT NULL REFERENCES graph_nodes (id) ON DELETE CASCADE,
    dst          TEXT NOT NULL REFERENCES graph_nodes (id) ON DELETE CASCADE,
    relationship TEXT NOT NULL,
    weight       REAL NOT NULL DEFAULT 1.0,
    properties   TEXT NOT NULL DEFAULT '{}',
    created_at   INTEGER NOT NULL,
    rev          INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_graph_edges_src ON graph_edges (src);
CREATE INDEX idx_graph_edges_dst ON graph_edges (dst);
CREATE INDEX idx_graph_edges_relationship ON graph_edges (relationship);

CREATE TABLE consolidation_log (
    id             INTEGER PRIMARY KEY AUTOINCREMENT,
    cycle_type     TEXT NOT NULL,
    run_at         INTEGER NOT NULL,
    affected_count INTEGER NOT NULL
);
CREATE INDEX idx_consolidation_log_cycle ON consolidation_log (cycle_type, run_at);

CREATE TABLE sessions (
    id           TEXT PRIMARY KEY,
    namespace    TEXT,
    started_at   INTEGER NOT NULL,
    ended_at     INTEGER,
    memory_count INTEGER NOT NULL DEFAULT 0,
    summary      TEXT,
    rev          INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_sessions_namespace ON sessions (namespace);
CREATE INDEX idx_sessions_started_at ON sessions (started_at);

CREATE TABLE workspaces (
    id          TEXT PRIMARY KEY,
    name        TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    created_at  INTEGER NOT NULL,
    updated_at  INTEGER NOT NULL,
    rev         INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE anchors (
    id         TEXT PRIMARY KEY,
    memory_id  TEXT NOT NULL REFERENCES memories (id) ON DELETE CASCADE,
    path       TEXT NOT NULL,
    symbol     TEXT,
    hash       TEXT,
    created_at INTEGER NOT NULL,
    rev        INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_anchors_memory_id ON anchors (memory_id);
CREATE INDEX idx_anchors_path ON anchors (path);

CREATE TABLE files (
    id         TEXT PRIMARY KEY,
    namespace  TEXT,
    path       TEXT NOT NULL,
    hash       TEXT NOT NULL,
    mtime_ns   INTEGER NOT NULL,
    size_bytes INTEGER NOT NULL,
    language   TEXT,
    indexed_at INTEGER NOT NULL
);
CREATE INDEX idx_files_namespace ON files (namespace, path);

-- Append-only. `before` is the whole row as it was (null for an insert): all that an undo needs.
CREATE TABLE changes (
    seq       INTEGER PRIMARY KEY AUTOINCREMENT,
    batch     TEXT NOT NULL,
    at        INTEGER NOT NULL,
    operation TEXT NOT NULL,
    entity    TEXT NOT NULL,
    entity_id TEXT NOT NULL,
    action    TEXT NOT NULL,
    before    TEXT
);
CREATE INDEX idx_changes_batch ON changes (batch);
CREATE INDEX idx_changes_entity ON changes (entity, entity_id, seq);

-- Values kept beside the rows: counters of derived state, scoring weights.
CREATE TABLE settings (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
);
