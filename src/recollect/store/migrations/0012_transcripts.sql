-- How far transcripts of assistants were read, so that an import goes on where it was; derived: without it everything is
-- read again and counts once. `id` is the path of the file, with the session where it holds many.
CREATE TABLE transcripts (
    id        TEXT PRIMARY KEY,
    assistant TEXT NOT NULL,
    position  INTEGER NOT NULL,
    lines     INTEGER NOT NULL DEFAULT 0,
    since     INTEGER NOT NULL DEFAULT 0,
    read_at   INTEGER NOT NULL DEFAULT 0
);
