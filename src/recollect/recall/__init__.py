"""From a question to ranked hits: pure functions, one stage per file.

understand ─► gather ─► measure ─► score ─► weigh ─► select ─► spread ─► supersede ─► explain
"""

# The threshold for context injected unasked. At this relevance 98 of 100 questions about another conversation get
# nothing (bench/recall.py --negative).
PACK_RELEVANCE = 0.55
