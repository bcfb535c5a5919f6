"""The general and code memory library of document 000: its classes, kept and recalled by the recollect engine.

    from memory_lib.general import MemorySystem
    from memory_lib.codebase import CodeContext, CodeMemorySystem

A database file is one of recollect's, so that its other surfaces can read it too. Files of the older library are taken
over when they are opened; the old file stays beside the new one.
"""
