"""Testing: which symbols are tests themselves, by decorator, by name in a test file, or by how they are written."""

from __future__ import annotations

import re
from functools import cache

from recollect.code.gather import Definition
from recollect.code.languages import BY_NAME

TESTED = frozenset({"Function", "Method", "Class"})


@cache
def _patterns(name: str) -> tuple[re.Pattern[str] | None, re.Pattern[str] | None, re.Pattern[str] | None]:
    language = BY_NAME[name]
    patterns = (language.test_files, language.test_names, language.test_marks)
    files, names, marks = (re.compile(pattern) if pattern else None for pattern in patterns)
    return files, names, marks


class Trial:
    """What makes a test in one file."""

    __slots__ = ("marks", "names")

    def __init__(self, language: str, path: str) -> None:
        files, names, self.marks = _patterns(language)
        is_test_file = files is not None and files.search(path.replace("\\", "/")) is not None
        self.names = names if is_test_file else None

    def passes(self, each: Definition, decorators: tuple[str, ...]) -> bool:
        """Return whether a definition is a test: what it says of itself, or its name in a test file."""
        if each.kind == "Test":
            return True
        if each.kind not in TESTED:
            return False
        if decorators and self.marks and any(self.marks.match(decorator) for decorator in decorators):
            return True
        return self.names is not None and self.names.match(each.name) is not None


def is_test_file(language: str | None, path: str) -> bool:
    """Tell whether a file holds tests and what they need, by its path."""
    files = _patterns(language)[0] if language in BY_NAME else None
    return files is not None and files.search(path.replace("\\", "/")) is not None
