"""Health, statistics, undo, namespaces, workspaces, export and import."""
