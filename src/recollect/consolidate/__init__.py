"""Consolidation cycles (decay, creative, cluster, forget): pure functions from candidates to a plan."""
