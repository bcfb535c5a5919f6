"""How a question becomes a ranked answer: pure functions from query to hits, one stage per file.

understand ─► gather ─► fuse ─► explain
"""
