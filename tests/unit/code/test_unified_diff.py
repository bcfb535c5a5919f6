"""Reading unified diffs as git and others write them, and as they arrive after having been through a few hands."""

from __future__ import annotations

import pytest

from recollect.code.diff import unified_diff as module
from recollect.code.diff.unified_diff import FileDiff, parse
from recollect.errors import InvalidInput

PLAIN = """\
diff --git a/src/a.py b/src/a.py
index 1111111..2222222 100644
--- a/src/a.py
+++ b/src/a.py
@@ -1,3 +1,3 @@ def f():
 one
-two
+TWO
 three
"""
GIT = "diff --git a/n.py b/n.py\n"
HUNK = "@@ -1 +1 @@\n-x\n+y\n"


def only(text: str) -> FileDiff:
    (file,) = parse(text).files
    return file


def test_a_change_has_both_paths_its_lines_and_what_git_calls_both_sides() -> None:
    file = only(PLAIN)
    assert (file.old, file.new, file.status) == ("src/a.py", "src/a.py", "changed")
    assert (file.old_blob, file.new_blob) == ("1111111", "2222222")
    (hunk,) = file.hunks
    assert (hunk.old_start, hunk.new_start) == (1, 1)
    assert hunk.side(new=False) == ["one", "two", "three"]
    assert hunk.side(new=True) == ["one", "TWO", "three"]


@pytest.mark.parametrize(
    ("text", "old", "new", "status"),
    [
        (f"{GIT}new file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n+x\n", "", "n.py", "added"),
        (f"{GIT}deleted file mode 100644\n--- a/n.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", "n.py", "", "deleted"),
        ("diff --git a/o b/n\nsimilarity index 100%\nrename from o\nrename to n\n", "o", "n", "renamed"),
        (f"diff --git a/o b/n\ncopy from o\ncopy to n\n--- a/o\n+++ b/n\n{HUNK}", "o", "n", "copied"),
        (f"{GIT}old mode 100644\nnew mode 100755\n", "n.py", "n.py", "changed"),
        (f"{GIT}new file mode 100644\nindex 0000000..e69de29\n", "", "n.py", "added"),
        (f'--- "a/h\\303\\251.py"\n+++ "b/h\\303\\251.py"\n{HUNK}', "hé.py", "hé.py", "changed"),
        (f"diff --git a/a b b/a b\n--- a/a b\t\n+++ b/a b\t\n{HUNK}", "a b", "a b", "changed"),
        ("diff --git a/a b b/a b\nold mode 100644\nnew mode 100755\n", "a b", "a b", "changed"),
        (f"diff --git i/x w/x\n--- i/x\n+++ w/x\n{HUNK}", "x", "x", "changed"),
        (f"diff --git a/x a/x\n--- a/x\n+++ a/x\n{HUNK}", "a/x", "a/x", "changed"),
        (f"--- old/x\t2024-01-01 10:00:00.0\n+++ new/x 2024-01-01 11:00:00.0\n{HUNK}", "old/x", "new/x", "renamed"),
    ],
)  # fmt: skip
def test_every_kind_of_header_is_understood(text: str, old: str, new: str, status: str) -> None:
    file = only(text)
    assert (file.old, file.new, file.status) == (old, new, status)


def test_a_change_of_mode_alone_is_a_file_without_hunks() -> None:
    assert not only("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n").hunks


def test_binary_files_are_told_and_do_not_swallow_what_follows() -> None:
    text = (
        "diff --git a/i.png b/i.png\nindex 1..2 100644\nGIT binary patch\nliteral 1\nRcmV\n\nliteral 0\nHcmV?d0\n\n"
        "diff --git a/j.png b/j.png\nindex 1234567..2345678 100644\nBinary files a/j.png and b/j.png differ\n" + PLAIN
    )
    files = parse(text).files
    assert [(file.path, file.is_binary) for file in files] == [("i.png", True), ("j.png", True), ("src/a.py", False)]


def test_lines_that_look_like_headers_are_lines_if_the_hunk_is_not_over() -> None:
    text = "--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1,2 @@\n--- a comment\n+++ b/other\n -- kept\n"
    (hunk,) = only(text).hunks
    assert hunk.lines == ("--- a comment", "+++ b/other", " -- kept")


def test_a_missing_line_feed_at_the_end_belongs_to_the_side_it_is_said_of() -> None:
    text = (
        "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n"
        "--- a/y\n+++ b/y\n@@ -1,2 +1,2 @@\n-a\n+b\n c\n\\ No newline at end of file\n"
    )
    first, second = (file.hunks[0] for file in parse(text).files)
    assert (first.old_bare, first.new_bare) == (True, False)
    assert (second.old_bare, second.new_bare) == (True, True)


def test_converted_line_ends_and_lost_blanks_do_not_matter() -> None:
    sent = PLAIN.replace(" one\n", "\n").replace("\n", "\r\n")
    file = only(sent)
    assert (file.old, file.new, len(file.hunks)) == ("src/a.py", "src/a.py", 1)
    assert [line.rstrip("\r") for line in file.hunks[0].side(new=True)] == ["", "TWO", "three"]


def test_a_cut_off_diff_is_read_as_far_as_it_goes_and_says_so() -> None:
    diff = parse(PLAIN[: PLAIN.index("+TWO")])
    assert diff.files[0].hunks[0].side(new=False)[:2] == ["one", "two"]
    assert "truncated" in diff.notes[0]


def test_what_stands_around_a_diff_is_passed_over() -> None:
    text = f"commit 123\nAuthor: A\n\n    A message with --- dashes\n\n{PLAIN}-- \n2.43.0\n"
    assert only(text).path == "src/a.py"


def test_paths_with_conflicts_are_left_out_with_a_note() -> None:
    diff = parse(PLAIN + "* Unmerged path src/b.py\n")
    assert [file.path for file in diff.files] == ["src/a.py"]
    assert "src/b.py" in diff.notes[0]


def test_nothing_says_nothing() -> None:
    assert parse("") == parse(" \n\n") == module.Diff(())


@pytest.mark.parametrize("text", ["hello", "--- a\nnothing", "a\nb\nc", "\0\0\0", "\ud800"])
def test_what_is_no_diff_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert "git diff" in caught.value.hint


@pytest.mark.parametrize("text", ["diff --cc a.py\nindex 1,2..3\n", "--- a/x\n+++ b/x\n@@@ -1,2 -1,2 +1,3 @@@\n"])
def test_the_diff_of_a_merge_is_refused_with_a_way_out(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parse(text)
    assert "HEAD^1" in caught.value.hint


def test_huge_diffs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    many = "".join(PLAIN.replace("a.py", f"a{number}.py") for number in range(5))
    monkeypatch.setattr(module, "MAX_FILES", 3)
    diff = parse(many)
    assert len(diff.files) == 3
    assert "5 files differ" in diff.notes[0]
    monkeypatch.setattr(module, "MAX_CHARACTERS", len(PLAIN) + 20)
    diff = parse(many)
    assert diff.files[0].path == "src/a0.py"
    assert "the rest was skipped" in diff.notes[0]
