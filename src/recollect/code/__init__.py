"""Source code: index, search, links, anchors, diffs, manifests and snippets."""
