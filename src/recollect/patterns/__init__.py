"""Patterns in observations and decisions, known commands, and the lessons of a project; pure functions."""
