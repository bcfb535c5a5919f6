"""Package queries: packages of indexed projects and their dependencies."""

from typing import TYPE_CHECKING

import msgspec

from recollect.code.code_records import CrossRepo
from recollect.engine.records import input_checks
from recollect.errors import NotFound
from recollect.model import Limit, Tree
from recollect.operations import operation

if TYPE_CHECKING:
    from recollect.engine.code.code_index import CodeIndex
    from recollect.engine.context import Context


class Packages:
    """Packages of indexed trees and the links between them."""

    def __init__(self, context: "Context", code: "CodeIndex") -> None:
        self._context = context
        self._code = code

    @operation("get_cross_repo", "cross-repo", read_only=True, listed=("package", "project"))
    def cross_repo(self, *, namespace: str | None = None, package: str | None = None, limit: Limit = 50) -> CrossRepo:
        """Show cross-repo package dependencies.

        It reads manifests (Cargo.toml, package.json, pyproject.toml, go.mod, pom.xml, build.gradle, composer.json,
        Gemfile, *.csproj and others), also inside monorepos. It lists external packages, how many packages share them,
        and version conflicts.

        package: only this package, by name or id
        limit: maximum number of each kind of result
        """
        from recollect.engine.code.package_dependencies import Wanted, cross_repo, known_names
        from recollect.store.package_tables import PackageIndex

        scope = self._code.scope(namespace)
        shown = input_checks.whole("limit", limit, least=1, most=1000)
        asked = input_checks.text("package", package).strip() if package is not None else None
        store = self._context.store
        with store.snapshot():
            trees = store.find(Tree)
            shelf = PackageIndex(store.packages(), trees)
        answer = cross_repo(shelf, trees, Wanted(scope.trees, namespace, asked, shown))
        if asked and not answer.packages and not answer.externals:
            raise NotFound(
                f"no indexed package is named {asked} or depends on it",
                hint=_suggestion(asked, known_names(shelf)),
                package=asked,
            )
        if not shelf.rows or scope.trees == ():
            why = self._code.why_nothing(scope) or ("No indexed project has a package manifest.",)
            return msgspec.structs.replace(answer, notes=(*answer.notes, *why))
        return answer


def _suggestion(asked: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(asked, known, 3)
    if near:
        return "Did you mean " + ", ".join(near) + "?"
    return (
        "`recollect cross-repo` lists the packages of indexed projects."
        if known
        else "No indexed project has a package manifest."
    )
