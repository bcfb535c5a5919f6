"""What other programs remember, read so that it can be remembered here.

path ─► look: what lies there ─► source: whose is it ─► reader ─► Remembered, Sat, Noded, Linked, Left

Pure reading: a reader (sources.py has the table) yields what it finds, each with a key that stays the same however
often it is read, and everything that has no place here beside it. Nothing of a source is written to; keeping what is
found is for the engine (engine/migrating.py).
"""
