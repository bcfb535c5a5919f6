"""How a question becomes a ranked answer: pure functions from query to hits, one stage per file.

understand ─► gather ─► measure ─► score ─► weigh ─► select ─► spread ─► supersede ─► explain
"""

# The threshold for unasked context. At this relevance 98 of 100 questions about another conversation get nothing
# (bench/recall.py --negative).
PACK_RELEVANCE = 0.55

# What can be left out of a recall to see what it earns: groups of signals (recall.measure) and whole stages.
SIGNALS: dict[str, frozenset[str]] = {
    "vectors": frozenset(
        "cosine cosine_relative cosine_z cosine_alone cosine_window cosine_before cosine_after session_cosine "
        "answers_similar both reply_cosine best_cosine".split()
    ),
    "windows": frozenset(
        "words_near words_around words_before words_after covered_around covered_around_squared topic_around "
        "cosine_window cosine_before cosine_after answers_similar".split()
    ),
    "session": frozenset("session_words session_cosine opens_session".split()),
    "author": frozenset("author_named author_not_named author_of_self first_person".split()),
    "replies": frozenset("reply reply_cosine reply_words".split()),
    "form of the answer": frozenset(
        "asks follows_question length length_short tells_time tells_number tells_reason tells_name dated".split()
    ),
    "coverage": frozenset(
        "covered covered_squared covered_around covered_around_squared rarest pairs topic_around".split()
    ),
    "neutral names": frozenset({"neutral"}),
    "several sessions": frozenset({"spread"}),
    "supersession": frozenset({"supersede"}),
}
