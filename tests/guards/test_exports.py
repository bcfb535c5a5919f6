"""The public names of the package: all of them resolve, and no others are offered."""

from __future__ import annotations

import pytest

import recollect


def test_every_public_name_resolves() -> None:
    assert len(recollect.__all__) >= 2
    for name in recollect.__all__:
        assert getattr(recollect, name) is not None


def test_the_package_offers_exactly_its_public_names() -> None:
    assert dir(recollect) == sorted(recollect.__all__)
    offered: dict[str, object] = {}
    exec("from recollect import *", offered)
    assert {name for name in offered if name != "__builtins__"} == set(recollect.__all__)


def test_the_names_are_these() -> None:
    """A public name is a promise to keep it: adding one is a decision, so it is written down here as well."""
    assert set(recollect.__all__) == {"Engine", "__version__"}


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        recollect.nonsense  # noqa: B018
