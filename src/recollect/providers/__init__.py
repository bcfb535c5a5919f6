"""Embedding models and language models, local or over HTTP."""
