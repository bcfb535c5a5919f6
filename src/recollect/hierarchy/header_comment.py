"""The first sentence of a file's docstring, header comment or README text; empty if there is none."""

from __future__ import annotations

import re

from recollect.hierarchy.file_forms import shortened

# Maximum length of a sentence.
MOST_CHARACTERS = 160
# Lines of a file that are read.
MOST_LINES = 60
# Characters of a file that are read: a line may have megabytes.
HEAD_CHARACTERS = 20_000
# Licence and tool comments, which do not describe the file.
_LEGAL = re.compile(
    r"copyright|licen[cs]e|all rights reserved|spdx|@author|\bMIT\b|generated|eslint|prettier|-\*-", re.I
)
# A docstring, a block comment, or a run of line comments; text before it is skipped.
_OPENING = re.compile(
    r'(?:[rRuU]?"""(?P<double>.*?)"""|[rR]?\'\'\'(?P<single>.*?)\'\'\'|/\*(?P<block>(?:(?!/\*).)*?)\*/|\{-(?P<dash>(?:(?!\{-).)*?)-\}'
    r"|(?P<lines>(?:^[ \t]*(?://[/!]?|#|--|;;|%%)[^\n]*\n)+))",
    re.S | re.M,
)
_PREFIX = re.compile(r"^[ \t]*(?://[/!]?|#+!?|--|\*+|;+|%+)?[ \t|]*")
# The end of a sentence: a stop before a blank, or an empty line.
_END = re.compile(r"(?<=[.!?])\s|\n\s*\n")
_LETTERS = re.compile(r"[A-Za-z]{3,}.*[A-Za-z]{3,}", re.S)
_BADGE = re.compile(r"!\[|badge|shields\.io|^\.\. |^:\w+:", re.M)
_LINK = re.compile(r"\[([^\[\]]++)\]\([^()]*+\)")
_HEADING = re.compile(r"^#+ .*$|^.*\n[=-]{3,}$|^[=*~-]{3,}$|^\[!\[.*$|^<.*$|^!\[.*$|^\[.*\]:.*$", re.M)


def of_code(text: str) -> str:
    """Return the first sentence of a source file's docstring or header comment."""
    text = text[:HEAD_CHARACTERS]
    head = "\n".join(line for line in text.split("\n", MOST_LINES)[:MOST_LINES] if not line.startswith("#!")) + "\n"
    for match in _OPENING.finditer(head):
        between = head[: match.start()].strip()
        if match.lastgroup in ("double", "single") and "=" in between.rpartition("\n")[2]:
            break  # a string value
        comment = next(value for value in match.groupdict().values() if value is not None)
        if not _LEGAL.search(comment) and (sentence := first_sentence(_unmarked(comment))):
            return sentence
        if match.start() > len(head) // 2:
            break
    return ""


def of_document(text: str) -> str:
    """Return the first sentence of a README, without headings and badges."""
    return first_sentence(_opening(text))


def paragraph(text: str, most: int) -> str:
    """Return the first paragraph of a README on one line, truncated to `most` characters."""
    return shortened(_opening(text), most)


def _opening(text: str) -> str:
    parts = re.split(r"\n\s*\n", _HEADING.sub("", text))
    said = (part for part in parts if _LETTERS.search(part) and not _BADGE.search(part))
    return _LINK.sub(r"\1", next(said, ""))


def first_sentence(text: str, most: int = MOST_CHARACTERS) -> str:
    """Return the first sentence of a text on one line, truncated; empty without words."""
    sentence = " ".join(_END.split(text.strip(), maxsplit=1)[0].split()).rstrip(":")
    return shortened(sentence, most) if _LETTERS.search(sentence) else ""


def _unmarked(comment: str) -> str:
    return "\n".join(_PREFIX.sub("", line) for line in comment.split("\n"))
