"""Which symbols differ between the two sides of a diff, and how."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.trees import git, write

from recollect.code.diff.changed_symbols import SymbolChange, changed
from recollect.code.diff.file_sides import Sides, both, placed
from recollect.code.diff.git_diff import range_diff, working_diff
from recollect.code.diff.unified_diff import FileDiff, parse
from recollect.errors import InvalidInput

OLD = '''\
import os

LIMIT = 10


def read(path):
    """Read a file."""
    text = os.fspath(path)
    return text.strip()


class Server:
    retries = 3

    def start(self, port):
        return port + 1

    def stop(self):
        return None
'''


def how(old: str, new: str, path: str = "a.py") -> dict[str, str]:
    file = FileDiff(path, path)
    rows = changed([Sides(file, "git", old.encode(), new.encode())])
    return {row.key: row.how for row in rows}


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("return port + 1", "return port + 2", {"Server.start": "body"}),
        ("start(self, port)", "start(self, port, host)", {"Server.start": "signature"}),
        ("    retries = 3\n", "    retries = 4\n", {"Server": "body"}),
        ("LIMIT = 10", "LIMIT = 11", {"LIMIT": "body"}),
        ("import os", "import os.path", {"": "body"}),
        ("class Server:", "class Server(Base):", {"Server": "signature"}),
        ("    def stop(self):\n        return None\n", "", {"Server.stop": "removed"}),
        ("class Server:", "def new():\n    pass\n\n\nclass Server:", {"new": "added"}),
        ("    text =", "    # a remark\n    text  =", {"read": "cosmetic"}),
        ('"""Read a file."""', '"""Read a file, stripped."""', {"read": "cosmetic"}),
        ('    """Read a file."""\n', "", {"read": "cosmetic"}),
        ("    retries = 3", '    """Serves."""\n\n    retries = 3', {"Server": "cosmetic"}),
        ("import os\n", '"""Ünïcode, and a module."""\n\nimport os\n', {"": "cosmetic"}),
        ("import os\n", '"""Ünïcode."""\nimport os, sys\n', {"": "body"}),
        ("        return None", '        "not only"\n        return 1', {"Server.stop": "body"}),
        ("def read(path):", "def read( path ):", {"read": "cosmetic"}),
        ("def read(path):", "@cache\ndef read(path):", {"read": "signature"}),
        ("\n\nLIMIT", "\n\n# how many\nLIMIT", {"": "cosmetic"}),
        ("def read(path):", "def load(path):", {"load": "renamed"}),
        ("x", "x", {}),
    ],
)
def test_each_symbol_is_told_by_how_it_differs(before: str, after: str, expected: dict[str, str]) -> None:
    assert how(OLD, OLD.replace(before, after)) == expected


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.ts", "interface A {\n  f?(): void;\n}\n", "interface A {\n  f(): void;\n}\n"),
        ("a.ts", "interface A {\n}\n", "interface A {\n  f(): { a: number };\n}\n"),
        ("A.java", "interface A {\n  default int f() { return 1; }\n}\n", "interface A {\n  int f();\n}\n"),
        ("A.java", "class A {\n  int f() { return 1; }\n}\n", "class A {\n  abstract int f();\n}\n"),
        ("a.rs", "trait A {\n    fn f(&self) -> u8 { 1 }\n}\n", "trait A {\n    fn f(&self) -> u8;\n}\n"),
        ("a.go", "package a\n\ntype A interface {\n}\n", "package a\n\ntype A interface {\n\tf()\n}\n"),
        ("a.py", "class A:\n    def f(self): ...\n", "class A:\n    @abc.abstractmethod\n    def f(self): ...\n"),
    ],
)
def test_a_method_becomes_required(path: str, before: str, after: str) -> None:
    for old, new, required in ((before, after, ["f"]), (after, before, []), (after, after + "\n", [])):
        rows = changed([Sides(FileDiff(path, path), "git", old.encode(), new.encode())])
        assert [row.row.name for row in rows if row.row and row.is_required] == required


GO = """\
package money

type Ledger struct {
	total int
}

func (l *Ledger) Balance() int {
	return l.total
}

func Open() *Ledger {
	return &Ledger{}
}
"""
RUST = """\
mod money {
    pub struct Ledger {
        total: i64,
    }

    impl Ledger {
        pub fn balance(&self) -> i64 {
            self.total
        }
    }
}
"""


@pytest.mark.parametrize(
    ("path", "old", "before", "after", "expected"),
    [
        ("a.go", GO, "return l.total", "return l.total + 1", {"Ledger.Balance": "body"}),
        ("a.go", GO, "return l.total", "// a remark\n\treturn l.total", {"Ledger.Balance": "cosmetic"}),
        ("a.go", GO, "Balance() int", "Balance(at int) int", {"Ledger.Balance": "signature"}),
        ("a.go", GO, "func Open", "func (l *Ledger) Close() {\n}\n\nfunc Open", {"Ledger.Close": "added"}),
        ("a.go", GO, "package money", 'package money\n\nimport "fmt"', {"": "body"}),
        ("a.rs", RUST, "            self.total", "            self.total + 1", {"money::Ledger::balance": "body"}),
        ("a.rs", RUST, "impl Ledger", "impl Show for Ledger", {"money": "body"}),
    ],
)
def test_methods_outside_of_their_type_are_not_module_level_code(
    path: str, old: str, before: str, after: str, expected: dict[str, str]
) -> None:
    assert how(old, old.replace(before, after), path) == expected


def test_line_ends_alone_change_nothing_but_looks() -> None:
    assert set(how(OLD, OLD.replace("\n", "\r\n")).values()) <= {"cosmetic"}


def test_what_moves_to_another_file_is_moved() -> None:
    body = "def read(path):\n" + "".join(f"    step_{number}(path)\n" for number in range(9))
    rows = changed(
        [
            Sides(FileDiff("a.py", "a.py"), "git", f"{body}\n\nX = 1\n".encode(), b"X = 1\n"),
            Sides(FileDiff("", "b.py", "added"), "git", None, body.encode()),
        ]
    )
    (row,) = [row for row in rows if row.key]
    assert (row.how, row.path, row.old_path) == ("moved", "b.py", "a.py")


def test_documents_and_unknown_sides_have_no_symbols() -> None:
    assert how("# One\n", "# Two\n", "README.md") == {}
    assert changed([Sides(FileDiff("a.py", "a.py"), "unknown")]) == []


# --- both sides ---


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write(tmp_path, {"src/a.py": OLD, "src/b.py": "def b():\n    return 1\n", "c.py": "def c():\n    pass\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "one")
    return tmp_path


def sides(root: Path, text: str) -> list[Sides]:
    files = [placed(root, file, ()) for file in parse(text).files]
    return both(root, [file for file in files if file], 1_000_000)


def keys(rows: list[SymbolChange]) -> dict[str, str]:
    return {f"{row.path}::{row.key}": row.how for row in rows}


def test_the_work_tree_is_compared_with_what_the_hunks_say_it_was(project: Path) -> None:
    write(project, {"src/a.py": OLD.replace("port + 1", "port + 2")})
    git(project, "mv", "src/b.py", "src/bb.py")
    (project / "c.py").unlink()
    write(project, {"new.py": "class N:\n    x: int\n    y: str\n    z: float\n"})
    git(project, "add", "-N", "new.py")
    text, notes = working_diff(project)
    found = sides(project, text)
    assert {side.origin for side in found} == {"new on disk"}
    assert keys(changed(found)) == {
        "src/a.py::Server.start": "body", "c.py::c": "removed", "new.py::N": "added",
        "src/bb.py::": "moved", "src/bb.py::b": "moved",
    }  # fmt: skip
    assert notes == ()


def test_a_patch_that_is_not_applied_is_compared_with_what_it_would_make(project: Path) -> None:
    write(project, {"src/a.py": OLD.replace("port + 1", "port + 2")})
    text, _ = working_diff(project)
    git(project, "checkout", "-q", ".")
    (side,) = sides(project, text)
    assert side.origin == "old on disk"
    assert keys(changed([side])) == {"src/a.py::Server.start": "body"}


def test_older_commits_are_taken_from_git(project: Path) -> None:
    write(project, {"src/a.py": OLD.replace("port + 1", "port + 2")})
    git(project, "commit", "-qam", "two")
    write(project, {"src/a.py": "gone = 1\n"})
    text, _ = range_diff(project, "HEAD~1..HEAD")
    (side,) = sides(project, text)
    assert side.origin == "git"
    assert keys(changed([side])) == {"src/a.py::Server.start": "body"}


def test_a_side_that_is_nowhere_is_unknown(project: Path) -> None:
    (side,) = sides(project, "--- a/src/a.py\n+++ b/src/a.py\n@@ -1,2 +1,2 @@\n no such line\n-x\n+y\n")
    assert (side.origin, side.old, side.new) == ("unknown", None, None)


def test_edits_elsewhere_in_the_file_do_not_matter(project: Path) -> None:
    write(project, {"src/a.py": OLD.replace("port + 1", "port + 2")})
    text, _ = working_diff(project)
    edited = "# one line more\n" * 30 + OLD.replace("port + 1", "port + 2")
    write(project, {"src/a.py": edited})
    (side,) = sides(project, text)
    assert keys(changed([side])) == {"src/a.py::Server.start": "body"}


@pytest.mark.parametrize("path", ["/etc/passwd", "../x.py", "a/../../x.py", "~/x.py", "C:\\x"])
def test_paths_that_lead_out_of_the_project_are_left_out(project: Path, path: str) -> None:
    assert placed(project, FileDiff(path, path), ()) is None


def test_links_out_of_the_project_are_not_followed(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    write(elsewhere, {"secret.py": "x\n"})
    (project / "link").symlink_to(elsewhere)
    (project / "link.py").symlink_to(elsewhere / "secret.py")
    hunk = "@@ -1 +1 @@\n-y\n+x\n"
    for path in ("link/secret.py", "link.py"):
        (side,) = sides(project, f"--- a/{path}\n+++ b/{path}\n{hunk}")
        assert side.origin == "unknown"


def test_folders_that_another_tool_wrote_before_paths_are_dropped(project: Path) -> None:
    file = placed(project, FileDiff("old/app/src/b.py", "new/app/src/b.py", "renamed"), {"src/b.py"})
    assert file is not None
    assert (file.old, file.new) == ("src/b.py", "src/b.py")


def test_git_says_what_it_does_not_know(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    write(project, {"untracked.py": "x = 1\n"})
    assert "1 untracked file not reviewed" in working_diff(project)[1][0]
    for span in ("nowhere..HEAD", "--output=x", ""):
        if span:
            with pytest.raises(InvalidInput):
                range_diff(project, span)
    with pytest.raises(InvalidInput, match="not a git repository"):
        working_diff(tmp_path_factory.mktemp("plain"))


def test_three_dots_mean_since_the_two_parted(project: Path) -> None:
    git(project, "branch", "other")
    write(project, {"c.py": "def c():\n    return 2\n"})
    git(project, "commit", "-qam", "here")
    git(project, "checkout", "-q", "other")
    write(project, {"src/b.py": "def b():\n    return 2\n"})
    git(project, "commit", "-qam", "there")
    assert [file.path for file in parse(range_diff(project, "HEAD@{1}...HEAD")[0]).files] == ["src/b.py"]
