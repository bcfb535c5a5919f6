"""Manifests as strangers write them: broken, huge, hostile or of another shape; none stops the index."""

from __future__ import annotations

import pytest

from recollect.code.manifests.families import pack, read, unpack
from recollect.code.manifests.manifest import Dependency, Manifest

pytestmark = pytest.mark.promise("E14")

LAUGHS = (
    '<!DOCTYPE project [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">'
    "]><project><artifactId>&b;</artifactId></project>"
)
OUTSIDE = '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/passwd">]><project><artifactId>&x;</artifactId></project>'


def said(path: str, source: str) -> Manifest:
    """Read a manifest, and see that it survives being kept."""
    found = read(path, source.encode())
    assert found is not None
    assert unpack(pack(found)) == found
    return found


@pytest.mark.parametrize(
    ("path", "source", "why"),
    [
        ("package.json", b"{", "Expecting"),
        ("package.json", b"[" * 200_000, "nested too deeply"),
        ("Cargo.toml", b"[package\nname", "Expected"),
        ("Cargo.toml", b"x = " + b"[" * 100_000, "more than 100 nested levels"),
        ("Cargo.toml", b"[" + b"a." * 5_000 + b"a]", "more than 100 nested levels"),
        ("Cargo.toml", b"'a b'. " * 5_000 + b"a = 1", "more than 100 nested levels"),
        ("Cargo.toml", b"a = " + b"9" * 5_000, "digits"),
        ("pyproject.toml", b"\xff\xfe\x00 = 1", "UTF-8"),
        ("package.json", b'{"name": "\\ud800"}', "UTF-8"),
        ("setup.cfg", b"no section\n", "cannot be read"),
        ("setup.py", b"def broken(:\n", "not Python"),
        ("pom.xml", b"<project><a></project>", "not XML"),
        ("pom.xml", b"", "not XML"),
        ("pom.xml", LAUGHS.encode(), "document type"),
        ("a/x.csproj", OUTSIDE.encode(), "document type"),
        ("package.json", b'{"name": "x"}' + b" " * 1_000_000, "larger than"),
    ],
)
def test_a_manifest_that_cannot_be_read_leaves_a_note_and_nothing_else(path: str, source: bytes, why: str) -> None:
    found = read(path, source)
    assert found is not None
    assert why in found.notes[0]
    assert found == Manifest(found.ecosystem, notes=found.notes)


@pytest.mark.parametrize(
    ("path", "source"),
    [
        ("package.json", '[1, "two"]'),
        ("package.json", '{"name": 7, "version": null, "dependencies": ["a"], "workspaces": 3, "exports": [[[1]]]}'),
        ("package.json", '{"dependencies": {"a": {"b": 1}, "c": null}, "peerDependenciesMeta": {"a": 1}}'),
        ("composer.json", '{"require": "x", "autoload": {"psr-4": [1]}}'),
        ("Cargo.toml", 'package = 1\ndependencies = ["a"]\ntarget = {x = 1}\nworkspace = {members = 1}'),
        (
            "pyproject.toml",
            "[project]\nname = 1\ndependencies = 2\n[tool]\npoetry = 3\nuv = 4\nsetuptools = {packages = 1}",
        ),
        ("pyproject.toml", "[tool.poetry]\npackages = 5\ndependencies = {a = [], b = [1]}"),
        ("pyproject.toml", "[tool.poetry]\npackages = [1, {include = 2}]"),
        ("Pipfile", "packages = 1"),
        ("go.mod", "module\nrequire (\n)\nreplace a =>\nrequire"),
        (
            "pom.xml",
            "<project><dependencies><dependency/></dependencies><parent/><modules><module/></modules></project>",
        ),
        ("gradle/libs.versions.toml", 'libraries = {a = 1, b = "x", c = {module = 3}}\nversions = 2'),
        ("a.csproj", "<Project><ItemGroup><PackageReference/><ProjectReference/></ItemGroup></Project>"),
        ("Gemfile", "end\nend\ngem\ngroup do\ngem ''\n"),
        ("requirements.txt", "==1\n[x]\n;\n-e\n@ x\n"),
        ("pnpm-workspace.yaml", "packages\n  - :\n- \ncatalogs:\n  x:\n    - y\n"),
    ],
)
def test_a_manifest_of_another_shape_says_nothing_and_breaks_nothing(path: str, source: str) -> None:
    found = said(path, source)
    assert (found.name, found.notes) == ("", ()) or path == "a.csproj"
    # A name of which nothing else is understood is still a name.
    assert {row.name for row in found.dependencies} <= {"a", "b"}
    assert all(row == Dependency(row.name) for row in found.dependencies)


def test_names_and_lists_beyond_all_measure_are_cut() -> None:
    many = ", ".join(f'"d{number}": "1"' for number in range(6_000))
    found = said("package.json", f'{{"name": "{"x" * 1000}", "dependencies": {{"{"y" * 1000}": "1", {many}}}}}')
    assert found.name == ""
    assert len(found.dependencies) == 5_000
    assert found.notes == ("manifest: 1,000 of 6,000 dependencies skipped",)


@pytest.mark.parametrize(
    "path",
    ["package.json.md", "notes.txt", "src/cargo.toml.rs", "my-package.json", "pom.xml/readme", "build.gradle.old"],
)
def test_other_files_are_no_manifests(path: str) -> None:
    assert read(path, b"{}") is None
