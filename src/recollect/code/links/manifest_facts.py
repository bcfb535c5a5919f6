"""Facts for the module finder from package manifests."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable

from recollect.code.links.module_finder import Facts, Provided
from recollect.code.manifests.importable_names import Names
from recollect.code.manifests.typescript_paths import Alias


def facts(names: Names, tree: int, configs: Iterable[Alias] = ()) -> Facts:
    """Return the facts of a tree, from its packages and configurations."""
    provided = [
        Provided(ecosystem, name, *_placed(ecosystem, place.folder, place.at))
        for (ecosystem, name), places in names.items()
        for place in places
        if place.tree == tree
    ]
    return Facts(tuple(sorted(dict.fromkeys(provided))), tuple(configs))


def _placed(ecosystem: str, folder: str, at: str) -> tuple[str, str]:
    """Return the folder of a package and its entry in it."""
    at = "" if at == "." else at
    if ecosystem in ("npm", "cargo"):
        folder = "" if folder == "." else folder
        return folder, at[len(folder) :].lstrip("/") if at.startswith(folder) else at
    if ecosystem == "pypi":
        return posixpath.dirname(at), ""
    return at, ""
