"""Languages of braces, read without a tree where their text leaves no doubt.

    text ──mask──► strings and comments found, the rest as plain text ──► blocks: which brace closes which
                                                                     └──► forms of the language ──► definitions

As with Python (`code/scan.py`): a file is read this way wherever it is certain what a parser would say; where it is
not, the reader says so, and the file is parsed.
"""
