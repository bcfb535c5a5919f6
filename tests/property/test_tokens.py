"""Whatever is written can be tokenized, and is found by what it says."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from recollect.model import Memory
from recollect.store.sql import Store
from recollect.store.sqlite import Sqlite
from recollect.text.terms import query_terms, terms

# Text of all of Unicode, surrogates included, with enough word characters and joiners to make terms of.
anything = st.text(st.characters() | st.sampled_from("aZ9_./:+#-Σςßéデ数\u0301 "), max_size=60)
valid = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)


@given(anything)
def test_no_text_is_too_odd_to_be_tokenized(text: str) -> None:
    found = terms(text)
    assert all(found), "a term is never empty"
    assert query_terms(text) == list(dict.fromkeys(found))


@settings(max_examples=300)
@given(valid)
@example("Σίσυφος ΟΔΥΣΣΕΎΣ ẞ ǅ İ ŉ ﬃ Å ᦱ ᳲ ῖ")
def test_the_full_text_takes_every_term_for_one_token(database: sqlite3.Connection, text: str) -> None:
    wanted = set(terms(text))
    database.execute("DELETE FROM memory_text")
    database.execute(
        "INSERT INTO memory_text (rowid, scope, labels, body) VALUES (1, 'none', '', ?)", (" ".join(terms(text)),)
    )
    kept = {term for (term,) in database.execute("SELECT term FROM memory_terms")}
    assert kept - {"none"} == wanted - {"none"}


def test_every_character_makes_terms_that_the_full_text_keeps(database: sqlite3.Connection) -> None:
    # All of the basic plane; of the others, which are mostly ideographs and empty space, one in seventeen.
    numbers = [number for number in range(0x10000) if not 0xD800 <= number <= 0xDFFF] + list(
        range(0x10000, 0x30000, 17)
    )
    characters = [chr(number) for number in numbers]
    database.execute("DELETE FROM memory_text")
    wanted: set[str] = set()
    for start in range(0, len(characters), 4096):
        found = terms(" ".join(f"{one} q{one}z" for one in characters[start : start + 4096]))
        wanted.update(found)
        database.execute("INSERT INTO memory_text (scope, labels, body) VALUES ('', '', ?)", (" ".join(found),))
    kept = {term for (term,) in database.execute("SELECT term FROM memory_terms")}
    assert len(wanted) > 50_000
    assert wanted - kept == set()


@settings(max_examples=30)
@given(st.lists(valid, min_size=1, max_size=5))
def test_a_text_that_has_terms_is_found_by_itself(tmp_path_factory: pytest.TempPathFactory, texts: list[str]) -> None:
    store = Store(Sqlite(Path(tmp_path_factory.mktemp("terms")) / "store.db"))
    with store.transaction("test") as transaction:
        for number, text in enumerate(texts):
            transaction.insert(Memory(id=str(number), content=text))
    for number, text in enumerate(texts):
        found = [match.id for match in store.search_text(query_terms(text), None, len(texts))]
        assert (str(number) in found) == bool(terms(text))
    store.close()
