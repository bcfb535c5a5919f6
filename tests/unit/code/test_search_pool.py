"""The files worth ranking: led to by words, by names and by meaning, each with the pieces that were found."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.code.search import pool as pools
from recollect.code.search.pool import Candidate, gather
from recollect.code.search.question import understand
from recollect.store.code_rows import CodeScope
from recollect.store.sql import Store

from .conftest import Index

EVERYWHERE = CodeScope()


def function(name: str, *words: str) -> str:
    return f"def {name}():\n    one = '{' '.join(words)}'\n    two = 2\n    return one, two\n\n\n"


FILES = {
    "lamp.py": function("ignite", "burner", "mirror") + function("extinguish", "burner") + function("polish", "brass"),
    "horn.py": function("blow", "fog"),
    "empty.py": "",
    "sub/tide.go": "package tide\n\nfunc Ignite() int {\n\ta := 1\n\tb := 2\n\treturn a + b\n}\n",
}


@pytest.fixture
def indexed(index: Index, store: Store) -> Store:
    index(FILES)
    return store


def by_path(store: Store, question: str, scope: CodeScope = EVERYWHERE, **options: object) -> dict[str, Candidate]:
    found = gather(store, understand(question), scope, **options)  # type: ignore[arg-type]
    return {one.file.path: one for one in found.candidates}


def test_words_lead_to_files_with_their_matching_pieces_best_first(indexed: Store) -> None:
    found = by_path(indexed, "how the burner and mirror work")
    assert list(found) == ["lamp.py"]
    lamp = found["lamp.py"]
    assert [piece.symbols[0].name for piece in lamp.pieces] == ["ignite", "extinguish"]
    assert len(lamp.scores) == 2 and lamp.scores[0] > lamp.scores[1] > 0
    assert lamp.cosines == {}


def test_a_name_leads_to_every_file_that_defines_it_first_of_all_to_the_piece_that_does(indexed: Store) -> None:
    found = by_path(indexed, "ignite")
    assert set(found) == {"lamp.py", "sub/tide.go"}
    assert found["lamp.py"].pieces[0].symbols[0].name == "ignite"
    assert found["sub/tide.go"].pieces[0].symbols[0].name == "Ignite"


def test_a_scope_is_kept_to(indexed: Store) -> None:
    assert set(by_path(indexed, "ignite", CodeScope(languages=("go",)))) == {"sub/tide.go"}
    assert set(by_path(indexed, "ignite", CodeScope(below=("lamp",)))) == {"lamp.py"}
    assert by_path(indexed, "ignite", CodeScope(trees=())) == {}


def test_the_frequency_of_terms_is_counted_over_all_pieces(indexed: Store) -> None:
    found = gather(indexed, understand("how the burner and unicorn work"), EVERYWHERE)
    assert found.pieces == indexed.code_totals().chunks
    assert found.frequency["burner"] == 2
    assert "unicorn" not in found.frequency
    assert not found.has_vectors


def test_only_the_best_pieces_of_a_file_are_read(index: Index, store: Store) -> None:
    index({"many.py": "".join(function(f"part{number}", "burner") for number in range(20))})
    (found,) = by_path(store, "where is the burner").values()
    assert len(found.scores) == 20
    assert len(found.pieces) == pools.PIECES_READ


def test_no_more_files_are_taken_than_are_worth_it(index: Index, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pools, "WAYS", {**pools.WAYS, "words": pools.WAYS["words"]._replace(files=3)})
    index({f"file{number}.py": function("light", *["burner"] * (number + 1)) for number in range(9)})
    assert len(by_path(store, "where is the burner")) == 3


def test_nothing_is_gathered_for_a_question_without_terms(indexed: Store) -> None:
    for question in ("", "?!", "the of and"):
        assert gather(indexed, understand(question), EVERYWHERE).candidates == []


def test_meaning_leads_to_files_that_share_no_word(indexed: Store) -> None:
    lacking = indexed.lacking_code_vectors("m", 100)
    rows = {row.id: row for row in indexed.chunk_rows([one.chunk for one in lacking])}
    towards = np.array([1.0, 0.0], np.float32)

    def vector(path: str) -> np.ndarray:
        return towards if path == "horn.py" else np.array([0.6, 0.8], np.float32)

    indexed.put_code_vectors("m", [(one.hash, vector(rows[one.chunk].file.path)) for one in lacking])
    assert by_path(indexed, "warn ships") == {}
    found = by_path(indexed, "warn ships", vector=towards, model="m")
    assert next(iter(found)) == "horn.py"
    (cosine,) = found["horn.py"].cosines.values()
    assert cosine == pytest.approx(1.0, abs=1e-3)
    assert found["horn.py"].scores == []
    assert gather(indexed, understand("warn ships"), EVERYWHERE, vector=towards, model="m").has_vectors
    assert by_path(indexed, "warn ships", vector=towards, model="another") == {}


# --- reports ---

FILLER = " ".join(f"then step{letter} broke something{letter} for customer{letter}" for letter in "bcdefghijk")


def test_a_report_leads_to_the_files_it_points_to(indexed: Store) -> None:
    question = f'It stops at night\n{FILLER}\n  File "/app/sub/tide.go", line 3, in f\nsee horn.py'
    found = by_path(indexed, question)
    assert {"sub/tide.go", "horn.py"} <= set(found)
    assert found["sub/tide.go"].led == [] and len(found["sub/tide.go"].pieces) == 1
    assert "horn.py" not in by_path(indexed, question, CodeScope(languages=("go",)))
    assert "horn.py" not in by_path(indexed, question, CodeScope(trees=()))
    # It has no piece that could be shown.
    assert "empty.py" not in by_path(indexed, f"It stops at night\n{FILLER} see empty.py")


def test_the_headline_and_what_is_said_have_scores_of_their_own(indexed: Store) -> None:
    found = by_path(indexed, f"The burner stops\nand the fog comes {FILLER}\n```\nbrass\n```")
    assert found["lamp.py"].led and not found["horn.py"].led
    assert found["horn.py"].told and found["lamp.py"].told
    assert len(found["lamp.py"].scores) > len(found["lamp.py"].told)
    assert by_path(indexed, "where is the burner")["lamp.py"].led == []


def test_tests_are_no_subject_of_a_report_unless_there_is_nothing_else(index: Index, store: Store) -> None:
    index({"test_lamp.py": function("test_burner", "burner")})
    report = f"The burner stops\n{FILLER}"
    assert set(by_path(store, report)) == {"test_lamp.py"}
    index({"lamp.py": function("ignite", "burner")})
    assert set(by_path(store, report)) == {"lamp.py"}
