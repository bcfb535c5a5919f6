"""build.gradle, settings.gradle (Groovy and Kotlin) and version catalogs. Only literal names and versions are found."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.code.manifests.manifest import Dependency, Manifest, Scope, table, text, toml

# Patterns of configuration names and their scopes; the first match counts.
SCOPES: tuple[tuple[re.Pattern[str], Scope], ...] = (
    (
        re.compile(
            r"^(?:test|androidTest|debug|integrationTest|functionalTest|jmh|lint|benchmark)(?=[A-Z]|$)|Test[A-Z]"
        ),
        "dev",
    ),
    (
        re.compile(r"(?:[pP]rocessor|[kK]apt|[kK]sp|classpath|compileOnly|CompileOnly|compileOnlyApi|provided)$"),
        "build",
    ),
    (re.compile(r"(?:^|[a-z])(?:[iI]mplementation|[aA]pi|[rR]untimeOnly|[cC]ompile|[rR]untime)$"), "runtime"),
)

_PIECE = re.compile(r"""(?<!\\)("(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+')|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)
_CALL = re.compile(
    r"""^[^\S\n]*+(?:add\(\s*+["'])?(\w++)["']?+(?>\s*+[(,]|\s++)\s*+"""
    r"""(?:(?:enforcedPlatform|platform|testFixtures|kotlin)\s*+\(\s*+)?"""
    r"""(?:["']([^"'\n]+)["']"""  # 2: group:name:version
    r"""|(project)\s*+\(?+\s*+(?:path\s*+[:=]\s*+)?["']([^"'\n]+)["']"""  # 4: path of a project
    r"""|(libs|projects)\.([\w.]+)"""  # 6: accessor
    r"""|group\s*+[:=]\s*+["']([^"'\n]+)["']\s*+,\s*+name\s*+[:=]\s*+["']([^"'\n]+)["']"""  # 7, 8
    r"""(?:\s*+,\s*+version\s*+[:=]\s*+["']([^"'\n]+)["'])?)""",  # 9
    re.MULTILINE,
)
_FIELD = re.compile(
    r"""^[^\S\n]*+(?:project\.)?(group|version)(?:\s*+=\s*+|\s++)["']([^"'\n]+)["'][^\S\n]*+$""", re.MULTILINE
)
_CONSTANT = re.compile(
    r"""^[^\S\n]*+(?:(?:def|val|ext\.|extra\[["'])\s*+)?([\w.]++)(?:["']\])?\s*+=\s*+["']([^"'\n$]+)["'][^\S\n]*+$""",
    re.MULTILINE,
)
_ROOT_NAME = re.compile(r"""rootProject\.name\s*=\s*["']([^"'\n]+)["']""")
_INCLUDE = re.compile(r"""^[^\S\n]*+include(?!Build|Flat)\b[\s(]*+((?:["'][^"'\n]+["'][\s,]*)+)""", re.MULTILINE)
_STRING = re.compile(r"""["']([^"'\n]+)["']""")


def build(path: str, source: str) -> Manifest:
    """Return the manifest of a build.gradle or build.gradle.kts. Its artifact has the name of its folder."""
    code = _without_comments(source)
    fields = dict(reversed(_FIELD.findall(code)))
    folder = "/".join(path.split("/")[:-1]).rpartition("/")[2]
    constants = {key: value for key, value in _CONSTANT.findall(code) if key not in ("group", "version")}
    return Manifest(
        "maven",
        f"${{group}}:{folder}" if folder else "${group}:${root}",
        fields.get("version") or "${version}",
        tuple(_dependencies(code)),
        properties=tuple({**constants, **fields}.items()),
    )


def settings(_path: str, source: str) -> Manifest:
    """Return the manifest of a settings.gradle: the name of the build and its projects."""
    code = _without_comments(source)
    names = [name for words in _INCLUDE.findall(code) for name in _STRING.findall(words)]
    root = _ROOT_NAME.search(code)
    return Manifest(
        "maven",
        members=(".", *(name.strip(":").replace(":", "/") for name in names)),
        properties=(("root", root[1]),) if root else (),
    )


def catalog(_path: str, source: str) -> Manifest:
    """Return the manifest of gradle/libs.versions.toml: libraries by their accessors."""
    content = toml(source)
    versions = {name: _version(row) for name, row in table(content, "versions").items()}
    managed = []
    for alias, row in table(content, "libraries").items():
        if isinstance(row, str):
            group, _, rest = row.partition(":")
            name, _, wanted = rest.partition(":")
        else:
            module = text(table(row).get("module"))
            group, _, name = (
                module.partition(":") if module else (text(table(row).get("group")), "", text(table(row).get("name")))
            )
            version = table(row).get("version")
            wanted = versions.get(text(table(version).get("ref")), "") or _version(version)
        if group and name:
            managed.append((accessor(alias), Dependency(f"{group}:{name}", wanted)))
    return Manifest("maven", managed=tuple(managed), up=1)


def accessor(alias: str) -> str:
    """Return the accessor of a catalog alias: its words between dots."""
    return "libs." + re.sub(r"[-_]", ".", alias)


def _version(row: object) -> str:
    rich = table(row)
    return text(row) or text(rich.get("require")) or text(rich.get("strictly")) or text(rich.get("prefer"))


def _without_comments(source: str) -> str:
    return _PIECE.sub(lambda found: found[1] or " ", source)


def _scope(configuration: str) -> Scope | None:
    return next((scope for pattern, scope in SCOPES if pattern.search(configuration)), None)


def _dependencies(code: str) -> Iterator[Dependency]:
    for found in _CALL.finditer(code):
        scope = _scope(found[1])
        if scope is None:
            continue
        if found[2]:
            parts = found[2].split("@")[0].split(":")
            if len(parts) >= 2 and parts[0] and parts[1]:
                yield Dependency(f"{parts[0]}:{parts[1]}", _braced(parts[2]) if len(parts) > 2 else "", scope)
        elif found[4]:
            yield Dependency("", scope=scope, path=":" + found[4].strip(":"))
        elif found[5] == "libs":
            yield Dependency("", scope=scope, managed=f"libs.{found[6].removesuffix('.get')}")
        elif found[5] == "projects":
            yield Dependency("", scope=scope, path=":" + re.sub(r"([a-z])([A-Z])", _kebab, found[6]).replace(".", ":"))
        else:
            yield Dependency(f"{found[7]}:{found[8]}", _braced(found[9] or ""), scope)


def _kebab(found: re.Match[str]) -> str:
    return f"{found[1]}-{found[2].lower()}"


def _braced(version: str) -> str:
    """Return a version with its properties written like those of Maven: $x becomes ${x}."""
    return re.sub(r"\$(\w+)", r"${\1}", version)
