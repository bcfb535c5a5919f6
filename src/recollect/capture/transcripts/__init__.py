"""Transcripts: what assistants wrote down of sessions that nobody watched.

    folder of an assistant ─► files ─► lines ─► reader of that assistant ─► Turn ─► rules ─► Said

An assistant is a row of a table (table.py) and a reader: a function from one line to the turns that it completes. Files
are read line by line; of a session only the uses of tools that have not ended yet are held. A turn says where reading
may begin again once it is written down, so that whoever is stopped goes on there.
"""
