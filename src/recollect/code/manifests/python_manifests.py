"""pyproject.toml, setup.cfg, setup.py, Pipfile and requirement files of Python."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from recollect.code.manifests.manifest import Dependency, Manifest, Scope, table, text, texts, toml
from recollect.parsing import parse_python

if TYPE_CHECKING:
    import ast

# Any module found in a folder that a manifest names.
ANY = "*"


def pyproject(_path: str, source: str) -> Manifest:
    """Return the manifest of a pyproject.toml, for any build tool."""
    content = toml(source)
    project, poetry = table(content, "project"), table(content, "tool", "poetry")
    found = [
        *requirements_of(texts(project.get("dependencies", []))),
        *_groups(table(project, "optional-dependencies"), "optional"),
        *_groups(table(content, "dependency-groups"), "dev"),
        *_groups(table(content, "tool", "pdm", "dev-dependencies"), "dev"),
        *requirements_of(texts(table(content, "tool", "uv").get("dev-dependencies", [])), "dev"),
        *_poetry(poetry),
        *requirements_of(texts(table(content, "build-system").get("requires", [])), "build"),
    ]
    sources = table(content, "tool", "uv", "sources")
    return Manifest(
        "pypi",
        text(project.get("name")) or text(poetry.get("name")),
        text(project.get("version")) or text(poetry.get("version")),
        tuple(row._replace(path=row.path or text(table(sources, row.name).get("path"))) for row in found),
        members=tuple(texts(table(content, "tool", "uv", "workspace").get("members", []))),
        provides=tuple(_modules(table(content, "tool"))),
    )


def _groups(groups: dict[str, Any], scope: Scope) -> Iterator[Dependency]:
    for lines in groups.values():
        yield from requirements_of(texts(lines), scope)


def _poetry(poetry: dict[str, Any]) -> Iterator[Dependency]:
    tables: list[tuple[dict[str, Any], Scope]] = [
        (table(poetry, "dependencies"), "runtime"),
        (table(poetry, "dev-dependencies"), "dev"),
    ]
    tables += [(table(group, "dependencies"), "dev") for group in table(poetry, "group").values()]
    for rows, scope in tables:
        for name, row in rows.items():
            if name.lower() == "python":
                continue
            # A list has ranges for several Pythons: the first is taken.
            said = row[0] if isinstance(row, list) and row else row
            if isinstance(said, dict):
                needed: Scope = "optional" if said.get("optional") is True and scope == "runtime" else scope
                yield Dependency(name, text(said.get("version")), needed, text(said.get("path")))
            else:
                yield Dependency(name, text(said), scope)


def _modules(tools: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the modules and folders of modules that build tools are configured with."""
    setuptools = table(tools, "setuptools")
    roots = table(setuptools, "package-dir")
    yield from _setuptools(
        texts(setuptools.get("packages", [])) + texts(setuptools.get("py-modules", [])),
        {name: text(folder) for name, folder in roots.items()},
        texts(table(setuptools, "packages", "find").get("where", [])),
    )
    for place in texts(table(tools, "hatch", "build", "targets", "wheel").get("packages", [])):
        yield place.rstrip("/").rpartition("/")[2], place.rstrip("/")
    packages = table(tools, "poetry").get("packages")
    for row in packages if isinstance(packages, list) else ():
        name = text(table(row).get("include")).split("/")[0]
        if name and "*" not in name:
            yield name, _joined(text(table(row).get("from")), name)
    for name in texts(table(tools, "flit", "module").get("name", [])):
        yield name, ""
    for name in texts(table(tools, "uv", "build-backend").get("module-name", [])):
        root = table(tools, "uv", "build-backend").get("module-root", "src")
        yield name.split(".")[0], _joined(text(root), name.split(".")[0])
    for name in texts(table(tools, "maturin").get("module-name", [])):
        yield name.split(".")[0], ""
    for folder in (*texts(table(tools, "maturin").get("python-source", [])),
                   *texts(table(tools, "pdm", "build").get("package-dir", []))):  # fmt: skip
        yield ANY, folder


def _setuptools(names: Iterable[str], roots: dict[str, str], where: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield modules as setuptools is configured: names, their folders, and folders to search."""
    for name in dict.fromkeys(name.split(".")[0] for name in names):
        yield name, roots[name] if name in roots else _joined(roots[""], name) if "" in roots else ""
    for folder in where:
        yield ANY, folder.strip("/")
    if "" in roots:
        yield ANY, roots[""].strip("/")


def _joined(folder: str, name: str) -> str:
    return f"{folder.strip('/')}/{name}" if folder.strip("./") else name


def setup_cfg(_path: str, source: str) -> Manifest | None:
    """Return the manifest of a setup.cfg; None if it only configures tools."""
    import configparser

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(source)
    except configparser.Error as problem:
        raise ValueError(f"it cannot be read: {problem}") from None

    def said(section: str, key: str) -> str:
        found = parser.get(section, key, fallback="").strip()
        return "" if found.startswith(("attr:", "file:")) else found

    if not (parser.has_section("metadata") or parser.has_section("options")):
        return None
    rows: list[tuple[str, str, Scope]] = [("options", "install_requires", "runtime")]
    rows += [("options", "setup_requires", "build"), ("options", "tests_require", "dev")]
    if parser.has_section("options.extras_require"):
        rows += [("options.extras_require", key, "optional") for key in parser.options("options.extras_require")]
    roots = dict(_pairs(said("options", "package_dir").splitlines()))
    return Manifest(
        "pypi",
        said("metadata", "name"),
        said("metadata", "version"),
        tuple(row for section, key, scope in rows for row in requirements_of(_lines(said(section, key)), scope)),
        provides=tuple(
            _setuptools(
                [
                    name
                    for key in ("packages", "py_modules")
                    for name in _lines(said("options", key))
                    if not name.startswith("find")
                ],
                roots,
                texts(said("options.packages.find", "where")),
            )
        ),
    )


def _lines(value: str) -> list[str]:
    """Return the entries of a list: one per line, or on one line between commas or semicolons."""
    lines = [line.strip() for line in value.splitlines() if line.strip() and not line.strip().startswith("#")]
    return lines if len(lines) != 1 or any(mark in value for mark in "=<>~!;[") else lines[0].replace(",", " ").split()


def _pairs(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        key, equals, value = line.partition("=")
        if equals:
            yield key.strip(), value.strip()


def pipfile(_path: str, source: str) -> Manifest:
    """Return the manifest of a Pipfile."""
    content = toml(source)
    tables: tuple[tuple[str, Scope], ...] = (("packages", "runtime"), ("dev-packages", "dev"))
    return Manifest(
        "pypi",
        dependencies=tuple(
            Dependency(name, "" if wanted == "*" else wanted, scope, text(table(row).get("path")))
            for key, scope in tables
            for name, row in table(content, key).items()
            for wanted in [text(row) or text(table(row).get("version"))]
        ),
    )


# --- setup.py: only literals are read ---


def setup_py(_path: str, source: str) -> Manifest | None:
    """Return the manifest in the literals of a setup.py; None if it calls no setup."""
    import ast

    try:
        tree = parse_python(source)
    except ValueError as problem:
        raise ValueError(f"not Python: {problem}") from None
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "setup"]
    if not calls:
        return None
    said = {word.arg: _literal(word.value, constants) for word in calls[0].keywords if word.arg}
    found = [
        *requirements_of(texts(said.get("install_requires", []))),
        *_groups(table(said.get("extras_require")), "optional"),
        *requirements_of(texts(said.get("setup_requires", [])), "build"),
        *requirements_of(texts(said.get("tests_require", [])), "dev"),
    ]
    roots = {name: text(folder) for name, folder in table(said.get("package_dir")).items() if isinstance(name, str)}
    names = texts(said.get("packages", [])) + texts(said.get("py_modules", []))
    return Manifest(
        "pypi",
        text(said.get("name")),
        text(said.get("version")),
        tuple(found),
        provides=tuple(_setuptools(names, roots, ())),
    )


def _called(node: ast.Call) -> str:
    import ast

    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _literal(node: ast.expr, constants: dict[str, ast.expr]) -> Any:
    """Return the value of a literal or of a name for one; None for other code."""
    import ast

    if isinstance(node, ast.Name):
        node = constants.get(node.id, node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


_NAMED = re.compile(r"^([A-Za-z0-9](?:[\w.-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(.*)$", re.DOTALL)
_EGG = re.compile(r"[#&]egg=([\w.-]+)")
# Options of a line: --hash=…, --config-settings …
_OPTIONS = re.compile(r"\s--?\w[\w-]*[= ].*$", re.DOTALL)
# Scopes by the name of a requirement file.
SCOPES: tuple[tuple[re.Pattern[str], Scope], ...] = (
    (re.compile(r"dev|test|lint|doc|ci|typing|mypy|check|example|bench"), "dev"),
    (re.compile(r"build"), "build"),
    (re.compile(r"optional|extra"), "optional"),
)


def requirement(line: str, scope: Scope = "runtime") -> Dependency | None:
    """Return the dependency of a PEP 508 line; None if it names no package."""
    found = _NAMED.match(line.strip())
    if not found:
        return None
    name, rest = found[1], found[2].partition(";")[0].strip()
    if rest.startswith("@"):
        address = rest[1:].strip()
        return Dependency(name, scope=scope, path=_local(address))
    wanted = rest.strip("() ")
    # A comparison or nothing follows a name; other text is no requirement.
    return Dependency(name, wanted, scope) if not wanted or wanted[0] in "=<>!~" else None


def requirements_of(lines: Iterable[str], scope: Scope = "runtime") -> Iterator[Dependency]:
    """Yield the dependencies of lines that have one."""
    for line in lines:
        found = requirement(line, scope)
        if found:
            yield found


def requirement_file(path: str, source: str) -> Manifest:
    """Return the manifest of a requirements file; files that it includes are read by their own names."""
    *folders, name = path.split("/")
    in_folder = bool(folders) and folders[-1] == "requirements"
    said = name if in_folder else name.replace("requirements", "")
    scope: Scope = next((scope for pattern, scope in SCOPES if pattern.search(said)), "runtime")
    found = []
    for line in re.sub(r"\\\r?\n", " ", source).splitlines():
        line = re.sub(r"(?:^|\s)#.*$", "", line).strip()
        needed = _line(line, scope)
        if needed:
            found.append(needed)
    return Manifest("pypi", dependencies=tuple(found), up=int(in_folder))


def _line(line: str, scope: Scope) -> Dependency | None:
    if editable := re.match(r"(?:-e|--editable)[\s=]+(.*)$", line):
        target = re.sub(r"\[[^\[\]]*+\]$", "", editable[1].strip().strip("\"'"))
        if "://" in target:
            egg = _EGG.search(target)
            return Dependency(egg[1], scope=scope) if egg else None
        return Dependency("", scope=scope, path=target)
    if line.startswith("-") or not line:
        return None
    if line.startswith(("./", "../", "file:")):
        # Wheels and archives are no folders.
        return (
            None if line.endswith((".whl", ".gz", ".zip")) else Dependency("", scope=scope, path=_local(line) or line)
        )
    if "://" in line.partition("@")[0]:
        egg = _EGG.search(line)
        return Dependency(egg[1], scope=scope) if egg else None
    return requirement(_OPTIONS.sub("", line), scope)


def _local(address: str) -> str:
    """Return the path of a local address; empty for others."""
    path = re.sub(r"^file:(?://(?:localhost)?)?", "", address) if address.startswith("file:") else ""
    return path.partition("#")[0]
