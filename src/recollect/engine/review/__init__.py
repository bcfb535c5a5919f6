"""What code changes do: drift of memories, review of a diff, project survey."""
