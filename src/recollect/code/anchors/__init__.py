"""Anchors: the code that a memory mentions, and where that code went when it changed.

text ─► mention ─► find ─► normalised_file, code_sketch ─► anchor     when a memory is stored
previous_symbols, index, git ─► follow ─► verdict                     when the code changed
"""
