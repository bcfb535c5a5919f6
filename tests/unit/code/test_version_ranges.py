"""Ranges of versions: what fits, and what excludes each other."""

from __future__ import annotations

import pytest

from recollect.code.manifests.version_ranges import Span, clash, fits, span

pytestmark = pytest.mark.promise("E16")


@pytest.mark.parametrize(
    ("ecosystem", "text", "inside", "outside"),
    [
        ("npm", "^1.2.3", "1.2.3 1.9", "1.2.2 2.0.0"),
        ("npm", "^0.2.3", "0.2.3 0.2.9", "0.3.0 1.0"),
        ("npm", "^0.0.3", "0.0.3", "0.0.4"),
        ("npm", "^0", "0.0 0.9", "1.0"),
        ("npm", "~1.2.3", "1.2.9", "1.3.0"),
        ("npm", "~1", "1.9", "2.0"),
        ("npm", "1.2", "1.2.9", "1.3"),
        ("npm", "1.2.3", "1.2.3 v1.2.3", "1.2.4"),
        ("npm", "1.x", "1.9", "2.0"),
        ("npm", "*", "0.1 99", ""),
        ("npm", "", "0.1 99", ""),
        ("npm", ">=1.2 <2", "1.2 1.9.9", "1.1 2.0"),
        ("npm", "1.2 - 2.3.4", "1.2 2.3.4", "1.1 2.3.5"),
        ("npm", "^16 || ^18", "16.1 18.2", "15.0 19.0"),
        ("cargo", "1.2", "1.2.0 1.9", "1.1 2.0"),
        ("cargo", "=1.2.3", "1.2.3", "1.2.4"),
        ("cargo", ">= 1.2, < 1.5", "1.4.9", "1.5.0"),
        ("pypi", "==1.2", "1.2 1.2.0", "1.2.1"),
        ("pypi", "==1.2.*", "1.2.7", "1.3"),
        ("pypi", "~=1.4", "1.4 1.9", "2.0"),
        ("pypi", "~=1.4.2", "1.4.2 1.4.9", "1.5"),
        ("pypi", ">=2,!=2.1,<3", "2.0 2.9", "1.9 3.0"),
        ("pypi", "^2.31", "2.31 2.99", "3.0"),
        ("composer", "~1.2", "1.2 1.9", "2.0"),
        ("composer", "^6.4|^7", "6.4 7.9", "6.3 8.0"),
        ("gem", "~> 7.1, >= 7.1.2", "7.1.2 7.9", "7.1.1 8.0"),
        ("gem", "1.2", "1.2.0", "1.2.1"),
        ("maven", "1.2", "1.2 9.0", "1.1"),
        ("maven", "[1.0,2.0)", "1.0 1.9", "0.9 2.0"),
        ("maven", "(1.0,2.0]", "1.1 2.0", "1.0 2.1"),
        ("maven", "[1.5]", "1.5", "1.6"),
        ("maven", "(,2.0)", "0.1 1.9", "2.0"),
        ("maven", "1.+", "1.9", "2.0"),
        ("nuget", "1.2.3.4", "1.2.3.4 2.0", "1.2.3.3"),
        ("go", "v1.9.1", "1.9.1 1.10.0", "1.9.0"),
    ],
)
def test_a_version_fits_a_range_or_does_not(ecosystem: str, text: str, inside: str, outside: str) -> None:
    assert [fits(ecosystem, version, text) for version in inside.split()] == [True] * len(inside.split())
    assert [fits(ecosystem, version, text) for version in outside.split()] == [False] * len(outside.split())


@pytest.mark.parametrize(
    "text", ["latest.release", "main", "git+ssh://x", "^", ">= ", "1" * 500, "$(X)", "[,", "^1 && 2"]
)
def test_what_is_not_understood_says_nothing(text: str) -> None:
    assert span("npm", text) is None
    assert fits("npm", "1.0.0", text) is None
    assert not clash("npm", [text, "^1", "^1.2"])


def test_a_version_that_is_not_understood_says_nothing() -> None:
    assert fits("npm", "1.0.0-beta.1", "^1") is None
    assert fits("npm", "", "^1") is None
    assert span("npm", "^1.0.0-beta.1") == Span((1, 0, 0, 0), (2, 0, 0, 0))


@pytest.mark.parametrize(
    ("ecosystem", "ranges", "expected"),
    [
        ("npm", ["^17", "^18"], True),
        ("npm", ["^17 || ^18", "^18"], False),
        ("npm", ["^1.2", "1.4.0", "*"], False),
        ("npm", ["1.4.0", "1.4.1"], True),
        ("cargo", ["0.4", "0.5"], True),
        ("cargo", ["1", "1.0.90"], False),
        ("pypi", [">=2", "<2"], True),
        ("pypi", [">=2", ">=3"], False),
        ("maven", ["1.0", "9.0"], False),
        ("go", ["v1.0.0", "v1.9.0"], False),
        ("npm", [], False),
    ],
)
def test_ranges_exclude_each_other_or_do_not(ecosystem: str, ranges: list[str], expected: bool) -> None:
    assert clash(ecosystem, ranges) is expected
