"""Assistants: who they are, where their settings lie, and how recollect is written into them and out again.

    table ─► entry ─► plan: jsonc · tables · own files ─► file ─► disk
                        ▲                         ledger: what was added, so that it can be taken away
                        └─ settings files as they are

table.py has a row for each assistant; the rest is loops over it. Nothing here asks, prints or guesses: connecting.py
(init, uninit) and doctor.py are what a person meets.
"""
