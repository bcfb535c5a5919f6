"""Languages of braces, read without a tree where their text leaves no doubt.

    text ──mask──► strings and comments found, the rest as plain code ──► what each brace opens ──► definitions

As with Python (`code/scan.py`): a file is read this way wherever it is certain what a parser would say; where it is
not, the reader says so, and the file is parsed. A reader is loaded when the first file of its language comes by: its
expressions take as long to compile as reading a hundred kilobytes.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recollect.code.braces.mask import Reading
    from recollect.code.languages import Language
    from recollect.code.page import Page

# Languages, and the module that reads them with a function of its name.
READERS = {
    "go": "go", "java": "java", "csharp": "csharp", "rust": "rust", "javascript": "script", "typescript": "script",
    "tsx": "script",
}  # fmt: skip


def by_text(page: Page, language: Language) -> Reading | None:
    """Return what is found in a page, or None where a tree is needed to be certain."""
    return _reader(READERS[language.name])(page, language)


@cache
def _reader(name: str) -> Callable[[Page, Language], Reading | None]:
    reader: Callable[[Page, Language], Reading | None] = getattr(import_module(f"{__name__}.{name}"), name)
    return reader
