"""From the manifests of a tree to its packages: what is inherited, merged, and meant by a path."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from recollect.code.manifests.families import read
from recollect.code.manifests.importable_names import Provided, names
from recollect.code.manifests.package_resolution import Kept, packages
from recollect.store.code_rows import DependencyRow, PackageRow

pytestmark = pytest.mark.promise("E14")


def settled(files: Mapping[str, str], root: str = "/r", tree: int = 1) -> dict[str, PackageRow]:
    """Return the packages of a tree by label."""
    rows = []
    for path, source in files.items():
        found = read(path, source.encode())
        assert found is not None, path
        assert found.notes == (), path
        rows.append(Kept(path, "", found))
    found_rows = packages(tree, root, rows)
    assert found_rows == packages(tree, root, reversed(rows)), "the order of reading does not matter"
    by_label = {row.label: row for row in found_rows}
    assert len(by_label) == len(found_rows)
    return by_label


def needs(row: PackageRow) -> dict[str, tuple[str, str, str]]:
    return {needed.label: (needed.range, needed.scope, needed.local) for needed in row.dependencies}


def test_manifests_of_one_folder_and_ecosystem_speak_of_one_package() -> None:
    found = settled(
        {
            "pyproject.toml": '[project]\nname = "Acme_Core"\ndependencies = ["flask>=3", "acme-core[extra]"]\n',
            "setup.cfg": "[metadata]\nname = other\nversion = 1.0\n",
            "requirements/dev.txt": "pytest\nflask==3.0\n",
            "requirements.txt": "flask==3.0.1\n",
            "package.json": '{"name": "acme-core", "dependencies": {"react": "18"}}',
        }
    )
    assert set(found) == {"Acme_Core", "acme-core"}
    python = found["Acme_Core"]
    assert (python.name, python.version, python.manifest) == ("acme-core", "1.0", "pyproject.toml")
    assert [(row.name, row.range, row.scope) for row in python.dependencies] == [
        ("flask", ">=3", "runtime"),
        ("pytest", "", "dev"),
        ("flask", "==3.0", "dev"),
    ]
    assert needs(found["acme-core"]) == {"react": ("18", "runtime", "")}


def test_a_gemfile_beside_a_gemspec_lists_what_the_work_on_the_gem_takes() -> None:
    found = settled(
        {
            "acme.gemspec": 's.name = "acme"\ns.add_dependency "rack", "~> 3"\n',
            "Gemfile": 'gemspec\ngem "rack"\ngem "rake"\n',
            "site/Gemfile": 'gem "acme", path: ".."\n',
        }
    )
    assert needs(found["acme"]) == {"rack": ("~> 3", "runtime", ""), "rake": ("", "dev", "")}
    assert needs(found["site"]) == {"acme": ("", "runtime", "/r")}


def test_a_project_without_a_name_is_a_package_by_its_place_and_one_without_anything_is_none() -> None:
    found = settled(
        {
            "requirements.txt": "flask\n",
            "tools/Gemfile": 'gem "rake"\n',
            "web/package.json": '{"private": true}',
            "lint/pyproject.toml": "[tool.ruff]\nline-length = 100\n",
        },
        root="/home/me/shop",
    )
    assert {label: (row.name, row.ecosystem, row.folder) for label, row in found.items()} == {
        "shop": ("", "pypi", ""),
        "tools": ("", "gem", "tools"),
    }


def test_crates_inherit_from_their_workspace() -> None:
    found = settled(
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\n[workspace.package]\nversion = "3.0"\n'
            '[workspace.dependencies]\nanyhow = "1.0.80"\nacme-io = { path = "crates/io", version = "0.3" }\n'
            'short = { package = "a-long-name", version = "2" }\n',
            "crates/io/Cargo.toml": '[package]\nname = "acme-io"\nversion.workspace = true\n',
            "crates/app/Cargo.toml": '[package]\nname = "app"\nversion = "1.0"\n[dependencies]\n'
            "anyhow.workspace = true\nshort.workspace = true\n"
            "acme-io = { workspace = true, optional = true }\nlost.workspace = true\n",
            "other/Cargo.toml": '[package]\nname = "other"\n[dependencies]\nacme-io = { path = "../crates/io" }\n',
        }
    )
    assert (found["acme-io"].version, found["acme-io"].workspace, found["other"].workspace) == ("3.0", "", None)
    assert needs(found["app"]) == {
        "anyhow": ("1.0.80", "runtime", ""),
        "a-long-name": ("2", "runtime", ""),
        "acme-io": ("0.3", "optional", "/r/crates/io"),
        "lost": ("", "runtime", ""),
    }
    assert needs(found["other"]) == {"acme-io": ("", "runtime", "/r/crates/io")}


def test_projects_of_maven_inherit_from_their_parents() -> None:
    def pom(body: str) -> str:
        return f"<project>{body}</project>"

    managed = (
        "<dependencyManagement><dependencies><dependency><groupId>org.lib</groupId><artifactId>lib</artifactId>"
        "<version>${lib.version}</version></dependency><dependency><groupId>org.junit</groupId>"
        "<artifactId>junit</artifactId><version>5</version><scope>test</scope></dependency></dependencies>"
        "</dependencyManagement>"
    )

    def needed(group: str, artifact: str, more: str = "") -> str:
        return f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>{more}</dependency>"

    parent = "<parent><groupId>org.acme</groupId><artifactId>root</artifactId><version>1.1</version>{}</parent>"
    found = settled(
        {
            "pom.xml": pom(
                "<groupId>org.acme</groupId><artifactId>root</artifactId><version>1.1</version>"
                "<properties><lib.version>7.${minor}</lib.version><minor>2</minor></properties>"
                f"<modules><module>core</module></modules>{managed}"
            ),
            "core/pom.xml": pom(
                parent.format("") + "<artifactId>core</artifactId><dependencies>" + needed("org.lib", "lib")
                + needed("org.junit", "junit") + "</dependencies>"
            ),
            "deep/er/app/pom.xml": pom(
                parent.format("<relativePath>../../../core/pom.xml</relativePath>") + "<artifactId>app</artifactId>"
                "<properties><minor>3</minor></properties><dependencies>"
                + needed("${project.groupId}", "core", "<version>${project.version}</version>")
                + needed("org.lib", "lib") + needed("org.gone", "gone", "<version>${nobody}</version>")
                + "</dependencies>"
            ),
            "alone/pom.xml": pom(
                parent.format("<relativePath/>") + "<artifactId>alone</artifactId><dependencies>"
                + needed("org.lib", "lib") + "</dependencies>"
            ),
        }
    )  # fmt: skip
    assert found["org.acme:core"].workspace == ""
    assert needs(found["org.acme:core"]) == {"org.lib:lib": ("7.2", "runtime", ""), "org.junit:junit": ("5", "dev", "")}
    assert needs(found["org.acme:app"]) == {
        "org.acme:core": ("1.1", "runtime", ""),
        "org.lib:lib": ("7.3", "runtime", ""),
        "org.gone:gone": ("", "runtime", ""),
    }
    assert needs(found["org.acme:alone"]) == {"org.lib:lib": ("", "runtime", "")}


def test_builds_of_gradle_share_a_group_a_catalog_and_their_projects() -> None:
    found = settled(
        {
            "settings.gradle.kts": 'rootProject.name = "shop"\ninclude(":core:model", ":app")\n',
            "build.gradle.kts": 'group = "org.shop"\nversion = "4"\n',
            "gradle/libs.versions.toml": '[libraries]\nokio = "com.squareup:okio:3.9"\n',
            "core/model/build.gradle.kts": "dependencies { }\n",
            "app/build.gradle.kts": 'dependencies {\n    implementation(project(":core:model"))\n'
            "    implementation(projects.core.model)\n    api(libs.okio)\n    api(libs.unknown)\n}\n",
        }
    )
    assert set(found) == {"org.shop:shop", "org.shop:model", "org.shop:app"}
    assert (found["org.shop:app"].version, found["org.shop:app"].workspace) == ("4", "")
    assert needs(found["org.shop:app"]) == {
        "org.shop:model": ("", "runtime", "/r/core/model"),
        "com.squareup:okio": ("3.9", "runtime", ""),
    }
    assert set(settled({"app/build.gradle": "dependencies {\n  api 'a:b:1'\n}\n"})) == {"app"}


def test_projects_of_net_and_packages_of_pnpm_have_their_versions_from_above() -> None:
    found = settled(
        {
            "Directory.Packages.props": '<Project><ItemGroup><PackageVersion Include="Serilog" Version="3.1"/>'
            "</ItemGroup></Project>",
            "src/Web/Web.csproj": '<Project><ItemGroup><PackageReference Include="serilog"/>'
            '<ProjectReference Include="../Core/Core.csproj"/></ItemGroup></Project>',
            "src/Core/Core.csproj": "<Project><PropertyGroup><PackageId>Acme.Core</PackageId></PropertyGroup>"
            "</Project>",
            "src/Core/Other.csproj": "<Project/>",
            "pnpm-workspace.yaml": "packages:\n  - apps/*\ncatalog:\n  react: ^18.3\n",
            "apps/site/package.json": '{"name": "site", "dependencies": {"react": "catalog:"}}',
        }
    )
    assert needs(found["Web"]) == {
        "Serilog": ("3.1", "runtime", ""),
        "Acme.Core": ("", "runtime", "/r/src/Core"),
    }
    assert needs(found["site"]) == {"react": ("^18.3", "runtime", "")}
    assert found["site"].workspace == ""


@pytest.mark.parametrize(
    ("patterns", "inside"),
    [
        ('["packages/*"]', {"packages/a"}),
        ('["packages/**"]', {"packages/a", "packages/deep/b"}),
        ('["./packages/{a,x}"]', {"packages/a"}),
        ('["packages/*", "!packages/a"]', set()),
        ('["**"]', {"packages/a", "packages/deep/b", "c"}),
        (f'["{"*a" * 200}", "{"**/" * 200}b"]', set()),
        (f'["{"{a,b}" * 40}"]', set()),
    ],
)
def test_members_of_a_workspace_are_meant_by_patterns(patterns: str, inside: set[str]) -> None:
    folders = ("packages/a", "packages/deep/b", "c")
    files = {f"{folder}/package.json": f'{{"name": "{folder}"}}' for folder in folders}
    found = settled({"package.json": f'{{"name": "root", "workspaces": {patterns}}}', **files})
    assert {label for label, row in found.items() if row.workspace == ""} == inside


def test_circles_of_parents_properties_and_packages_end() -> None:
    parent = "<project><parent><groupId>g</groupId><relativePath>../{}</relativePath></parent>"
    rest = "<artifactId>{}</artifactId><properties><a>${{b}}${{b}}</a><b>${{a}}${{a}}</b></properties>"
    found = settled(
        {
            "a/pom.xml": parent.format("b") + rest.format("a") + "<version>${a}</version></project>",
            "b/pom.xml": parent.format("a") + rest.format("b") + "</project>",
            "x/package.json": '{"name": "x", "dependencies": {"y": "file:../y", "x": "1"}}',
            "y/package.json": '{"name": "y", "dependencies": {"x": "file:../x"}}',
        }
    )
    assert found["g:a"].version == ""
    assert needs(found["x"]) == {"y": ("", "runtime", "/r/y")}
    assert needs(found["y"]) == {"x": ("", "runtime", "/r/x")}


def test_a_path_may_lead_out_of_the_tree() -> None:
    found = settled(
        {
            "go.mod": "module example.org/app\nrequire example.org/lib v1.0.0\nreplace example.org/lib => ../lib/go\n",
            "requirements.txt": "-e ../sibling\n-e /abs/olute\n",
        },
        root="/home/me/app",
    )
    assert found["example.org/app"].dependencies == (
        DependencyRow("example.org/lib", "example.org/lib", "v1.0.0", "runtime", "/home/me/lib/go"),
    )
    assert needs(found["app"]) == {
        "sibling": ("", "runtime", "/home/me/sibling"),
        "olute": ("", "runtime", "/abs/olute"),
    }


# --- what can be imported ---


@pytest.mark.promise("E16")
@pytest.mark.parametrize(
    ("manifest", "source", "paths", "expected"),
    [
        ("pyproject.toml", '[project]\nname = "a-b"', ["src/a_b/__init__.py", "tests/__init__.py"], {"a_b": "src/a_b"}),
        ("pyproject.toml", '[project]\nname = "x"', ["a/__init__.py", "b/c.py", "d.py", "setup.py"],
         {"a": "a", "d": "d.py"}),
        ("pyproject.toml", '[project]\nname = "x"\n[tool.flit.module]\nname = "y"', ["y.py", "z.py"], {"y": "y.py"}),
        ("setup.py", 'setup(name="x", package_dir={"": "py"})', ["py/name/space/m.py", "q/__init__.py"],
         {"name": "py/name"}),
        ("requirements.txt", "flask", ["app.py"], {}),
        ("go.mod", "module example.org/m/v2\n", ["x.go"], {"example.org/m/v2": "."}),
        ("Cargo.toml", '[package]\nname = "a-b"', ["src/lib.rs"], {"a_b": "src/lib.rs"}),
        ("Cargo.toml", '[package]\nname = "a-b"', ["src/main.rs"], {}),
        ("package.json", '{"name": "@a/b", "main": "dist/index.js"}', ["src/index.ts"], {"@a/b": "src/index.ts"}),
        ("package.json", '{"name": "b", "main": "./lib/main"}', ["lib/main.js"], {"b": "lib/main.js"}),
        ("package.json", '{"name": "b"}', ["index.tsx"], {"b": "index.tsx"}),
        ("package.json", '{"name": "b", "main": "gone.js"}', ["other.js"], {"b": "."}),
        ("pom.xml", "<project><groupId>g</groupId><artifactId>a</artifactId></project>",
         ["src/main/java/org/acme/A.java", "src/main/kotlin/org/b/B.kt", "src/test/java/org/t/T.java"],
         {"org.acme": "src/main/java/org/acme", "org.b": "src/main/kotlin/org/b"}),
        ("composer.json", '{"name": "a/b", "autoload": {"psr-4": {"A\\\\B\\\\": "src/"}}}', ["src/C.php"],
         {"A\\B": "src"}),
        ("a-b.gemspec", 's.name = "a-b"', ["lib/a-b.rb", "lib/a/b.rb", "x.rb"], {"a-b": "lib/a-b.rb"}),
        ("A.B.csproj", "<Project/>", ["C.cs"], {"A.B": "."}),
    ],
)  # fmt: skip
def test_what_can_be_imported_of_a_package(
    manifest: str, source: str, paths: list[str], expected: dict[str, str]
) -> None:
    for folder in ("", "libs/one"):
        where = f"{folder}/" if folder else ""
        rows = list(settled({f"{where}{manifest}": source}, tree=7).values())
        found = names(rows, {7: [f"{where}{path}" for path in [*paths, manifest]]})
        assert {name: places for (_, name), places in found.items()} == {
            name: (Provided(7, folder, f"{where}{at}".removesuffix("/.") or "."),) for name, at in expected.items()
        }


@pytest.mark.promise("E16")
def test_of_two_places_that_provide_a_name_the_likelier_comes_first() -> None:
    deep = settled({"a/b/fixtures/go.mod": "module example.org/m\n"}, tree=1)["example.org/m"]
    copied = settled({"go.mod": "module example.org/m\n"}, tree=2)["example.org/m"]._replace(mark="vendored")
    own = settled({"m/go.mod": "module example.org/m\n"}, tree=3)["example.org/m"]
    found = names([deep, copied, own], {})
    assert [place.tree for place in found["go", "example.org/m"]] == [3, 1, 2]
