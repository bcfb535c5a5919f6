"""Memories: store, change, delete, link, and anchor them to code."""
