"""Lazy patterns: regular expressions that are compiled when they are first used.

A hook loads a hundred patterns and uses fifteen; compiling the others would cost every start 30 ms.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "groups", "pattern")


class _Lazy:
    def __init__(self, source: str | bytes, flags: int) -> None:
        self._source = source
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(self._source, self._flags)
        self.__dict__ |= {each: getattr(pattern, each) for each in _METHODS}
        return getattr(pattern, name)


@cache
def compiled(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used."""
    return cast("re.Pattern[AnyStr]", _Lazy(source, flags))
