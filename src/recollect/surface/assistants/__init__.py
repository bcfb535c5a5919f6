"""Assistants: their settings files, and how the entries of recollect are added and removed.

    table ─► entry ─► plan: jsonc · tables · own files ─► file ─► disk
                        ▲                         ledger: what was added, so that uninit can remove it
                        └─ current settings files

table.py has a row for each assistant; the rest is loops over it. Nothing here asks or prints: connecting.py (init,
uninit) and doctor.py do.
"""
