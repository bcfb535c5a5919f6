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


class _Needing(_Lazy):
    """Finds nothing, and is not compiled, until a text holds what it needs; then its methods are the pattern's."""

    def __init__(self, source: str | bytes, flags: int, needs: tuple[Any, ...]) -> None:
        super().__init__(source, flags)
        self._needs = needs

    def finditer(self, text: Any, *span: int) -> Any:
        return self.__getattr__("finditer")(text, *span) if any(each in text for each in self._needs) else iter(())

    def sub(self, new: Any, text: Any) -> Any:
        return self.__getattr__("sub")(new, text) if any(each in text for each in self._needs) else text


@cache
def compiled(source: AnyStr, flags: int = 0, *, needs: tuple[AnyStr, ...] = ()) -> re.Pattern[AnyStr]:
    """Return a pattern that is compiled when it is first used.

    needs: every match contains, or follows, one of these
    """
    return cast("re.Pattern[AnyStr]", _Needing(source, flags, needs) if needs else _Lazy(source, flags))
