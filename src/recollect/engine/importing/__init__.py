"""Import from git history, transcripts and other memory tools."""
