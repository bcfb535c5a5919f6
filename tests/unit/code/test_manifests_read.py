"""What a manifest says, by family: a golden sample each, and what is written differently for the same."""

from __future__ import annotations

import pytest

from recollect.code.manifests.families import pack, read, unpack
from recollect.code.manifests.manifest import Dependency, Manifest

pytestmark = pytest.mark.promise("E14")


def said(path: str, source: str) -> Manifest:
    """Read a manifest, and see that it survives being kept."""
    found = read(path, source.encode())
    assert found is not None
    assert unpack(pack(found)) == found
    return found


def test_a_crate_says_its_library_and_what_it_needs_when() -> None:
    source = """
[package]
name = "acme-core"
version = "1.4.0"

[lib]
path = "lib/core.rs"

[dependencies]
serde = { version = "1", features = ["derive"] }
rand = "0.8"
renamed = { package = "real-name", version = "2" }
acme-io = { path = "../io", version = "0.3" }
tracing = { version = "0.1", optional = true }
anyhow.workspace = true
from-git = { git = "https://example.org/x.git" }

[dev-dependencies]
proptest = "1"

[build-dependencies]
cc = "1.0"

[target.'cfg(windows)'.dependencies]
winapi = "0.3"
"""
    assert said("crates/core/Cargo.toml", source) == Manifest(
        "cargo",
        "acme-core",
        "1.4.0",
        (
            Dependency("serde", "1"),
            Dependency("rand", "0.8"),
            Dependency("real-name", "2"),
            Dependency("acme-io", "0.3", path="../io"),
            Dependency("tracing", "0.1", "optional"),
            Dependency("anyhow", managed="anyhow"),
            Dependency("from-git"),
            Dependency("proptest", "1", "dev"),
            Dependency("cc", "1.0", "build"),
            Dependency("winapi", "0.3"),
        ),
        provides=(("acme_core", "lib/core.rs"),),
    )


def test_a_workspace_of_crates_says_its_members_and_what_they_inherit() -> None:
    source = """
[workspace]
members = ["crates/*", "tools/xtask"]

[workspace.package]
version = "3.1.0"

[workspace.dependencies]
anyhow = "1.0.80"
acme-io = { path = "crates/io", version = "0.3" }
"""
    assert said("Cargo.toml", source) == Manifest(
        "cargo",
        managed=(
            ("anyhow", Dependency("anyhow", "1.0.80")),
            ("acme-io", Dependency("acme-io", "0.3", path="crates/io")),
        ),
        members=("crates/*", "tools/xtask"),
        properties=(("version", "3.1.0"),),
    )
    member = said("crates/a/Cargo.toml", '[package]\nname = "a"\nversion.workspace = true\nworkspace = "../.."\n')
    assert (member.version, member.parent) == ("${version}", "../..")


def test_a_package_of_npm_says_its_entries_its_workspaces_and_what_it_needs_when() -> None:
    source = """{
  "name": "@acme/web", "version": "2.0.0-beta.1",
  "main": "dist/index.js", "types": "dist/index.d.ts",
  "exports": {".": {"import": {"default": "./dist/index.mjs"}, "require": "./dist/index.cjs"}, "./x": "./x.js"},
  "workspaces": {"packages": ["packages/*", "!packages/old"]},
  "dependencies": {
    "react": "^18.2.0", "@acme/core": "workspace:*", "@acme/theme": "workspace:^1.2.0", "local": "file:../local",
    "linked": "./tools/linked", "alias": "npm:@scope/real@^4", "plain-alias": "npm:real", "git": "github:me/git",
    "managed": "catalog:", "old": "catalog:legacy"
  },
  "devDependencies": {"vitest": "1.x || 2.x"},
  "peerDependencies": {"react": ">=17", "sass": "*"},
  "peerDependenciesMeta": {"sass": {"optional": true}},
  "optionalDependencies": {"fsevents": "~2.3"}
}"""
    found = said("web/package.json", source)
    assert (found.ecosystem, found.name, found.version) == ("npm", "@acme/web", "2.0.0-beta.1")
    assert found.members == ("packages/*", "!packages/old")
    assert found.provides == tuple(
        ("@acme/web", entry) for entry in ("dist/index.d.ts", "dist/index.js", "./dist/index.mjs", "./dist/index.cjs")
    )
    assert found.dependencies == (
        Dependency("fsevents", "~2.3", "optional"),
        Dependency("react", "^18.2.0"),
        Dependency("@acme/core"),
        Dependency("@acme/theme", "^1.2.0"),
        Dependency("local", path="../local"),
        Dependency("linked", path="./tools/linked"),
        Dependency("@scope/real", "^4"),
        Dependency("real"),
        Dependency("git"),
        Dependency("managed", managed="default:managed"),
        Dependency("old", managed="legacy:old"),
        Dependency("react", ">=17", "peer"),
        Dependency("sass", "*", "optional"),
        Dependency("vitest", "1.x || 2.x", "dev"),
    )


def test_a_workspace_of_pnpm_says_its_members_and_catalogs() -> None:
    source = """# all of it
packages:
  - "apps/*"   # the apps
  - 'libs/**'
  - tools

catalog:
  react: ^18.3.0
  "@types/node": '20'
catalogs:
  legacy:
    old: 1.0.0
onlyBuiltDependencies:
  - esbuild
"""
    assert said("pnpm-workspace.yaml", source) == Manifest(
        "npm",
        managed=(
            ("default:react", Dependency("react", "^18.3.0")),
            ("default:@types/node", Dependency("@types/node", "20")),
            ("legacy:old", Dependency("old", "1.0.0")),
        ),
        members=("apps/*", "libs/**", "tools"),
    )


def test_a_pyproject_says_what_it_needs_in_every_table_that_tools_read() -> None:
    source = """
[build-system]
requires = ["hatchling>=1.20"]

[project]
name = "Acme.Core"
version = "0.5"
dependencies = [
  "httpx[http2] >=0.27,<1; python_version > '3.8'", "acme-io", "local @ file:///srv/local", "x @ https://e.org/x.whl",
]

[project.optional-dependencies]
cli = ["rich>=13"]

[dependency-groups]
test = ["pytest>=8", {include-group = "lint"}]

[tool.uv.sources]
acme-io = { path = "../io" }

[tool.uv.workspace]
members = ["libs/*"]

[tool.hatch.build.targets.wheel]
packages = ["src/acme_core"]
"""
    assert said("pyproject.toml", source) == Manifest(
        "pypi",
        "Acme.Core",
        "0.5",
        (
            Dependency("httpx", ">=0.27,<1"),
            Dependency("acme-io", path="../io"),
            Dependency("local", path="/srv/local"),
            Dependency("x"),
            Dependency("rich", ">=13", "optional"),
            Dependency("pytest", ">=8", "dev"),
            Dependency("hatchling", ">=1.20", "build"),
        ),
        members=("libs/*",),
        provides=(("acme_core", "src/acme_core"),),
    )


def test_a_pyproject_of_poetry_says_the_same_in_its_own_words() -> None:
    source = """
[tool.poetry]
name = "acme"
version = "1.0.0"
packages = [{ include = "acme", from = "lib" }, { include = "extra" }]

[tool.poetry.dependencies]
python = "^3.11"
requests = "^2.31"
numpy = [{ version = "^1.26", python = "<3.13" }, { version = "^2", python = ">=3.13" }]
io = { path = "../io", develop = true }
tui = { version = "1", optional = true }

[tool.poetry.group.dev.dependencies]
ruff = "*"
"""
    found = said("pyproject.toml", source)
    assert (found.name, found.version) == ("acme", "1.0.0")
    assert found.dependencies == (
        Dependency("requests", "^2.31"),
        Dependency("numpy", "^1.26"),
        Dependency("io", path="../io"),
        Dependency("tui", "1", "optional"),
        Dependency("ruff", "*", "dev"),
    )
    assert found.provides == (("acme", "lib/acme"), ("extra", "extra"))


@pytest.mark.parametrize(
    ("path", "up", "scope"),
    [
        ("requirements.txt", 0, "runtime"),
        ("requirements-dev.txt", 0, "dev"),
        ("test-requirements.txt", 0, "dev"),
        ("requirements/base.in", 1, "runtime"),
        ("app/requirements/docs.txt", 1, "dev"),
        ("requirements_build.txt", 0, "build"),
    ],
)
def test_the_name_of_a_requirements_file_says_when_it_is_needed(path: str, up: int, scope: str) -> None:
    found = said(path, "flask\n")
    assert (found.up, [row.scope for row in found.dependencies]) == (up, [scope])


def test_a_requirements_file_says_packages_and_nothing_else() -> None:
    source = """# what we run on
-r base.txt
--index-url https://example.org/simple
flask==3.0.0 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
requests[socks] >= 2.31 ; python_version < "3.13"  # sockets
-e ./libs/core[all]
-e git+https://example.org/x.git@main#egg=from_git
../sibling
./wheels/x-1.0.whl
name @ https://example.org/name.tar.gz
https://example.org/bare.tar.gz
not a requirement
"""
    assert said("requirements.txt", source).dependencies == (
        Dependency("flask", "==3.0.0"),
        Dependency("requests", ">= 2.31"),
        Dependency("", path="./libs/core"),
        Dependency("from_git"),
        Dependency("", path="../sibling"),
        Dependency("name"),
    )


def test_a_setup_cfg_says_what_setuptools_reads() -> None:
    source = """
[metadata]
name = acme
version = attr: acme.__version__

[options]
packages = find:
package_dir =
    = src
install_requires =
    requests >=2
    six
[options.packages.find]
where = src
[options.extras_require]
test = pytest
"""
    found = said("setup.cfg", source)
    assert (found.name, found.version) == ("acme", "")
    assert found.dependencies == (
        Dependency("requests", ">=2"),
        Dependency("six"),
        Dependency("pytest", scope="optional"),
    )
    assert set(found.provides) == {("*", "src")}
    assert read("setup.cfg", b"[flake8]\nmax-line-length = 100\n") is None


def test_a_setup_py_is_read_and_never_run() -> None:
    source = """
import os
raise SystemExit("run")
NEEDS = ["requests>=2", "six"]
version = open("VERSION").read()
setuptools.setup(name="acme", version=version, packages=["acme", "acme.sub"], package_dir={"": "src"},
                 install_requires=NEEDS, extras_require={"test": ["pytest"]}, tests_require=sorted(["x"]))
"""
    assert said("setup.py", source) == Manifest(
        "pypi",
        "acme",
        "",
        (Dependency("requests", ">=2"), Dependency("six"), Dependency("pytest", scope="optional")),
        provides=(("acme", "src/acme"), ("*", "src")),
    )
    assert read("setup.py", b"print('no setup here')\n") is None


def test_a_pipfile_says_packages() -> None:
    source = '[packages]\nflask = "*"\nlocal = {path = "./x", editable = true}\n[dev-packages]\npytest = ">=8"\n'
    assert said("Pipfile", source).dependencies == (
        Dependency("flask"),
        Dependency("local", path="./x"),
        Dependency("pytest", ">=8", "dev"),
    )


def test_a_module_of_go_says_what_it_requires_and_what_stands_in_for_it() -> None:
    source = """module example.org/acme/app // the app

go 1.22

require example.org/acme/lib v1.2.3

require (
\tgithub.com/pkg/errors v0.9.1
\tgolang.org/x/sys v0.1.0 // indirect
\texample.org/old v1.0.0
\texample.org/tools v0.2.0
)

replace (
\texample.org/acme/lib => ../lib
\texample.org/old v1.0.0 => example.org/new v2.0.0
)

tool example.org/tools/cmd/gen

exclude example.org/bad v1.0.0
"""
    assert said("go.mod", source) == Manifest(
        "go",
        "example.org/acme/app",
        dependencies=(
            Dependency("example.org/acme/lib", "v1.2.3", path="../lib"),
            Dependency("github.com/pkg/errors", "v0.9.1"),
            Dependency("golang.org/x/sys", "v0.1.0", "indirect"),
            Dependency("example.org/new", "v2.0.0"),
            Dependency("example.org/tools", "v0.2.0", "dev"),
        ),
        provides=(("example.org/acme/app", "."),),
    )
    assert said("go.work", "go 1.22\n\nuse (\n\t./app\n\t./lib\n)\nuse ./tool\n").members == (
        "./app",
        "./lib",
        "./tool",
    )


def test_a_project_of_maven_says_its_parent_and_what_it_leaves_to_it() -> None:
    source = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <parent><groupId>org.acme</groupId><artifactId>parent</artifactId><version>1.0</version></parent>
  <artifactId>service</artifactId>
  <properties><junit.version>5.10.0</junit.version></properties>
  <modules><module>api</module><module>../tools/pom.xml</module></modules>
  <dependencies>
    <dependency><groupId>${project.groupId}</groupId><artifactId>api</artifactId><version>${project.version}</version></dependency>
    <dependency><groupId>com.google.guava</groupId><artifactId>guava</artifactId></dependency>
    <dependency><groupId>org.junit</groupId><artifactId>junit</artifactId><version>${junit.version}</version>
      <scope>test</scope></dependency>
    <dependency><groupId>javax</groupId><artifactId>servlet</artifactId><version>4</version>
      <scope>provided</scope></dependency>
    <dependency><groupId>a</groupId><artifactId>b</artifactId><version>1</version><optional>true</optional></dependency>
  </dependencies>
  <build><plugins><plugin><artifactId>maven-jar-plugin</artifactId><version>3.3</version></plugin></plugins></build>
</project>"""
    found = said("service/pom.xml", source)
    assert (found.name, found.version, found.parent) == ("org.acme:service", "1.0", "..")
    assert found.members == ("api", "../tools")
    assert dict(found.properties)["junit.version"] == "5.10.0"
    assert found.dependencies == (
        Dependency("${project.groupId}:api", "${project.version}"),
        Dependency("com.google.guava:guava", managed="com.google.guava:guava"),
        Dependency("org.junit:junit", "${junit.version}", "dev"),
        Dependency("javax:servlet", "4", "build"),
        Dependency("a:b", "1", "optional"),
        Dependency("org.apache.maven.plugins:maven-jar-plugin", "3.3", "build"),
    )
    assert read("pom.xml", b"<beans/>") is None


GROOVY = """
plugins { id 'java-library' }
group = 'org.acme'
version = '2.1'
def guavaVersion = '33.0'
dependencies {
    api "com.google.guava:guava:$guavaVersion"
    implementation project(':core:model')
    implementation group: 'org.slf4j', name: 'slf4j-api', version: '2.0.9'
    // implementation 'not:this:1'
    implementation libs.jackson.databind
    compileOnly 'org.projectlombok:lombok:1.18.30'
    testImplementation('org.junit:junit:5.10') { exclude group: 'x' }
    annotationProcessor "org.projectlombok:lombok:1.18.30"
    implementation platform('org.acme:bom:1.0')
    implementation 'org.acme:plain'
}
"""
KOTLIN = """
group = "org.acme"
version = "2.1"
val guavaVersion = "33.0"
dependencies {
    api("com.google.guava:guava:$guavaVersion")
    implementation(project(":core:model"))
    implementation(group = "org.slf4j", name = "slf4j-api", version = "2.0.9")
    /* implementation("not:this:1") */
    implementation(libs.jackson.databind)
    compileOnly("org.projectlombok:lombok:1.18.30")
    testImplementation("org.junit:junit:5.10") { exclude(group = "x") }
    annotationProcessor("org.projectlombok:lombok:1.18.30")
    implementation(platform("org.acme:bom:1.0"))
    implementation("org.acme:plain")
}
"""


@pytest.mark.parametrize(("path", "source"), [("app/build.gradle", GROOVY), ("app/build.gradle.kts", KOTLIN)])
def test_a_build_of_gradle_says_the_same_in_both_languages(path: str, source: str) -> None:
    found = said(path, source)
    assert (found.name, found.version) == ("${group}:app", "2.1")
    assert dict(found.properties) == {"group": "org.acme", "version": "2.1", "guavaVersion": "33.0"}
    assert found.dependencies == (
        Dependency("com.google.guava:guava", "${guavaVersion}"),
        Dependency("", path=":core:model"),
        Dependency("org.slf4j:slf4j-api", "2.0.9"),
        Dependency("", managed="libs.jackson.databind"),
        Dependency("org.projectlombok:lombok", "1.18.30", "build"),
        Dependency("org.junit:junit", "5.10", "dev"),
        Dependency("org.projectlombok:lombok", "1.18.30", "build"),
        Dependency("org.acme:bom", "1.0"),
        Dependency("org.acme:plain"),
    )


def test_gradle_says_its_projects_and_what_its_catalog_calls_libraries() -> None:
    settings = "rootProject.name = 'shop'\ninclude 'core', ':web:api'\ninclude(\"tool\")\nincludeBuild('logic')\n"
    found = said("settings.gradle", settings)
    assert (found.members, found.properties) == ((".", "core", "web/api", "tool"), (("root", "shop"),))
    catalog = """
[versions]
jackson = "2.17.0"
rich = { strictly = "[1.0, 2.0[", prefer = "1.5" }
[libraries]
jackson-databind = { module = "com.fasterxml.jackson.core:jackson-databind", version.ref = "jackson" }
guava = "com.google.guava:guava:33.0"
ranged = { group = "org.acme", name = "ranged", version.ref = "rich" }
bare = { module = "org.acme:bare" }
"""
    found = said("gradle/libs.versions.toml", catalog)
    assert found.up == 1
    assert dict(found.managed) == {
        "libs.jackson.databind": Dependency("com.fasterxml.jackson.core:jackson-databind", "2.17.0"),
        "libs.guava": Dependency("com.google.guava:guava", "33.0"),
        "libs.ranged": Dependency("org.acme:ranged", "[1.0, 2.0["),
        "libs.bare": Dependency("org.acme:bare"),
    }


def test_a_package_of_composer_says_its_namespaces_and_not_php_itself() -> None:
    source = """{"name": "Acme/Core", "require": {"php": ">=8.1", "ext-json": "*", "symfony/console": "^6.4"},
    "require-dev": {"phpunit/phpunit": "^10"},
    "autoload": {"psr-4": {"Acme\\\\Core\\\\": "src/", "Acme\\\\": ["a", "b"]}}}"""
    assert said("composer.json", source) == Manifest(
        "composer",
        "Acme/Core",
        dependencies=(Dependency("symfony/console", "^6.4"), Dependency("phpunit/phpunit", "^10", "dev")),
        provides=(("Acme\\Core", "src"), ("Acme", "a"), ("Acme", "b")),
    )


def test_a_gemfile_says_gems_with_their_groups_and_paths() -> None:
    source = """source "https://rubygems.org"
gemspec
gem "rails", "~> 7.1", ">= 7.1.2" # the framework
gem 'puma'
gem "local", path: "../local"
gem "debug", group: %i[development test]
gem "pry", group: [:development, :test], require: false
group :development, :test do
  gem "rspec", "~> 3"
  if ENV["X"]
    gem "odd"
  end
end
group :production do
  gem "pg"
end
path "engines" do
  gem "billing"
end
# gem "not-this"
"""
    found = {row.name: row for row in said("Gemfile", source).dependencies}
    assert found == {
        "rails": Dependency("rails", "~> 7.1, >= 7.1.2"),
        "puma": Dependency("puma"),
        "local": Dependency("local", path="../local"),
        "debug": Dependency("debug", scope="dev"),
        "pry": Dependency("pry", scope="dev"),
        "rspec": Dependency("rspec", "~> 3", "dev"),
        "odd": Dependency("odd", scope="dev"),
        "pg": Dependency("pg"),
        "billing": Dependency("billing", path="engines/billing"),
    }


def test_a_gemspec_says_its_name_or_has_that_of_its_file() -> None:
    source = """Gem::Specification.new do |spec|
  spec.name = "acme-core"
  spec.version = Acme::VERSION
  spec.add_dependency "rack", ">= 2", "< 4"
  spec.add_runtime_dependency("json")
  spec.add_development_dependency 'rake', '~> 13'
end
"""
    assert said("acme-core.gemspec", source) == Manifest(
        "gem",
        "acme-core",
        dependencies=(
            Dependency("rack", ">= 2, < 4"),
            Dependency("json"),
            Dependency("rake", "~> 13", "dev"),
        ),
        provides=(("acme-core", "lib"),),
    )
    assert said("x/other.gemspec", "Gem::Specification.new { |s| s.name = NAME }\n").name == "other"


def test_a_project_of_net_says_packages_and_projects() -> None:
    source = """<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><Version>1.2.0</Version><RootNamespace>Acme.Web</RootNamespace></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Serilog" Version="3.1.1" />
    <PackageReference Include="Managed" />
    <PackageReference Include="Analyzer"><Version>1.0</Version><PrivateAssets>all</PrivateAssets></PackageReference>
    <PackageReference Include="Computed" Version="$(X)" />
    <ProjectReference Include="..\\Core\\Acme.Core.csproj" />
  </ItemGroup>
</Project>"""
    assert said("src/Web/Web.csproj", source) == Manifest(
        "nuget",
        "Web",
        "1.2.0",
        (
            Dependency("Serilog", "3.1.1"),
            Dependency("Managed", managed="Managed"),
            Dependency("Analyzer", "1.0", "dev"),
            Dependency("Computed"),
            Dependency("Acme.Core", path="../Core"),
        ),
        provides=(("Acme.Web", "."),),
    )
    props = '<Project><ItemGroup><PackageVersion Include="Managed" Version="4.2" /></ItemGroup></Project>'
    assert said("Directory.Packages.props", props).managed == (("Managed", Dependency("Managed", "4.2")),)
    old = (
        '<packages><package id="Old" version="1"/><package id="T" version="2" developmentDependency="true"/></packages>'
    )
    assert said("packages.config", old).dependencies == (Dependency("Old", "1"), Dependency("T", "2", "dev"))
