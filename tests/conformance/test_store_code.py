"""Source code in a store: claims, files and what was read of them, found by words, names and vectors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.fakes import FrozenClock

from recollect import clock
from recollect.errors import Conflict, StorageError
from recollect.model import File, Tree
from recollect.store.code_rows import CodeScope, FieldWeights, IndexedFile, Touched
from recollect.store.sql import Store

NEEDS_SEARCH = True

EVERYWHERE = CodeScope()


@pytest.fixture
def store(open_store: Callable[[], Any]) -> Store:
    return cast(Store, open_store())


def claim(store: Store, root: str = "/app", *, owner: str = "me", fingerprint: str = "1") -> Tree:
    tree = store.claim_tree(root, root, owner=owner, fingerprint=fingerprint, lease_s=60)
    assert tree is not None
    return tree


def symbol(name: str, *, parent: int = -1, qualified: str = "", line: int = 1) -> tuple[Any, ...]:
    named = (name, qualified or name, "Function", f"def {name}()", "", "public", ())
    return (*named, parent, line, line + 2, 0, 9, 1.0, False, None, "h")


def file(
    path: str, *names: str, body: str = "", chunks: int = 1, language: str = "python", **fields: Any
) -> IndexedFile:
    """A file with a symbol per name, in as many equal pieces as wanted; the first piece defines them all."""
    symbols = [symbol(name) for name in names]
    spans = [
        (1, 9, tuple(range(len(names))) if place == 0 else (), -1, f"{path}{place}{body}".encode())
        for place in range(chunks)
    ]
    return IndexedFile(
        path,
        hash=f"hash of {body}",
        mtime_ns=1,
        size_bytes=10,
        language=language,
        symbol_count=len(names),
        symbols=msgspec.msgpack.encode(symbols),
        chunks=msgspec.msgpack.encode(spans),
        names=" ".join(names).lower(),
        humps="gun" if "getUserName" in names else "",
        path_terms="path terms",
        texts=tuple((" ".join(names).lower(), "around", body) for _ in range(chunks)),
        **fields,
    )


def put(store: Store, tree: Tree, *files: IndexedFile, gone: tuple[str, ...] = ()) -> None:
    store.write_files(tree.id, "me", files=files, gone=gone, lease_s=60)


def found(store: Store, *terms: str, scope: CodeScope = EVERYWHERE, **options: Any) -> list[str]:
    """Return the paths of the pieces that hold a term, best first."""
    matches = store.search_code_text(terms, scope, 100, **options)
    return [row.file.path for row in store.chunk_rows(match.id for match in matches)]


# --- claims ---


def test_a_tree_has_one_writer_at_a_time(store: Store, frozen: FrozenClock) -> None:
    tree = claim(store)
    assert store.claim_tree("/app", None, owner="other", fingerprint="1", lease_s=60) is None
    assert claim(store).id == tree.id, "the owner may ask again"
    assert claim(store, "/lib", owner="other").id != tree.id
    store.release_tree(tree.id, "me", is_complete=True)
    assert claim(store, owner="other").indexed_at == frozen()


def test_a_claim_that_is_not_renewed_ends_and_its_owner_learns_it(store: Store, frozen: FrozenClock) -> None:
    tree = claim(store)
    frozen.at += 50
    put(store, tree, file("a.py"))  # renews it
    frozen.at += 50
    assert store.claim_tree("/app", None, owner="other", fingerprint="1", lease_s=60) is None
    frozen.at += 50
    claim(store, owner="other")
    with pytest.raises(Conflict, match="another process"):
        put(store, tree, file("b.py"))
    assert list(store.known_files(tree.id)) == ["a.py"]


def test_a_claim_ends_with_the_process_of_its_owner(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    claim(store, owner="dead")
    monkeypatch.setattr(clock, "has_ended", lambda owner: owner == "dead")
    assert claim(store, owner="other").id
    assert store.claim_tree("/app", None, owner="third", fingerprint="1", lease_s=60) is None


def test_releasing_what_another_holds_does_nothing(store: Store) -> None:
    tree = claim(store)
    store.release_tree(tree.id, "other", is_complete=True)
    assert store.find(Tree)[0].owner == "me"


def test_another_fingerprint_makes_every_file_unread_but_keeps_it_searchable(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", body="needle"))
    claim(store, fingerprint="2")
    assert store.known_files(tree.id) == {"a.py": (-1, 10, "")}
    assert found(store, "needle") == ["a.py"]


# --- files ---


def test_a_file_comes_back_as_it_was_put(store: Store, frozen: FrozenClock) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "f", "g", body="x", mark="vendored", notes=("odd",)))
    (row,) = store.find(File)
    assert (row.tree, row.path, row.language, row.mark, row.notes, row.indexed_at) == (
        tree.id, "a.py", "python", "vendored", ("odd",), frozen(),
    )  # fmt: skip
    assert (row.symbol_count, row.chunk_count) == (2, 1)
    symbols, spans = store.file_contents([row.id])[row.id]
    assert [symbol.name for symbol in symbols] == ["f", "g"]
    assert spans[0].symbols == (0, 1)


def test_a_file_put_again_replaces_what_was_known_and_keeps_its_number(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "old", body="before", chunks=5))
    number = store.find(File)[0].id
    put(store, tree, file("a.py", "new", body="after", chunks=2))
    assert [row.id for row in store.find(File)] == [number]
    assert found(store, "before") == []
    assert found(store, "after") == ["a.py", "a.py"]
    assert store.symbols_named(["old"], EVERYWHERE, 10) == []
    assert len(store.symbols_named(["new"], EVERYWHERE, 10)) == 1


def test_a_skipped_file_is_known_and_nothing_else(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "f", body="needle"))
    put(store, tree, IndexedFile("a.py", "h", 5, 7, skipped="binary"))
    assert store.known_files(tree.id) == {"a.py": (5, 7, "h")}
    assert found(store, "needle") == []
    assert store.symbols_named(["f"], EVERYWHERE, 10) == []
    assert store.code_totals().skipped == {"binary": 1}


def test_a_gone_file_leaves_nothing(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "f", body="one"), file("b.py", "g", body="two"))
    put(store, tree, gone=("a.py", "never.py"))
    assert list(store.known_files(tree.id)) == ["b.py"]
    assert found(store, "one", "two") == ["b.py"]
    assert store.symbol_names() == [("g", 1)]


def test_a_touched_file_only_changes_its_time(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", body="x"))
    before = store.code_generation()
    store.write_files(tree.id, "me", touched=[Touched("a.py", 99, 10)], lease_s=60)
    assert store.known_files(tree.id) == {"a.py": (99, 10, "hash of x")}
    assert store.code_generation() > before


def test_a_batch_is_all_or_nothing(store: Store) -> None:
    tree = claim(store)
    broken = file("b.py")._replace(symbols=object())  # type: ignore[arg-type]
    with pytest.raises(StorageError):
        put(store, tree, file("a.py", body="needle"), broken)
    assert store.known_files(tree.id) == {}
    assert found(store, "needle") == []


def test_known_files_can_be_asked_for_by_path_and_folder(store: Store) -> None:
    tree = claim(store)
    put(store, tree, *(file(path) for path in ("a.py", "src/b.py", "src/deep/c.py", "src2/d.py", "src.py")))
    assert set(store.known_files(tree.id, ["src", "a.py", "nowhere"])) == {"a.py", "src/b.py", "src/deep/c.py"}


def test_dropping_a_tree_leaves_the_others(store: Store) -> None:
    one, two = claim(store, "/one"), claim(store, "/two")
    put(store, one, file("a.py", "f", body="needle"))
    store.write_files(two.id, "me", files=[file("b.py", "f", body="needle")], lease_s=60)
    assert store.drop_trees([one.id, 999]) == 1
    assert [tree.root for tree in store.find(Tree)] == ["/two"]
    assert found(store, "needle") == ["b.py"]
    assert [hit.file.path for hit in store.symbols_named(["f"], EVERYWHERE, 10)] == ["b.py"]


def test_totals_are_of_the_trees_asked_about(store: Store) -> None:
    one, two = claim(store, "/one"), claim(store, "/two")
    put(store, one, file("a.py", "f", "g", chunks=3), file("b.go", language="go"))
    store.write_files(two.id, "me", files=[file("c.py", "h")], lease_s=60)
    totals = store.code_totals([one.id])
    assert (totals.files, totals.symbols, totals.chunks, totals.size_bytes) == (2, 2, 4, 20)
    assert totals.languages == {"python": 1, "go": 1}
    assert store.code_totals().files == 3


# --- words ---


def test_pieces_are_ranked_by_the_words_they_hold(store: Store) -> None:
    tree = claim(store)
    put(
        store,
        tree,
        file("much.py", body="needle needle needle"),
        file("little.py", body="needle " + "hay " * 50),
        file("none.py", body="hay"),
    )
    assert found(store, "needle", "unknown") == ["much.py", "little.py"]
    assert found(store) == found(store, "unknown") == []


def test_fields_weigh_what_they_are_told(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("defines.py", "needle", body="x " * 30), file("uses.py", body="needle needle needle"))
    assert found(store, "needle", weights=FieldWeights(names=50.0))[0] == "defines.py"
    assert found(store, "needle", weights=FieldWeights(names=0.01))[0] == "uses.py"


def test_a_search_stays_within_its_scope(store: Store) -> None:
    one, two = claim(store, "/one"), claim(store, "/two")
    put(
        store,
        one,
        file("src/a.py", body="needle"),
        file("tests/b.py", body="needle"),
        file("c.go", body="needle", language="go"),
    )
    store.write_files(two.id, "me", files=[file("d.py", body="needle")], lease_s=60)
    assert sorted(found(store, "needle", scope=CodeScope(trees=(one.id,)))) == ["c.go", "src/a.py", "tests/b.py"]
    assert found(store, "needle", scope=CodeScope(trees=())) == []
    assert found(store, "needle", scope=CodeScope(languages=("go",))) == ["c.go"]
    assert found(store, "needle", scope=CodeScope(trees=(one.id, two.id), below=("src/", "d"))) in (
        ["src/a.py", "d.py"],
        ["d.py", "src/a.py"],
    )


def test_a_narrow_scope_is_searched_until_enough_is_found(store: Store) -> None:
    tree = claim(store)
    put(store, tree, *(file(f"a{number}.py", body="needle needle") for number in range(100)))
    put(store, tree, file("z.go", body="needle " + "hay " * 80, language="go"))
    matches = store.search_code_text(["needle"], CodeScope(languages=("go",)), 1)
    assert [row.file.path for row in store.chunk_rows(match.id for match in matches)] == ["z.go"]


def test_frequent_words_are_left_out_when_rarer_ones_are_enough(store: Store) -> None:
    tree = claim(store)
    put(store, tree, *(file(f"a{number}.py", body="common") for number in range(30)), file("b.py", body="rare odd"))
    assert found(store, "common", "rare", "odd", postings=5) == ["b.py"]
    assert len(found(store, "common", "rare", "odd")) == 31
    assert store.code_term_counts(["common", "rare", "unknown"]) == (31, {"common": 30, "rare": 1})


def test_where_every_word_is_frequent_what_holds_them_all_is_found(store: Store) -> None:
    tree = claim(store)
    ones = [file(f"a{number}.py", body="first") for number in range(20)]
    others = [file(f"b{number}.py", body="second") for number in range(20)]
    put(store, tree, *ones, *others, file("both.py", body="hay " * 50 + "first second"))
    matches = store.search_code_text(["first", "second"], EVERYWHERE, 1, postings=5)
    assert [row.file.path for row in store.chunk_rows(match.id for match in matches)] == ["both.py"]
    assert len(found(store, "first", "second", postings=5)) == 41, "too few hold both, so either is enough"


def test_a_piece_says_where_it_is_and_what_it_holds(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "alpha", "beta", body="one two"))
    (match,) = store.search_code_text(["two"], EVERYWHERE, 5)
    (row,) = store.chunk_rows([match.id, match.id, 12345])
    assert (row.tree.root, row.file.path, row.start_line, row.end_line) == ("/app", "a.py", 1, 9)
    assert [symbol.name for symbol in row.symbols] == ["alpha", "beta"]
    assert (row.names, row.around_terms, row.path_terms, row.body) == (
        ["alpha", "beta"], ["around"], ["path", "terms"], ["one", "two"],
    )  # fmt: skip


# --- names ---


def test_symbols_are_found_by_name_whatever_its_case(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "getUserName", "other"), file("b.py", "GETUSERNAME"))
    hits = store.symbols_named(["GetUserName"], EVERYWHERE, 10)
    assert [(hit.file.path, hit.symbol.name) for hit in hits] == [("a.py", "getUserName"), ("b.py", "GETUSERNAME")]
    assert store.symbols([hits[0].id]) == [hits[0]]
    assert hits[0].node == "sym:/app/a.py::getUserName"
    assert store.symbols_named(["getuser"], EVERYWHERE, 10) == []


def test_symbols_with_one_name_have_ids_of_their_own(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "f", "f", "g"))
    nodes = [hit.node for hit in store.symbols_named(["f", "g"], EVERYWHERE, 10)]
    assert nodes == ["sym:/app/a.py::f", "sym:/app/a.py::f#2", "sym:/app/a.py::g"]


def test_names_are_listed_by_their_beginning_and_by_their_humps(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", "getUserName", "gather", "zoo"), file("b.py", "gather"))
    assert store.symbol_names("g") == [("gather", 2), ("getusername", 1)]
    assert store.symbol_names("g", limit=1) == [("gather", 2)]
    assert store.symbol_names("gu", humps=True) == [("gun", 1)]
    assert [hit.symbol.name for hit in store.names_with_humps(["gun"], EVERYWHERE, 10)] == ["getUserName"]


def test_names_are_looked_for_within_a_scope(store: Store) -> None:
    one, two = claim(store, "/one"), claim(store, "/two")
    put(store, one, file("src/a.py", "f"), file("b.go", "f", language="go"))
    store.write_files(two.id, "me", files=[file("c.py", "f")], lease_s=60)
    assert [hit.file.path for hit in store.symbols_named(["f"], CodeScope(trees=(two.id,)), 10)] == ["c.py"]
    assert [hit.file.path for hit in store.symbols_named(["f"], CodeScope(languages=("go",)), 10)] == ["b.go"]
    assert [hit.file.path for hit in store.symbols_named(["f"], CodeScope(below=("src/",)), 10)] == ["src/a.py"]


# --- vectors ---


def vector(*values: float) -> NDArray[np.float32]:
    made = np.array(values, np.float32)
    return made / np.linalg.norm(made)


def test_pieces_are_found_by_the_vectors_of_their_content(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", body="one"), file("b.py", body="two", language="go"))
    lacking = store.lacking_code_vectors("m", 10)
    assert {store.chunk_rows([row.chunk])[0].file.path for row in lacking} == {"a.py", "b.py"}
    by_path = {store.chunk_rows([row.chunk])[0].file.path: row for row in lacking}
    store.put_code_vectors("m", [(by_path["a.py"].hash, vector(1, 0)), (by_path["b.py"].hash, vector(0, 1))])
    assert store.lacking_code_vectors("m", 10) == []
    assert store.code_vector_coverage("m") == (2, 0)
    query = vector(1, 0.1)
    matches = store.search_code_vectors("m", query, EVERYWHERE, 5)
    assert [row.file.path for row in store.chunk_rows(match.id for match in matches)] == ["a.py", "b.py"]
    (only,) = store.search_code_vectors("m", query, CodeScope(languages=("go",)), 5)
    assert only.id == by_path["b.py"].chunk
    cosines = store.code_cosines("m", query, [by_path["a.py"].chunk, 77])
    assert list(cosines) == [by_path["a.py"].chunk] and cosines[by_path["a.py"].chunk] > 0.99
    assert store.search_code_vectors("other", query, EVERYWHERE, 5) == []


def test_what_did_not_change_is_not_embedded_again(store: Store) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", body="same", chunks=2))
    put_all = [(row.hash, vector(1, 0)) for row in store.lacking_code_vectors("m", 10)]
    assert len(put_all) == 2
    store.put_code_vectors("m", put_all)
    put(store, tree, file("a.py", body="same", chunks=3))
    (new,) = store.lacking_code_vectors("m", 10)
    assert new.hash == b"a.py2same"
    assert len(store.search_code_vectors("m", vector(1, 0), EVERYWHERE, 10)) == 2


def test_equal_pieces_share_a_vector_and_are_all_found(store: Store) -> None:
    one, two = claim(store, "/one"), claim(store, "/two")
    put(store, one, file("a.py", body="x"))
    store.write_files(two.id, "me", files=[file("a.py", body="x")], lease_s=60)
    (row,) = store.lacking_code_vectors("m", 10)
    store.put_code_vectors("m", [(row.hash, vector(1, 0))])
    assert len(store.search_code_vectors("m", vector(1, 0), EVERYWHERE, 10)) == 2
    (match,) = store.search_code_vectors("m", vector(1, 0), CodeScope(trees=(two.id,)), 10)
    assert store.chunk_rows([match.id])[0].tree.root == "/two"


def test_coverage_counts_different_contents_with_a_vector_and_without(
    store: Store, open_store: Callable[[], Any]
) -> None:
    one, two = claim(store, "/one"), claim(store, "/two")
    put(store, one, file("a.py", body="x", chunks=2), file("b.py", body="y"))
    store.write_files(two.id, "me", files=[file("a.py", body="x", chunks=1)], lease_s=60)
    other = cast(Store, open_store())
    assert store.code_vector_coverage("m") == other.code_vector_coverage("m") == (0, 3)
    assert store.code_vector_coverage("m", [two.id]) == (0, 1)
    shared = next(row for row in store.lacking_code_vectors("m", 10) if row.hash == b"a.py0x")
    store.put_code_vectors("m", [(shared.hash, vector(1, 0))])
    assert other.code_vector_coverage("m") == (1, 2)
    assert other.code_vector_coverage("m", [two.id]) == (1, 0)
    assert other.code_vector_coverage("another") == (0, 3)
    put(store, one, gone=("a.py",))
    assert other.code_vector_coverage("m") == (1, 1)
    store.drop_code_vectors(unused_only=False)
    assert other.code_vector_coverage("m") == (0, 2)
    assert other.code_vector_coverage("m", []) == (0, 0)


def test_vectors_of_the_files_asked_for_come_first(store: Store) -> None:
    tree = claim(store)
    put(store, tree, *(file(f"{name}.py", body=name) for name in "abc"))
    ids = {row.path: row.id for row in store.find(File)}
    rows = store.lacking_code_vectors("m", 2, [ids["c.py"], ids["a.py"]])
    assert [store.chunk_rows([row.chunk])[0].file.path for row in rows] == ["c.py", "a.py"]


def test_a_piece_that_is_gone_is_not_found_and_its_vector_can_be_dropped(
    store: Store, open_store: Callable[[], Any]
) -> None:
    tree = claim(store)
    put(store, tree, file("a.py", body="one"), file("b.py", body="two"))
    store.put_code_vectors("m", [(row.hash, vector(1, 0)) for row in store.lacking_code_vectors("m", 10)])
    other = cast(Store, open_store())
    assert len(other.search_code_vectors("m", vector(1, 0), EVERYWHERE, 10)) == 2
    put(store, tree, gone=("a.py",))
    assert len(other.search_code_vectors("m", vector(1, 0), EVERYWHERE, 10)) == 1
    assert store.drop_code_vectors(unused_only=True) == 1
    assert len(other.search_code_vectors("m", vector(1, 0), EVERYWHERE, 10)) == 1
    assert store.drop_code_vectors(unused_only=False) == 1
    assert other.search_code_vectors("m", vector(1, 0), EVERYWHERE, 10) == []


def test_a_process_sees_what_another_indexed(store: Store, open_store: Callable[[], Any]) -> None:
    other = cast(Store, open_store())
    tree = claim(store)
    before = other.code_generation()
    put(store, tree, file("a.py", "f", body="needle"))
    assert other.code_generation() > before
    assert found(other, "needle") == ["a.py"]
