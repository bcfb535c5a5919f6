"""Technology of a project: languages, versions, packages, tools and services from its files."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recollect.hierarchy.layers import is_secondary

if TYPE_CHECKING:
    from recollect.engine import PackageRow, Project

# Packages, and dependencies of one scope, that are listed; the others are counted.
MOST_PACKAGES, MOST_NEEDED = 25, 40
# A language below this share of the code is listed without numbers.
LEAST_SHARE = 0.01
# Bytes of a file that are searched for a version or a service.
MOST_BYTES = 200_000


# Declarations of a version: of what, in which files, by which pattern.
VERSIONS = (
    (
        "Python",
        ("pyproject.toml", "setup.cfg"),
        r"(?m)^[^\S\n]*+(?:requires-python|python_requires)\s*+=\s*+[\"']?([^\"'\n]+)",
    ),
    ("Python", ("setup.py",), r"python_requires\s*=\s*[\"']([^\"']+)"),
    ("Python", (".python-version",), r"^\s*(\S+)"),
    ("Go", ("go.mod",), r"(?m)^go\s+(\S+)"),
    ("Rust", ("Cargo.toml",), r"(?m)^rust-version\s*=\s*\"([^\"]+)"),
    ("Rust edition", ("Cargo.toml",), r"(?m)^edition\s*=\s*\"([^\"]+)"),
    ("Node.js", ("package.json",), r"\"engines\"\s*:\s*\{[^{}]*\"node\"\s*:\s*\"([^\"]+)"),
    ("Node.js", (".nvmrc", ".node-version"), r"^\s*(\S+)"),
    ("package manager", ("package.json",), r"\"packageManager\"\s*:\s*\"([^\"+]+)"),
    ("Java", ("pom.xml",), r"<(?:maven\.compiler\.(?:release|source)|java\.version|release)>([^<$]+)<"),
    ("Java", ("build.gradle", "build.gradle.kts"), r"(?:sourceCompatibility|languageVersion)\D{0,40}(\d[\d.]*)"),
    ("Kotlin", ("build.gradle.kts", "build.gradle"), r"kotlin[^\n]{0,200}?version\s*+\(?[\"']([\d.]+)"),
    ("PHP", ("composer.json",), r"\"php\"\s*:\s*\"([^\"]+)"),
    ("Ruby", (".ruby-version",), r"^\s*(\S+)"),
    ("Ruby", ("Gemfile",), r"(?m)^ruby\s+[\"']([^\"']+)"),
    (".NET", ("Directory.Build.props", "global.json"), r"(?:<TargetFrameworks?>|\"version\"\s*:\s*\")([^<\"]+)"),
    ("Swift", ("Package.swift",), r"swift-tools-version:\s*(\S+)"),
    ("Elixir", ("mix.exs",), r"elixir:\s*\"([^\"]+)"),
    ("Scala", ("build.sbt",), r"scalaVersion\s*:=\s*\"([^\"]+)"),
    ("Zig", ("build.zig.zon",), r"minimum_zig_version\s*=\s*\"([^\"]+)"),
    ("CMake", ("CMakeLists.txt",), r"(?i)cmake_minimum_required\s*\(\s*VERSION\s+([\d.]+)"),
)

# Files and folders in the root, and the tool that uses them.
TOOLS: tuple[tuple[str, str], ...] = (
    ("Makefile", "make"), ("justfile", "just"), ("Taskfile.yml", "task"), ("CMakeLists.txt", "CMake"),
    ("meson.build", "Meson"), ("BUILD.bazel", "Bazel"), ("WORKSPACE", "Bazel"), ("gradlew", "Gradle wrapper"),
    ("mvnw", "Maven wrapper"), ("tox.ini", "tox"), ("noxfile.py", "nox"), ("uv.lock", "uv"), ("poetry.lock", "Poetry"),
    ("Pipfile", "Pipenv"), ("pnpm-lock.yaml", "pnpm"), ("pnpm-workspace.yaml", "pnpm workspaces"),
    ("yarn.lock", "Yarn"), ("package-lock.json", "npm"), ("bun.lockb", "Bun"), ("lerna.json", "Lerna"),
    ("turbo.json", "Turborepo"), ("nx.json", "Nx"), ("tsconfig.json", "TypeScript"), ("vite.config.ts", "Vite"),
    ("vitest.config.ts", "Vitest"), ("vitest.config.mts", "Vitest"), ("jest.config.js", "Jest"),
    ("webpack.config.js", "webpack"), ("rollup.config.js", "Rollup"), ("eslint.config.js", "ESLint"),
    (".eslintrc.js", "ESLint"), (".eslintrc.json", "ESLint"), (".prettierrc", "Prettier"),
    (".pre-commit-config.yaml", "pre-commit"), (".golangci.yml", "golangci-lint"), ("rustfmt.toml", "rustfmt"),
    (".clang-format", "clang-format"), (".rubocop.yml", "RuboCop"), ("phpunit.xml.dist", "PHPUnit"),
    ("phpstan.neon.dist", "PHPStan"), ("mypy.ini", "mypy"), ("pytest.ini", "pytest"), ("Dockerfile", "Docker"),
    (".github/workflows", "GitHub Actions"), (".gitlab-ci.yml", "GitLab CI"), (".circleci", "CircleCI"),
    (".travis.yml", "Travis CI"), ("Jenkinsfile", "Jenkins"), (".ci", "custom CI"), ("fly.toml", "Fly.io"),
    ("Procfile", "Heroku"), ("serverless.yml", "Serverless"), (".goreleaser.yml", "GoReleaser"),
)  # fmt: skip
# Tool sections of pyproject.toml.
_PYPROJECT_TOOL = re.compile(r"(?m)^\[tool\.([\w-]+)")

_COMPOSE = ("docker-compose.yml", "docker-compose.yaml", "compose.yml", "compose.yaml")
_IMAGE = re.compile(r"(?m)^[^\S\n]*+image:\s*+[\"']?([\w./:-]+)")


def technology(project: Project) -> str:
    """Return languages, versions, tools, services and packages, one fact a line."""
    facts = (("Languages", _languages), ("Versions", _versions), ("Tools", _tools), ("Services", _services))
    lines = [f"{title}: {', '.join(found)}." for title, find in facts if (found := list(find(project)))]
    return "\n".join([*lines, "", *_packages(project)]).strip()


def _languages(project: Project) -> Iterator[str]:
    """Yield the languages of the code, the largest share first."""
    sizes: Counter[str] = Counter()
    files: Counter[str] = Counter()
    for source in project.code.values():
        sizes[source.language or ""] += source.size_bytes
        files[source.language or ""] += 1
    whole = sizes.total() or 1
    order = sorted(sizes, key=lambda language: (-sizes[language], language))
    shown = [language for language in order if sizes[language] >= LEAST_SHARE * whole]
    for language in shown:
        yield f"{language} {100 * sizes[language] / whole:.0f} % ({files[language]:,} files)"
    if len(order) > len(shown):
        yield "a little " + ", ".join(order[len(shown) :])


def _versions(project: Project) -> Iterator[str]:
    """Yield the versions that manifests of the root and of packages require."""
    own = (row.folder for row in project.packages if not is_secondary(row.manifest))
    folders = dict.fromkeys(["", *own])
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for of, files, pattern in VERSIONS:
        for folder in folders:
            for name in files:
                found = re.search(pattern, project.text(f"{folder}/{name}".lstrip("/"), MOST_BYTES))
                if found:
                    seen[of][found[1].strip()] += 1
    for of, versions in seen.items():
        yield f"{of} " + " or ".join(version for version, _ in versions.most_common(3))


def _tools(project: Project) -> Iterator[str]:
    found = [tool for name, tool in TOOLS if (project.root / name).exists()]
    found += [name for name in _PYPROJECT_TOOL.findall(project.text("pyproject.toml", MOST_BYTES)) if name not in found]
    yield from dict.fromkeys(found)


def _services(project: Project) -> Iterator[str]:
    images = (image for name in _COMPOSE for image in _IMAGE.findall(project.text(name, MOST_BYTES)))
    yield from dict.fromkeys(images)


def _packages(project: Project) -> Iterator[str]:
    rows = [row for row in project.packages if not row.mark and not is_secondary(row.manifest)]
    for row in rows[:MOST_PACKAGES]:
        yield f"{row.label}{f' {row.version}' if row.version else ''} ({row.ecosystem}, {row.manifest})"
        for scope, needed in _needed(row):
            yield f"  {scope}: {', '.join(needed)}"
    if len(rows) > MOST_PACKAGES:
        yield f"… {len(rows) - MOST_PACKAGES} more packages"


def _needed(row: PackageRow) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield the dependencies of a package by scope, with their version ranges."""
    scopes: dict[str, list[str]] = {}
    for each in row.dependencies:
        place = " (here)" if each.local else ""
        scopes.setdefault(each.scope, []).append(f"{each.label}{f' {each.range}' if each.range else ''}{place}")
    for scope, names in scopes.items():
        more = len(names) - MOST_NEEDED
        yield scope, [*names[:MOST_NEEDED], *([f"… {more} more"] if more > 0 else [])]
