"""How a question becomes places in the code: pure functions from words to ranked spans, one stage per file.

question ─► pool ─► signals ─► rank
"""

# What can be left out of a search to see what it earns: groups of signals (signals.py).
SIGNALS: dict[str, frozenset[str]] = {
    "vectors": frozenset({"cosine", "cosine_relative", "cosine_spread"}),
    "path": frozenset({"stem", "stem_whole", "folder"}),
    "definitions": frozenset({"named", "names", "defines", "defines_here", "doc"}),
    "coherence": frozenset({"several", "many", "covered"}),
    "penalties": frozenset({"test", "example", "prose", "data", "copied", "elsewhere"}),
}
