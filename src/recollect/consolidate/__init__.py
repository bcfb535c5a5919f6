"""Consolidation: memories that stay good. Each cycle makes a plan, and does nothing by itself.

    candidates ─► decay · creative · cluster · forget ─► Plan: what, why, by how much

    decay      importance of what nobody uses goes down slowly, and comes back with use
    creative   memories of different types that say something alike are linked
    cluster    groups of memories about one thing get a summary; they stay as they are
    forget     what is below a threshold is archived: left out of recall, and restored at any time

Pure functions of what is stored and what time it is; `engine/consolidation.py` reads the candidates and carries plans
out. No cycle deletes a memory or changes what one says.
"""
