"""What configurations and packages say about imports."""

from __future__ import annotations

from pathlib import Path

from recollect.code.links.manifest_facts import facts
from recollect.code.links.module_finder import Provided
from recollect.code.manifests.importable_names import Provided as Place
from recollect.code.manifests.typescript_paths import Alias, aliases


def write(root: Path, path: str, content: str) -> str:
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    return path


def test_paths_and_base_of_a_configuration_with_comments(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        "web/tsconfig.json",
        """{
            // where things are
            "compilerOptions": {
                "baseUrl": "./src", /* of this folder */
                "paths": {"@/*": ["*"], "url": ["//not/a/comment"],},
            },
        }""",
    )
    assert aliases(str(tmp_path), [path]) == (
        Alias("web", "@/*", "src/*"),
        Alias("web", "url", "//not/a/comment"),
        Alias("web", "*", "src/*"),
    )


def test_what_is_extended_counts_for_the_folder_that_extends_it(tmp_path: Path) -> None:
    base = write(tmp_path, "tsconfig.base.json", '{"compilerOptions": {"paths": {"lib/*": ["packages/*/src"]}}}')
    own = write(tmp_path, "packages/a/tsconfig.json", '{"extends": "../../tsconfig.base"}')
    assert aliases(str(tmp_path), [own, base]) == (
        Alias("packages/a", "lib/*", "../*/src"),
        Alias("", "lib/*", "packages/*/src"),
    )


def test_configurations_that_make_no_sense_say_nothing(tmp_path: Path) -> None:
    paths = [
        write(tmp_path, "a/tsconfig.json", "{ not json"),
        write(tmp_path, "b/tsconfig.json", '{"compilerOptions": {"paths": ["x"], "baseUrl": 3}}'),
        write(tmp_path, "c/tsconfig.json", '{"extends": "./tsconfig.json"}'),
        write(tmp_path, "d/tsconfig.json", '{"extends": "../../outside.json"}'),
        write(tmp_path, "e/tsconfig.json", "[1, 2]"),
    ]
    assert aliases(str(tmp_path), paths) == ()


def test_packages_of_the_tree_are_provided_with_folder_and_entry() -> None:
    names = {
        ("npm", "@acme/core"): (Place(1, "packages/core", "packages/core/src/index.ts"), Place(2, "", "index.js")),
        ("go", "example.com/app"): (Place(1, "", "."),),
        ("cargo", "kit"): (Place(1, "kit", "kit/src/lib.rs"),),
        ("pypi", "app"): (Place(1, "", "src/app"),),
        ("composer", "App"): (Place(1, "", "src"),),
    }
    assert facts(names, 1).provided == (
        Provided("cargo", "kit", "kit", "src/lib.rs"),
        Provided("composer", "App", "src"),
        Provided("go", "example.com/app", ""),
        Provided("npm", "@acme/core", "packages/core", "src/index.ts"),
        Provided("pypi", "app", "src"),
    )
