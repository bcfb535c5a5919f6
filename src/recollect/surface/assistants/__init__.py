"""Assistants: their settings files, and how the entries of recollect are added and removed.

    assistant_table ─► entry ─► plan: JSON · TOML · own files ─► settings_file ─► disk
                                  ▲                  init_ledger: what was added, so that uninit can remove it
                                  └─ current settings files

assistant_table.py has a row for each assistant; the rest is loops over it. Nothing here asks or prints: the commands
init, uninit and doctor do.
"""
