"""The code index: walk a tree, detect languages, extract symbols, cut chunks, write and watch."""
