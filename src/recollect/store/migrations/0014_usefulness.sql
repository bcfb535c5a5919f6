-- What became of what was put before an assistant, as its session went on: the evidence (recollect.recall.use), which of it
-- is counted in usefulness, and whether counting it is due. What was said before anybody looked is not judged.
ALTER TABLE injections ADD COLUMN evidence TEXT NOT NULL DEFAULT '';
ALTER TABLE injections ADD COLUMN counted TEXT NOT NULL DEFAULT '';
ALTER TABLE injections ADD COLUMN due INTEGER NOT NULL DEFAULT 0;
UPDATE injections SET evidence = 'before', counted = 'before';
CREATE INDEX idx_injections_evidence ON injections (evidence, at);
CREATE INDEX idx_injections_due ON injections (due);

-- How often a memory was offered, used and contradicted, a session counting once; the weights of what spoke for and against
-- it since its confidence was last given, and what that became. Logged: an undo takes back count and confidence together.
CREATE TABLE usefulness (
    id           TEXT PRIMARY KEY REFERENCES memories (id) ON DELETE CASCADE,
    namespace    TEXT,
    kind         TEXT NOT NULL,
    offered      INTEGER NOT NULL DEFAULT 0,
    used         INTEGER NOT NULL DEFAULT 0,
    contradicted INTEGER NOT NULL DEFAULT 0,
    given        REAL NOT NULL DEFAULT 1.0,
    pro          REAL NOT NULL DEFAULT 0.0,
    con          REAL NOT NULL DEFAULT 0.0,
    confidence   REAL NOT NULL DEFAULT 1.0,
    last         TEXT NOT NULL DEFAULT '',
    at           INTEGER NOT NULL DEFAULT 0,
    rev          INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX idx_usefulness_namespace ON usefulness (namespace);
