"""A monorepo of three packages and a second repository that needs one of them: who needs whom, across and inside."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.code_graph import code_nodes
from tests.trees import git, write

from recollect import Engine
from recollect.code.code_records import CrossRepo
from recollect.code.manifests.importable_names import Provided, provided
from recollect.errors import NotFound
from recollect.model import Tree
from recollect.render import to_text

MONOREPO = {
    "package.json": '{"private": true, "workspaces": ["packages/*"], "devDependencies": {"typescript": "^5.4.0"}}',
    "packages/core/package.json": '{"name": "@acme/core", "version": "2.1.0", "main": "dist/index.js", '
    '"dependencies": {"lodash": "^4.17.0", "zod": "^3.22.0"}}',
    "packages/core/src/index.ts": "export function core(): number {\n  return 1;\n}\n",
    "packages/ui/package.json": '{"name": "@acme/ui", "version": "1.0.0", "devDependencies": {"@acme/testing": "*"}, '
    '"dependencies": {"@acme/core": "workspace:*", "react": "^18.0.0"}}',
    "packages/ui/src/button.tsx": 'import { core } from "@acme/core";\nexport const Button = () => core();\n',
    "packages/testing/package.json": '{"name": "@acme/testing", "version": "0.1.0", '
    '"dependencies": {"@acme/core": "file:../core", "lodash": "^3.0.0"}}',
    "README.md": "# The shop\n",
    "vendor/core/package.json": '{"name": "@acme/core", "version": "1.0.0"}',
}
SECOND = {
    "package.json": '{"name": "shop", '
    '"dependencies": {"@acme/core": "^1.5.0", "react": "^17.0.0", "left-pad": "1.3.0"}}',
    "app.js": 'import { core } from "@acme/core";\ncore();\n',
    "requirements.txt": "requests>=2\n",
}


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    with Engine(embed_provider="off", index_workers=1) as opened:
        yield opened


@pytest.fixture
def base(tmp_path: Path) -> Path:
    return Path(os.path.realpath(tmp_path))


def make(engine: Engine, root: Path, files: dict[str, str]) -> Path:
    write(root, files)
    if not (root / ".git").exists():
        git(root, "init", "-q")
    engine.code.index(str(root))
    return root


@pytest.fixture
def shops(engine: Engine, base: Path) -> tuple[Path, Path]:
    return make(engine, base / "acme", dict(MONOREPO)), make(engine, base / "shop", dict(SECOND))


def needs(answer: CrossRepo) -> dict[tuple[str, str], tuple[str, bool, bool | None]]:
    return {(link.source, link.target): (link.scope, link.across, link.fits) for link in answer.links}


@pytest.mark.promise("E14", "E16", "E-get_cross_repo")
def test_packages_of_two_repositories_are_linked_across_and_inside(engine: Engine, shops: tuple[Path, Path]) -> None:
    answer = engine.packages.cross_repo()
    assert needs(answer) == {
        ("shop", "@acme/core"): ("runtime", True, False),
        ("@acme/ui", "@acme/core"): ("runtime", False, None),
        ("@acme/ui", "@acme/testing"): ("dev", False, True),
        ("@acme/testing", "@acme/core"): ("runtime", False, None),
    }
    first = answer.links[0]
    assert (first.source_root, first.target_root, first.target_folder) == (
        str(shops[1]),
        str(shops[0]),
        "packages/core",
    )
    assert first.others == (f"{shops[0]}/vendor/core",), "what was copied in comes after what people wrote"
    assert (answer.trees, answer.packages_total, answer.links_total, answer.across_total) == (2, 7, 4, 1)
    core = next(row for row in answer.packages if row.folder == "packages/core")
    assert (core.id, core.version, core.needed_by, core.needs, core.externals) == (
        "pkg:npm:@acme/core",
        "2.1.0",
        3,
        0,
        2,
    )
    assert (core.workspace, core.namespace) == ("", str(shops[0]))


@pytest.mark.promise("E16")
def test_what_is_not_indexed_is_counted_and_its_conflicts_found(engine: Engine, shops: tuple[Path, Path]) -> None:
    answer = engine.packages.cross_repo()
    rows = {row.name: row for row in answer.externals}
    assert list(rows)[:2] == ["react", "lodash"], "conflicts first, those of several trees before others"
    react = rows["react"]
    assert (react.packages, react.trees, react.conflict, react.ranges) == (2, 2, True, {"^18.0.0": 1, "^17.0.0": 1})
    assert (rows["zod"].conflict, rows["zod"].users, rows["requests"].ecosystem) == (False, ("@acme/core",), "pypi")
    assert (answer.externals_total, answer.conflicts) == (6, 2)


@pytest.mark.promise("E16")
def test_the_view_can_be_cut_to_a_project_or_a_package(engine: Engine, shops: tuple[Path, Path]) -> None:
    shop = engine.packages.cross_repo(namespace=str(shops[1]))
    assert {row.name for row in shop.packages} == {"shop"}
    assert set(needs(shop)) == {("shop", "@acme/core")}
    assert {row.name for row in shop.externals} == {"react", "left-pad", "requests"}
    assert next(row for row in shop.externals if row.name == "react").trees == 2
    core = engine.packages.cross_repo(package="@acme/core")
    assert [row.folder for row in core.packages] == ["packages/core", "vendor/core"]
    assert {link.source for link in core.links} == {"shop", "@acme/ui", "@acme/testing"}
    assert engine.packages.cross_repo(package="pkg:npm:@acme/core").links == core.links
    outside = engine.packages.cross_repo(package="left-pad")
    assert (outside.packages, [row.users for row in outside.externals]) == ((), [("shop",)])
    short = engine.packages.cross_repo(limit=1)
    assert (len(short.packages), len(short.links), len(short.externals), short.packages_total) == (1, 1, 1, 7)
    with pytest.raises(NotFound, match="@acme/cor ") as problem:
        engine.packages.cross_repo(package="@acme/cor")
    assert "@acme/core" in problem.value.hint


def test_nothing_indexed_and_no_manifest_give_different_notes(engine: Engine, base: Path) -> None:
    assert engine.packages.cross_repo().notes == ("No code is indexed yet. Run `recollect index` in a project.",)
    make(engine, base / "plain", {"a.py": "x = 1\n"})
    assert engine.packages.cross_repo().notes == ("No indexed project has a package manifest.",)
    assert "plain" in engine.packages.cross_repo(namespace="/nowhere").notes[0]
    with pytest.raises(NotFound):
        engine.packages.cross_repo(package="x")


@pytest.mark.promise("E16")
def test_a_change_of_a_manifest_changes_the_links_and_a_dropped_tree_takes_them_along(
    engine: Engine, shops: tuple[Path, Path]
) -> None:
    make(engine, shops[1], {"package.json": '{"name": "shop", "dependencies": {"@acme/ui": "^1"}}'})
    assert ("shop", "@acme/ui") in needs(engine.packages.cross_repo())
    assert ("shop", "@acme/core") not in needs(engine.packages.cross_repo())
    (shops[0] / "packages/ui/package.json").unlink()
    engine.code.index(str(shops[0]))
    answer = engine.packages.cross_repo()
    assert {row.name for row in answer.externals} >= {"@acme/ui"}
    assert set(needs(answer)) == {("@acme/testing", "@acme/core")}
    (tree,) = (tree.id for tree in engine.store.find(Tree) if tree.root == str(shops[0]))
    engine.store.drop_trees([tree])
    assert {row.name for row in engine.packages.cross_repo().packages} == {"shop"}
    assert engine.store.manifests(tree) == []


@pytest.mark.promise("E14", "E16")
def test_packages_are_nodes_of_the_graph_with_what_they_need_and_hold(engine: Engine, shops: tuple[Path, Path]) -> None:
    store = engine.store
    nodes = {node: (kind, label, namespace) for node, kind, label, namespace in store.package_nodes()}
    assert nodes["pkg:npm:@acme/core"] == ("Package", "@acme/core", str(shops[0]))
    assert nodes["pkg:npm:react"] == ("Package", "react", None)
    assert nodes[f"pkg:npm:{shops[0]}"] == ("Package", "acme", str(shops[0]))
    assert nodes[f"pkg:pypi:{shops[1]}"] == ("Package", "shop", str(shops[1]))
    links = list(store.package_links())
    assert {end for link in links for end in (link.src, link.dst) if end.startswith("pkg:")} == set(nodes)
    depends = {(link.src, link.dst): (link.scope, link.range) for link in links if link.relationship == "DEPENDS_ON"}
    assert depends["pkg:npm:shop", "pkg:npm:@acme/core"] == ("runtime", "^1.5.0")
    assert depends["pkg:npm:@acme/ui", "pkg:npm:@acme/testing"] == ("dev", "*")
    holds = {(link.src, link.dst) for link in links if link.relationship == "CONTAINS"}
    assert (f"pkg:npm:{shops[0]}", "pkg:npm:@acme/ui") in holds
    assert ("pkg:npm:@acme/core", f"file:{shops[0]}/packages/core/src/index.ts") in holds
    assert (f"pkg:npm:{shops[0]}", f"file:{shops[0]}/README.md") in holds
    held = [dst for _, dst in holds if dst.startswith("file:")]
    assert len(held) == len(set(held)), "a file belongs to one package"
    assert set(held) <= {node for node, *_ in code_nodes(store)}


@pytest.mark.promise("E16")
def test_imports_can_be_resolved_to_the_tree_that_provides_them(engine: Engine, shops: tuple[Path, Path]) -> None:
    by_root = {tree.root: tree.id for tree in engine.store.find(Tree)}
    found = provided(engine.store)
    acme = by_root[str(shops[0])]
    assert found["npm", "@acme/core"][0] == Provided(acme, "packages/core", "packages/core/src/index.ts")
    assert ("npm", "@acme/core") not in provided(engine.store, [by_root[str(shops[1])]])


@pytest.mark.promise("E16")
def test_one_package_in_two_repositories_belongs_to_neither_and_each_uses_its_own(engine: Engine, base: Path) -> None:
    files = {
        "lib/go.mod": "module example.org/lib\n",
        "app/go.mod": "module example.org/app\nrequire example.org/lib v1.0.0\n",
    }
    one, two = make(engine, base / "one", dict(files)), make(engine, base / "two", dict(files))
    answer = engine.packages.cross_repo()
    assert {(link.source_root, link.target_root, link.others) for link in answer.links} == {
        (str(one), str(one), (f"{two}/lib",)),
        (str(two), str(two), (f"{one}/lib",)),
    }
    nodes = {node: namespace for node, _, _, namespace in engine.store.package_nodes()}
    assert nodes == {"pkg:go:example.org/app": None, "pkg:go:example.org/lib": None}
    depends = [link for link in engine.store.package_links() if link.relationship == "DEPENDS_ON"]
    assert len(depends) == 1


@pytest.mark.promise("E16")
def test_a_path_out_of_one_repository_leads_into_another(engine: Engine, base: Path) -> None:
    make(engine, base / "lib", {"py/pyproject.toml": '[project]\nname = "the-lib"\n', "py/the_lib.py": "x = 1\n"})
    make(engine, base / "app", {"requirements.txt": "-e ../lib/py\n"})
    (link,) = engine.packages.cross_repo().links
    assert (link.source, link.target, link.across) == ("app", "the-lib", True)


def test_circular_package_dependencies_are_reported(engine: Engine, base: Path) -> None:
    make(
        engine,
        base / "round",
        {
            "a/package.json": '{"name": "a", "dependencies": {"b": "*"}}',
            "b/package.json": '{"name": "b", "dependencies": {"c": "*"}}',
            "c/package.json": '{"name": "c", "dependencies": {"a": "*"}}',
        },
    )
    (note,) = engine.packages.cross_repo().notes
    assert note in {
        "Circular dependency: a → b → c → a.",
        "Circular dependency: b → c → a → b.",
        "Circular dependency: c → a → b → c.",
    }


def test_an_unreadable_manifest_is_reported_and_indexed_as_text(engine: Engine, base: Path) -> None:
    write(
        base / "bad",
        {"package.json": '{"name": "half', "pom.xml": "<project><a></project>", "go.mod": b"module \xe9\xff"},
    )
    done = engine.code.index(str(base / "bad"))
    assert sorted(note.split(": manifest")[0] for note in done.notes if "manifest not read" in note) == [
        "go.mod", "package.json", "pom.xml",
    ]  # fmt: skip
    assert done.languages == {"json": 1}
    assert engine.packages.cross_repo().packages == ()


@pytest.mark.promise("E-get_cross_repo")
def test_the_view_reads_well_as_text(engine: Engine, shops: tuple[Path, Path]) -> None:
    text = to_text(engine.packages.cross_repo())
    assert text.startswith(
        "7 packages in 2 projects; 1 dependency between projects, 3 inside; 6 packages not indexed, 2 conflicts."
    )
    assert (
        f"shop → @acme/core  runtime, ^1.5.0, found 2.1.0, does not match  {shops[1]} → {shops[0]}/packages/core"
        in text
    )
    assert "npm react  2 packages in 2 projects, by @acme/ui, shop  CONFLICT: ^18.0.0, ^17.0.0" in text
