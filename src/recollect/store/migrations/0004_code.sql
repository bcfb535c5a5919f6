-- The code index: derived from files, never logged, made again by `recollect index --force`.
-- Numbers contain each other (recollect.store.code_protocol): file = tree << 24 | n, symbol and chunk = file << 20 | place.

CREATE TABLE trees (
    id          INTEGER PRIMARY KEY,
    root        TEXT NOT NULL UNIQUE,
    namespace   TEXT,
    fingerprint TEXT NOT NULL DEFAULT '',
    indexed_at  INTEGER NOT NULL DEFAULT 0,
    owner       TEXT NOT NULL DEFAULT '',
    claimed_to  INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_trees_namespace ON trees (namespace);

-- Replaces the table of migration 1, which nothing ever wrote to.
DROP TABLE files;
CREATE TABLE files (
    id              INTEGER PRIMARY KEY,
    tree            INTEGER NOT NULL,
    path            TEXT NOT NULL,
    hash            TEXT NOT NULL,
    mtime_ns        INTEGER NOT NULL,
    size_bytes      INTEGER NOT NULL,
    language        TEXT,
    mark            TEXT NOT NULL DEFAULT '',
    skipped         TEXT NOT NULL DEFAULT '',
    notes           TEXT NOT NULL DEFAULT '[]',
    symbol_count    INTEGER NOT NULL DEFAULT 0,
    reference_count INTEGER NOT NULL DEFAULT 0,
    chunk_count     INTEGER NOT NULL DEFAULT 0,
    indexed_at      INTEGER NOT NULL DEFAULT 0,
    stamp           INTEGER NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX idx_files_path ON files (tree, path);

-- What was read of a file, packed. Apart from `files`, so that a look for changes reads small rows only.
CREATE TABLE file_contents (
    file     INTEGER PRIMARY KEY,
    symbols  BLOB NOT NULL,
    chunks   BLOB NOT NULL
);
CREATE TABLE file_references (
    file    INTEGER PRIMARY KEY,
    content BLOB NOT NULL
);

-- One row per content of a piece and model: what did not change is never embedded again, wherever it moved.
CREATE TABLE code_embeddings (
    hash      BLOB NOT NULL,
    model     TEXT NOT NULL,
    embedding BLOB NOT NULL,
    stamp     INTEGER NOT NULL,
    PRIMARY KEY (model, hash)
);
CREATE INDEX idx_code_embeddings_stamp ON code_embeddings (model, stamp);
