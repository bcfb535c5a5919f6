"""Transcripts of past sessions: a reader per assistant turns lines into turns, and can resume."""
