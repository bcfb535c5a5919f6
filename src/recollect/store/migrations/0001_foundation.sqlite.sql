-- Full text over our own search terms (recollect.text.tokens), written as one space-separated string per field.
-- Derived state: `recollect rebuild` makes it anew from the memories. One row per passage; its rowid is the memory's
-- seq * 1024 + the number of the passage.
--   scope   one term that stands for the namespace, so that a scoped search never ranks other namespaces' rows
--   author  terms of the author's name
--   labels  terms of title, category and tags
--   body    terms of the passage
--   shape   what the passage looks like (recollect.text.shape), not searched
-- The characters named as tokenchars are those that recollect.text.tokens keeps inside a term.
CREATE VIRTUAL TABLE memory_text USING fts5 (
    scope, author, labels, body, shape UNINDEXED,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* N* Co Mc' tokenchars '_./:+#-'"
);

-- How many memories hold a term: a search leaves out what is too frequent to tell memories apart.
CREATE VIRTUAL TABLE memory_terms USING fts5vocab (memory_text, row);

-- How many passages hold a term in which field: which names are names of authors.
CREATE VIRTUAL TABLE memory_names USING fts5vocab (memory_text, col);
