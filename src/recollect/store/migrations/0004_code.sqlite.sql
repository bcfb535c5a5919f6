-- Full text over the terms of recollect.text.identifiers; the rowid is the number of the piece.
--   names   of the symbols that begin in the piece
--   around  of the symbols around it
--   path    of its file
--   body    its text
-- Terms come ready made and separated by blanks: the tokenizer has nothing to decide.
CREATE VIRTUAL TABLE code_text USING fts5 (names, around, path, body, tokenize = "ascii tokenchars '_'");
-- Terms are gathered in memory up to this size before they are written (the default of 1 MB means much merging), and
-- sixteen segments, not four, are merged at a time: together a third less CPU for a tree of 114 MB.
INSERT INTO code_text (code_text, rank) VALUES ('hashsize', 33554432);
INSERT INTO code_text (code_text, rank) VALUES ('automerge', 16);
-- Two are enough when merging is asked for, which is after a tree was read.
INSERT INTO code_text (code_text, rank) VALUES ('usermerge', 2);

-- How many pieces hold a term.
CREATE VIRTUAL TABLE code_terms USING fts5vocab (code_text, row);

-- The names of symbols as they are, in lower case, one row per file; the rowid is the number of the file.
--   names   every name
--   humps   the first letters of the parts of those that have several
CREATE VIRTUAL TABLE symbol_text USING fts5 (
    names, humps, detail = column, tokenize = "ascii tokenchars '!#$%&()*+,-./:;<=>?@[]^_{|}~'"
);
INSERT INTO symbol_text (symbol_text, rank) VALUES ('hashsize', 4194304);

-- Which names there are: what begins with a word, and what is spelt nearly like it.
CREATE VIRTUAL TABLE symbol_names USING fts5vocab (symbol_text, col);
