"""Redaction of secrets: by format, by the name they are assigned to, by the place that carries them."""
