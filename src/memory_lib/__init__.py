"""The general and code memory library of document 000 on the recollect engine: planned, no module is here yet."""
