"""Who calls, derives from, imports and uses what: names followed to what they mean, across files."""
