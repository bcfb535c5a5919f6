"""The graph of memories and code as arrays: walks, ranks, communities, impact."""
