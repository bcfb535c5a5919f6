"""Patterns: what happens again and again, found in what was seen and decided.

    observations ─► search · hotspot · preference · loop ─┐
    memories, anchors, links ─► chain ────────────────────┴─► Pattern, with evidence and a confidence ─► insight
    runs of commands ─► command: what worked ─┐
    prompts ─► correction ────────────────────┴─► lesson ─► section: a diff for the file of instructions

Pure functions: what they look at is handed in, what they find is handed back. A confidence is the share of what was
seen that chance does not explain (`chance.py`), so that a search, a file and a tool can be ranked together.
"""
