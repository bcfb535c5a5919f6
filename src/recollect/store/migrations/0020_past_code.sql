-- How much of the code differs from what a memory was written against, 0 to 1.
ALTER TABLE anchor_states ADD COLUMN different REAL NOT NULL DEFAULT 0;
