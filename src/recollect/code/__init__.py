"""How files become symbols and edges: walk, detect, extract, resolve, store."""
