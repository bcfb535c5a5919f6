"""Kinds of files, by their paths: what is code, and what stands beside it."""

from __future__ import annotations

import re

TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|testing|testdata|fixtures?|e2e|mocks?)(/|$)|[._-](test|spec)s?\.|(^|/)(test|conftest)[_.]|"
    r"Tests?\.\w+$|_test\.",
    re.IGNORECASE,
)
EXAMPLE = re.compile(
    r"(^|/)(examples?|samples?|demos?|docs?|docs_src|benchmarks?|bench|website|tutorials?|playground)(/|$)",
    re.IGNORECASE,
)
ENTRY = re.compile(r"(^|/)(index|mod|__init__|lib|main|init|core)\.\w+$")
ELSEWHERE = re.compile(
    r"(^|[/_.-])(win|win32|win64|windows|mingw|msvc|os390|aix|sunos|haiku|cygwin)([/_.-]|$)", re.IGNORECASE
)
PROSE = frozenset({"markdown", "html"})
DATA = frozenset({"json", "yaml", "toml", "css"})
