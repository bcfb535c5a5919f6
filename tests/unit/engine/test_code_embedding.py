"""Vectors of code fill in behind: each content once, a few at a time, and never at the cost of a search."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.fakes import HashingEmbedder
from tests.trees import write
from tests.waiting import until

from recollect import Engine
from recollect.code.index.card import MAX_TIES
from recollect.engine.code import code_embedding
from recollect.errors import EmbeddingFailed
from recollect.model import Tree


def source(name: str) -> str:
    """A file of one function, long enough to be a piece of its own."""
    return f"def {name}(ship):\n    ship.turn()\n    ship.anchor('{name}')\n    return ship.{name}\n"


FILES = {f"{name}.py": source(name) for name in ("alpha", "bravo", "charlie", "delta")}


@pytest.fixture
def project(tmp_path: Path, engine: Engine) -> Path:
    write(tmp_path / "fleet", FILES)
    engine.code.index(str(tmp_path / "fleet"))
    return tmp_path / "fleet"


def test_every_piece_gets_a_vector_of_its_card(engine: Engine, embedder: HashingEmbedder, project: Path) -> None:
    assert engine.code.embed() == 4
    assert engine.code.coverage() == (4, 0)
    assert sorted(text.split("\n")[0] for text in embedder.embedded) == [
        f"[public function] File: {name}" for name in ("alpha", "bravo", "charlie", "delta")
    ]
    assert engine.code.embed() == 0


def test_indexing_a_project_embeds_no_other(
    engine: Engine, embedder: HashingEmbedder, project: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "lamp.py").write_text("def light():\n    return 1\n", encoding="utf-8")
    before = engine.code.coverage()[1]
    assert before
    assert engine.code.index(str(other), vectors=True).vectors_made == 1
    assert engine.code.coverage() == (1, before)


def test_no_more_are_made_than_asked_for(
    engine: Engine, embedder: HashingEmbedder, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_embedding, "BATCH", 2)
    assert engine.code.embed(3) == 3 == len(embedder.embedded)
    assert engine.code.coverage() == (3, 1)
    assert engine.code.embed(3) == 1


def test_what_did_not_change_is_never_embedded_again(engine: Engine, embedder: HashingEmbedder, project: Path) -> None:
    engine.code.embed()
    embedder.embedded.clear()
    os.utime(project / "alpha.py", (1, 1))
    (project / "bravo.py").rename(project / "renamed.py")
    write(project, {"copies/charlie.py": FILES["charlie.py"], "delta.py": source("echo") + FILES["delta.py"]})
    engine.code.index(str(project))
    assert engine.code.embed() == 1
    assert "echo" in embedder.embedded[0]
    assert engine.code.index(str(project), rebuild=True).read == 5
    assert engine.code.embed() == 0


def test_a_piece_that_comes_back_finds_its_vector_again(
    engine: Engine, embedder: HashingEmbedder, project: Path
) -> None:
    engine.code.embed()
    (project / "alpha.py").unlink()
    engine.code.index(str(project))
    assert engine.code.coverage() == (3, 0)
    write(project, {"alpha.py": FILES["alpha.py"]})
    engine.code.index(str(project))
    assert engine.code.embed() == 0


def test_what_was_indexed_last_comes_first(engine: Engine, embedder: HashingEmbedder, project: Path) -> None:
    write(project, {"newest.py": source("newest")})
    engine.code.index(str(project))
    engine.code.embed(1)
    assert "newest" in embedder.embedded[0]


def test_another_model_makes_its_own(
    engine: Engine, embedder: HashingEmbedder, project: Path, open_engine: Callable[..., Engine]
) -> None:
    engine.code.embed()
    other = HashingEmbedder(32)
    changed = open_engine(embedder=other)
    assert changed.code.search("anchor").mode == "lexical"
    assert changed.code.embed() == 4 == len(other.embedded)
    assert changed.code.search("anchor").mode == "hybrid"
    assert engine.code.embed() == 0
    assert engine.code.search("anchor").mode == "hybrid"


def test_another_embedded_text_makes_all_vectors_again(
    engine: Engine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.code.embed()
    monkeypatch.setattr(code_embedding, "CARD", "card-of-tomorrow")
    assert engine.code.embed() == 4


def test_a_failure_keeps_what_was_made_before_it(
    engine: Engine, embedder: HashingEmbedder, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_embedding, "BATCH", 1)
    calls: list[int] = []

    def fail_at_the_third() -> None:
        calls.append(1)
        embedder.failing = len(calls) == 3

    embedder.when_called = fail_at_the_third
    with pytest.raises(EmbeddingFailed):
        engine.code.embed()
    assert engine.code.coverage() == (2, 2)
    assert engine.code.search("alpha").hits[0].path == "alpha.py"


def test_stopping_ends_it_after_the_batch_at_hand(
    engine: Engine, embedder: HashingEmbedder, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(code_embedding, "BATCH", 1)
    embedder.when_called = engine.embedding.stop
    assert engine.code.embed() == 1
    assert engine.code.coverage() == (1, 3)


def test_without_an_embedder_none_are_made(open_engine: Callable[..., Engine], project: Path) -> None:
    engine = open_engine(embed_provider="off")
    assert engine.code.embed() == 0
    assert engine.code.search("alpha").hits[0].path == "alpha.py"


def test_a_store_that_can_only_be_read_gets_none_and_is_searched(
    engine: Engine, project: Path, open_engine: Callable[..., Engine], monkeypatch: pytest.MonkeyPatch
) -> None:
    engine.close()
    monkeypatch.setattr(os, "access", lambda *_: False)
    embedder = HashingEmbedder()
    reader = open_engine(embedder=embedder)
    assert reader.store.describe().read_only
    assert reader.code.embed() == 0
    assert embedder.embedded == []
    assert reader.code.search("alpha").hits[0].path == "alpha.py"


def test_a_server_makes_them_in_the_background_after_those_of_memories(
    engine: Engine, embedder: HashingEmbedder, project: Path
) -> None:
    engine.memories.store("The fleet sails at dawn")
    engine.start_background()
    until(lambda: engine.code.coverage() == (4, 0))
    first_card = next(place for place, text in enumerate(embedder.embedded) if text.startswith("["))
    assert "The fleet sails at dawn" in embedder.embedded[:first_card]


def test_used_files_are_embedded_before_unused_ones(engine: Engine, embedder: HashingEmbedder, tmp_path: Path) -> None:
    fleet = write(
        tmp_path / "fleet",
        {
            "alone.py": source("alone"),
            "hull.py": source("hull"),
            **{f"user{n}.py": f"from hull import hull\n\n\n{source(f'sail{n}')}\n    hull(ship)\n" for n in range(3)},
        },
    )
    for age, file in enumerate(sorted((tmp_path / "fleet").iterdir())):
        os.utime(file, (10_000 * age, 10_000 * age))
    engine.code.index(str(tmp_path / "fleet"), link=True)
    engine.code.embed()
    cards = [text.split("\n")[0] for text in embedder.embedded]
    assert cards.index("[public function] File: hull") < cards.index("[public function] File: alone"), fleet


def test_what_was_edited_lately_comes_first(engine: Engine, embedder: HashingEmbedder, tmp_path: Path) -> None:
    names = [f"ship{number}" for number in range(20)]
    write(tmp_path / "fleet", {f"{name}.py": source(name) for name in names})
    for file in (tmp_path / "fleet").iterdir():
        os.utime(file, (1_000, 1_000))
    os.utime(tmp_path / "fleet" / "ship7.py", (10_000_000, 10_000_000))
    engine.code.index(str(tmp_path / "fleet"))
    engine.code.embed()
    assert embedder.embedded[0].startswith("[public function] File: ship 7\n")


def _linked(tmp_path: Path, engine: Engine, *, link: bool) -> str:
    write(
        tmp_path / "port",
        {
            "crane.py": "class Machine:\n    def start(self):\n        return 'started by hand, as every morning'\n",
            "quay.py": (
                "from crane import Machine\n\n\nclass Crane(Machine):\n    def lift(self, crate):\n"
                "        self.start()\n        return crate.weigh(), 'lifted from the hold onto the quay'\n\n\n"
                "def unload(ship):\n    crane = Crane()\n    return [crane.lift(crate) for crate in ship.crates]\n"
            ),
        },
    )
    engine.code.index(str(tmp_path / "port"), link=link)
    engine.code.embed()
    return "quay"


@pytest.mark.promise("E9")
def test_the_documented_enrichment_tells_what_a_piece_is_linked_with(
    tmp_path: Path, embedder: HashingEmbedder, open_engine: Callable[..., Engine]
) -> None:
    name = _linked(tmp_path, open_engine(embedder=embedder, enrichment="documented"), link=True)
    (text,) = [text for text in embedder.embedded if text.split("\n")[0].endswith(f"File: {name}")]
    told = text.split("\n")[1].split("; ")
    assert {"-> Machine.start (CALLS)", "-> Machine (INHERITS)", "-> Crane.lift (CALLS)", "<- unload (CALLS)"} <= set(
        told
    )
    assert len(told) <= MAX_TIES


@pytest.mark.parametrize(("enrichment", "link"), [("lean", True), ("documented", False)])
def test_without_the_setting_or_without_links_no_links_are_embedded(
    tmp_path: Path, embedder: HashingEmbedder, open_engine: Callable[..., Engine], enrichment: str, link: bool
) -> None:
    engine = open_engine(embedder=embedder, enrichment=enrichment)
    _linked(tmp_path, engine, link=link)
    assert embedder.embedded
    assert not [text for text in embedder.embedded if "(CALLS)" in text]
    (tree,) = engine.store.find(Tree)
    assert (engine.store.linked_tree(tree.id) is not None) == link  # type: ignore[attr-defined]


def test_cards_with_links_have_vectors_of_their_own(
    engine: Engine, embedder: HashingEmbedder, project: Path, open_engine: Callable[..., Engine]
) -> None:
    engine.code.embed()
    assert open_engine(embedder=embedder, enrichment="documented").code.embed() == 4
    assert engine.code.coverage() == (4, 0)
