"""How a question becomes places in the code: pure functions from words to ranked spans, one stage per file.

question ─► pool ─► signals ─► rank ─► span

A long text is a question, too, of which more can be read (report.py) and measured (report_signals.py).
"""

# What can be left out of a search to see what it earns: groups of signals (signals.py).
SIGNALS: dict[str, frozenset[str]] = {
    "vectors": frozenset({"cosine", "cosine_relative", "cosine_spread"}),
    "path": frozenset({"stem", "stem_whole", "stem_relative", "stem_said", "folder", "lead_path"}),
    "pointers": frozenset({"frame", "cited", "module"}),
    "definitions": frozenset(
        {"named", "named_relative", "names", "names_relative", "defines", "defines_here", "doc"}
        | {"defines_rare", "defines_rare_relative", "defines_said", "defines_shown", "owned"}
    ),
    "coherence": frozenset({"several", "many", "covered", "total", "near"}),
    "headline": frozenset({"lead", "lead_best", "lead_path", "led", "led_several"}),
    "parts": frozenset({"told", "said", "said_best", "shown", "phrase"}),
    "penalties": frozenset({"test", "example", "prose", "data", "copied", "elsewhere", "language"}),
}
