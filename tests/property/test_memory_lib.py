"""Whatever is given to a storage comes back, or is refused."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_lib.general import MemoryStorage

NUMBERS = st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text("abc ü😀\n"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", min_size=1), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MemoryStorage]:
    folder: Path = tmp_path_factory.mktemp("property")
    with MemoryStorage(str(folder / "memories.db")) as opened:
        yield opened


@pytest.mark.promise("G2", "G3")
@given(text=st.text(max_size=200), metadata=st.dictionaries(st.text("abc", min_size=1), VALUES, max_size=4))
def test_a_text_with_its_metadata_comes_back_as_it_was_or_is_refused(
    storage: MemoryStorage, text: str, metadata: dict[str, object]
) -> None:
    before = storage.count_memories()
    try:
        name = storage.add_memory(text, metadata)
    except ValueError:
        assert not text.strip() or "\0" in text or any("\ud800" <= character <= "\udfff" for character in text)
        assert storage.count_memories() == before
        return
    row = storage.get_memory(name)
    assert row is not None
    assert (row["text"], row["metadata"]) == (text, metadata)
    assert storage.get_all_memories()[0] == row
    assert storage.count_memories() == before + 1
