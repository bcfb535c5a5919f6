"""Consolidation cycles: decay, creative, cluster and forget."""
