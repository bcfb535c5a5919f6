"""Manifests in the index: kept with their files, settled once all are known, and again after whatever stopped that."""

from __future__ import annotations

import pytest

from recollect.code.index import update as updating
from recollect.code.index.project_root import Place
from recollect.errors import Conflict
from recollect.model import File, Tree
from recollect.store.sql import Store

from .conftest import Index

pytestmark = pytest.mark.promise("E14")

NPM = '{"name": "one", "dependencies": {"two": "1"}}'


def known(store: Store) -> dict[str, list[str]]:
    return {row.label: [needed.label for needed in row.dependencies] for row in store.packages()}


def test_a_manifest_in_a_language_we_do_not_know_is_read_all_the_same(index: Index, store: Store) -> None:
    index({"go.mod": "module example.org/a\nrequire example.org/b v1.0.0\n", "vendor/x/go.mod": "module x.org/x\n"})
    assert known(store) == {"example.org/a": ["example.org/b"], "x.org/x": []}
    assert {row.label: row.mark for row in store.packages()} == {"example.org/a": "", "x.org/x": "vendored"}
    assert {file.path: file.skipped for file in store.find(File)} == {
        "go.mod": "unknown language",
        "vendor/x/go.mod": "unknown language",
    }


def test_a_manifest_stays_a_document_that_can_be_searched(index: Index, store: Store) -> None:
    index({"package.json": NPM})
    (file,) = store.find(File)
    assert (file.language, file.skipped) == ("json", "")
    assert file.chunk_count > 0


def test_what_was_stopped_before_packages_were_settled_is_settled_by_the_next_update(
    index: Index, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    index({"package.json": NPM})

    def stopped(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(updating, "settle", stopped)
        with pytest.raises(KeyboardInterrupt):
            index({"package.json": NPM.replace("two", "three"), "a.py": "x = 1\n"})
    (tree,) = store.find(Tree)
    assert (known(store), store.packages_settled(tree.id)) == ({"one": ["two"]}, False)
    assert index().read == 0
    assert (known(store), store.packages_settled(tree.id)) == ({"one": ["three"]}, True)


def test_packages_are_made_anew_only_when_a_manifest_changed(
    index: Index, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    index({"package.json": NPM, "a.py": "x = 1\n"})
    before = store.packages()
    monkeypatch.setattr(store, "put_packages", None)  # may not be called
    index({"a.py": "x = 2\n", "b.py": ""})
    assert store.packages() == before


def test_only_who_holds_a_tree_may_write_its_packages(index: Index, store: Store) -> None:
    index({"package.json": NPM})
    (tree,) = store.find(Tree)
    with pytest.raises(Conflict):
        store.put_packages(tree.id, "nobody", [], lease_s=60)
    assert known(store) == {"one": ["two"]}


def test_a_part_of_a_tree_that_is_updated_settles_the_whole(index: Index, store: Store, where: Place) -> None:
    index({"package.json": NPM, "sub/package.json": '{"name": "two"}'})
    index({"sub/package.json": '{"name": "three"}'}, where=where._replace(below="sub/"))
    assert known(store) == {"one": ["two"], "three": []}
