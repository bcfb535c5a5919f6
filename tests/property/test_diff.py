"""Diffs: what git writes, read and applied in both directions, gives back what there was."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.code.diff.file_sides import applied
from recollect.code.diff.unified_diff import parse
from recollect.errors import InvalidInput

# Few different lines, so that some stay where they are and some look like headers.
LINES = st.sampled_from(["", "a", "b", "  c", "--- d", "+++ e", "@@ -1 +1 @@", "\\ no", "é", "\tf", "g\x0ch", "x" * 60])
ENDS = st.sampled_from(["\n", "\r\n"])


@st.composite
def contents(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(LINES, max_size=40))
    end = draw(ENDS)
    text = end.join(lines) + (end if lines and draw(st.booleans()) else "")
    return text.encode()


@settings(max_examples=60)
@given(contents(), contents(), st.integers(0, 4))
def test_a_diff_of_git_leads_from_either_side_to_the_other(old: bytes, new: bytes, around: int) -> None:
    text = diff_of(old, new, around)
    if not text.strip():
        assert old == new
        return
    (file,) = parse(text).files
    assert applied(old, file.hunks) == new
    assert applied(new, file.hunks, backwards=True) == old


@settings(max_examples=150)
@given(
    st.text(max_size=400)
    | st.lists(LINES | st.sampled_from(["diff --git a/x b/x", "rename from x"]), max_size=30).map("\n".join)
)
def test_no_text_breaks_the_reader(text: str) -> None:
    try:
        found = parse(text)
    except InvalidInput as problem:
        assert problem.hint
    else:
        assert found.files or not text.strip()


def diff_of(old: bytes, new: bytes, around: int) -> str:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("old", old), ("new", new)):
            Path(folder, name).write_bytes(content)
        words = ["git", "diff", "--no-index", f"-U{around}", "--no-color", "--no-ext-diff", "--", "old", "new"]
        return subprocess.run(words, cwd=folder, capture_output=True, check=False).stdout.decode("utf-8", "replace")
