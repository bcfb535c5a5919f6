"""A small booking service for a ferry."""
