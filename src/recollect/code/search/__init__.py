"""Code search: query ─► pool ─► signals ─► ranking ─► span, each a pure function; report reads long queries."""

# Groups of signals that can be left out of a search, to measure what each earns.
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
