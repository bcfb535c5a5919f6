-- Who uses what in indexed code: derived, never logged, made again whenever a tree is linked.

-- Replaces a table that held references as they were written, which is now part of a file's program.
DROP TABLE file_references;

-- What a file does with names, packed (recollect.code.resolve.program).
--   hash     of the content it was read from
--   outline  what is known of it without reading it
--   face     as much of it as others can see
CREATE TABLE file_programs (
    file    INTEGER PRIMARY KEY,
    path    TEXT NOT NULL,
    hash    TEXT NOT NULL,
    outline BLOB NOT NULL,
    face    BLOB NOT NULL,
    content BLOB NOT NULL
);

-- The links that start in a file, packed (recollect.store.link_protocol).
--   digest  of everything they were made from: as long as it is the same, so are they
--   edges   between symbols and files, as columns: all that the graph needs
--   sites   where in the file, how and how surely; what is outside of the tree, ambiguous or unresolved
CREATE TABLE file_links (
    file   INTEGER PRIMARY KEY,
    stamp  INTEGER NOT NULL,
    digest TEXT NOT NULL,
    edges  BLOB NOT NULL,
    sites  BLOB NOT NULL
);

-- By which rules a tree was linked last, and the state of the index then.
CREATE TABLE linked_trees (
    tree        INTEGER PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    generation  INTEGER NOT NULL,
    linked_at   INTEGER NOT NULL
);
