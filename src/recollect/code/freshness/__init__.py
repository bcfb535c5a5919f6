"""Freshness: which code a memory speaks of, and what became of it.

text ─► mention ─► find ─► form, sketch ─► anchor        when a memory is stored
before, index, git ─► follow ─► verdict                  when the code changed
"""
