-- SQLite's name for the position of bytes in others.
CREATE FUNCTION instr(BYTEA, BYTEA) RETURNS INT LANGUAGE SQL IMMUTABLE STRICT AS 'SELECT position($2 IN $1)';
