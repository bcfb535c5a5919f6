-- Vectors as pgvector has them: 16-bit floats, as in the file of SQLite. The table is still empty.
ALTER TABLE memory_embeddings ALTER COLUMN embedding TYPE HALFVEC USING NULL::HALFVEC;

-- Full text over our own search terms: the rows as they are written, their postings, and the statistics that BM25 needs.
--   rowid   the number of a passage: the memory's seq * 1024 + its place
--   scope   in postings: a number for the namespace, so that a scoped search reads no other namespace
--   size    terms of the row
CREATE TABLE memory_text (
    rowid  INTEGER PRIMARY KEY,
    scope  TEXT NOT NULL,
    author TEXT NOT NULL,
    labels TEXT NOT NULL,
    body   TEXT NOT NULL,
    shape  TEXT NOT NULL
);
CREATE TABLE memory_postings (
    term   TEXT NOT NULL,
    scope  INTEGER NOT NULL,
    pid    INTEGER NOT NULL,
    author SMALLINT NOT NULL,
    labels SMALLINT NOT NULL,
    body   SMALLINT NOT NULL,
    size   INT NOT NULL,
    PRIMARY KEY (term, scope, pid) INCLUDE (author, labels, body, size)
);
CREATE TABLE memory_terms (
    term TEXT PRIMARY KEY,
    doc  INTEGER NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX idx_memory_postings_author ON memory_postings (term, scope) WHERE author > 0;

CREATE TABLE text_totals (
    name   TEXT PRIMARY KEY,
    docs   INTEGER NOT NULL,
    tokens INTEGER NOT NULL
) WITH (fillfactor = 10);
INSERT INTO text_totals (name, docs, tokens) VALUES ('memory', 0, 0), ('code', 0, 0);
