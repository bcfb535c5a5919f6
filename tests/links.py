"""Links of code written by hand, so that what is made of them does not depend on how they are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from recollect import Engine
from recollect.code.links.link_pack import Loose, Site, pack
from recollect.model import File, Tree
from recollect.store.link_rows import Links

# From `path::symbol`, or `path` for the file, to the same, with relationship and confidence where they are not usual.
Row = tuple[str, str] | tuple[str, str, str] | tuple[str, str, str, float]


def link(
    engine: Engine, patch: pytest.MonkeyPatch, rows: Sequence[Row], loose: Mapping[str, Loose] | None = None
) -> None:
    """Give the one indexed tree exactly these links, and let nobody look for others.

    loose: by path what did not become a link
    """
    store = engine.store
    (tree,) = store.find(Tree)
    sites: dict[str, list[Site]] = {}
    for number, row in enumerate(rows, 1):
        path, _, source = row[0].partition("::")
        target = f"s{row[1]}" if "::" in row[1] else f"f{row[1]}"
        relation = row[2] if len(row) > 2 else "CALLS"
        sure = row[3] if len(row) > 3 else 1.0
        sites.setdefault(path, []).append(Site(source, target, relation, number, 0, "by hand", sure))
    links = [
        Links(file.id, "by hand", *pack(sites.get(file.path, []), (loose or {}).get(file.path, Loose((), (), ()))))
        for file in store.find(File, {"tree": tree.id, "skipped": ""})
    ]
    held = store.claim_tree(tree.root, tree.namespace, owner="test", fingerprint=tree.fingerprint, lease_s=60)
    assert held is not None
    store.put_links(tree.id, "test", links, lease_s=60)
    store.release_tree(tree.id, "test", is_complete=False)
    patch.setattr(engine.links, "refresh", lambda **_: ())
