"""The code index: search, links, packages and whole-project views."""
