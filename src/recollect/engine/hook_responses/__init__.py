"""Answers to assistant hooks: the briefing at session start and memories for a prompt."""
