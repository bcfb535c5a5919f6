"""What a project's past teaches before the first question is asked: from its git log, documents and notes in its code.

git log ─► commit ─► message ─► rules ─► Found        documents ─► sections ─► Found        comments ─► Found

Pure extraction: a source (sources.py) yields what it found, each with a key that stays the same however often it is
found; writing it down is for the engine.
"""
