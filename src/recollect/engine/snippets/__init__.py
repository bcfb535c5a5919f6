"""Coding memories: stored, linked, searched and refined."""
