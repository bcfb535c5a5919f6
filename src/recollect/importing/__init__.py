"""Readers of other memory programs: each yields records with stable keys and writes nothing."""
