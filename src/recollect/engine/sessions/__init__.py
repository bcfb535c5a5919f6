"""Sessions of assistants: hook events, summaries, patterns, commands and usefulness."""
