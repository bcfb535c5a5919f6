"""Freshness: which code a memory mentions, and whether it has changed.

text ─► mention ─► find ─► form, values, sketch ─► anchor    when a memory is stored
before, index, git ─► follow ─► verdict                      when the code changed
"""
