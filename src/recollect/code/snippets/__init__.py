"""Snippet: a piece of code that somebody wants remembered, what it is about, and how it relates to others.

    text ─► recognise: language ─► analyse: names, concepts, keywords, tags, a line about it
    two of them ─► relate: one of five link types, how strong and why ─► refine: what neighbours teach each other

Rules only; `ask` is what a language model is asked instead, and what of its answer may be used.
"""
