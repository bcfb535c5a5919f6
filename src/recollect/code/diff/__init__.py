"""Diffs: git or a patch ─► unified_diff ─► file_sides ─► changed_symbols."""
