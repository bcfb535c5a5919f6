"""The documents say what the sources say."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recollect.errors import RecollectError
from recollect.settings import SETTINGS
from recollect.version import __version__

if TYPE_CHECKING:
    from .conftest import Module


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def pages(tracked: list[Path]) -> list[Path]:
    """Every Markdown page of the project."""
    found = [path for path in tracked if path.suffix == ".md"]
    assert len(found) >= 10, f"only {len(found)} pages found"
    return found


@pytest.mark.parametrize("script", ["reference.py", "package_readmes.py"])
def test_generated_pages_are_what_the_sources_give(root: Path, script: str) -> None:
    command = [sys.executable, str(root / "scripts" / script), "--check"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")


def test_every_operation_is_documented(root: Path) -> None:
    from recollect.capabilities import OPERATIONS

    text = read(root / "docs" / "reference" / "operations.md")
    assert len(OPERATIONS) >= 15
    for row in OPERATIONS.values():
        assert f"\n### {row.name}\n" in text
        assert row.summary in text
        for name in (*(parameter.name for parameter in row.parameters), *row.aliases):
            assert f"`{name}`" in text, f"{row.name}: {name}"


def test_every_operation_explains_itself_and_its_parameters() -> None:
    from recollect.capabilities import OPERATIONS

    missing = [row.name for row in OPERATIONS.values() if not row.summary]
    missing += [f"{row.name}.{p.name}" for row in OPERATIONS.values() for p in row.parameters if not p.help]
    assert missing == []


def test_the_help_of_operations_is_short_and_plain() -> None:
    from recollect.capabilities import OPERATIONS

    rows = list(OPERATIONS.values())
    assert [row.summary for row in rows if len(row.summary) > 60] == []
    assert [row.name for row in rows if not row.summary[0].isupper() or "none:" in row.description] == []
    helps = [(row.name, p.name, p.help) for row in rows for p in row.parameters]
    assert [each for each in helps if len(each[2].split()) > 10 or "none:" in each[2] or each[2].endswith(".")] == []


def test_every_setting_is_documented(root: Path) -> None:
    text = read(root / "docs" / "reference" / "settings.md")
    assert len(SETTINGS) >= 29
    for row in SETTINGS:
        assert f"| `{row.name}` |" in text
        assert row.help in text
        for alias in row.aliases:
            assert f"`{alias}`" in text


def test_every_error_code_is_documented(root: Path) -> None:
    text = read(root / "docs" / "reference" / "errors.md")

    def below(kind: type[RecollectError]) -> Iterator[type[RecollectError]]:
        yield kind
        for child in kind.__subclasses__():
            yield from below(child)

    kinds = [kind for kind in below(RecollectError) if kind.__module__ == "recollect.errors"]
    assert len(kinds) >= 21
    for kind in kinds:
        assert f"`{kind.code}` | {kind.exit_status} |" in text


def test_every_package_has_a_readme_that_the_architecture_links(root: Path, modules: dict[str, Module]) -> None:
    packages = [module.path.parent for module in modules.values() if module.is_package]
    tops = {path for path in packages if path.parent in (root / "src", root / "src" / "recollect")}
    assert len(tops) >= 12
    text = read(root / "docs" / "architecture.md")
    assert [path.name for path in tops if not (path / "README.md").exists()] == []
    assert [path.name for path in tops if path.name != "recollect" and f"/{path.name}/README.md" not in text] == []


def test_pages_name_only_modules_that_exist(root: Path, modules: dict[str, Module]) -> None:
    files = {module.path.relative_to(root / "src").as_posix() for module in modules.values()}
    pages = [root / "docs" / "architecture.md", *(root / "src").rglob("README.md")]
    named = {(page, name) for page in pages for name in re.findall(r"(?<![\w/])[\w/]+\.py\b", read(page))}
    named = {(page, name) for page, name in named if not name.startswith(("scripts/", "bench/", "tests/"))}
    known = {"setup.py", *(path[at:] for path in files for at in _starts(path))}  # a manifest of Python
    assert len(named) >= 100
    assert sorted(f"{page.parent.name}: {name}" for page, name in named if name not in known) == []


def _starts(path: str) -> list[int]:
    """Return where a path or the end of one begins: `store/sql.py` names `recollect/store/sql.py`."""
    return [0, *(place + 1 for place, letter in enumerate(path) if letter == "/")]


def test_every_link_to_a_file_leads_somewhere(pages: list[Path]) -> None:
    links = [
        (page, target)
        for page in pages
        for target in re.findall(r"\]\(([^)\s]+)\)", read(page))
        if not re.match(r"[a-z]+:", target)
    ]
    assert len(links) >= 20, f"only {len(links)} links found"
    broken = [f"{page.name}: {target}" for page, target in links if not _leads_somewhere(page, target)]
    assert broken == []


def test_a_fragment_of_the_reference_means_one_heading(root: Path) -> None:
    found = sorted((root / "docs" / "reference").glob("*.md"))
    assert len(found) >= 5
    for page in found:
        fragments = [_fragment(title) for title in _titles(page)]
        assert len(fragments) == len(set(fragments)), page.name


def _leads_somewhere(page: Path, target: str) -> bool:
    path, _, fragment = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return False
    return not fragment or fragment in map(_fragment, _titles(file))


def _titles(page: Path) -> list[str]:
    return re.findall(r"^#+ (.+)$", read(page), re.MULTILINE)


def _fragment(title: str) -> str:
    """Return the fragment that leads to a heading, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")


def test_the_commands_of_the_readme_are_targets_and_ci_runs_its_test_command(root: Path) -> None:
    readme, makefile = read(root / "README.md"), read(root / "Makefile")
    named = set(re.findall(r"^    make (\w+)", readme, re.MULTILINE))
    assert named == {"run", "test"}
    assert all(re.search(rf"^{name}:.*## ", makefile, re.MULTILINE) for name in named)
    commands = [line for line in read(root / ".ci" / "run").splitlines() if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec make test"]


def test_the_changelog_begins_with_the_version_of_the_package(root: Path) -> None:
    first = re.search(r"^## (\S+)", read(root / "CHANGELOG.md"), re.MULTILINE)
    assert first is not None
    assert first[1] == __version__


def test_the_decisions_are_numbered_without_gaps(root: Path) -> None:
    numbers = sorted(int(path.name[:4]) for path in (root / "docs" / "adr").glob("*.md"))
    assert len(numbers) >= 2
    assert numbers == list(range(1, len(numbers) + 1))


def test_the_python_of_the_readme_runs(root: Path, home: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", read(root / "README.md"), re.DOTALL)
    assert blocks
    for block in blocks:
        result = subprocess.run(
            [sys.executable, "-W", "error", "-c", block], capture_output=True, text=True, check=False
        )
        assert (result.returncode, result.stderr) == (0, "")
        assert "We use tabs in Makefiles" in result.stdout
    assert (home / "recollect.db").is_file()


def test_the_first_steps_run(root: Path) -> None:
    command = [sys.executable, str(root / "examples" / "first_steps.py")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr) == (0, "")
    steps = dict(step.split("\n", 1) for step in result.stdout.split("$ recollect ")[1:])
    assert {words.split()[0] for words in steps} >= {"store", "index", "search", "code", "impact", "pack", "health"}
    (answer,) = (answer for words, answer in steps.items() if "card company" in words)
    assert "same idempotency key" in answer  # imported by one process, found by another
    assert "ferry/booking.py" in steps["impact charge"]
    assert "Note" not in result.stdout and "warning" not in result.stdout.lower()
    assert result.stdout.index("recollect init") > result.stdout.index("$ recollect health")


def test_the_readme_fits_a_screen(root: Path) -> None:
    """What does not fit belongs into docs/guide.md."""
    assert len(read(root / "README.md").splitlines()) <= 100


def test_the_notice_names_what_is_shipped(root: Path) -> None:
    project = tomllib.loads(read(root / "pyproject.toml"))["project"]
    assert set(project["license-files"]) == {"LICENSE", "NOTICE"}
    assert "all-MiniLM-L6-v2" in read(root / "NOTICE")
