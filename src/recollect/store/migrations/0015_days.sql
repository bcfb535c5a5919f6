-- The days that passages name, as [first_day, end_day) since 1970. Derived state: indexed, removed and rebuilt with the
-- full text. scope is the term that stands for the namespace there, so that a scoped search reads no other rows. The keys
-- are part of the table, so that a rebuild can make a second one and rename it. The columns of the primary key come first:
-- SQLite 3.40 reports the others of such a table as NULL otherwise.
CREATE TABLE memory_days (
    pid       INTEGER NOT NULL,
    first_day INTEGER NOT NULL,
    end_day   INTEGER NOT NULL,
    scope     TEXT NOT NULL,
    PRIMARY KEY (pid, first_day, end_day),
    UNIQUE (first_day, end_day, pid),
    UNIQUE (scope, first_day, end_day, pid)
) WITHOUT ROWID;
