"""How a question becomes places in the code: pure functions from words to ranked spans, one stage per file.

question ─► pool ─► signals ─► rank ─► span
"""

# What can be left out of a search to see what it earns: groups of signals (signals.py).
SIGNALS: dict[str, frozenset[str]] = {
    "vectors": frozenset({"cosine", "cosine_relative", "cosine_spread"}),
    "path": frozenset({"stem", "stem_whole", "stem_relative", "folder", "lead_path", "cited"}),
    "definitions": frozenset(
        {"named", "named_relative", "names", "names_relative", "defines", "defines_here", "doc"}
        | {"defines_rare", "defines_rare_relative"}
    ),
    "coherence": frozenset({"several", "many", "covered", "total"}),
    "headline": frozenset({"lead", "lead_best", "lead_path"}),
    "penalties": frozenset({"test", "example", "prose", "data", "copied", "elsewhere", "language"}),
}
