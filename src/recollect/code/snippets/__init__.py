"""Code snippets that are memories: their subject and the links between them.

    text ─► language_guess ─► analyse: names, concepts, keywords, tags, a description
    two snippets ─► snippet_links: a link type, a weight and a reason; then tags and descriptions from neighbours

By rules; `snippet_prompts` asks a language model instead.
"""
