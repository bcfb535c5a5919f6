"""Effects of code changes: drift of memories, review of a diff, project survey."""
