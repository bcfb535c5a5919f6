"""Text: search terms, passages, dates, token counts, display, and the redaction of secrets."""
