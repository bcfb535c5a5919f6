"""Completion scripts complete: bash is asked, zsh and fish are, where they are installed."""

import shutil
import subprocess
from typing import Literal

import pytest

from recollect.model import Deleted, NamespaceCount
from recollect.operations import collect, operation
from recollect.surface.cli.command_table import commands
from recollect.surface.cli.completion import SCRIPTS, script


class Shelf:
    """A noun whose help holds everything a shell could stumble over."""

    @operation("store_memory", "store")
    def store(
        self, content: str, *, memory_type: Literal["decision", "pattern"] = "decision", pinned: bool = False
    ) -> NamespaceCount:
        """Keep what's [worth] it: `a` $HOME "b" \\ 100 %.

        memory_type: the kind of 'it' [one: of two]
        """
        return NamespaceCount(namespace=None, memories=0)

    @operation("stats", "stats")
    def stats(self) -> NamespaceCount:
        """Count."""
        return NamespaceCount(namespace=None, memories=0)

    @operation("delete_namespace", "delete-namespace", destructive=True)
    def delete(self, namespace: str) -> Deleted:
        """Delete."""
        return Deleted(deleted=0, batch="")

    @operation("export_memories", "export", positional=("path",))
    def export(self, path: str = "-") -> NamespaceCount:
        """Export."""
        return NamespaceCount(namespace=None, memories=0)


TABLE = commands(collect({"shelf": Shelf}))

ASK = """
COMP_WORDS=("$@"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=()
_recollect
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.mark.skipif(not shutil.which("bash"), reason="no bash here")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["st"], {"store", "stats"}),
        (["--json", "st"], {"store", "stats"}),
        (["--home", "/x", "sto"], {"store"}),
        (["store", "--ty"], {"--type"}),
        (["store", "--type", "p"], {"pattern"}),
        (["store", "-t", "p"], {"pattern"}),
        (["store", "--type", "=", "d"], {"decision"}),
        (["store", "--type", "="], {"decision", "pattern"}),
        (["store", "x", "--no"], {"--no-pinned"}),
        (["stats", "--js"], {"--json"}),
        (["works"], {"workspace"}),
        (["workspace", "d"], {"delete"}),
        (["--json", "workspace", "d"], {"delete"}),
        (["workspace", "delete", "x", "--y"], {"--yes"}),
        (["workspace", "nonsense", "--"], set()),
        (["completion", "z"], {"zsh"}),
        (["help", "sta"], {"stats"}),
        (["store", "--home", ""], set()),
        (["nonsense", "--"], set()),
    ],
)
def test_bash_completes(words: list[str], expected: set[str]) -> None:
    code = script("bash", TABLE) + ASK
    result = subprocess.run(
        ["bash", "--norc", "-c", code, "bash", "recollect", *words], capture_output=True, text=True, check=True
    )
    assert result.stderr == ""
    assert set(result.stdout.split()) == expected


@pytest.mark.skipif(not shutil.which("fish"), reason="no fish here")
@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("sta", {"stats"}),
        ("--home /x stor", {"store"}),
        ("store --type p", {"pattern"}),
        ("store --type ", {"decision", "pattern"}),
        ("store --type=p", {"--type=pattern"}),
        ("workspace d", {"delete"}),
        ("workspace delete x --ye", {"--yes"}),
        ("nonsense --", set()),
    ],
)
def test_fish_completes(line: str, expected: set[str]) -> None:
    code = script("fish", TABLE) + f"complete -C 'recollect {line}'"
    result = subprocess.run(["fish", "--no-config", "-c", code], capture_output=True, text=True, check=True)
    assert result.stderr == ""
    assert {row.split("\t")[0] for row in result.stdout.splitlines()} == expected


@pytest.mark.parametrize("shell", SCRIPTS)
def test_a_script_is_valid_in_its_shell(shell: str) -> None:
    text = script(shell, TABLE)
    for word in ("store", "type", "decision pattern", "no-pinned", "completion", "workspace", "delete"):
        assert word in text
    if not shutil.which(shell):
        pytest.skip(f"no {shell} here")
    assert subprocess.run([shell, "-n"], input=text, text=True, capture_output=True, check=False).stderr == ""
