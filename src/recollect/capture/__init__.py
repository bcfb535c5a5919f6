"""From what an assistant's hooks hand over to what is worth remembering.

    spool ─► payload (table per assistant) ─► Observation ─► worth ─► extract (per tool) ─► Lesson ─► engine
                                                                        └► fingerprint ─► fixes

Every stage but the spool is a pure function. Nothing here raises for what a payload holds, but BadPayload.
"""
