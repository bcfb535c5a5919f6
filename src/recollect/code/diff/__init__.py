"""Diff: from a patch, or from git, to the symbols that it changes.

git, standard input ─► parse ─► sides: both states of every file ─► changed: symbols added, removed, changed
"""
