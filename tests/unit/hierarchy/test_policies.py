"""Levels have the sizes of the document, in bytes and in tokens; policies are data."""

from __future__ import annotations

import pytest

from recollect.errors import InvalidInput
from recollect.hierarchy.policies import PROFILES, PromotionPolicy, level, profile


@pytest.mark.promise("H2")
def test_the_levels_have_the_sizes_of_the_document() -> None:
    # Tokens are counted from above: 20,000 of ours are the 15,000 that the document names for 50 KB.
    standard = PROFILES["standard"]
    assert (standard.level1.max_bytes, standard.level1.max_tokens) == (50_000, 15_000)
    assert (standard.level2.max_bytes, standard.level2.max_tokens) == (500_000, 150_000)
    assert (standard.level3.max_bytes, standard.level3.max_tokens) == (None, None)
    assert standard.level4.max_bytes == 50_000
    assert [standard.level(number).number for number in (1, 2, 3, 4)] == [1, 2, 3, 4]


@pytest.mark.promise("H2")
def test_both_budgets_hold() -> None:
    first = level(1, 1_000)
    assert first.fits(1_000, 300)
    assert not first.fits(1_001, 0)
    assert not first.fits(0, 301)
    assert level(3).fits(10**12, 10**12)


@pytest.mark.promise("H3", "H4")
def test_the_policy_of_the_document_is_the_default() -> None:
    assert PromotionPolicy() == PromotionPolicy(
        access_threshold=3, access_window_s=300, time_threshold=1_800, level1_threshold=1_800
    )


@pytest.mark.promise("H6")
@pytest.mark.parametrize(
    ("name", "sizes", "times"),
    [
        ("small", (10_000, 100_000, 10_000), (1_800, 1_800)),
        ("large", (30_000, 2_000_000, 50_000), (1_800, 1_800)),
        ("interactive", (50_000, 500_000, 50_000), (3_600, 7_200)),
    ],
)
def test_a_profile_tunes_sizes_and_times(name: str, sizes: tuple[int, ...], times: tuple[int, int]) -> None:
    policy = profile(name, 0)
    assert (policy.level1.max_bytes, policy.level2.max_bytes, policy.level4.max_bytes) == sizes
    assert (policy.promotion.level1_threshold, policy.promotion.time_threshold) == times
    assert policy.level3.max_bytes is None, "the archive is permanent"


@pytest.mark.promise("H6")
@pytest.mark.parametrize(("size", "name"), [(999_999, "small"), (1_000_000, "standard"), (100_000_001, "large")])
def test_auto_chooses_a_profile_by_project_size(size: int, name: str) -> None:
    assert profile("auto", size).name == name


def test_the_error_for_an_unknown_profile_lists_the_known_ones() -> None:
    with pytest.raises(InvalidInput) as refusal:
        profile("huge", 0)
    assert "interactive" in refusal.value.hint
