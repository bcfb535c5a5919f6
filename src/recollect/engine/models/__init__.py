"""Embedding vectors and the language model: queues, budgets and calibration."""
