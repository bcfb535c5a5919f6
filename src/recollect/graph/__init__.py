"""The graph as arrays: walks, ranks and communities over what the store holds as rows."""
