"""Lazy patterns: regular expressions that are compiled when they are first used.

A hook loads a hundred patterns and uses fifteen; compiling the others would cost every start 30 ms.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Any, AnyStr, cast

_METHODS = ("match", "fullmatch", "search", "finditer", "findall", "split", "sub", "groups", "pattern")


class _Lazy:
    def __init__(self, source: str | bytes, flags: int, needs: tuple[Any, ...]) -> None:
        self._source = source
        self._flags = flags
        self._needs = needs

    def __getattr__(self, name: str) -> Any:
        pattern = re.compile(self._source, self._flags)
        # From now on these are found instead of the methods of this class.
        self.__dict__ |= {each: getattr(pattern, each) for each in _METHODS}
        return getattr(pattern, name)

    def finditer(self, text: Any, *span: int) -> Any:
        return self.__getattr__("finditer")(text, *span) if self._may_match(text) else iter(())

    def sub(self, new: Any, text: Any, count: int = 0) -> Any:
        return self.__getattr__("sub")(new, text, count) if self._may_match(text) else text

    def _may_match(self, text: Any) -> bool:
        return not self._needs or any(each in text for each in self._needs)


@cache
def compiled(source: AnyStr, flags: int = 0, *, needs: tuple[AnyStr, ...] = ()) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used.

    needs: each text with a match holds one of these; it is not compiled to search others
    """
    return cast("re.Pattern[AnyStr]", _Lazy(source, flags, needs))
