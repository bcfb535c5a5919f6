"""Write the module table of each package's README.md; with --check, compare it.

A row is a module or sub-package with the first sentence of its docstring. The text around the table is written by hand.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src"
BEGIN, END = "<!-- modules, written by `make reference` -->", "<!-- end -->"


def rows(package: Path) -> Iterator[tuple[str, str]]:
    """Yield modules, then sub-packages and their modules, each with the first sentence of its docstring."""
    for path in sorted(package.glob("*.py")):
        if path.stem != "__init__":
            yield path.name, sentence(path)
    for path in sorted(package.glob("*/__init__.py")):
        name = path.parent.name
        yield f"{name}/", f"**{sentence(path)}**"
        if not (path.parent / "README.md").exists():
            yield from ((f"{name}/{below}", told) for below, told in rows(path.parent))


def sentence(path: Path) -> str:
    """Return the first paragraph of a module's docstring, up to its first full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    line = " ".join(text.partition("\n\n")[0].split())
    return line.partition(". ")[0].rstrip(".").replace("|", "\\|")


def written(readme: Path) -> str:
    """Return the text of a README with its table up to date."""
    text = readme.read_text(encoding="utf-8")
    before, mark, rest = text.partition(BEGIN)
    if not mark:
        raise SystemExit(f"{readme}: no line {BEGIN}")
    table = ["| module | contents |", "|---|---|", *(f"| `{name}` | {told} |" for name, told in rows(readme.parent))]
    return f"{before}{BEGIN}\n" + "\n".join(table) + f"\n{END}" + rest.partition(END)[2]


def main(arguments: list[str]) -> int:
    outdated = [path for path in sorted(SOURCE.rglob("README.md")) if written(path) != path.read_text(encoding="utf-8")]
    for path in outdated:
        if "--check" in arguments:
            print(f"out of date: {path.relative_to(SOURCE.parent)}; run make reference", file=sys.stderr)
        else:
            path.write_text(written(path), encoding="utf-8")
    return 1 if "--check" in arguments and outdated else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
