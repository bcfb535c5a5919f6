"""go.mod and go.work: Go modules, their requirements and replacements."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.code.manifests.manifest import Dependency, Manifest, Scope

_BLOCK = re.compile(r"^(\w+)\s*\($")


def module(_path: str, source: str) -> Manifest:
    """Return the manifest of a go.mod."""
    name, required, replaced, tools = "", [], {}, set()
    for verb, words, comment in _directives(source):
        if verb == "module":
            name = words[0]
        elif verb == "require":
            scope: Scope = "indirect" if comment.startswith("indirect") else "runtime"
            required.append(Dependency(words[0], words[1] if len(words) > 1 else "", scope))
        elif verb == "replace" and "=>" in words:
            replaced[words[0]] = words[words.index("=>") + 1 :]
        elif verb == "tool":
            tools.add(words[0])
    return Manifest(
        "go",
        name,
        dependencies=tuple(_settled(row, replaced.get(row.name, []), tools) for row in required),
        provides=((name, "."),) if name else (),
    )


def work(_path: str, source: str) -> Manifest:
    """Return the manifest of a go.work: the modules of a workspace."""
    return Manifest("go", members=tuple(words[0] for verb, words, _ in _directives(source) if verb == "use"))


def _settled(row: Dependency, instead: list[str], tools: set[str]) -> Dependency:
    if any(tool == row.name or tool.startswith(f"{row.name}/") for tool in tools):
        row = row._replace(scope="dev")
    if not instead:
        return row
    # In go.mod a replacement is a path if it begins like one; others have a version.
    if instead[0].startswith((".", "/")):
        return row._replace(path=instead[0])
    return row._replace(name=instead[0], range=instead[1] if len(instead) > 1 else row.range)


def _directives(source: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield verb, words and comment of every directive, in a block or alone."""
    block = ""
    for line in source.splitlines():
        code, _, comment = line.partition("//")
        code = code.strip()
        opened = _BLOCK.match(code)
        if opened:
            block = opened[1]
        elif block and code == ")":
            block = ""
        elif words := [word.strip('"`') for word in code.split()]:
            verb, words = (block, words) if block else (words[0], words[1:])
            if words:
                yield verb, words, comment.strip()
